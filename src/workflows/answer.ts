// Answers that keep a promised precision, and what is left to a person, whatever the task.

import { coverageFor, guaranteeFor, partGuaranteeFor, recallFor, type Unit } from "../confidence/calibration.js";
import type { ReviewItem } from "../formats/review-item.js";
import type { LearningTask, PossibleSpan, Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { checkOnePromise } from "./calibrate.js";
import { type CoveredInput, checkSets, coveredInput } from "./coverage.js";
import { asTheyCome, type Examples } from "./examples.js";
import { checkSpans, foundSpans } from "./found-spans.js";
import { learningTaskOf } from "./model.js";

/** An answer that keeps the promise, or candidates for a person to choose from. */
export interface AnsweredInput {
  answered: boolean;
  /** The model's best output, with its probability; what it is called depends on the task: `labels`, `output`. */
  prediction: { probability: number };
  /** Empty if it is answered. */
  candidates: readonly unknown[];
  /** If a promise is about tokens or spans: which of them are answered. `answered` then says whether all are. */
  parts?: readonly boolean[];
  /**
   * With `coverage`: a set of outputs that contains the right one with the promised probability, most probable first, and whether
   * the set includes all other outputs too. `answered` then says whether the set has a single output.
   */
  set?: readonly unknown[];
  other?: boolean;
  /** With `coverage` of tokens: the set of labels of each. */
  sets?: readonly (readonly string[])[];
  /** With `recall`: all spans that are probable enough; they may overlap, and belong to no single output. */
  spans?: readonly PossibleSpan[];
}

export interface AnsweringOptions {
  /** The precision that was promised by calibration. */
  precision?: number;
  /** Instead of a precision: the coverage promised for sets. */
  coverage?: number;
  /** Or the recall promised for spans. */
  recall?: number;
  /**
   * What it was promised for.
   * @default "sequence"
   */
  unit?: Unit;
}

/** Answers inputs one by one: those of a tagger are sequences (`{ columns }`), those of a transducer `{ input }`. */
export async function* answer(
  model: Predictor,
  inputs: Examples<unknown>,
  options: AnsweringOptions,
): AsyncGenerator<AnsweredInput> {
  const task = learningTaskOf(model, "answer");
  for await (const { answered } of answeredInputs(task, model, inputs, options)) yield answered;
}

/** The inputs that are left to a person, as items of a review. */
export async function* reviewItems(
  model: Predictor,
  inputs: Examples<unknown>,
  options: AnsweringOptions,
): AsyncGenerator<ReviewItem> {
  const task = learningTaskOf(model, "review");
  let number = 0;
  for await (const { input, answered } of answeredInputs(task, model, inputs, options)) {
    number++;
    if (!answered.answered) yield reviewItem(task, model, input, answered.candidates, number);
  }
}

/** The item of an input that is left to a person, with the name of its task. */
export function reviewItem(
  { name, reviewing }: LearningTask,
  model: Predictor,
  input: unknown,
  candidates: readonly unknown[],
  number: number,
): ReviewItem {
  return { ...reviewing.item(model, input, candidates, number), task: name };
}

async function* coveredInputs(
  task: LearningTask,
  model: Predictor,
  inputs: Examples<unknown>,
  coverage: number,
  unit: Unit,
): AsyncGenerator<{ input: unknown; answered: AnsweredInput }> {
  checkSets(task, unit);
  coverageFor(model.calibration, coverage, unit);
  for await (const input of task.predicting.inputsOf(asTheyCome(inputs))) {
    const { prediction, set, other, sets } = coveredInput(task, model, input, coverage, unit);
    const answered = isSingle({ set, other, sets });
    yield { input, answered: { answered, prediction, candidates: answered ? [] : set, set, other, sets } };
  }
}

/** Whether a set leaves no choice. */
export function isSingle({ set, other, sets = [] }: Pick<CoveredInput, "set" | "other" | "sets">): boolean {
  return set.length === 1 && !other && sets.every(({ length }) => length === 1);
}

async function* answeredInputs(
  task: LearningTask,
  model: Predictor,
  inputs: Examples<unknown>,
  { precision, coverage, recall, unit = "sequence" }: AnsweringOptions,
): AsyncGenerator<{ input: unknown; answered: AnsweredInput }> {
  checkOnePromise({ precision, coverage, recall });
  if (recall !== undefined) {
    checkSpans(task, model);
    recallFor(model.calibration, recall);
    for await (const input of task.predicting.inputsOf(asTheyCome(inputs))) {
      yield { input, answered: { answered: true, candidates: [], ...foundSpans(task, model, input, recall) } };
    }
    return;
  }
  if (coverage !== undefined) {
    yield* coveredInputs(task, model, inputs, coverage, unit);
    return;
  }
  if (precision === undefined) {
    throw new InputError("give option `precision`, `coverage` or `recall`, for which the model was calibrated");
  }
  const { predicting } = task;
  if (unit === "sequence") guaranteeFor(model.calibration, precision);
  else partGuaranteeFor(model.calibration, precision, unit);
  for await (const input of predicting.inputsOf(asTheyCome(inputs))) {
    if (unit === "sequence" || !predicting.parts) {
      yield { input, answered: predicting.answer(model, input, { precision }) };
      continue;
    }
    const { answered, ...found } = predicting.parts.answer(model, input, { precision, unit });
    yield { input, answered: { ...found, answered: answered.every((one) => one), parts: answered } };
  }
}
