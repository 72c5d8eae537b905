// Expand and group: the groups of a slot, and the (group, symbol) pairs whose mass is more than k * E,
//   mass(group, y) = E(y) * sum over its contexts c: k(c) * product over rows r of c: (1 + gain(r)[y])
//                  = E(y) * k(group) + extra(group, y).

import { findRows } from "../reference/scores.js";
import type { Heaviest } from "./heaviest.js";
import { TINY, type WorkSpace } from "./work-space.js";

/** E(y) and k(c) relative to the greatest of the slot; returns the logarithm of that scale, NaN if some underflow. */
export function weigh(work: WorkSpace): number {
  const { slot, trellis, firstSymbol, endSymbol, slotEmission, problem } = work;
  const { slotScores, graph } = problem;
  const { factor, space } = work.rows;
  const scores = slot * graph.symbolCount;
  let topScore = Number.NEGATIVE_INFINITY;
  let leastEmission = 1;
  let leastFactor = 1;
  for (let y = firstSymbol; y < endSymbol; y++)
    if (slotScores[scores + y] > topScore) topScore = slotScores[scores + y];
  for (let y = firstSymbol; y < endSymbol; y++) {
    const score = slotScores[scores + y];
    const emission = score === Number.NEGATIVE_INFINITY ? 0 : Math.exp(score - topScore);
    if (emission < leastEmission && score !== Number.NEGATIVE_INFINITY) leastEmission = emission;
    slotEmission[scores + y] = emission;
  }
  const from = trellis.slotStart[slot];
  const to = trellis.slotStart[slot + 1];
  work.growContexts(to);
  const { contextFactor } = work;
  const all = work.inference.rows === "all";
  let topForward = Number.NEGATIVE_INFINITY;
  for (let c = from; c < to; c++) if (trellis.logForward[c] > topForward) topForward = trellis.logForward[c];
  for (let c = from; c < to; c++) {
    findRows(trellis, problem, space, all, slot, c);
    const log = trellis.logForward[c];
    let k = log === Number.NEGATIVE_INFINITY ? 0 : Math.exp(log - topForward);
    for (let r = trellis.rowStart[c]; r < trellis.rowStart[c + 1]; r++) k *= factor[trellis.rows[r]];
    if (k < leastFactor && log !== Number.NEGATIVE_INFINITY) leastFactor = k;
    contextFactor[c] = k;
  }
  return leastEmission * leastFactor < TINY ? Number.NaN : topForward + topScore;
}

/** Neighbours whose expansions recombine are one group. */
export function formGroups(work: WorkSpace): void {
  const { slot, trellis, longest, contextFactor } = work;
  const from = trellis.slotStart[slot];
  const to = trellis.slotStart[slot + 1];
  work.growGroups(work.groupCount + to - from);
  const { groupFrom, groupTo, groupFactor, groupCommon } = work;
  const { contextLength, contextCommon } = trellis;
  work.slotGroup[slot] = work.groupCount;
  let g = work.groupCount;
  let begin = from;
  let sum = 0;
  for (let c = from; c < to; c++) {
    sum += contextFactor[c];
    const length = Math.min(contextLength[c] + 1, longest);
    const common = Math.min(contextCommon[c] + 1, longest);
    if (c + 1 < to && common === length && Math.min(contextLength[c + 1] + 1, longest) === length) continue;
    groupCommon[g] = common;
    groupFrom[g] = begin;
    groupTo[g] = c + 1;
    groupFactor[g++] = sum;
    begin = c + 1;
    sum = 0;
  }
  work.groupCount = g;
}

/** Lists the entries of each group of the slot; the heaviest are noted on the way. */
export function expandGroups(work: WorkSpace, heaviest: Heaviest): void {
  for (let g = work.slotGroup[work.slot]; g < work.groupCount; g++) {
    work.stamp++;
    work.groupEntry[g] = work.entryCount;
    makeRoom(work, g);
    addCommonEntries(work, g);
    addOwnEntries(work, g);
    weighEntries(work, g, heaviest);
  }
  work.groupEntry[work.groupCount] = work.entryCount;
}

/**
 * Whether a row may differ between the contexts of a group: they agree on `longest - 1` decisions, so rows of shorter
 * suffixes are common to all. ⋆ alone has a row of depth 0; with `longest` rows each context has but one.
 */
function isOwn(depth: number, longest: number, all: boolean): boolean {
  return !all || depth === 0 || depth >= longest;
}

/** For as many entries as the rows of a group have. */
function makeRoom(work: WorkSpace, g: number): void {
  const { groupFrom, groupTo, longest } = work;
  const { rowStart, rows } = work.trellis;
  const { depth, space } = work.rows;
  const { start } = space.table;
  const all = work.inference.rows === "all";
  const last = groupTo[g] - 1;
  let room = 0;
  for (let c = groupFrom[g]; c <= last; c++) {
    for (let r = rowStart[c]; r < rowStart[c + 1]; r++) {
      if (c === last || isOwn(depth[rows[r]], longest, all)) room += start[rows[r] + 1] - start[rows[r]];
    }
  }
  work.growEntries(work.entryCount + room, work.ownCount + room);
}

/**
 * 1 + gain(group)[y] = product over the rows r that its contexts have in common: (1 + gain(r)[y]). A group has more than
 * one context only if they agree on all but their earliest decision, so any of them has these rows.
 */
function addCommonEntries(work: WorkSpace, g: number): void {
  const { longest, firstSymbol, endSymbol, symbolStamp, symbolEntry, stamp } = work;
  const { entrySymbol, entryGain, entryExtra } = work;
  const { rowStart, rows } = work.trellis;
  const { gain, depth, space } = work.rows;
  const { start, symbols } = space.table;
  const all = work.inference.rows === "all";
  const last = work.groupTo[g] - 1;
  let n = work.entryCount;
  for (let r = rowStart[last]; r < rowStart[last + 1]; r++) {
    const row = rows[r];
    if (isOwn(depth[row], longest, all)) continue;
    for (let e = start[row]; e < start[row + 1]; e++) {
      const y = symbols[e];
      if (y < firstSymbol || y >= endSymbol) continue;
      if (symbolStamp[y] === stamp) {
        const i = symbolEntry[y];
        entryGain[i] += gain[e] + entryGain[i] * gain[e];
      } else {
        symbolStamp[y] = stamp;
        symbolEntry[y] = n;
        entrySymbol[n] = y;
        entryGain[n] = gain[e];
        entryExtra[n++] = 0;
      }
    }
  }
  work.entryCount = n;
}

/** extra(group, y) = sum over its contexts c: k(c) * (1 + gain(group)[y]) * gain(r)[y], r the row that c alone has. */
function addOwnEntries(work: WorkSpace, g: number): void {
  const { longest, firstSymbol, endSymbol, symbolStamp, symbolEntry, stamp } = work;
  const { entrySymbol, entryGain, entryExtra, ownEntry, ownGain, ownStart, contextFactor } = work;
  const { rowStart, rows } = work.trellis;
  const { gain, depth, space } = work.rows;
  const { start, symbols } = space.table;
  const all = work.inference.rows === "all";
  const to = work.groupTo[g];
  let n = work.entryCount;
  let own = work.ownCount;
  for (let c = work.groupFrom[g]; c < to; c++) {
    ownStart[c] = own;
    for (let r = rowStart[c]; r < rowStart[c + 1]; r++) {
      const row = rows[r];
      if (!isOwn(depth[row], longest, all)) continue;
      for (let e = start[row]; e < start[row + 1]; e++) {
        const y = symbols[e];
        if (y < firstSymbol || y >= endSymbol) continue;
        if (symbolStamp[y] !== stamp) {
          symbolStamp[y] = stamp;
          symbolEntry[y] = n;
          entrySymbol[n] = y;
          entryGain[n] = 0;
          entryExtra[n++] = 0;
        }
        const i = symbolEntry[y];
        ownEntry[own] = i;
        ownGain[own++] = gain[e];
        entryExtra[i] += contextFactor[c] * (1 + entryGain[i]) * gain[e];
      }
    }
  }
  ownStart[to] = own;
  work.ownCount = own;
  work.entryCount = n;
}

/** extra(group, y) = E(y) * (what its own rows add + k(group) * gain(group)[y]) */
function weighEntries(work: WorkSpace, g: number, heaviest: Heaviest): void {
  const { entrySymbol, entryGain, entryExtra, slotEmission, entryCount } = work;
  const emission = work.slot * work.problem.graph.symbolCount;
  const firstGroup = work.slotGroup[work.slot];
  const groups = work.groupCount - firstGroup;
  const k = work.groupFactor[g];
  let { floor } = heaviest;
  for (let i = work.groupEntry[g]; i < entryCount; i++) {
    const y = entrySymbol[i];
    const e = slotEmission[emission + y];
    const extra = e * (entryExtra[i] + k * entryGain[i]);
    entryExtra[i] = extra;
    const mass = k * e + extra;
    if (mass > floor) floor = heaviest.offer(mass, y * groups + g - firstGroup);
  }
}
