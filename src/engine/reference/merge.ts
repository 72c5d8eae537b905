// Merge: makes the slot's contexts of the groups that were kept, leads every expansion to its longest kept suffix, and sums
//   forward(t) = sum over the expansions (c, y) that lead to t: mass(c, y).

import { leadToKept } from "../merge.js";
import { BEGIN, grown } from "../trellis.js";
import type { WorkSpace } from "./work-space.js";

/** Below this the sum of relative masses has lost digits, and is taken again relative to its own heaviest term. */
const TINY = 1e-250;

export function merge(work: WorkSpace, slot: number): void {
  const { trellis, groupCount, groupKept, groupTarget, groupCommon } = work;
  const isEnd = slot === work.problem.graph.slotCount - 1;
  const losesRest = work.inference.mode === "beam" && !isEnd && work.inference.order > 0;
  const from = trellis.contextCount;
  let kept = 0;
  for (let g = 0; g < groupCount; g++) kept += groupKept[g];
  trellis.growContexts(from + kept + 1);
  for (let g = 0; g < groupCount; g++) groupTarget[g] = groupKept[g] ? addContext(work, slot, g) : -1;
  const star = losesRest || groupCount === 0 ? -1 : trellis.addContext(slot, -1, BEGIN, 0);
  const to = trellis.contextCount;
  trellis.slotStart[slot + 1] = to;
  if (work.ancestors.length < kept + 1) work.ancestors = grown(work.ancestors, kept + 1);
  leadToKept(trellis, groupCommon, 0, groupCount, groupTarget, 0, star, losesRest, work.ancestors);
  trellis.mass.fill(0, from, to);
  addMasses(work);
  takeLogarithms(work, from, to);
}

/** The context of a group that was kept. */
function addContext(work: WorkSpace, slot: number, g: number): number {
  const expansion = work.groupExpansion[g];
  const parent = work.expansionContext[expansion];
  return work.trellis.addContext(slot, parent, work.expansionSymbol[expansion], work.groupLength[g]);
}

function addMasses({ trellis, expansionCount, expansionArc, expansionGroup, expansionMass, groupTarget }: WorkSpace) {
  const { arcTarget, arcMass, mass } = trellis;
  for (let i = 0; i < expansionCount; i++) {
    const target = groupTarget[expansionGroup[i]];
    if (target < 0) continue;
    arcTarget[expansionArc[i]] = target;
    arcMass[expansionArc[i]] = expansionMass[i];
    mass[target] += expansionMass[i];
  }
}

/** log forward(t) = top + log(mass(t)); where a sum is too small to be exact it is taken again on its own scale. */
function takeLogarithms(work: WorkSpace, from: number, to: number): void {
  const { mass, logForward } = work.trellis;
  let tiny = false;
  for (let c = from; c < to; c++) {
    logForward[c] = work.top + Math.log(mass[c]);
    if (mass[c] < TINY) tiny = true;
  }
  if (tiny) rescaleTiny(work, from, to);
}

function rescaleTiny({ trellis, expansionCount, expansionArc, expansionLogMass }: WorkSpace, from: number, to: number) {
  const { mass, logForward, arcTarget, arcMass } = trellis;
  const isTiny = (c: number) => c >= 0 && mass[c] < TINY;
  const scale = new Float64Array(to - from).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < expansionCount; i++) {
    const target = arcTarget[expansionArc[i]];
    if (isTiny(target)) scale[target - from] = Math.max(scale[target - from], expansionLogMass[i]);
  }
  const sums = new Float64Array(to - from);
  for (let i = 0; i < expansionCount; i++) {
    const target = arcTarget[expansionArc[i]];
    if (!isTiny(target) || scale[target - from] === Number.NEGATIVE_INFINITY) continue;
    const share = Math.exp(expansionLogMass[i] - scale[target - from]);
    arcMass[expansionArc[i]] = share;
    sums[target - from] += share;
  }
  for (let c = from; c < to; c++) {
    if (!isTiny(c)) continue;
    if (scale[c - from] === Number.NEGATIVE_INFINITY) {
      mass[c] = 1;
      logForward[c] = Number.NEGATIVE_INFINITY;
    } else {
      mass[c] = sums[c - from];
      logForward[c] = scale[c - from] + Math.log(sums[c - from]);
    }
  }
}
