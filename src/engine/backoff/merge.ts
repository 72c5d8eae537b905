// Merge: makes the next slot's contexts, finds for each symbol with a kept expansion where every group leads, and sums
//   forward(t) = sum over the groups g and symbols y that lead to t: mass(g, y),
//   forward(⋆) = (sum over other symbols y: E(y)) * (sum over g: k(g)) + sum over their entries: extra(g, y) + what else leads there.

import { leadToKept } from "../merge.js";
import { BEGIN, grown } from "../trellis.js";
import { TINY, type WorkSpace } from "./work-space.js";

/** Makes the next slot's contexts, and says where groups lead. */
export function routeGroups(work: WorkSpace): void {
  const { slot, trellis, keptKey, keptCount } = work;
  const firstGroup = work.slotGroup[slot];
  const groups = work.groupCount - firstGroup;
  const next = slot + 1;
  const isEnd = next === work.problem.graph.slotCount - 1;
  const losesRest = work.inference.mode === "beam" && !isEnd && work.inference.order > 0;
  const from = trellis.contextCount;
  trellis.growContexts(from + keptCount + 1);
  for (let i = 0; i < keptCount; i++) addContext(work, next, keptKey[i], groups);
  const star = losesRest || groups === 0 ? -1 : trellis.addContext(next, -1, BEGIN, 0);
  trellis.slotStart[next + 1] = trellis.contextCount;
  work.slotStar[slot] = star;
  work.slotKeptSymbol[slot] = work.keptSymbolCount;
  work.slotTarget[slot] = work.targetCount;
  if (work.ancestors.length < groups + 1) work.ancestors = grown(work.ancestors, groups + 1);
  for (let i = 0; i < keptCount; ) {
    const symbol = Math.floor(keptKey[i] / groups);
    work.growTargets(work.keptSymbolCount + 1, work.targetCount + groups);
    const { target, targetCount, groupCommon, ancestors } = work;
    target.fill(-1, targetCount, targetCount + groups);
    for (; i < keptCount && keptKey[i] < (symbol + 1) * groups; i++) {
      target[targetCount + keptKey[i] - symbol * groups] = from + i;
    }
    leadToKept(trellis, groupCommon, firstGroup, groups, target, targetCount, star, losesRest, ancestors);
    work.keptSymbol[work.keptSymbolCount++] = symbol;
    work.targetCount += groups;
  }
}

function addContext(work: WorkSpace, slot: number, key: number, groups: number): void {
  const { trellis, groupTo, longest } = work;
  const symbol = Math.floor(key / groups);
  const parent = groupTo[work.slotGroup[work.slot] + key - symbol * groups] - 1;
  trellis.addContext(slot, parent, symbol, Math.min(trellis.contextLength[parent] + 1, longest));
}

/** Masses of the next slot's contexts; false if one is too small to be trusted. */
export function addMasses(work: WorkSpace, scale: number): boolean {
  const { slot, trellis } = work;
  const { mass, logForward, slotStart, contextCount } = trellis;
  const firstTarget = work.slotTarget[slot];
  mass.fill(0, slotStart[slot + 1], contextCount);
  const starMass = sumGroups(work);
  const { target, groupMass } = work;
  for (let n = 0; n < work.targetCount - firstTarget; n++) {
    const to = target[firstTarget + n];
    if (to >= 0) mass[to] += groupMass[n];
  }
  if (work.slotStar[slot] >= 0) mass[work.slotStar[slot]] += starMass;
  for (let c = slotStart[slot + 1]; c < contextCount; c++) {
    if (mass[c] === 0) {
      mass[c] = 1;
      logForward[c] = Number.NEGATIVE_INFINITY;
    } else if (mass[c] < TINY) return false;
    else logForward[c] = scale + Math.log(mass[c]);
  }
  return true;
}

/** The masses of groups by the symbols with a kept expansion, to `groupMass`; returns the mass by all others. */
function sumGroups(work: WorkSpace): number {
  const { slot, firstSymbol, endSymbol, keptIndex, groupFactor, groupEntry, slotEmission } = work;
  const firstGroup = work.slotGroup[slot];
  const groups = work.groupCount - firstGroup;
  const emission = slot * work.problem.graph.symbolCount;
  const firstKept = work.slotKeptSymbol[slot];
  const keptSymbols = work.keptSymbolCount - firstKept;
  if (work.groupMass.length < keptSymbols * groups) work.groupMass = grown(work.groupMass, keptSymbols * groups);
  const { groupMass, entrySymbol, entryExtra } = work;
  keptIndex.fill(-1, firstSymbol, endSymbol);
  let total = 0;
  for (let g = firstGroup; g < work.groupCount; g++) total += groupFactor[g];
  for (let j = 0; j < keptSymbols; j++) {
    const y = work.keptSymbol[firstKept + j];
    keptIndex[y] = j;
    for (let g = 0; g < groups; g++) {
      groupMass[j * groups + g] = slotEmission[emission + y] * groupFactor[firstGroup + g];
    }
  }
  let rest = 0;
  for (let y = firstSymbol; y < endSymbol; y++) if (keptIndex[y] < 0) rest += slotEmission[emission + y];
  work.slotRest[slot] = rest;
  let starMass = rest * total;
  for (let g = 0; g < groups; g++) {
    for (let i = groupEntry[firstGroup + g]; i < groupEntry[firstGroup + g + 1]; i++) {
      const j = keptIndex[entrySymbol[i]];
      if (j < 0) starMass += entryExtra[i];
      else groupMass[j * groups + g] += entryExtra[i];
    }
  }
  return starMass;
}
