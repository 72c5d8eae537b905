// Promises about sequences, tokens and spans on labelled text of one's own: a tagger learns from one file with default settings; the
// sequences of another are split at random 200 times, one half to calibrate and one to test. For each unit and precision: how
// often the promise could be made, what share of the parts was then answered, of spans also what share of all true ones was answered
// rightly, what precision was achieved, and how often it was below the promise. Beside it the naive way: the lowest threshold with
// which the first half has the precision. Plots for each data set: how sure sequences, tokens and spans are, what promises answer,
// and how often they are broken.

import { write, writeJson } from "#stargram/cli/output.js";
import type { Unit } from "#stargram/confidence/calibration.js";
import { answeredParts, type Cluster, findClusteredThreshold } from "#stargram/confidence/clustered.js";
import { findThreshold } from "#stargram/confidence/threshold.js";
import { readTagging } from "#stargram/formats/read.js";
import type { TaggingSequence } from "#stargram/formats/sequence.js";
import { type Answers, rankAnswers } from "#stargram/metrics/answers.js";
import { precisionRecallCurve } from "#stargram/metrics/precision-recall.js";
import { linePlot } from "#stargram/metrics/svg.js";
import type { Point } from "#stargram/metrics/svg-line.js";
import { chunksOf } from "#stargram/metrics/tagging.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { upperBound } from "#stargram/util/binomial.js";
import { generator, shuffle } from "#stargram/util/random.js";
import { firstWhere } from "#stargram/util/search.js";
import { percent, table } from "#stargram/util/text.js";
import { asTheyCome } from "#stargram/workflows/examples.js";
import { allOf, judge } from "#stargram/workflows/judge.js";
import { learningTaskOf } from "#stargram/workflows/model.js";
import { cpuSeconds, markdownTable, ResultsFile, type Run, writeText } from "../runs.js";

const SPLITS = 200;
const PRECISIONS = [0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99];
/** Those in the table. */
const SHOWN = [0.9, 0.95, 0.99];
const settings = { splits: SPLITS, precisions: PRECISIONS };

interface PromisesRun extends Run {
  sequences: number;
  trainSeconds: number;
  summaries: Summary[];
  /** By unit: precision of the surest, by share answered. */
  curves: Record<string, Point[]>;
}

interface Summary {
  data: string;
  unit: Unit;
  precision: number;
  sequences: number;
  parts: number;
  accuracy: number;
  /** Of 200 splits. */
  promised: number;
  /** Means over those in which it was. */
  answered: number;
  achieved: number;
  /** Where labels mark spans: the share of all true ones that is answered rightly, as a span or in its sequence. */
  found?: number;
  /** Splits in which the precision achieved on the other half is below the promise, and clearly so (5 % test). */
  below: number;
  clearlyBelow: number;
  /** The same with a naive threshold, in all splits. */
  naiveAnswered: number;
  naiveBelow: number;
}

export async function promises(
  training: string,
  heldOut: string,
  flags: { out: string; name: string; json?: boolean },
): Promise<void> {
  const { name, out } = flags;
  const file = await ResultsFile.open<PromisesRun>(out, "promises", { [name]: settings }, { keepsOthers: true });
  const runs = await file.complete(
    [name],
    () => 1,
    () => runOnce(name, training, heldOut),
    ({ trainSeconds }) => `${name}: trained in ${Math.round(trainSeconds)} s of processor time`,
  );
  for (const run of runs) {
    for (const [plot, svg] of Object.entries(plotsOf(run))) await writeText(out, `${run.setting}-${plot}.svg`, svg);
  }
  const summaries = runs.flatMap((run) => run.summaries);
  const rows = turned(summaries.filter(({ precision }) => SHOWN.includes(precision)));
  await writeText(out, "table.md", markdownTable(rows));
  if (flags.json) await writeJson(summaries);
  else await write(table(rows));
}

async function runOnce(setting: string, training: string, heldOut: string): Promise<PromisesRun> {
  const began = process.cpuUsage();
  const tagger = await Tagger.train(readTagging(training, { labelled: true }), { seed: 1 });
  const trainSeconds = cpuSeconds(began);
  const task = learningTaskOf(tagger, "calibrate");
  const sequences: TaggingSequence[] = [];
  for await (const sequence of readTagging(heldOut, { labelled: true })) {
    if (sequence.labels?.every((label) => typeof label === "string")) sequences.push(sequence);
  }
  const { answers, parts } = await judge(task, tagger, task.predicting.inputsOf(asTheyCome(sequences)));
  const truths = sequences.map(({ labels }) => chunksOf(labels as string[]).length);
  const wholes = answers.map(({ confidence, correct }) => ({ confidence: [confidence], correct: [correct] }));
  const clustersOf: Record<string, Cluster[]> = { sequence: wholes, ...parts };
  const summaries = Object.entries(clustersOf).flatMap(([unit, clusters]) =>
    PRECISIONS.map((precision) =>
      summaryOf(
        setting,
        unit as Unit,
        clusters.map((one, i) => ({ ...one, true: tagger.marksSpans ? truths[i] : 0 })),
        precision,
      ),
    ),
  );
  const units = { sequence: answers, ...mapValues(parts, allOf) };
  return {
    ...{ setting, seed: 1, sequences: answers.length, trainSeconds, summaries },
    curves: mapValues(units, (own) => curveOf(own as Answers)),
  };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, of: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]));
}

const STEPS = 100;

/** The precision of the surest 1 %, 2 %, … of the answers. */
function curveOf(answers: Answers): Point[] {
  const all = precisionRecallCurve(answers);
  return Array.from({ length: STEPS }, (_, i): Point => {
    const share = (i + 1) / STEPS;
    const { precision } =
      all[
        Math.min(
          all.length - 1,
          firstWhere(0, all.length, (at) => all[at].recall >= share),
        )
      ];
    return [share, Number(precision.toPrecision(6))];
  });
}

const nouns: Readonly<Record<string, string>> = { sequence: "sentences", token: "tokens", span: "entities" };

/** The same for both ways, on light and on dark paper. */
const colors: Readonly<Record<string, string>> = { sequence: "#1f7fc0", token: "#d55e00", span: "#00a67d" };

function plotsOf({ setting, summaries, curves }: PromisesRun): Record<string, string> {
  const promised = { label: "promised precision", domain: [PRECISIONS[0], 1], format: "percent" } as const;
  const byUnit = (unit: string, of: (one: Summary) => number): Point[] =>
    summaries.filter((one) => one.unit === unit).map((one): Point => [one.precision, of(one)]);
  const units = [...new Set(summaries.map(({ unit }) => unit))];
  return {
    "how-sure": linePlot({
      title: `${setting}: precision of the answers given, by share answered`,
      x: { label: "share answered, the surest first", domain: [0, 1], format: "percent" },
      y: { label: "right", domain: [0.4, 1], format: "percent" },
      series: Object.entries(curves).map(([unit, points]) => ({ name: nouns[unit], points })),
    }),
    answered: linePlot({
      title: `${setting}: what a promise answers, mean of ${SPLITS} splits (nothing where none could be made)`,
      x: promised,
      y: { label: "answered", domain: [0, 1], format: "percent" },
      series: units.map((unit) => ({
        name: nouns[unit],
        points: byUnit(unit, (one) => (one.answered * one.promised) / SPLITS),
      })),
    }),
    below: linePlot({
      title: `${setting}: splits in which the precision was below the promise`,
      x: promised,
      y: { label: `of ${SPLITS} splits`, domain: [0, 1], format: "percent" },
      series: [
        ...units.map((unit) => ({
          name: `${nouns[unit]}, naive threshold`,
          points: byUnit(unit, (one) => one.naiveBelow / SPLITS),
          color: colors[unit],
          dashed: true,
        })),
        ...units.map((unit) => ({
          name: `${nouns[unit]}, promise`,
          points: byUnit(unit, (one) => one.below / SPLITS),
          color: colors[unit],
          dashed: false,
        })),
        {
          name: "5 %",
          points: [
            [PRECISIONS[0], 0.05],
            [1, 0.05],
          ],
          color: "#8c959f",
          dashed: true,
        },
      ],
    }),
  };
}

/** The parts of a sequence, and how many true spans it has. */
type Known = Cluster & { true: number };

function summaryOf(data: string, unit: Unit, clusters: readonly Known[], precision: number): Summary {
  const count = clusters.reduce((sum, { confidence }) => sum + confidence.length, 0);
  const right = clusters.reduce((sum, { correct }) => sum + Array.from(correct).filter(Boolean).length, 0);
  const found: ReturnType<typeof countsOf>[] = [];
  const naive: ReturnType<typeof countsOf>[] = [];
  for (let split = 1; split <= SPLITS; split++) {
    const order = shuffle(
      Int32Array.from(clusters, (_, i) => i),
      generator(split, 7),
    );
    const halves = Math.floor(order.length / 2);
    const pick = (from: number, to: number): Known[] => Array.from(order.slice(from, to), (i) => clusters[i]);
    const [first, second] = [pick(0, halves), pick(halves, order.length)];
    const guarantee = promiseOf(unit, first, { precision, seed: split });
    if (guarantee) found.push(countsOf(unit, second, guarantee));
    naive.push(countsOf(unit, second, { threshold: naiveCutOff(first, precision), most: Number.POSITIVE_INFINITY }));
  }
  const isBelow = ({ answered, wrong }: ReturnType<typeof countsOf>) => wrong > (1 - precision) * answered + 1e-9;
  const mean = (of: (one: (typeof found)[number]) => number): number =>
    found.reduce((sum, one) => sum + of(one), 0) / Math.max(1, found.length);
  return {
    data,
    unit,
    precision,
    sequences: clusters.length,
    parts: count,
    accuracy: right / Math.max(1, count),
    promised: found.length,
    answered: mean(({ answered, parts }) => answered / parts),
    achieved: mean(({ answered, wrong }) => 1 - wrong / Math.max(1, answered)),
    ...(unit !== "token" && { found: mean((one) => one.found / Math.max(1, one.true)) }),
    below: found.filter(isBelow).length,
    clearlyBelow: found.filter(({ answered, wrong }) => upperBound(answered - wrong, answered, 0.05) < precision)
      .length,
    naiveAnswered: naive.reduce((sum, one) => sum + one.answered / one.parts, 0) / SPLITS,
    naiveBelow: naive.filter(isBelow).length,
  };
}

/** The lowest threshold above which these very parts have the precision. */
function naiveCutOff(clusters: readonly Cluster[], precision: number): number {
  const { confidence, answered, correct } = rankAnswers(allOf(clusters));
  let lowest = Number.POSITIVE_INFINITY;
  confidence.forEach((own, group) => {
    if (correct[group] >= precision * answered[group]) lowest = own;
  });
  return lowest;
}

function promiseOf(unit: Unit, clusters: readonly Cluster[], options: { precision: number; seed: number }) {
  if (unit !== "sequence") return findClusteredThreshold(clusters, options);
  const found = findThreshold(allOf(clusters), options);
  return found && { threshold: found.threshold, most: 1 };
}

function countsOf(unit: Unit, clusters: readonly Known[], guarantee: { threshold: number; most: number }) {
  const counts = { answered: 0, wrong: 0, parts: 0, true: 0, found: 0 };
  for (const { confidence, correct, true: spans } of clusters) {
    counts.true += spans;
    const sure = answeredParts(confidence, guarantee);
    const right = sure.filter((part) => correct[part]).length;
    counts.parts += confidence.length;
    counts.answered += sure.length;
    counts.wrong += sure.length - right;
    counts.found += unit === "span" ? right : right * spans;
  }
  return counts;
}

function turned(summaries: readonly Summary[]): string[][] {
  return [
    [
      ...["data", "unit", "parts", "right", "promised precision", "made in", "answered", "of all entities"],
      ...["achieved", "below the promise"],
    ],
    ...summaries.map((one) => [
      one.data,
      one.unit,
      String(one.parts),
      percent(one.accuracy),
      percent(one.precision),
      `${one.promised} of ${SPLITS}`,
      one.promised > 0 ? percent(one.answered) : "",
      one.promised > 0 && one.found ? percent(one.found) : "",
      one.promised > 0 ? percent(one.achieved) : "",
      one.promised > 0 ? `${one.below} (clearly ${one.clearlyBelow})` : "",
    ]),
  ];
}
