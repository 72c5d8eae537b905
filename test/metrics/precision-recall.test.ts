// Precision, recall, risk and coverage: examples worked by hand, and brute force over all thresholds.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/metrics/answers.js";
import { aurc, precisionRecallCurve, recallAtPrecision, riskCoverage } from "../../src/metrics/precision-recall.js";

const answer = (confidence: number, correct: boolean): Answer => ({ confidence, correct });

/** Few distinct confidences, so that ties are common. */
const answersWithTies = fc.array(
  fc.record({ confidence: fc.integer({ min: 0, max: 5 }).map((n) => n / 5), correct: fc.boolean() }),
  { minLength: 1, maxLength: 20 },
);

/** Every threshold that can matter, tried one by one. */
function bruteForceRecall(answers: readonly Answer[], precision: number): number {
  let best = 0;
  for (const threshold of [...answers.map(({ confidence }) => confidence), Infinity]) {
    const given = answers.filter(({ confidence }) => confidence >= threshold);
    const right = given.filter(({ correct }) => correct);
    if (given.length && right.length / given.length >= precision) best = Math.max(best, given.length / answers.length);
  }
  return best;
}

describe("recallAtPrecision", () => {
  // Ranked: right, right, wrong, right, right; accuracies 1, 1, 2/3, 3/4, 4/5.
  const ranked = [0.9, 0.8, 0.7, 0.6, 0.5].map((confidence, i) => answer(confidence, i !== 2));

  it.each([
    [1, 2 / 5],
    [0.81, 2 / 5],
    [0.8, 1],
    [0.5, 1],
    [0, 1],
  ])("at precision %d of five answers with the third one wrong: %d", (precision, recall) => {
    expect(recallAtPrecision(ranked, precision)).toBe(recall);
  });

  it("goes past a dip: the largest share counts, not the first shortfall", () => {
    const answers = [answer(0.9, false), answer(0.8, true), answer(0.7, true), answer(0.6, true)];
    expect(recallAtPrecision(answers, 0.75)).toBe(1);
    expect(recallAtPrecision(answers, 0.76)).toBe(0);
  });

  it("does not split a tie, whatever the order of the answers", () => {
    const tie = [answer(0.5, true), answer(0.5, false)];
    expect(recallAtPrecision(tie, 0.9)).toBe(0);
    expect(recallAtPrecision([...tie].reverse(), 0.9)).toBe(0);
    expect(recallAtPrecision(tie, 0.5)).toBe(1);
  });

  it("meets the precision exactly at 99 right of 100", () => {
    const answers = Array.from({ length: 100 }, (_, i) => answer(0.5, i > 0));
    expect(recallAtPrecision(answers, 0.99)).toBe(1);
  });

  it("equals brute force over all thresholds, and falls as the precision rises", () => {
    fc.assert(
      fc.property(answersWithTies, (answers) => {
        let previous = 1;
        for (const precision of [0, 0.1, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 0.9, 1]) {
          const recall = recallAtPrecision(answers, precision);
          expect(recall).toBe(bruteForceRecall(answers, precision));
          expect(recall).toBeLessThanOrEqual(previous);
          previous = recall;
        }
      }),
    );
  });

  it("takes parallel arrays as well", () => {
    fc.assert(
      fc.property(answersWithTies, (answers) => {
        const columns = {
          confidence: Float64Array.from(answers, ({ confidence }) => confidence),
          correct: Uint8Array.from(answers, ({ correct }) => Number(correct)),
        };
        expect(recallAtPrecision(columns, 0.75)).toBe(recallAtPrecision(answers, 0.75));
      }),
    );
  });

  it("answers nothing when there is nothing, and refuses nonsense", () => {
    expect(recallAtPrecision([], 0.9)).toBe(0);
    expect(() => recallAtPrecision([], 99)).toThrow(/between 0 and 1/);
    expect(() => recallAtPrecision([answer(Number.NaN, true)], 0.9)).toThrow(/not a number/);
  });
});

describe("the curves", () => {
  it("list one point for each confidence, from sure to unsure", () => {
    const answers = [answer(0.5, true), answer(0.9, true), answer(0.5, false), answer(0.7, false)];
    expect(precisionRecallCurve(answers)).toEqual([
      { threshold: 0.9, recall: 0.25, precision: 1 },
      { threshold: 0.7, recall: 0.5, precision: 0.5 },
      { threshold: 0.5, recall: 1, precision: 0.5 },
    ]);
    expect(riskCoverage(answers)).toEqual([
      { threshold: 0.9, coverage: 0.25, risk: 0 },
      { threshold: 0.7, coverage: 0.5, risk: 0.5 },
      { threshold: 0.5, coverage: 1, risk: 0.5 },
    ]);
  });

  it("agree with answering everything at least as confident as the threshold", () => {
    fc.assert(
      fc.property(answersWithTies, (answers) => {
        for (const { threshold, recall, precision } of precisionRecallCurve(answers)) {
          const given = answers.filter(({ confidence }) => confidence >= threshold);
          expect(recall).toBe(given.length / answers.length);
          expect(precision).toBe(given.filter(({ correct }) => correct).length / given.length);
        }
      }),
    );
  });
});

describe("aurc", () => {
  it("is the mean risk over all prefixes", () => {
    // Risks of the prefixes: 0, 1/2, 1/3.
    const answers = [answer(0.9, true), answer(0.5, false), answer(0.1, true)];
    expect(aurc(answers)).toBeCloseTo((0 + 1 / 2 + 1 / 3) / 3, 12);
    expect(aurc([answer(0.9, true), answer(0.1, true)])).toBe(0);
    expect(aurc([])).toBeNaN();
  });

  it("is the mean over the orders of tied answers", () => {
    const small = fc.array(fc.record({ confidence: fc.constantFrom(0.2, 0.8), correct: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(small, (answers) => {
        // Each order of the answers, sorted without moving ties, is one order of the ties.
        const areas = permutations(answers).map((order) => {
          const sorted = [...order].sort((a, b) => b.confidence - a.confidence);
          let errors = 0;
          let sum = 0;
          sorted.forEach(({ correct }, i) => {
            if (!correct) errors++;
            sum += errors / (i + 1);
          });
          return sum / sorted.length;
        });
        const mean = areas.reduce((sum, area) => sum + area, 0) / areas.length;
        expect(aurc(answers)).toBeCloseTo(mean, 10);
      }),
      { numRuns: 40 },
    );
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) =>
    permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}
