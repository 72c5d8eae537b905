// Maps from a model's probabilities to calibrated ones, fitted on held-out answers.
//   temperature   the T at which the log loss −Σ log p'(outcome) is least, with logit p' = logit p / T
//   isotonic      the rising steps nearest to the outcomes (pool adjacent violators), joined by lines
// The one with the lower log loss under cross-validation within the same answers is chosen.

import { type AnswerColumns, type Answers, columnsOf, rankAnswers } from "../metrics/answers.js";
import { minimise } from "../util/minimise.js";
import { generator, shuffle } from "../util/random.js";
import { type CalibrationMap, calibrated } from "./calibration.js";

export interface ChosenMap {
  map: CalibrationMap;
  /** Mean log loss of each answer: of the model's own probabilities, and cross-validated for the maps. */
  logLoss: { model: number; temperature: number; isotonic: number };
}

const FOLDS = 5;
/** Nothing is certain: p' stays between these shares of one answer more. */
const EDGE = 0.5;

/** The better map for answers; `seed` chooses the folds. */
export function chooseMap(answers: Answers, seed = 1): ChosenMap {
  const columns = columnsOf(answers);
  const count = columns.confidence.length;
  if (count === 0) throw new RangeError("there are no answers to calibrate on");
  const order = shuffle(
    Int32Array.from({ length: count }, (_, i) => i),
    generator(seed, 1),
  );
  const loss = { temperature: 0, isotonic: 0 };
  const folds = Math.min(FOLDS, count);
  for (let fold = 0; fold < folds; fold++) {
    const inside = order.filter((_, i) => i % folds !== fold);
    const outside = order.filter((_, i) => i % folds === fold);
    const training = folds === 1 ? columns : pick(columns, inside);
    const test = pick(columns, outside);
    loss.temperature += (outside.length / count) * logLoss(test, fitTemperature(training));
    loss.isotonic += (outside.length / count) * logLoss(test, fitIsotonic(training));
  }
  const map = loss.isotonic < loss.temperature ? fitIsotonic(columns) : fitTemperature(columns);
  return { map, logLoss: { model: logLoss(columns, { kind: "temperature", temperature: 1 }), ...loss } };
}

function pick({ confidence, correct }: AnswerColumns, items: Int32Array): AnswerColumns {
  return {
    confidence: Float64Array.from(items, (i) => confidence[i]),
    correct: Uint8Array.from(items, (i) => (correct[i] ? 1 : 0)),
  };
}

/** −(1/n) Σ log of the probability that the map gives to what happened. */
export function logLoss(answers: Answers, map: CalibrationMap): number {
  const { confidence, correct } = columnsOf(answers);
  let sum = 0;
  for (let i = 0; i < confidence.length; i++) {
    const p = calibrated(map, confidence[i]);
    sum -= Math.log(Math.max(Number.MIN_VALUE, correct[i] ? p : 1 - p));
  }
  return sum / confidence.length;
}

export function fitTemperature(answers: Answers): CalibrationMap {
  const loss = (log: number): number => logLoss(answers, { kind: "temperature", temperature: Math.exp(log) });
  // Golden-section search: the loss is convex in 1/T, so it has one valley in log T.
  return { kind: "temperature", temperature: Math.exp(minimise(loss, Math.log(0.05), Math.log(20), 1e-3)) };
}

export function fitIsotonic(answers: Answers): CalibrationMap {
  const { count, confidence, answered, correct } = rankAnswers(answers);
  if (count === 0) throw new RangeError("there are no answers to calibrate on");
  const blocks: { size: number; right: number; sum: number }[] = [];
  for (let group = confidence.length - 1; group >= 0; group--) {
    const size = answered[group] - (group ? answered[group - 1] : 0);
    const right = correct[group] - (group ? correct[group - 1] : 0);
    let block = { size, right, sum: size * confidence[group] };
    for (let before = blocks.at(-1); before; before = blocks.at(-1)) {
      if (before.right * block.size < block.right * before.size) break;
      blocks.pop();
      block = { size: before.size + block.size, right: before.right + block.right, sum: before.sum + block.sum };
    }
    blocks.push(block);
  }
  const edge = EDGE / (count + 1);
  const from: number[] = [];
  const to: number[] = [];
  for (const { size, right, sum } of blocks) {
    // Means of neighbouring blocks can round to the same number.
    if (from.length > 0 && !(sum / size > from[from.length - 1])) continue;
    from.push(sum / size);
    to.push(Math.min(1 - edge, Math.max(edge, right / size)));
  }
  return { kind: "isotonic", from, to };
}
