// The model file's layout: round trips, the bytes that the safetensors specification prescribes, and refusal of
// everything else, whatever bytes it holds.

import { deflateSync, gzipSync, crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32, crc32ByTable } from "../../src/model/crc32.js";
import { decodeTensors, encodeTensors, type TensorData, type TensorFile } from "../../src/model/safetensors.js";
import { InputError } from "../../src/util/errors.js";
import { mulberry } from "../engine/oracle.js";

const text = (value: string) => new TextEncoder().encode(value);

/** A file from a header text and data bytes, put together as the specification says, without the code under test. */
function fileOf(header: string, data: ArrayLike<number> = []): Uint8Array {
  const headerBytes = text(header);
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(headerBytes.length), true);
  return Uint8Array.from([...length, ...headerBytes, ...Array.from(data)]);
}

/** Metadata, types, shapes and raw values as comparable text; NaNs of different bits differ. */
function content(file: TensorFile): string {
  const byName = (a: [string, unknown], b: [string, unknown]) => (a[0] < b[0] ? -1 : 1);
  const tensors = Object.entries(file.tensors).sort(byName);
  return JSON.stringify([
    Object.entries(file.metadata).sort(byName),
    tensors.map(([name, { data, shape }]) => [name, data.constructor.name, shape, Array.from(rawBytes(data))]),
  ]);
}

function rawBytes(data: TensorData): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

const anyText = fc.string({ unit: "binary", maxLength: 12 });
const anyData: fc.Arbitrary<TensorData> = fc.oneof(
  fc.float64Array({ maxLength: 9 }),
  fc.float32Array({ maxLength: 9 }),
  fc.bigInt64Array({ maxLength: 9 }),
  fc.bigUint64Array({ maxLength: 9 }),
  fc.int32Array({ maxLength: 9 }),
  fc.uint32Array({ maxLength: 9 }),
  fc.int16Array({ maxLength: 9 }),
  fc.uint16Array({ maxLength: 9 }),
  fc.int8Array({ maxLength: 9 }),
  fc.uint8Array({ maxLength: 9 }),
);
const anyFile = fc.record({
  metadata: fc.dictionary(anyText, anyText, { maxKeys: 4 }),
  tensors: fc.dictionary(
    anyText,
    anyData.map((data) => ({ data, shape: [1, data.length, 1] })),
    { maxKeys: 6 },
  ),
});

const sample = {
  metadata: { kind: "tagger", labels: "B-NP\nI-NP\nO", note: "⋆ “quoted” \\ \u0001" },
  tensors: {
    weights: { data: Float64Array.from({ length: 40 }, (_, i) => Math.sin(i) * 10 ** (i % 7)), shape: [8, 5] },
    rows: { data: Int32Array.from({ length: 30 }, (_, i) => i * i - 50), shape: [30] },
    symbols: { data: Uint16Array.of(1, 2, 65535), shape: [3] },
    words: { data: text("the cat sat"), shape: [11] },
    scalar: { data: Float32Array.of(0.25), shape: [] },
    none: { data: new Float64Array(0), shape: [0, 4] },
  },
};
const sampleBytes = encodeTensors(sample);

describe("encode and decode", () => {
  it("return what was put in, for any names, types and values", () => {
    fc.assert(
      fc.property(anyFile, (file) => {
        expect(content(decodeTensors(encodeTensors(file)))).toBe(content(file));
      }),
      { numRuns: 300 },
    );
  });

  it("keep names that mean something to JavaScript objects", () => {
    const metadata = Object.fromEntries(["__proto__", "constructor", "0", ""].map((key) => [key, `the ${key}`]));
    const tensors = Object.fromEntries(["__proto__", "toString", "7"].map((key) => [key, { data: Int8Array.of(-1) }]));
    const back = decodeTensors(encodeTensors({ metadata, tensors }));
    expect(Object.entries(back.metadata).sort()).toEqual(Object.entries(metadata).sort());
    expect(Object.keys(back.tensors).sort()).toEqual(["7", "__proto__", "toString"]);
    expect(back.tensors.hasOwnProperty).toBeUndefined();
  });

  it("give the same bytes for the same content in another order", () => {
    const reversed = {
      metadata: Object.fromEntries(Object.entries(sample.metadata).reverse()),
      tensors: Object.fromEntries(Object.entries(sample.tensors).reverse()),
    };
    expect(encodeTensors(reversed)).toEqual(sampleBytes);
  });

  it("share memory with the file when it is aligned, and work when it is not", () => {
    const aligned = decodeTensors(sampleBytes);
    for (const { data } of Object.values(aligned.tensors)) expect(data.buffer).toBe(sampleBytes.buffer);
    for (let shift = 1; shift < 8; shift++) {
      const shifted = new Uint8Array(sampleBytes.length + shift).subarray(shift);
      shifted.set(sampleBytes);
      expect(content(decodeTensors(shifted))).toBe(content(aligned));
    }
  });

  it("default the shape to one dimension and refuse a shape that does not fit", () => {
    const bytes = encodeTensors({ metadata: {}, tensors: { a: { data: Uint8Array.of(5, 6) } } });
    expect(decodeTensors(bytes).tensors.a.shape).toEqual([2]);
    expect(() => encodeTensors({ metadata: {}, tensors: { a: { data: Uint8Array.of(5), shape: [2] } } })).toThrow(
      /shape/,
    );
  });
});

describe("the layout", () => {
  it("is a length, a JSON object padded with spaces, and tensors without holes, aligned to their items", () => {
    fc.assert(
      fc.property(anyFile, (file) => {
        const bytes = encodeTensors(file);
        const headerLength = Number(new DataView(bytes.buffer).getBigUint64(0, true));
        expect(headerLength % 8).toBe(0);
        const headerText = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + headerLength));
        expect(headerText).toMatch(/^\{.*\} {0,7}$/s);
        const { __metadata__: metadata, ...tensors } = JSON.parse(headerText);
        for (const value of Object.values(metadata)) expect(value).toBeTypeOf("string");
        let end = 0;
        const inOrder = Object.entries<{ dtype: string; data_offsets: [number, number] }>(tensors).sort(
          ([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0] || a.data_offsets[1] - b.data_offsets[1],
        );
        for (const [name, { dtype, data_offsets }] of inOrder) {
          expect(data_offsets[0]).toBe(end);
          end = data_offsets[1];
          const itemBytes = Number(dtype.slice(1)) / 8;
          expect((8 + headerLength + data_offsets[0]) % itemBytes).toBe(0);
          expect(bytes.slice(8 + headerLength + data_offsets[0], 8 + headerLength + end)).toEqual(
            new Uint8Array(rawBytes(file.tensors[name].data)),
          );
        }
        expect(bytes.length).toBe(8 + headerLength + end);
      }),
      { numRuns: 100 },
    );
  });

  it("little-endian machine", () => {
    const tensors = { a: { data: Float64Array.of(1) }, b: { data: Uint32Array.of(0x01020304) } };
    const bytes = encodeTensors({ metadata: {}, tensors });
    expect([...bytes.subarray(-12)]).toEqual([0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 4, 3, 2, 1]);
  });

  it("is read from bytes put together by hand, keys and tensors in any order", () => {
    // The checksum covers this text and then the values in the order of names: `a`, `b`.
    const description = text('[[["kind","x"]],[["a","U8",[3]],["b","I16",[1,2]]]]');
    const checksum = zlibCrc32(Buffer.concat([description, Buffer.of(7, 8, 9), Buffer.of(1, 0, 255, 255)]));
    const header = `{ "a":{"data_offsets":[4,7],"shape":[3],"dtype":"U8"},
      "b":{"dtype":"I16","shape":[1,2],"data_offsets":[0,4]},
      "__metadata__":{"kind":"x","stargram.crc32":"${checksum.toString(16).padStart(8, "0")}"}}`;
    const { metadata, tensors } = decodeTensors(fileOf(header, [1, 0, 255, 255, 7, 8, 9]));
    expect({ ...metadata }).toEqual({ kind: "x" });
    expect(tensors.a).toEqual({ data: Uint8Array.of(7, 8, 9), shape: [3] });
    expect(tensors.b).toEqual({ data: Int16Array.of(1, -1), shape: [1, 2] });
  });

  it.each([
    ["as Node has it", crc32],
    ["as a browser has it", crc32ByTable],
  ])("uses the CRC-32 of gzip, %s", (_, checksum) => {
    expect(checksum(text("123456789"))).toBe(0xcbf43926);
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(checksum(b, checksum(a))).toBe(zlibCrc32(Buffer.concat([a, b])));
      }),
    );
  });
});

describe("bytes that are no model", () => {
  const refusal = (bytes: Uint8Array): InputError => {
    try {
      decodeTensors(bytes, "some.model");
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      expect((error as InputError).file).toBe("some.model");
      return error as InputError;
    }
    throw new Error("not refused");
  };
  const checked = '"__metadata__":{"stargram.crc32":"00000000"}';

  it.each<[string, Uint8Array, RegExp]>([
    ["nothing", new Uint8Array(0), /empty/],
    ["a gzip file", gzipSync("some text"), /not a Stargram model: this is a gzip file/],
    ["a PNG picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13), /PNG/],
    ["a JSON text", text('{"weights": [1, 2, 3]}'), /JSON/],
    ["a short JSON text", text("{}"), /JSON/],
    ["a CRFsuite model", text("lCRF\u0001\u0002\u0003\u0004FOMC"), /CRFsuite/],
    ["columns of text", text("He PRP B-NP\nreckons VBZ B-VP\n"), /begins like a text/],
    ["zlib data", deflateSync(text("some text, some more")), /not a Stargram model/],
    ["zeros", new Uint8Array(64), /not a Stargram model/],
    ["a header past the limit", fileOf("{}").fill(0xff, 0, 8), /not a Stargram model/],
    ["a header past the end", fileOf("{}      ").subarray(0, 12), /truncated/],
    ["a length alone", fileOf("{}").subarray(0, 8), /truncated/],
    [
      "another program's safetensors",
      fileOf('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', [1]),
      /without Stargram's checksum/,
    ],
    ["broken JSON", fileOf('{"a":'), /not valid JSON/],
    ["invalid UTF-8", fileOf('{"a":"x"}').fill(0xff, 13, 14), /not valid JSON/],
    ["metadata that are no text", fileOf('{"__metadata__":{"stargram.crc32":"00000000","a":1}}'), /`a` is not text/],
    ["a tensor without description", fileOf(`{${checked},"a":3}`), /`a` has no description/],
    [
      "an unknown type",
      fileOf(`{${checked},"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}`, [0, 0]),
      /type "F16"/,
    ],
    ["no type", fileOf(`{${checked},"a":{"shape":[1],"data_offsets":[0,2]}}`, [0, 0]), /type none/],
    ["a negative size", fileOf(`{${checked},"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, [0]), /sizes/],
    ["a broken size", fileOf(`{${checked},"a":{"dtype":"U8","shape":[0.5],"data_offsets":[0,1]}}`, [0]), /sizes/],
    [
      "offsets backwards",
      fileOf(`{${checked},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, [0]),
      /where its values/,
    ],
    ["one offset", fileOf(`{${checked},"a":{"dtype":"U8","shape":[1],"data_offsets":[1]}}`, [0]), /where its values/],
    [
      "a shape that does not fit",
      fileOf(`{${checked},"a":{"dtype":"U16","shape":[2],"data_offsets":[0,2]}}`, [0, 0]),
      /should take 4 bytes and takes 2/,
    ],
    [
      "a shape past all memory",
      fileOf(
        `{${checked},"a":{"dtype":"F64","shape":[9007199254740991,9007199254740991],"data_offsets":[0,8]}}`,
        new Uint8Array(8),
      ),
      /should take/,
    ],
    [
      "a range past all memory",
      fileOf(`{${checked},"a":{"dtype":"U8","shape":[9007199254740991],"data_offsets":[0,9007199254740991]}}`),
      /truncated/,
    ],
    [
      "an overlap",
      fileOf(
        `{${checked},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`,
        [0, 0, 0],
      ),
      /overlaps/,
    ],
    [
      "a hole",
      fileOf(
        `{${checked},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`,
        [0, 0, 0],
      ),
      /does not start where/,
    ],
    ["bytes at the end", fileOf(`{${checked}}`, [0]), /too many after its last tensor: 1$/],
    ["too few bytes", fileOf(`{${checked},"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}`, [0]), /truncated/],
    ["a wrong checksum", fileOf(`{${checked}}`), /checksum/],
    ["deep nesting", fileOf(`{${checked},"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`), /nested too deeply/],
    ["a flood of values", fileOf(`{${checked},"a":[${"0,".repeat(1_000_000)}0]}`), /too many values/],
  ])("%s", (_, bytes, message) => {
    expect(refusal(bytes).reason).toMatch(message);
  });

  it("are refused at any length of a true model", () => {
    for (let length = 0; length < sampleBytes.length; length++) refusal(sampleBytes.subarray(0, length));
  });

  it("never pass for another model: every flipped bit, and 1,000 seeded corruptions", () => {
    const truth = content(decodeTensors(sampleBytes));
    const check = (bytes: Uint8Array): boolean => {
      try {
        expect(content(decodeTensors(bytes))).toBe(truth);
        return false;
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return true;
      }
    };
    let refused = 0;
    for (let i = 0; i < sampleBytes.length * 8; i++) {
      const bytes = sampleBytes.slice();
      bytes[i >> 3] ^= 1 << (i & 7);
      refused += check(bytes) ? 1 : 0;
    }
    const random = mulberry(20);
    const below = (limit: number) => Math.floor(random() * limit);
    const garbage = (length: number) => Uint8Array.from({ length }, () => below(256));
    const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
    const corruptions: ((bytes: Uint8Array, at: number) => Uint8Array)[] = [
      (bytes) => {
        for (let n = 1 + below(20); n > 0; n--) bytes[below(bytes.length)] ^= 1 << below(8);
        return bytes;
      },
      (bytes, at) => bytes.subarray(0, at),
      (bytes, at) => bytes.subarray(at),
      (bytes, at) => join(bytes.subarray(0, at), garbage(1 + below(9)), bytes.subarray(at)),
      (bytes, at) => join(bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + below(9)))),
      (bytes, at) => join(bytes.subarray(0, at), garbage(bytes.length - at)),
      (bytes, at) => bytes.fill(0, at, at + 1 + below(64)),
      (bytes, at) => bytes.copyWithin(at, below(bytes.length), below(bytes.length)),
      (bytes, at) => join(bytes, bytes.subarray(at)),
      () => garbage(below(400)),
      // A plausible head before garbage, so that the garbage is reached.
      (bytes) => join(bytes.subarray(0, 9 + below(120)), garbage(below(600))),
    ];
    let corrupted = 0;
    for (let i = 0; corrupted < 1000; i++) {
      const corrupt = corruptions[i % corruptions.length];
      const bytes = corrupt(sampleBytes.slice(), below(sampleBytes.length));
      if (Buffer.compare(bytes, sampleBytes) === 0) continue;
      corrupted++;
      refused += check(bytes) ? 1 : 0;
    }
    // Hardly any change of bytes keeps the content: a zero written over a zero does not count as a corruption.
    expect(refused).toBeGreaterThan(sampleBytes.length * 8 + 990);
  });
});
