// `stargram compare`: two models on the same data, with tests of whether they differ.

import { basename } from "node:path";
import type { Command } from "commander";
import type { Unit } from "../../confidence/calibration.js";
import type { Answer, Answers } from "../../metrics/answers.js";
import type { AnsweredParts } from "../../metrics/compare-parts.js";
import type { Difference } from "../../metrics/paired.js";
import { type LearningTask, learningTasks } from "../../tasks/task.js";
import { InputError } from "../../util/errors.js";
import { counted, percent, table } from "../../util/text.js";
import {
  answeredParts,
  type Comparison,
  compareAnswers,
  compareOptions,
  compareParts,
  type PartComparison,
} from "../../workflows/compare.js";
import { loadModel } from "../../workflows/disk.js";
import { allOf, judge } from "../../workflows/judge.js";
import { predictorOf } from "../../workflows/model.js";
import { addDeclared, addUnion, givenFor, givenOf } from "../declared.js";
import { explain } from "../help.js";
import { inputsOf } from "../model-data.js";
import { whole } from "../options.js";
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
An output is right if all of it is right. Accuracy is compared by an exact McNemar test on the outputs that one model has right
and the other wrong; the shares answered at a precision by a paired bootstrap of 2,000 draws. p is the probability of a
difference at least as large if the models were equally good.
--unit token compares single labels, --unit span spans such as entities by their F1. Those of one sequence depend on each other,
so whole sequences are exchanged between the models (approximate randomisation, for p) and drawn (bootstrap, for intervals); what
is answered is then a share of all true spans, found or not.`;

export function register(program: Command): void {
  const command = program
    .command("compare")
    .summary("compare two models on the same data")
    .description("Compare the answers of two models on DATA: accuracy and confidence, with paired significance tests.")
    .argument("<model-a>", "a model made by `stargram train`")
    .argument("<model-b>", "another of the same kind")
    .argument("<data...>", "labelled data that neither has seen: files")
    .option("--plots <folder>", "write plots with both models as SVG")
    .option("--force", "overwrite files in that folder, whatever they are")
    .option("--seed <n>", "seed of the bootstrap", whole(0), 1)
    .option("--json", "print one JSON object");
  addUnion(addDeclared(command, compareOptions), learningTasks().flatMap(rereading)).action(compare);
  explain(command, {
    notes,
    examples: [
      ["stargram compare old.sg new.sg test.txt --plots plots", "is the new one better?"],
      ["stargram compare old.sg new.sg test.txt --unit span", "does it find more entities?"],
    ],
  });
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
  const { unit = "sequence" } = givenOf(command, compareOptions) as { unit?: Unit };
  const both: { answers: Answers; parts?: AnsweredParts }[] = [];
  for (const path of paths) {
    const { model, task } = predictorOf(await loadModel(path), "compare", path);
    const asked = givenFor(command, task, learningTasks(), rereading, path);
    const judged = await judge(task, model, inputsOf(task, model, files, "judged", asked));
    if (unit === "sequence") both.push({ answers: judged.answers });
    else {
      const parts = answeredParts(judged, unit, model);
      both.push({ answers: allOf(parts.clusters), parts });
    }
  }
  const [a, b] = both;
  const found =
    unit !== "sequence" && a.parts && b.parts
      ? compareParts(a.parts, b.parts, unit, flags.seed)
      : compareAnswers(a.answers as Answer[], b.answers as Answer[], flags.seed);
  if (flags.plots !== undefined) {
    const names = pathsApart(pathA, pathB);
    const named = both.map(({ answers }, i) => ({ name: names[i], answers }));
    const title = unit === "sequence" ? "Two models" : `${unit === "token" ? "Tokens" : "Spans"} of two models`;
    await writePlots(flags.plots, named, title, flags.force);
  }
  if (!flags.json) return write("unit" in found ? partsText(found) : comparisonText(found));
  const { measures, recallDifference, ...rest } = found;
  await writeJson({
    ...rest,
    models: paths.map((model, i) => ({ model, ...measures[i] })),
    recallDifference: Object.fromEntries(recallDifference.map(({ precision, ...own }) => [precision, own])),
  });
}

const number = (value: number): string => value.toFixed(4);

function differenceText({ low, high }: Difference): string {
  return `B less A between ${percent(low)} and ${percent(high)}`;
}

/** Lines that sequences, tokens and spans have alike. */
function sureLines({ measures: [a, b], recallDifference }: Comparison | PartComparison): string[][] {
  return [
    ...recallDifference.map(({ precision, ...difference }, i) => [
      `answered at ${100 * precision} %`,
      percent(a.recalls[i]),
      percent(b.recalls[i]),
      number(difference.pValue),
      differenceText(difference),
    ]),
    ["calibration error", percent(a.expectedCalibrationError), percent(b.expectedCalibrationError), "", ""],
    ["Brier score", number(a.brier), number(b.brier), "", ""],
    ["area under risk", number(a.aurc), number(b.aurc), "", ""],
  ];
}

function partsText(found: PartComparison): string {
  const { unit, examples: count, truths, measures, f1Difference } = found;
  const [a, b] = measures;
  const main = unit === "token" ? "right" : "F1";
  const rates = [
    ["precision", percent(a.precision), percent(b.precision), "", `${counted(a.parts)} and ${counted(b.parts)} found`],
    ["recall", percent(a.recall), percent(b.recall), "", ""],
  ];
  return table(
    [
      [`${counted(truths)} ${unit}s in ${counted(count)} sequences`, "A", "B", "p", ""],
      [main, percent(a.f1), percent(b.f1), number(f1Difference.pValue), differenceText(f1Difference)],
      ...(unit === "span" ? rates : []),
      ...sureLines(found),
    ],
    [0, 4],
  );
}

function comparisonText(found: Comparison): string {
  const { examples: count, measures, mcNemar } = found;
  const [a, b] = measures;
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
      ...sureLines(found),
    ],
    [0, 4],
  );
}

/** File names, or whole paths where the names are the same. */
function pathsApart(pathA: string, pathB: string): [string, string] {
  const [a, b] = [basename(pathA), basename(pathB)];
  return a === b ? [pathA, pathB] : [a, b];
}
