// `stargram inspect`: what is in a model, what it learned for a label, and why a prediction came out as it did.

import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { openLines } from "../../formats/lines.js";
import { withOldNames } from "../../learn/old-names.js";
import { modelPath } from "../../model/file.js";
import { isLearningTask, type Task, tasks } from "../../tasks/task.js";
import type { Declared } from "../../util/options.js";
import { loadModel } from "../../workflows/disk.js";
import { taskOf } from "../../workflows/model.js";
import { addUnion, defaultsFor, givenFor } from "../declared.js";
import { explain } from "../help.js";
import { write, writeJson } from "../output.js";

/** Flags for looks into a model, and for reading what it is to explain. */
function looking(task: Task): readonly Declared[] {
  return [...(task.looks ? [task.looks.options] : []), ...(isLearningTask(task) ? [task.predicting.rereading] : [])];
}

export function register(program: Command): void {
  const command = program
    .command("inspect")
    .summary("show the contents, weights and reasons of a model")
    .description("Show the contents of a model, its strongest weights for a label, or the reasons for a prediction.")
    .argument("<model>", "a model made by `stargram train`")
    .option("--json", "print one JSON object");
  addUnion(command, tasks().flatMap(looking)).action(inspect);
  explain(command, {
    notes: tasks()
      .map(({ looks }) => looks?.notes ?? "")
      .join(""),
    examples: [
      ["stargram inspect model.sg", "labels, sizes, options, results of training"],
      ...tasks().flatMap(({ looks }) => looks?.examples ?? []),
    ],
  });
}

async function inspect(path: string, flags: { json?: boolean }, command: Command): Promise<void> {
  const model = await loadModel(path);
  const task = taskOf(model);
  task.checkUsable?.(model, path);
  const given = givenFor(command, task, tasks(), looking, path);
  const asked = { ...defaultsFor(looking(task)), ...given };
  const shown = await task.looks?.look(model, asked, (file) => openLines(file));
  if (shown) return flags.json ? writeJson(shown.json) : write(shown.text);
  const { size: bytes } = await stat(modelPath(path));
  if (!flags.json) return write(task.contentsText(model, { bytes }));
  await writeJson(withOldNames({ model: path, kind: task.kind, bytes, ...task.contents(model) }));
}
