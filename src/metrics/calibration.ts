// Whether confidences are probabilities: of the answers given with confidence p, a share p should be correct.
//   expected calibration error = Σ over bins of (size / n) · |accuracy − mean confidence|
//   by chance = its expectation if each answer were correct with just the probability of its confidence
//   Brier score = (1/n) Σ (confidence − correct)²
// Bins hold equally many answers, so that each one's accuracy is equally well known.

import { type Answers, columnsOf, rankAnswers } from "./answers.js";

export interface ReliabilityBin {
  count: number;
  /** The mean confidence. */
  confidence: number;
  /** The share that is correct. */
  accuracy: number;
  lowest: number;
  highest: number;
}

/**
 * At most `bins` bins, the least confident first. Bins end at multiples of n / bins; answers of equal confidence stay
 * together, so a bin can reach over the next multiple.
 */
export function reliabilityBins(answers: Answers, bins = 15): ReliabilityBin[] {
  if (!Number.isInteger(bins) || bins < 1) throw new RangeError(`the number of bins must be at least 1, not ${bins}`);
  const { count, confidence, answered, correct } = rankAnswers(answers);
  const result: ReliabilityBin[] = [];
  let bin: ReliabilityBin | undefined;
  let done = 0;
  let binEnd = 0; // In units of n / bins.
  for (let group = confidence.length - 1; group >= 0; group--) {
    const size = answered[group] - (group ? answered[group - 1] : 0);
    const right = correct[group] - (group ? correct[group - 1] : 0);
    if (!bin) binEnd = Math.floor((done * bins) / count) + 1;
    bin ??= { count: 0, confidence: 0, accuracy: 0, lowest: confidence[group], highest: confidence[group] };
    bin.count += size;
    bin.confidence += size * confidence[group]; // Sums until the bin is full.
    bin.accuracy += right;
    bin.highest = confidence[group];
    done += size;
    if (done * bins >= count * binEnd) {
      bin.confidence /= bin.count;
      bin.accuracy /= bin.count;
      result.push(bin);
      bin = undefined;
    }
  }
  return result;
}

/** 0 when every bin's accuracy is its mean confidence; NaN without answers. */
export function expectedCalibrationError(answers: Answers, bins = 15): number {
  let count = 0;
  let sum = 0;
  for (const bin of reliabilityBins(answers, bins)) {
    count += bin.count;
    sum += bin.count * Math.abs(bin.accuracy - bin.confidence);
  }
  return sum / count;
}

/** Sums over larger bins are normal enough. */
const EXACT_BIN = 300;

/**
 * What the expected calibration error of these confidences would be on average if they were right: bins of few answers have
 * gaps by chance. NaN without answers.
 */
export function chanceCalibrationError(answers: Answers, bins = 15): number {
  const confidences = Float64Array.from(columnsOf(answers).confidence).sort();
  let from = 0;
  let sum = 0;
  for (const { count } of reliabilityBins(answers, bins)) {
    sum += meanDeviation(confidences.subarray(from, from + count));
    from += count;
  }
  return sum / from;
}

/** E|S − E S| of the number S of successes, each with its own probability. */
function meanDeviation(probabilities: Float64Array): number {
  let mean = 0;
  let variance = 0;
  for (const p of probabilities) {
    mean += p;
    variance += p * (1 - p);
  }
  if (probabilities.length > EXACT_BIN) return Math.sqrt((2 * variance) / Math.PI);
  // [successes] their probability after the answers so far.
  const chances = new Float64Array(probabilities.length + 1);
  chances[0] = 1;
  for (let n = 0; n < probabilities.length; n++) {
    const p = probabilities[n];
    for (let s = n + 1; s > 0; s--) chances[s] = chances[s] * (1 - p) + chances[s - 1] * p;
    chances[0] *= 1 - p;
  }
  return chances.reduce((sum, chance, s) => sum + chance * Math.abs(s - mean), 0);
}

/** The mean squared distance between confidence and outcome; NaN without answers. */
export function brier(answers: Answers): number {
  const { count, confidence, answered, correct } = rankAnswers(answers);
  let sum = 0;
  for (let group = 0; group < confidence.length; group++) {
    const size = answered[group] - (group ? answered[group - 1] : 0);
    const right = correct[group] - (group ? correct[group - 1] : 0);
    sum += right * (1 - confidence[group]) ** 2 + (size - right) * confidence[group] ** 2;
  }
  return sum / count;
}
