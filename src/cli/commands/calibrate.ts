// `stargram calibrate`: measures on held-out data how sure is sure enough for a promised precision, and keeps the threshold,
// its evidence and a calibration map in the model.

import type { Command } from "commander";
import type { CalibrationMap, Guarantee, PartGuarantee, PartUnit } from "../../confidence/calibration.js";
import type { NoThreshold } from "../../confidence/threshold.js";
import { openLines } from "../../formats/lines.js";
import { type Asked, type LearningTask, learningTasks, type Predictor } from "../../tasks/task.js";
import { counted, percent, plural, probabilityText, table } from "../../util/text.js";
import {
  type Calibrated,
  type CalibrateOptions,
  type CoverOptions,
  calibrateOn,
  calibrateOptions,
  checkOnePromise,
  cover,
  type Estimated,
  type EstimateOptions,
  estimateOn,
  perOf,
  type Recalled,
  type RecallOptions,
  recallSpans,
} from "../../workflows/calibrate.js";
import type { Covered, SetUnit } from "../../workflows/coverage.js";
import { loadModel, saveModel } from "../../workflows/disk.js";
import { judge } from "../../workflows/judge.js";
import { predictorOf } from "../../workflows/model.js";
import type { NoPartThreshold } from "../../workflows/no-promise.js";
import { type Steered, withMeanContexts } from "../../workflows/steer.js";
import { addDeclared, addUnion, givenFor, givenOf } from "../declared.js";
import { explain } from "../help.js";
import { inputsOf } from "../model-data.js";
import { needed } from "../options.js";
import { CheckFailed, say, write, writeJson } from "../output.js";
import { ProgressLine } from "../progress.js";

const rereading = ({ predicting }: LearningTask) => [predicting.rereading];

const notes = `
HELD-OUT is labelled data that the model was not trained on and that resembles future input. The promise: of all
answers at or above the threshold, present and future, at least the given share is right; it is made with --confidence,
the probability over the draw of HELD-OUT that it is true. A random tenth of HELD-OUT places candidate thresholds, the
rest tests them from the surest down with exact binomial tests and stops at the first that fails (fixed-sequence testing).
--unit token or span promises a precision of single labels, or of spans such as entities: of all that are ever answered,
at least the share is right. Parts of one sequence depend on each other, so whole sequences are tested, by betting, and at
most so many parts of one sequence are answered. --per label makes a separate promise for each label or type of span, --per 2 for
each value of the second column, and all of these promises together are true with --confidence; groups without a promise are left.
--coverage promises sets instead of answers: with this probability the right output is in the set that \`predict --coverage\`
gives, or with --unit token the right label in that of a token, on average over sequences (split conformal prediction).
--recall promises that spans are found: \`predict --recall\` gives all that are probable enough, in the best output or not, and
on average over the sequences that have any, at least this share of a sequence's spans is among them.
--cross-validate 5 needs no held-out data: give it the training data, of which each fifth is answered by a model that is trained again
on the others. The threshold is then marked as an estimate: it comes from other models, so nothing is guaranteed for this one.
The result is stored in MODEL: the threshold with its evidence, and a calibration map (temperature or isotonic,
whichever has the lower cross-validated log loss). If the promise cannot be made, nothing is changed and the exit code is 1.`;

export function register(program: Command): void {
  const command = program
    .command("calibrate")
    .summary("find the threshold for a promised precision")
    .description("Find the threshold above which MODEL keeps a promised precision, and store it in MODEL.")
    .argument("<model>", "a model made by `stargram train`")
    .argument("<held-out...>", "labelled data that the model has not seen: files, or `-` for standard input");
  addUnion(addDeclared(command, calibrateOptions), learningTasks().flatMap(rereading))
    .option("--json", "print one JSON object")
    .action(calibrate);
  explain(command, {
    common: { Promise: ["precision", "unit", "coverage", "recall", "confidence"], Other: ["json"] },
    notes,
    examples: [
      ["stargram calibrate model.sg held-out.txt --precision 0.99", "promise that 99 % of the answers are right"],
      ["stargram calibrate model.sg held-out.txt --precision 0.95 --unit span", "the same for entities"],
      ["stargram calibrate model.sg held-out.txt --precision 0.9 --unit span --per label", "for each type of entity"],
      ["stargram calibrate model.sg held-out.txt --recall 0.95", "promise that 95 % of the entities are found"],
      ["stargram calibrate model.sg held-out.txt --precision 0.99 --mean-contexts 12", "with a range of contexts"],
      ["stargram calibrate model.sg held-out.txt --coverage 0.95", "promise sets that contain the right output"],
      ["stargram calibrate model.sg train.txt --precision 0.95 --cross-validate 5", "an estimate, without more data"],
      [
        "stargram predict model.sg new.txt --precision 0.99 --review left.tsv",
        "answer what is certain, leave the rest",
      ],
    ],
  });
}

async function calibrate(path: string, files: string[], flags: { json?: boolean }, command: Command): Promise<void> {
  const given = givenOf(command, calibrateOptions) as unknown as CalibrateOptions;
  const { coverage } = given as Partial<CoverOptions>;
  const { recall } = given as Partial<RecallOptions>;
  if (coverage === undefined && recall === undefined) needed(given.precision, "--precision SHARE");
  checkOnePromise(given);
  const { model, task } = predictorOf(await loadModel(path), "calibrate", path);
  const asked = givenFor(command, task, learningTasks(), rereading, path);
  /** Makes a promise, after the number of contexts is steered to a mean if one is asked for. */
  const promised = async <R extends { promised: boolean }>(make: (inputs: AsyncIterable<unknown>) => Promise<R>) => {
    const inputs = inputsOf(task, model, files, "judged", asked);
    const found = await withMeanContexts(task, model, inputs, given.meanContexts, make);
    if (found.steered) sayMean(found.steered);
    return found;
  };
  if (recall !== undefined) {
    const found = await promised((inputs) => recallSpans(task, model, inputs, { ...given, recall }));
    if (found.promised) await saveModel(model, path);
    if (flags.json) await writeJson({ model: path, ...found });
    if (!found.promised) throw new CheckFailed(whyNotRecalled(found));
    if (!flags.json) await write(recalledText(found));
    return;
  }
  if (coverage !== undefined) {
    const unit = given.unit as SetUnit;
    const found = await promised((inputs) => cover(task, model, inputs, { ...given, coverage, unit }));
    if (found.promised) await saveModel(model, path);
    if (flags.json) await writeJson({ model: path, ...found });
    if (!found.promised) throw new CheckFailed(whyNotCovered(found));
    if (!flags.json) await write(coveredText(found));
    return;
  }
  const { crossValidate } = given as Partial<EstimateOptions>;
  const found =
    crossValidate === undefined
      ? await promised((inputs) => promiseOn(task, model, inputs, given))
      : await estimated(task, model, files, asked, { ...given, crossValidate });
  const { unit } = found;
  const isFound = "guarantee" in found;
  const how = "estimated" in found ? { promised: false, estimated: isFound } : { promised: isFound };
  const { precision, confidence = 0.95 } = given;
  if (!isFound) {
    if (flags.json) await writeJson({ model: path, ...how, unit, precision, confidence, ...found.why });
    const promise = `a precision of ${share(precision)}${unit === "sequence" ? "" : ` of ${unit}s`}`;
    const made = "estimated" in found ? "expected" : "promised";
    const what = `${promise} cannot be ${made} with ${share(confidence)} confidence; the model is unchanged`;
    const why = found.unit === "sequence" ? whyLines(found.why) : whyPartsLines(found.why, found.unit, precision);
    throw new CheckFailed([what, ...why].join("\n  "));
  }
  await saveModel(model, path);
  const { guarantee, chosen, examples: count } = found;
  const steered = "steered" in found ? { steered: found.steered } : {};
  if (flags.json) await writeJson({ model: path, ...how, unit, ...guarantee, examples: count, ...chosen, ...steered });
  else await write(foundText(found));
}

async function promiseOn(
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  given: CalibrateOptions,
): Promise<Calibrated> {
  const judged = await judge(task, model, inputs, { per: perOf(given) });
  sayPartial(task, judged.partial);
  return calibrateOn(model, judged, given);
}

/** From the training data, which is read as it was for the training. */
async function estimated(
  task: LearningTask,
  model: Predictor,
  files: readonly string[],
  asked: Asked,
  given: EstimateOptions,
): Promise<Estimated> {
  const { learning } = task;
  function* sources() {
    for (const file of files) yield openLines(file);
  }
  const all: unknown[] = [];
  for await (const one of learning.read(sources(), { ...learning.readingOf(model), ...asked })) all.push(one);
  const progress = new ProgressLine(process.stderr.isTTY === true);
  const found = await estimateOn(task, model, all, given, { onProgress: (state) => progress.training(state) });
  progress.end();
  sayPartial(task, found.partial);
  return found;
}

function sayPartial({ learning }: LearningTask, partial: number): void {
  if (partial === 0) return;
  say(`left out ${plural(partial, learning.example)} with unknown labels`);
}

function sayMean({ sure, contexts }: Steered): void {
  const outputs = sure === 1 ? "all outputs" : `outputs with a probability below ${probabilityText(sure)}`;
  say(`${outputs} are searched again with more contexts: ${contexts.toFixed(1)} contexts per decision on average`);
}

type Found = (Calibrated & { promised: true }) | (Estimated & { estimated: true });

/** What makes a threshold from the training data no promise. */
function estimateLines({ crossValidated }: Guarantee | PartGuarantee): string[][] {
  if (crossValidated === undefined) return [];
  return [
    [
      "no promise",
      `estimated from the training data, cross-validated in ${crossValidated} parts: the answers were given by`,
    ],
    ["", "other models, which learned from less. To promise it, calibrate on held-out data"],
  ];
}

function foundText(found: Found): string {
  const { guarantee, chosen, unit } = found;
  const { precision, confidence, threshold, answered, wrong } = guarantee;
  const { map, logLoss } = chosen;
  const noun = unit === "sequence" ? "answers" : `${unit}s that are answered`;
  const sure = threshold > 0 ? `when the probability is at least ${threshold}` : "everything";
  const most = "most" in guarantee ? `, but at most ${plural(guarantee.most, unit)} of one sequence, the surest` : "";
  const asked = "parts" in guarantee ? guarantee.parts : guarantee.tested;
  const counts = `${counted(answered)} of ${counted(asked)} tested ${unit === "sequence" ? "examples" : `${unit}s`} answered`;
  const bound = "lowerBound" in guarantee ? `; at least ${percent(guarantee.lowerBound)} right` : "";
  const sort = guarantee.crossValidated === undefined ? "promise" : "estimate";
  return table(
    [
      [sort, `${share(precision)} of the ${noun} right, with ${share(confidence)} confidence`],
      ...estimateLines(guarantee),
      ["answer", "groups" in guarantee ? "each by the threshold of its group" : `${sure}${most}`],
      ["evidence", `${counts} (${percent(answered / Math.max(1, asked))}), ${counted(wrong)} wrong${bound}`],
      ...groupLines(guarantee),
      [
        "calibration",
        `${mapText(map)} from ${plural(found.examples, "example")}; log loss ${logLoss.model.toFixed(4)}, after the map ${logLoss[map.kind].toFixed(4)}`,
      ],
    ],
    [0, 1],
  );
}

function recalledText({ recall, confidence, guarantee, reported }: Recalled): string {
  const { threshold = 0, spans = 0, found = 0 } = guarantee ?? {};
  return table(
    [
      ["promise", `${share(recall)} of the spans of a sequence found on average, with ${share(confidence)} confidence`],
      ["report", `spans with a probability of at least ${threshold}`],
      [
        "evidence",
        `${counted(found)} of ${plural(spans, "tested span")} found (${percent(found / Math.max(1, spans))}); ${reported?.toFixed(2)} reported for each true one`,
      ],
    ],
    [0, 1],
  );
}

function whyNotRecalled({ recall, confidence, spans, examples: count, reachable }: Recalled): string {
  return [
    `a recall of ${share(recall)} cannot be promised with ${share(confidence)} confidence; the model is unchanged`,
    `${plural(spans, "span")} in ${plural(count, "held-out example")}; the model gives ${percent(reachable)} of them a probability of at least 1 %`,
  ].join("\n  ");
}

function coveredText({ unit, coverage, guarantee, sets, examples: count, partial }: Covered): string {
  const what = unit === "token" ? "labels of each token" : "outputs";
  const of = unit === "token" ? ", on average over sequences" : "";
  const other = unit === "sequence" ? `, ${percent(sets?.other ?? 0)} open to any other output` : "";
  const left = partial > 0 ? `, ${counted(partial)} with unknown labels left out` : "";
  return table(
    [
      ["promise", `sets of ${what} contain the right one with a probability of at least ${share(coverage)}${of}`],
      ["set", `all that have a probability of at least ${guarantee?.threshold}`],
      [
        "size",
        `${sets?.mean.toFixed(2)} on average; ${percent(sets?.single ?? 0)} hold a single one${other} (${plural(count, "held-out example")}${left})`,
      ],
    ],
    [0, 1],
  );
}

function whyNotCovered({ coverage, unit, examples: count, examplesNeeded }: Covered): string {
  const why =
    count < (examplesNeeded ?? 0)
      ? `it takes at least ${plural(examplesNeeded ?? 0, "held-out example")} (here ${counted(count)})`
      : "too often the model gives the right answer no probability at all";
  const of = unit === "token" ? " of tokens" : "";
  return `a coverage of ${share(coverage)}${of} cannot be promised; the model is unchanged\n  ${why}`;
}

/** The thresholds of groups, and those that have none. */
function groupLines(guarantee: Guarantee | PartGuarantee): string[][] {
  if (!("groups" in guarantee) || !guarantee.groups) return [];
  const lines = guarantee.groups.map(({ group, threshold, most, parts, answered, wrong }) => [
    group,
    `from ${probabilityText(threshold)}, at most ${counted(most)} of one sequence: ${counted(answered)} of ${counted(parts)} answered, ${counted(wrong)} wrong`,
  ]);
  const open = guarantee.open ?? [];
  return open.length > 0 ? [...lines, ["no promise", open.join(" ")]] : lines;
}

function whyPartsLines(why: NoPartThreshold, unit: PartUnit, precision: number): string[] {
  const { examples: count, parts, accuracy, surest, examplesNeeded, possible } = why;
  const lines = [`${plural(parts, unit)} in ${plural(count, "held-out sequence")}, ${percent(accuracy)} of them right`];
  if (surest.answered > 0) {
    const { answered, wrong } = surest;
    lines.push(
      `of the surest ${unit}s of ${plural(answered, "sequence")}, one of each, ${counted(wrong)} ${verb(wrong)} wrong`,
    );
  }
  if (examplesNeeded !== undefined) {
    lines.push(
      `if that went on, it would take about ${counted(examplesNeeded)} held-out sequences (here ${counted(count)})`,
    );
  } else if (surest.wrong > (1 - precision) * surest.answered) {
    lines.push("more sequences would not help: the model has to get better");
  }
  return [...lines, ...possibleLines(possible)];
}

function verb(count: number): string {
  return count === 1 ? "is" : "are";
}

function possibleLines(possible: number | undefined): string[] {
  return possible === undefined ? [] : [`with this data, the highest precision you can promise is ${possible}`];
}

function mapText(map: CalibrationMap): string {
  return map.kind === "temperature"
    ? `temperature ${map.temperature.toFixed(3)}`
    : `isotonic, ${plural(map.from.length, "knot")}`;
}

function whyLines({ surest, examples, examplesNeeded, endedBy, possible }: NoThreshold): string[] {
  const lines: string[] = [];
  if (surest.answered > 0) {
    lines.push(
      `of the ${plural(surest.answered, "surest answer")} ${counted(surest.wrong)} ${verb(surest.wrong)} wrong`,
    );
  }
  if (endedBy) {
    const { answered, wrong } = endedBy;
    lines.push(
      `that would do, but surer ones are tested first: of the ${plural(answered, "surest answer")} ${counted(wrong)} ${verb(wrong)} wrong`,
      "if that is chance, more held-out examples will show it; if not, the model is overconfident",
    );
  } else if (examplesNeeded !== undefined) {
    lines.push(
      `if that went on, it would take about ${counted(examplesNeeded)} held-out examples (here ${counted(examples)})`,
    );
  } else lines.push("more examples would not help: the model has to get better");
  return [...lines, ...possibleLines(possible)];
}

/** 0.99 as 99 %, without zeros at the end. */
function share(value: number): string {
  return `${Number((100 * value).toPrecision(12))} %`;
}
