// Pronunciation from few pairs: 100 and 500 of each of seven languages, drawn at random, with the defaults a user gets. Beside it
// the usual way without a transducer: a rough alignment by EM, and a tagger whose label of a letter is what is written for it.

import { write, writeJson } from "#stargram/cli/output.js";
import { getDataset } from "#stargram/datasets/registry.js";
import { Alphabet } from "#stargram/engine/alphabet.js";
import type { SymbolPair } from "#stargram/formats/pair-lines.js";
import { readPairs } from "#stargram/formats/read.js";
import { chanceCalibrationError, expectedCalibrationError } from "#stargram/metrics/calibration.js";
import { TransductionScore } from "#stargram/metrics/transduction.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { Aligner } from "#stargram/tasks/transduce/aligner.js";
import { neededEmit } from "#stargram/tasks/transduce/needs.js";
import { answerOf, inputOf, PairCorpusBuilder } from "#stargram/tasks/transduce/pairs.js";
import { cut } from "#stargram/tasks/transduce/symbols.js";
import { Transducer } from "#stargram/tasks/transduce/transducer.js";
import { generator, shuffle } from "#stargram/util/random.js";
import { table } from "#stargram/util/text.js";
import {
  chosenNames,
  cpuSeconds,
  markdownTable,
  ResultsFile,
  type Run,
  spread,
  spreadText,
  writeText,
} from "../runs.js";

const languages = {
  hin: "Hindi",
  kor: "Korean",
  vie: "Vietnamese",
  fre: "French",
  lit: "Lithuanian",
  geo: "Georgian",
  ady: "Adyghe",
};
type Language = keyof typeof languages;

interface FewPairsSetting {
  title: string;
  pairs: number;
  by: "transducer" | "tagger";
}

export const settings: Record<string, FewPairsSetting> = {
  "100": { title: "transducer, 100 pairs", pairs: 100, by: "transducer" },
  "100-tagger": { title: "aligned, then tagged, 100 pairs", pairs: 100, by: "tagger" },
  "500": { title: "transducer, 500 pairs", pairs: 500, by: "transducer" },
  "500-tagger": { title: "aligned, then tagged, 500 pairs", pairs: 500, by: "tagger" },
};

interface LanguageResult {
  wordErrorRate: number;
  symbolErrorRate: number;
  /** Of ten bins, and what it would be if every probability were right. */
  calibrationError: number;
  calibrationErrorByChance: number;
  trainCpuSeconds: number;
}

interface FewPairsRun extends Run {
  languages: Record<string, LanguageResult>;
}

export interface FewPairsFlags {
  out: string;
  only?: string;
  seeds: number;
  json?: boolean;
}

export async function fewPairs(flags: FewPairsFlags): Promise<void> {
  const chosen = chosenNames(flags.only, settings);
  const file = await ResultsFile.open<FewPairsRun>(flags.out, "few-pairs", settings);
  const { paths } = await getDataset("g2p-languages");
  const runs = await file.complete(
    chosen,
    () => flags.seeds,
    (name, seed) => runOnce(name, seed, paths),
    (run) => `${run.setting}, seed ${run.seed}: word error rate ${(100 * meanOf(run, "wordErrorRate")).toFixed(1)} %`,
  );
  await writeText(flags.out, "table.md", markdownTable(rowsOf(runs)));
  if (flags.json) await writeJson(runs);
  else await write(table(rowsOf(runs)));
}

async function runOnce(setting: string, seed: number, paths: Record<string, string>): Promise<FewPairsRun> {
  const { pairs: count, by } = settings[setting];
  const results: Record<string, LanguageResult> = {};
  for (const language of Object.keys(languages)) {
    const all = await readAll(paths[`${language}.train.tsv`]);
    const drawn = shuffle(Int32Array.from(all.keys()), generator(seed, 0)).subarray(0, count);
    const training = Array.from(drawn, (i) => all[i]);
    const began = process.cpuUsage();
    const predict = await (by === "tagger" ? taggerOf(training, seed) : transducerOf(training, seed));
    const trainCpuSeconds = cpuSeconds(began);
    results[language] = { ...judged(predict, await readAll(paths[`${language}.dev.tsv`])), trainCpuSeconds };
  }
  return { setting, seed, languages: results };
}

async function readAll(path: string): Promise<SymbolPair[]> {
  const pairs: SymbolPair[] = [];
  const layout = { format: "tsv", input: "chars", output: "tokens" } as const;
  for await (const pair of readPairs(path, layout)) pairs.push(pair);
  return pairs;
}

type Predict = (input: readonly string[]) => { output: readonly string[]; probability: number };

async function transducerOf(pairs: readonly SymbolPair[], seed: number): Promise<Predict> {
  const transducer = await Transducer.train(pairs, { seed });
  return (input) => transducer.predict(input);
}

/** Letters that a label of the tagger depends on, on either side. */
const WINDOW = 4;

/** The substrings of up to four letters that hold a position or touch it. */
export function attributesAt(letters: readonly string[], i: number): string[] {
  const names: string[] = [];
  for (let from = i - WINDOW; from <= i + 1; from++) {
    for (let to = Math.max(from + 1, i); to <= Math.min(from + WINDOW, i + WINDOW + 1); to++) {
      const part = Array.from({ length: to - from }, (_, k) => letters[from + k] ?? "⊥");
      names.push(`${from - i}:${part.join("")}`);
    }
  }
  return names;
}

/** What stands between the symbols that a letter writes, as a label. */
const BETWEEN = " ";

/** Characters are cut into the code points of their decomposition, which suits most of the scripts. */
async function taggerOf(pairs: readonly SymbolPair[], seed: number): Promise<Predict> {
  const inputSymbols = new Alphabet();
  const outputSymbols = new Alphabet();
  const builder = new PairCorpusBuilder(inputSymbols, outputSymbols);
  for (const { input, output } of pairs) builder.add({ input: cut(input, "decomposed"), output });
  const corpus = builder.build();
  const shift = outputSymbols.size;
  const aligner = new Aligner(inputSymbols.size, shift + 1, { maxEmit: neededEmit(corpus), edgeEmit: 0 });
  const inputs = Int32Array.from({ length: corpus.inputCount }, (_, i) => i);
  aligner.fit(corpus, inputs, 8);
  const examples = [...inputs].flatMap((i) => {
    const input = inputOf(corpus, i);
    const letters = Array.from(input, (symbol) => inputSymbols.nameOf(symbol));
    const outputs = Array.from({ length: corpus.answerStart[i + 1] - corpus.answerStart[i] }, (_, a) =>
      aligner.best(input, answerOf(corpus, corpus.answerStart[i] + a)),
    );
    return outputs.flatMap((moves) => {
      if (!moves) return [];
      const labels = labelsOf(moves, shift, outputSymbols);
      return [{ attributes: letters.map((_, j) => attributesAt(letters, j)), labels }];
    });
  });
  const tagger = await Tagger.train(examples, { seed, labelParts: "none" });
  return (input) => {
    const letters = cut(input, "decomposed");
    const { labels, probability } = tagger.predict({ attributes: letters.map((_, j) => attributesAt(letters, j)) });
    return { output: labels.join(BETWEEN).split(BETWEEN).filter(Boolean), probability };
  };
}

/** What is written for each letter, as a label. */
function labelsOf(moves: Int32Array, shift: number, outputSymbols: Alphabet): string[] {
  const labels: string[] = [];
  let written: string[] = [];
  for (const move of moves) {
    if (move !== shift) {
      written.push(outputSymbols.nameOf(move));
      continue;
    }
    labels.push(written.join(BETWEEN));
    written = [];
  }
  return labels;
}

function judged(predict: Predict, pairs: readonly SymbolPair[]): Omit<LanguageResult, "trainCpuSeconds"> {
  const answersOf = new Map<string, { input: readonly string[]; outputs: (readonly string[])[] }>();
  for (const { input, output } of pairs) {
    const known = answersOf.get(input.join(""));
    if (known) known.outputs.push(output);
    else answersOf.set(input.join(""), { input, outputs: [output] });
  }
  const score = new TransductionScore();
  for (const { input, outputs } of answersOf.values()) {
    const { output, probability } = predict(input);
    score.add(outputs, output, probability, 0);
  }
  const { wordErrorRate, symbolErrorRate } = score.report();
  return {
    wordErrorRate,
    symbolErrorRate,
    calibrationError: expectedCalibrationError(score.answers, BINS),
    calibrationErrorByChance: chanceCalibrationError(score.answers, BINS),
  };
}

const BINS = 10;

function meanOf({ languages: results }: FewPairsRun, name: keyof LanguageResult): number {
  const all = Object.values(results);
  return all.reduce((sum, one) => sum + one[name], 0) / all.length;
}

function rowsOf(runs: readonly FewPairsRun[]): string[][] {
  const names = Object.keys(settings).filter((name) => runs.some(({ setting }) => setting === name));
  const rows = names.map((name) => {
    const own = runs.filter(({ setting }) => setting === name);
    const means = (measure: keyof LanguageResult): string => spreadText(spread(own.map((run) => meanOf(run, measure))));
    const each = (Object.keys(languages) as Language[]).map((language) =>
      spreadText(spread(own.map((run) => run.languages[language].wordErrorRate))),
    );
    const seconds = spread(own.map((run) => meanOf(run, "trainCpuSeconds"))).median;
    return [
      settings[name].title,
      ...each,
      means("wordErrorRate"),
      means("calibrationError"),
      means("calibrationErrorByChance"),
      `${Math.round(seconds)} s`,
    ];
  });
  return [
    ["words wrong", ...Object.values(languages), "mean", "calibration error", "by chance", "training (CPU)"],
    ...rows,
  ];
}
