// Select: marks the groups that stay as contexts, the B heaviest. Of equals, the first in the order of contexts; masses are
// rounded first, so that those which differ by the order of additions alone are equal, and every kernel keeps the same
// contexts. A clamp may take part in the choice (`Guide`), and the groups of a forced path stay whatever their mass.

import type { Clamp } from "../clamp.js";
import type { ClampedPass } from "../clamped-pass.js";
import { logAdd } from "../lattice.js";
import type { WorkSpace } from "./work-space.js";

/** Lets a clamp take part in the choice of contexts. */
export interface Guide {
  clamp: Clamp;
  /** Holds the clamped forward pass, which runs along. */
  pass: ClampedPass;
  /** `target`: the heaviest contexts under the clamp. `hybrid`: these and the heaviest without it. */
  by: "target" | "hybrid";
}

export function select(work: WorkSpace, slot: number, forcedArc: number, guide?: Guide): void {
  const { groupCount, groupKept, inference } = work;
  const limit = work.problem.limits?.[slot] ?? inference.contexts;
  if (slot === work.problem.graph.slotCount - 1 || inference.order === 0) {
    groupKept.fill(0, 0, groupCount);
    return;
  }
  selectFree(work, inference.mode === "exact" ? groupCount : limit, forcedArc);
  if (guide && inference.mode !== "exact") selectGuided(work, limit, guide);
}

function selectFree(work: WorkSpace, limit: number, forcedArc: number): void {
  const { groupCount, groupMass, groupKept, groupTop, inference } = work;
  for (let g = 0; g < groupCount; g++) groupMass[g] = roundedMass(groupMass[g]);
  let floor = 0;
  if (inference.lightest && inference.mode !== "exact") {
    for (let g = 0; g < groupCount; g++) if (groupMass[g] > floor) floor = groupMass[g];
    floor *= inference.lightest * UNDER;
  }
  if (limit >= groupCount) {
    for (let g = 0; g < groupCount; g++) {
      groupKept[g] = groupTop[g] > Number.NEGATIVE_INFINITY && groupMass[g] >= floor ? 1 : 0;
    }
    if (forcedArc >= 0 && floor > 0) keepForced(work, forcedArc, true);
    return;
  }
  const threshold = limit > 0 ? Math.max(floor, largestMass(work, limit)) : Number.POSITIVE_INFINITY;
  let kept = 0;
  for (let g = 0; g < groupCount; g++) {
    groupKept[g] = groupMass[g] > threshold ? 1 : 0;
    kept += groupKept[g];
  }
  for (let g = 0; g < groupCount && kept < limit; g++) {
    if (groupMass[g] === threshold && groupTop[g] > Number.NEGATIVE_INFINITY) {
      groupKept[g] = 1;
      kept++;
    }
  }
  if (forcedArc >= 0 && limit > 0) keepForced(work, forcedArc, kept < limit);
}

/** Splits off the last 29 of 53 binary digits. */
const SPLIT = 2 ** 29 + 1;
/** A bound times this is below all that rounding makes equal to it. */
const UNDER = 1 - 2 ** -22;

/** A mass to 24 binary digits. */
function roundedMass(mass: number): number {
  const split = mass * SPLIT;
  return split - (split - mass);
}

/** Marks the groups that are heaviest under a clamp, instead of or beside those already marked. */
function selectGuided(work: WorkSpace, most: number, guide: Guide): void {
  const { groupCount, groupMass, groupKept, expansionCount, expansionGroup, expansionLogMass } = work;
  if (guide.by === "target") groupKept.fill(0, 0, groupCount);
  // Group masses are needed no more: they now hold logarithms of the clamped ones.
  groupMass.fill(Number.NEGATIVE_INFINITY, 0, groupCount);
  for (let i = 0; i < expansionCount; i++) {
    if (expansionLogMass[i] === Number.NEGATIVE_INFINITY) continue;
    const log = expansionLogMass[i] + guide.pass.logAllowed(work.expansionContext[i], work.expansionSymbol[i]);
    groupMass[expansionGroup[i]] = logAdd(groupMass[expansionGroup[i]], log);
  }
  const limit = Math.min(most, groupCount);
  const threshold = limit > 0 ? largestMass(work, limit) : Number.POSITIVE_INFINITY;
  let kept = 0;
  for (let g = 0; g < groupCount; g++) {
    if (groupMass[g] <= threshold) continue;
    groupKept[g] = 1;
    kept++;
  }
  for (let g = 0; g < groupCount && kept < limit && threshold > Number.NEGATIVE_INFINITY; g++) {
    if (groupMass[g] !== threshold) continue;
    groupKept[g] = 1;
    kept++;
  }
}

/** Keeps the group of a forced arc, in place of the lightest one if there is no room. */
function keepForced(work: WorkSpace, forcedArc: number, hasRoom: boolean): void {
  const { groupCount, groupKept, groupMass, expansionArc } = work;
  let i = 0;
  while (i < work.expansionCount && expansionArc[i] !== forcedArc) i++;
  if (i === work.expansionCount) return;
  const g = work.expansionGroup[i];
  if (groupKept[g]) return;
  if (!hasRoom) {
    let lightest = -1;
    for (let h = 0; h < groupCount; h++) {
      if (groupKept[h] && (lightest < 0 || groupMass[h] < groupMass[lightest])) lightest = h;
    }
    groupKept[lightest] = 0;
  }
  groupKept[g] = 1;
}

/** The k-th largest group mass. */
function largestMass({ groupCount, groupMass, ranking }: WorkSpace, k: number): number {
  for (let g = 0; g < groupCount; g++) ranking[g] = groupMass[g];
  return kthLargest(ranking, groupCount, k);
}

/** The k-th largest of the first `count` values, which are put into another order (quickselect). */
export function kthLargest(values: Float64Array, count: number, k: number): number {
  let low = 0;
  let high = count - 1;
  const wanted = k - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i] > pivot) i++;
      while (values[j] < pivot) j--;
      if (i <= j) {
        const swap = values[i];
        values[i++] = values[j];
        values[j--] = swap;
      }
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return values[wanted];
}
