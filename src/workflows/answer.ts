// Answers that keep a promised precision, and what is left to a person, whatever the task.

import { guaranteeFor, partGuaranteeFor, type Unit } from "../confidence/calibration.js";
import type { ReviewItem } from "../formats/review-item.js";
import type { LearningTask, Predictor } from "../tasks/task.js";
import { asTheyCome, type Examples } from "./examples.js";
import { learningTaskOf } from "./model.js";

/** An answer that keeps the promise, or candidates for a person to choose from. */
export interface AnsweredInput {
  answered: boolean;
  /** The model's best output, with its probability; what it is called depends on the task: `labels`, `output`. */
  prediction: { probability: number };
  /** None if it is answered. */
  candidates: readonly unknown[];
  /** Where a promise is about tokens or spans: which of them are answered. `answered` is then whether all are. */
  parts?: readonly boolean[];
}

export interface AnsweringOptions {
  /** The precision that was promised by calibration. */
  precision: number;
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

/** What of some inputs is left to a person, as items of a review. */
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

async function* answeredInputs(
  { predicting }: LearningTask,
  model: Predictor,
  inputs: Examples<unknown>,
  { precision, unit = "sequence" }: AnsweringOptions,
): AsyncGenerator<{ input: unknown; answered: AnsweredInput }> {
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
