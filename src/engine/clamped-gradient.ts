// The gradient of the log-probability of clamps, such as right answers, in the trellis of a kernel:
//   E[features | clamp] - E[features],
// as differences of arc posteriors, which are then counted for the rows of their contexts and for their slots.

import type { Arrays, GradientArrays, Kernel, Loops } from "./backend.js";
import type { Clamp } from "./clamp.js";
import { ClampedPass } from "./clamped-pass.js";

export class ClampedGradient {
  /** The pass under the current clamp; a `Guide` may compute it along with the forward pass. */
  readonly pass: ClampedPass = new ClampedPass();
  /** [arcs] posteriors given the clamps so far, each times its count. */
  private difference: Float64Array;
  /** Sum of the counts. */
  private count = 0;

  constructor(
    private readonly backend: { arrays: Arrays; loops: Loops },
    private readonly kernel: Kernel,
  ) {
    this.difference = backend.arrays.float64(1024);
  }

  /** Uses the trellis of the kernel's latest forward pass, before its backward pass. */
  begin(): void {
    const { trellis } = this.kernel;
    const arcs = trellis.arcStart[trellis.contextCount];
    if (this.difference.length < arcs) this.difference = this.backend.arrays.float64(Math.ceil(arcs * 1.5));
    else this.difference.fill(0, 0, arcs);
    this.count = 0;
  }

  /** Adds a clamp that counts `count` times; returns its log-probability. One without a path, -Infinity, is left out. */
  add(clamp: Clamp, count = 1): number {
    this.pass.forward(this.kernel.trellis, clamp);
    return this.addPass(count);
  }

  /** The same for a clamp whose pass was computed along with the forward pass. */
  addGuided(count = 1): number {
    this.pass.finish();
    return this.addPass(count);
  }

  private addPass(count: number): number {
    const { logProbability } = this.pass;
    if (logProbability === Number.NEGATIVE_INFINITY) return logProbability;
    this.pass.addPosteriors(this.difference, count);
    this.count += count;
    return logProbability;
  }

  /** The same for a single path, given by its decisions. */
  addPath(symbols: ArrayLike<number>, count = 1): number {
    const { arcStart, arcTarget, arcScore, slotStart, logPartition } = this.kernel.trellis;
    const arcs: number[] = [];
    let score = 0;
    let context = slotStart[0];
    for (let i = 0; i < symbols.length; i++) {
      const arc = arcStart[context] + symbols[i];
      arcs.push(arc);
      score += arcScore[arc];
      context = arcTarget[arc];
      if (context < 0) return Number.NEGATIVE_INFINITY;
    }
    for (const arc of arcs) this.difference[arc] += count;
    this.count += count;
    return score - logPartition;
  }

  /** Runs the backward pass and adds only the features of the clamped paths, without subtracting the expected ones. */
  finishClamped(gradient: GradientArrays, slotCounts: Float64Array): void {
    if (this.count === 0) return;
    this.kernel.backward();
    this.addDifference(gradient, slotCounts);
  }

  /**
   * Runs the backward pass and adds the gradient of the sum of log-probabilities: for the rows of contexts to `gradient`, for
   * decisions to `slotCounts`, [slotCount][symbolCount]. Adds nothing if no clamp had a path.
   */
  finish(gradient: GradientArrays, slotCounts: Float64Array): void {
    const { kernel, difference, count } = this;
    if (count === 0) return;
    kernel.backward();
    const { trellis } = kernel;
    const { arcPosterior } = trellis;
    const arcs = trellis.arcStart[trellis.contextCount];
    for (let arc = 0; arc < arcs; arc++) difference[arc] -= count * arcPosterior[arc];
    this.addDifference(gradient, slotCounts);
  }

  private addDifference(gradient: GradientArrays, slotCounts: Float64Array): void {
    const { trellis } = this.kernel;
    this.backend.loops.touch(trellis.rows, trellis.rowStart[trellis.contextCount], gradient);
    this.kernel.addExpectations(gradient.values, slotCounts, 1, this.difference);
  }
}
