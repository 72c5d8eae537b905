// Answers that keep a promised precision, and what is left to a person, whatever the task.

import { guaranteeFor } from "../confidence/calibration.js";
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
}

/** Answers inputs one by one: those of a tagger are sequences (`{ columns }`), those of a transducer `{ input }`. */
export async function* answer(
  model: Predictor,
  inputs: Examples<unknown>,
  options: { precision: number },
): AsyncGenerator<AnsweredInput> {
  const task = learningTaskOf(model, "answer");
  for await (const { answered } of answeredInputs(task, model, inputs, options)) yield answered;
}

/** What of some inputs is left to a person, as items of a review. */
export async function* reviewItems(
  model: Predictor,
  inputs: Examples<unknown>,
  options: { precision: number },
): AsyncGenerator<ReviewItem> {
  const task = learningTaskOf(model, "review");
  let number = 0;
  for await (const { input, answered } of answeredInputs(task, model, inputs, options)) {
    number++;
    if (!answered.answered) yield task.reviewing.item(model, input, answered.candidates, number);
  }
}

async function* answeredInputs(
  { predicting }: LearningTask,
  model: Predictor,
  inputs: Examples<unknown>,
  { precision }: { precision: number },
): AsyncGenerator<{ input: unknown; answered: AnsweredInput }> {
  guaranteeFor(model.calibration, precision);
  for await (const input of predicting.inputsOf(asTheyCome(inputs))) {
    yield { input, answered: predicting.answer(model, input, { precision }) };
  }
}
