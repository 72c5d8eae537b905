// AdaGrad with L2 and L1, in proximal form and lazily: a row that an example does not touch owes its shrinking until it
// is touched again. For a weight w with gradient g (of the log-likelihood, to be climbed) after k steps of rest:
//   G <- G + g²,   rate = eta / sqrt(delta + G)
//   w <- soft(w + rate g, k rate l1) / (1 + k rate l2)
// The average of a weight over the steps since `startAverage` is kept in the same lazy way.

import type { AdaGradArrays, Loops } from "../engine/backend.js";
import { backend } from "../engine/choice.js";
import type { RowTable } from "../engine/rows.js";
import type { Gradient } from "./gradient.js";

export interface AdaGradOptions {
  /** Step size (eta). */
  rate: number;
  /** Added to the sum of squared gradients (delta). */
  delta: number;
  /** L2 penalty per step: l2 / 2 * w² is subtracted from the objective. */
  l2: number;
  /** L1 penalty per step. */
  l1: number;
  /** Coordinates of a gradient below this are randomly rounded to zero or to this; see `stepAlong`. Default 0: none. */
  truncate?: number;
  /** Seed of that rounding. Default 1. */
  seed?: number;
}

export class AdaGrad {
  /** [entries] */
  readonly weights: Float64Array;
  /** [entries] sums of squared gradients. */
  readonly squares: Float64Array;
  /** [entries] sums of weights over the steps since `averageFrom`. */
  readonly sums: Float64Array;
  /** [rows] the step up to which a row is up to date. */
  readonly settled: Int32Array;
  step = 0;
  averageFrom = 0;

  constructor(
    readonly table: RowTable,
    readonly options: AdaGradOptions,
    start?: Float64Array,
    /** The arrays of a finished one for the same table, to be used again; `goesOn` keeps its step sizes. */
    room?: AdaGradArrays,
    goesOn = false,
  ) {
    const { arrays } = backend();
    const entries = table.symbols.length;
    this.weights = room?.weights.fill(0) ?? arrays.float64(entries);
    if (start) this.weights.set(start);
    this.squares = (goesOn ? room?.squares : room?.squares.fill(0)) ?? arrays.float64(entries);
    this.sums = room?.sums.fill(0) ?? arrays.float64(entries);
    this.settled = room?.settled.fill(0) ?? arrays.int32(table.start.length - 1);
  }

  /** One step along a gradient, which is then cleared. */
  update(gradient: Gradient): void {
    this.step++;
    stepAlong(backend().loops, this, gradient, this.table, this.options, this.step);
  }

  /** Applies the pending shrinking and averaging to every row. */
  settle(): void {
    const { weights, squares, sums, settled, step } = this;
    const { rate: eta, delta, l1, l2 } = this.options;
    for (let row = 0; row < settled.length; row++) {
      const rest = step - settled[row];
      if (rest === 0) continue;
      settled[row] = step;
      const end = this.table.start[row + 1];
      for (let e = this.table.start[row]; e < end; e++) {
        let w = weights[e];
        if (w === 0) continue;
        sums[e] += w * rest;
        const rate = eta / Math.sqrt(delta + squares[e]);
        if (l1 > 0) {
          const shrink = rest * rate * l1;
          w = w > shrink ? w - shrink : w < -shrink ? w + shrink : 0;
        }
        weights[e] = w / (1 + rest * rate * l2);
      }
    }
  }

  /** Averages start here. Brings all rows up to date first. */
  startAverage(): void {
    this.settle();
    this.sums.fill(0);
    this.averageFrom = this.step;
  }

  /** The average weights since `startAverage`, or the weights themselves if no step was made. Brings all rows up to date first. */
  average(): Float64Array {
    this.settle();
    const steps = this.step - this.averageFrom;
    if (steps === 0) return this.weights.slice();
    const average = this.sums.slice();
    for (let e = 0; e < average.length; e++) average[e] /= steps;
    return average;
  }
}

/**
 * One step of AdaGrad. With `truncate`, small coordinates of the gradient are first rounded at random in a way that keeps
 * their expectation, so that most of them are nothing and weights that matter little stay at zero.
 */
export function stepAlong(
  loops: Loops,
  adagrad: AdaGradArrays,
  gradient: Gradient,
  table: RowTable,
  options: AdaGradOptions,
  step: number,
): void {
  const { truncate = 0, seed = 1 } = options;
  // The seed of a step is the same whoever makes it.
  if (truncate > 0)
    loops.truncate(gradient, table, truncate, (Math.imul(step, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b)) >>> 0 || 1);
  loops.step(adagrad, gradient, table, { step, ...options });
}
