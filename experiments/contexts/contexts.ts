// Accuracy by time, for each way to spend contexts: handwritten words, 8 × 4 pixels, fold 1 to test and the rest to train; order 3 with
// the paper's rows, and order 7 with all rows and pairs of pixels. As many contexts everywhere; a range of them, more where there is doubt; beam search; contexts chosen by
// forward mass times a value (proposals.ts); as many as the input alone makes seem needed. All but beam search read by the same
// weights, learned with a range. What values and predicted numbers depend on was chosen on folds 0 and 5.

import { write, writeJson } from "#stargram/cli/output.js";
import type { QueueFlags } from "#stargram/cli/queue/flags.js";
import { getDataset } from "#stargram/datasets/registry.js";
import type { Inference } from "#stargram/engine/inference.js";
import { withContexts } from "#stargram/engine/inference.js";
import type { Problem } from "#stargram/engine/problem.js";
import type { TaggingSequence } from "#stargram/formats/sequence.js";
import { linePlot } from "#stargram/metrics/svg.js";
import { type Corpus, CorpusBuilder } from "#stargram/tasks/tag/corpus.js";
import { TaggerEngine } from "#stargram/tasks/tag/learner.js";
import { inferenceOf } from "#stargram/tasks/tag/options.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { table } from "#stargram/util/text.js";
import {
  chosenNames,
  cpuSeconds,
  markdownTable,
  ResultsFile,
  type Run,
  shareText,
  spread,
  writeText,
} from "../runs.js";
import { readWords } from "../word-recognition/word-recognition.js";
import { followingOf, LearnedValues, predictedLimits, ValuedPass } from "./proposals.js";

const shared = {
  rate: 0.2,
  delta: 1e-4,
  heldOut: 0,
  contexts: { least: 5, most: 200 },
  /** How beam search learns. */
  beam: { contexts: 40, beamTraining: "violation" },
  fixed: [3, 5, 7, 10, 15, 20, 40, 100],
  ranges: [
    [5, 20],
    [5, 40],
    [5, 100],
    [5, 200],
  ],
  beams: [5, 10, 20, 40, 100, 200],
  valued: [5, 10, 20],
  predicted: [0.5, 1, 2],
} as const;

export const settings = {
  "order-3": { ...shared, pixels: "8x4", order: 3, rows: "longest", l2: 0, passes: 12 },
  "order-7": { ...shared, pixels: "8x4+pairs", order: 7, rows: "all", l2: 0.02, passes: 6 },
} as const;

type SettingName = keyof typeof settings;
type Setting = (typeof settings)[SettingName];

/** The ways, in the order of the table; those of `valued` have no kernel of their own, and so no time of their own. */
const ways = {
  fixed: "as many everywhere",
  range: "a range, more where in doubt",
  beam: "beam search",
  "beam-rcms": "beam search, weights of RCMS",
  learned: "mass × learned value",
  first: "mass × first-order look-ahead",
  perfect: "mass × perfect look-ahead by the last letter",
  predicted: "number predicted from the input",
} as const;
type Way = keyof typeof ways;

/** One way with one number of contexts. */
interface Point {
  way: Way;
  size: string;
  right: number;
  /** Contexts for each letter, over all passes. */
  contexts: number;
  /** Processor time of a letter: the median of rounds in turns. Of values: that of as many contexts without, as if they were free. */
  microseconds: number;
}

interface ContextsRun extends Run {
  words: number;
  letters: number;
  points: Point[];
}

const ROUNDS = 7;
/** Words that values are learned from, and how often. */
const LEARNING = { words: 2000, passes: 3 };
/** Contexts of the pass whose backward masses are taken for perfect. */
const WIDE = 300;

interface ContextsFlags extends QueueFlags {
  out: string;
  seeds: number;
  only?: string;
  json?: boolean;
}

export async function contexts(flags: ContextsFlags): Promise<void> {
  const chosen = chosenNames(flags.only, settings);
  const file = await ResultsFile.open<ContextsRun>(flags.out, "contexts", settings);
  const runs = await file.complete(
    chosen,
    () => flags.seeds,
    oneRun,
    ({ setting, seed, points }) => `${setting}, seed ${seed}: ${points.length} points`,
    flags,
  );
  const found = (Object.keys(settings) as SettingName[]).flatMap((name) => {
    const own = runs.filter(({ setting }) => setting === name);
    return own.length === 0 ? [] : { name, seeds: own.length, points: medians(own) };
  });
  for (const { name, points } of found)
    await writeText(flags.out, `accuracy-by-time-${name}.svg`, plotOf(name, points));
  const rows = [
    ["", "contexts chosen by", "B", "words right", "contexts a letter", "µs a letter", "seeds"],
    ...found.flatMap(({ name, seeds, points }) => rowsOf(points, seeds).map((row) => [name.replace("-", " "), ...row])),
  ];
  await writeText(flags.out, "table.md", markdownTable(rows));
  if (flags.json) await writeJson(Object.fromEntries(found.map(({ name, points }) => [name, points])));
  else await write(table(rows));
}

export async function oneRun(name: string, seed: number): Promise<ContextsRun> {
  const setting = settings[name as SettingName];
  const path = (await getDataset("letters")).paths["letter.data.gz"];
  const training = await readWords(path, setting.pixels, new Set([0, 2, 3, 4, 5, 6, 7, 8, 9]));
  const test = await readWords(path, setting.pixels, new Set([1]));
  const { order, rows, l2, passes, rate, delta, heldOut } = setting;
  const options = { order, rows, l2, passes, rate, delta, heldOut, seed };
  const tagger = await Tagger.train(training, { ...options, mode: "rcms", contexts: setting.contexts });
  const beam = await Tagger.train(training, { ...options, mode: "beam", ...setting.beam });
  const first = await Tagger.train(training, { ...options, mode: "exact", order: 1 });
  const reader = new Reader(tagger, test);
  const points = timed(reader, new Reader(beam, test), setting);
  const timeOf = new Map(
    points.filter(({ way }) => way === "fixed").map(({ size, microseconds }) => [size, microseconds]),
  );
  for (const { way, size, right } of valued(reader, new Reader(first, test), new Reader(tagger, training), setting)) {
    points.push({ way, size, right, contexts: Number(size), microseconds: timeOf.get(size) ?? Number.NaN });
  }
  return { setting: name, seed, words: test.length, letters: reader.letters, points };
}

/** A tagger with words as numbers. */
class Reader {
  readonly engine: TaggerEngine;
  readonly corpus: Corpus;
  /** [words][letters] */
  readonly truth: number[][];
  readonly letters: number;

  constructor(
    readonly tagger: Tagger,
    words: readonly TaggingSequence[],
  ) {
    const builder = new CorpusBuilder(tagger.labels, tagger.attributes, tagger.conjoined, false);
    for (const { attributes = [] } of words) builder.add(attributes.length, { attributes });
    this.corpus = builder.build();
    this.engine = new TaggerEngine(tagger.rows, inferenceOf(tagger.options));
    this.truth = words.map(({ labels = [] }) => labels.map((label) => tagger.labels.indexOf(String(label))));
    this.letters = this.truth.reduce((sum, letters) => sum + letters.length, 0);
  }

  problem(word: number): Problem {
    return this.engine.slots.fill(this.corpus, word, this.tagger.weights, false);
  }

  inference(contexts: number | { least: number; most: number }, mode: Inference["mode"] = "rcms"): Inference {
    return withContexts({ ...this.engine.inference, mode }, contexts);
  }

  isRight(word: number, symbols: readonly number[] | undefined): boolean {
    return symbols !== undefined && this.truth[word].every((label, i) => label === symbols[i]);
  }

  share(read: (word: number) => readonly number[] | undefined): number {
    return this.truth.filter((_, word) => this.isRight(word, read(word))).length / this.truth.length;
  }
}

interface Work extends Omit<Point, "right" | "microseconds" | "contexts"> {
  reader: Reader;
  /** Reads a word. */
  read(word: number): readonly number[] | undefined;
  /** Contexts for each letter of the word that was read last. */
  spent(word: number): number;
}

/** All that the fast kernel does: read once to judge, then in turns to measure. */
function timed(reader: Reader, beam: Reader, setting: Setting): Point[] {
  const works = [
    ...setting.fixed.map((size) => searching("fixed", String(size), reader, reader.inference(size))),
    ...setting.ranges.map(([least, most]) =>
      searching("range", `${least}..${most}`, reader, reader.inference({ least, most })),
    ),
    ...setting.beams.map((size) => searching("beam", String(size), beam, beam.inference(size, "beam"))),
    ...setting.beams.map((size) => searching("beam-rcms", String(size), reader, reader.inference(size, "beam"))),
    ...setting.predicted.map((times) => predicting(times, reader)),
  ];
  const points = works.map(({ way, size, reader, read, spent }): Point => {
    let contexts = 0;
    const right = reader.share((word) => {
      const symbols = read(word);
      contexts += spent(word) * reader.truth[word].length;
      return symbols;
    });
    return { way, size, right, contexts: contexts / reader.letters, microseconds: 0 };
  });
  const times = works.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    works.forEach(({ reader, read }, i) => {
      const began = process.cpuUsage();
      for (let word = 0; word < reader.truth.length; word++) read(word);
      times[i].push((1e6 * cpuSeconds(began)) / reader.letters);
    });
  }
  return points.map((point, i) => ({ ...point, microseconds: spread(times[i]).median }));
}

function searching(way: Way, size: string, reader: Reader, inference: Inference): Work {
  const { engine, corpus, tagger } = reader;
  const frozen = engine.freeze(tagger.weights);
  const isRange = inference.least !== undefined;
  return {
    way,
    size,
    reader,
    read: (word) => engine.bestOutput(corpus, word, frozen, inference)?.symbols,
    spent: () => (isRange ? engine.budget.spent.contexts : inference.contexts),
  };
}

function predicting(times: number, reader: Reader): Work {
  const { engine, tagger } = reader;
  const frozen = engine.freeze(tagger.weights);
  const most = 100;
  let limits: Int32Array = new Int32Array(0);
  return {
    way: "predicted",
    size: `× ${times}`,
    reader,
    read(word) {
      const problem = reader.problem(word);
      limits = predictedLimits(problem, times, most);
      const contexts = limits.reduce((a, b) => Math.max(a, b));
      return engine.kernel.bestOutput({ ...problem, limits }, frozen, reader.inference(contexts))?.symbols;
    },
    spent: () => limits.subarray(1, -1).reduce((a, b) => a + b, 0) / (limits.length - 2),
  };
}

/** Shares of the words right where contexts are chosen by mass times value. */
function valued(
  reader: Reader,
  first: Reader,
  training: Reader,
  setting: Setting,
): { way: Way; size: string; right: number }[] {
  const { engine, tagger } = reader;
  const pass = new ValuedPass();
  const learned = new LearnedValues(engine.rows.table.symbolCount);
  const { space } = engine;
  for (let i = 0; i < LEARNING.passes * LEARNING.words; i++) {
    // Every third word: they are in the order of the data, of which the first part is not like the last.
    const word = ((i % LEARNING.words) * 3) % training.truth.length;
    const problem = training.problem(word);
    pass.best(problem, space, tagger.weights, training.inference(5), learned.of(problem));
    learned.learn(problem, training.truth[word], pass.masses);
  }
  const following = (from: Reader, word: number, inference: Inference) => {
    from.engine.forward(from.corpus, word, from.tagger.weights, inference);
    from.engine.kernel.backward();
    return followingOf(from.engine.kernel.trellis);
  };
  const valuesOf: [Way, (word: number) => Float64Array][] = [
    ["learned", (word) => learned.of(reader.problem(word))],
    ["first", (word) => following(first, word, first.engine.inference)],
    ["perfect", (word) => following(reader, word, reader.inference(WIDE))],
  ];
  return valuesOf.flatMap(([way, of]) =>
    setting.valued.map((size) => {
      const inference = reader.inference(size);
      const right = reader.share((word) => {
        const values = of(word);
        return pass.best(reader.problem(word), space, tagger.weights, inference, values);
      });
      return { way, size: String(size), right };
    }),
  );
}

/** Each point with the medians of its runs. */
function medians(runs: readonly ContextsRun[]): Point[] {
  return (runs[0]?.points ?? []).map(({ way, size }) => {
    const own = runs.flatMap(({ points }) => points.filter((point) => point.way === way && point.size === size));
    const median = (of: (point: Point) => number) => spread(own.map(of)).median;
    return {
      way,
      size,
      right: median(({ right }) => right),
      contexts: median(({ contexts }) => contexts),
      microseconds: median(({ microseconds }) => microseconds),
    };
  });
}

function rowsOf(points: readonly Point[], seeds: number): string[][] {
  const isFree = (way: Way) => way === "learned" || way === "first" || way === "perfect";
  return points.map(({ way, size, right, contexts, microseconds }) => [
    ways[way],
    size,
    shareText(right),
    contexts.toFixed(1),
    `${isFree(way) ? "over " : ""}${microseconds.toFixed(1)}`,
    String(seeds),
  ]);
}

function plotOf(name: SettingName, points: readonly Point[]): string {
  return linePlot({
    title: `Handwritten words, ${name.replace("-", " ")}: accuracy by time`,
    x: {
      label: "microseconds a letter (logarithmic)",
      format: (value) => String(Number((10 ** value).toPrecision(2))),
    },
    y: { label: "words right", format: "percent" },
    series: (Object.keys(ways) as Way[]).map((way) => ({
      name: ways[way],
      points: points
        .filter((point) => point.way === way)
        .map(({ microseconds, right }) => [Math.log10(microseconds), right] as const),
    })),
  });
}
