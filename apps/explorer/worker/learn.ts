// A model learned in the page from data that a person opened, as `stargram train` learns it: the task reads its data, chooses by what
// it holds out, and learns.

import { encodeModel, InputError } from "../../../src/browser.js";
import { linesOf } from "../../../src/formats/line-blocks.js";
import type { LearningTask } from "../../../src/tasks/task.js";
import { tasks } from "../../../src/tasks/task.js";
import type { Handler } from "./calls.js";

/** ms between two reports. */
const OFTEN = 100;

export const learn: Handler<"learn"> = async ({ task: name, text, file }, { progress, stopped }) => {
  const task = tasks().find((one) => one.name === name) as LearningTask | undefined;
  if (!task) throw new InputError(`there is no task ${name}`);
  const reading: Record<string, unknown> = {};
  let told = 0;
  const model = await task.learning.train(task.learning.read([linesOf(text, file)], reading), {
    given: {},
    files: {},
    keep: false,
    note: { input: reading },
    shouldStop: stopped,
    onProgress({ title, pass, passes, done, total }) {
      if (performance.now() - told < OFTEN) return;
      told = performance.now();
      progress({ title, pass, passes, share: done / total });
    },
  });
  const { text: made, judged, warnings } = task.learning.summaryText(model);
  const bytes = encodeModel(model).slice().buffer;
  const isStopped = model.summary.stopped;
  model.dispose?.();
  return { bytes, text: made, judged, warnings: [...warnings], stopped: isStopped };
};
