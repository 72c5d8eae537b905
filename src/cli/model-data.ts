// Data and other models for a model, from the files of a command line.

import { openLines } from "../formats/lines.js";
import type { Asked, InputUse, LearningTask, Predictor } from "../tasks/task.js";
import { type Declared, factsOf } from "../util/options.js";
import { loadModel } from "../workflows/disk.js";

/** The inputs of files, one after the other. */
export async function* inputsOf(
  task: LearningTask,
  model: Predictor,
  files: readonly string[],
  answers: InputUse["answers"],
  asked: Asked,
): AsyncGenerator<unknown> {
  for (const file of files) yield* task.predicting.inputs(model, openLines(file), { answers, asked });
}

/** Options of which those that name models have these. */
export async function withModels(declared: Declared, given: Record<string, unknown>): Promise<Record<string, unknown>> {
  const loaded: Record<string, unknown> = { ...given };
  for (const [name, value] of Object.entries(given)) {
    if (factsOf(declared[name]).type === "model") loaded[name] = await loadModel(value as string);
  }
  return loaded;
}
