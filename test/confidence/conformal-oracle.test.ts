// Quantiles of conformal prediction against their definitions, looked up over all candidates.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  conformalScore,
  conformalSet,
  coverageQuantile,
  partCoverageQuantile,
} from "../../src/confidence/conformal.js";

// Few values, so that many are equal, and binary fractions, so that sums are exact.
const score = fc.integer({ min: 0, max: 8 }).map((n) => n / 8);
const coverage = fc.constantFrom(0.25, 0.5, 0.75, 0.875);

describe("the quantile of whole outputs", () => {
  test("is the least score that ⌈(n + 1) · coverage⌉ of n reach", () => {
    fc.assert(
      fc.property(fc.array(score, { maxLength: 12 }), coverage, (scores, wanted) => {
        const rank = Math.ceil((scores.length + 1) * wanted);
        const reaching = scores.filter((q) => scores.filter((s) => s <= q).length >= rank);
        expect(coverageQuantile(scores, wanted)).toBe(Math.min(Number.POSITIVE_INFINITY, ...reaching));
      }),
    );
  });
});

describe("the quantile of parts", () => {
  test("is the least score at which (Σ uncovered shares + 1) / (n + 1) is at most 1 − coverage", () => {
    fc.assert(
      fc.property(fc.array(fc.array(score, { maxLength: 4 }), { maxLength: 10 }), coverage, (all, wanted) => {
        const sequences = all.filter(({ length }) => length > 0);
        const lossAt = (q: number): number =>
          sequences.reduce((sum, parts) => sum + parts.filter((s) => s > q).length / parts.length, 0);
        const isFine = (q: number): boolean =>
          lossAt(q) + 1 <= (1 - wanted) * (sequences.length + 1) + 1e-9 && sequences.length > 0;
        const least = Math.min(Number.POSITIVE_INFINITY, ...sequences.flat().filter(isFine));
        expect(partCoverageQuantile(all, wanted)).toBe(least);
      }),
      { numRuns: 1000 },
    );
  });

  test("is met exactly where nothing may be uncovered", () => {
    // n + 1 = 4 and coverage 0.75: the one loss that is allowed for is that of the new sequence.
    expect(partCoverageQuantile([[0.5], [0.25, 0.75], [0.125]], 0.75)).toBe(0.75);
    expect(partCoverageQuantile([[0.5], [0.25]], 0.75)).toBe(Number.POSITIVE_INFINITY);
    expect(partCoverageQuantile([], 0.25)).toBe(Number.POSITIVE_INFINITY);
  });
});

test("a set ends before the output with which the sum exceeds q, and holds the truth if its score is at most q", () => {
  const outputs = [0.5, 0.25, 0.125].map((probability) => ({ probability }));
  expect(conformalSet(outputs, 0.75)).toHaveLength(2);
  expect(conformalSet(outputs, 0.749)).toHaveLength(1);
  expect(conformalScore([0.5, 0.25, 0.125], 1)).toBe(0.75);
  expect(conformalScore([0.5], -1)).toBe(Number.POSITIVE_INFINITY);
});

test.each([0, 1, -0.5, 1.5, Number.NaN])("a coverage of %s is refused", (wanted) => {
  expect(() => coverageQuantile([0.5], wanted)).toThrow(`between 0 and 1, not ${wanted}`);
  expect(() => partCoverageQuantile([[0.5]], wanted)).toThrow(RangeError);
});
