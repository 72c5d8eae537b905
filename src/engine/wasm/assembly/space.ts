// The rows of a model and the problem at hand, as src/engine/wasm/kernel.ts writes them down: blocks of i32 that hold addresses
// and settings. Finds the rows of a context and sums them into the scores of its expansions.

import {
  arcScore,
  contextLength,
  contextParent,
  contextSlot,
  contextSymbol,
  int,
  needRows,
  needWalks,
  num,
  rows,
  rowStart,
  setInt,
} from "./state";
import { addAll, addScaled, copyShifted } from "./vector";

const BEGIN = -1;

export let symbolCount: i32 = 0;
export let tableStart: usize = 0;
export let tableSymbols: usize = 0;
let weights: usize = 0;
let offsets: usize = 0;
let familyCount: i32 = 0;
let families: usize = 0;

export let slotCount: i32 = 0;
export let branchStart: usize = 0;
export let branchSlot: usize = 0;
export let branchFirst: usize = 0;
export let branchEnd: usize = 0;
export let incomingStart: usize = 0;
export let incoming: usize = 0;
export let slotScores: usize = 0;
let slotInput: usize = 0;
let starts: usize = 0;

// Fields of a family, of which there is one block after another.
const FAMILY_FIELDS = 10;
const TREE_ROW = 0;
const CHILD_START = 1;
const CHILD_EVENT = 2;
const CHILD_NODE = 3;
/** Records of the nodes. */
const NODES = 4;
const DIRECT = 5;
const SKIP = 6;
const PAIRS = 7;
const KEYED = 8;
/** The most decisions back that its rows look. */
const DEPTH = 9;

// A node's record, 16 bytes: the least event of a child; one past the greatest, less that; where its children by event begin in
// the direct table, less its least event, or NONE if they are to be searched for; its child if it has but one.
const LEAST_EVENT = 0;
const EVENTS = 4;
const DIRECT_BASE = 8;
const ONLY_CHILD = 12;

const NONE: i32 = i32.MIN_VALUE;

export function useSpace(space: usize, weightArray: usize): void {
  symbolCount = int(space, 0);
  tableStart = <usize>int(space, 1);
  tableSymbols = <usize>int(space, 2);
  offsets = <usize>int(space, 3);
  familyCount = int(space, 4);
  families = space + 20;
  weights = weightArray;
}

export function useProblem(graph: usize, scores: usize, input: usize, startNodes: usize): void {
  slotCount = int(graph, 0);
  branchStart = <usize>int(graph, 1);
  branchSlot = <usize>int(graph, 2);
  branchFirst = <usize>int(graph, 3);
  branchEnd = <usize>int(graph, 4);
  incomingStart = <usize>int(graph, 5);
  incoming = <usize>int(graph, 6);
  symbolCount = int(graph, 7);
  slotScores = scores;
  slotInput = input;
  starts = startNodes;
}

/** The child of a node by an event, or -1. */
export function childOf(family: usize, node: i32, event: i32): i32 {
  const record = <usize>int(family, NODES) + (<usize>node << 4);
  const events = load<i32>(record, EVENTS);
  if (<u32>(event - load<i32>(record, LEAST_EVENT)) >= <u32>events) return -1;
  if (events == 1) return load<i32>(record, ONLY_CHILD);
  const base = load<i32>(record, DIRECT_BASE);
  if (base != NONE) return int(<usize>int(family, DIRECT), base + event);
  const childStart = <usize>int(family, CHILD_START);
  const childEvent = <usize>int(family, CHILD_EVENT);
  const end = int(childStart, node + 1);
  let low = int(childStart, node);
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (int(childEvent, middle) < event) low = middle + 1;
    else high = middle;
  }
  return low < end && int(childEvent, low) == event ? int(<usize>int(family, CHILD_NODE), low) : -1;
}

/** The family of a space that has but one. */
// @ts-expect-error
@inline
export function theFamily(): usize {
  return families;
}

/** The rows of the nodes of its tree. */
// @ts-expect-error
@inline
export function plainTreeRows(): usize {
  return <usize>int(families, TREE_ROW);
}

/** Walks each family's tree down the context's suffix and notes the rows met. */
export function findRows(slot: i32, context: i32, all: bool): void {
  const length = int(contextLength, context);
  let count = int(rowStart, context);
  for (let f = 0; f < familyCount; f++) {
    const family = families + (<usize>(f * FAMILY_FIELDS) << 2);
    const keyed = int(family, KEYED) != 0;
    const skip = int(family, SKIP);
    const pairs = int(family, PAIRS) != 0;
    const treeRow = <usize>int(family, TREE_ROW);
    let from = 0;
    let to = 1;
    let nodes: usize = 0;
    if (keyed) {
      const startOffsets = starts ? <usize>int(starts, 2 * f) : 0;
      to = 0;
      if (startOffsets) {
        nodes = <usize>int(starts, 2 * f + 1);
        from = int(startOffsets, slot);
        to = int(startOffsets, slot + 1);
      }
    }
    for (let s = from; s < to; s++) {
      let node = keyed ? int(nodes, s) : 0;
      let row = keyed || (all && length > 0) ? -1 : int(treeRow, 0);
      needRows(count + length + 1);
      if (all && row >= 0) setInt(rows, count++, row);
      let c = context;
      for (let n = length; n > 0; n--) {
        const symbol = int(contextSymbol, c);
        const parent = int(contextParent, c);
        if (symbol != skip || symbol == BEGIN) {
          const event =
            pairs && symbol != BEGIN
              ? int(slotInput, int(contextSlot, parent)) * symbolCount + symbol
              : symbol;
          node = childOf(family, node, event);
          if (node < 0) break;
          const found = int(treeRow, node);
          if (found >= 0) {
            row = found;
            if (all) setInt(rows, count++, found);
          }
        }
        c = parent;
      }
      if (!all && row >= 0) setInt(rows, count++, row);
    }
  }
  setInt(rowStart, context + 1, count);
}

/** Scores of a context's expansions by the symbols `first` .. `end - 1`: of the slot, and of the context's rows. */
export function scoreArcs(slot: i32, context: i32, arc: i32, first: i32, end: i32): void {
  const from = int(rowStart, context);
  const to = int(rowStart, context + 1);
  let offset: f64 = 0;
  if (offsets) for (let r = from; r < to; r++) offset += num(offsets, int(rows, r));
  const scores = arcScore + (<usize>arc << 3);
  copyShifted(
    scores + (<usize>first << 3),
    slotScores + (<usize>(slot * symbolCount + first) << 3),
    end - first,
    offset,
  );
  for (let r = from; r < to; r++) {
    const row = int(rows, r);
    const entry = int(tableStart, row);
    const entryEnd = int(tableStart, row + 1);
    if (entryEnd - entry == symbolCount) {
      addAll(scores + (<usize>first << 3), weights + (<usize>(entry + first) << 3), end - first);
    } else {
      for (let e = entry; e < entryEnd; e++) {
        const at = scores + (<usize>int(tableSymbols, e) << 3);
        store<f64>(at, load<f64>(at) + num(weights, e));
      }
    }
  }
}

/** Adds `factor` times the masses of a context's arcs by `first` .. `end - 1` to the counts of its rows. */
export function countRows(context: i32, masses: usize, first: i32, end: i32, counts: usize, factor: f64): void {
  const to = int(rowStart, context + 1);
  for (let r = int(rowStart, context); r < to; r++) {
    const row = int(rows, r);
    const entry = int(tableStart, row);
    const entryEnd = int(tableStart, row + 1);
    if (entryEnd - entry == symbolCount) {
      addScaled(counts + (<usize>(entry + first) << 3), masses + (<usize>first << 3), end - first, factor);
    } else {
      for (let e = entry; e < entryEnd; e++) {
        const y = int(tableSymbols, e);
        if (y < first || y >= end) continue;
        const at = counts + (<usize>e << 3);
        store<f64>(at, load<f64>(at) + factor * num(masses, y));
      }
    }
  }
}

/**
 * How far down each family's tree the suffix at hand goes: blocks of nodes alive, whether the next decision had no node, and
 * the nodes met, the root first.
 */
let walks: usize = 0;
let walkFields: i32 = 0;

/** Walks begin anew, for suffixes of up to `longest` decisions. */
export function startWalks(longest: i32): void {
  walkFields = longest + 3;
  walks = needWalks(familyCount * walkFields);
  for (let f = 0; f < familyCount; f++) {
    const walk = walks + (<usize>(f * walkFields) << 2);
    setInt(walk, 0, 0);
    setInt(walk, 1, 0);
    setInt(walk, 2, 0);
  }
}

/**
 * How much of the suffix of an expansion the rows can tell from a shorter one: the depth to which some family has nodes. What
 * is beyond has the same future with and without, so it need not be remembered. The walk down a tree goes on from that of
 * the expansion before, with which it has `common` decisions in common.
 */
export function tellingLength(context: i32, symbol: i32, length: i32, common: i32): i32 {
  let telling = length > 0 ? 1 : 0; // a context of one decision is never ⋆, which has a row of its own
  for (let f = 0; f < familyCount; f++) {
    const family = families + (<usize>(f * FAMILY_FIELDS) << 2);
    if (int(family, PAIRS) || int(family, KEYED) || int(family, SKIP) >= 0) {
      // What a family that looks at the input too will ask at later slots is not known here.
      telling = max(telling, min(length, int(family, DEPTH)));
      continue;
    }
    const walk = walks + (<usize>(f * walkFields) << 2);
    let alive = int(walk, 0);
    let dead = int(walk, 1);
    if (common < alive) {
      alive = common;
      dead = 0;
    } else if (common == alive) dead = 0;
    if (!dead) {
      let c = context;
      for (let n = 1; n < alive; n++) c = int(contextParent, c);
      while (alive < length) {
        let event = symbol;
        if (alive > 0) {
          event = int(contextSymbol, c);
          c = int(contextParent, c);
        }
        const child = childOf(family, int(walk, 2 + alive), event);
        if (child < 0) {
          dead = 1;
          break;
        }
        setInt(walk, 2 + ++alive, child);
      }
    }
    setInt(walk, 0, alive);
    setInt(walk, 1, dead);
    telling = max(telling, alive);
  }
  return min(telling, length);
}
