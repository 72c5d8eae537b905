// The threshold against its definition, spelled out with plain lists and exact sums: which candidates there are, that they are
// tested from the surest down, that the first which fails ends it; and what is said where no promise can be made.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findThreshold, whyNoThreshold } from "../../src/confidence/threshold.js";
import { generator, shuffle } from "../../src/util/random.js";

interface Answer {
  confidence: number;
  correct: boolean;
}

/** P(Binomial(n, q) ≤ k), term by term. */
function cdf(k: number, n: number, q: number): number {
  let term = (1 - q) ** n;
  let sum = term;
  for (let i = 1; i <= k; i++) {
    term *= ((n - i + 1) / i) * (q / (1 - q));
    sum += term;
  }
  return Math.min(1, sum);
}

/** The fewest trials at which `wrong` wrong answers still pass. */
function trials(wrong: number, limit: number, alpha: number): number {
  let n = wrong + 1;
  while (cdf(wrong, n, limit) > alpha) n++;
  return n;
}

function split(answers: readonly Answer[], seed: number): { placing: number[]; tested: Answer[] } {
  const order = [
    ...shuffle(
      answers.map((_, i) => i),
      generator(seed, 0),
    ),
  ];
  const count = answers.length < 2 ? 0 : Math.max(1, Math.round(answers.length / 10));
  const placing = order.slice(0, count).map((i) => answers[i].confidence);
  return { placing: placing.sort((a, b) => b - a), tested: order.slice(count).map((i) => answers[i]) };
}

function candidatesOf(placing: readonly number[], tested: number, precision: number, alpha: number): number[] {
  const affordable = [0, 1, 2]
    .map((spare) => trials(spare, 1 - precision, alpha))
    .filter((n, i) => i === 0 || n <= tested / 2);
  const needed = affordable[affordable.length - 1];
  const share = Math.max(0.1, (needed + 2 * Math.sqrt(needed)) / tested);
  const own = placing.slice(Math.ceil(share * placing.length)).filter((threshold) => threshold > 0);
  return [...new Set(own), 0];
}

function expected(answers: readonly Answer[], precision: number, confidence: number, seed: number) {
  const alpha = 1 - confidence;
  const { placing, tested } = split(answers, seed);
  let found: { threshold: number; answered: number; wrong: number } | undefined;
  for (const threshold of candidatesOf(placing, tested.length, precision, alpha)) {
    const above = tested.filter((one) => one.confidence >= threshold);
    const wrong = above.filter(({ correct }) => !correct).length;
    if (cdf(wrong, above.length, 1 - precision) > alpha) break;
    found = { threshold, answered: above.length, wrong };
  }
  return found && { ...found, placing: placing.length, tested: tested.length, precision, confidence };
}

// Fewer than 1,000 examples: all placing confidences are candidates, none is passed over.
const answers = fc.array(
  fc.record({
    confidence: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.25, 0.5, 1)),
    correct: fc.double({ min: 0, max: 1, noNaN: true }).map((u) => u < 0.93),
  }),
  { minLength: 0, maxLength: 400, size: "max" },
);
const precision = fc.constantFrom(0.5, 0.8, 0.9, 0.95);
const confidence = fc.constantFrom(0.8, 0.9, 0.95);

describe("the threshold", () => {
  it("is the one that the definition gives", () => {
    let promised = 0;
    fc.assert(
      fc.property(answers, precision, confidence, fc.integer({ min: 1, max: 50 }), (list, p, c, seed) => {
        const found = findThreshold(list, { precision: p, confidence: c, seed });
        const wanted = expected(list, p, c, seed);
        if (wanted) {
          promised++;
          expect(found).toMatchObject(wanted);
          // The bound is where the test would just pass: with as many wrong, a lower precision is certain enough, a higher not.
          const { lowerBound = 0, wrong = 0, answered = 0 } = found ?? {};
          if (wrong < answered) expect(cdf(wrong, answered, 1 - lowerBound)).toBeCloseTo(1 - c, 6);
          expect(lowerBound).toBeGreaterThanOrEqual(p - 1e-9);
        } else expect(found).toBeUndefined();
      }),
      { numRuns: 200 },
    );
    expect(promised).toBeGreaterThan(20);
  });

  it("has levels between 0 and 1, or there is none", () => {
    for (const wrong of [0, 1, -0.1, 1.1, Number.NaN]) {
      expect(() => findThreshold([], { precision: wrong })).toThrow(/precision must be between 0 and 1/);
      expect(() => whyNoThreshold([], { precision: 0.9, confidence: wrong })).toThrow(
        /confidence must be between 0 and 1/,
      );
    }
  });

  it("is 95 % sure and drawn with seed 1 if nothing else is said", () => {
    const list = Array.from({ length: 300 }, (_, i) => ({ confidence: i / 300, correct: i >= 120 || i % 3 > 0 }));
    const said = findThreshold(list, { precision: 0.9, confidence: 0.95, seed: 1 });
    expect(findThreshold(list, { precision: 0.9 })).toEqual(said);
    expect(said?.confidence).toBe(0.95);
    expect(findThreshold(list, { precision: 0.9, seed: 2 })?.threshold).not.toBe(said?.threshold);
  });
});

describe("what is said without a threshold", () => {
  it("counts examples and the surest of them, and what these can promise", () => {
    fc.assert(
      fc.property(answers, precision, fc.integer({ min: 1, max: 50 }), (list, p, seed) => {
        if (findThreshold(list, { precision: p, seed })) return;
        const why = whyNoThreshold(list, { precision: p, seed });
        const { tested } = split(list, seed);
        expect(why.examples).toBe(list.length);
        const sorted = [...tested].sort((a, b) => b.confidence - a.confidence);
        const shares = Array.from({ length: 19 }, (_, i) => Math.floor(((10 + 5 * i) / 100) * tested.length));
        expect(shares).toContain(why.surest.answered);
        const ties = new Set(sorted.map((one) => one.confidence)).size < sorted.length;
        if (!ties)
          expect(why.surest.wrong).toBe(sorted.slice(0, why.surest.answered).filter((one) => !one.correct).length);
        if (why.examplesNeeded !== undefined) expect(why.examplesNeeded).toBeGreaterThan(list.length);
        if (why.endedBy)
          expect([why.examplesNeeded, why.endedBy.answered < why.surest.answered]).toEqual([undefined, true]);
        const hundredths = Array.from({ length: 50 }, (_, i) => (99 - i) / 100).filter((share) => share < p - 1e-9);
        expect(why.possible).toBe(hundredths.find((share) => expected(list, share, 0.95, seed)));
      }),
      { numRuns: 100 },
    );
  });

  it("says how many examples it would take: without errors 299 for 99 % at 95 %, with room for chance", () => {
    // All right, but far too few: n + 2√n of the test, of which nine tenths are tested, to two digits upwards.
    const list = Array.from({ length: 20 }, (_, i) => ({ confidence: i / 20, correct: true }));
    const why = whyNoThreshold(list, { precision: 0.99 });
    expect(why.surest).toEqual({ answered: 18, wrong: 0 });
    expect(why.examplesNeeded).toBe(Math.ceil((299 + 2 * Math.sqrt(299)) / 0.9 / 10) * 10);
  });

  it("follows the normal approximation where some are wrong: z = 1.6449 for 95 %", () => {
    // Every 50th is wrong, everywhere alike, so that all are the surest share to look at.
    const list = Array.from({ length: 1000 }, () => ({ confidence: 0.5, correct: true }));
    for (let i = 0; i < list.length; i += 50) list[i] = { confidence: 0.5, correct: false };
    const why = whyNoThreshold(list, { precision: 0.975 });
    const { answered, wrong } = why.surest;
    const count = (1.6448536 ** 2 * 0.025 * 0.975) / (0.025 - wrong / answered) ** 2;
    const needed = (count + 2 * Math.sqrt(count)) / (answered / 900) / 0.9;
    const unit = 10 ** (Math.floor(Math.log10(needed)) - 1);
    expect(why.examplesNeeded).toBeCloseTo(Math.ceil(needed / unit) * unit, 6);
  });

  it("knows when no number would do", () => {
    const list = Array.from({ length: 200 }, (_, i) => ({ confidence: 0.5, correct: i % 2 === 0 }));
    expect(whyNoThreshold(list, { precision: 0.9 }).examplesNeeded).toBeUndefined();
  });
});
