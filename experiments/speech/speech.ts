// The paper's second experiment: text from phones, the alignment unobserved, in five strategies of learning. The paper's
// recordings are not to be had; the Buckeye corpus stands in, with as many utterances: 746 to train, 253 to test.
//   rcms     contexts from the free pass, with ⋆          target   a beam chosen by the clamped pass
//   model    a beam chosen by the free pass               hybrid   the union of both at every step
//   forced   a bigram model imputes the alignment, then a beam with full supervision
// All have 20 contexts and 5 passes; rcms and forced are run over permutations of the data (seeds).

import { write, writeJson } from "#stargram/cli/output.js";
import type { QueueFlags } from "#stargram/cli/queue/flags.js";
import { getDataset } from "#stargram/datasets/registry.js";
import type { SymbolPair } from "#stargram/formats/pair-lines.js";
import { readPairs } from "#stargram/formats/read.js";
import { linePlot } from "#stargram/metrics/svg.js";
import { TransductionScore } from "#stargram/metrics/transduction.js";
import type { TransducerOptions } from "#stargram/tasks/transduce/options.js";
import { Transducer } from "#stargram/tasks/transduce/transducer.js";
import { table } from "#stargram/util/text.js";
import {
  chosenNames,
  cpuSeconds,
  markdownTable,
  ResultsFile,
  type Run,
  shareText,
  spread,
  spreadText,
  writeText,
} from "../runs.js";

const PASSES = 5;

/** Chosen on splits of the training utterances into four fifths and one; see experiments/README.md for what was tried. */
const common: Partial<TransducerOptions> = {
  contexts: 20,
  order: 8,
  window: 2,
  outputGrams: 4,
  moveGrams: [4, 3],
  lightest: 0.001,
  rate: 0.2,
  delta: 0.1,
  l1: 0.5,
  l2: 1,
  passes: PASSES,
  heldOut: 0,
  maxEmit: 4,
  words: 0.4,
};

export const settings: Record<string, Partial<TransducerOptions>> = {
  rcms: { ...common, strategy: "rcms" },
  forced: { ...common, strategy: "forced" },
  hybrid: { ...common, strategy: "hybrid" },
  target: { ...common, strategy: "target" },
  model: { ...common, strategy: "model" },
};

/** What the paper says of each, in words, of its own 746 utterances. */
const reported: Record<string, string> = {
  rcms: "better than forced decoding, without initialisation",
  forced: "the only beam method that learns effectively",
  hybrid: "better than target, but still not very well",
  target: "high training accuracy, generalises extremely poorly",
  model: "does not learn: finds alignments for 2 of its 746",
};

/** Strategies that are run once for each seed; the others once. */
const repeated = new Set(["rcms", "forced"]);

interface SpeechRun extends Run {
  /** [PASSES] on the test utterances. */
  characterErrorRate: number[];
  exactMatches: number[];
  /** [PASSES] training pairs that had an alignment. */
  aligned: number[];
  pairs: number;
  /** [utterances, cumulative average context length], every 100. */
  contextLength: [number, number][];
  trainSeconds: number;
}

export interface SpeechFlags extends QueueFlags {
  out: string;
  seeds: number;
  only?: string;
  json?: boolean;
  data: "buckeye" | "timit";
}

export async function speech(flags: SpeechFlags): Promise<void> {
  const chosen = chosenNames(flags.only, settings);
  const file = await ResultsFile.open<SpeechRun>(flags.out, `speech-${flags.data}`, settings);
  const runs = await file.complete(
    chosen,
    (name) => (repeated.has(name) ? flags.seeds : 1),
    oneRun(flags.data),
    ({ setting, seed, characterErrorRate, exactMatches }) =>
      `${setting}, seed ${seed}: character error rate ${shareText(characterErrorRate[PASSES - 1])}, exact ${shareText(exactMatches[PASSES - 1])}`,
    flags,
  );
  await writeText(flags.out, "character-error-rate.svg", passPlot(runs, "characterErrorRate", "Character error rate"));
  await writeText(flags.out, "exact-matches.svg", passPlot(runs, "exactMatches", "Exact matches"));
  await writeText(flags.out, "context-length.svg", contextLengthPlot(runs));
  await writeText(flags.out, "table.md", markdownTable(besidePaper(rowsOf(runs), flags.data)));
  if (flags.json) await writeJson(Object.fromEntries(summaries(runs).map(({ name, ...rest }) => [name, rest])));
  else await write(table(rowsOf(runs)));
}

/** A setting with a seed, on data that is read when the first asks for it. */
export function oneRun(data: SpeechFlags["data"]): (name: string, seed: number) => Promise<SpeechRun> {
  let read: ReturnType<typeof readData> | undefined;
  return async (name, seed) => {
    read ??= readData(data);
    const { training, test } = await read;
    return runOnce(name, seed, training, test);
  };
}

/** Buckeye's own split; of TIMIT's sample every fourth sentence is for testing. */
async function readData(data: SpeechFlags["data"]): Promise<{ training: SymbolPair[]; test: SymbolPair[] }> {
  const { paths } = await getDataset(data);
  const read = async (path: string): Promise<SymbolPair[]> => {
    const pairs: SymbolPair[] = [];
    const layout = { format: "tsv", columns: [2, 3], input: "tokens", output: "chars" } as const;
    for await (const pair of readPairs(path, layout)) pairs.push(pair);
    return pairs;
  };
  if (data === "buckeye") return { training: await read(paths["train.tsv"]), test: await read(paths["test.tsv"]) };
  const all = await read(paths["utterances.tsv"]);
  return { training: all.filter((_, i) => i % 4 !== 3), test: all.filter((_, i) => i % 4 === 3) };
}

async function runOnce(
  name: string,
  seed: number,
  training: readonly SymbolPair[],
  test: readonly SymbolPair[],
): Promise<SpeechRun> {
  const run: SpeechRun = {
    setting: name,
    seed,
    characterErrorRate: [],
    exactMatches: [],
    aligned: [],
    pairs: training.length,
    contextLength: [],
    trainSeconds: 0,
  };
  let total = 0;
  let began = process.cpuUsage();
  const stopClock = (): void => {
    run.trainSeconds += cpuSeconds(began);
  };
  await Transducer.train(training, {
    ...settings[name],
    seed,
    onExample(step, seen) {
      total += seen.contextLength;
      if (step % 100 === 0) run.contextLength.push([step, total / step]);
    },
    onPass(transducer) {
      stopClock();
      const score = new TransductionScore();
      for (const { input, output } of test) {
        const prediction = transducer.predict(input);
        score.add([output], prediction.output, prediction.probability, 0);
      }
      const report = score.report();
      run.characterErrorRate.push(report.symbolErrorRate);
      run.exactMatches.push(1 - report.wordErrorRate);
      run.aligned.push(transducer.summary.alignedPairs);
      began = process.cpuUsage();
    },
  });
  stopClock();
  return run;
}

interface Summary {
  name: string;
  characterErrorRate: ReturnType<typeof spread>;
  exactMatches: ReturnType<typeof spread>;
  /** Training pairs with an alignment in the first and in the last pass. */
  alignedFirst: number;
  alignedLast: number;
  pairs: number;
  averageContextLength: number;
  trainSeconds: number;
}

function summaries(runs: readonly SpeechRun[]): Summary[] {
  return Object.keys(settings).flatMap((name) => {
    const own = runs.filter((run) => run.setting === name);
    if (own.length === 0) return [];
    return {
      name,
      characterErrorRate: spread(own.map((run) => run.characterErrorRate[PASSES - 1])),
      exactMatches: spread(own.map((run) => run.exactMatches[PASSES - 1])),
      alignedFirst: spread(own.map((run) => run.aligned[0])).median,
      alignedLast: spread(own.map((run) => run.aligned[PASSES - 1])).median,
      pairs: own[0].pairs,
      averageContextLength: spread(own.map((run) => run.contextLength.at(-1)?.[1] ?? 0)).median,
      trainSeconds: spread(own.map((run) => run.trainSeconds)).median,
    };
  });
}

function rowsOf(runs: readonly SpeechRun[]): string[][] {
  return [
    [
      "strategy",
      "character error rate",
      "exact matches",
      "aligned, first pass",
      "aligned, last pass",
      "context length",
    ],
    ...summaries(runs).map((one) => [
      one.name,
      spreadText(one.characterErrorRate),
      spreadText(one.exactMatches),
      `${one.alignedFirst} of ${one.pairs}`,
      `${one.alignedLast} of ${one.pairs}`,
      one.averageContextLength.toFixed(2),
    ]),
  ];
}

/** The paper's words stand only beside data of the size of its own. */
function besidePaper([head, ...rows]: string[][], data: SpeechFlags["data"]): string[][] {
  if (data !== "buckeye") return [head, ...rows];
  return [[...head, "the paper says"], ...rows.map((row) => [...row, reported[row[0]]])];
}

function passPlot(runs: readonly SpeechRun[], field: "characterErrorRate" | "exactMatches", title: string): string {
  return linePlot({
    title: `${title} on test utterances`,
    x: { label: "passes over the training data", domain: [1, PASSES] },
    y: { label: title.toLowerCase(), format: "percent" },
    series: Object.keys(settings).flatMap((name) => {
      const own = runs.filter((run) => run.setting === name);
      if (own.length === 0) return [];
      const passes = Array.from({ length: PASSES }, (_, p) => spread(own.map((run) => run[field][p])));
      return {
        name,
        points: passes.map(({ median }, p) => [p + 1, median] as const),
        band: own.length > 1 ? passes.map(({ low, high }, p) => [p + 1, low, high] as const) : undefined,
      };
    }),
  });
}

function contextLengthPlot(runs: readonly SpeechRun[]): string {
  return linePlot({
    title: "Average context length while learning",
    x: { label: "utterances learned from" },
    y: { label: "moves remembered" },
    series: runs
      .filter((run) => run.seed === 1)
      .map((run) => ({ name: run.setting, points: run.contextLength.map(([x, y]) => [x, y] as const) })),
  });
}
