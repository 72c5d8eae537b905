// What the commands do with a transducer: outputs for inputs, measures on pairs, alignments as text.
//   alignment   in two columns, a part for each input symbol between `|`; symbols written for it between `:`, `_` for none;
//               within symbols `\|`, `\:` and `\\`, and `\_` for the symbol `_`

import type { LineSource } from "../formats/lines.js";
import { joinSymbols, kindsOf, layoutOf, type PairLayout } from "../formats/pair-lines.js";
import { readPairs } from "../formats/read.js";
import { type TransductionReport, TransductionScore } from "../metrics/transduction.js";
import type {
  AlignedSymbol,
  TransducedOutput,
  TransducePredictOptions,
  Transducer,
  TransducerAnswer,
  TransducerPrediction,
  TransducerSlot,
} from "../tasks/transduce/transducer.js";
import { counted, duration, percent, plural, probabilityText, table } from "../util/text.js";
import type { SourcePart } from "./commands/predict.js";
import { say, write, writeJson } from "./output.js";
import { writePlots } from "./plots.js";
import { promiseLines } from "./promises.js";
import type { ReviewDesk } from "./review-desk.js";
import { pairItem } from "./review-items.js";

/** `p|h|o|n|e` and `F|_|OW|N|_` */
export function alignmentText(alignment: readonly AlignedSymbol[]): string[] {
  return alignmentParts(alignment).map((side) => side.join("|"));
}

/** The parts of both sides, one for each input symbol. */
export function alignmentParts(alignment: readonly AlignedSymbol[]): [inputs: string[], outputs: string[]] {
  return [
    alignment.map(({ input }) => escaped(input)),
    alignment.map(({ output }) => (output.length > 0 ? output.map(escaped).join(":") : "_")),
  ];
}

/** A symbol so that it cannot be taken for the signs between symbols. */
function escaped(symbol: string): string {
  return symbol === "_" ? "\\_" : symbol.replace(/[|:\\]/g, "\\$&");
}

export interface PredictFlags {
  nbest?: number;
  align?: boolean;
  json?: boolean;
  contexts?: number;
  /** Print the contexts kept at each slot. */
  showContexts?: boolean;
  inference?: "rcms" | "beam" | "exact";
  precision?: number;
  review?: string;
}

function inferenceFrom({ contexts, inference }: PredictFlags): TransducePredictOptions["inference"] {
  const chosen: TransducePredictOptions["inference"] = {};
  if (contexts !== undefined) chosen.contexts = contexts;
  if (inference !== undefined) chosen.mode = inference;
  return chosen;
}

/** Input TAB output TAB probability (with a promised precision, two columns more: see `writeAnswer`), or JSON Lines, for each input as it comes. */
export async function predictOutputs(
  transducer: Transducer,
  source: LineSource,
  flags: PredictFlags,
  desk: ReviewDesk,
  part?: SourcePart,
): Promise<void> {
  const layout = layoutOf(transducer);
  const { read, written } = kindsOf(layout);
  const unknown = new Set<string>();
  const options = {
    ...{ nbest: flags.nbest, alignment: flags.align, contexts: flags.showContexts },
    inference: inferenceFrom(flags),
  };
  for await (const { input } of readPairs(source, { ...layout, ...part, inputsOnly: true })) {
    let prediction: TransducerPrediction;
    if (flags.precision === undefined) prediction = transducer.predict(input, options);
    else {
      const { nbest, alignment } = options;
      const answer = transducer.answer(input, { nbest, alignment, precision: flags.precision });
      await desk.count(answer.answered, (number) => pairItem(input, leftCandidates(answer), { read, written }, number));
      await writeAnswer(answer, joinSymbols(input, read), written, flags.json === true);
      continue;
    }
    for (const symbol of prediction.unknown) {
      if (unknown.has(symbol)) continue;
      unknown.add(symbol);
      say(`the symbol ${JSON.stringify(symbol)} was never seen in training`);
    }
    const text = joinSymbols(input, read);
    if (flags.json) {
      await writeJson({
        input: text,
        ...prediction,
        output: joinSymbols(prediction.output, written),
        ...shownNbest(prediction.nbest, written),
      });
      continue;
    }
    const lines = (prediction.nbest ?? [prediction]).map(({ output, probability, alignment }) =>
      [
        text,
        joinSymbols(output, written),
        probabilityText(probability),
        ...(alignment ? alignmentText(alignment) : []),
      ].join("\t"),
    );
    await write(`${lines.join("\n")}\n${(prediction.slots ?? []).map(slotLine).join("")}`);
  }
}

/** `# 3.1 TAB F →/0.98 TAB ⋆/0.02`: position and symbols written for it, then moves remembered; `→` goes to the next position. */
function slotLine({ position, written, contexts }: TransducerSlot): string {
  const masses = contexts.map(
    ({ suffix, probability }) =>
      `${suffix.map((move) => move ?? "→").join(" ") || "⋆"}/${probabilityText(probability)}`,
  );
  return `# ${[`${position + 1}.${written}`, ...masses].join("\t")}\n`;
}

function leftCandidates(answer: TransducerAnswer): readonly TransducedOutput[] {
  return answer.answered ? [] : answer.candidates;
}

/** Input, output (empty if left to a person), probability, calibrated probability, `answered` or `left`. */
async function writeAnswer(
  answer: TransducerAnswer,
  input: string,
  kind: PairLayout["output"],
  json: boolean,
): Promise<void> {
  const { answered } = answer;
  const { probability, calibratedProbability = probability, ...rest } = answered ? answer : answer.prediction;
  const output = joinSymbols(rest.output, kind);
  if (!json) {
    const probabilities = [probability, calibratedProbability].map(probabilityText);
    return write(`${[input, answered ? output : "", ...probabilities, answered ? "answered" : "left"].join("\t")}\n`);
  }
  const shown = answered
    ? { output, alignment: rest.alignment, ...shownNbest(rest.nbest, kind) }
    : { candidates: shownNbest(answer.candidates, kind).nbest };
  await writeJson({ input, answered, probability, calibratedProbability, ...shown, unknown: rest.unknown });
}

function shownNbest(
  nbest: readonly TransducedOutput[] | undefined,
  kind: PairLayout["output"],
): Record<string, unknown> {
  return nbest ? { nbest: nbest.map((one) => ({ ...one, output: joinSymbols(one.output, kind) })) } : {};
}

/** Measures a transducer on pairs; pairs with the same input are several right answers. */
export async function evaluateOutputs(
  transducer: Transducer,
  files: readonly string[],
  flags: PredictFlags & { plots?: string },
): Promise<TransductionReport & { alignedTrainingPairs: number; seconds: number }> {
  const layout = layoutOf(transducer);
  const answers = new Map<string, { input: readonly string[]; outputs: (readonly string[])[] }>();
  for (const file of files) {
    for await (const { input, output } of readPairs(file, layout)) {
      const key = JSON.stringify(input);
      const known = answers.get(key);
      if (known) known.outputs.push(output);
      else answers.set(key, { input, outputs: [output] });
    }
  }
  const score = new TransductionScore();
  const inference = inferenceFrom(flags);
  let seconds = 0;
  for (const { input, outputs } of answers.values()) {
    const started = performance.now();
    const prediction = transducer.predict(input, { inference });
    seconds += (performance.now() - started) / 1000;
    const likelihood = Math.max(...outputs.map((output) => transducer.logLikelihood(input, output)));
    score.add(outputs, prediction.output, prediction.probability, likelihood);
  }
  if (flags.plots !== undefined) await writePlots(flags.plots, [{ name: "model", answers: score.answers }], "Outputs");
  return { ...score.report(), alignedTrainingPairs: transducer.summary.alignedPairs, seconds };
}

export function transductionText(
  report: TransductionReport & { alignedTrainingPairs: number; seconds: number },
): string {
  const recall = report.recallAtPrecision;
  const lines: string[][] = [
    ["inputs", counted(report.inputs), ""],
    ["word error rate", percent(report.wordErrorRate), "inputs whose output is no right answer"],
    ["symbol error rate", percent(report.symbolErrorRate), "edits to the nearest right answer"],
  ];
  for (const precision of ["0.9", "0.95", "0.99"] as const) {
    lines.push(["answered", percent(recall[precision]), `of the inputs at ${100 * Number(precision)} % precision`]);
  }
  const { logLikelihood, unwritable } = report;
  const each = logLikelihood === null ? "-∞" : (logLikelihood / (report.inputs - unwritable)).toFixed(4);
  const left =
    unwritable > 0 && logLikelihood !== null ? ` but ${counted(unwritable)} that the model cannot write` : "";
  lines.push(["log-likelihood", each, `for each input${left}`]);
  const brier = `Brier score ${report.brier.toFixed(4)}`;
  lines.push(["calibration", percent(report.expectedCalibrationError), `expected error; ${brier}`]);
  lines.push(["training pairs", counted(report.alignedTrainingPairs), "had an alignment"]);
  const speed = Math.round(report.inputs / Math.max(report.seconds, 1e-3));
  lines.push(["time", duration(report.seconds), `${plural(speed, "input")} a second`]);
  return table(lines, [0, 2]);
}

/** What is in a transducer. */
export function transducerContents(transducer: Transducer, path: string, bytes: number) {
  const { rows, options, summary, weights } = transducer;
  return {
    model: path,
    kind: "transducer",
    bytes,
    inputSymbols: transducer.inputSymbols.all(),
    outputSymbols: transducer.outputSymbols.all(),
    windows: rows.windowTree.row.filter((row) => row >= 0).length,
    outputNgrams: rows.outputTree.row.length,
    moveNgrams: rows.moveTree.row.filter((row) => row >= 0).length,
    weights: weights.reduce((count, weight) => count + (weight !== 0 ? 1 : 0), 0),
    input: layoutOf(transducer),
    options,
    summary,
    powers: transducer.powers,
    joint: transducer.joint !== undefined,
    calibration: transducer.calibration,
  };
}

/** `p^0.93 · graphones^0.21 · words^0.37`, if anything but p helps to choose. */
function choiceText({ joint, options, powers }: ReturnType<typeof transducerContents>): string[][] {
  if (!joint && options.words === 0) return [];
  const factors = [
    `p^${powers.own.toFixed(2)}`,
    ...(joint ? [`graphones^${powers.joint.toFixed(2)}`] : []),
    ...(options.words > 0 ? [`words^${powers.words.toFixed(2)}`] : []),
  ];
  return [["chooses by", factors.join(" · ")]];
}

export function transducerContentsText(contents: ReturnType<typeof transducerContents>): string {
  const { options, summary, input } = contents;
  const some = (symbols: readonly string[]): string =>
    `${counted(symbols.length)}: ${symbols.slice(0, 20).join(" ")}${symbols.length > 20 ? " …" : ""}`;
  const reads = input.reverse ? `${input.output} from the output side` : `${input.input} from the input side`;
  return table(
    [
      ["model", `transducer, ${counted(contents.bytes)} bytes`],
      ["reads", some(contents.inputSymbols)],
      ["writes", some(contents.outputSymbols)],
      [
        "features",
        `${plural(contents.windows, "window")}, ${plural(contents.outputNgrams, "output n-gram")}, ${plural(contents.moveNgrams, "n-gram")} of aligned pairs`,
      ],
      ["weights", `${counted(contents.weights)} that are not zero`],
      [
        "inference",
        `${plural(options.contexts, "context")}, order ${options.order}, at most ${options.maxEmit} written for one symbol`,
      ],
      ["input", `${input.format}, ${reads}`],
      [
        "trained on",
        `${plural(summary.pairs, "pair")}, ${counted(summary.alignedPairs)} aligned, strategy ${options.strategy}, seed ${options.seed}`,
      ],
      ["", `pass ${summary.bestPass} of ${summary.history.length}${summary.stopped ? "; stopped before its end" : ""}`],
      ...choiceText(contents),
      ["calibration", `scores divided by ${summary.temperature.toFixed(3)}`],
      ...promiseLines(contents.calibration),
    ],
    [0, 1],
  );
}
