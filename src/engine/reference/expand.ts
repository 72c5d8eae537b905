// Expand: lists the expansions into a slot, sorted by symbol and then by the suffix they extend,
//   log mass(c, y) = log forward(c) + score(c, y).
// Contexts within a slot are sorted by suffix already, and expanding by y puts y in front of all; so the lists of each
// symbol follow one another, and lists from several slots are merged.

import { grown } from "../trellis.js";
import type { WorkSpace } from "./work-space.js";

export function expand(work: WorkSpace, slot: number): void {
  const { trellis } = work;
  const { graph } = work.problem;
  work.expansionCount = 0;
  const from = graph.incomingStart[slot];
  const to = graph.incomingStart[slot + 1];
  let room = 0;
  let first = graph.symbolCount;
  let end = 0;
  for (let i = from; i < to; i++) {
    const b = graph.incoming[i];
    const source = graph.branchSlot[b];
    room += (graph.branchEnd[b] - graph.branchFirst[b]) * (trellis.slotStart[source + 1] - trellis.slotStart[source]);
    first = Math.min(first, graph.branchFirst[b]);
    end = Math.max(end, graph.branchEnd[b]);
  }
  work.growExpansions(room);
  if (to - from === 1) {
    const source = graph.branchSlot[graph.incoming[from]];
    for (let y = first; y < end; y++) appendRun(work, y, trellis.slotStart[source], trellis.slotStart[source + 1]);
    return;
  }
  for (let y = first; y < end; y++) expandBy(work, y, from, to);
}

/** Appends the expansions by one symbol of a run of contexts that is sorted and whose common lengths are known. */
function appendRun(work: WorkSpace, symbol: number, from: number, to: number): void {
  const { contextCommon } = work.trellis;
  for (let c = from; c < to; c++) append(work, symbol, c, c + 1 < to ? contextCommon[c] + 1 : 0);
}

/** Appends one expansion, which has `common` decisions in common with the next. */
function append(work: WorkSpace, symbol: number, context: number, common: number): void {
  const { trellis, longest } = work;
  const n = work.expansionCount++;
  const arc = trellis.arcStart[context] + symbol;
  const length = trellis.contextLength[context];
  const log = trellis.logForward[context];
  work.expansionArc[n] = arc;
  work.expansionContext[n] = context;
  work.expansionSymbol[n] = symbol;
  work.expansionLength[n] = length < longest ? length + 1 : longest;
  work.expansionCommon[n] = common < longest ? common : longest;
  work.expansionLogMass[n] = log === Number.NEGATIVE_INFINITY ? log : log + trellis.arcScore[arc];
}

/** The expansions by a symbol that several of the branches `from` .. `to - 1` into the slot may bring. */
function expandBy(work: WorkSpace, symbol: number, from: number, to: number): void {
  const { trellis } = work;
  const { graph } = work.problem;
  let runs = 0;
  let run = 0;
  let merged = 0;
  for (let i = from; i < to; i++) {
    const b = graph.incoming[i];
    if (symbol < graph.branchFirst[b] || symbol >= graph.branchEnd[b]) continue;
    run = graph.branchSlot[b];
    runs++;
    merged = mergeContexts(work, merged, trellis.slotStart[run], trellis.slotStart[run + 1]);
  }
  if (runs === 0) return;
  if (runs === 1) {
    appendRun(work, symbol, trellis.slotStart[run], trellis.slotStart[run + 1]);
    return;
  }
  const { mergedContexts } = work;
  for (let i = 0; i < merged; i++) {
    const c = mergedContexts[i];
    const common = i + 1 < merged ? commonLength(work, c, mergedContexts[i + 1]) + 1 : 0;
    append(work, symbol, c, common);
  }
}

/** Merges the contexts `from` .. `to - 1` into the first `count` of `mergedContexts`; returns the new count. */
function mergeContexts(work: WorkSpace, count: number, from: number, to: number): number {
  const total = count + to - from;
  if (work.mergedContexts.length < total) {
    work.mergedContexts = grown(work.mergedContexts, total);
    work.mergedNext = grown(work.mergedNext, total);
  }
  const { mergedContexts, mergedNext } = work;
  let i = 0;
  let c = from;
  for (let n = 0; n < total; n++) {
    const takeOld = i < count && (c >= to || compare(work, mergedContexts[i], c) <= 0);
    mergedNext[n] = takeOld ? mergedContexts[i++] : c++;
  }
  work.mergedContexts = mergedNext;
  work.mergedNext = mergedContexts;
  return total;
}

/** Order of two contexts by suffix, `⋆` greatest. */
function compare(work: WorkSpace, a: number, b: number): number {
  const { contextSymbol, contextParent, contextLength } = work.trellis;
  const common = commonLength(work, a, b);
  if (common === contextLength[a] || common === contextLength[b]) return contextLength[b] - contextLength[a];
  let x = a;
  let y = b;
  for (let n = 0; n < common; n++) {
    x = contextParent[x];
    y = contextParent[y];
  }
  return contextSymbol[x] - contextSymbol[y];
}

/** How many of their latest decisions two contexts have in common. */
function commonLength(work: WorkSpace, a: number, b: number): number {
  const { contextSymbol, contextParent, contextLength } = work.trellis;
  const shorter = Math.min(contextLength[a], contextLength[b]);
  let n = 0;
  let x = a;
  let y = b;
  while (n < shorter && contextSymbol[x] === contextSymbol[y]) {
    n++;
    x = contextParent[x];
    y = contextParent[y];
  }
  return n;
}
