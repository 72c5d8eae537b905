// Calibration: examples worked by hand, the definitions, and confidences that are right by construction.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/metrics/answers.js";
import {
  brier,
  chanceCalibrationError,
  expectedCalibrationError,
  reliabilityBins,
} from "../../src/metrics/calibration.js";

const anyAnswers = fc.array(
  fc.record({ confidence: fc.integer({ min: 0, max: 20 }).map((n) => n / 20), correct: fc.boolean() }),
  { minLength: 1, maxLength: 60 },
);

/** `right` of `count` answers correct, all at the same confidence. */
function group(confidence: number, right: number, count: number): Answer[] {
  return Array.from({ length: count }, (_, i) => ({ confidence, correct: i < right }));
}

describe("expectedCalibrationError", () => {
  it("is 0 where each confidence is the share of correct answers", () => {
    expect(expectedCalibrationError([...group(0.25, 1, 4), ...group(0.5, 2, 4), ...group(1, 4, 4)], 3)).toBe(0);
  });

  it("weighs the gap of each bin by its size", () => {
    // |0.5 − 0.8| for 6 of 10 answers, |1 − 0.9| for 4.
    const answers = [...group(0.8, 3, 6), ...group(0.9, 4, 4)];
    expect(expectedCalibrationError(answers, 10)).toBeCloseTo(0.6 * 0.3 + 0.4 * 0.1, 12);
  });

  it("is the gap between mean confidence and accuracy in a single bin", () => {
    fc.assert(
      fc.property(anyAnswers, (answers) => {
        const gap = answers.reduce((sum, { confidence, correct }) => sum + confidence - Number(correct), 0);
        expect(expectedCalibrationError(answers, 1)).toBeCloseTo(Math.abs(gap) / answers.length, 10);
      }),
    );
  });

  it("is NaN without answers, and refuses nonsense", () => {
    expect(expectedCalibrationError([])).toBeNaN();
    expect(() => expectedCalibrationError([], 0)).toThrow(/bins/);
  });
});

describe("chanceCalibrationError", () => {
  it("is the mean over all outcomes, weighted by their probabilities", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.integer({ min: 0, max: 10 }).map((n) => n / 10),
          { minLength: 1, maxLength: 8 },
        ),
        fc.integer({ min: 1, max: 4 }),
        (confidences, bins) => {
          let mean = 0;
          for (let outcome = 0; outcome < 2 ** confidences.length; outcome++) {
            const answers = confidences.map((confidence, i) => ({ confidence, correct: ((outcome >> i) & 1) === 1 }));
            const chance = answers.reduce(
              (p, { confidence, correct }) => p * (correct ? confidence : 1 - confidence),
              1,
            );
            mean += chance * expectedCalibrationError(answers, bins);
          }
          const answers = confidences.map((confidence) => ({ confidence, correct: false }));
          expect(chanceCalibrationError(answers, bins)).toBeCloseTo(mean, 10);
        },
      ),
    );
  });

  it("is nearly the same for large bins by the normal distribution, and falls with the root of their size", () => {
    const answers = (count: number): Answer[] =>
      Array.from({ length: count }, (_, i) => ({ confidence: (i + 0.5) / count, correct: false }));
    const exact = chanceCalibrationError(answers(300), 1);
    expect(chanceCalibrationError(answers(4 * 300), 1)).toBeCloseTo(exact / 2, 4);
    expect(chanceCalibrationError([])).toBeNaN();
  });
});

describe("reliabilityBins", () => {
  it("are of equal size where no confidence repeats", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 20 }), (count, bins) => {
        const answers = Array.from({ length: count }, (_, i) => ({ confidence: i / count, correct: i % 2 === 0 }));
        const sizes = reliabilityBins(answers, bins).map((bin) => bin.count);
        expect(sizes).toHaveLength(Math.min(bins, count));
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("hold every answer once, keep ties together, and tell the truth about what they hold", () => {
    fc.assert(
      fc.property(anyAnswers, fc.integer({ min: 1, max: 20 }), (answers, bins) => {
        const result = reliabilityBins(answers, bins);
        expect(result.length).toBeLessThanOrEqual(bins);
        let previous = -Infinity;
        for (const { count, confidence, accuracy, lowest, highest } of result) {
          expect(lowest).toBeGreaterThan(previous);
          previous = highest;
          const inside = answers.filter((answer) => answer.confidence >= lowest && answer.confidence <= highest);
          expect(inside).toHaveLength(count);
          expect(inside.filter(({ correct }) => correct).length / count).toBeCloseTo(accuracy, 12);
          expect(inside.reduce((sum, answer) => sum + answer.confidence, 0) / count).toBeCloseTo(confidence, 12);
        }
        expect(result.reduce((sum, { count }) => sum + count, 0)).toBe(answers.length);
      }),
    );
  });

  it("stay full-sized after a large tie", () => {
    // 50 ties reach over five of ten bins; the other 50 answers fill the five that remain.
    const answers = [...group(0.1, 5, 50), ...Array.from({ length: 50 }, (_, i) => group(0.2 + i / 100, 1, 1)).flat()];
    expect(reliabilityBins(answers, 10).map(({ count }) => count)).toEqual([50, 10, 10, 10, 10, 10]);
  });
});

describe("brier", () => {
  it("is the mean squared distance to the outcome", () => {
    expect(brier([...group(1, 1, 1), ...group(0, 0, 1)])).toBe(0);
    expect(brier(group(0.5, 1, 2))).toBe(0.25);
    expect(brier([])).toBeNaN();
    fc.assert(
      fc.property(anyAnswers, (answers) => {
        const sum = answers.reduce((total, { confidence, correct }) => total + (confidence - Number(correct)) ** 2, 0);
        expect(brier(answers)).toBeCloseTo(sum / answers.length, 10);
      }),
    );
  });
});
