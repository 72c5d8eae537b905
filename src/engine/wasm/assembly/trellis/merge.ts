// Merge: makes the slot's contexts of the expansions that were kept, leads every expansion to its longest kept suffix, and
// sums
//   forward(t) = sum over the expansions (c, y) that lead to t: mass(c, y).
// A kept context claims the arcs that lead to it, the longest first; what no context has claimed leads to `⋆`, or is lost.

import { Bundle, GroupBytes, Mode } from "../../layout";
import { commonBetween, groupAt } from "../groups";
import { groupOfKey, kept, key, symbolOfKey } from "../kept";
import { BEGIN, slotCount } from "../space";
import {
  arcMass,
  arcScore,
  arcStart,
  arcTarget,
  best,
  claimedArc,
  claimedMass,
  contextLength,
  int,
  list,
  listBest,
  logForward,
  mass,
  need,
  num,
  segmentEnd,
  segmentFirst,
  segmentGroup,
  segmentList,
  setInt,
  setNum,
  slotStart,
} from "../state";
import { expOne, fillInts, sumAndTop } from "../vector";
import { lift, setBest, TO_BE_FOUND } from "./best";
import { addContext, contextCount } from "./contexts";
import { Entered, Pass } from "./pass";

/** Below this a sum of relative masses has lost digits, and is taken again relative to its own heaviest term. */
const TINY: f64 = 1e-250;

/** Arcs claimed so far. */
let claimed: i32 = 0;

export function merge(): void {
  const slot = Entered.slot;
  const losesRest = Pass.mode == Mode.beam && slot < slotCount - 1 && Pass.order > 0;
  const from = contextCount;
  need(Bundle.contexts, from + kept + 2);
  for (let i = 0; i < kept; i++) {
    const symbol = symbolOfKey(key(i));
    const g = groupOfKey(key(i));
    const isNext = i + 1 < kept && symbolOfKey(key(i + 1)) == symbol;
    const common = isNext ? commonBetween(g, groupOfKey(key(i + 1))) : 0;
    const parent = int(list, load<i32>(groupAt(g), GroupBytes.members));
    addContext(slot, parent, symbol, load<i32>(groupAt(g), GroupBytes.length), common);
  }
  const star = losesRest || Entered.groups == 0 ? -1 : addContext(slot, -1, BEGIN, 0, 0);
  setInt(slotStart, slot + 1, contextCount);
  leadAllTo(star);
  claimed = 0;
  for (let i = 0; i < kept; i++) claim(from + i, key(i), losesRest, star);
  if (star >= 0) takeRest(star);
  else clearMasses();
  // Claimed arcs have lent out their masses for that, and get them back.
  for (let i = 0; i < claimed; i++) setNum(arcMass, int(claimedArc, i), num(claimedMass, i));
  finish(from, contextCount);
}

/** Every expansion leads to one target, to begin with. */
function leadAllTo(target: i32): void {
  let arcs = 0;
  for (let s = 0; s < Entered.segments; s++) {
    const first = int(segmentFirst, s);
    const width = int(segmentEnd, s) - first;
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      fillInts(arcTarget + (<usize>(int(arcStart, int(list, i)) + first) << 2), target, width);
      arcs += width;
    }
  }
  need(Bundle.claims, arcs + 1);
}

/**
 * Leads to a kept context what has it as its longest kept suffix: its own group and, unless it is `alone`, the groups before
 * it that end in it and that no longer context has claimed; their arcs still lead to `free`. Contexts come longest first.
 * Masses of claimed arcs are put aside and set to 0.
 */
function claim(context: i32, name: u64, alone: bool, free: i32): void {
  const symbol = symbolOfKey(name);
  const length = int(contextLength, context);
  let segment = 0;
  while (symbol >= int(segmentEnd, segment)) segment++;
  const least = groupAt(int(segmentGroup, segment));
  let sum: f64 = 0;
  let bestMass: f64 = 0;
  let bestContext = -1;
  let group = groupAt(groupOfKey(name));
  for (;;) {
    const end = load<i32>(group, GroupBytes.membersEnd);
    for (let i = load<i32>(group, GroupBytes.members); i < end; i++) {
      const c = int(list, i);
      const arc = int(arcStart, c) + symbol;
      if (int(arcTarget, arc) != free) continue;
      setInt(arcTarget, arc, context);
      const weight = num(arcMass, arc);
      sum += weight;
      const along = num(listBest, i) * weight;
      if (along > bestMass || (along == bestMass && along > 0 && c < bestContext)) {
        bestMass = along;
        bestContext = c;
      }
      setNum(arcMass, arc, 0);
      setInt(claimedArc, claimed, arc);
      setNum(claimedMass, claimed, weight);
      claimed++;
    }
    if (alone || group == least) break;
    group -= GroupBytes.bytes;
    if (load<i32>(group, GroupBytes.common) < length) break;
  }
  setNum(mass, context, sum);
  setBest(context, bestMass, bestContext, symbol);
}

/** What is left leads to `⋆`. */
function takeRest(star: i32): void {
  let rest: f64 = 0;
  let bestMass: f64 = 0;
  let bestContext = -1;
  for (let s = 0; s < Entered.segments; s++) {
    const first = int(segmentFirst, s);
    const width = int(segmentEnd, s) - first;
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      const c = int(list, i);
      const pair = sumAndTop(arcMass + (<usize>(int(arcStart, c) + first) << 3), width);
      rest += f64x2.extract_lane(pair, 0);
      const along = num(listBest, i) * f64x2.extract_lane(pair, 1);
      if (along > bestMass || (along == bestMass && along > 0 && c < bestContext)) {
        bestMass = along;
        bestContext = c;
      }
    }
  }
  setNum(mass, star, rest);
  setBest(star, bestMass, bestContext, TO_BE_FOUND);
}

/** What is left is lost. */
function clearMasses(): void {
  for (let s = 0; s < Entered.segments; s++) {
    const first = int(segmentFirst, s);
    const width = int(segmentEnd, s) - first;
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      memory.fill(arcMass + (<usize>(int(arcStart, int(list, i)) + first) << 3), 0, <usize>width << 3);
    }
  }
}

/** Sum over slots of the average number of decisions remembered, weighted by mass, and how many slots there were. */
let lengths: f64 = 0;
let lengthSlots: i32 = 0;

export function clearLengths(): void {
  lengths = 0;
  lengthSlots = 0;
}

export function averageLength(): f64 {
  return lengthSlots ? lengths / <f64>lengthSlots : 0;
}

/** log forward(t) = top + log(mass(t)); where a sum is too small to be exact it is taken again on its own scale. */
export function finish(from: i32, to: i32): void {
  let total: f64 = 0;
  let remembered: f64 = 0;
  let tiny = false;
  for (let c = from; c < to; c++) {
    const sum = num(mass, c);
    setNum(logForward, c, Entered.top + Math.log(sum));
    setNum(best, c, num(best, c) / sum);
    total += sum;
    remembered += sum * <f64>int(contextLength, c);
    if (sum < TINY) tiny = true;
  }
  if (tiny) {
    let heaviest: f64 = -Infinity;
    for (let c = from; c < to; c++) {
      if (num(mass, c) < TINY) rescale(c);
      heaviest = max(heaviest, num(logForward, c));
    }
    total = 0;
    remembered = 0;
    for (let c = from; c < to; c++) {
      const log = num(logForward, c);
      const share = log == -Infinity ? 0 : expOne(log - heaviest);
      total += share;
      remembered += share * <f64>int(contextLength, c);
    }
  }
  if (from < to) lift(from, to);
  if (total > 0 && Entered.slot < slotCount - 1) {
    lengths += remembered / total;
    lengthSlots++;
  }
}

/** The mass of one context, relative to the heaviest expansion that leads to it. */
function rescale(context: i32): void {
  let scale: f64 = -Infinity;
  for (let s = 0; s < Entered.segments; s++) {
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      const c = int(list, i);
      const log = num(logForward, c);
      const arcs = int(arcStart, c);
      if (log == -Infinity) continue;
      for (let arc = arcs + int(segmentFirst, s); arc < arcs + int(segmentEnd, s); arc++) {
        if (int(arcTarget, arc) == context) scale = max(scale, log + num(arcScore, arc));
      }
    }
  }
  if (scale == -Infinity) {
    setNum(mass, context, 1);
    setNum(logForward, context, -Infinity);
    setNum(best, context, 0);
    return;
  }
  const sum = sumOnScale(context, scale);
  setNum(mass, context, sum);
  setNum(logForward, context, scale + Math.log(sum));
  setNum(best, context, num(best, context) / sum);
}

/** mass(t) = sum over the expansions (c, y) that lead to t: exp(log forward(c) + score(c, y) - scale) */
function sumOnScale(context: i32, scale: f64): f64 {
  let sum: f64 = 0;
  let bestMass: f64 = 0;
  for (let s = 0; s < Entered.segments; s++) {
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      const c = int(list, i);
      const log = num(logForward, c);
      const arcs = int(arcStart, c);
      if (log == -Infinity) continue;
      for (let arc = arcs + int(segmentFirst, s); arc < arcs + int(segmentEnd, s); arc++) {
        if (int(arcTarget, arc) != context) continue;
        const weight = expOne(log + num(arcScore, arc) - scale);
        setNum(arcMass, arc, weight);
        sum += weight;
        if (num(listBest, i) * weight > bestMass) {
          bestMass = num(listBest, i) * weight;
          setBest(context, bestMass, c, arc - arcs);
        }
      }
    }
  }
  setNum(best, context, bestMass);
  return sum;
}
