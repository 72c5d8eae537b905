// How well a segmenter does: a segment is right if its beginning, its end and its label are. precision = right / found,
// recall = right / true, F1 = their harmonic mean; what lies outside is not counted.

import { outcomesOf } from "../../confidence/conformal.js";
import { type Answer, AnswerLog } from "../../metrics/answers.js";
import { type Sureness, surenessOf } from "../../metrics/sureness.js";
import type { Rates } from "../../metrics/tagging.js";
import { InputError } from "../../util/errors.js";
import { counted, duration, percent, plural, table } from "../../util/text.js";
import { answeredLines, calibrationLine } from "../report.js";
import type { Judgement, PredictionAsked, Score, ShownCase } from "../task.js";
import { goldOf, OUTSIDE, positionsOf, type SegmentedText, UNLABELLED } from "./example.js";
import type { Segment, SegmentedOutput, Segmenter } from "./segmenter.js";

/** A segment for comparison. */
interface Place {
  start: number;
  end: number;
  label: string;
  key: string;
}

/** The right segments of a text by offsets, without what lies outside; undefined if the data does not say. */
function truth(segmenter: Segmenter, example: SegmentedText): Place[] | undefined {
  const positions = positionsOf(example, segmenter.parts.input);
  return goldOf(example, positions)
    ?.filter(({ label }) => label !== OUTSIDE)
    .map(({ from, to, label }) => placed(positions.start[from], positions.end[to - 1], label));
}

function placed(start: number, end: number, label = UNLABELLED): Place {
  return { start, end, label, key: `${start} ${end} ${label}` };
}

const placeOf = ({ start, end, label }: Segment): Place => placed(start, end, label);

/** Whether a segmenter is right, as a whole and segment by segment. */
export function judgeText(
  segmenter: Segmenter,
  example: SegmentedText,
  { inference, nbest, possible, per }: PredictionAsked,
): Judgement | undefined {
  const gold = truth(segmenter, example);
  if (!gold) return undefined;
  if (typeof per === "number") throw new InputError("option `per`: segments are grouped by `label` alone");
  const keys = new Set(gold.map(({ key }) => key));
  const asked = { inference, nbest, marginals: possible };
  const { segments, probability, nbest: outputs, marginals } = segmenter.predict(example, asked);
  const parts = segments.map((segment) => ({
    confidence: segment.probability,
    correct: keys.has(placeOf(segment).key),
    group: segment.label ?? UNLABELLED,
  }));
  const correct = gold.length === segments.length && parts.every((part) => part.correct);
  const judged = { whole: { confidence: probability, correct }, parts, trueSpans: gold.length };
  if (marginals) {
    const known = new Map(marginals.map((segment) => [placeOf(segment).key, segment.probability]));
    const truths = gold.map(({ key }) => known.get(key) ?? 0);
    const candidates = marginals.map((segment) => segment.probability);
    return { ...judged, possible: { truths, candidates } };
  }
  if (!outputs) return judged;
  const isRight = ({ segments: own }: SegmentedOutput): boolean =>
    own.length === gold.length && own.every((segment) => keys.has(placeOf(segment).key));
  const outcomes = outcomesOf(
    outputs.map((output) => output.probability),
    outputs.findIndex(isRight),
  );
  return { ...judged, outcomes };
}

/** A text with its segments, between brackets where something lies outside. */
export function showText(
  segmenter: Segmenter,
  example: SegmentedText,
  { inference }: PredictionAsked,
): ShownCase | undefined {
  const gold = truth(segmenter, example);
  if (!gold) return undefined;
  const { text, segments, probability } = segmenter.predict(example, { inference });
  const written = (places: readonly Place[]): string =>
    places.map(({ start, end, label }) => `[${text.slice(start, end)}]${label}`).join(" ");
  const output = written(segments.map(placeOf));
  const right = written(gold);
  return { input: text, output, truth: right, confidence: probability, correct: output === right };
}

/** Counts of one label: true segments, found ones, and those that are both. */
interface Tally {
  support: number;
  predicted: number;
  correct: number;
}

/** Counts of segments by label. */
class Tallies {
  private readonly byLabel = new Map<string, Tally>();

  private of(label: string): Tally {
    let tally = this.byLabel.get(label);
    if (!tally) {
      tally = { support: 0, predicted: 0, correct: 0 };
      this.byLabel.set(label, tally);
    }
    return tally;
  }

  /** Counts the segments of a text; whether all of them are right. */
  add(gold: readonly Place[], found: readonly Place[]): boolean {
    const keys = new Set(gold.map(({ key }) => key));
    let right = 0;
    for (const { label } of gold) this.of(label).support++;
    for (const { label, key } of found) {
      const tally = this.of(label);
      tally.predicted++;
      if (!keys.has(key)) continue;
      tally.correct++;
      right++;
    }
    return right === gold.length && right === found.length;
  }

  total(): Tally {
    const total: Tally = { support: 0, predicted: 0, correct: 0 };
    for (const { support, predicted, correct } of this.byLabel.values()) {
      total.support += support;
      total.predicted += predicted;
      total.correct += correct;
    }
    return total;
  }

  rates(): Record<string, Rates> {
    return Object.fromEntries([...this.byLabel].sort().map(([label, tally]) => [label, ratesOf(tally)]));
  }
}

function ratesOf({ support, predicted, correct }: Tally): Rates {
  const precision = predicted > 0 ? correct / predicted : 0;
  const recall = support > 0 ? correct / support : 0;
  const f1 = support + predicted > 0 ? (2 * correct) / (support + predicted) : 0;
  return { precision, recall, f1, support, predicted, correct };
}

export interface SegmentReport extends Sureness {
  texts: number;
  textAccuracy: number;
  /** How many there are in the correct labels. */
  segments: number;
  segmentF1: number;
  segmentPrecision: number;
  segmentRecall: number;
  labels: Record<string, Rates>;
  logLikelihood: number | null;
  impossibleTexts: number;
  /** Of segments one by one. */
  spanSureness: Sureness;
}

export function scoreSegmenter(segmenter: Segmenter, { inference }: PredictionAsked): Score<SegmentedText> {
  const tallies = new Tallies();
  const answers: Answer[] = [];
  const spans = new AnswerLog();
  let logLikelihood = 0;
  let impossibleTexts = 0;
  let unknownLabels = 0;
  const find = (example: SegmentedText) => {
    if (!truth(segmenter, example)) return undefined;
    const { segments, probability } = segmenter.predict(example, { inference });
    return { segments, probability, logLikelihood: segmenter.logLikelihood(example, { inference }) };
  };
  return {
    answers,
    find,
    add(example, found) {
      const gold = truth(segmenter, example);
      if (!gold) return;
      const { segments, probability, ...more } = (found ?? find(example)) as NonNullable<ReturnType<typeof find>>;
      answers.push({ confidence: probability, correct: tallies.add(gold, segments.map(placeOf)) });
      const keys = new Set(gold.map(({ key }) => key));
      for (const segment of segments) spans.add(segment.probability, keys.has(placeOf(segment).key));
      unknownLabels += gold.filter(({ label }) => segmenter.parts.labels.indexOf(label) < 0).length;
      const log = more.logLikelihood;
      if (log === Number.NEGATIVE_INFINITY) impossibleTexts++;
      else logLikelihood += log;
    },
    parts: () => ({ span: spans.columns() }),
    report: (): Record<string, unknown> & SegmentReport => {
      const { support, f1, precision, recall } = ratesOf(tallies.total());
      return {
        texts: answers.length,
        textAccuracy: answers.filter(({ correct }) => correct).length / Math.max(1, answers.length),
        segments: support,
        segmentF1: f1,
        segmentPrecision: precision,
        segmentRecall: recall,
        labels: tallies.rates(),
        logLikelihood: impossibleTexts > 0 ? null : logLikelihood,
        impossibleTexts,
        unknownLabels,
        ...surenessOf(answers),
        spanSureness: surenessOf(spans.columns()),
      };
    },
    warnings: () =>
      unknownLabels > 0
        ? [`${plural(unknownLabels, "segment")} with a label that the model does not know: counted as wrong`]
        : [],
  };
}

export function reportText(report: SegmentReport & { seconds: number }): string {
  const { segments, texts, seconds, logLikelihood } = report;
  const rates = `F1 ${percent(report.segmentF1)}, precision ${percent(report.segmentPrecision)}, recall ${percent(report.segmentRecall)}`;
  const lines = [
    ["texts", counted(texts), `${percent(report.textAccuracy)} right in every segment`],
    ["segments", counted(segments), rates],
    ...answeredLines(report.recallAtPrecision, "texts"),
    ...answeredLines({ "0.95": report.spanSureness.recallAtPrecision["0.95"] }, "segments found"),
    logLikelihood === null
      ? ["log-likelihood", "-∞", `${counted(report.impossibleTexts)} texts have probability 0`]
      : [
          "log-likelihood",
          logLikelihood.toFixed(2),
          `${(logLikelihood / Math.max(1, texts)).toFixed(4)} for each text`,
        ],
    calibrationLine(report),
    ["time", duration(seconds), `${counted(Math.round(texts / Math.max(seconds, 1e-3)))} texts a second`],
  ];
  const labels = Object.entries(report.labels);
  if (labels.length < 2) return table(lines, [0, 2]);
  const byLabel = labels.map(([label, { precision, recall, f1, support, predicted }]) => [
    ...[label === UNLABELLED ? "(no label)" : label, percent(precision), percent(recall), percent(f1)],
    ...[counted(support), counted(predicted)],
  ]);
  return [table(lines, [0, 2]), table([["label", "precision", "recall", "F1", "true", "predicted"], ...byLabel])].join(
    "\n",
  );
}

export const measures = [
  ...["segmentF1", "segmentPrecision", "segmentRecall", "textAccuracy"],
  ...["recallAtPrecision.0.9", "recallAtPrecision.0.95", "recallAtPrecision.0.99"],
  ...["logLikelihood", "expectedCalibrationError", "chanceCalibrationError", "brier", "aurc", "seconds"],
  ...["texts", "segments", "impossibleTexts", "unknownLabels"],
];

export const lessIsBetter = [
  ...["expectedCalibrationError", "brier", "aurc", "seconds"],
  ...["impossibleTexts", "unknownLabels"],
];

export const evaluateNotes = `
With a segmenter: a segment is right if its start, end and label are right.
  --json      one object: texts, textAccuracy, segments, segmentF1, segmentPrecision, segmentRecall, labels {precision, recall,
              f1, support, predicted, correct}, logLikelihood (null if a text has probability 0), impossibleTexts, unknownLabels,
              recallAtPrecision, expectedCalibrationError, brier, aurc, spanSureness (the same of segments one by one), seconds; shares
              from 0 to 1`;
