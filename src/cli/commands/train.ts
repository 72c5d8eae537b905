// `stargram train TASK`: learns a model. What can be learned, and with which options, the list of tasks says.

import type { Command } from "commander";
import { withOldNames } from "../../learn/old-names.js";
import { aKind, type LearningTask, learningTasks, type Predictor } from "../../tasks/task.js";
import { InputError, unknownName } from "../../util/errors.js";
import { duration } from "../../util/text.js";
import { addDeclared } from "../declared.js";
import { commonOf, explain } from "../help.js";
import { addMemoryOptions } from "../memory.js";
import { examples, groupOf, needed, repeated } from "../options.js";
import { quoted, say, withFlags, writeJson } from "../output.js";
import { addShardOptions } from "../queue/flags.js";
import { addThreadOptions } from "../threads.js";
import { trainOnFiles } from "../train-files.js";
import { beginTraining, dataName, finishTraining, type TrainingFlags, TrainingRun } from "../training.js";

const stopNotes = `
Ctrl-C once: training stops, the model so far is in MODEL.partial, and --resume continues; an existing MODEL stays unchanged (exit code 130; 143 and 129 for SIGTERM and SIGHUP). Ctrl-C twice: exits at once.`;

/** What `--help` shows of the flags that every training has. */
const runFlags = {
  Model: ["out", "from", "add", "dev"],
  Run: ["resume", "threads", "json", "quiet"],
};

export function register(program: Command): void {
  const group = groupOf(program, "train", "train a model on data");
  const first = learningTasks().map(({ learning }) => learning.about.examples[0]);
  group.addHelpText("after", examples(...first));
  for (const task of learningTasks()) addTrainCommand(group, task);
  group.on("command:*", (given: string[]) => refuseTask(given[0]));
}

/** Where the task should be there is something else: a file, or a name that is mistyped. */
function refuseTask(word: string): never {
  const names = learningTasks().map(({ name }) => name);
  if (!/[./\\]/.test(word)) throw unknownName("task", word, names);
  throw new InputError(`\`${word}\` is not a task; the tasks are ${names.join(", ")}`, {
    hint: `to label tokens: stargram train ${names[0]} ${quoted(word)} --out model.sg`,
  });
}

function addTrainCommand(group: Command, task: LearningTask): void {
  const { name, learning } = task;
  const { about } = learning;
  const data = dataName(task).toLowerCase();
  const command = group
    .command(name)
    .summary(`train ${aKind(task)}`)
    .description(about.description)
    .argument(`[${data}...]`, `${about.data}: files, or \`-\` for standard input; optional with --from and --add`)
    .option("--out <model>", "the file to write the model to");
  addDeclared(addDeclared(command, learning.reading), learning.options)
    .option("--from <model>", "start from the weights of this model")
    .option("--add <answers>", "also learn from the answers in a review file; may be repeated", repeated);
  if (learning.takesDev) {
    command.option("--dev <file>", "choose settings on this file, which is not trained on, instead of a held-out part");
  }
  command
    .option("--resume", "continue a stopped run, with its options")
    .option("--force", "overwrite the file of --out and its checkpoint, whatever they are")
    .option("--quiet", "no progress and no summary")
    .option("--json", "print a summary as one JSON object on standard output");
  const general: [string, string][] = [
    [`stargram train ${name} ${data}.txt --out model.sg --resume`, "continue after Ctrl-C or a power cut"],
    [`stargram train ${name} --from model.sg --add left.tsv --out new.sg`, "learn only from the answers of a review"],
    [
      `stargram train ${name} ${data}.txt --add left.tsv --out new.sg`,
      "train again with the answers: slower and better",
    ],
  ];
  addShardOptions(addMemoryOptions(addThreadOptions(command), task)).action(
    (files: string[], flags: TrainingFlags, own: Command) => train(task, files, flags, own),
  );
  explain(command, {
    common: commonOf(command, learning, runFlags),
    notes: about.notes + stopNotes,
    examples: [...about.examples, ...general],
  });
}

async function train(task: LearningTask, files: string[], flags: TrainingFlags, command: Command): Promise<void> {
  needed(flags.out, "--out MODEL");
  const started = performance.now();
  const unfinished = await beginTraining(task, files, flags);
  const { from, add, dev, quiet, force } = flags;
  const run = new TrainingRun(unfinished, task.learning.example, quiet, force);
  const trained = await trainOnFiles(task, files, command, { from, add, dev, quiet, unfinished, run, out: flags.out });
  await finishTraining(task, trained.model, files, flags, unfinished, run, (file) =>
    report(task, trained, file, flags, (performance.now() - started) / 1000),
  );
}

async function report(
  { kind, learning }: LearningTask,
  { model, from }: { model: Predictor; from?: Predictor },
  file: string,
  flags: TrainingFlags,
  seconds: number,
): Promise<void> {
  if (flags.json) await writeJson(withOldNames({ model: file, kind, ...learning.summary(model), seconds }));
  if (flags.quiet) return;
  const { history, bestPass } = model.summary;
  const { text, judged, warnings } = learning.summaryText(model, from);
  const chosen = bestPass > 0 ? `pass ${bestPass} of ${history.length}` : "part of a pass";
  say(`${file}: ${text}; ${chosen}${judged === undefined ? "" : `, ${judged}`}; ${duration(seconds)}`);
  for (const warning of warnings) say(withFlags(warning));
}
