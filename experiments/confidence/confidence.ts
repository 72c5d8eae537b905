// Confidence on handwritten words: folds 0 and 2 to 7 to train, 8 and 9 to calibrate, 1 to test. The best setting of the
// word-recognition experiment and beam search of the same size: what share of the test words is answered at a promised
// 99 % precision, and what precision is achieved. Then the promise itself is tried:
//   splits       the words of folds 1, 8 and 9 are split at random 200 times, one half to calibrate and one to test
//   population   those words are taken as all there are, so that the true precision above a threshold is known; 2,000
//                calibration sets are drawn from them with replacement

import { write, writeJson } from "#stargram/cli/output.js";
import { calibrated, type Guarantee } from "#stargram/confidence/calibration.js";
import { chooseMap } from "#stargram/confidence/calibration-map.js";
import { findThreshold } from "#stargram/confidence/threshold.js";
import { getDataset } from "#stargram/datasets/registry.js";
import type { Answer } from "#stargram/metrics/answers.js";
import { expectedCalibrationError } from "#stargram/metrics/calibration.js";
import { plotsOf } from "#stargram/metrics/plots.js";
import { recallAtPrecision } from "#stargram/metrics/precision-recall.js";
import type { TaggerOptions } from "#stargram/tasks/tag/options.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { upperBound } from "#stargram/util/binomial.js";
import { generator, shuffle, uniform } from "#stargram/util/random.js";
import { table } from "#stargram/util/text.js";
import { chosenNames, cpuSeconds, markdownTable, ResultsFile, type Run, writeText } from "../runs.js";
import { readWords, settings as wordSettings } from "../word-recognition/word-recognition.js";

const { best } = wordSettings;
export const settings = {
  best: { ...best, title: `RCMS, ${best.contexts} contexts` },
  "best-beam": { ...best, title: `beam ${best.contexts}`, mode: "beam", beamTraining: "violation" },
} as const;
type SettingName = keyof typeof settings;

const TRAINING = [0, 2, 3, 4, 5, 6, 7];
const CALIBRATION = [8, 9];
const TEST = 1;
const PROMISED = 0.99;
const SPLITS = 200;
const DRAWS = 2000;

interface ConfidenceRun extends Run {
  /** [confidence, right, fold] of every word that was not learned from. */
  answers: [number, 0 | 1, number][];
  trainSeconds: number;
}

interface Summary {
  setting: string;
  title: string;
  testWords: number;
  accuracy: number;
  recallAt99: number;
  guarantee?: Guarantee;
  /** On the test fold. */
  answered: number;
  wrong: number;
  splits: { promised: number; below: number; clearlyBelow: number; answered: number; precision: number };
  population: { words: number; promised: number; broken: number };
  calibrationError: { model: number; calibrated: number; map: string };
}

export async function confidence(flags: { out: string; only?: string; json?: boolean }): Promise<void> {
  const chosen = chosenNames(flags.only, settings) as SettingName[];
  const file = await ResultsFile.open<ConfidenceRun>(flags.out, "confidence", settings);
  const runs = await file.complete(
    chosen,
    () => 1,
    async (name) => runOnce(name as SettingName, (await getDataset("letters")).paths["letter.data.gz"]),
    ({ setting, trainSeconds }) =>
      `${settings[setting as SettingName].title}: trained in ${Math.round(trainSeconds)} s of processor time`,
  );
  const summaries = runs.map(summaryOf);
  const plots = plotsOf(
    runs.map((run) => ({ name: settings[run.setting as SettingName].title, answers: answersOf(run, [TEST]) })),
    "Handwritten words",
  );
  for (const [name, svg] of Object.entries(plots)) await writeText(flags.out, `${name}.svg`, svg);
  await writeText(flags.out, "table.md", markdownTable(turned(summaries)));
  if (flags.json) await writeJson(summaries);
  else await write(table(turned(summaries)));
}

async function runOnce(name: SettingName, path: string): Promise<ConfidenceRun> {
  const { title: _, pixels, ...options } = settings[name];
  const training = await readWords(path, pixels, new Set(TRAINING));
  const rest = await readWords(path, pixels, new Set([...CALIBRATION, TEST]));
  const began = process.cpuUsage();
  const tagger = await Tagger.train(training, { ...(options as Partial<TaggerOptions>), seed: 1 });
  const trainSeconds = cpuSeconds(began);
  const answers = rest.map((word): [number, 0 | 1, number] => {
    const { labels, probability } = tagger.predict(word);
    return [probability, labels.every((label, i) => label === word.labels?.[i]) ? 1 : 0, word.fold as number];
  });
  return { setting: name, seed: 1, answers, trainSeconds };
}

function answersOf(run: ConfidenceRun, folds: readonly number[]): Answer[] {
  return run.answers
    .filter(([, , fold]) => folds.includes(fold))
    .map(([confidence, right]) => ({ confidence, correct: right === 1 }));
}

function countAbove(answers: readonly Answer[], threshold: number): { answered: number; wrong: number } {
  const above = answers.filter((answer) => answer.confidence >= threshold);
  return { answered: above.length, wrong: above.filter((answer) => !answer.correct).length };
}

function summaryOf(run: ConfidenceRun): Summary {
  const calibration = answersOf(run, CALIBRATION);
  const test = answersOf(run, [TEST]);
  const guarantee = findThreshold(calibration, { precision: PROMISED });
  const { map } = chooseMap(calibration);
  const mapped = test.map(({ confidence, correct }) => ({ confidence: calibrated(map, confidence), correct }));
  const pool = answersOf(run, [...CALIBRATION, TEST]);
  return {
    setting: run.setting,
    title: settings[run.setting as SettingName].title,
    testWords: test.length,
    accuracy: test.filter((answer) => answer.correct).length / test.length,
    recallAt99: recallAtPrecision(test, PROMISED),
    guarantee,
    ...countAbove(test, guarantee?.threshold ?? Number.POSITIVE_INFINITY),
    splits: trySplits(pool),
    population: tryPopulation(pool, calibration.length),
    calibrationError: {
      model: expectedCalibrationError(test),
      calibrated: expectedCalibrationError(mapped),
      map: map.kind,
    },
  };
}

/** Random halves of the pool: how often a promise was made, and how often the other half fell below it. */
function trySplits(pool: readonly Answer[]): Summary["splits"] {
  const tally = { promised: 0, below: 0, clearlyBelow: 0, answered: 0, precision: 0 };
  for (let seed = 1; seed <= SPLITS; seed++) {
    const order = shuffle(
      Int32Array.from(pool, (_, i) => i),
      generator(seed, 0),
    );
    const half = pool.length >> 1;
    const guarantee = findThreshold(
      Array.from(order.subarray(0, half), (i) => pool[i]),
      { precision: PROMISED, seed },
    );
    if (!guarantee) continue;
    const test = Array.from(order.subarray(half), (i) => pool[i]);
    const { answered, wrong } = countAbove(test, guarantee.threshold);
    tally.promised++;
    tally.answered += answered / test.length;
    tally.precision += 1 - wrong / answered;
    if (1 - wrong / answered < PROMISED) tally.below++;
    // A half of so few words falls below by chance alone, too: clear is what chance would do in less than 5 %.
    if (upperBound(answered - wrong, answered, 0.05) < PROMISED) tally.clearlyBelow++;
  }
  tally.answered /= Math.max(1, tally.promised);
  tally.precision /= Math.max(1, tally.promised);
  return tally;
}

/** Calibration sets drawn from the pool, whose precision above a threshold is known: how often a promise was false. */
function tryPopulation(pool: readonly Answer[], size: number): Summary["population"] {
  const tally = { words: pool.length, promised: 0, broken: 0 };
  for (let seed = 1; seed <= DRAWS; seed++) {
    const random = generator(seed, 1);
    const drawn = Array.from({ length: size }, () => pool[Math.floor(uniform(random) * pool.length)]);
    const guarantee = findThreshold(drawn, { precision: PROMISED, seed });
    if (!guarantee) continue;
    const { answered, wrong } = countAbove(pool, guarantee.threshold);
    tally.promised++;
    if (1 - wrong / answered < PROMISED) tally.broken++;
  }
  return tally;
}

const share = (part: number, whole: number): string => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);

const heads = [
  "setting",
  "words right",
  "answered at promised 99 %",
  "precision achieved",
  "answered at 99 % by hindsight",
  "splits: promise made",
  "answered",
  "precision",
  "below 99 %",
  "clearly below",
  "population: promise false",
  "calibration error",
  "after the map",
];

function rowsOf(summaries: readonly Summary[]): string[][] {
  return summaries.map((s) => [
    s.title,
    share(s.accuracy, 1),
    `${share(s.answered, s.testWords)} (${s.answered} of ${s.testWords})`,
    s.answered ? `${share(s.answered - s.wrong, s.answered)} (${s.wrong} wrong)` : "–",
    share(s.recallAt99, 1),
    `${s.splits.promised} of ${SPLITS}`,
    share(s.splits.answered, 1),
    share(s.splits.precision, 1),
    share(s.splits.below, SPLITS),
    share(s.splits.clearlyBelow, SPLITS),
    share(s.population.broken, DRAWS),
    share(s.calibrationError.model, 1),
    `${share(s.calibrationError.calibrated, 1)} (${s.calibrationError.map})`,
  ]);
}

/** A row for each measure, as there are more measures than settings. */
function turned(summaries: readonly Summary[]): string[][] {
  const rows = rowsOf(summaries);
  return heads.map((head, i) => [head, ...rows.map((row) => row[i])]);
}
