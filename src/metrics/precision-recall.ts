// What can be answered at which precision. With answers ranked by confidence and a threshold t,
//   recall(t) = coverage(t) = |{confidence ≥ t}| / n        the share of inputs that get an answer
//   precision(t) = 1 − risk(t) = the share of those answers that is correct.

import { type Answers, rankAnswers } from "./answers.js";

export interface PrecisionRecallPoint {
  /** The share of inputs answered. */
  recall: number;
  /** The share of those answers that is correct. */
  precision: number;
  /** Answer when the confidence is at least this. */
  threshold: number;
}

export interface RiskCoveragePoint {
  /** The share of inputs answered. */
  coverage: number;
  /** The share of those answers that is wrong. */
  risk: number;
  /** Answer when the confidence is at least this. */
  threshold: number;
}

/** The largest share of inputs that a threshold answers with accuracy still ≥ `precision`; 0 if there is none. */
export function recallAtPrecision(answers: Answers, precision: number): number {
  if (!(precision >= 0 && precision <= 1))
    throw new RangeError(`a precision must be between 0 and 1, not ${precision}`);
  const { count, answered, correct } = rankAnswers(answers);
  for (let group = answered.length - 1; group >= 0; group--) {
    if (correct[group] / answered[group] >= precision) return answered[group] / count;
  }
  return 0;
}

/** One point for each confidence that occurs, the surest first; the last one answers everything. */
export function precisionRecallCurve(answers: Answers): PrecisionRecallPoint[] {
  const { count, confidence, answered, correct } = rankAnswers(answers);
  return Array.from(confidence, (threshold, group) => ({
    recall: answered[group] / count,
    precision: correct[group] / answered[group],
    threshold,
  }));
}

/** The same curve in terms of errors. */
export function riskCoverage(answers: Answers): RiskCoveragePoint[] {
  const { count, confidence, answered, correct } = rankAnswers(answers);
  return Array.from(confidence, (threshold, group) => ({
    coverage: answered[group] / count,
    risk: (answered[group] - correct[group]) / answered[group],
    threshold,
  }));
}

/**
 * Area under the risk-coverage curve: (1/n) Σ_k risk of the k surest answers. Among answers of equal confidence, the
 * mean over all their orders. 0 is perfect; NaN without answers.
 */
export function aurc(answers: Answers): number {
  const { count, answered, correct } = rankAnswers(answers);
  let sum = 0;
  let before = 0;
  let errorsBefore = 0;
  for (let group = 0; group < answered.length; group++) {
    const errors = answered[group] - correct[group];
    const errorRate = (errors - errorsBefore) / (answered[group] - before);
    for (let k = before + 1; k <= answered[group]; k++) sum += (errorsBefore + (k - before) * errorRate) / k;
    before = answered[group];
    errorsBefore = errors;
  }
  return sum / count;
}
