// The exact test of one answer per sequence: against enumeration, and promises at just the precision that would break them.

import { describe, expect, test } from "vitest";
import { findClusteredThreshold } from "../../src/confidence/clustered.js";
import { chanceSingly, passesSingly } from "../../src/confidence/single.js";
import { generator, uniform } from "../../src/util/random.js";

/** P(at most k of n), added up over all outcomes. */
function enumerated(k: number, n: number, q: number): number {
  let sum = 0;
  for (let bits = 0; bits < 2 ** n; bits++) {
    const ones = bits.toString(2).replaceAll("0", "").length;
    if (ones <= k) sum += q ** ones * (1 - q) ** (n - ones);
  }
  return sum;
}

describe("the test", () => {
  test("rejects exactly where so few wrong answers are improbable enough", () => {
    for (const [n, alpha] of [
      [10, 0.3],
      [12, 0.5],
      [14, 0.2],
    ] as const) {
      for (let wrong = 0; wrong <= n; wrong++) {
        expect(passesSingly(n, wrong, alpha, 0.05)).toBe(enumerated(wrong, n, alpha) <= 0.05);
      }
    }
    expect(passesSingly(0, 0, 0.1, 0.05)).toBe(false);
    expect(passesSingly(299, 0, 0.01, 0.05)).toBe(true); // 0.99^299 < 0.05 < 0.99^298
    expect(passesSingly(298, 0, 0.01, 0.05)).toBe(false);
  });

  test("its chance is that of few enough wrong answers", () => {
    // With 12 answers at α = 0.5 up to 2 wrong ones pass.
    const rate = (1 + 0.5) / (6 + 1);
    expect(chanceSingly(6, 1, 2, 0.5, 0.05)).toBeCloseTo(enumerated(2, 12, rate), 10);
    expect(chanceSingly(2, 0, 2, 0.01, 0.05)).toBe(0);
  });
});

test("with one answer of each sequence, a precision just below the promise is promised in at most 5 % of the draws", () => {
  const own = generator(3, 1);
  const random = () => uniform(own);
  const draws = 2_000;
  let made = 0;
  for (let seed = 0; seed < draws; seed++) {
    const clusters = Array.from({ length: 200 }, () => {
      const isRight = random() < 0.899;
      // Three parts that fail together, equally sure: the bound of one answer is all that makes them independent.
      return { confidence: [0.9, 0.9, 0.9], correct: [isRight, isRight, isRight] };
    });
    if (findClusteredThreshold(clusters, { precision: 0.9, seed, most: 1 })) made++;
  }
  expect(made / draws).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / draws));
  expect(made / draws).toBeGreaterThan(0.01); // the level is used
});
