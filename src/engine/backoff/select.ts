// Select: the heaviest (symbol, group) pairs. Those with an entry were offered when they were weighed; of the others, whose
// mass is k * E, only those are looked at that can be heavier than the floor.

import type { Heaviest } from "./heaviest.js";
import type { WorkSpace } from "./work-space.js";

/** Readies the heap for a slot. */
export function clearHeaviest(work: WorkSpace, heaviest: Heaviest): void {
  const { inference, slot } = work;
  const isLast = slot === work.problem.graph.slotCount - 2;
  const limit = work.problem.limits?.[slot + 1] ?? inference.contexts;
  const room = isLast || inference.order === 0 || inference.mode === "exact" ? 0 : limit;
  const pairs = (work.groupCount - work.slotGroup[slot]) * (work.endSymbol - work.firstSymbol);
  heaviest.clear(Math.min(room, pairs));
}

/** Leaves the keys of the pairs to keep, symbol * groups + group, sorted in `keptKey`. */
export function select(work: WorkSpace, heaviest: Heaviest): void {
  const { slot, firstSymbol, endSymbol, inference } = work;
  const groups = work.groupCount - work.slotGroup[slot];
  work.keptCount = 0;
  if (slot === work.problem.graph.slotCount - 2 || inference.order === 0) return;
  if (inference.mode === "exact") {
    const pairs = groups * (endSymbol - firstSymbol);
    work.growKept(pairs);
    for (let i = 0; i < pairs; i++) work.keptKey[i] = firstSymbol * groups + i;
    work.keptCount = pairs;
    return;
  }
  offerLikely(work, heaviest);
  const { keys, count } = heaviest;
  work.growKept(count);
  for (let i = 0; i < count; i++) work.keptKey[i] = keys[i];
  work.keptKey.subarray(0, count).sort();
  work.keptCount = count;
}

/** Pairs without an entry weigh k * E: those heavier than the floor enter too. */
function offerLikely(work: WorkSpace, heaviest: Heaviest): void {
  const { slot, groupEntry, groupFactor, entrySymbol, slotEmission, symbolStamp, likely } = work;
  const firstGroup = work.slotGroup[slot];
  const groups = work.groupCount - firstGroup;
  const emission = slot * work.problem.graph.symbolCount;
  let topFactor = 0;
  for (let g = firstGroup; g < work.groupCount; g++) if (groupFactor[g] > topFactor) topFactor = groupFactor[g];
  let count = 0;
  let topEmission = 0;
  let { floor } = heaviest;
  for (let y = work.firstSymbol; y < work.endSymbol; y++) {
    const e = slotEmission[emission + y];
    if (e * topFactor <= floor) continue;
    likely[count++] = y;
    if (e > topEmission) topEmission = e;
  }
  if (count === 0) return;
  for (let g = 0; g < groups; g++) {
    const k = groupFactor[firstGroup + g];
    if (k * topEmission <= floor) continue;
    const stamp = ++work.stamp;
    for (let i = groupEntry[firstGroup + g]; i < groupEntry[firstGroup + g + 1]; i++) {
      symbolStamp[entrySymbol[i]] = stamp;
    }
    for (let j = 0; j < count; j++) {
      const y = likely[j];
      const mass = k * slotEmission[emission + y];
      if (mass > floor && symbolStamp[y] !== stamp) floor = heaviest.offer(mass, y * groups + g);
    }
  }
}
