// `stargram monitor`: whether a promised precision is still kept, from answers that people have checked.

import type { Command } from "commander";
import { type Unit, units } from "../../confidence/calibration.js";
import { readReview } from "../../formats/review.js";
import { type LearningTask, learningTasks } from "../../tasks/task.js";
import { counted, percent, plural, table } from "../../util/text.js";
import { unitOption } from "../../workflows/calibrate.js";
import { loadModel } from "../../workflows/disk.js";
import { judge } from "../../workflows/judge.js";
import { predictorOf } from "../../workflows/model.js";
import { type Monitored, monitorJudged, monitorReviews } from "../../workflows/monitor.js";
import { addDeclared, addUnion, givenFor } from "../declared.js";
import { explain } from "../help.js";
import { inputsOf } from "../model-data.js";
import { needed, real } from "../options.js";
import { CheckFailed, write, writeJson } from "../output.js";

const rereading = ({ predicting }: LearningTask) => [predicting.rereading];

const notes = `
ANSWERS are review files with randomly chosen answers (\`stargram predict --precision … --check 0.05 --review FILE\`) that a person has checked with \`stargram review\`. With --model, ANSWERS are labelled data: a random sample of current input, in its original order. With --confidence, the bounds of the precision hold at all times together: look as often as you like, and add files as they come. Exit code 1: the promise is broken, because even the upper bound is below it.`;

interface MonitorFlags {
  model?: string;
  precision?: number;
  unit?: Unit;
  confidence: number;
  json?: boolean;
}

export function register(program: Command): void {
  const command = program
    .command("monitor")
    .summary("check whether a promise is kept")
    .description(
      "Estimate the precision of answers from those that people have checked, with bounds that hold at any time.",
    )
    .argument("<answers...>", "review files with checked answers; with --model, data with right answers")
    .option("--model <file>", "a calibrated model, to answer data with right answers")
    .option("--precision <share>", "with --model: the precision that was promised", real(0, { beyond: 1 }));
  addUnion(addDeclared(command, unitOption), learningTasks().flatMap(rereading))
    .option("--confidence <share>", "probability that the bounds are true at all times", real(0, { beyond: 1 }), 0.95)
    .option("--json", "print one JSON object")
    .action(monitor);
  explain(command, {
    notes,
    examples: [
      [
        "stargram predict model.sg new.txt --precision 0.95 --check 0.05 --review left.tsv",
        "check one answer in twenty",
      ],
      ["stargram review left.tsv && stargram monitor left.tsv", "is the promise kept?"],
      ["stargram monitor sample.txt --model model.sg --precision 0.95", "with a labelled sample"],
    ],
  });
}

async function monitor(files: string[], flags: MonitorFlags, command: Command): Promise<void> {
  const found = flags.model === undefined ? await fromReviews(files, flags) : await fromData(files, flags, command);
  if (flags.json) await writeJson(found);
  else await write(monitoredText(found));
  if (found.state === "broken") {
    const { upper, promised, unit } = found;
    const of = unit === "sequence" ? "answers" : `answered ${unit}s`;
    throw new CheckFailed(
      `the promise is broken: at most ${percent(upper)} of the ${of} are right, ${percent(promised)} were promised\n  calibrate the model on data like this`,
    );
  }
}

async function fromReviews(files: readonly string[], { confidence }: MonitorFlags): Promise<Monitored> {
  const items = [];
  for (const file of files) items.push(...(await readReview(file)));
  return monitorReviews(items, confidence);
}

async function fromData(files: string[], flags: MonitorFlags, command: Command): Promise<Monitored> {
  const path = flags.model as string;
  const precision = needed(flags.precision, "--precision SHARE");
  const { unit = units[0], confidence } = flags;
  const { model, task } = predictorOf(await loadModel(path), "monitor", path);
  const asked = givenFor(command, task, learningTasks(), rereading, path);
  const per = model.calibration?.partGuarantees?.find((one) => one.unit === unit && one.precision === precision)?.per;
  const judged = await judge(task, model, inputsOf(task, model, files, "judged", asked), { per });
  return monitorJudged(model, judged, { precision, unit, confidence });
}

function monitoredText(found: Monitored): string {
  const { unit, promised, confidence, state, waiting, sequences, answers, wrong, precision, lower, upper } = found;
  const noun = unit === "sequence" ? "answer" : unit;
  const where = unit === "sequence" ? "" : ` in ${plural(sequences, "sequence")}`;
  const states = { kept: "kept", broken: "broken", open: "not clear yet" };
  return table(
    [
      ["checked", `${plural(answers, noun)}${where}, ${counted(wrong)} wrong`],
      [
        "precision",
        `${precision === undefined ? "unknown" : percent(precision)}; between ${percent(lower)} and ${percent(upper)} with ${percent(confidence)} confidence`,
      ],
      ["promise", `${percent(promised)}: ${states[state]}`],
      ...(waiting > 0 ? [["waiting", `${plural(waiting, "check")}: answer them in the order of the file`]] : []),
    ],
    [0, 1],
  );
}
