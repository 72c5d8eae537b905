// Probabilities of labels and of contexts at each position, from a trellis that has had its backward pass, or from what a clamp
// leaves of it.

import type { ClampedLattice } from "../../engine/clamp.js";
import { BEGIN, type Trellis } from "../../engine/trellis.js";
import type { ContextMass } from "./prediction.js";
import type { SlotScores } from "./slot-scores.js";
import type { ValidOutputs } from "./valid.js";

/** Adds the probability of each label to `rows`, [length][labels]. Labels that are not listed have none. */
export function addMarginals(rows: readonly Float64Array[], trellis: Trellis, slots: SlotScores): void {
  const { branchStart, branchEnd } = trellis.graph;
  rows.forEach((row, slot) => {
    for (let y = 0; y < branchEnd[branchStart[slot]]; y++) {
      const label = slots.labelAt(slot, y);
      for (let c = trellis.slotStart[slot]; c < trellis.slotStart[slot + 1]; c++) {
        row[label] += trellis.arcPosterior[trellis.arcStart[c] + y];
      }
    }
  });
}

/** The same under a clamp. */
export function addClampedMarginals(
  rows: readonly Float64Array[],
  trellis: Trellis,
  lattice: ClampedLattice,
  arcPosterior: Float64Array,
  slots: SlotScores,
  valid?: ValidOutputs,
): void {
  for (let node = 0; node < lattice.nodeCount; node++) {
    const slot = trellis.contextSlot[lattice.nodeContext[node]];
    if (slot >= rows.length) continue;
    for (let a = lattice.arcStart[node]; a < lattice.arcStart[node + 1]; a++) {
      const label = slots.labelAt(slot, lattice.arcSymbol[a]);
      rows[slot][valid ? valid.outerOf(lattice.nodeState[node], label) : label] += arcPosterior[a];
    }
  }
}

/** [contexts] their probabilities under a clamp. */
export function contextPosteriors(
  trellis: Trellis,
  lattice: ClampedLattice,
  nodePosterior: Float64Array,
): Float64Array {
  const posterior = new Float64Array(trellis.contextCount);
  for (let node = 0; node < lattice.nodeCount; node++) posterior[lattice.nodeContext[node]] += nodePosterior[node];
  return posterior;
}

/** [length] the contexts of each position, the most probable first; `nameOf` names what a slot decided. */
export function contextMasses(
  trellis: Trellis,
  posterior: Float64Array,
  length: number,
  nameOf: (slot: number, symbol: number) => string,
): ContextMass[][] {
  return Array.from({ length }, (_, slot) => {
    const masses: ContextMass[] = [];
    for (let c = trellis.slotStart[slot]; c < trellis.slotStart[slot + 1]; c++) {
      const suffix = trellis.suffix(c);
      const first = slot - suffix.length;
      masses.push({
        suffix: suffix.map((y, n) => (y === BEGIN ? "^" : nameOf(first + n, y))),
        probability: posterior[c],
      });
    }
    return masses.sort((a, b) => b.probability - a.probability);
  });
}
