// The order of a pass: every example once, in blocks where there are many.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blocksOf, heldRuns, passOrder, RUN_MULTIPLE } from "../../src/learn/order.js";
import { sizesFor } from "../../src/learn/scratch.js";
import { generator, shuffle } from "../../src/util/random.js";

const sizes = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 120 });

describe("the order of a pass", () => {
  it("has every example once, and those of blocks that are shuffled together stand together", () =>
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 4 }),
        fc.func(fc.boolean()),
        (given, block, together, isHeldOut) => {
          const blocks = blocksOf(given.length, (example) => given[example], { whole: -1, block, together });
          const start = Array.from(blocks?.start ?? []);
          expect([start[0], start.at(-1)]).toEqual([0, given.length]);
          const examples = Int32Array.from(given.keys()).filter((example) => !isHeldOut(example));
          const order = passOrder(examples, blocks, generator(1, 1));
          expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from(examples));
          // The order meets each block in one run of blocks, no longer than `together` with others between.
          const blockOf = (example: number): number => start.findLastIndex((first) => first <= example);
          const met = Array.from(order, blockOf);
          new Set(met).forEach((one) => {
            const between = new Set(met.slice(met.indexOf(one), met.lastIndexOf(one) + 1));
            expect(between.size).toBeLessThanOrEqual(together);
          });
        },
      ),
    ));

  it("shuffles little data as a whole", () => {
    const examples = Int32Array.from({ length: 50 }, (_, i) => i);
    const order = { whole: 50, block: 5, together: 2 };
    expect(blocksOf(50, () => 1, order)).toBeUndefined();
    expect(blocksOf(51, () => 1, order)?.start.length).toBe(12);
    expect(passOrder(examples, undefined, generator(3, 2))).toEqual(shuffle(examples.slice(), generator(3, 2)));
  });

  it("goes through examples on disk in runs that end between batches", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200 }),
        fc.nat(50),
        fc.integer({ min: 1, max: 60 }),
        (count, from, room) => {
          const examples = new Int32Array(count);
          const hold = (order: Int32Array, at: number, least: number): number =>
            Math.min(order.length - at, Math.max(least, room));
          const runs = [...heldRuns({ hold } as never, examples, Math.min(from, count))];
          let end = Math.min(from, count);
          for (const run of runs) {
            expect(run.from).toBe(end);
            expect(run.to).toBeGreaterThan(run.from);
            if (run.to < count) expect(run.to % RUN_MULTIPLE).toBe(0);
            end = run.to;
          }
          expect(end).toBe(count);
        },
      ),
    ));
});

describe("what fits into memory", () => {
  it("grows with it, within what the kernel can address", () => {
    const [small, large, huge] = [1e9, 8e9, 1e12].map((memory) => sizesFor({ memory }));
    for (const name of ["examples", "names", "weights"] as const) {
      expect(small[name]).toBeLessThan(large[name]);
      expect(large[name]).toBeLessThanOrEqual(huge[name]);
    }
    // Numbers of examples, and for each weight itself, two sums, the gradient and its symbol: less than 4 GiB.
    expect(4 * (huge.examples + huge.window) + 36 * huge.weights).toBeLessThan(2 ** 32);
  });
});
