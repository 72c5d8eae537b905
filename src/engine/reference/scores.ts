// The scores of a slot's expansions:
//   score(c, y) = slotScores(slot)[y] + sum over the rows r of c: offset(r) + weight(r)[y].

import { indexOfSorted } from "../../util/search.js";
import type { Problem, RowSpace } from "../problem.js";
import { childOf } from "../rows.js";
import { BEGIN, type Trellis } from "../trellis.js";
import type { WorkSpace } from "./work-space.js";

/** Finds the rows of a slot's contexts and the scores of their expansions. */
export function scoreExpansions(work: WorkSpace, slot: number): void {
  const { trellis, problem } = work;
  const { graph } = problem;
  const symbolCount = graph.symbolCount;
  const from = trellis.slotStart[slot];
  const to = trellis.slotStart[slot + 1];
  if (slot === graph.slotCount - 1) {
    for (let c = from; c < to; c++) {
      trellis.arcStart[c + 1] = trellis.arcStart[c];
      trellis.rowStart[c + 1] = trellis.rowStart[c];
    }
    return;
  }
  let first = symbolCount;
  let end = 0;
  for (let b = graph.branchStart[slot]; b < graph.branchStart[slot + 1]; b++) {
    first = Math.min(first, graph.branchFirst[b]);
    end = Math.max(end, graph.branchEnd[b]);
  }
  trellis.growArcs(trellis.arcStart[from] + (to - from) * symbolCount);
  const all = work.inference.rows === "all";
  for (let c = from; c < to; c++) {
    const arc = trellis.arcStart[c];
    trellis.arcStart[c + 1] = arc + symbolCount;
    trellis.arcTarget.fill(-1, arc, arc + symbolCount);
    trellis.arcMass.fill(0, arc, arc + symbolCount);
    if (trellis.logForward[c] === Number.NEGATIVE_INFINITY) trellis.rowStart[c + 1] = trellis.rowStart[c];
    else {
      findRows(trellis, problem, work.space, all, slot, c);
      scoreContext(work, slot, c, first, end);
    }
  }
}

/** Scores of one context's expansions by the symbols `first` .. `end - 1`. */
function scoreContext(work: WorkSpace, slot: number, context: number, first: number, end: number): void {
  const { trellis, weights, problem } = work;
  const { slotScores, slotSymbols } = problem;
  const { table, offsets } = work.space;
  const { start, symbols } = table;
  const { symbolCount } = problem.graph;
  const { arcScore, rows } = trellis;
  const arc = trellis.arcStart[context];
  const from = trellis.rowStart[context];
  const to = trellis.rowStart[context + 1];
  const scores = slot * symbolCount;
  let offset = 0;
  if (offsets) for (let r = from; r < to; r++) offset += offsets[rows[r]];
  for (let y = first; y < end; y++) arcScore[arc + y] = slotScores[scores + y] + offset;
  for (let r = from; r < to; r++) {
    const entry = start[rows[r]];
    const entryEnd = start[rows[r] + 1];
    if (slotSymbols) {
      for (let y = first; y < end; y++) {
        const e = indexOfSorted(symbols, entry, entryEnd, slotSymbols[scores + y]);
        if (e >= 0) arcScore[arc + y] += weights[e];
      }
    } else if (entryEnd - entry === symbolCount) {
      for (let y = first; y < end; y++) arcScore[arc + y] += weights[entry + y];
    } else {
      for (let e = entry; e < entryEnd; e++) arcScore[arc + symbols[e]] += weights[e];
    }
  }
}

/** The symbol of the rows that a symbol decided at a slot stands for. */
export function rowSymbol({ graph, slotSymbols }: Problem, slot: number, symbol: number): number {
  return slotSymbols && symbol !== BEGIN ? slotSymbols[slot * graph.symbolCount + symbol] : symbol;
}

/** Walks each family's tree down the context's suffix and notes the rows met: of `all` suffixes, or of the longest. */
export function findRows(
  trellis: Trellis,
  problem: Problem,
  { families, table }: RowSpace,
  all: boolean,
  slot: number,
  context: number,
): void {
  const length = trellis.contextLength[context];
  let count = trellis.rowStart[context];
  for (let f = 0; f < families.length; f++) {
    const family = families[f];
    const starts = family.keyed ? problem.starts?.[f] : undefined;
    const from = starts ? starts.offsets[slot] : 0;
    const to = starts ? starts.offsets[slot + 1] : family.keyed ? 0 : 1;
    for (let s = from; s < to; s++) {
      let node = starts ? starts.nodes[s] : 0;
      let row = family.keyed || (all && length > 0) ? -1 : family.tree.row[0];
      trellis.growRows(count + length + 1);
      if (all && row >= 0) trellis.rows[count++] = row;
      let c = context;
      for (let n = length; n > 0; n--) {
        const parent = trellis.contextParent[c];
        const symbol = rowSymbol(problem, trellis.contextSlot[parent], trellis.contextSymbol[c]);
        if (symbol !== family.skip || symbol === BEGIN) {
          const pair = family.pairs && symbol !== BEGIN;
          const event = pair
            ? (problem.slotInput as Int32Array)[trellis.contextSlot[parent]] * table.symbolCount + symbol
            : symbol;
          node = childOf(family.tree, node, event);
          if (node < 0) break;
          const found = family.tree.row[node];
          if (found >= 0) {
            row = found;
            if (all) trellis.rows[count++] = found;
          }
        }
        c = parent;
      }
      if (!all && row >= 0) trellis.rows[count++] = row;
    }
  }
  trellis.rowStart[context + 1] = count;
}
