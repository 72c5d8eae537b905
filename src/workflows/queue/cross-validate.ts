// Parts of a cross-validation, each trained and measured by another machine.

import type { JobKind } from "../../cluster/job.js";
import { pack, unpack } from "../../cluster/pack.js";
import type { Submitter } from "../../cluster/submitter.js";
import { learningTasks, type Report } from "../../tasks/task.js";
import { InputError } from "../../util/errors.js";
import { crossModels } from "../cross-validate.js";
import { evaluateInputs } from "../evaluate.js";

/** What is trained, and which part is held out. */
interface CrossWork {
  task: string;
  given: Record<string, unknown>;
  files: Record<string, string>;
  note: Record<string, unknown>;
  parts: number;
  seed: number;
  part: number;
}

export const crossKind: JobKind<CrossWork> = {
  name: "cross-validate",
  async run({ task: name, given, files, note, parts, seed, part }, blobs) {
    const task = learningTasks().find((one) => one.name === name);
    if (!task) throw new InputError(`this worker does not know the task ${name}`);
    const examples = blobs.made("examples", (bytes) => unpack(bytes) as unknown[]);
    const train = (some: AsyncIterable<unknown>) => task.learning.train(some, { given, files, keep: false, note });
    for await (const { model, inputs } of crossModels(task, examples, { parts, seed, train }, part)) {
      return pack((await evaluateInputs(task, model, inputs, {})).report);
    }
    throw new InputError(`there is no part ${part + 1}`);
  },
};

/** Has a part measured, from 0. */
export function queueMeasure(
  submitter: Submitter,
  examples: readonly unknown[],
  work: Omit<CrossWork, "part">,
): (part: number) => Promise<Report> {
  const blob = submitter.blob(pack(examples));
  return async (part) => {
    const what = `part ${part + 1} of ${work.parts}`;
    const parameters = { ...work, part };
    return unpack(
      await submitter.run({ kind: crossKind.name, parameters, blobs: { examples: blob }, what, seconds: 24 * 3600 }),
    ) as Report;
  };
}
