// Error rates of written outputs, on cases small enough to count by hand.

import { describe, expect, it } from "vitest";
import { TransductionScore } from "../../src/metrics/transduction.js";

describe("TransductionScore", () => {
  it("takes any right answer, and counts symbols against the nearest", () => {
    const score = new TransductionScore();
    score.add([["A", "B"], ["C"]], ["C"], 0.9, -0.1); // right
    score.add([["A", "B", "C"]], ["A", "X", "C"], 0.6, -2); // one of three symbols wrong
    score.add(
      [
        ["A", "B", "C", "D"],
        ["A", "B"],
      ],
      ["A"],
      0.5,
      -1,
    ); // one of two symbols missing
    const report = score.report();
    expect(report.inputs).toBe(3);
    expect(report.wordErrorRate).toBeCloseTo(2 / 3, 12);
    expect(report.symbolErrorRate).toBeCloseTo((0 + 1 + 1) / (1 + 3 + 2), 12);
    expect(report.recallAtPrecision["0.9"]).toBeCloseTo(1 / 3, 12);
    expect(report.logLikelihood).toBeCloseTo(-3.1, 12);
  });

  it("knows empty answers", () => {
    const score = new TransductionScore();
    score.add([[]], [], 1, 0);
    expect(score.report()).toMatchObject({ wordErrorRate: 0, symbolErrorRate: 0, logLikelihood: 0 });
    score.add([[]], ["A"], 1, 0);
    expect(score.report().symbolErrorRate).toBe(1);
  });

  it("counts answers that cannot be written and leaves them out of the likelihood", () => {
    const score = new TransductionScore();
    score.add([["A"]], ["B"], 1, Number.NEGATIVE_INFINITY);
    expect(score.report()).toMatchObject({ logLikelihood: null, unwritable: 1 });
    score.add([["A"]], ["A"], 1, -0.5);
    score.add([["A"]], ["A"], 1, -0.25);
    expect(score.report()).toMatchObject({ inputs: 3, logLikelihood: -0.75, unwritable: 1 });
    expect(score.report().wordErrorRate).toBeCloseTo(1 / 3, 12);
  });
});
