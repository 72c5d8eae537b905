// Data for a model, from the files of a command line.

import { openLines } from "../formats/lines.js";
import type { Asked, InputUse, LearningTask, Predictor } from "../tasks/task.js";

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
