// The reference kernel: the hot loops in plain TypeScript. The forward pass goes through the slots in order and
//   1. expands  every context by every symbol:      mass(c, y) = forward(c) * exp(score(c, y))      expand.ts, scores.ts
//   2. groups   expansions that recombine                                                           group.ts
//   3. selects  the B heaviest of these, and ⋆                                                      select.ts
//   4. merges   every other expansion into its longest kept suffix                                  merge.ts
// on lists sorted by suffix. Masses are kept as logarithms between slots and as numbers relative to the heaviest within
// one, so nothing over- or underflows. The backward pass and what follows it is in passes.ts.

import type { BestOutput, FrozenRows, Kernel } from "../backend.js";
import type { Inference } from "../inference.js";
import { bestPath, type Path, trellisLattice } from "../lattice.js";
import type { Problem, RowSpace } from "../problem.js";
import type { Trellis } from "../trellis.js";
import { expand } from "./expand.js";
import { group } from "./group.js";
import { merge } from "./merge.js";
import { addExpectations, backward, outputOf } from "./passes.js";
import { scoreExpansions } from "./scores.js";
import { type Guide, select } from "./select.js";
import { WorkSpace } from "./work-space.js";

export class ReferenceKernel implements Kernel {
  private readonly work: WorkSpace;

  /** `trellis` is one to write to, instead of its own. */
  constructor(trellis?: Trellis) {
    this.work = new WorkSpace(trellis);
  }

  get trellis(): Trellis {
    return this.work.trellis;
  }

  forward(
    problem: Problem,
    space: RowSpace,
    weights: Float64Array,
    inference: Inference,
    forced?: Int32Array,
    guide?: Guide,
  ): Trellis {
    const { work } = this;
    const { trellis } = work;
    const { slotCount } = problem.graph;
    work.begin(problem, space, weights, inference);
    scoreExpansions(work, 0);
    guide?.pass.begin(trellis, guide.clamp);
    let forcedContext = trellis.slotStart[0];
    let forcedSlot = 0;
    for (let slot = 1; slot < slotCount; slot++) {
      const forcedArc = forced && forced[forcedSlot] >= 0 ? trellis.arcStart[forcedContext] + forced[forcedSlot] : -1;
      expand(work, slot);
      group(work);
      select(work, slot, forcedArc, guide);
      merge(work, slot);
      guide?.pass.enter(slot);
      if (forcedArc >= 0 && trellis.arcTarget[forcedArc] >= trellis.slotStart[slot]) {
        forcedContext = trellis.arcTarget[forcedArc];
        forcedSlot = slot;
      }
      scoreExpansions(work, slot);
    }
    trellis.end();
    return trellis;
  }

  forwardFrozen(problem: Problem, { space, weights }: FrozenRows, inference: Inference): Trellis {
    return this.forward(problem, space, weights, inference);
  }

  backward(): void {
    if (!this.trellis.hasPosteriors) backward(this.trellis);
  }

  addExpectations(
    counts: Float64Array | undefined,
    slotCounts: Float64Array,
    factor: number,
    arcs = this.trellis.arcPosterior,
  ): void {
    const { problem, space } = this.work;
    addExpectations(this.trellis, space.table, problem.slotSymbols, counts, slotCounts, factor, arcs);
  }

  bestPath(): Path | undefined {
    const { slotStart, graph } = this.trellis;
    if (slotStart[graph.slotCount] === slotStart[graph.slotCount - 1]) return undefined;
    return bestPath(trellisLattice(this.trellis));
  }

  bestOutput(
    problem: Problem,
    { space, weights }: FrozenRows,
    inference: Inference,
    confidences = false,
  ): BestOutput | undefined {
    this.forward(problem, space, weights, inference);
    return outputOf(this, confidences);
  }

  averageContextLength(): number {
    return this.trellis.averageContextLength();
  }

  /** Its arrays are collected as any other. */
  dispose(): void {}

  [Symbol.dispose](): void {}
}
