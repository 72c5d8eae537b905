// How well a segmenter does: precision, recall and F1 of segments, which are right when start, end and label are.

import type { Answer } from "../../metrics/answers.js";
import { type Sureness, surenessOf } from "../../metrics/sureness.js";
import { counted, duration, percent, table } from "../../util/text.js";
import { answeredLines, calibrationLine } from "../report.js";
import type { Judgement, PredictionAsked, Score } from "../task.js";
import { goldOf, OUTSIDE, positionsOf, UNLABELLED } from "./example.js";
import type { SegmentInput } from "./reading.js";
import type { FoundSegment, Segmenter } from "./segmenter.js";

interface Compared {
  /** [found segments] */
  correct: boolean[];
  found: FoundSegment[];
  right: { key: string; label: string }[];
  probability: number;
}

function keyOf(start: number, end: number, label: string): string {
  return `${start}-${end} ${label}`;
}

/** The segments found and the right ones; undefined if the text has none. */
function compared(segmenter: Segmenter, input: SegmentInput, { inference }: PredictionAsked): Compared | undefined {
  const positions = positionsOf(input, segmenter.attributes.input);
  const gold = goldOf(input, positions);
  if (!gold) return undefined;
  const right = gold
    .filter(({ label }) => label !== OUTSIDE)
    .map(({ from, to, label }) => ({ key: keyOf(positions.start[from], positions.end[to - 1], label), label }));
  const keys = new Set(right.map(({ key }) => key));
  const { segments, probability } = segmenter.predict(input, { inference });
  const correct = segments.map(({ start, end, label = UNLABELLED }) => keys.has(keyOf(start, end, label)));
  return { correct, found: segments, right, probability };
}

export function judgeText(segmenter: Segmenter, input: SegmentInput, asked: PredictionAsked): Judgement | undefined {
  const one = compared(segmenter, input, asked);
  if (!one) return undefined;
  const isRight = one.correct.every(Boolean) && one.found.length === one.right.length;
  return {
    whole: { confidence: one.probability, correct: isRight },
    parts: one.found.map(({ probability }, i) => ({ confidence: probability, correct: one.correct[i] })),
  };
}

class Rates {
  found = 0;
  right = 0;
  common = 0;

  report() {
    const precision = this.found > 0 ? this.common / this.found : 0;
    const recall = this.right > 0 ? this.common / this.right : 0;
    const f1 = precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0;
    return { precision, recall, f1, support: this.right, predicted: this.found };
  }
}

export function scoreSegmenter(segmenter: Segmenter, asked: PredictionAsked): Score<SegmentInput> {
  const answers: Answer[] = [];
  const all = new Rates();
  const byLabel = new Map<string, Rates>();
  const of = (label: string): Rates => {
    let rates = byLabel.get(label);
    if (!rates) {
      rates = new Rates();
      byLabel.set(label, rates);
    }
    return rates;
  };
  return {
    answers,
    add(input) {
      const one = compared(segmenter, input, asked);
      if (!one) return;
      const isRight = one.correct.every(Boolean) && one.found.length === one.right.length;
      answers.push({ confidence: one.probability, correct: isRight });
      for (const { label } of one.right) for (const rates of [all, of(label)]) rates.right++;
      one.found.forEach(({ label = UNLABELLED }, i) => {
        for (const rates of [all, of(label)]) {
          rates.found++;
          if (one.correct[i]) rates.common++;
        }
      });
    },
    report() {
      const { f1, precision, recall, support } = all.report();
      const labelled = [...byLabel].filter(([label]) => label !== UNLABELLED);
      return {
        texts: answers.length,
        textAccuracy: answers.filter(({ correct }) => correct).length / Math.max(1, answers.length),
        segments: support,
        segmentF1: f1,
        segmentPrecision: precision,
        segmentRecall: recall,
        labels: Object.fromEntries(labelled.map(([label, rates]) => [label, rates.report()])),
        ...surenessOf(answers),
      };
    },
  };
}

interface SegmentReport extends Sureness {
  texts: number;
  textAccuracy: number;
  segments: number;
  segmentF1: number;
  segmentPrecision: number;
  segmentRecall: number;
  labels: Record<string, ReturnType<Rates["report"]>>;
  seconds: number;
}

export function reportText(report: SegmentReport): string {
  const rates = `F1 ${percent(report.segmentF1)}, precision ${percent(report.segmentPrecision)}, recall ${percent(report.segmentRecall)}`;
  const lines = [
    ["texts", counted(report.texts), `${percent(report.textAccuracy)} right in every segment`],
    ["segments", counted(report.segments), rates],
    ...answeredLines(report.recallAtPrecision, "texts"),
    calibrationLine(report),
    [
      "time",
      duration(report.seconds),
      `${counted(Math.round(report.segments / Math.max(report.seconds, 1e-3)))} segments a second`,
    ],
  ];
  const labels = Object.entries(report.labels).sort((a, b) => b[1].support - a[1].support || (a[0] < b[0] ? -1 : 1));
  if (labels.length === 0) return table(lines, [0, 2]);
  const byLabel = labels.map(([label, { precision, recall, f1, support, predicted }]) => [
    label,
    percent(precision),
    percent(recall),
    percent(f1),
    counted(support),
    counted(predicted),
  ]);
  return `${table(lines, [0, 2])}\n${table([["label", "precision", "recall", "F1", "true", "predicted"], ...byLabel])}`;
}

export const evaluateNotes = `
With a segmenter: a segment is right when its start, its end and its label are. --json: texts, textAccuracy, segments,
segmentF1, segmentPrecision, segmentRecall, labels, recallAtPrecision, expectedCalibrationError, brier, aurc, seconds.`;
