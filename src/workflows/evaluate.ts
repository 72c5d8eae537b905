// How well a model does on examples with right answers, whatever its task.

import type { PartUnit } from "../confidence/calibration.js";
import type { Answers } from "../metrics/answers.js";
import type { Asked, LearningTask, Predictor, Report } from "../tasks/task.js";
import { asTheyCome, type Examples } from "./examples.js";
import { learningTaskOf } from "./model.js";

export interface Evaluation {
  /** Numbers by name; which there are depends on the task. */
  report: Report;
  /** Of whole outputs: how sure the model was, and whether it was right. */
  answers: Answers;
  /** The same of tokens and spans one by one, where outputs have such. */
  parts: Partial<Record<PartUnit, Answers>>;
  /** What a person should hear, such as labels that the model does not know. */
  warnings: readonly string[];
}

/**
 * Measures a model. Examples are those that a model of its kind is trained on: `{ columns, labels }` for a tagger,
 * `{ input, output }` for a transducer. Options are those of prediction, such as `inference`.
 */
export async function evaluate(
  model: Predictor,
  examples: Examples<unknown>,
  options: Asked = {},
): Promise<Evaluation> {
  const task = learningTaskOf(model, "evaluate");
  return evaluateInputs(task, model, task.predicting.inputsOf(asTheyCome(examples)), options);
}

/** The same for inputs as a task reads them. */
export async function evaluateInputs(
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  options: Asked,
): Promise<Evaluation> {
  const { evaluating } = task;
  const score = evaluating.score(model, options);
  let seconds = 0;
  for await (const one of evaluating.cases(inputs)) {
    const started = performance.now();
    score.add(one);
    seconds += (performance.now() - started) / 1000;
  }
  return {
    report: { ...score.report(), seconds },
    answers: score.answers,
    parts: score.parts?.() ?? {},
    warnings: score.warnings?.() ?? [],
  };
}
