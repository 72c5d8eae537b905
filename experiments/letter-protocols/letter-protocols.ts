// Handwritten words as other papers report them: all 16 × 8 pixels, errors of letters and of words over ten folds, with nine folds
// to train and one to test, and with one to train and nine to test. Attributes, penalty and passes of each protocol were
// chosen on a part of the training folds that was held out; fold 1, which other experiments here test on, took no part in that.

import { write, writeJson } from "#stargram/cli/output.js";
import type { QueueFlags } from "#stargram/cli/queue/flags.js";
import { getDataset } from "#stargram/datasets/registry.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { table } from "#stargram/util/text.js";
import { chosenNames, cpuSeconds, markdownTable, ResultsFile, type Run, writeText } from "../runs.js";
import { readWords } from "../word-recognition/word-recognition.js";

const FOLDS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

const model = {
  mode: "rcms",
  order: 7,
  rows: "all",
  contexts: { least: 5, most: 200 },
  rate: 0.2,
  delta: 1e-4,
  heldOut: 0,
} as const;

const nine = {
  ...model,
  title: "nine folds to train, one to test",
  pixels: "16x8+pairs",
  l2: 0.005,
  passes: 6,
} as const;
const one = { ...model, title: "one fold to train, nine to test", pixels: "16x8", l2: 0, passes: 6 } as const;

/** With order 7 most of a word is remembered; with order 3, 4-grams, as much as the cascades do. */
export const settings = {
  nine,
  "nine-4-grams": { ...nine, order: 3 },
  one,
  "one-4-grams": { ...one, order: 3 },
} as const;

type SettingName = keyof typeof settings;
type Protocol = "nine" | "one";

function protocolOf(name: SettingName): Protocol {
  return name.startsWith("nine") ? "nine" : "one";
}

/** Letter errors that others report, as the authors of HC-Search do (Doppa, Fern and Tadepalli, 2014). */
const published: Record<Protocol, { name: string; letterError: number }[]> = {
  nine: [
    { name: "structured prediction cascades, 4-grams", letterError: 0.0216 },
    { name: "HC-Search", letterError: 0.0303 },
  ],
  one: [
    { name: "structured prediction cascades, 4-grams", letterError: 0.1082 },
    { name: "HC-Search", letterError: 0.1302 },
  ],
};

interface FoldRun extends Run {
  /** The fold that is tested, or that is learned from. */
  fold: number;
  words: number;
  wordErrors: number;
  letters: number;
  letterErrors: number;
  /** Contexts for each decision, over all passes of a search. */
  contexts: number;
  trainSeconds: number;
  /** Processor time of reading a letter, with its attributes. */
  microseconds: number;
}

export async function letterProtocols(
  flags: { out: string; only?: string; json?: boolean } & QueueFlags,
): Promise<void> {
  const chosen = chosenNames(flags.only, settings);
  const file = await ResultsFile.open<FoldRun>(flags.out, "letter-protocols", settings);
  const runs = await file.complete(
    chosen,
    () => FOLDS.length,
    oneRun,
    ({ setting, fold, letterErrors, letters, wordErrors, words, trainSeconds }) =>
      `${setting}, fold ${fold}: letter error ${percent(letterErrors / letters)}, word error ${percent(wordErrors / words)}, ${Math.round(trainSeconds)} s`,
    flags,
  );
  await writeText(flags.out, "table.md", markdownTable(rowsOf(runs)));
  if (flags.json) await writeJson(Object.fromEntries(summaries(runs).map(({ name, ...rest }) => [name, rest])));
  else await write(table(rowsOf(runs)));
}

/** Runs are counted from 1, folds from 0. */
export async function oneRun(name: string, seed: number): Promise<FoldRun> {
  const path = (await getDataset("letters")).paths["letter.data.gz"];
  const { title: _, pixels, ...options } = settings[name as SettingName];
  const fold = FOLDS[seed - 1];
  const others = new Set(FOLDS.filter((other) => other !== fold));
  const [trainingFolds, testFolds] =
    protocolOf(name as SettingName) === "nine" ? [others, new Set([fold])] : [new Set([fold]), others];
  const training = await readWords(path, pixels, trainingFolds);
  const test = await readWords(path, pixels, testFolds);
  let began = process.cpuUsage();
  const tagger = await Tagger.train(training, { ...options, seed: 1 });
  const trainSeconds = cpuSeconds(began);
  const run = {
    setting: name,
    seed,
    fold,
    words: test.length,
    wordErrors: 0,
    letters: 0,
    letterErrors: 0,
    contexts: 0,
  };
  began = process.cpuUsage();
  for (const word of test) {
    const { labels, spent } = tagger.predict(word);
    const errors = labels.filter((label, i) => label !== word.labels?.[i]).length;
    run.letters += labels.length;
    run.letterErrors += errors;
    if (errors > 0) run.wordErrors++;
    run.contexts += (spent?.contexts ?? 0) * labels.length;
  }
  const microseconds = (1e6 * cpuSeconds(began)) / run.letters;
  tagger.dispose();
  return { ...run, contexts: run.contexts / run.letters, trainSeconds, microseconds };
}

interface Summary {
  name: SettingName;
  folds: number;
  /** Means over folds, as others report them. */
  letterError: number;
  wordError: number;
  /** Standard deviation of the letter errors of folds. */
  deviation: number;
  contexts: number;
}

function summaries(runs: readonly FoldRun[]): Summary[] {
  return (Object.keys(settings) as SettingName[]).flatMap((name) => {
    const own = runs.filter((run) => run.setting === name);
    if (own.length === 0) return [];
    const letterErrors = own.map(({ letterErrors, letters }) => letterErrors / letters);
    const letterError = mean(letterErrors);
    return {
      name,
      folds: own.length,
      letterError,
      wordError: mean(own.map(({ wordErrors, words }) => wordErrors / words)),
      deviation: Math.sqrt(mean(letterErrors.map((error) => (error - letterError) ** 2))),
      contexts: mean(own.map(({ contexts }) => contexts)),
    };
  });
}

function rowsOf(runs: readonly FoldRun[]): string[][] {
  const found = summaries(runs);
  const rows = (["nine", "one"] as const).flatMap((protocol) => {
    const { title } = settings[protocol];
    const own = found.filter(({ name }) => protocolOf(name as SettingName) === protocol);
    return [
      ...own.map(({ name, folds, letterError, wordError, deviation, contexts }) => [
        title,
        `Stargram, order ${settings[name].order}`,
        `${percent(letterError)} ± ${(100 * deviation).toFixed(2)}`,
        percent(wordError),
        contexts.toFixed(1),
        String(folds),
      ]),
      ...published[protocol].map(({ name, letterError }) => [title, name, percent(letterError), "–", "–", "10"]),
    ];
  });
  return [["protocol", "", "letter error", "word error", "contexts a letter", "folds"], ...rows];
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
