// `stargram compare`: two models on the same data, with tests of whether they differ.

import { basename } from "node:path";
import type { Command } from "commander";
import type { Answer } from "../../metrics/answers.js";
import { type LearningTask, learningTasks } from "../../tasks/task.js";
import { InputError } from "../../util/errors.js";
import { counted, percent, table } from "../../util/text.js";
import { type Comparison, compareAnswers } from "../../workflows/compare.js";
import { loadModel } from "../../workflows/disk.js";
import { judge } from "../../workflows/judge.js";
import { predictorOf } from "../../workflows/model.js";
import { addUnion, givenFor } from "../declared.js";
import { inputsOf } from "../model-data.js";
import { examples, whole } from "../options.js";
import { write, writeJson } from "../output.js";
import { checkPlots, writePlots } from "../plots.js";

interface CompareFlags {
  plots?: string;
  force?: boolean;
  seed: number;
  json?: boolean;
}

const rereading = ({ predicting }: LearningTask) => [predicting.rereading];

const notes = `
An output is right when all of it is. Accuracy is compared by an exact McNemar test on the outputs that one model has right
and the other wrong; the shares answered at a precision by a paired bootstrap of 2,000 draws. p is the probability of a
difference at least as large if the models were equally good.`;

export function register(program: Command): void {
  const command = program
    .command("compare")
    .summary("compare two models on the same data")
    .description("Compare the answers of two models on DATA: accuracy and confidence, with paired significance tests.")
    .argument("<model-a>", "a model made by `stargram train`")
    .argument("<model-b>", "another of the same kind")
    .argument("<data...>", "labelled data that neither has seen: files")
    .option("--plots <folder>", "write plots with both models as SVG")
    .option("--force", "replace files in that folder whatever they are")
    .option("--seed <n>", "seed of the bootstrap", whole(0), 1)
    .option("--json", "print one JSON object");
  addUnion(command, learningTasks().flatMap(rereading))
    .addHelpText("after", notes)
    .addHelpText("after", examples(["stargram compare old.sg new.sg test.txt --plots plots", "is the new one better?"]))
    .action(compare);
}

async function compare(
  pathA: string,
  pathB: string,
  files: string[],
  flags: CompareFlags,
  command: Command,
): Promise<void> {
  if (files.includes("-")) throw new InputError("DATA is read twice, so it cannot be standard input");
  if (flags.plots !== undefined) await checkPlots(flags.plots, flags.force);
  const paths = [pathA, pathB];
  const both: Answer[][] = [];
  for (const path of paths) {
    const { model, task } = predictorOf(await loadModel(path), "compare", path);
    const asked = givenFor(command, task, learningTasks(), rereading, path);
    both.push((await judge(task, model, inputsOf(task, model, files, "judged", asked))).answers);
  }
  const found = compareAnswers(both[0], both[1], flags.seed);
  if (flags.plots !== undefined) {
    const names = pathsApart(pathA, pathB);
    const named = both.map((answers, i) => ({ name: names[i], answers }));
    await writePlots(flags.plots, named, "Two models", flags.force);
  }
  if (!flags.json) return write(comparisonText(found));
  const { examples: count, measures, mcNemar, recallDifference } = found;
  await writeJson({
    examples: count,
    models: paths.map((model, i) => ({ model, ...measures[i] })),
    mcNemar,
    recallDifference: Object.fromEntries(recallDifference.map(({ precision, ...rest }) => [precision, rest])),
  });
}

function comparisonText({ examples: count, measures: [a, b], mcNemar, recallDifference }: Comparison): string {
  const number = (value: number): string => value.toFixed(4);
  return table(
    [
      [`${counted(count)} examples`, "A", "B", "p", ""],
      [
        "right",
        percent(a.accuracy),
        percent(b.accuracy),
        number(mcNemar.pValue),
        `only A right ${counted(mcNemar.onlyFirst)}, only B ${counted(mcNemar.onlySecond)}`,
      ],
      ...recallDifference.map(({ precision, pValue, low, high }, i) => [
        `answered at ${100 * precision} %`,
        percent(a.recalls[i]),
        percent(b.recalls[i]),
        number(pValue),
        `B less A between ${percent(low)} and ${percent(high)}`,
      ]),
      ["calibration error", percent(a.expectedCalibrationError), percent(b.expectedCalibrationError), "", ""],
      ["Brier score", number(a.brier), number(b.brier), "", ""],
      ["area under risk", number(a.aurc), number(b.aurc), "", ""],
    ],
    [0, 4],
  );
}

/** File names, or whole paths where the names are the same. */
function pathsApart(pathA: string, pathB: string): [string, string] {
  const [a, b] = [basename(pathA), basename(pathB)];
  return a === b ? [pathA, pathB] : [a, b];
}
