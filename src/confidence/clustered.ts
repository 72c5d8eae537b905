// A threshold for parts of sequences, such as tokens or entities, with a guarantee that holds although the parts of one
// sequence depend on each other: above it, with probability `confidence` over the draw of the held-out sequences, at least a
// share `precision` of all parts ever answered is right. For a threshold t and at most K answers in one sequence (the surest)
//   A = parts answered, W = wrong ones among them        precision(t) = 1 − E[W] / E[A]
//
// The test. "precision(t) < 1 − α" says that Z = W − αA has a mean above 0. Sequences are independent, and Z lies between −αK
// and (1 − α)K. Bet on the contrary: a stake λ ≤ 1 / ((1 − α)K) multiplies the capital by 1 − λZ at each sequence. As long as
// the mean of Z is at least 0 the capital cannot be expected to grow, so it ever reaches 1 / δ with probability at most δ
// (Ville): then the hypothesis is rejected at level δ = 1 − confidence. This is testing by betting (Waudby-Smith and Ramdas,
// "Estimating means of bounded random variables by betting", 2024). The capital is spread over a few stakes, fixed beforehand.
//
// Nothing is assumed of how the parts of a sequence depend on each other: K wrong answers may come together. That is what K is
// for; without a bound no finite sample could promise anything. With K = 1, answers are independent, and the exact binomial test
// (single.ts) takes the place of the bets. Placing sequences, which are not tested, choose K, the candidate thresholds
// t1 > t2 > …, a stake for each, and the one at which testing begins: that which is most likely to pass. From there it goes down and
// ends at the first that fails (fixed-sequence testing, see threshold.ts), so the level needs no correction.

import { generator, shuffle } from "../util/random.js";
import { chanceSingly, passesSingly } from "./single.js";

/** The parts of one sequence: how sure the model was of each, and whether it was right. */
export interface Cluster {
  confidence: ArrayLike<number>; // [parts]
  correct: ArrayLike<boolean | number>; // [parts]
}

export interface ClusteredOptions {
  /** Share of the answered parts to be right, above 0 and below 1. */
  precision: number;
  /** Default 0.95. */
  confidence?: number;
  /** Chooses the placing sequences. Default 1. */
  seed?: number;
  /** Answers in one sequence, at most. If it is not given, the placing sequences choose it. */
  most?: number;
}

/** A promise about parts, with its evidence. */
export interface ClusteredGuarantee {
  precision: number;
  confidence: number;
  /** Answer a part if its probability is at least this… */
  threshold: number;
  /** …and it is among this many of the most certain parts of its sequence. */
  most: number;
  /** Sequences that placed candidates, and those that tested them. */
  placing: number;
  tested: number;
  /** Of the tested sequences: parts, those answered, and how many of the answers are wrong. */
  parts: number;
  answered: number;
  wrong: number;
}

/** Testing needs more placing sequences than with whole outputs: they choose K and the stakes, too. */
const PLACING_SHARE = 0.2;
const MOST_PLACING = 2_000;
const CANDIDATES = 60;
const BOUNDS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024];
/** Stakes beside the one that the placing sequences find best, as parts of the greatest. */
const STAKES = [0.95, 0.6, 0.3];
/**
 * The placing sequences are few, so most of what they tell is what the model thinks of them; what is tested counts as it is. (Of
 * 0.5 and 0.8, this made more promises about names and parts of speech, and fewer only in a made-up world with a model too sure.)
 */
const BELIEF = 0.8;
/** What a candidate should have in hand on the placing sequences, in units of what the test needs. */
const RESERVE = 1.5;

/** The threshold with its evidence, or undefined if the promise cannot be made. */
export function findClusteredThreshold(
  clusters: readonly Cluster[],
  { precision, confidence = 0.95, seed = 1, most }: ClusteredOptions,
): ClusteredGuarantee | undefined {
  for (const [name, value] of Object.entries({ precision, confidence })) {
    if (!(value > 0 && value < 1)) throw new RangeError(`the ${name} must be between 0 and 1, not ${value}`);
  }
  const { placing, tested } = splitClusters(clusters, seed);
  const alpha = 1 - precision;
  const needed = Math.log(1 / (1 - confidence));
  const thresholds = candidateThresholds(placing);
  const times = tested.length / Math.max(1, placing.length);
  const bound = most ?? chooseBound(placing, thresholds, alpha, needed, times);
  const { chance, passes } =
    bound === 1 ? singleTest(alpha, 1 - confidence, times) : bettingOn(alpha, bound, needed, times);
  const placed = thresholds.map((threshold) => countsAt(placing, threshold, bound));
  let passed: { threshold: number; counts: Counts } | undefined;
  for (let t = likeliest(placed, chance); t < thresholds.length; t++) {
    const counts = countsAt(tested, thresholds[t], bound);
    if (!passes(counts, placed[t])) break;
    passed = { threshold: thresholds[t], counts };
  }
  if (!passed) return undefined;
  return {
    precision,
    confidence,
    threshold: passed.threshold,
    most: bound,
    placing: placing.length,
    tested: tested.length,
    parts: tested.reduce((sum, { length }) => sum + length, 0),
    answered: sumOf(passed.counts.answered),
    wrong: sumOf(passed.counts.wrong),
  };
}

/** The parts of a sequence that a guarantee answers: their numbers, in order. */
export function answeredParts(
  confidence: ArrayLike<number>,
  { threshold, most }: Pick<ClusteredGuarantee, "threshold" | "most">,
): number[] {
  const sure: number[] = [];
  for (let i = 0; i < confidence.length; i++) if (confidence[i] >= threshold) sure.push(i);
  if (sure.length <= most) return sure;
  // Of equally sure parts the earlier ones, so that the choice is the same every time.
  sure.sort((a, b) => confidence[b] - confidence[a] || a - b);
  return sure.slice(0, most).sort((a, b) => a - b);
}

/** A sequence's parts, the surest first. */
interface Sorted {
  length: number;
  confidence: Float64Array;
  /** [parts + 1] how many of the surest i are wrong. */
  wrong: Float64Array;
}

function splitClusters(clusters: readonly Cluster[], seed: number): { placing: Sorted[]; tested: Sorted[] } {
  const { placing, tested } = placingOrder(clusters, seed);
  return {
    placing: placing.map((one) => sortedParts(one, BELIEF)),
    tested: tested.map((one) => sortedParts(one, 0)),
  };
}

/** Sequences in a random order, those that place apart from those that are tested. */
export function placingOrder<T>(sequences: readonly T[], seed: number): { placing: T[]; tested: T[] } {
  const order = shuffle(
    Int32Array.from(sequences, (_, i) => i),
    generator(seed, 0),
  );
  const count = sequences.length < 2 ? 0 : Math.min(MOST_PLACING, Math.ceil(sequences.length * PLACING_SHARE));
  const shuffled = Array.from(order, (i) => sequences[i]);
  return { placing: shuffled.slice(0, count), tested: shuffled.slice(count) };
}

/** Whether losses between 0 and 1 have a mean of at most `alpha`, with a confidence; the placing ones choose the stake. */
export function bettingTest(placing: Float64Array, tested: Float64Array, alpha: number, confidence: number): boolean {
  const countsOf = (wrong: Float64Array): Counts => ({ answered: new Float64Array(wrong.length).fill(1), wrong });
  const stake = bestStake(countsOf(placing), alpha, 1, tested.length / Math.max(1, placing.length));
  return logCapital(countsOf(tested), alpha, 1, stake) >= Math.log(1 / (1 - confidence));
}

/** `belief`: how much a part counts as wrong by what the model says of it, instead of by what it is. */
function sortedParts({ confidence, correct }: Cluster, belief: number): Sorted {
  const order = Array.from({ length: confidence.length }, (_, i) => i);
  order.sort((a, b) => confidence[b] - confidence[a] || a - b);
  const wrong = new Float64Array(order.length + 1);
  order.forEach((part, i) => {
    wrong[i + 1] = wrong[i] + (1 - belief) * (correct[part] ? 0 : 1) + belief * (1 - confidence[part]);
  });
  return { length: order.length, confidence: Float64Array.from(order, (i) => confidence[i]), wrong };
}

/** Confidences of the placing sequences' parts, descending, and 0, which answers everything. */
function candidateThresholds(placing: readonly Sorted[]): number[] {
  const all = Float64Array.from(placing.flatMap(({ confidence }) => [...confidence]))
    .sort()
    .reverse();
  const thresholds: number[] = [];
  for (let c = 1; c <= CANDIDATES; c++) {
    const threshold = all[Math.min(all.length - 1, Math.floor((c * all.length) / CANDIDATES))];
    if (threshold > 0 && threshold !== thresholds.at(-1)) thresholds.push(threshold);
  }
  return [...thresholds, 0];
}

interface Counts {
  /** [sequences] */
  answered: Float64Array;
  wrong: Float64Array;
}

function countsAt(sequences: readonly Sorted[], threshold: number, bound: number): Counts {
  const answered = new Float64Array(sequences.length);
  const wrong = new Float64Array(sequences.length);
  sequences.forEach((one, i) => {
    let count = 0;
    const most = Math.min(bound, one.length);
    while (count < most && one.confidence[count] >= threshold) count++;
    answered[i] = count;
    wrong[i] = one.wrong[count];
  });
  return { answered, wrong };
}

/** log(1 − λ(W − αA)) of a sequence, for a stake that is a part of the greatest, 1 / ((1 − α)K). */
function logFactor({ answered, wrong }: Counts, i: number, alpha: number, bound: number, part: number): number {
  if (answered[i] === 0) return 0;
  const stake = part / ((1 - alpha) * bound);
  return Math.log(Math.max(0, 1 - stake * (wrong[i] - alpha * answered[i])));
}

/** Its sum over all sequences. */
function logGrowth(counts: Counts, alpha: number, bound: number, part: number): number {
  let sum = 0;
  for (let i = 0; i < counts.answered.length; i++) sum += logFactor(counts, i, alpha, bound, part);
  return sum;
}

/** [stakes] of the capital, half is bet with one stake and the rest with the others: logs of what each begins with. */
const SHARES = [Math.log(0.5), ...STAKES.map(() => Math.log(0.5 / STAKES.length))];

/** The log of the capital where it is greatest, sequence after sequence. */
function logCapital(counts: Counts, alpha: number, bound: number, stake: number): number {
  const stakes = [stake, ...STAKES];
  const grown = [...SHARES];
  let greatest = logSum(grown);
  for (let i = 0; i < counts.answered.length; i++) {
    for (let s = 0; s < stakes.length; s++) grown[s] += logFactor(counts, i, alpha, bound, stakes[s]);
    greatest = Math.max(greatest, logSum(grown));
  }
  return greatest;
}

function logSum(logs: readonly number[]): number {
  const top = Math.max(...logs);
  return top === Number.NEGATIVE_INFINITY ? top : top + Math.log(logs.reduce((sum, x) => sum + Math.exp(x - top), 0));
}

/**
 * The part of the greatest stake with which the capital would grow most on `times` as many sequences as these. One wrong
 * answer more than seen is reckoned with.
 */
function bestStake(counts: Counts, alpha: number, bound: number, times: number): number {
  let best = 0.02;
  let bestGrowth = Number.NEGATIVE_INFINITY;
  for (const part of [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97]) {
    const growth = times * logGrowth(counts, alpha, bound, part) + Math.log(1 - part / bound);
    if (growth <= bestGrowth) continue;
    bestGrowth = growth;
    best = part;
  }
  return best;
}

/** A test of one threshold: how likely it is to pass by the placing sequences (in any rising measure), and whether it does. */
interface ThresholdTest {
  chance(placed: Counts): number;
  passes(counts: Counts, placed: Counts): boolean;
}

function singleTest(alpha: number, delta: number, times: number): ThresholdTest {
  return {
    chance: ({ answered, wrong }) => chanceSingly(sumOf(answered), sumOf(wrong), times, alpha, delta),
    passes: ({ answered, wrong }) => passesSingly(sumOf(answered), sumOf(wrong), alpha, delta),
  };
}

function bettingOn(alpha: number, bound: number, needed: number, times: number): ThresholdTest {
  const stakeOf = (placed: Counts): number => bestStake(placed, alpha, bound, times);
  return {
    chance: (placed) => expectedCapital(placed, alpha, bound, stakeOf(placed), times),
    passes: (counts, placed) => logCapital(counts, alpha, bound, stakeOf(placed)) >= needed,
  };
}

/**
 * Where testing begins: at the threshold that is most likely to pass by the placing sequences. A first test that fails ends
 * everything, and thresholds above answer less.
 */
function likeliest(placed: readonly Counts[], chance: (placed: Counts) => number): number {
  let best = 0;
  let bestChance = Number.NEGATIVE_INFINITY;
  placed.forEach((counts, t) => {
    const own = chance(counts);
    if (own <= bestChance) return;
    bestChance = own;
    best = t;
  });
  return best;
}

/** Whether a threshold may be expected to pass on `times` as many sequences: a hopeless first test would end everything. */
function isPromising(
  placed: Counts,
  alpha: number,
  bound: number,
  stake: number,
  needed: number,
  times: number,
): boolean {
  return expectedCapital(placed, alpha, bound, stake, times) >= RESERVE * needed;
}

/** The log of the capital after `times` as many sequences, if they were like these. */
function expectedCapital(placed: Counts, alpha: number, bound: number, stake: number, times: number): number {
  return logSum([stake, ...STAKES].map((part, s) => SHARES[s] + times * logGrowth(placed, alpha, bound, part)));
}

/** The bound with which most parts may be expected to be answered. */
function chooseBound(
  placing: readonly Sorted[],
  thresholds: readonly number[],
  alpha: number,
  needed: number,
  times: number,
): number {
  const longest = placing.reduce((most, { length }) => Math.max(most, length), 1);
  let best = 1;
  let bestAnswered = -1;
  const some = thresholds.filter((_, i) => (thresholds.length - 1 - i) % 5 === 0);
  for (const bound of BOUNDS) {
    for (const threshold of some) {
      const counts = countsAt(placing, threshold, bound);
      const stake = bestStake(counts, alpha, bound, times);
      const answered = sumOf(counts.answered);
      if (answered <= bestAnswered) continue;
      if (!isPromising(counts, alpha, bound, stake, needed, times)) continue;
      best = bound;
      bestAnswered = answered;
    }
    if (bound >= longest) break;
  }
  return best;
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
