// How well a tagger does on labelled sequences.

import type { PartUnit } from "../../confidence/calibration.js";
import { type Outcomes, outcomesOf } from "../../confidence/conformal.js";
import type { GivenLabel } from "../../formats/sequence.js";
import { type Answer, AnswerLog } from "../../metrics/answers.js";
import { type Sureness, surenessOf } from "../../metrics/sureness.js";
import { chunksOf, type Rates, type TaggingReport, TaggingScore } from "../../metrics/tagging.js";
import { counted, duration, percent, plural, table } from "../../util/text.js";
import { answeredLines, calibrationLine } from "../report.js";
import type { Judgement, PredictionAsked, Score, ShownCase } from "../task.js";
import { partGroups } from "./answer-parts.js";
import { isKnown, type TaggerInput } from "./inputs.js";
import type { TaggedOutput } from "./prediction.js";
import type { TaggedSpan } from "./spans.js";
import type { Tagger } from "./tagger.js";

/** Whether a tagger is right, as a whole and label by label; undefined where some labels are not known. */
export function judgeSequence(
  tagger: Tagger,
  { sequence }: TaggerInput,
  { inference, nbest, marginals, possible, per }: PredictionAsked,
): Judgement | undefined {
  const gold = sequence.labels ?? [];
  if (!gold.every((label): label is string => typeof label === "string")) return undefined;
  const asked = { inference, confidences: true, spans: tagger.marksSpans, nbest, marginals };
  const found = tagger.predict(sequence, asked);
  const { labels, probability, confidences = [], spans } = found;
  const groupsOf = (unit: PartUnit) => (per === undefined ? undefined : partGroups(per, unit, found, sequence));
  return {
    spans: spans && grouped(judgeSpans(spans, gold), groupsOf("span")),
    ...(spans && { trueSpans: chunksOf(gold).length }),
    ...(possible && tagger.marksSpans && { possible: judgePossible(tagger.possibleSpans(sequence), gold) }),
    ...(found.nbest && { outcomes: outputOutcomes(found.nbest, gold) }),
    ...(found.marginals && { partOutcomes: found.marginals.map((own, i) => labelOutcomes(own, gold[i])) }),
    whole: { confidence: probability, correct: labels.every((label, i) => label === gold[i]) },
    parts: grouped(
      labels.map((label, i) => ({ confidence: confidences[i], correct: label === gold[i] })),
      groupsOf("token"),
    ),
  };
}

/** Answers with their groups, if they have some. */
function grouped(answers: Answer[], groups: readonly string[] | undefined): Answer[] {
  return groups ? answers.map((answer, i) => ({ ...answer, group: groups[i] })) : answers;
}

function outputOutcomes(outputs: readonly TaggedOutput[], gold: readonly string[]): Outcomes {
  const right = outputs.findIndex(({ labels }) => labels.every((label, i) => label === gold[i]));
  return outcomesOf(
    outputs.map(({ probability }) => probability),
    right,
  );
}

/** A label that the model does not know has no probability. */
function labelOutcomes(marginals: Readonly<Record<string, number>>, gold: string): Outcomes {
  const probabilities = Float64Array.from(Object.values(marginals)).sort().reverse();
  return { probabilities, truth: Object.hasOwn(marginals, gold) ? marginals[gold] : 0 };
}

function keyOf(from: number, to: number, label: string): string {
  return `${from} ${to} ${label}`;
}

/** How probable the true spans are. */
function judgePossible(spans: readonly TaggedSpan[], gold: readonly string[]) {
  const known = new Map(spans.map(({ from, to, label, probability }) => [keyOf(from, to, label), probability]));
  const truths = chunksOf(gold).map(({ start, end, type }) => known.get(keyOf(start, end, type)) ?? 0);
  return { truths, candidates: spans.map(({ probability }) => probability) };
}

/** Whether spans stand in the truth as they are. */
function judgeSpans(spans: readonly TaggedSpan[], gold: readonly string[]): Answer[] {
  const right = new Set(chunksOf(gold).map(({ start, end, type }) => keyOf(start, end, type)));
  return spans.map(({ from, to, label, probability }) => ({
    confidence: probability,
    correct: right.has(keyOf(from, to, label)),
  }));
}

/** A sequence with its labels; those that are not known are `_`. Undefined where none is. */
export function showSequence(
  tagger: Tagger,
  { sequence }: TaggerInput,
  { inference }: PredictionAsked,
): ShownCase | undefined {
  const gold = trueLabels(sequence);
  if (gold.every((label) => label === null)) return undefined;
  const { labels, probability } = tagger.predict(sequence, { inference });
  const words = sequence.columns?.map(([word]) => word) ?? [sequence.id ?? `sequence at line ${sequence.line}`];
  const unknown = new Set(gold.filter((label) => label !== null && !isKnown(tagger, label)));
  return {
    input: words.join(" "),
    output: labels.join(" "),
    truth: gold.map((label) => label ?? "_").join(" "),
    confidence: probability,
    correct: labels.every((label, i) => gold[i] === null || label === gold[i]),
    notices: [...unknown].map((label) => `the model does not know the label \`${label}\`: counted as wrong`),
  };
}

/** The one true label of each position; null where there is none: it is not known, or several are allowed. */
function trueLabels({ labels = [] }: TaggerInput["sequence"]): (string | null)[] {
  return labels.map((label) => (typeof label === "string" ? label : null));
}

export function scoreTagger(tagger: Tagger, { inference }: PredictionAsked): Score<TaggerInput> {
  const score = new TaggingScore((label) => isKnown(tagger, label));
  const parts = { token: new AnswerLog(), span: new AnswerLog() };
  const { marksSpans } = tagger;
  let unknownLabels = 0;
  const find = ({ sequence }: TaggerInput) => {
    const possible = (sequence.labels ?? []).map((label) => knownPart(tagger, label));
    const asked = { inference, confidences: true, spans: marksSpans };
    const { labels, probability, confidences = [], spans = [] } = tagger.predict(sequence, asked);
    const logLikelihood = tagger.logLikelihood({ ...sequence, labels: possible }, { inference });
    return { labels, probability, confidences, spans, logLikelihood };
  };
  return {
    answers: score.answers,
    find,
    add(one, found) {
      const { labels, probability, confidences, spans, logLikelihood } =
        (found as ReturnType<typeof find>) ?? find(one);
      const gold = trueLabels(one.sequence);
      unknownLabels += gold.filter((label) => label !== null && !isKnown(tagger, label)).length;
      gold.forEach((label, i) => {
        if (label !== null) parts.token.add(confidences[i], labels[i] === label);
      });
      if (gold.every((label): label is string => label !== null)) {
        for (const { confidence, correct } of judgeSpans(spans, gold)) parts.span.add(confidence, correct);
      }
      score.add(gold, labels, probability, logLikelihood);
    },
    parts: () => ({ token: parts.token.columns(), ...(marksSpans && { span: parts.span.columns() }) }),
    report: () => ({
      ...score.report(),
      unknownLabels,
      tokenSureness: surenessOf(parts.token.columns()),
      ...(marksSpans && { spanSureness: surenessOf(parts.span.columns()) }),
    }),
    warnings: () =>
      unknownLabels > 0
        ? [`${plural(unknownLabels, "token")} with a label that the model does not know: counted as wrong`]
        : [],
  };
}

/** What is left of a label when those that the model does not know are taken away: null where nothing is. */
function knownPart(tagger: Tagger, label: GivenLabel): GivenLabel {
  const left = (typeof label === "string" ? [label] : (label ?? [])).filter((one) => isKnown(tagger, one));
  return left.length > 0 ? left : null;
}

export function reportText(report: TaggingReport & { seconds: number }): string {
  const { chunks, seconds } = report;
  const lines: string[][] = [
    ["sequences", counted(report.sequences), `${percent(report.sequenceAccuracy)} right in every label`],
    ["tokens", counted(report.tokens), `${percent(report.tokenAccuracy)} right`],
  ];
  if (report.unknownTokens > 0) lines.push(["", counted(report.unknownTokens), "without a known label, not counted"]);
  if (chunks) {
    const rates = `F1 ${percent(chunks.f1)}, precision ${percent(chunks.precision)}, recall ${percent(chunks.recall)}`;
    lines.push(["chunks", counted(chunks.support), rates]);
  }
  lines.push(...confidenceLines(report));
  const speed = `${counted(Math.round((report.tokens + report.unknownTokens) / Math.max(seconds, 1e-3)))} tokens a second`;
  lines.push(["time", duration(seconds), speed]);
  const parts = [table(lines, [0, 2])];
  if (chunks) parts.push(ratesTable("chunk", chunks.types));
  parts.push(ratesTable("label", report.labels));
  return parts.join("\n");
}

/** Of tokens and spans one by one. */
interface PartReports {
  tokenSureness?: Sureness;
  spanSureness?: Sureness;
}

/** How much of the parts can be answered at the precision that people ask for most. */
function partLines({ tokenSureness, spanSureness }: PartReports): string[][] {
  const lines: string[][] = [];
  for (const [noun, sureness] of [["tokens", tokenSureness] as const, ["spans found", spanSureness] as const]) {
    if (sureness) lines.push(...answeredLines({ "0.95": sureness.recallAtPrecision["0.95"] }, noun));
  }
  return lines;
}

function confidenceLines(report: TaggingReport & PartReports): string[][] {
  const { logLikelihood, recallAtPrecision, expectedCalibrationError, chanceCalibrationError, brier } = report;
  const lines = [...(recallAtPrecision ? answeredLines(recallAtPrecision, "sequences") : []), ...partLines(report)];
  if (typeof logLikelihood === "number") {
    const each = (logLikelihood / report.sequences).toFixed(4);
    lines.push(["log-likelihood", logLikelihood.toFixed(2), `${each} for each sequence`]);
  } else if (logLikelihood === null) {
    lines.push(["log-likelihood", "-∞", `${counted(report.impossibleSequences ?? 0)} sequences have probability 0`]);
  }
  if (expectedCalibrationError !== undefined && chanceCalibrationError !== undefined && brier !== undefined) {
    lines.push(calibrationLine({ expectedCalibrationError, chanceCalibrationError, brier }));
  }
  return lines;
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

export const evaluateNotes = `
With a tagger: chunks (labels such as B-NP, I-NP, O) are counted as conlleval counts them.
  --json      one object: sequences, tokens, unknownTokens, unknownLabels, sequenceAccuracy, tokenAccuracy, chunkF1 and
              chunks where labels mark chunks, logLikelihood, impossibleSequences, recallAtPrecision {"0.9", "0.95",
              "0.99"}, labels, tokenSureness and spanSureness (the same of tokens and spans one by one),
              expectedCalibrationError, chanceCalibrationError, brier, aurc (area under the risk-coverage curve), seconds; shares
              from 0 to 1
Labels that the model does not know count as wrong, and are counted (unknownLabels); the log-likelihood leaves their positions
open. If the first sequence has no other, they are refused unless --allow-unknown is given: is the last column the label?`;
