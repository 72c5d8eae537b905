// Select: the expansions that stay as contexts of the slot, (symbol, group) pairs: the `limit` heaviest, or all that are
// possible. Masses lie by group, symbols next to each other, so those that reach the bound are found two at a time.

import { Bundle, GroupBytes, Mode } from "../../layout";
import { groupAt } from "../groups";
import { boundOf, clearKept, dropLightest, keep, kept, key, keyOf, setKept, sortKeys } from "../kept";
import { slotCount, symbolCount } from "../space";
import {
  arcScore,
  arcStart,
  int,
  keptMass,
  list,
  logForward,
  need,
  num,
  scratch,
  segmentEnd,
  segmentFirst,
  segmentGroup,
  setNum,
} from "../state";
import { raiseAll } from "../vector";
import { Entered, Pass } from "./pass";

export function select(forcedArc: i32): void {
  clearKept();
  if (Entered.slot == slotCount - 1 || Pass.order == 0) return;
  if (Pass.mode == Mode.exact) {
    keepAll();
    return;
  }
  const limit = Pass.limit;
  if (limit <= 0) return;
  let total = 0;
  for (let s = 0; s < Entered.segments; s++) {
    total += (int(segmentGroup, s + 1) - int(segmentGroup, s)) * (int(segmentEnd, s) - int(segmentFirst, s));
  }
  need(Bundle.kept, total + 5);
  let bound: f64 = 0;
  if (total > 2 * limit || Pass.lightest > 0) {
    const maxima = scratch + (<usize>(Entered.groups * symbolCount) << 3);
    bound = boundOf(maxima, findMaxima(maxima), total, limit, Pass.lightest);
  }
  for (let s = 0; s < Entered.segments; s++) {
    for (let g = int(segmentGroup, s); g < int(segmentGroup, s + 1); g++) {
      collect(g, int(segmentFirst, s), int(segmentEnd, s) - int(segmentFirst, s), bound);
    }
  }
  if (kept > limit) dropLightest(limit);
  if (forcedArc >= 0) keepForced(forcedArc);
  sortKeys();
}

/** The maxima of disjoint sets of expansions, columns of blocks of groups; returns how many, an even number. */
function findMaxima(maxima: usize): i32 {
  let count = 0;
  for (let s = 0; s < Entered.segments; s++) {
    const width = int(segmentEnd, s) - int(segmentFirst, s);
    const from = int(segmentGroup, s);
    const to = int(segmentGroup, s + 1);
    if (to == from) continue;
    // As many blocks as give twice the sets that are needed, if there are groups enough.
    const blocks = min(to - from, max(1, (2 * Pass.limit + width - 1) / width));
    for (let b = 0; b < blocks; b++) {
      const first = from + (b * (to - from)) / blocks;
      const end = from + ((b + 1) * (to - from)) / blocks;
      const at = maxima + (<usize>count << 3);
      memory.copy(at, massesOf(first), <usize>width << 3);
      for (let g = first + 1; g < end; g++) raiseAll(at, massesOf(g), width);
      count += width;
    }
  }
  setNum(maxima, count, 0);
  return (count + 1) & ~1;
}

/** Where the masses of a group's expansions begin. */
// @ts-expect-error
@inline
function massesOf(g: i32): usize {
  return <usize>load<i32>(groupAt(g), GroupBytes.masses);
}

/** Takes in the expansions of a group that reach a bound. */
function collect(g: i32, first: i32, width: i32, bound: f64): void {
  const row = massesOf(g);
  const bounds = f64x2.splat(bound);
  let i = 0;
  for (; i + 1 < width; i += 2) {
    const reached = i64x2.bitmask(f64x2.ge(v128.load(row + (<usize>i << 3)), bounds));
    if (reached == 0) continue;
    if (reached & 1) collectOne(g, first + i, num(row, i));
    if (reached & 2) collectOne(g, first + i + 1, num(row, i + 1));
  }
  if (i < width && num(row, i) >= bound) collectOne(g, first + i, num(row, i));
}

// @ts-expect-error
@inline
function collectOne(g: i32, symbol: i32, weight: f64): void {
  if (weight > 0 || isPossible(g, symbol)) keep(weight, keyOf(symbol, g));
}

/** Whether an expansion has any mass at all, also where it is too small for a number. */
function isPossible(g: i32, symbol: i32): bool {
  const end = load<i32>(groupAt(g), GroupBytes.membersEnd);
  for (let i = load<i32>(groupAt(g), GroupBytes.members); i < end; i++) {
    const c = int(list, i);
    if (num(logForward, c) > -Infinity && num(arcScore, int(arcStart, c) + symbol) > -Infinity) return true;
  }
  return false;
}

/** In order of symbol and group, which is that of contexts. */
function keepAll(): void {
  for (let s = 0; s < Entered.segments; s++) {
    const first = int(segmentFirst, s);
    const end = int(segmentEnd, s);
    need(Bundle.kept, kept + (int(segmentGroup, s + 1) - int(segmentGroup, s)) * (end - first) + 1);
    for (let y = first; y < end; y++) {
      for (let g = int(segmentGroup, s); g < int(segmentGroup, s + 1); g++) {
        collectOne(g, y, num(massesOf(g), y - first));
      }
    }
  }
}

/** Keeps the group of a forced arc, in place of the lightest one if there is no room. */
function keepForced(forcedArc: i32): void {
  const symbol = forcedArc % symbolCount;
  for (let s = 0; s < Entered.segments; s++) {
    const first = int(segmentFirst, s);
    if (symbol < first || symbol >= int(segmentEnd, s)) continue;
    for (let g = int(segmentGroup, s); g < int(segmentGroup, s + 1); g++) {
      const end = load<i32>(groupAt(g), GroupBytes.membersEnd);
      for (let i = load<i32>(groupAt(g), GroupBytes.members); i < end; i++) {
        if (int(arcStart, int(list, i)) + symbol != forcedArc) continue;
        keepAnyway(num(massesOf(g), symbol - first), keyOf(symbol, g));
        return;
      }
    }
  }
}

function keepAnyway(weight: f64, name: u64): void {
  for (let k = 0; k < kept; k++) if (key(k) == name) return;
  if (kept < Pass.limit) {
    keep(weight, name);
    return;
  }
  // Among equals the reference drops the first.
  let out = 0;
  for (let k = 1; k < kept; k++) {
    if (num(keptMass, k) < num(keptMass, out) || (num(keptMass, k) == num(keptMass, out) && key(k) < key(out))) out = k;
  }
  setKept(out, weight, name);
}
