// Promises about tokens and spans on labelled text of one's own: a tagger learns from one file with default settings; the
// sequences of another are split at random 200 times, one half to calibrate and one to test. For each unit and precision: how
// often the promise could be made, what share of the parts was then answered, of spans also what share of all true ones was answered
// rightly, what precision was achieved, and how often it was below the promise.

import { write, writeJson } from "#stargram/cli/output.js";
import type { PartUnit } from "#stargram/confidence/calibration.js";
import { answeredParts, type Cluster, findClusteredThreshold } from "#stargram/confidence/clustered.js";
import { readTagging } from "#stargram/formats/read.js";
import type { TaggingSequence } from "#stargram/formats/sequence.js";
import { chunksOf } from "#stargram/metrics/tagging.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { upperBound } from "#stargram/util/binomial.js";
import { generator, shuffle } from "#stargram/util/random.js";
import { percent, table } from "#stargram/util/text.js";
import { asTheyCome } from "#stargram/workflows/examples.js";
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
  /** Of spans: the share of all true ones that is answered, and rightly. */
  found?: number;
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
  const sequences: TaggingSequence[] = [];
  for await (const sequence of readTagging(heldOut, { labelled: true })) {
    if (sequence.labels?.every((label) => typeof label === "string")) sequences.push(sequence);
  }
  const { answers, parts } = await judge(task, tagger, task.predicting.inputsOf(asTheyCome(sequences)));
  const truths = sequences.map(({ labels }) => chunksOf(labels as string[]).length);
  const summaries = Object.entries(parts).flatMap(([unit, clusters]) =>
    PRECISIONS.map((precision) =>
      summaryOf(
        setting,
        unit as PartUnit,
        clusters.map((one, i) => ({ ...one, true: truths[i] })),
        precision,
      ),
    ),
  );
  return { setting, seed: 1, sequences: answers.length, trainSeconds, summaries };
}

/** The parts of a sequence, and how many true spans it has. */
type Known = Cluster & { true: number };

function summaryOf(data: string, unit: PartUnit, clusters: readonly Known[], precision: number): Summary {
  const count = clusters.reduce((sum, { confidence }) => sum + confidence.length, 0);
  const right = clusters.reduce((sum, { correct }) => sum + Array.from(correct).filter(Boolean).length, 0);
  const found: ReturnType<typeof countsOf>[] = [];
  for (let split = 1; split <= SPLITS; split++) {
    const order = shuffle(
      Int32Array.from(clusters, (_, i) => i),
      generator(split, 7),
    );
    const halves = Math.floor(order.length / 2);
    const pick = (from: number, to: number): Known[] => Array.from(order.slice(from, to), (i) => clusters[i]);
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
    ...(unit === "span" && { found: mean((one) => (one.answered - one.wrong) / Math.max(1, one.true)) }),
    below: found.filter(({ answered, wrong }) => wrong > (1 - precision) * answered + 1e-9).length,
    clearlyBelow: found.filter(({ answered, wrong }) => upperBound(answered - wrong, answered, 0.05) < precision)
      .length,
  };
}

function countsOf(clusters: readonly Known[], guarantee: { threshold: number; most: number }) {
  const counts = { answered: 0, wrong: 0, parts: 0, true: 0 };
  for (const { confidence, correct, true: spans } of clusters) {
    counts.true += spans;
    const sure = answeredParts(confidence, guarantee);
    counts.parts += confidence.length;
    counts.answered += sure.length;
    counts.wrong += sure.filter((part) => !correct[part]).length;
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
      one.promised > 0 && one.found !== undefined ? percent(one.found) : "",
      one.promised > 0 ? percent(one.achieved) : "",
      one.promised > 0 ? `${one.below} (clearly ${one.clearlyBelow})` : "",
    ]),
  ];
}
