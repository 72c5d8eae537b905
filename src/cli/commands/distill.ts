// `stargram distill`: a fast model that learns from what a slow one answers.

import type { Command } from "commander";
import { aKind, type LearningTask, learningTasks, type Predictor } from "../../tasks/task.js";
import { InputError } from "../../util/errors.js";
import { duration } from "../../util/text.js";
import { loadModel, saveModel } from "../../workflows/disk.js";
import { oneOf, predictorOf } from "../../workflows/model.js";
import { explain } from "../help.js";
import { inputsOf } from "../model-data.js";
import { needed, whole } from "../options.js";
import { say, withFlags, writeJson } from "../output.js";
import { checkOutput } from "../place.js";
import { ProgressLine } from "../progress.js";
import { addThreadOptions, crewOf, type ThreadFlags } from "../threads.js";

interface DistillFlags extends ThreadFlags {
  out: string;
  seed?: number;
  quiet?: boolean;
  json?: boolean;
  force?: boolean;
}

const notes = `
MODEL answers the inputs; SMALL learns from these answers and from the training pairs stored in MODEL. A tenth of these pairs is held out to choose the best pass and to calibrate, so that probabilities say how often SMALL is right. Give many inputs that resemble future ones, such as a word list. Inputs that MODEL was trained on, or with unknown symbols, are left out. Ctrl-C: nothing is saved.`;

export function register(program: Command): void {
  const command = program
    .command("distill")
    .summary("teach one fast model what an ensemble answers")
    .description("Let MODEL answer inputs without labels, and learn one fast model from the answers.")
    .argument("<model>", "an ensemble made by `stargram train transduce --ensemble N`, or any transducer")
    .argument("<inputs...>", "inputs as for `predict`: files, or `-` for standard input")
    .option("--out <small>", "the file to write the fast model to")
    .option("--seed <n>", "random seed (default: that of MODEL)", whole(Number.MIN_SAFE_INTEGER))
    .option("--force", "overwrite the file of --out, whatever it is")
    .option("--quiet", "no progress and no summary")
    .option("--json", "print a summary as one JSON object on standard output");
  addThreadOptions(command).action(run);
  explain(command, {
    notes,
    examples: [
      ["stargram train transduce words.tsv --ensemble 4 --out slow.sg", "four models that decide together"],
      ["stargram distill slow.sg word-list.txt --out fast.sg", "one fast model that has learned from them"],
    ],
  });
}

async function run(path: string, files: string[], flags: DistillFlags): Promise<void> {
  needed(flags.out, "--out SMALL");
  const started = performance.now();
  const { model, task } = predictorOf(await loadModel(path), "distill", path);
  const { distilling, learning } = task;
  if (!distilling)
    throw new InputError(
      `distill needs ${oneOf(learningTasks().filter((one) => one.distilling))}; ${path} is ${aKind(task)}`,
    );
  await checkOutput(flags.out, [path, ...files], flags.force);
  const progress = new ProgressLine(process.stderr.isTTY === true && !flags.quiet);
  const small = await distilling.distill(model, inputsOf(task, model, files, "ignored", {}), {
    seed: flags.seed,
    ...crewOf(flags, flags.quiet),
    onAnswer: (count) => progress.reading(count, "inputs answered"),
    onProgress: (state) => progress.training(state),
  });
  progress.end();
  await saveModel(small, flags.out, { force: flags.force });
  const seconds = (performance.now() - started) / 1000;
  if (flags.json) await writeJson({ model: flags.out, kind: task.kind, ...learning.summary(small), seconds });
  if (!flags.quiet) report(task, small, flags.out, seconds);
}

function report({ learning }: LearningTask, small: Predictor, file: string, seconds: number): void {
  const { text, judged, warnings } = learning.summaryText(small);
  say(`${file}: ${text}${judged === undefined ? "" : `; ${judged}`}; ${duration(seconds)}`);
  for (const warning of warnings) say(withFlags(warning));
}
