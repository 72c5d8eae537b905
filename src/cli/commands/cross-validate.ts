// `stargram cross-validate TASK`: how well models do that learn from such data, without a file to test them on.

import type { Command } from "commander";
import { openLines } from "../../formats/lines.js";
import { type LearningTask, learningTasks, type Report } from "../../tasks/task.js";
import { InputError } from "../../util/errors.js";
import { duration, table } from "../../util/text.js";
import { type CrossValidation, crossValidate } from "../../workflows/cross-validate.js";
import type { queueMeasure } from "../../workflows/queue/cross-validate.js";
import { addDeclared } from "../declared.js";
import { commonOf, explain } from "../help.js";
import { groupOf, whole } from "../options.js";
import { flagOf, say, write, writeJson } from "../output.js";
import { ProgressLine } from "../progress.js";
import { addQueueOptions, type QueueFlags } from "../queue/flags.js";
import { addThreadOptions, crewOf, type ThreadFlags } from "../threads.js";
import { chosenSettings, linesOf } from "../train-files.js";
import { dataName } from "../training.js";

interface CrossFlags extends ThreadFlags, QueueFlags {
  parts: number;
  json?: boolean;
}

const notes = `
Divides the data into parts and holds out each once. Prints the mean of what \`evaluate\` reports and, after ±, the standard deviation over the parts. The sentences of a document stay in one part. --seed is the seed of the division and of the training runs. --json has the numbers of every part.`;

export function register(program: Command): void {
  const group = groupOf(program, "cross-validate", "estimate how good a model trained on this data is");
  for (const task of learningTasks()) addCommand(group, task);
}

function addCommand(group: Command, task: LearningTask): void {
  const { name, learning } = task;
  const data = dataName(task).toLowerCase();
  const command = group
    .command(name)
    .summary(`of the task ${name}`)
    .description("Train on all parts of DATA but one and evaluate on that part, for each part in turn.")
    .argument(`<${data}...>`, `${learning.about.data}: files, or \`-\` for standard input`)
    .option("--parts <n>", "number of parts", whole(2, 100), 5);
  addDeclared(addDeclared(command, learning.reading), learning.options)
    .option("--quiet", "no progress")
    .option("--json", "print one JSON object");
  addQueueOptions(addThreadOptions(command)).action((files: string[], flags: CrossFlags, own: Command) =>
    run(task, files, flags, own),
  );
  explain(command, {
    common: commonOf(command, learning, { Run: ["parts", "threads", "json", "quiet"] }),
    notes,
    examples: [
      [`stargram cross-validate ${name} ${data}.txt`, "five parts, default settings"],
      [`stargram cross-validate ${name} ${data}.txt --parts 10 --json`, "ten parts, all numbers"],
    ],
  });
}

async function run(task: LearningTask, files: string[], flags: CrossFlags, command: Command): Promise<void> {
  const { learning } = task;
  const started = performance.now();
  const { settings, files: optionFiles } = await chosenSettings(task, command, undefined);
  const { reading, options } = settings;
  function* sources() {
    for (const file of files) yield openLines(file);
  }
  const all: unknown[] = [];
  for await (const example of learning.read(sources(), reading)) all.push(example);
  const progress = new ProgressLine(process.stderr.isTTY === true && !flags.quiet);
  const work = { parts: flags.parts, seed: typeof options.seed === "number" ? options.seed : 1 };
  const validate = (measure?: (part: number) => Promise<Report>) =>
    crossValidate(task, all, {
      ...work,
      measure,
      train: (some) =>
        learning.train(some, {
          given: { ...options, ...linesOf(task, options) },
          files: optionFiles,
          keep: false,
          note: { input: reading },
          ...crewOf(flags, flags.quiet),
          onProgress: (state) => progress.training(state),
        }),
      onPart(part) {
        progress.end();
        if (!flags.quiet && process.stderr.isTTY) say(`evaluated part ${part} of ${flags.parts}`);
      },
    });
  const shared = { task: task.name, given: options, files: optionFiles, note: { input: reading }, ...work };
  const found = flags.queue === undefined ? await validate() : await byQueue(task, flags, all, shared, validate);
  if (flags.json) return writeJson({ task: task.name, ...found, seconds: (performance.now() - started) / 1000 });
  await write(crossText(task, found, flags.parts, (performance.now() - started) / 1000));
}

/** Has the parts measured by a queue. */
async function byQueue(
  task: LearningTask,
  flags: CrossFlags,
  examples: readonly unknown[],
  shared: Parameters<typeof queueMeasure>[2],
  validate: (measure: (part: number) => Promise<Report>) => Promise<CrossValidation>,
): Promise<CrossValidation> {
  const [file] = Object.keys(linesOf(task, shared.given));
  if (file !== undefined) throw new InputError(`${flagOf(file)} names a local file: it cannot be used with --queue`);
  if (flags.threads !== undefined || flags.deterministic) {
    throw new InputError("with --queue, each part is trained on one thread of a worker", {
      hint: "leave out --threads and --deterministic",
    });
  }
  const { withQueue } = await import("../queue/queue.js");
  const queued = await import("../../workflows/queue/cross-validate.js");
  return withQueue(flags, (queue) => {
    queue.expect(shared.parts);
    return validate(queued.queueMeasure(queue.submitter, examples, shared));
  });
}

/** The measures of the task by name, as `--require` has them. */
function crossText(
  { learning, evaluating }: LearningTask,
  { examples: count, mean, spread }: CrossValidation,
  parts: number,
  seconds: number,
): string {
  const at = (numbers: unknown, path: readonly string[]): unknown =>
    path.reduce((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], numbers);
  const lines = evaluating.measures.flatMap((name) => {
    // A name may end in a number with a point of its own: recallAtPrecision.0.9
    const dot = name.indexOf(".");
    const path = dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)];
    const [average, deviation] = [at(mean, path), at(spread, path)];
    if (name === "seconds" || typeof average !== "number" || typeof deviation !== "number") return [];
    return [[name, average.toPrecision(4), `± ${deviation.toPrecision(2)}`]];
  });
  return `${count} ${learning.example}s in ${parts} parts; ${duration(seconds)}\n${table(lines, [0])}`;
}
