// Expand and group: lists the contexts that lead into a slot, segment by segment, forms their groups, and computes
//   mass(c, y) = exp(log forward(c) + score(c, y) - top),   mass(group, y) = sum over its contexts c: mass(c, y).

import { Bundle, GroupBytes } from "../../layout";
import { formGroups, groupAt } from "../groups";
import { branchEnd, branchFirst, branchSlot, incoming, incomingStart, symbolCount } from "../space";
import {
  arcMass,
  arcScore,
  arcStart,
  contextCommon,
  contextLength,
  contextParent,
  contextSymbol,
  int,
  list,
  listMerged,
  listSuffix,
  logForward,
  need,
  num,
  scratch,
  segmentEnd,
  segmentFirst,
  segmentGroup,
  segmentList,
  setInt,
  slotStart,
} from "../state";
import { addAll, expAll, maxOf } from "../vector";
import { scaleBest } from "./best";
import { Entered, Pass } from "./pass";

export function expand(slot: i32): void {
  const from = int(incomingStart, slot);
  const to = int(incomingStart, slot + 1);
  Entered.slot = slot;
  Entered.segments = 0;
  Entered.listed = 0;
  Entered.groups = 0;
  if (to - from == 1) {
    const b = int(incoming, from);
    addSegment(from, to, int(branchFirst, b), int(branchEnd, b));
  } else addSegments(from, to);
  need(Bundle.segments, Entered.segments + 1);
  setInt(segmentList, Entered.segments, Entered.listed);
  setInt(segmentGroup, Entered.segments, Entered.groups);
  findTop();
  scaleBest(to - from == 1);
  // Sums of groups, and room for the choice among them; neither may move once groups point into it.
  need(Bundle.scratch, 2 * Entered.groups * symbolCount + ((Entered.groups * symbolCount) >> 1) + 8);
  for (let s = 0; s < Entered.segments; s++) {
    weighExpansions(s);
    if (!Pass.byRows) sumGroups(s);
  }
}

/** The segments of several branches: from each symbol where one begins or ends to the next. */
function addSegments(from: i32, to: i32): void {
  let symbol = symbolCount;
  for (let i = from; i < to; i++) symbol = min(symbol, int(branchFirst, int(incoming, i)));
  while (symbol < symbolCount) {
    let next = symbolCount;
    let covered = false;
    for (let i = from; i < to; i++) {
      const b = int(incoming, i);
      if (int(branchFirst, b) > symbol) next = min(next, int(branchFirst, b));
      else if (int(branchEnd, b) > symbol) {
        covered = true;
        next = min(next, int(branchEnd, b));
      }
    }
    if (covered) addSegment(from, to, symbol, next);
    symbol = next;
  }
}

/** One segment: the symbols `first` .. `end - 1`, which come by those of the branches `from` .. `to - 1` that cover them. */
function addSegment(from: i32, to: i32, first: i32, end: i32): void {
  if (first >= end) return;
  const segment = Entered.segments++;
  const listed = Entered.listed;
  need(Bundle.segments, segment + 2);
  setInt(segmentFirst, segment, first);
  setInt(segmentEnd, segment, end);
  setInt(segmentList, segment, listed);
  setInt(segmentGroup, segment, Entered.groups);
  let runs = 0;
  let count = 0;
  for (let i = from; i < to; i++) {
    const b = int(incoming, i);
    if (first < int(branchFirst, b) || first >= int(branchEnd, b)) continue;
    const source = int(branchSlot, b);
    const start = int(slotStart, source);
    const stop = int(slotStart, source + 1);
    need(Bundle.lists, listed + count + stop - start + 1);
    if (count == 0) {
      for (let c = start; c < stop; c++) setInt(list, listed + c - start, c);
      count = stop - start;
    } else count = mergeInto(count, start, stop);
    runs++;
  }
  if (count == 0) return;
  const end1 = listed + count - 1;
  for (let i = listed; i <= end1; i++) {
    const c = int(list, i);
    let common = -1;
    if (i < end1) common = runs == 1 ? int(contextCommon, c) : commonLength(c, int(list, i + 1));
    setInt(listSuffix, 2 * i, int(contextLength, c));
    setInt(listSuffix, 2 * i + 1, common);
  }
  Entered.groups = formGroups(Entered.groups, listSuffix + (<usize>listed << 3), 8, count, listed, 1);
  Entered.listed = listed + count;
}

/** Merges the contexts `from` .. `to - 1` into the last `count` of the list; returns how many there are then. */
function mergeInto(count: i32, from: i32, to: i32): i32 {
  const total = count + to - from;
  const start = list + (<usize>Entered.listed << 2);
  let i = 0;
  let c = from;
  for (let n = 0; n < total; n++) {
    const takeOld = i < count && (c >= to || compare(int(start, i), c) <= 0);
    setInt(listMerged, n, takeOld ? int(start, i++) : c++);
  }
  memory.copy(start, listMerged, <usize>total << 2);
  return total;
}

/** Order of two contexts by suffix, `⋆` greatest. */
function compare(a: i32, b: i32): i32 {
  const lengthA = int(contextLength, a);
  const lengthB = int(contextLength, b);
  const shorter = min(lengthA, lengthB);
  let x = a;
  let y = b;
  for (let n = 0; n < shorter; n++) {
    const difference = int(contextSymbol, x) - int(contextSymbol, y);
    if (difference != 0) return difference;
    x = int(contextParent, x);
    y = int(contextParent, y);
  }
  return lengthB - lengthA;
}

/** How many of their latest decisions two contexts have in common. */
function commonLength(a: i32, b: i32): i32 {
  const shorter = min(int(contextLength, a), int(contextLength, b));
  let x = a;
  let y = b;
  for (let n = 0; n < shorter; n++) {
    if (int(contextSymbol, x) != int(contextSymbol, y)) return n;
    x = int(contextParent, x);
    y = int(contextParent, y);
  }
  return shorter;
}

/** top = the greatest of log forward(c) + score(c, y). */
function findTop(): void {
  let top: f64 = -Infinity;
  for (let s = 0; s < Entered.segments; s++) {
    const first = int(segmentFirst, s);
    const width = int(segmentEnd, s) - first;
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      const c = int(list, i);
      const log = num(logForward, c);
      if (log == -Infinity) continue;
      top = max(top, log + maxOf(arcScore + (<usize>(int(arcStart, c) + first) << 3), width));
    }
  }
  Entered.top = top;
}

/** mass(c, y) = exp(log forward(c) + score(c, y) - top) */
function weighExpansions(segment: i32): void {
  const first = int(segmentFirst, segment);
  const width = int(segmentEnd, segment) - first;
  for (let i = int(segmentList, segment); i < int(segmentList, segment + 1); i++) {
    const c = int(list, i);
    const log = num(logForward, c);
    if (log == -Infinity) continue;
    const at = <usize>(int(arcStart, c) + first) << 3;
    expAll(arcMass + at, arcScore + at, width, log - Entered.top);
  }
}

/** mass(group, y) = sum over its contexts c: mass(c, y). Where there is but one, its arcs have it. */
function sumGroups(segment: i32): void {
  const first = int(segmentFirst, segment);
  const width = int(segmentEnd, segment) - first;
  const stop = int(segmentGroup, segment + 1);
  for (let g = int(segmentGroup, segment); g < stop; g++) {
    const group = groupAt(g);
    const from = load<i32>(group, GroupBytes.members);
    const to = load<i32>(group, GroupBytes.membersEnd);
    if (to - from == 1) {
      store<i32>(group, <i32>(arcMass + (<usize>(int(arcStart, int(list, from)) + first) << 3)), GroupBytes.masses);
      continue;
    }
    const sum = scratch + (<usize>(g * symbolCount) << 3);
    store<i32>(group, <i32>sum, GroupBytes.masses);
    memory.fill(sum, 0, <usize>width << 3);
    for (let i = from; i < to; i++) addAll(sum, arcMass + (<usize>(int(arcStart, int(list, i)) + first) << 3), width);
  }
}
