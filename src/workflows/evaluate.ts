// How well a model does on examples with right answers, whatever its task.

import type { PartUnit } from "../confidence/calibration.js";
import type { Answers } from "../metrics/answers.js";
import type { Asked, LearningTask, Predictor, Report, Score } from "../tasks/task.js";
import { asTheyCome, type Examples } from "./examples.js";
import { learningTaskOf } from "./model.js";

export interface Evaluation {
  /** Numbers by name; which there are depends on the task. */
  report: Report;
  /** Of whole outputs: the model's confidence, and whether it was right. */
  answers: Answers;
  /** The same for individual tokens and spans, if outputs have them. */
  parts: Partial<Record<PartUnit, Answers>>;
  /** Messages for the user, such as labels that the model does not know. */
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

/** Whoever finds what a model says to some cases; undefined where that could not be done, and they are left out. */
export interface CaseFinder {
  find(cases: readonly unknown[]): Promise<readonly unknown[] | undefined>;
  /** Cases that are found together, and how many such parts are under way at a time. */
  size: number;
  ahead: number;
}

/** The same for inputs as a task reads them; `finder` if others do the work. */
export async function evaluateInputs(
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  options: Asked,
  finder?: CaseFinder,
): Promise<Evaluation> {
  const { evaluating } = task;
  const score = evaluating.score(model, options);
  let seconds = 0;
  const cases = evaluating.cases(inputs);
  if (finder && score.find) seconds = await addFound(score, cases, finder);
  else {
    for await (const one of cases) {
      const started = performance.now();
      score.add(one);
      seconds += (performance.now() - started) / 1000;
    }
  }
  return {
    report: { ...score.report(), seconds },
    answers: score.answers,
    parts: score.parts?.() ?? {},
    warnings: score.warnings?.() ?? [],
  };
}

/** Counts what others find, in the order of the cases. Returns the seconds that took. */
async function addFound(score: Score<unknown>, cases: AsyncIterable<unknown>, finder: CaseFinder): Promise<number> {
  const started = performance.now();
  const waiting: { part: unknown[]; found: Promise<readonly unknown[] | undefined> }[] = [];
  const submit = (part: unknown[]): void => {
    const found = finder.find(part);
    found.catch(() => undefined); // heard of when its turn comes
    waiting.push({ part, found });
  };
  const addNext = async (): Promise<void> => {
    const { part, found } = waiting.shift() as (typeof waiting)[number];
    const all = await found;
    if (all) for (const [i, one] of part.entries()) score.add(one, all[i]);
  };
  let part: unknown[] = [];
  for await (const one of cases) {
    part.push(one);
    if (part.length < finder.size) continue;
    submit(part);
    part = [];
    if (waiting.length >= finder.ahead) await addNext();
  }
  if (part.length > 0) submit(part);
  while (waiting.length > 0) await addNext();
  return (performance.now() - started) / 1000;
}
