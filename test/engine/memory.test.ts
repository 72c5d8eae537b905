// Memory of the WebAssembly kernel: blocks come back when they are given back, once, and to nobody who still uses them.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WorkSpace } from "../../src/engine/backend.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { type Case, caseArbitrary } from "./oracle.js";

const make = () => wasmBackend() as NonNullable<ReturnType<typeof wasmBackend>>;
const [someCase] = fc.sample(caseArbitrary({ mode: "rcms", contexts: 3 }), { seed: 5, numRuns: 1 });

const logPartition = (space: WorkSpace, c: Case): number =>
  space.makeKernel().forward(c.problem, c.space, c.weights, c.inference).logPartition;

describe("a work space", () => {
  it("gives everything back at once: a thousand of them take no more memory than two", () => {
    const backend = make();
    const { memory } = backend.program.memory;
    const use = (): void => {
      const space = backend.workSpace();
      space.arrays.float64(100_000);
      const frozen = space.freeze(someCase.space, someCase.weights);
      space.makeKernel().bestOutput(someCase.problem, frozen, someCase.inference);
      space.dispose();
    };
    use();
    use();
    const before = memory.buffer.byteLength;
    for (let i = 0; i < 1000; i++) use();
    expect(memory.buffer.byteLength).toBe(before);
  });

  it("leaves others alone that use the same model", () => {
    const backend = make();
    const [one, other] = [backend.workSpace(), backend.workSpace()];
    const expected = logPartition(one, someCase);
    const kernel = other.makeKernel();
    kernel.forward(someCase.problem, someCase.space, someCase.weights, someCase.inference);
    one.dispose();
    // Takes up the blocks that have just come back.
    const filled = backend.workSpace().arrays.float64(10_000).fill(7);
    kernel.backward();
    const again = kernel.forward(someCase.problem, someCase.space, someCase.weights, someCase.inference);
    expect(again.logPartition).toBe(expected);
    expect(filled.every((value) => value === 7)).toBe(true);
  });

  it("and its kernels refuse to work afterwards, and to be disposed of twice is nothing", () => {
    const space = make().workSpace();
    const kernel = space.makeKernel();
    kernel.dispose();
    space.dispose();
    space.dispose();
    const { problem, space: rows, weights, inference } = someCase;
    expect(() => kernel.forward(problem, rows, weights, inference)).toThrow("disposed of");
    expect(() => space.arrays.float64(8)).toThrow("disposed of");
    expect(() => space.makeKernel().forward(problem, rows, weights, inference)).toThrow("disposed of");
  });
});

describe("blocks", () => {
  it("are never given to two at a time, whatever is released or disposed of", () => {
    const backend = make();
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            what: fc.constantFrom("take" as const, "take" as const, "release" as const, "dispose" as const),
            owner: fc.nat(2),
            size: fc.integer({ min: 0, max: 300 }),
          }),
          { maxLength: 60 },
        ),
        (steps) => {
          const spaces = Array.from({ length: 3 }, () => ({
            space: backend.workSpace(),
            live: [] as { array: Float64Array; mark: number }[],
          }));
          steps.forEach(({ what, owner, size }, mark) => {
            const own = spaces[owner];
            if (what === "take") {
              const array = own.space.arrays.float64(size);
              expect(array.every((value) => value === 0)).toBe(true);
              own.live.push({ array: array.fill(mark), mark });
            } else if (what === "release") {
              const [first] = own.live.splice(0, 1);
              if (first) own.space.arrays.release(first.array);
              if (first) own.space.arrays.release(first.array);
            } else {
              own.space.dispose();
              spaces[owner] = { space: backend.workSpace(), live: [] };
            }
            for (const { live } of spaces) {
              for (const { array, mark: own } of live) expect(array.every((value) => value === own)).toBe(true);
            }
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  it("come back when what owned them is collected, and not a second time", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const backend = make();
    const { memory } = backend.program;
    const drop = (): void => {
      for (let i = 0; i < 20; i++) {
        backend.makeKernel();
        backend.arrays.release(backend.arrays.float64(50_000));
        backend.arrays.float64(50_000);
      }
    };
    drop();
    for (let turn = 0; turn < 5; turn++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const before = memory.memory.buffer.byteLength;
    const kept = Array.from({ length: 10 }, (_, i) => backend.arrays.float64(50_000).fill(i));
    drop();
    expect(memory.memory.buffer.byteLength).toBeLessThan(before + 20 * 50_000 * 8);
    kept.forEach((array, i) => {
      expect(array.every((value) => value === i)).toBe(true);
    });
  });
});
