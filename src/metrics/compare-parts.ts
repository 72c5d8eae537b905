// Whether two models differ on the same sequences, in tokens or spans. Those of one sequence depend on each other, so whole
// sequences are drawn and exchanged, never single parts.
//   tokens    accuracy = right / all
//   spans     F1 = 2 · right / (found + true)
//   p         approximate randomisation (Noreen, 1989): if the models were equally good, it would not matter which of them gave
//             which answers to a sequence. Exchange them at random, each sequence with probability 1/2; p is the share of 2,000
//             exchanges after which the difference is at least as large, either way
//   interval  bootstrap over sequences

import { generator, uniform } from "../util/random.js";
import type { AnswerColumns } from "./answers.js";
import { bootstrap, type Difference, Ranked } from "./paired.js";

/** What a model answered to sequences. */
export interface AnsweredParts {
  /** [sequences] its tokens or spans. */
  clusters: readonly AnswerColumns[];
  /** [sequences] how many there are in truth: of tokens as many as are answered. */
  truths: ArrayLike<number>;
}

export interface PartsOptions {
  /** Default 2000. */
  draws?: number;
  /** Default 1. */
  seed?: number;
}

/** The difference of F1, which of tokens is accuracy. */
export function f1Difference(
  first: AnsweredParts,
  second: AnsweredParts,
  { draws = 2000, seed = 1 }: PartsOptions = {},
): Difference {
  const [a, b] = [countsOf(first), countsOf(second)];
  const count = a.length;
  const gap = (weights: Uint32Array): number => f1Of(b, weights) - f1Of(a, weights);
  const { difference, low, high } = bootstrap(count, gap, { draws, seed });
  const random = generator(seed, 1);
  let atLeast = 0;
  for (let draw = 0; draw < draws; draw++) {
    const sums = { first: [0, 0, 0], second: [0, 0, 0] };
    for (let s = 0; s < count; s++) {
      const isExchanged = uniform(random) < 0.5;
      addTo(sums.first, isExchanged ? b[s] : a[s]);
      addTo(sums.second, isExchanged ? a[s] : b[s]);
    }
    if (Math.abs(f1(sums.second) - f1(sums.first)) >= Math.abs(difference) - 1e-12) atLeast++;
  }
  return { difference, low, high, pValue: (atLeast + 1) / (draws + 1) };
}

/** The difference in how many parts can be answered at a precision, as a share of all that there are in truth. */
export function answeredDifference(
  first: AnsweredParts,
  second: AnsweredParts,
  { precision, draws, seed = 1 }: PartsOptions & { precision: number },
): Difference & { shares: [number, number] } {
  const models = [first, second].map(({ clusters, truths }) => {
    const { columns, owner } = joined(clusters);
    const ranked = new Ranked(columns, precision, owner);
    return (weights: Uint32Array): number => ranked.answered(weights).most / Math.max(1, weighted(truths, weights));
  });
  const parts = first.clusters.reduce((sum, { confidence }) => sum + confidence.length, 0);
  const [a, b] = models;
  const gap = (weights: Uint32Array): number => b(weights) - a(weights);
  const once = new Uint32Array(first.clusters.length).fill(1);
  const enough = draws ?? Math.max(200, Math.min(2000, Math.round(BUDGET / Math.max(1, parts))));
  return { ...bootstrap(first.clusters.length, gap, { draws: enough, seed }), shares: [a(once), b(once)] };
}

/** Parts that all draws together may walk through: some seconds. */
const BUDGET = 1e8;

/** F1 with what it is made of. */
export function ratesOf({ clusters, truths }: AnsweredParts): { precision: number; recall: number; f1: number } {
  const sums = [0, 0, 0];
  for (const own of countsOf({ clusters, truths })) addTo(sums, own);
  const [right, found, all] = sums;
  return { precision: right / Math.max(1, found), recall: right / Math.max(1, all), f1: f1(sums) };
}

/** [right, found, true] */
type Counts = readonly number[];

function countsOf({ clusters, truths }: AnsweredParts): Counts[] {
  return clusters.map(({ correct }, s) => {
    let right = 0;
    for (let i = 0; i < correct.length; i++) if (correct[i]) right++;
    return [right, correct.length, truths[s]];
  });
}

function f1([right, found, all]: Counts): number {
  return (2 * right) / Math.max(1, found + all);
}

function f1Of(counts: readonly Counts[], weights: Uint32Array): number {
  const sums = [0, 0, 0];
  for (let s = 0; s < counts.length; s++) addTo(sums, counts[s], weights[s]);
  return f1(sums);
}

function addTo(sums: number[], own: Counts, weight = 1): void {
  for (let k = 0; k < sums.length; k++) sums[k] += weight * own[k];
}

function weighted(values: ArrayLike<number>, weights: Uint32Array): number {
  let sum = 0;
  for (let s = 0; s < weights.length; s++) sum += weights[s] * values[s];
  return sum;
}

/** All parts one after the other, each with the number of its sequence. */
function joined(clusters: readonly AnswerColumns[]): { columns: AnswerColumns; owner: number[] } {
  const confidence: number[] = [];
  const correct: (boolean | number)[] = [];
  const owner: number[] = [];
  clusters.forEach((one, s) => {
    for (let i = 0; i < one.confidence.length; i++) {
      confidence.push(one.confidence[i]);
      correct.push(one.correct[i]);
      owner.push(s);
    }
  });
  return { columns: { confidence, correct }, owner };
}
