// Promises about tokens and spans on labelled text of one's own: a tagger learns from one file with default settings; the
// sequences of another are split at random 200 times, one half to calibrate and one to test. For each unit and precision: how
// often the promise could be made, what share of the parts was then answered, what precision was achieved, and how often it was
// below the promise.

import { write, writeJson } from "#stargram/cli/output.js";
import type { PartUnit } from "#stargram/confidence/calibration.js";
import { answeredParts, type Cluster, findClusteredThreshold } from "#stargram/confidence/clustered.js";
import { readTagging } from "#stargram/formats/read.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { upperBound } from "#stargram/util/binomial.js";
import { generator, shuffle } from "#stargram/util/random.js";
import { percent, table } from "#stargram/util/text.js";
import { judge } from "#stargram/workflows/judge.js";
import { learningTaskOf } from "#stargram/workflows/model.js";
import { cpuSeconds, markdownTable, ResultsFile, type Run, writeText } from "../runs.js";

const SPLITS = 200;
const PRECISIONS = [0.9, 0.95, 0.99];
const settings = { splits: SPLITS, precisions: PRECISIONS };

interface PromisesRun extends Run {
  sequences: number;
  trainSeconds: number;
  summaries: Summary[];
}

interface Summary {
  data: string;
  unit: PartUnit;
  precision: number;
  sequences: number;
  parts: number;
  accuracy: number;
  /** Of 200 splits. */
  promised: number;
  /** Means over those in which it was. */
  answered: number;
  achieved: number;
  /** Splits in which the precision achieved on the other half is below the promise, and clearly so (5 % test). */
  below: number;
  clearlyBelow: number;
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
  const summaries = runs.flatMap((run) => run.summaries);
  const rows = turned(summaries);
  await writeText(out, "table.md", markdownTable(rows));
  if (flags.json) await writeJson(summaries);
  else await write(table(rows));
}

async function runOnce(setting: string, training: string, heldOut: string): Promise<PromisesRun> {
  const began = process.cpuUsage();
  const tagger = await Tagger.train(readTagging(training, { labelled: true }), { seed: 1 });
  const trainSeconds = cpuSeconds(began);
  const task = learningTaskOf(tagger, "calibrate");
  const inputs = task.predicting.inputsOf(readTagging(heldOut, { labelled: true }));
  const { answers, parts } = await judge(task, tagger, inputs);
  const summaries = Object.entries(parts).flatMap(([unit, clusters]) =>
    PRECISIONS.map((precision) => summaryOf(setting, unit as PartUnit, clusters, precision)),
  );
  return { setting, seed: 1, sequences: answers.length, trainSeconds, summaries };
}

function summaryOf(data: string, unit: PartUnit, clusters: readonly Cluster[], precision: number): Summary {
  const count = clusters.reduce((sum, { confidence }) => sum + confidence.length, 0);
  const right = clusters.reduce((sum, { correct }) => sum + Array.from(correct).filter(Boolean).length, 0);
  const found: { answered: number; wrong: number; parts: number }[] = [];
  for (let split = 1; split <= SPLITS; split++) {
    const order = shuffle(
      Int32Array.from(clusters, (_, i) => i),
      generator(split, 7),
    );
    const halves = Math.floor(order.length / 2);
    const pick = (from: number, to: number): Cluster[] => Array.from(order.slice(from, to), (i) => clusters[i]);
    const guarantee = findClusteredThreshold(pick(0, halves), { precision, seed: split });
    if (guarantee) found.push(countsOf(pick(halves, order.length), guarantee));
  }
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
    below: found.filter(({ answered, wrong }) => wrong > (1 - precision) * answered + 1e-9).length,
    clearlyBelow: found.filter(({ answered, wrong }) => upperBound(answered - wrong, answered, 0.05) < precision)
      .length,
  };
}

function countsOf(clusters: readonly Cluster[], guarantee: { threshold: number; most: number }) {
  const counts = { answered: 0, wrong: 0, parts: 0 };
  for (const { confidence, correct } of clusters) {
    const sure = answeredParts(confidence, guarantee);
    counts.parts += confidence.length;
    counts.answered += sure.length;
    counts.wrong += sure.filter((part) => !correct[part]).length;
  }
  return counts;
}

function turned(summaries: readonly Summary[]): string[][] {
  return [
    ["data", "unit", "parts", "right", "promised precision", "made in", "answered", "achieved", "below the promise"],
    ...summaries.map((one) => [
      one.data,
      one.unit,
      String(one.parts),
      percent(one.accuracy),
      percent(one.precision),
      `${one.promised} of ${SPLITS}`,
      one.promised > 0 ? percent(one.answered) : "",
      one.promised > 0 ? percent(one.achieved) : "",
      one.promised > 0 ? `${one.below} (clearly ${one.clearlyBelow})` : "",
    ]),
  ];
}
