// Thresholds of conformal sets against their definitions, looked up over all candidates; and whether sets cover as promised,
// by simulation.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  coverageThreshold,
  coveredSet,
  isCovered,
  outcomesOf,
  partCoverageThreshold,
} from "../../src/confidence/conformal.js";
import { generator, uniform } from "../../src/util/random.js";

// Few values, so that many are equal, and binary fractions, so that sums are exact.
const truth = fc.integer({ min: 0, max: 8 }).map((n) => n / 8);
const coverage = fc.constantFrom(0.25, 0.5, 0.75, 0.875);

describe("the threshold of whole outputs", () => {
  test("is the greatest probability below which lie fewer than ⌊(n + 1)(1 − coverage)⌋ truths", () => {
    fc.assert(
      fc.property(fc.array(truth, { maxLength: 12 }), coverage, (truths, wanted) => {
        const rank = Math.floor((truths.length + 1) * (1 - wanted));
        const fine = truths.filter((t) => truths.filter((other) => other < t).length < rank);
        expect(coverageThreshold(truths, wanted)).toBe(Math.max(0, ...fine));
      }),
    );
  });
});

describe("the threshold of parts", () => {
  test("is the greatest at which (Σ uncovered shares + 1) / (n + 1) is at most 1 − coverage", () => {
    fc.assert(
      fc.property(fc.array(fc.array(truth, { maxLength: 4 }), { maxLength: 10 }), coverage, (all, wanted) => {
        const sequences = all.filter(({ length }) => length > 0);
        const lossAt = (t: number): number =>
          sequences.reduce((sum, parts) => sum + parts.filter((own) => own < t).length / parts.length, 0);
        const isFine = (t: number): boolean => lossAt(t) + 1 <= (1 - wanted) * (sequences.length + 1) + 1e-9;
        expect(partCoverageThreshold(all, wanted)).toBe(Math.max(0, ...sequences.flat().filter(isFine)));
      }),
      { numRuns: 1000 },
    );
  });

  test("is met exactly where nothing may be uncovered", () => {
    // n + 1 = 4 and coverage 0.75: the one loss that is allowed for is that of the new sequence.
    expect(partCoverageThreshold([[0.5], [0.25, 0.75], [0.875]], 0.75)).toBe(0.25);
    expect(partCoverageThreshold([[0.5], [0.25]], 0.75)).toBe(0);
    expect(partCoverageThreshold([], 0.25)).toBe(0);
  });
});

test("a set holds the outcomes that are probable enough, the best one always, and any other if what is left is", () => {
  const outputs = [0.5, 0.25, 0.125].map((probability) => ({ probability }));
  expect(coveredSet(outputs, 0.25)).toEqual({ set: outputs.slice(0, 2), other: false });
  expect(coveredSet(outputs, 0.125)).toEqual({ set: outputs, other: true });
  expect(coveredSet(outputs, 0.75)).toEqual({ set: outputs.slice(0, 1), other: false });
  expect(coveredSet(outputs, 0)).toEqual({ set: outputs, other: true });
  expect(outcomesOf([0.5, 0.25], 1).truth).toBe(0.25);
  expect(outcomesOf([0.5, 0.25], -1).truth).toBe(0.25);
});

test.each([0, 1, -0.5, 1.5, Number.NaN])("a coverage of %s is refused", (wanted) => {
  expect(() => coverageThreshold([0.5], wanted)).toThrow(`between 0 and 1, not ${wanted}`);
  expect(() => partCoverageThreshold([[0.5]], wanted)).toThrow(RangeError);
});

describe("sets of a model that is much too sure cover as promised", () => {
  const draws = 2_000;
  /** Three standard errors of a share. */
  const slack = (share: number, count: number) => 3 * Math.sqrt((share * (1 - share)) / count);

  test.each([0.8, 0.95])("whole outputs, %s", (wanted) => {
    const own = generator(1, 5);
    const random = () => uniform(own);
    // Of four outputs the first is right in half of the cases, and the model gives it 0.9; the rest is any other output.
    const draw = () => {
      const first = 0.9 + 0.09 * random();
      const probabilities = [first, 0.6 * (1 - first), 0.3 * (1 - first)];
      const at = random();
      const right = at < 0.5 ? 0 : at < 0.8 ? 1 : at < 0.93 ? 2 : -1;
      return outcomesOf(probabilities, right);
    };
    let covered = 0;
    for (let d = 0; d < draws; d++) {
      const threshold = coverageThreshold(
        Array.from({ length: 60 }, () => draw().truth),
        wanted,
      );
      if (isCovered(draw().truth, threshold)) covered++;
    }
    expect(covered / draws).toBeGreaterThan(wanted - slack(wanted, draws));
    expect(covered / draws).toBeLessThan(wanted + 0.05);
  });

  test.each([0.8, 0.95])("tokens that are wrong together, in sequences of very different lengths, %s", (wanted) => {
    const own = generator(2, 5);
    const random = () => uniform(own);
    const sequence = () => {
      const length = Math.min(400, Math.ceil(random() ** -1.2)); // heavy tail
      const isHard = random() < 0.15;
      return Array.from({ length }, () => (random() < (isHard ? 0.7 : 0.02) ? 0.05 * random() : 1 - 0.1 * random()));
    };
    let share = 0;
    for (let d = 0; d < draws; d++) {
      const threshold = partCoverageThreshold(Array.from({ length: 60 }, sequence), wanted);
      const fresh = sequence();
      share += fresh.filter((truthHere) => isCovered(truthHere, threshold)).length / fresh.length;
    }
    expect(share / draws).toBeGreaterThan(wanted - slack(wanted, draws));
  });
});
