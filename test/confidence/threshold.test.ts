// Exact binomial bounds against published values, and the guarantee of a threshold by simulation: populations whose
// accuracy at every confidence is known, so that the true precision above a threshold can be computed.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findThreshold, whyNoThreshold } from "../../src/confidence/threshold.js";
import { binomialCdf, incompleteBeta, lowerBound, trialsNeeded, upperBound } from "../../src/util/binomial.js";
import { generator, uniform } from "../../src/util/random.js";

describe("binomial", () => {
  it("has the closed forms of the bounds without and with only events", () => {
    for (const n of [1, 10, 299, 5000]) {
      expect(upperBound(0, n, 0.05)).toBeCloseTo(1 - 0.05 ** (1 / n), 12);
      expect(lowerBound(n, n, 0.05)).toBeCloseTo(0.05 ** (1 / n), 12);
    }
    expect(upperBound(7, 7, 0.05)).toBe(1);
    expect(lowerBound(0, 7, 0.05)).toBe(0);
  });

  it("gives the 95 % intervals of Clopper and Pearson as tables print them", () => {
    // Two-sided 95 %: 2.5 % on either side.
    const table: [number, number, number, number][] = [
      [1, 10, 0.0025, 0.445],
      [5, 10, 0.1871, 0.8129],
      [3, 20, 0.0321, 0.3789],
      [10, 100, 0.049, 0.1762],
      [50, 100, 0.3983, 0.6017],
    ];
    for (const [k, n, low, high] of table) {
      expect(lowerBound(k, n, 0.025)).toBeCloseTo(low, 3);
      expect(upperBound(k, n, 0.025)).toBeCloseTo(high, 3);
    }
  });

  it("knows the sample sizes of acceptance sampling: 59 for 95/95, 299 for 99/95, 93 with one failure for 95/95", () => {
    expect(trialsNeeded(0, 0.05, 0.05)).toBe(59);
    expect(trialsNeeded(0, 0.01, 0.05)).toBe(299);
    expect(trialsNeeded(1, 0.05, 0.05)).toBe(93);
    expect(trialsNeeded(0, 0.1, 0.1)).toBe(22);
  });

  it("sums probabilities term by term", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(60),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (n, k, q) => {
          let term = (1 - q) ** n;
          let sum = term;
          for (let i = 1; i <= Math.min(k, n); i++) {
            term *= ((n - i + 1) / i) * (q / (1 - q));
            sum += term;
          }
          expect(binomialCdf(k, n, q)).toBeCloseTo(Math.min(1, sum), 9);
        },
      ),
    );
  });

  it("is symmetric: I_x(a, b) = 1 − I_{1−x}(b, a), also for large numbers", () => {
    expect(incompleteBeta(500_000, 500_000, 0.5)).toBeCloseTo(0.5, 8);
    expect(incompleteBeta(2, 3, 0.4) + incompleteBeta(3, 2, 0.6)).toBeCloseTo(1, 12);
  });
});

/** Confidences uniform on [0, 1], or rounded to steps; `accuracy` says how often an answer of a confidence is right. */
interface Population {
  name: string;
  accuracy(confidence: number): number;
  steps?: number;
}

const populations: Population[] = [
  { name: "accuracy falls with confidence", accuracy: (c) => 0.9 + 0.1 * c ** 0.5 },
  { name: "just below the limit", accuracy: () => 0.899 },
  { name: "a cliff", accuracy: (c) => (c > 0.5 ? 1 : 0.5) },
  { name: "surest answers are the worst", accuracy: (c) => (c > 0.8 ? 0.85 : 0.95) },
  { name: "waves", accuracy: (c) => 0.9 + 0.08 * Math.sin(20 * c) },
  { name: "few distinct confidences", accuracy: (c) => (c > 0.7 ? 0.93 : 0.86), steps: 10 },
];

function draw({ accuracy, steps }: Population, count: number, seed: number) {
  const random = generator(seed, 0);
  return Array.from({ length: count }, () => {
    const u = uniform(random);
    const confidence = steps ? Math.floor(u * steps) / steps : u;
    return { confidence, correct: uniform(random) < accuracy(confidence) };
  });
}

/** Threshold to the share of right answers among all at or above it, summed over a fine grid of confidences. */
function truePrecisions({ accuracy, steps }: Population): (threshold: number) => number {
  const cells = steps ?? 4000;
  const right = new Float64Array(cells + 1); // [cell] of all cells from this one up
  for (let i = cells - 1; i >= 0; i--) right[i] = right[i + 1] + accuracy(steps ? i / cells : (i + 0.5) / cells);
  return (threshold) => {
    const cell = Math.round(threshold * cells);
    return right[cell] / (cells - cell);
  };
}

describe("findThreshold", () => {
  const draws = 2000;
  // Three standard errors above 5 %.
  const most = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / draws);

  for (const population of populations) {
    it(`breaks its promise in at most 5 % of 2,000 draws: ${population.name}`, () => {
      const truePrecision = truePrecisions(population);
      let broken = 0;
      for (let seed = 1; seed <= draws; seed++) {
        const result = findThreshold(draw(population, 200, seed), { precision: 0.9, seed });
        if (result && truePrecision(result.threshold) < 0.9 - 1e-9) broken++;
      }
      expect(broken / draws).toBeLessThanOrEqual(most);
    });
  }

  it("is not idle: it answers most of what could be answered when there is much data", () => {
    // 0.95 is reached by answering the share above 0.5 and nearly nothing below.
    const population = populations.find(({ name }) => name === "a cliff") as Population;
    const result = findThreshold(draw(population, 20_000, 5), { precision: 0.95 });
    expect(result?.threshold).toBeLessThan(0.47);
    expect(result && truePrecisions(population)(result.threshold)).toBeGreaterThan(0.95);
  });

  it("keeps evidence that adds up", () => {
    const guarantee = findThreshold(draw(populations[0], 3000, 9), { precision: 0.92, confidence: 0.9 });
    if (!guarantee) throw new Error("no threshold");
    expect(guarantee.placing + guarantee.tested).toBe(3000);
    expect(guarantee.lowerBound).toBeGreaterThanOrEqual(0.92);
    expect(guarantee.lowerBound).toBeLessThanOrEqual(1 - guarantee.wrong / guarantee.answered);
    expect(guarantee.confidence).toBe(0.9);
  });

  it("says how many examples it would take when there are too few", () => {
    const perfect: Population = { name: "", accuracy: () => 1 };
    const few = draw(perfect, 200, 1);
    expect(findThreshold(few, { precision: 0.99 })).toBeUndefined();
    const { examplesNeeded = 0, possible = 0 } = whyNoThreshold(few, { precision: 0.99 });
    // No fewer than the 299 without an error that acceptance sampling asks for, and not many times as many.
    expect(examplesNeeded).toBeGreaterThan(299);
    expect(examplesNeeded).toBeLessThan(700);
    expect(findThreshold(draw(perfect, examplesNeeded, 2), { precision: 0.99 })).toBeDefined();
    expect(possible).toBeGreaterThanOrEqual(0.95);
    expect(findThreshold(few, { precision: possible })).toBeDefined();
  });

  it("says what can be promised when the model is too weak, and that no number of examples would help", () => {
    const weak = draw({ name: "", accuracy: () => 0.8 }, 5000, 1);
    expect(findThreshold(weak, { precision: 0.99 })).toBeUndefined();
    const { examplesNeeded, possible } = whyNoThreshold(weak, { precision: 0.99 });
    expect(examplesNeeded).toBeUndefined();
    expect(possible).toBeGreaterThanOrEqual(0.7);
    expect(possible).toBeLessThan(0.8);
  });

  it("never asks for fewer examples than there are: where the surest would do, it says which surer ones stood in the way", () => {
    // The surest tenth is wrong one time in ten, all others never.
    const proud = Array.from({ length: 2000 }, (_, i) => ({
      confidence: 1 - i / 2000,
      correct: i > 200 || i % 10 > 0,
    }));
    expect(findThreshold(proud, { precision: 0.98 })).toBeUndefined();
    const { examplesNeeded, endedBy, surest } = whyNoThreshold(proud, { precision: 0.98 });
    expect(examplesNeeded).toBeUndefined();
    expect(endedBy?.answered).toBeLessThan(surest.answered);
    expect((endedBy?.wrong ?? 0) / (endedBy?.answered ?? 1)).toBeGreaterThan(0.02);
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 400 }),
        fc.double({ min: 0.5, max: 1, noNaN: true }),
        fc.nat(),
        (count, accuracy, seed) => {
          const some = draw({ name: "", accuracy: () => accuracy }, count, seed);
          if (findThreshold(some, { precision: 0.9 })) return;
          const { examplesNeeded = Number.POSITIVE_INFINITY } = whyNoThreshold(some, { precision: 0.9 });
          expect(examplesNeeded).toBeGreaterThan(count);
        },
      ),
    );
  });

  it("takes no examples, one, and all of one confidence", () => {
    expect(findThreshold([], { precision: 0.9 })).toBeUndefined();
    expect(findThreshold([{ confidence: 0.3, correct: true }], { precision: 0.9 })).toBeUndefined();
    const alike = Array.from({ length: 500 }, () => ({ confidence: 1, correct: true }));
    const result = findThreshold(alike, { precision: 0.9 });
    expect(result?.answered).toBe(450);
  });
});
