// Grapheme-to-phoneme conversion on the standard split of the CMU dictionary, and the way back, with the defaults a user
// gets. Words of the test part may have several right pronunciations; pronunciations several right spellings.

import { write, writeJson } from "#stargram/cli/output.js";
import { crewOf } from "#stargram/cli/threads.js";
import { getDataset } from "#stargram/datasets/registry.js";
import type { SymbolPair } from "#stargram/formats/pair-lines.js";
import { readPairs } from "#stargram/formats/read.js";
import { precisionRecallCurve } from "#stargram/metrics/precision-recall.js";
import { linePlot } from "#stargram/metrics/svg.js";
import { TransductionScore } from "#stargram/metrics/transduction.js";
import { Transducer } from "#stargram/tasks/transduce/transducer.js";
import { table } from "#stargram/util/text.js";
import { chosenNames, cpuSeconds, markdownTable, ResultsFile, type Run, shareText, writeText } from "../runs.js";

export const settings: Record<string, { title: string; reverse: boolean }> = {
  "spelling-to-sound": { title: "spelling to sound", reverse: false },
  "sound-to-spelling": { title: "sound to spelling", reverse: true },
};

interface PronunciationRun extends Run {
  inputs: number;
  wordErrorRate: number;
  symbolErrorRate: number;
  recallAtPrecision: Record<string, number>;
  expectedCalibrationError: number;
  /** [confidence, right] of every test input. */
  answers: [number, 0 | 1][];
  trainSeconds: number;
  /** Of the processor, all threads together. */
  trainCpuSeconds: number;
  threads: number;
  /** The penalty that was chosen, and the pass. */
  l2: number;
  bestPass: number;
  passes: number;
  temperature: number;
  /** Of the processor: written on one thread. */
  inputsPerSecond: number;
  peakMegabytes: number;
}

export interface PronunciationFlags {
  out: string;
  only?: string;
  threads: number;
  json?: boolean;
}

export async function pronunciation(flags: PronunciationFlags): Promise<void> {
  const chosen = chosenNames(flags.only, settings);
  const file = await ResultsFile.open<PronunciationRun>(flags.out, "pronunciation", settings);
  const { paths } = await getDataset("cmudict-g2p");
  const runs = await file.complete(
    chosen,
    () => 1,
    (name) => runOnce(name, paths["train.tsv"], paths["test.tsv"], flags.threads),
    ({ setting, wordErrorRate, recallAtPrecision }) =>
      `${setting}: word error rate ${shareText(wordErrorRate)}, recall at 95 % precision ${shareText(recallAtPrecision["0.95"])}`,
  );
  await writeText(flags.out, "precision-recall.svg", curves(runs));
  await writeText(flags.out, "table.md", markdownTable(rowsOf(runs)));
  if (flags.json) await writeJson(Object.fromEntries(runs.map(({ answers: _, ...run }) => [run.setting, run])));
  else await write(table(rowsOf(runs)));
}

async function readAll(path: string, reverse: boolean): Promise<SymbolPair[]> {
  const pairs: SymbolPair[] = [];
  const layout = { format: "tsv", input: "chars", output: "tokens", reverse } as const;
  for await (const pair of readPairs(path, layout)) pairs.push(pair);
  return pairs;
}

async function runOnce(name: string, trainPath: string, testPath: string, threads: number): Promise<PronunciationRun> {
  const { reverse } = settings[name];
  const training = await readAll(trainPath, reverse);
  const began = performance.now();
  const beganCpu = process.cpuUsage();
  const transducer = await Transducer.train(training, crewOf({ threads }));
  const trainSeconds = (performance.now() - began) / 1000;
  const trainCpuSeconds = cpuSeconds(beganCpu);
  const answersOf = new Map<string, { input: readonly string[]; outputs: (readonly string[])[] }>();
  for (const { input, output } of await readAll(testPath, reverse)) {
    const key = input.join(" ");
    const known = answersOf.get(key);
    if (known) known.outputs.push(output);
    else answersOf.set(key, { input, outputs: [output] });
  }
  const score = new TransductionScore();
  const answers: [number, 0 | 1][] = [];
  let seconds = 0;
  for (const { input, outputs } of answersOf.values()) {
    const started = process.cpuUsage();
    const prediction = transducer.predict(input);
    seconds += cpuSeconds(started);
    score.add(outputs, prediction.output, prediction.probability, 0);
    const written = prediction.output.join(" ");
    answers.push([prediction.probability, outputs.some((output) => output.join(" ") === written) ? 1 : 0]);
  }
  const { logLikelihood: _, brier: __, unwritable: ___, ...report } = score.report();
  return {
    setting: name,
    seed: 1,
    ...report,
    answers,
    trainSeconds,
    trainCpuSeconds,
    threads,
    l2: transducer.options.l2,
    bestPass: transducer.summary.bestPass,
    passes: transducer.summary.history.length,
    temperature: transducer.summary.temperature,
    inputsPerSecond: answersOf.size / seconds,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

function rowsOf(runs: readonly PronunciationRun[]): string[][] {
  return [
    [
      "direction",
      "word error rate",
      "symbol error rate",
      "recall at 95 %",
      "training (CPU)",
      "inputs a second (CPU)",
      "memory",
    ],
    ...runs.map((run) => [
      settings[run.setting].title,
      shareText(run.wordErrorRate),
      shareText(run.symbolErrorRate),
      shareText(run.recallAtPrecision["0.95"]),
      `${Math.round(run.trainCpuSeconds)} s`,
      String(Math.round(run.inputsPerSecond)),
      `${Math.round(run.peakMegabytes)} MB`,
    ]),
  ];
}

function curves(runs: readonly PronunciationRun[]): string {
  return linePlot({
    title: "Answers by confidence, CMU dictionary",
    x: { label: "recall", format: "percent", domain: [0, 1] },
    y: { label: "precision", format: "percent" },
    series: runs.map((run) => ({
      name: settings[run.setting].title,
      points: precisionRecallCurve(
        run.answers.map(([confidence, right]) => ({ confidence, correct: right === 1 })),
      ).map(({ recall, precision }) => [recall, precision] as const),
    })),
  });
}
