// The powers with which models choose together among candidates, fitted to held-out inputs. A candidate weighs
//   p(output | input)^own · q(alignment)^joint · t(alignment)^triggers · w(output)^words,   q, t and w as shares of their sums over the candidates,
// all other outputs weigh together
//   e^offset · (1 - sum of p over the candidates)^rest,
// and a probability is a share of all these weights. With own = rest = 1 and nothing else it is p.

import { logAdd } from "../../engine/lattice.js";

/** The powers of all models that may choose for a transducer. */
export interface Powers {
  /** Of its own probability. */
  own: number;
  /** Of the model of graphones. */
  joint: number;
  /** Of how well graphones go together (triggers.ts); undefined in older models and if nothing is fitted. */
  triggers?: number;
  /** Of the model of words. */
  words: number;
  /** Of what all other outputs have, and what that weight is multiplied by, as a logarithm; undefined in older models. */
  rest?: { power: number; offset: number };
  /** Of what the candidates have together, without `rest`. */
  mass: number;
}

/** As long as nothing is fitted: the transducer's own probability, and a model of words with its weight. */
export function plainPowers(words: number): Powers {
  return { own: 1, joint: 0, words, mass: 1 };
}

/** What models think of a candidate: logarithms of p, q, t and w; 0 without one. */
export interface CandidateLogs {
  log: number;
  joint: number;
  triggers: number;
  words: number;
}

/** Log of what a candidate weighs. */
export function weightOf({ log, joint, triggers, words }: CandidateLogs, powers: Powers): number {
  return powers.own * log + powers.joint * joint + (powers.triggers ?? 0) * triggers + powers.words * words;
}

/** The same with q, t and w as shares of their sums. */
export function asShares(candidates: readonly CandidateLogs[]): CandidateLogs[] {
  const joint = sumOf(candidates.map((one) => one.joint));
  const triggers = sumOf(candidates.map((one) => one.triggers));
  const words = sumOf(candidates.map((one) => one.words));
  return candidates.map((one) => ({
    log: one.log,
    joint: one.joint - joint,
    triggers: one.triggers - triggers,
    words: one.words - words,
  }));
}

/** Log of the least that other outputs are believed to have. */
const LEAST_REST = 1e-6;

/** Log of what outputs other than the candidates have, given what these have together. */
export function restOf(together: number): number {
  return Math.log(Math.max(LEAST_REST, -Math.expm1(Math.min(0, together))));
}

/** Log of the probability that a candidate is right. */
export function chanceOfAny(candidates: readonly CandidateLogs[], together: number, powers: Powers): number {
  if (!powers.rest) return powers.mass * together;
  const { rest } = powers;
  const all = sumOf(asShares(candidates).map((one) => weightOf(one, powers)));
  return -logAdd(0, rest.offset + rest.power * restOf(together) - all);
}

function sumOf(logs: readonly number[]): number {
  return logs.reduce(logAdd, Number.NEGATIVE_INFINITY);
}

/** A candidate of a held-out input: the log-probability that each model gives it, and whether it is a right answer. */
export interface JudgedCandidate {
  /** [models] */
  logs: readonly number[];
  right: boolean;
}

/** What is believed of a power before anything is seen. */
export interface PowerPrior {
  power: number;
  /** How firmly: as much as this many inputs in which it makes a difference of one. */
  inputs: number;
  /** Whether it may be below zero. */
  isSigned?: boolean;
}

/** What is believed of the sum of some powers: where one counts for less, others count for more. */
export interface SumPrior {
  models: readonly number[];
  sum: number;
  /** How firmly, as above. */
  inputs: number;
}

const STEPS = 30;

/**
 * [models] The powers under which right answers are most probable among candidates. Newton's method with the
 * curvature of the sums over all candidates; steps that go too far are halved.
 */
export function fitPowers(
  inputs: readonly (readonly JudgedCandidate[])[],
  prior: readonly PowerPrior[],
  together?: SumPrior,
): number[] {
  const telling = inputs.filter((candidates) => candidates.some(({ right }) => right));
  let powers = prior.map(({ power }) => power);
  let here = lookAround(telling, powers, prior, together);
  for (let step = 0; step < STEPS; step++) {
    const move = newtonStep(here, powers, prior);
    let reached = false;
    for (let size = 1; size > 1e-6 && !reached; size /= 2) {
      const tried = powers.map((power, m) => Math.max(leastOf(prior[m]), power + size * move[m]));
      const there = lookAround(telling, tried, prior, together);
      reached = there.value > here.value;
      if (reached) [powers, here] = [tried, there];
    }
    if (!reached) break;
  }
  return powers;
}

function leastOf({ isSigned }: PowerPrior): number {
  return isSigned ? Number.NEGATIVE_INFINITY : 0;
}

/** What is maximised at given powers, how it grows with each, and its curvature (times -1). */
interface Surroundings {
  value: number;
  /** [models] */
  slope: number[];
  /** [models][models] */
  curvature: number[][];
}

function lookAround(
  inputs: readonly (readonly JudgedCandidate[])[],
  powers: readonly number[],
  prior: readonly PowerPrior[],
  together?: SumPrior,
): Surroundings {
  const off = powers.map((power, m) => power - prior[m].power);
  const here: Surroundings = {
    value: off.reduce((sum, one, m) => sum - (prior[m].inputs * one * one) / 2, 0),
    slope: off.map((one, m) => -prior[m].inputs * one),
    curvature: powers.map((_, m) => powers.map((_, n) => (m === n ? prior[m].inputs : 0))),
  };
  if (together) addSum(here, powers, together);
  for (const candidates of inputs) {
    const scores = candidates.map(({ logs }) => powers.reduce((sum, power, m) => sum + power * logs[m], 0));
    const most = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - most));
    const rightWeights = weights.map((weight, i) => (candidates[i].right ? weight : 0));
    const all = weights.reduce((a, b) => a + b);
    const right = Math.max(
      Number.MIN_VALUE,
      rightWeights.reduce((a, b) => a + b),
    );
    here.value += Math.log(right / all);
    const mean = powers.map(() => 0);
    candidates.forEach(({ logs }, i) => {
      const share = weights[i] / all;
      for (let m = 0; m < mean.length; m++) {
        mean[m] += share * logs[m];
        here.slope[m] += (rightWeights[i] / right) * logs[m];
        for (let n = 0; n < mean.length; n++) here.curvature[m][n] += share * logs[m] * logs[n];
      }
    });
    for (let m = 0; m < mean.length; m++) {
      here.slope[m] -= mean[m];
      for (let n = 0; n < mean.length; n++) here.curvature[m][n] -= mean[m] * mean[n];
    }
  }
  return here;
}

function addSum(here: Surroundings, powers: readonly number[], { models, sum, inputs }: SumPrior): void {
  const over = models.reduce((total, m) => total + powers[m], -sum);
  here.value -= (inputs * over * over) / 2;
  for (const m of models) {
    here.slope[m] -= inputs * over;
    for (const n of models) here.curvature[m][n] += inputs;
  }
}

/** [models] Powers at zero that would go below stay there, and the others move alone. */
function newtonStep(
  { slope, curvature }: Surroundings,
  powers: readonly number[],
  prior: readonly PowerPrior[],
): number[] {
  const free = [...powers.keys()].filter((m) => powers[m] > leastOf(prior[m]) || slope[m] > 0);
  const solved = solve(
    free.map((m) => free.map((n) => curvature[m][n])),
    free.map((m) => slope[m]),
  );
  const move = powers.map(() => 0);
  free.forEach((m, i) => {
    move[m] = solved[i];
  });
  return move;
}

/** x with matrix · x = right, for a symmetric matrix with positive curvature: elimination without exchange of rows. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (let i = 0; i < rows.length; i++) {
    for (let j = i + 1; j < rows.length; j++) {
      const factor = rows[j][i] / rows[i][i];
      for (let k = i; k <= rows.length; k++) rows[j][k] -= factor * rows[i][k];
    }
  }
  const x: number[] = [];
  for (let i = rows.length - 1; i >= 0; i--) {
    let rest = rows[i][rows.length];
    for (let k = i + 1; k < rows.length; k++) rest -= rows[i][k] * x[k];
    x[i] = rest / rows[i][i];
  }
  return x;
}

/** What a probability of exactly 0 or 1 that turns out wrong costs no more than. */
export const LEAST_CHANCE = 1e-6;

/** What it costs to say that something holds with a probability, given as a logarithm: -log of the chance of what is so. */
export function logLoss(log: number, holds: boolean): number {
  return -Math.log(Math.max(LEAST_CHANCE, holds ? Math.exp(log) : -Math.expm1(log)));
}
