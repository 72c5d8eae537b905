// `stargram evaluate`: how often a model is right, and how far its probabilities can be trusted.

import type { Command } from "commander";
import type { GivenLabel } from "../../formats/sequence.js";
import { type Rates, type TaggingReport, TaggingScore } from "../../metrics/tagging.js";
import type { Tagger } from "../../tasks/tag/tagger.js";
import { Transducer } from "../../tasks/transduce/transducer.js";
import { counted, duration, percent, plural, table } from "../../util/text.js";
import { loadModel } from "../../workflows/disk.js";
import { isKnown, readForModel, taggerOf } from "../input.js";
import {
  addInferenceOptions,
  addReadOptions,
  examples,
  type InferenceFlags,
  inferenceFrom,
  type ReadFlags,
  refuseFlags,
} from "../options.js";
import { say, write, writeJson } from "../output.js";
import { writePlots } from "../plots.js";
import { checkRequired, holdTo, type Requirement, requirement } from "../requirements.js";

interface EvaluateFlags extends ReadFlags, InferenceFlags {
  json?: boolean;
  allowUnknown?: boolean;
  require?: Requirement[];
  plots?: string;
}

const notes = `
A sequence is right when all its labels are. Chunks (labels such as B-NP, I-NP, O) are counted as conlleval counts them.
"Answered at 99 % precision": when only the surest sequences are answered, the largest share with 99 % of them right.
  --json      one object: sequences, tokens, unknownTokens, unknownLabels, sequenceAccuracy, tokenAccuracy, chunkF1 and
              chunks where labels mark chunks, logLikelihood, impossibleSequences, recallAtPrecision {"0.9", "0.95",
              "0.99"}, labels, expectedCalibrationError, brier, aurc (area under the risk-coverage curve), seconds; shares
              from 0 to 1
Labels that the model does not know are refused, unless --allow-unknown is given or the model knows another label of the
same chunk type (I-LST where it knows B-LST). They count as wrong; the log-likelihood leaves their positions open.
With a transducer: word and symbol error rates; any of an input's answers is right. --json: inputs, wordErrorRate,
symbolErrorRate, recallAtPrecision, alignedTrainingPairs, logLikelihood, unwritable (inputs whose answers the model cannot
write; the log-likelihood leaves them out), expectedCalibrationError, brier, aurc, seconds.
  --require   exit with 1 unless a number of --json is at least the value given, or, where less is better, at most:
              wordErrorRate, symbolErrorRate, expectedCalibrationError, brier, aurc, unwritable, unknownTokens,
              unknownLabels, impossibleSequences, seconds. A dot leads to a number inside: recallAtPrecision.0.95,
              labels.NN.f1, chunks.types.NP.recall`;

export function register(program: Command): void {
  const command = program
    .command("evaluate")
    .summary("measure a model on labelled data")
    .description("Compare a model's predictions with the labels of DATA.")
    .argument("<model>", "a model made by `stargram train`")
    .argument("<data...>", "labelled data: files, or `-` for standard input")
    .option("--json", "print one JSON object")
    .option("--allow-unknown", "count labels that the model does not know as wrong answers instead of refusing them")
    .option("--plots <folder>", "write precision-recall, risk-coverage, reliability and histogram as SVG")
    .option("--require <measure=value>", "fail unless the measure reaches the value; may be repeated", requirement);
  addInferenceOptions(addReadOptions(command))
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram evaluate model.sg test.txt", "a report to read"],
        ["stargram evaluate model.sg test.txt --json", "the same for programs"],
        ["stargram evaluate model.sg test.txt --plots plots", "how sure and how right, as pictures"],
        ["stargram evaluate letters.sg letter.data.gz --folds 1", "one fold of the handwritten letters"],
        ["stargram evaluate model.sg test.txt --require tokenAccuracy=0.96", "a check for scripts: at least 96 %"],
        ["stargram evaluate g2p.sg test.tsv --require wordErrorRate=0.3", "an error rate of 30 % at most"],
      ),
    )
    .action(evaluate);
}

async function evaluate(path: string, files: string[], flags: EvaluateFlags): Promise<void> {
  const model = await loadModel(path);
  if (model instanceof Transducer) {
    refuseFlags(flags, ["format", "pixels", "folds", "allowUnknown"], "taggers", path);
    checkRequired("transducer", flags.require, path);
    const { evaluateOutputs, transductionText } = await import("../transduction.js");
    const report = await evaluateOutputs(model, files, flags);
    await (flags.json ? writeJson(report) : write(transductionText(report)));
    return holdTo(flags.require, report);
  }
  const tagger = taggerOf(model, path);
  checkRequired("tagger", flags.require, path);
  const inference = inferenceFrom(flags);
  const unknown = flags.allowUnknown ? "allow" : "chunks";
  const score = new TaggingScore((label) => isKnown(tagger, label));
  let unknownLabels = 0;
  const started = performance.now();
  for (const file of files) {
    for await (const { sequence } of readForModel(file, tagger, { ...flags, labels: "needed", unknown })) {
      // A position that allows several labels has no one true label.
      const gold = (sequence.labels ?? []).map((label) => (typeof label === "string" ? label : null));
      const possible = (sequence.labels ?? []).map((label) => knownPart(tagger, label));
      unknownLabels += gold.filter((label) => label !== null && !isKnown(tagger, label)).length;
      const { labels, probability } = tagger.predict(sequence, { inference });
      score.add(gold, labels, probability, tagger.logLikelihood({ ...sequence, labels: possible }, { inference }));
    }
  }
  const seconds = (performance.now() - started) / 1000;
  const report = { ...score.report(), unknownLabels, seconds };
  if (flags.plots !== undefined)
    await writePlots(flags.plots, [{ name: "model", answers: score.answers }], "Sequences");
  if (flags.json) await writeJson(report);
  else await write(reportText(report, seconds));
  if (unknownLabels > 0 && !flags.json) {
    say(`${plural(unknownLabels, "token")} with a label that the model does not know: counted as wrong`);
  }
  holdTo(flags.require, report);
}

/** What is left of a label when those that the model does not know are taken away: null where nothing is. */
function knownPart(tagger: Tagger, label: GivenLabel): GivenLabel {
  const left = (typeof label === "string" ? [label] : (label ?? [])).filter((one) => isKnown(tagger, one));
  return left.length > 0 ? left : null;
}

function reportText(report: TaggingReport, seconds: number): string {
  const lines: string[][] = [
    ["sequences", counted(report.sequences), `${percent(report.sequenceAccuracy)} right in every label`],
    ["tokens", counted(report.tokens), `${percent(report.tokenAccuracy)} right`],
  ];
  if (report.unknownTokens > 0) lines.push(["", counted(report.unknownTokens), "without a known label, not counted"]);
  const { chunks, logLikelihood, recallAtPrecision: recall } = report;
  if (chunks) {
    const rates = `F1 ${percent(chunks.f1)}, precision ${percent(chunks.precision)}, recall ${percent(chunks.recall)}`;
    lines.push(["chunks", counted(chunks.support), rates]);
  }
  if (recall) {
    for (const precision of ["0.9", "0.95", "0.99"] as const) {
      lines.push([
        "answered",
        percent(recall[precision]),
        `of the sequences at ${100 * Number(precision)} % precision`,
      ]);
    }
  }
  if (typeof logLikelihood === "number") {
    const each = (logLikelihood / report.sequences).toFixed(4);
    lines.push(["log-likelihood", logLikelihood.toFixed(2), `${each} for each sequence`]);
  } else if (logLikelihood === null) {
    lines.push(["log-likelihood", "-∞", `${counted(report.impossibleSequences ?? 0)} sequences have probability 0`]);
  }
  if (report.expectedCalibrationError !== undefined && report.brier !== undefined) {
    const brier = `Brier score ${report.brier.toFixed(4)}`;
    lines.push(["calibration", percent(report.expectedCalibrationError), `expected error; ${brier}`]);
  }
  const speed = `${counted(Math.round((report.tokens + report.unknownTokens) / Math.max(seconds, 1e-3)))} tokens a second`;
  lines.push(["time", duration(seconds), speed]);
  const parts = [table(lines, [0, 2])];
  if (chunks) parts.push(ratesTable("chunk", chunks.types));
  parts.push(ratesTable("label", report.labels));
  return parts.join("\n");
}

function ratesTable(name: string, rates: Readonly<Record<string, Rates>>): string {
  const sorted = Object.entries(rates).sort((a, b) => b[1].support - a[1].support || (a[0] < b[0] ? -1 : 1));
  return table([
    [name, "precision", "recall", "F1", "true", "predicted"],
    ...sorted.map(([label, { precision, recall, f1, support, predicted }]) => [
      label === "" ? "(no type)" : label,
      percent(precision),
      percent(recall),
      percent(f1),
      counted(support),
      counted(predicted),
    ]),
  ]);
}
