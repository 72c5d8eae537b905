// `stargram compare`: two models on the same data, with tests of whether they differ.

import { basename } from "node:path";
import type { Command } from "commander";
import type { Answer } from "../../metrics/answers.js";
import { brier, expectedCalibrationError } from "../../metrics/calibration.js";
import { mcNemar, recallDifference } from "../../metrics/compare.js";
import { aurc, recallAtPrecision } from "../../metrics/precision-recall.js";
import { InputError } from "../../util/errors.js";
import { counted, percent, table } from "../../util/text.js";
import { loadModel } from "../../workflows/disk.js";
import { judge } from "../judged.js";
import { addReadOptions, examples, type ReadFlags, whole } from "../options.js";
import { write, writeJson } from "../output.js";
import { writePlots } from "../plots.js";

interface CompareFlags extends ReadFlags {
  plots?: string;
  seed: number;
  json?: boolean;
}

const PRECISIONS = [0.9, 0.95, 0.99];

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
    .option("--seed <n>", "seed of the bootstrap", whole(0), 1)
    .option("--json", "print one JSON object");
  addReadOptions(command)
    .addHelpText("after", notes)
    .addHelpText("after", examples(["stargram compare old.sg new.sg test.txt --plots plots", "is the new one better?"]))
    .action(compare);
}

async function compare(pathA: string, pathB: string, files: string[], flags: CompareFlags): Promise<void> {
  if (files.includes("-")) throw new InputError("DATA is read twice, so it cannot be standard input");
  const paths = [pathA, pathB];
  const both: Answer[][] = [];
  for (const path of paths) both.push((await judge(await loadModel(path), path, files, flags)).answers);
  const [first, second] = both;
  if (first.length !== second.length) {
    throw new InputError(
      `the models read ${counted(first.length)} and ${counted(second.length)} examples from the data`,
      {
        hint: "only models that read the data alike can be compared",
      },
    );
  }
  if (first.length === 0) throw new InputError("the data holds no example whose labels are all known");
  const accuracy = mcNemar(first, second);
  const recall = PRECISIONS.map((precision) => ({
    precision,
    ...recallDifference(first, second, { precision, seed: flags.seed }),
  }));
  const measures = both.map(measuresOf);
  if (flags.plots !== undefined) {
    const names = pathsApart(pathA, pathB);
    await writePlots(
      flags.plots,
      both.map((answers, i) => ({ name: names[i], answers })),
      "Two models",
    );
  }
  if (flags.json) {
    const models = paths.map((model, i) => ({ model, ...measures[i] }));
    return writeJson({
      examples: first.length,
      models,
      mcNemar: accuracy,
      recallDifference: Object.fromEntries(recall.map(({ precision, ...rest }) => [precision, rest])),
    });
  }
  const [a, b] = measures;
  const number = (value: number): string => value.toFixed(4);
  await write(
    table(
      [
        [`${counted(first.length)} examples`, "A", "B", "p", ""],
        [
          "right",
          percent(a.accuracy),
          percent(b.accuracy),
          number(accuracy.pValue),
          `only A right ${counted(accuracy.onlyFirst)}, only B ${counted(accuracy.onlySecond)}`,
        ],
        ...recall.map(({ precision, pValue, low, high }, i) => [
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
    ),
  );
}

function measuresOf(answers: readonly Answer[]) {
  return {
    accuracy: answers.filter((answer) => answer.correct).length / answers.length,
    recalls: PRECISIONS.map((precision) => recallAtPrecision(answers, precision)),
    expectedCalibrationError: expectedCalibrationError(answers),
    brier: brier(answers),
    aurc: aurc(answers),
  };
}

/** File names, or whole paths where the names are the same. */
function pathsApart(pathA: string, pathB: string): [string, string] {
  const [a, b] = [basename(pathA), basename(pathB)];
  return a === b ? [pathA, pathB] : [a, b];
}
