// Search by halving, against looking at everything.

import fc from "fast-check";
import { expect, test } from "vitest";
import { bisect, firstWhere, indexOfSorted } from "../../src/util/search.js";

test("the first number for which something holds", () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), fc.nat(300), (from, length, first) => {
      const to = from + length;
      const all = Array.from({ length }, (_, i) => from + i);
      expect(firstWhere(from, to, (i) => i >= first)).toBe(all.find((i) => i >= first) ?? to);
    }),
  );
});

test("where a value stands in part of a sorted array", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(60)), fc.nat(60), fc.nat(60), fc.nat(60), (some, wanted, a, b) => {
      const values = Int32Array.from(some).sort();
      const [from, to] = [Math.min(a, b, values.length), Math.min(Math.max(a, b), values.length)];
      const found = values.subarray(from, to).indexOf(wanted);
      expect(indexOfSorted(values, from, to, wanted)).toBe(found < 0 ? -1 : from + found);
    }),
  );
});

test("halving between two numbers comes as near as it says, from above", () => {
  fc.assert(
    fc.property(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: 1, max: 40 }), (edge, steps) => {
      const found = bisect(-2, 2, steps, (x) => x >= edge);
      expect(found).toBeGreaterThanOrEqual(edge);
      expect(found - edge).toBeLessThanOrEqual(4 / 2 ** steps);
    }),
  );
});
