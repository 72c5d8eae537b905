// The forward pass: expand, select, merge, slot by slot, as in src/engine/reference/kernel.ts, which is its specification. What
// is done differently: the expansions into a slot form segments, ranges of symbols that come from the same earlier slots,
// and within a segment the contexts are the same for every symbol. So which expansions are one context after
// recombination is found once a segment, not once a symbol, and everything else is a loop over a vector of symbols.
// Symbols of which no expansion is kept, which are most, lead to ⋆ and need no further look.

import { dropLightest, keep, kept, key, setKept, setKeptCount, sortKeys } from "./kept";
import {
  branchEnd,
  branchFirst,
  branchSlot,
  branchStart,
  findRows,
  incoming,
  incomingStart,
  scoreArcs,
  slotCount,
  startWalks,
  symbolCount,
  tellingLength,
  useProblem,
  useSpace,
} from "./space";
import {
  arcMass,
  arcScore,
  arcStart,
  arcTarget,
  best,
  bestFrom,
  bestScale,
  bestSymbol,
  contextCommon,
  contextCount,
  contextLength,
  contextParent,
  contextSlot,
  contextSymbol,
  groupCommon,
  groupLength,
  groupRow,
  groupStart,
  int,
  keptKey,
  keptMass,
  list,
  listBest,
  listCommon,
  listScratch,
  logForward,
  mass,
  needArcs,
  needContexts,
  needKept,
  needLists,
  needSegments,
  needSlots,
  needSums,
  num,
  rowStart,
  segmentEnd,
  segmentFirst,
  segmentGroup,
  segmentList,
  setContextCount,
  setInt,
  setNum,
  slotStart,
  stack,
  sums,
  use,
} from "./state";
import { addAll, expAll, expOne, fillInts, maxOf, raiseAll, separator, sumAndTop } from "./vector";

const BEGIN = -1;
/** Stands for the symbol by which the best path comes to `⋆`: the best that leads there, to be found when it is asked for. */
const TO_BE_FOUND = -1;
const RCMS = 0;
const BEAM = 1;
const EXACT = 2;
/** Below this a sum of relative masses has lost digits, and is taken again relative to its own heaviest term. */
const TINY: f64 = 1e-250;

let mode: i32 = 0;
let limit: i32 = 0;
let lightest: f64 = 0;
let order: i32 = 0;
/** The longest suffix that is remembered. */
let longest: i32 = 0;
let isForced: bool = false;
/** Contexts remember only what rows can tell apart; with every context kept. */
let byRows: bool = false;

let segments: i32 = 0;
let listed: i32 = 0;
let groups: i32 = 0;
/** Log of the heaviest expansion into the slot at hand; masses are relative to it. */
let top: f64 = 0;
let common: i32 = 0;
let lengths: f64 = 0;
let lengthSlots: i32 = 0;

/** Returns the log-partition. `forced` is the address of a path or 0. */
export function forward(
  state: usize,
  space: usize,
  weights: usize,
  graph: usize,
  slotScores: usize,
  slotInput: usize,
  starts: usize,
  inferenceMode: i32,
  contexts: i32,
  lightestShare: f64,
  orderOfRows: i32,
  longestSuffix: i32,
  allRows: bool,
  toldByRows: bool,
  forced: usize,
): f64 {
  use(state);
  useSpace(space, weights);
  useProblem(graph, slotScores, slotInput, starts);
  mode = inferenceMode;
  limit = contexts;
  lightest = inferenceMode == EXACT ? 0 : lightestShare;
  order = orderOfRows;
  longest = longestSuffix;
  isForced = forced != 0;
  byRows = toldByRows;
  if (byRows) startWalks(longest);
  lengths = 0;
  lengthSlots = 0;
  needSlots(slotCount);
  begin();
  open(0, allRows);
  let forcedContext = 0;
  let forcedSlot = 0;
  for (let slot = 1; slot < slotCount; slot++) {
    gather(slot);
    let forcedArc = -1;
    if (forced && forcedSlot >= 0) {
      const symbol = int(forced, forcedSlot);
      if (symbol >= 0) forcedArc = int(arcStart, forcedContext) + symbol;
    }
    if (byRows && slot < slotCount - 1) keepByRows(slot);
    else {
      select(slot, forcedArc);
      merge(slot);
    }
    if (forcedArc >= 0) {
      const target = int(arcTarget, forcedArc);
      if (target >= int(slotStart, slot)) {
        forcedContext = target;
        forcedSlot = slot;
      }
    }
    open(slot, allRows);
  }
  const last = int(slotStart, slotCount) - 1;
  return last >= int(slotStart, slotCount - 1) ? num(logForward, last) : -Infinity;
}

/** Average number of decisions remembered in the latest forward pass, weighted by mass. */
export function averageContextLength(): f64 {
  return lengthSlots ? lengths / <f64>lengthSlots : 0;
}

/** The contexts of the first slot: `^`, and `⋆` without mass so that its expansions stand in every list. */
function begin(): void {
  setContextCount(0);
  needContexts(2);
  setInt(arcStart, 0, 0);
  setInt(rowStart, 0, 0);
  setInt(slotStart, 0, 0);
  setNum(bestScale, 0, 0);
  const remembers = order > 0 && (limit > 0 || mode == EXACT);
  if (remembers) addContext(0, -1, BEGIN, 1, 0, 0);
  if (!remembers || mode != BEAM) addContext(0, -1, BEGIN, 0, 0, remembers ? -Infinity : 0);
  setInt(slotStart, 1, contextCount);
}

function addContext(slot: i32, parent: i32, symbol: i32, length: i32, commonLength: i32, log: f64): void {
  const c = contextCount;
  setContextCount(c + 1);
  setInt(contextSlot, c, slot);
  setInt(contextParent, c, parent);
  setInt(contextSymbol, c, symbol);
  setInt(contextLength, c, length);
  setInt(contextCommon, c, commonLength);
  setNum(logForward, c, log);
  setNum(mass, c, 1);
  setNum(best, c, log == 0 ? 1 : 0);
}

/** Finds the rows of a slot's contexts and the scores of their expansions. */
function open(slot: i32, allRows: bool): void {
  const from = int(slotStart, slot);
  const to = int(slotStart, slot + 1);
  if (slot == slotCount - 1) {
    for (let c = from; c < to; c++) {
      setInt(arcStart, c + 1, int(arcStart, c));
      setInt(rowStart, c + 1, int(rowStart, c));
    }
    return;
  }
  let first = symbolCount;
  let end = 0;
  for (let b = int(branchStart, slot); b < int(branchStart, slot + 1); b++) {
    first = min(first, int(branchFirst, b));
    end = max(end, int(branchEnd, b));
  }
  const arcs = int(arcStart, from);
  const count = (to - from) * symbolCount;
  needArcs(arcs + count);
  // Symbols that lead nowhere have no target and no mass; those of the others are set when they are expanded.
  const isWhole = int(branchStart, slot + 1) - int(branchStart, slot) == 1 && first == 0 && end == symbolCount;
  if (!isWhole) clearArcs(arcs, to - from, slot);
  // Whether the forced path has come to a slot is told by its arc having a target.
  if (isForced) fillInts(arcTarget + (<usize>arcs << 2), -1, count);
  for (let c = from; c < to; c++) {
    const arc = int(arcStart, c);
    setInt(arcStart, c + 1, arc + symbolCount);
    if (num(logForward, c) == -Infinity) {
      setInt(rowStart, c + 1, int(rowStart, c));
      memory.fill(arcMass + (<usize>arc << 3), 0, <usize>symbolCount << 3);
      continue;
    }
    findRows(slot, c, allRows);
    scoreArcs(slot, c, arc, first, end);
  }
}

/** Clears the arcs of `contexts` contexts by symbols that no branch of the slot covers. */
function clearArcs(arcs: i32, contexts: i32, slot: i32): void {
  for (let symbol = 0; symbol < symbolCount; ) {
    // The next symbol that a branch covers, and where it ends; branches may come in any order.
    let first = symbolCount;
    let end = symbolCount;
    for (let b = int(branchStart, slot); b < int(branchStart, slot + 1); b++) {
      if (int(branchEnd, b) <= symbol || int(branchFirst, b) >= first) continue;
      first = max(symbol, int(branchFirst, b));
      end = int(branchEnd, b);
    }
    for (let c = 0; c < contexts && symbol < first; c++) {
      const arc = <usize>(arcs + c * symbolCount + symbol);
      fillInts(arcTarget + (arc << 2), -1, first - symbol);
      memory.fill(arcMass + (arc << 3), 0, <usize>(first - symbol) << 3);
    }
    symbol = first < symbolCount ? end : symbolCount;
  }
}

/** Lists the contexts that lead into a slot, segment by segment, puts those into groups, and computes masses. */
function gather(slot: i32): void {
  const from = int(incomingStart, slot);
  const to = int(incomingStart, slot + 1);
  segments = 0;
  listed = 0;
  groups = 0;
  top = -Infinity;
  if (to - from == 1) {
    const b = int(incoming, from);
    addSegment(from, to, int(branchFirst, b), int(branchEnd, b));
  } else {
    let symbol = symbolCount;
    for (let i = from; i < to; i++) symbol = min(symbol, int(branchFirst, int(incoming, i)));
    while (symbol < symbolCount) {
      // The next symbol where a branch begins or ends.
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
  needSegments(segments);
  setInt(segmentList, segments, listed);
  setInt(segmentGroup, segments, groups);
  for (let s = 0; s < segments; s++) {
    const first = int(segmentFirst, s);
    const width = int(segmentEnd, s) - first;
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      const c = int(list, i);
      const log = num(logForward, c);
      if (log == -Infinity) continue;
      top = max(top, log + maxOf(arcScore + (<usize>(int(arcStart, c) + first) << 3), width));
    }
  }
  scaleBest(slot, to - from == 1);
  // Sums of groups, and room for the choice among them; neither may move once rows point into it.
  needSums(2 * groups * symbolCount);
  for (let s = 0; s < segments; s++) weigh(s);
}

/** Puts the shares of the best paths to the contexts of the list on one scale, which becomes the slot's. */
function scaleBest(slot: i32, isOneSource: bool): void {
  let scale: f64 = listed > 0 ? num(bestScale, int(contextSlot, int(list, 0))) : 0;
  if (!isOneSource) {
    for (let i = 1; i < listed; i++) scale = max(scale, num(bestScale, int(contextSlot, int(list, i))));
  }
  setNum(bestScale, slot, scale);
  for (let i = 0; i < listed; i++) {
    const c = int(list, i);
    const own = isOneSource ? scale : num(bestScale, int(contextSlot, c));
    setNum(listBest, i, own == scale ? num(best, c) : num(best, c) * expOne(own - scale));
  }
}

/** Shares below this are put on a scale of their own, before they lose digits. */
const FADING: f64 = 1e-150;

/** Keeps the shares of the best paths to a slot's contexts from fading away as paths grow long. */
function lift(slot: i32, from: i32, to: i32): void {
  let greatest: f64 = 0;
  for (let c = from; c < to; c++) greatest = max(greatest, num(best, c));
  if (greatest == 0 || greatest >= FADING) return;
  setNum(bestScale, slot, num(bestScale, slot) + Math.log(greatest));
  for (let c = from; c < to; c++) setNum(best, c, num(best, c) / greatest);
}

/** One segment: the symbols `first` .. `end - 1`, which come by those of the branches `from` .. `to - 1` that cover them. */
function addSegment(from: i32, to: i32, first: i32, end: i32): void {
  if (first >= end) return;
  needSegments(segments + 1);
  setInt(segmentFirst, segments, first);
  setInt(segmentEnd, segments, end);
  setInt(segmentList, segments, listed);
  setInt(segmentGroup, segments, groups);
  let runs = 0;
  let count = 0;
  for (let i = from; i < to; i++) {
    const b = int(incoming, i);
    if (first < int(branchFirst, b) || first >= int(branchEnd, b)) continue;
    const source = int(branchSlot, b);
    const start = int(slotStart, source);
    const stop = int(slotStart, source + 1);
    needLists(listed + count + stop - start);
    if (count == 0) {
      for (let c = start; c < stop; c++) {
        setInt(list, listed + c - start, c);
        setInt(listCommon, listed + c - start, int(contextCommon, c));
      }
      count = stop - start;
    } else count = mergeInto(count, start, stop);
    runs++;
  }
  if (runs > 1) {
    for (let i = listed; i < listed + count - 1; i++) {
      compare(int(list, i), int(list, i + 1));
      setInt(listCommon, i, common);
    }
  }
  if (count > 0) {
    setInt(listCommon, listed + count - 1, -1);
    group(count);
  }
  listed += count;
  segments++;
}

/** Merges the contexts `from` .. `to - 1` into the last `count` of the list; returns how many there are then. */
function mergeInto(count: i32, from: i32, to: i32): i32 {
  const total = count + to - from;
  const start = list + (<usize>listed << 2);
  let i = 0;
  let c = from;
  for (let n = 0; n < total; n++) {
    const takeOld = i < count && (c >= to || compare(int(start, i), c) <= 0);
    setInt(listScratch, n, takeOld ? int(start, i++) : c++);
  }
  memory.copy(start, listScratch, <usize>total << 2);
  return total;
}

/** Order of two contexts by suffix, `⋆` greatest; leaves the length of the common suffix in `common`. */
function compare(a: i32, b: i32): i32 {
  const lengthA = int(contextLength, a);
  const lengthB = int(contextLength, b);
  const shorter = min(lengthA, lengthB);
  let n = 0;
  let x = a;
  let y = b;
  while (n < shorter && int(contextSymbol, x) == int(contextSymbol, y)) {
    n++;
    if (n < shorter) {
      x = int(contextParent, x);
      y = int(contextParent, y);
    }
  }
  common = n;
  if (n < shorter) return int(contextSymbol, x) - int(contextSymbol, y);
  return lengthB - lengthA;
}

/** Contexts next to each other whose expansions by a symbol agree on all that is remembered form a group. */
function group(count: i32): void {
  let i = listed;
  const end = listed + count;
  while (i < end) {
    const length = min(int(contextLength, int(list, i)) + 1, longest);
    setInt(groupStart, groups, i);
    setInt(groupLength, groups, length);
    let shared = min(int(listCommon, i) + 1, longest);
    i++;
    while (i < end && shared >= length && min(int(contextLength, int(list, i)) + 1, longest) == length) {
      shared = min(int(listCommon, i) + 1, longest);
      i++;
    }
    setInt(groupCommon, groups, shared);
    groups++;
  }
  setInt(groupStart, groups, end);
}

/** Masses of a segment's expansions and of its groups. */
function weigh(segment: i32): void {
  const first = int(segmentFirst, segment);
  const width = int(segmentEnd, segment) - first;
  const stop = int(segmentGroup, segment + 1);
  for (let g = int(segmentGroup, segment); g < stop; g++) {
    const from = int(groupStart, g);
    const to = int(groupStart, g + 1);
    for (let i = from; i < to; i++) {
      const c = int(list, i);
      const log = num(logForward, c);
      if (log == -Infinity) continue;
      const at = <usize>(int(arcStart, c) + first) << 3;
      expAll(arcMass + at, arcScore + at, width, log - top);
    }
    if (byRows) continue;
    if (to - from == 1) setInt(groupRow, g, <i32>(arcMass + (<usize>(int(arcStart, int(list, from)) + first) << 3)));
  }
  if (byRows) return;
  let several = 0;
  for (let g = int(segmentGroup, segment); g < stop; g++) if (members(g) > 1) several++;
  if (several == 0) return;
  for (let g = int(segmentGroup, segment); g < stop; g++) {
    if (members(g) == 1) continue;
    const sum = sums + (<usize>(g * symbolCount) << 3);
    setInt(groupRow, g, <i32>sum);
    memory.fill(sum, 0, <usize>width << 3);
    const from = int(groupStart, g);
    for (let i = from; i < from + members(g); i++) {
      addAll(sum, arcMass + (<usize>(int(arcStart, int(list, i)) + first) << 3), width);
    }
  }
}

// @ts-expect-error
@inline
function members(g: i32): i32 {
  return int(groupStart, g + 1) - int(groupStart, g);
}

/** Whether an expansion has any mass at all, also where it is too small for a number. */
function isPossible(g: i32, symbol: i32): bool {
  const from = int(groupStart, g);
  for (let i = from; i < from + members(g); i++) {
    const c = int(list, i);
    if (num(logForward, c) > -Infinity && num(arcScore, int(arcStart, c) + symbol) > -Infinity) return true;
  }
  return false;
}

/** Chooses the expansions that stay as contexts. */
function select(slot: i32, forcedArc: i32): void {
  setKeptCount(0);
  if (slot == slotCount - 1 || order == 0) return;
  if (mode == EXACT) {
    keepAll();
    return;
  }
  if (limit <= 0) return;
  let total = 0;
  for (let s = 0; s < segments; s++) {
    total += (int(segmentGroup, s + 1) - int(segmentGroup, s)) * (int(segmentEnd, s) - int(segmentFirst, s));
  }
  needKept(total + 4);
  let floor: f64 = 0;
  if (lightest > 0) {
    for (let s = 0; s < segments; s++) {
      const width = int(segmentEnd, s) - int(segmentFirst, s);
      for (let g = int(segmentGroup, s); g < int(segmentGroup, s + 1); g++) {
        floor = max(floor, maxOf(<usize>int(groupRow, g), width));
      }
    }
    floor *= lightest;
  }
  const bound = max(floor, total > 2 * limit ? lowerBound() : 0);
  for (let s = 0; s < segments; s++) {
    for (let g = int(segmentGroup, s); g < int(segmentGroup, s + 1); g++) {
      collect(g, int(segmentFirst, s), int(segmentEnd, s) - int(segmentFirst, s), bound);
    }
  }
  if (kept > limit) dropLightest(limit);
  if (forcedArc >= 0) keepForced(forcedArc);
  sortKeys();
}

/**
 * A number that at least `limit` expansions reach: the limit-th largest, or less, of the maxima of at least so many disjoint
 * sets, columns of blocks of groups. It spares most expansions a closer look.
 */
function lowerBound(): f64 {
  const maxima = sums + (<usize>(groups * symbolCount) << 3);
  let count = 0;
  for (let s = 0; s < segments; s++) {
    const width = int(segmentEnd, s) - int(segmentFirst, s);
    const from = int(segmentGroup, s);
    const to = int(segmentGroup, s + 1);
    if (to == from) continue;
    // As many blocks as give twice the sets that are needed, if there are groups enough.
    const blocks = min(to - from, max(1, (2 * limit + width - 1) / width));
    for (let b = 0; b < blocks; b++) {
      const first = from + (b * (to - from)) / blocks;
      const end = from + ((b + 1) * (to - from)) / blocks;
      const at = maxima + (<usize>count << 3);
      memory.copy(at, <usize>int(groupRow, first), <usize>width << 3);
      for (let g = first + 1; g < end; g++) raiseAll(at, <usize>int(groupRow, g), width);
      count += width;
    }
  }
  return count < limit ? 0 : separator(maxima, count, limit, limit >> 2);
}

/** Takes in the expansions of a group that reach a bound. */
function collect(g: i32, first: i32, width: i32, bound: f64): void {
  const row = <usize>int(groupRow, g);
  const bounds = f64x2.splat(bound);
  let i = 0;
  for (; i + 1 < width; i += 2) {
    const reached = i64x2.bitmask(f64x2.ge(v128.load(row + (<usize>i << 3)), bounds));
    if (reached == 0) continue;
    if (reached & 1) collectOne(g, first, i, num(row, i));
    if (reached & 2) collectOne(g, first, i + 1, num(row, i + 1));
  }
  if (i < width && num(row, i) >= bound) collectOne(g, first, i, num(row, i));
}

// @ts-expect-error
@inline
function collectOne(g: i32, first: i32, i: i32, weight: f64): void {
  if (weight > 0 || isPossible(g, first + i)) keep(weight, (<u64>(first + i) << 32) | <u64>g);
}

/** In order of symbol and group, which is that of contexts. */
function keepAll(): void {
  for (let s = 0; s < segments; s++) {
    const first = int(segmentFirst, s);
    const end = int(segmentEnd, s);
    needKept(kept + (int(segmentGroup, s + 1) - int(segmentGroup, s)) * (end - first));
    for (let y = first; y < end; y++) {
      for (let g = int(segmentGroup, s); g < int(segmentGroup, s + 1); g++) {
        const weight = num(<usize>int(groupRow, g), y - first);
        if (weight > 0 || isPossible(g, y)) keep(weight, (<u64>y << 32) | <u64>g);
      }
    }
  }
}

/** Keeps the group of a forced arc, in place of the lightest one if there is no room. */
function keepForced(forcedArc: i32): void {
  const symbol = forcedArc % symbolCount;
  for (let s = 0; s < segments; s++) {
    if (symbol < int(segmentFirst, s) || symbol >= int(segmentEnd, s)) continue;
    for (let g = int(segmentGroup, s); g < int(segmentGroup, s + 1); g++) {
      const from = int(groupStart, g);
      for (let i = from; i < from + members(g); i++) {
        if (int(arcStart, int(list, i)) + symbol != forcedArc) continue;
        const name = (<u64>symbol << 32) | <u64>g;
        for (let k = 0; k < kept; k++) if (key(k) == name) return;
        const weight = num(<usize>int(groupRow, g), symbol - int(segmentFirst, s));
        if (kept < limit) keep(weight, name);
        else {
          // Among equals the reference drops the first.
          let out = 0;
          for (let k = 1; k < kept; k++) {
            if (num(keptMass, k) < num(keptMass, out) || (num(keptMass, k) == num(keptMass, out) && key(k) < key(out))) out = k;
          }
          setKept(out, weight, name);
        }
        return;
      }
    }
  }
}

/** Makes the slot's contexts and gives every expansion its target. */
function merge(slot: i32): void {
  const isEnd = slot == slotCount - 1;
  const losesRest = mode == BEAM && !isEnd && order > 0;
  const from = contextCount;
  const star = losesRest || groups == 0 ? -1 : from + kept;
  const to = star >= 0 ? star + 1 : from + kept;
  needContexts(to);
  setInt(slotStart, slot + 1, to);
  for (let i = 0; i < kept; i++) {
    const name = key(i);
    const g = <i32>name;
    let shared = 0;
    if (i + 1 < kept && key(i + 1) >> 32 == name >> 32) {
      shared = i32.MAX_VALUE;
      for (let h = g; h < <i32>key(i + 1); h++) shared = min(shared, int(groupCommon, h));
    }
    addContext(slot, int(list, int(groupStart, g)), <i32>(name >> 32), int(groupLength, g), shared, 0);
    setNum(mass, from + i, 0);
  }
  if (star >= 0) {
    addContext(slot, -1, BEGIN, 0, 0, 0);
    setNum(mass, star, 0);
  }
  let arcs = 0;
  for (let s = 0; s < segments; s++) arcs += listing(s) * (int(segmentEnd, s) - int(segmentFirst, s));
  needKept(arcs + 1);
  fillTargets(star);
  let claimed = 0;
  for (let i = 0; i < kept; i++) claimed = claim(from + i, key(i), losesRest, star, claimed);
  // What is left leads to `⋆`, or is lost. Claimed arcs have lent out their masses for that, and get them back.
  let rest: f64 = 0;
  let bestRest: f64 = 0;
  let bestContext = -1;
  for (let s = 0; s < segments; s++) {
    const first = int(segmentFirst, s);
    const width = int(segmentEnd, s) - first;
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      const c = int(list, i);
      const masses = arcMass + (<usize>(int(arcStart, c) + first) << 3);
      if (star < 0) {
        memory.fill(masses, 0, <usize>width << 3);
        continue;
      }
      const pair = sumAndTop(masses, width);
      rest += f64x2.extract_lane(pair, 0);
      const along = num(listBest, i) * f64x2.extract_lane(pair, 1);
      if (along > bestRest || (along == bestRest && along > 0 && c < bestContext)) {
        bestRest = along;
        bestContext = c;
      }
    }
  }
  for (let i = 0; i < claimed; i++) setNum(arcMass, int(stack, i), num(keptMass, i));
  if (star >= 0) {
    setNum(mass, star, rest);
    setBest(star, bestRest, bestContext, TO_BE_FOUND);
  }
  finish(from, to, isEnd);
}

/** Contexts in the list of a segment. */
// @ts-expect-error
@inline
function listing(segment: i32): i32 {
  return int(segmentList, segment + 1) - int(segmentList, segment);
}

/** Every expansion leads to one target, to begin with. */
function fillTargets(target: i32): void {
  for (let s = 0; s < segments; s++) {
    const first = int(segmentFirst, s);
    const width = int(segmentEnd, s) - first;
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      fillInts(arcTarget + (<usize>(int(arcStart, int(list, i)) + first) << 2), target, width);
    }
  }
}

/**
 * Leads to a kept context what has it as its longest kept suffix: its own group and, unless the rest is lost, the groups
 * before it that end in it and that no longer context has claimed. Contexts come longest first. Notes the arcs in `stack`
 * and their masses in `keptMass`, sets these to 0, and returns how many there are by now.
 */
function claim(context: i32, name: u64, alone: bool, free: i32, claimed: i32): i32 {
  const symbol = <i32>(name >> 32);
  const length = int(contextLength, context);
  let segment = 0;
  while (symbol >= int(segmentEnd, segment)) segment++;
  const least = int(segmentGroup, segment);
  let sum: f64 = 0;
  let bestMass: f64 = 0;
  let bestContext = -1;
  let g = <i32>name;
  for (;;) {
    const end = int(groupStart, g + 1);
    for (let i = int(groupStart, g); i < end; i++) {
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
      setInt(stack, claimed, arc);
      setNum(keptMass, claimed, weight);
      claimed++;
    }
    g--;
    if (alone || g < least || int(groupCommon, g) < length) break;
  }
  setNum(mass, context, sum);
  setBest(context, bestMass, bestContext, symbol);
  return claimed;
}

/** Notes the mass of the best path to a context, and by which context and symbol it comes. */
// @ts-expect-error
@inline
function setBest(context: i32, bestMass: f64, from: i32, symbol: i32): void {
  setNum(best, context, bestMass);
  setInt(bestFrom, context, from);
  setInt(bestSymbol, context, symbol);
}

/** Logarithms of the forward masses; where a sum is too small to be exact it is taken again on its own scale. */
function finish(from: i32, to: i32, isEnd: bool): void {
  let total: f64 = 0;
  let remembered: f64 = 0;
  let tiny = false;
  for (let c = from; c < to; c++) {
    const sum = num(mass, c);
    setNum(logForward, c, top + Math.log(sum));
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
  if (from < to) lift(int(contextSlot, from), from, to);
  if (total > 0 && !isEnd) {
    lengths += remembered / total;
    lengthSlots++;
  }
}

/** The mass of one context, relative to the heaviest expansion that leads to it. */
function rescale(context: i32): void {
  let scale: f64 = -Infinity;
  let bestShare: f64 = 0;
  for (let pass = 0; pass < 2; pass++) {
    let sum: f64 = 0;
    for (let s = 0; s < segments; s++) {
      for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
        const c = int(list, i);
        const log = num(logForward, c);
        if (log == -Infinity) continue;
        const arcs = int(arcStart, c);
        for (let arc = arcs + int(segmentFirst, s); arc < arcs + int(segmentEnd, s); arc++) {
          if (int(arcTarget, arc) != context) continue;
          const logMass = log + num(arcScore, arc);
          if (pass == 0) scale = max(scale, logMass);
          else {
            const share = expOne(logMass - scale);
            setNum(arcMass, arc, share);
            sum += share;
            if (num(listBest, i) * share > bestShare) {
              bestShare = num(listBest, i) * share;
              setBest(context, bestShare, c, arc - arcs);
            }
          }
        }
      }
    }
    if (scale == -Infinity) {
      setNum(mass, context, 1);
      setNum(logForward, context, -Infinity);
      setNum(best, context, 0);
      return;
    }
    if (pass == 1) {
      setNum(mass, context, sum);
      setNum(logForward, context, scale + Math.log(sum));
      setNum(best, context, bestShare / sum);
    }
  }
}

/**
 * Select and merge where every context is kept and remembers only what the rows can tell from a shorter suffix. What an
 * expansion remembers then depends on its symbol, so groups are made symbol by symbol: a shorter suffix may follow a longer
 * one that ends in it, groups that are still open lie on a stack and are numbered as they close, which leaves them sorted.
 */
function keepByRows(slot: i32): void {
  const from = contextCount;
  let unkept = false;
  for (let s = 0; s < segments; s++) {
    const first = int(segmentList, s);
    const count = int(segmentList, s + 1) - first;
    needKept(count + 1);
    for (let y = int(segmentFirst, s); y < int(segmentEnd, s); y++) {
      if (!keepSymbol(slot, y, first, count)) unkept = true;
    }
  }
  const star = contextCount;
  if (groups == 0) {
    setInt(slotStart, slot + 1, star);
    return;
  }
  needContexts(star + 1);
  addContext(slot, -1, BEGIN, 0, 0, 0);
  setNum(mass, star, 0);
  setNum(best, star, 0);
  setInt(slotStart, slot + 1, star + 1);
  if (unkept) {
    for (let s = 0; s < segments; s++) {
      for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
        const arcs = int(arcStart, int(list, i));
        for (let arc = arcs + int(segmentFirst, s); arc < arcs + int(segmentEnd, s); arc++) {
          if (int(arcTarget, arc) == TO_STAR) setInt(arcTarget, arc, star);
        }
      }
    }
  }
  finish(from, star + 1, false);
}

/** Marks arcs that lead to `⋆`, of which the number is not known yet. They have no mass. */
const TO_STAR = -2;

/** The contexts of one symbol. False if some expansion has no mass and so no context. */
function keepSymbol(slot: i32, symbol: i32, first: i32, count: i32): bool {
  let opened = 0;
  let closed = 0;
  let depth = 0;
  let withBefore = 0; // decisions in common with the element before
  let sinceClosed = 0; // and with the group closed last
  let lastClosed = -1;
  for (let i = 0; i <= count; i++) {
    while (depth > 0 && (i == count || int(groupLength, int(stack, depth - 1)) > withBefore)) {
      const g = int(stack, --depth);
      if (lastClosed >= 0) setInt(groupCommon, lastClosed, min(int(groupLength, g), sinceClosed));
      store<u64>(keptKey + (<usize>closed << 3), <u64>g);
      closed++;
      lastClosed = g;
      sinceClosed = i32.MAX_VALUE;
    }
    if (i == count) break;
    sinceClosed = min(sinceClosed, withBefore);
    const c = int(list, first + i);
    const length = min(int(contextLength, c) + 1, longest);
    const told = tellingLength(c, symbol, length, withBefore);
    let g = depth > 0 ? int(stack, depth - 1) : -1;
    if (g < 0 || int(groupLength, g) < told) {
      g = opened++;
      setInt(groupStart, g, c);
      setInt(groupLength, g, told);
      setNum(keptMass, g, 0);
      setInt(stack, depth++, g);
    }
    setInt(listScratch, i, g);
    if (num(logForward, c) > -Infinity && num(arcScore, int(arcStart, c) + symbol) > -Infinity) setNum(keptMass, g, 1);
    withBefore = min(int(listCommon, first + i) + 1, longest);
  }
  needContexts(contextCount + closed + 1);
  let shared = i32.MAX_VALUE; // in common between the last context made and the group at hand
  let last = -1;
  let all = true;
  for (let rank = 0; rank < closed; rank++) {
    const g = <i32>key(rank);
    if (num(keptMass, g) == 1) {
      if (last >= 0) setInt(contextCommon, last, shared);
      last = contextCount;
      shared = i32.MAX_VALUE;
      setInt(groupRow, g, last);
      addContext(slot, int(groupStart, g), symbol, int(groupLength, g), 0, 0);
      setNum(mass, last, 0);
      setNum(best, last, 0);
    } else {
      setInt(groupRow, g, TO_STAR);
      all = false;
    }
    if (g != lastClosed) shared = min(shared, int(groupCommon, g));
  }
  for (let i = 0; i < count; i++) {
    const arc = int(arcStart, int(list, first + i)) + symbol;
    const target = int(groupRow, int(listScratch, i));
    setInt(arcTarget, arc, target);
    if (target < 0) continue;
    const c = int(list, first + i);
    setNum(mass, target, num(mass, target) + num(arcMass, arc));
    const along = num(listBest, first + i) * num(arcMass, arc);
    if (along > num(best, target)) setBest(target, along, c, symbol);
  }
  return all;
}
