// The backward pass and the expected decisions, with ratio(t) = posterior(t) / mass(t):
//   posterior(c) = k(c) * (sum over y: E(y) * ratio(where c leads by y) * product over rows r of c: (1 + gain(r)[y])),
//   P(y at the slot) = sum over groups g: mass(g, y) * ratio(where g leads by y).

import type { WorkSpace } from "./work-space.js";

/** Posteriors of the contexts; adds `factor` times the expected decisions to `slotCounts`, [slotCount][symbolCount]. */
export function backward(work: WorkSpace, slotCounts: Float64Array, factor: number): void {
  const { mass, posterior, slotStart, graph } = work.trellis;
  work.trellis.toPosteriors();
  const { ratio } = work.trellis;
  const last = graph.slotCount - 1;
  for (let c = slotStart[last]; c < slotStart[last + 1]; c++) {
    posterior[c] = c === slotStart[last + 1] - 1 ? 1 : 0;
    ratio[c] = posterior[c] / mass[c];
  }
  for (let slot = last - 1; slot >= 0; slot--) {
    countStar(work, slot, slotCounts, factor);
    const groups = work.slotGroup[slot + 1] - work.slotGroup[slot];
    for (let g = 0; g < groups; g++) {
      const sum = countGroup(work, slot, g, slotCounts, factor);
      spreadOver(work, work.slotGroup[slot] + g, sum, mass);
    }
  }
}

/** Counts k * E of the symbols that lead to ⋆ alone, and notes in `keptIndex` which do not. */
function countStar(work: WorkSpace, slot: number, slotCounts: Float64Array, factor: number): void {
  const { keptIndex, groupFactor, slotEmission, keptSymbol } = work;
  const { graph, ratio } = work.trellis;
  const emission = slot * graph.symbolCount;
  const first = graph.branchFirst[graph.branchStart[slot]];
  const end = graph.branchEnd[graph.branchStart[slot]];
  const firstKept = work.slotKeptSymbol[slot];
  const keptSymbols = work.slotKeptSymbol[slot + 1] - firstKept;
  const star = work.slotStar[slot];
  keptIndex.fill(-1, first, end);
  let total = 0;
  for (let g = work.slotGroup[slot]; g < work.slotGroup[slot + 1]; g++) total += groupFactor[g];
  for (let j = 0; j < keptSymbols; j++) keptIndex[keptSymbol[firstKept + j]] = j;
  const starTotal = factor * total * (star >= 0 ? ratio[star] : 0);
  for (let y = first; y < end; y++) {
    if (keptIndex[y] < 0) slotCounts[emission + y] += starTotal * slotEmission[emission + y];
  }
}

/** Counts what else a group decides; returns posterior / k of a context that has the group's common rows alone. */
function countGroup(work: WorkSpace, slot: number, g: number, slotCounts: Float64Array, factor: number): number {
  const { keptIndex, groupFactor, groupEntry, slotEmission, keptSymbol, target } = work;
  const { entrySymbol, entryGain, entryExtra, entryShare } = work;
  const { graph, ratio } = work.trellis;
  const firstGroup = work.slotGroup[slot];
  const groups = work.slotGroup[slot + 1] - firstGroup;
  const emission = slot * graph.symbolCount;
  const firstKept = work.slotKeptSymbol[slot];
  const keptSymbols = work.slotKeptSymbol[slot + 1] - firstKept;
  const firstTarget = work.slotTarget[slot];
  const star = work.slotStar[slot];
  const starRatio = star >= 0 ? ratio[star] : 0;
  const k = factor * groupFactor[firstGroup + g];
  let sum = starRatio * work.slotRest[slot];
  for (let j = 0, t = firstTarget + g; j < keptSymbols; j++, t += groups) {
    if (target[t] < 0) continue;
    const place = emission + keptSymbol[firstKept + j];
    const share = slotEmission[place] * ratio[target[t]];
    sum += share;
    slotCounts[place] += k * share;
  }
  const entryEnd = groupEntry[firstGroup + g + 1];
  for (let i = groupEntry[firstGroup + g]; i < entryEnd; i++) {
    const y = entrySymbol[i];
    const j = keptIndex[y];
    const to = j < 0 ? star : target[firstTarget + j * groups + g];
    const onward = to < 0 ? 0 : ratio[to];
    const share = slotEmission[emission + y] * onward;
    slotCounts[emission + y] += factor * entryExtra[i] * onward;
    sum += entryGain[i] * share;
    entryShare[i] = (1 + entryGain[i]) * share;
  }
  return sum;
}

/** posterior(c) = k(c) * (sum + sum over its own entries: gain * share). Masses give way to ratios. */
function spreadOver(work: WorkSpace, g: number, sum: number, mass: Float64Array): void {
  const { ownStart, ownEntry, ownGain, entryShare, contextFactor, groupFrom, groupTo } = work;
  const { ratio, posterior } = work.trellis;
  for (let c = groupFrom[g]; c < groupTo[g]; c++) {
    let own = sum;
    for (let d = ownStart[c]; d < ownStart[c + 1]; d++) own += ownGain[d] * entryShare[ownEntry[d]];
    posterior[c] = contextFactor[c] * own;
    ratio[c] = posterior[c] === 0 ? 0 : posterior[c] / mass[c];
  }
}
