// Paired tests of two models: facts of the exact McNemar test, and how often the tests err when the models are alike.

import { describe, expect, it } from "vitest";
import { mcNemar, recallDifference } from "../../src/metrics/compare.js";
import { plotsOf } from "../../src/metrics/plots.js";
import { recallAtPrecision } from "../../src/metrics/precision-recall.js";
import { generator, uniform } from "../../src/util/random.js";

const answers = (right: string) => [...right].map((c, i) => ({ confidence: 1 - i / 100, correct: c === "1" }));

function draw(count: number, seed: number, accuracy: (confidence: number) => number) {
  const random = generator(seed, 0);
  return Array.from({ length: count }, () => {
    const confidence = uniform(random);
    return { confidence, correct: uniform(random) < accuracy(confidence) };
  });
}

describe("mcNemar", () => {
  it("is the sign test on the examples that differ", () => {
    // 1 against 5: 2 · (1 + 6) / 2⁶.
    expect(mcNemar(answers("1000000011"), answers("0111110011"))).toEqual({
      onlyFirst: 1,
      onlySecond: 5,
      pValue: expect.closeTo(14 / 64, 12),
    });
    expect(mcNemar(answers("10"), answers("10")).pValue).toBe(1);
  });

  it("refuses answers that are not paired", () => {
    expect(() => mcNemar(answers("1"), answers("10"))).toThrow(RangeError);
  });
});

describe("recallDifference", () => {
  it("is the difference of the recalls on the examples themselves", () => {
    const [a, b] = [draw(400, 1, (c) => c), draw(400, 2, (c) => c ** 0.2)];
    const found = recallDifference(a, b, { precision: 0.9, draws: 200 });
    expect(found.difference).toBeCloseTo(recallAtPrecision(b, 0.9) - recallAtPrecision(a, 0.9), 12);
    expect(found.low).toBeLessThanOrEqual(found.difference);
    expect(found.high).toBeGreaterThanOrEqual(found.difference);
    expect(found.pValue).toBeLessThan(0.05);
    expect(recallDifference(b, a, { precision: 0.9, draws: 200 }).difference).toBeCloseTo(-found.difference, 12);
  });

  it("seldom sees a difference between models that are alike", () => {
    let seen = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const a = draw(200, 2 * seed, (c) => 0.6 + 0.4 * c);
      const b = draw(200, 2 * seed + 1, (c) => 0.6 + 0.4 * c);
      if (recallDifference(a, b, { precision: 0.9, draws: 200, seed }).pValue < 0.05) seen++;
    }
    expect(seen).toBeLessThanOrEqual(15);
  });

  it("is certain of nothing when a model is compared with itself", () => {
    const a = draw(100, 1, (c) => c);
    expect(recallDifference(a, a, { precision: 0.9, draws: 100 })).toMatchObject({
      difference: 0,
      low: 0,
      high: 0,
      pValue: 1,
    });
  });
});

describe("plotsOf", () => {
  it("draws four pictures that name every model", () => {
    const plots = plotsOf(
      [
        { name: "one & only", answers: draw(100, 1, (c) => c) },
        { name: "other", answers: draw(100, 2, (c) => c) },
      ],
      "Words",
    );
    expect(Object.keys(plots)).toEqual(["precision-recall", "risk-coverage", "reliability", "histogram"]);
    for (const svg of Object.values(plots)) {
      expect(svg).toMatch(/^<svg [\s\S]*one &amp; only[\s\S]*other[\s\S]*<\/svg>\n$/);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  it("draws a single answer", () => {
    for (const svg of Object.values(plotsOf([{ name: "m", answers: answers("1") }], "One"))) {
      expect(svg).not.toMatch(/NaN|Infinity/);
    }
  });
});
