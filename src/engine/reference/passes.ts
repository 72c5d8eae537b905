// What is read off a trellis after the forward pass: posteriors, expected counts, probabilities of a path's decisions. The
// backward pass needs no exponentials: an arc carries the share mass(arc) / mass(target) of its target's posterior,
//   posterior(arc) = mass(arc) / mass(target) * posterior(target),   posterior(c) = sum over y: posterior(c, y).

import { indexOfSorted } from "../../util/search.js";
import type { BestOutput, Kernel } from "../backend.js";
import type { RowTable } from "../rows.js";
import { nextSlot } from "../slots.js";
import type { Trellis } from "../trellis.js";

/** Posteriors of contexts and arcs, from the end to the start, in the place of masses. */
export function backward(trellis: Trellis): void {
  const { graph, arcStart, arcTarget, arcMass, mass, posterior, slotStart } = trellis;
  trellis.toPosteriors();
  const { ratio, arcPosterior } = trellis;
  const end = slotStart[graph.slotCount] - 1;
  for (let c = slotStart[graph.slotCount - 1]; c <= end; c++) {
    posterior[c] = c === end ? 1 : 0;
    ratio[c] = posterior[c] / mass[c];
  }
  for (let slot = graph.slotCount - 2; slot >= 0; slot--) {
    const branch = graph.branchStart[slot];
    const branchEnd = graph.branchStart[slot + 1];
    for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) {
      let sum = 0;
      for (let b = branch; b < branchEnd; b++) {
        const last = arcStart[c] + graph.branchEnd[b];
        for (let arc = arcStart[c] + graph.branchFirst[b]; arc < last; arc++) {
          const target = arcTarget[arc];
          if (target < 0) continue;
          const through = arcMass[arc] * ratio[target];
          arcPosterior[arc] = through;
          sum += through;
        }
      }
      posterior[c] = sum;
      ratio[c] = sum === 0 ? 0 : sum / mass[c];
    }
  }
}

/** counts(r)[y] += factor * sum over contexts c with row r: arcs(c, y), and the same for slots. */
export function addExpectations(
  trellis: Trellis,
  { start, symbols }: RowTable,
  slotSymbols: Int32Array | undefined,
  counts: Float64Array | undefined,
  slotCounts: Float64Array,
  factor: number,
  arcs: Float64Array,
): void {
  if (!trellis.hasPosteriors) throw new Error("expected counts need the backward pass");
  const { graph, slotStart, rowStart, rows, arcStart, posterior } = trellis;
  const { symbolCount } = graph;
  for (let slot = 0; slot < graph.slotCount - 1; slot++) {
    const scores = slot * symbolCount;
    for (let b = graph.branchStart[slot]; b < graph.branchStart[slot + 1]; b++) {
      const first = graph.branchFirst[b];
      const end = graph.branchEnd[b];
      for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) {
        if (posterior[c] === 0) continue;
        const arc = arcStart[c];
        for (let y = first; y < end; y++) slotCounts[scores + y] += factor * arcs[arc + y];
        if (!counts) continue;
        for (let r = rowStart[c]; r < rowStart[c + 1]; r++) {
          const entry = start[rows[r]];
          const entryEnd = start[rows[r] + 1];
          if (slotSymbols) {
            for (let y = first; y < end; y++) {
              const e = indexOfSorted(symbols, entry, entryEnd, slotSymbols[scores + y]);
              if (e >= 0) counts[e] += factor * arcs[arc + y];
            }
          } else if (entryEnd - entry === symbolCount) {
            for (let y = first; y < end; y++) counts[entry + y] += factor * arcs[arc + y];
          } else {
            for (let e = entry; e < entryEnd; e++) {
              const y = symbols[e];
              if (y >= first && y < end) counts[e] += factor * arcs[arc + y];
            }
          }
        }
      }
    }
  }
}

/** The best output of the trellis that a kernel has just made. */
export function outputOf(kernel: Kernel, confidences: boolean): BestOutput | undefined {
  const { logPartition } = kernel.trellis;
  const path = kernel.bestPath();
  if (!path || !confidences) return path && { ...path, logPartition };
  kernel.backward();
  return { ...path, logPartition, confidences: pathConfidences(kernel.trellis, path.symbols) };
}

/** The probability of each decision of a path at its slot. Needs the backward pass. */
export function pathConfidences(
  { graph, slotStart, arcStart, arcPosterior }: Trellis,
  symbols: readonly number[],
): number[] {
  let slot = 0;
  return symbols.map((symbol) => {
    let sum = 0;
    for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) sum += arcPosterior[arcStart[c] + symbol];
    slot = nextSlot(graph, slot, symbol);
    return Math.min(1, sum);
  });
}
