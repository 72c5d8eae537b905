// What a beam learns from one right output:
//   f(right output) - E[f] over the outputs in the beam,
// whether or not the right one is among them. Keeping it there by force (`forced` of a kernel) would hide from the model that
// it loses it. Where it was lost, decisions further on are made without it; `early` and `violation` learn from the decisions
// before that alone (Collins & Roark 2004; Huang, Fayong & Guo 2012).

import type { Arrays, GradientArrays, Kernel, Loops } from "./backend.js";
import { ClampedGradient } from "./clamped-gradient.js";
import type { Problem, RowSpace } from "./problem.js";
import type { Inference, Trellis } from "./trellis.js";

/**
 * How a beam learns: from whole outputs, the right one being in the beam or not (`free`) or kept in it (`forced`); from the
 * decisions up to the one that lost the right output (`early`), or up to where it is furthest behind (`violation`).
 */
export const beamTrainings = ["free", "forced", "early", "violation"] as const;
export type BeamTraining = (typeof beamTrainings)[number];

/** A right output, and the beam that is to learn from it. */
export interface BeamExample {
  problem: Problem;
  space: RowSpace;
  weights: Float64Array;
  inference: Inference;
  /** [slotCount] the decisions of the right output; -1 at slots that it does not pass, and at the end. */
  forced: Int32Array;
  /** The same decisions without gaps. */
  path: ArrayLike<number>;
}

export class BeamGradient {
  private readonly clamped: ClampedGradient;

  constructor(
    private readonly backend: { arrays: Arrays; loops: Loops },
    private readonly kernel: Kernel,
  ) {
    this.clamped = new ClampedGradient(backend, kernel);
  }

  /**
   * Adds the gradient, for the rows of contexts to `gradient`, for decisions to `slotCounts`, [slotCount][symbolCount]. Returns
   * the log-probability of the right output among itself and the outputs in the beam, and how much contexts remember.
   */
  add(
    example: BeamExample,
    gradient: GradientArrays,
    slotCounts: Float64Array,
  ): { logLikelihood: number; contextLength: number } {
    const { kernel, clamped } = this;
    const { problem, space, weights, inference, path } = example;
    this.forwardRight(example);
    clamped.begin();
    const score = clamped.addPath(path) + kernel.trellis.logPartition;
    clamped.finishClamped(gradient, slotCounts);
    const trellis = kernel.forward(problem, space, weights, inference);
    const isLost = survived(trellis, path) < path.length;
    const ahead = score - trellis.logPartition;
    const contextLength = kernel.averageContextLength();
    kernel.backward();
    this.backend.loops.touch(trellis.rows, trellis.rowStart[trellis.contextCount], gradient);
    kernel.addExpectations(gradient.values, slotCounts, -1);
    return { logLikelihood: isLost ? -Math.log1p(Math.exp(-ahead)) : ahead, contextLength };
  }

  /** The right output alone: what a beam of one holds that is forced. */
  private forwardRight({ problem, space, weights, inference, forced }: BeamExample): Trellis {
    return this.kernel.forward(
      { ...problem, limits: undefined },
      space,
      weights,
      { ...inference, contexts: 1 },
      forced,
    );
  }

  /** How many decisions of the right output are learned from, in a chain of slots. */
  reach(training: "early" | "violation", example: BeamExample): number {
    const { problem, space, weights, inference, path } = example;
    const free = this.kernel.forward(problem, space, weights, inference);
    const kept = survived(free, path);
    if (kept === path.length || training === "early") return Math.min(kept + 1, path.length);
    const best = Float64Array.from({ length: path.length }, (_, n) => heaviest(free, n + 1));
    const { arcStart, arcScore, arcTarget, slotStart } = this.forwardRight(example);
    let score = 0;
    let context = slotStart[0];
    let furthest = Number.NEGATIVE_INFINITY;
    let reach = path.length;
    for (let n = 0; n < path.length; n++) {
      const arc = arcStart[context] + path[n];
      score += arcScore[arc];
      context = arcTarget[arc];
      if (n < kept || best[n] - score <= furthest) continue;
      furthest = best[n] - score;
      reach = n + 1;
    }
    return reach;
  }
}

/** How many decisions of an output are in a trellis, from the first. */
function survived({ slotStart, arcStart, arcTarget }: Trellis, path: ArrayLike<number>): number {
  let context = slotStart[0];
  for (let n = 0; n < path.length; n++) {
    context = arcTarget[arcStart[context] + path[n]];
    if (context < 0) return n;
  }
  return path.length;
}

/** Log of the mass of the heaviest context of a slot. */
function heaviest({ slotStart, logForward }: Trellis, slot: number): number {
  let log = Number.NEGATIVE_INFINITY;
  for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) log = Math.max(log, logForward[c]);
  return log;
}
