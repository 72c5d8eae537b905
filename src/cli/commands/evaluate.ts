// `stargram evaluate`: how often a model is right, and how far its probabilities can be trusted.

import type { Command } from "commander";
import { readModelBytes } from "../../model/file.js";
import { type LearningTask, learningTasks } from "../../tasks/task.js";
import { loadModel } from "../../workflows/disk.js";
import { type CaseFinder, type Evaluation, evaluateInputs } from "../../workflows/evaluate.js";
import { predictorOf } from "../../workflows/model.js";
import { addUnion, givenFor } from "../declared.js";
import { explain } from "../help.js";
import { inputsOf } from "../model-data.js";
import { addInferenceOptions, type InferenceFlags, inferenceFrom } from "../options.js";
import { say, write, writeJson } from "../output.js";
import { checkPlots, writePlots } from "../plots.js";
import { addQueueOptions, type QueueFlags } from "../queue/flags.js";
import { checkRequired, holdTo, type Requirement, requirement } from "../requirements.js";

interface EvaluateFlags extends InferenceFlags, QueueFlags {
  json?: boolean;
  require?: Requirement[];
  plots?: string;
  force?: boolean;
}

const notes = `
An output is right if all of it is right. "Answered at 99 % precision" is the largest share that can be answered, most certain first, with 99 % of the answers right.`;

function requireNotes(): string {
  const atMost = [...new Set(learningTasks().flatMap(({ evaluating }) => evaluating.atMost))];
  return `
  --require   exit with 1 unless a number of --json is at least the given value or, if less is better, at most:
              ${atMost.join(", ")}.
              A dot leads to a number inside: recallAtPrecision.0.95, labels.NN.f1, chunks.types.NP.recall`;
}

const reading = ({ predicting, evaluating }: LearningTask) => [predicting.rereading, evaluating.options];

export function register(program: Command): void {
  const command = program
    .command("evaluate")
    .summary("measure a model on labelled data")
    .description("Compare a model's predictions with the right answers of DATA.")
    .argument("<model>", "a model made by `stargram train`")
    .argument("<data...>", "data with right answers: files, or `-` for standard input")
    .option("--json", "print one JSON object")
    .option(
      "--plots <folder>",
      "write plots as SVG: precision-recall, risk-coverage, reliability, histogram; also for tokens and spans",
    )
    .option("--force", "overwrite files in that folder, whatever they are")
    .option("--require <measure=value>", "fail unless the measure reaches the value; may be repeated", requirement);
  addQueueOptions(addInferenceOptions(addUnion(command, learningTasks().flatMap(reading)))).action(evaluate);
  explain(command, {
    common: { Options: ["json", "plots", "require", "contexts", "mode"] },
    notes:
      notes +
      learningTasks()
        .map(({ evaluating }) => evaluating.notes)
        .join("") +
      requireNotes(),
    examples: [
      ["stargram evaluate model.sg test.txt", "a report to read"],
      ["stargram evaluate model.sg test.txt --json", "the same for programs"],
      ["stargram evaluate model.sg test.txt --plots plots", "plots of precision and calibration"],
      ...learningTasks().flatMap(({ evaluating }) => evaluating.examples),
    ],
  });
}

async function evaluate(path: string, files: string[], flags: EvaluateFlags, command: Command): Promise<void> {
  const { model, task } = predictorOf(await loadModel(path), "evaluate", path);
  const asked = givenFor(command, task, learningTasks(), reading, path);
  checkRequired(task, flags.require, path);
  if (flags.plots !== undefined) await checkPlots(flags.plots, flags.force);
  const options = { ...asked, inference: inferenceFrom(flags) };
  const measure = async (finder?: CaseFinder): Promise<void> => {
    const inputs = inputsOf(task, model, files, "needed", asked);
    await show(task, await evaluateInputs(task, model, inputs, options, finder), flags);
  };
  if (flags.queue === undefined) return measure();
  const { withQueue } = await import("../queue/queue.js");
  const { queueFinder } = await import("../../workflows/queue/evaluate.js");
  const bytes = await readModelBytes(path);
  await withQueue(flags, (queue) => {
    const { submitter } = queue;
    return measure(queueFinder(submitter, (work) => queue.run(work), submitter.blob(bytes), options));
  });
}

async function show(
  task: LearningTask,
  { report, answers, parts, warnings }: Evaluation,
  flags: EvaluateFlags,
): Promise<void> {
  if (flags.plots !== undefined) {
    const { title } = task.evaluating;
    const units = Object.entries(parts).map(([unit, own]) => ({ name: `${unit}s`, answers: own }));
    const whole = { name: units.length > 0 ? title.toLowerCase() : "model", answers };
    const subject = [title, ...units.map(({ name }) => name)].join(", ");
    await writePlots(flags.plots, [whole, ...units], subject, flags.force);
  }
  if (flags.json) await writeJson(report);
  else await write(task.evaluating.reportText(report));
  if (!flags.json) for (const warning of warnings) say(warning);
  holdTo(task, flags.require, report);
}
