// Tokens and spans of two models: against all exchanges of a small case, and how seldom models that are alike seem to differ
// although all tokens of a sequence fail together.

import { describe, expect, it } from "vitest";
import { mcNemar } from "../../src/metrics/compare.js";
import { type AnsweredParts, answeredDifference, f1Difference, ratesOf } from "../../src/metrics/compare-parts.js";
import { generator, uniform } from "../../src/util/random.js";

/** Sequences as text: `110` has two right parts of three, as sure as they come. */
function parts(sequences: readonly string[], truths?: readonly number[]): AnsweredParts {
  const clusters = sequences.map((own) => ({
    confidence: Array.from(own, (_, i) => 0.9 - i / 100),
    correct: Array.from(own, (c) => c === "1"),
  }));
  return { clusters, truths: truths ?? sequences.map(({ length }) => length) };
}

const alike = (random: () => number) => {
  // All tokens of a sequence share their fate, for either model on its own.
  const lengths = Array.from({ length: 60 }, () => 1 + Math.floor(20 * random() ** 3));
  const model = () => parts(lengths.map((length) => (random() < 0.8 ? "1" : "0").repeat(length)));
  return [model(), model()] as const;
};

describe("f1Difference", () => {
  it("has the p of all exchanges of sequences", () => {
    const [a, b] = [parts(["110", "1000", "10", "0", "111"]), parts(["111", "1110", "11", "1", "110"])];
    const right = (own: AnsweredParts) => own.clusters.map(({ correct }) => Array.from(correct).filter(Boolean).length);
    const gaps = right(b).map((count, s) => count - right(a)[s]);
    const observed = Math.abs(gaps.reduce((sum, gap) => sum + gap, 0));
    let atLeast = 0;
    for (let bits = 0; bits < 32; bits++) {
      const sum = gaps.reduce((all, gap, s) => all + ((bits >> s) & 1 ? gap : -gap), 0);
      if (Math.abs(sum) >= observed) atLeast++;
    }
    const found = f1Difference(a, b, { draws: 20_000 });
    expect(found.difference).toBeCloseTo((11 - 7) / 13, 12);
    expect(found.pValue).toBeCloseTo(atLeast / 32, 1);
    expect(f1Difference(b, a, { draws: 20_000 }).difference).toBeCloseTo(-found.difference, 12);
  });

  it("of spans counts those that are there and not found", () => {
    const own = parts(["11", "0", ""], [2, 1, 3]); // 2 right of 3 found and 6 true
    expect(ratesOf(own)).toEqual({ precision: 2 / 3, recall: 1 / 3, f1: 4 / 9 });
    const other = parts(["1", "1", "1"], [2, 1, 3]);
    expect(f1Difference(own, other, { draws: 100 }).difference).toBeCloseTo(6 / 9 - 4 / 9, 12);
  });

  it("seldom sees a difference between models that are alike; a test of single tokens does", () => {
    const own = generator(6, 1);
    const random = () => uniform(own);
    const draws = 300;
    let seen = 0;
    let outside = 0;
    let naive = 0;
    for (let d = 0; d < draws; d++) {
      const [a, b] = alike(random);
      const { pValue, low, high } = f1Difference(a, b, { draws: 200, seed: d });
      if (pValue <= 0.05) seen++;
      if (low > 0 || high < 0) outside++;
      const tokens = ({ clusters }: AnsweredParts) =>
        clusters.flatMap(({ correct }) => Array.from(correct, (right) => ({ confidence: 1, correct: Boolean(right) })));
      if (mcNemar(tokens(a), tokens(b)).pValue <= 0.05) naive++;
    }
    const error = 3 * Math.sqrt((0.05 * 0.95) / draws);
    expect(seen / draws).toBeLessThanOrEqual(0.05 + error);
    expect(outside / draws).toBeLessThanOrEqual(0.1 + error); // a bootstrap of 60 sequences is a little too narrow
    expect(naive / draws).toBeGreaterThan(0.3);
  });
});

describe("answeredDifference", () => {
  it("is a share of what there is in truth", () => {
    // The first is right in its three surest spans, the second in its first alone.
    const [a, b] = [parts(["11", "10"], [4, 2]), parts(["10", "00"], [4, 2])];
    const { shares, difference } = answeredDifference(a, b, { precision: 1, draws: 50 });
    expect(shares[0]).toBeCloseTo(2 / 6, 12); // two at 0.9 are right, of those at 0.89 one is wrong
    expect(shares[1]).toBe(0);
    expect(difference).toBeCloseTo(-2 / 6, 12);
  });
});
