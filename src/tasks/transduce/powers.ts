// The powers with which models choose together among candidates, fitted to held-out inputs. A candidate's share is
//   share = product over models of model^power / the same summed over candidates,
// and what candidates have together is raised to a power, too (`mass`), so that it says how often one of them is right.

import { minimise } from "../../util/minimise.js";

/** The powers of all models that may choose for a transducer. */
export interface Powers {
  /** Of its own probability. */
  own: number;
  /** Of the model of graphones. */
  joint: number;
  /** Of the model of words. */
  words: number;
  /** Of what the candidates have together. */
  mass: number;
}

/** As long as nothing is fitted: the transducer's own probability, and a model of words with its weight. */
export function plainPowers(words: number): Powers {
  return { own: 1, joint: 0, words, mass: 1 };
}

/** A candidate of a held-out input: the log-probability that each model gives it, and whether it is a right answer. */
export interface JudgedCandidate {
  /** [models] */
  logs: readonly number[];
  right: boolean;
}

/** What is believed of powers before anything is seen. */
export interface PowerPrior {
  /** [models] */
  powers: readonly number[];
  /** How firmly: as much as this many inputs in which each power makes a difference of one. */
  inputs: number;
}

const STEPS = 30;

/**
 * [models] The powers under which right answers are most probable among candidates, none below zero. Newton's method with the
 * curvature of the sums over all candidates; steps that go too far are halved.
 */
export function fitPowers(inputs: readonly (readonly JudgedCandidate[])[], prior: PowerPrior): number[] {
  const telling = inputs.filter((candidates) => candidates.some(({ right }) => right));
  let powers = [...prior.powers];
  let here = lookAround(telling, powers, prior);
  for (let step = 0; step < STEPS; step++) {
    const move = newtonStep(here, powers);
    let reached = false;
    for (let size = 1; size > 1e-6 && !reached; size /= 2) {
      const tried = powers.map((power, m) => Math.max(0, power + size * move[m]));
      const there = lookAround(telling, tried, prior);
      reached = there.value > here.value;
      if (reached) [powers, here] = [tried, there];
    }
    if (!reached) break;
  }
  return powers;
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
  prior: PowerPrior,
): Surroundings {
  const off = powers.map((power, m) => power - prior.powers[m]);
  const here: Surroundings = {
    value: (-prior.inputs / 2) * off.reduce((sum, one) => sum + one * one, 0),
    slope: off.map((one) => -prior.inputs * one),
    curvature: powers.map((_, m) => powers.map((_, n) => (m === n ? prior.inputs : 0))),
  };
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

/** [models] Powers at zero that would go below stay there, and the others move alone. */
function newtonStep({ slope, curvature }: Surroundings, powers: readonly number[]): number[] {
  const free = [...powers.keys()].filter((m) => powers[m] > 0 || slope[m] > 0);
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

const MOST_MASS = 5;

/**
 * The power of what candidates have together, given as logarithms, that best says whether one of them is right (least log
 * loss), with as much as one input for leaving it as it is.
 */
export function fitMass(inputs: readonly { together: number; right: boolean }[]): number {
  if (inputs.length === 0) return 1;
  const loss = (logMass: number): number =>
    inputs.reduce((sum, { together, right }) => sum + logLoss(Math.exp(logMass) * together, right), logMass ** 2 / 2);
  return Math.exp(minimise(loss, -Math.log(MOST_MASS), Math.log(MOST_MASS), 0.01));
}
