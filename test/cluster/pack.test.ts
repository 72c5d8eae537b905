// What travels keeps every bit, and what was damaged on the way is refused or is other data, never a crash.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pack, unpack } from "../../src/cluster/pack.js";
import { InputError } from "../../src/util/errors.js";

const arrays = [Float64Array, Float32Array, Int32Array, Uint32Array, Int16Array, Uint16Array, Int8Array, Uint8Array];
const typed = fc
  .tuple(fc.constantFrom(...arrays), fc.array(fc.double({ noNaN: true }), { maxLength: 9 }))
  .map(([Made, values]) => Made.from(values as never));
const key = fc.string().filter((name) => name !== "$" && name !== "__proto__");
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    typed,
    tie("array"),
    tie("object"),
    tie("map"),
  ),
  array: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  map: fc.array(fc.tuple(fc.string(), tie("value")), { maxLength: 3 }).map((entries) => new Map(entries as never)),
})).value;

describe("packing", () => {
  test("keeps data as it is, to the last bit", () => {
    fc.assert(
      fc.property(plain, (value) => {
        const packed = pack(value);
        expect(unpack(packed)).toStrictEqual(value);
        expect(unpack(Buffer.concat([Buffer.alloc(8), packed]).subarray(8))).toStrictEqual(value);
      }),
    );
  });

  test("arrays in shared memory come out as arrays of their own", () => {
    const shared = new Float64Array(new SharedArrayBuffer(32), 8, 2).fill(-0);
    const found = unpack(pack({ shared })) as { shared: Float64Array };
    expect(found.shared.buffer).toBeInstanceOf(ArrayBuffer);
    expect([...found.shared]).toStrictEqual([-0, -0]);
  });

  test("damaged bytes are refused, or are other data", () => {
    const whole = pack({ a: Float64Array.of(1, 2), b: "text", c: [Number.NEGATIVE_INFINITY] });
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), (length, at, byte) => {
        const damaged = whole.slice();
        damaged[at] = byte;
        for (const bytes of [damaged, whole.slice(0, length)]) {
          try {
            unpack(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(InputError);
          }
        }
      }),
    );
  });
});
