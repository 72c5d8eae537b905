// Expected decisions on a chain whose rows are sparse, with an offset and no negative weight: an n-gram model with
// back-off. In linear numbers the mass of expanding context c by y is then
//   k(c) * E(y) * product over rows r of c: (1 + gain(r)[y]),    k(c) = forward(c) * exp(sum of offsets),
//   E(y) = exp(slotScores[y]),   gain = exp(weight) - 1 >= 0,
// so most of it is k(c) * E(y), which is never spelled out: contexts that recombine form a group and are looked at once
// for the rows they have in common, only entries of rows cost time, and what flows into ⋆ is one product. Every number is a
// sum of terms that are not negative, so nothing cancels. The context sets, the log-partition and the expected decisions
// are those of the reference kernel; no arcs are made, so there is no lattice to ask for more.

import { type Inference, remembersByRows } from "../inference.js";
import type { Problem } from "../problem.js";
import { ReferenceKernel } from "../reference/kernel.js";
import { isChain } from "../slots.js";
import type { Trellis } from "../trellis.js";
import { backward } from "./backward.js";
import { expandGroups, formGroups, weigh } from "./expand.js";
import { Heaviest } from "./heaviest.js";
import { addMasses, routeGroups } from "./merge.js";
import type { BackoffRows } from "./rows.js";
import { clearHeaviest, select } from "./select.js";
import { WorkSpace } from "./work-space.js";

export class BackoffKernel {
  private readonly work = new WorkSpace();
  private readonly heaviest = new Heaviest();
  /** Does what linear numbers cannot, on the same trellis. */
  private readonly reference = new ReferenceKernel(this.work.trellis);

  /** Holds the context sets of the latest pass, not their arcs. */
  get trellis(): Trellis {
    return this.work.trellis;
  }

  /** Adds `factor` times the expected decisions to `slotCounts`, [slotCount][symbolCount], and returns the log-partition. */
  expectDecisions(
    problem: Problem,
    rows: BackoffRows,
    inference: Inference,
    slotCounts: Float64Array,
    factor: number,
  ): number {
    const { trellis, reference } = this;
    if (canUse(problem, rows, inference) && this.forward(problem, rows, inference)) {
      if (trellis.logPartition > Number.NEGATIVE_INFINITY) backward(this.work, slotCounts, factor);
      return trellis.logPartition;
    }
    reference.forward(problem, rows.space, rows.weights, inference);
    if (trellis.logPartition > Number.NEGATIVE_INFINITY) {
      reference.backward();
      reference.addExpectations(undefined, slotCounts, factor);
    }
    return trellis.logPartition;
  }

  averageContextLength(): number {
    return this.trellis.averageContextLength();
  }

  /** Context sets and masses, slot by slot; false if a number came too small for linear masses. */
  private forward(problem: Problem, rows: BackoffRows, inference: Inference): boolean {
    const { work, heaviest } = this;
    const { trellis } = work;
    const { graph } = problem;
    const end = graph.slotCount - 1;
    work.begin(problem, rows, inference);
    for (let slot = 0; slot < end; slot++) {
      work.slot = slot;
      work.firstSymbol = graph.branchFirst[graph.branchStart[slot]];
      work.endSymbol = graph.branchEnd[graph.branchStart[slot]];
      const scale = weigh(work);
      if (Number.isNaN(scale)) return false;
      formGroups(work);
      clearHeaviest(work, heaviest);
      expandGroups(work, heaviest);
      select(work, heaviest);
      routeGroups(work);
      if (!addMasses(work, scale)) return false;
    }
    for (let c = trellis.slotStart[end]; c < trellis.contextCount; c++) trellis.rowStart[c + 1] = trellis.rowStart[c];
    trellis.arcStart.fill(0, 0, trellis.contextCount + 1);
    trellis.end();
    work.slotGroup[end] = work.groupCount;
    work.slotKeptSymbol[end] = work.keptSymbolCount;
    return true;
  }
}

function canUse({ graph }: Problem, rows: BackoffRows, inference: Inference): boolean {
  if (!rows.fits || remembersByRows(inference)) return false;
  if (inference.mode === "exact" && (inference.order > 1 || !inference.recombine)) return false;
  return isChain(graph);
}
