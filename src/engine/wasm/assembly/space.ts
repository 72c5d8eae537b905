// The rows of a model and the problem at hand, as ../records.ts writes them down. Finds the rows of a context and sums them
// into the scores of its expansions:
//   score(c, y) = slotScores(slot)[y] + sum over the rows r of c: offset(r) + weight(r)[y].

import { CallField, DENSE_ENTRIES, FamilyField, GraphField, NodeField, SpaceField, StartField, Bundle } from "../layout";
import {
  arcScore,
  asked,
  askedArray,
  contextLength,
  contextParent,
  contextSlot,
  contextSymbol,
  int,
  need,
  num,
  rows,
  rowStart,
  setInt,
} from "./state";
import { addAll, addScaled, copyShifted } from "./vector";

/** The event before the first decision. */
export const BEGIN = -1;

/** Symbols of the graph. */
export let symbolCount: i32 = 0;
/** Symbols of the rows: the same, but for a problem whose slots have symbols of their own. */
let rowSymbolCount: i32 = 0;
/** [slots][symbols] symbols of the rows; 0 for none. */
let slotSymbols: usize = 0;
export let tableStart: usize = 0;
export let tableSymbols: usize = 0;
let weights: usize = 0;
let offsets: usize = 0;
export let familyCount: i32 = 0;
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
/** Records of families with trees that carry their weights; 0 for none. */
export let weighed: usize = 0;

// @ts-expect-error
@inline
function address(record: usize, field: i32): usize {
  return <usize>int(record, field);
}

/** Takes up the slot graph that is asked about. */
export function useGraph(): void {
  const graph = askedArray(CallField.graph);
  slotCount = int(graph, GraphField.slotCount);
  symbolCount = int(graph, GraphField.symbolCount);
  branchStart = address(graph, GraphField.branchStart);
  branchSlot = address(graph, GraphField.branchSlot);
  branchFirst = address(graph, GraphField.branchFirst);
  branchEnd = address(graph, GraphField.branchEnd);
  incomingStart = address(graph, GraphField.incomingStart);
  incoming = address(graph, GraphField.incoming);
}

/** Takes up the rows. */
export function useSpace(): void {
  const space = askedArray(CallField.space);
  tableStart = address(space, SpaceField.tableStart);
  tableSymbols = address(space, SpaceField.tableSymbols);
  rowSymbolCount = int(space, SpaceField.symbolCount);
  slotSymbols = askedArray(CallField.slotSymbols);
  offsets = address(space, SpaceField.offsets);
  familyCount = int(space, SpaceField.familyCount);
  families = space + (SpaceField.count << 2);
}

/** Takes up the scores and weights of a forward pass. */
export function useScores(): void {
  weights = askedArray(CallField.weights);
  slotScores = askedArray(CallField.slotScores);
  slotInput = askedArray(CallField.slotInput);
  starts = askedArray(CallField.starts);
  weighed = askedArray(CallField.weighed);
}

/** The record of a family; a plain space has but the first. */
// @ts-expect-error
@inline
export function familyAt(f: i32): usize {
  return families + (<usize>(f * FamilyField.count) << 2);
}

// @ts-expect-error
@inline
export function nodeAt(family: usize, node: i32): usize {
  return address(family, FamilyField.nodes) + (<usize>(node * NodeField.count) << 2);
}

/** The row of a node of a family's tree, or -1. */
// @ts-expect-error
@inline
export function rowOfNode(family: usize, node: i32): i32 {
  return int(nodeAt(family, node), NodeField.row);
}

/** The symbol of the rows that a symbol decided at a slot stands for. */
// @ts-expect-error
@inline
export function rowSymbol(slot: i32, symbol: i32): i32 {
  return slotSymbols && symbol != BEGIN ? int(slotSymbols, slot * symbolCount + symbol) : symbol;
}

/** The child of a node by an event, or -1. */
// @ts-expect-error
@inline
export function childOf(family: usize, node: i32, event: i32): i32 {
  const record = nodeAt(family, node);
  const events = int(record, NodeField.events);
  const place = event - int(record, NodeField.leastEvent);
  if (<u32>place >= <u32>events) return -1;
  const children = int(record, NodeField.children);
  if (events == 1) return children;
  const all = address(family, FamilyField.children);
  return children >= 0 ? int(all, children + place) : searched(all + (<usize>(-1 - children) << 2), event);
}

/** The child by an event in a list of events and nodes that begins with how many there are. */
function searched(list: usize, event: i32): i32 {
  let low = 0;
  let high = int(list, 0);
  const end = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (int(list, 2 * middle + 1) < event) low = middle + 1;
    else high = middle;
  }
  return low < end && int(list, 2 * low + 1) == event ? int(list, 2 * low + 2) : -1;
}

/** Walks each family's tree down the context's suffix and notes the rows met: of `all` suffixes, or of the longest. */
export function findRows(slot: i32, context: i32, all: bool): void {
  let count = int(rowStart, context);
  for (let f = 0; f < familyCount; f++) {
    const family = familyAt(f);
    if (!int(family, FamilyField.keyed)) {
      count = walk(family, 0, false, context, all, count);
      continue;
    }
    if (!starts) continue;
    const record = starts + (<usize>(f * StartField.count) << 2);
    const nodeStart = address(record, StartField.offsets);
    if (!nodeStart) continue;
    const end = int(nodeStart, slot + 1);
    for (let s = int(nodeStart, slot); s < end; s++) {
      count = walk(family, int(address(record, StartField.nodes), s), true, context, all, count);
    }
  }
  setInt(rowStart, context + 1, count);
}

/** One walk, from a node on; returns how many rows are noted by then. */
function walk(family: usize, start: i32, keyed: bool, context: i32, all: bool, noted: i32): i32 {
  const length = int(contextLength, context);
  const skip = int(family, FamilyField.skip);
  const pairs = int(family, FamilyField.pairs) != 0;
  let count = noted;
  let node = start;
  let row = keyed || (all && length > 0) ? -1 : rowOfNode(family, 0);
  need(Bundle.rows, count + length + 1);
  if (all && row >= 0) setInt(rows, count++, row);
  let c = context;
  for (let n = length; n > 0; n--) {
    const parent = int(contextParent, c);
    let symbol = int(contextSymbol, c);
    if (slotSymbols && symbol != BEGIN) symbol = rowSymbol(int(contextSlot, parent), symbol);
    if (symbol != skip || symbol == BEGIN) {
      const event =
        pairs && symbol != BEGIN ? int(slotInput, int(contextSlot, parent)) * rowSymbolCount + symbol : symbol;
      node = childOf(family, node, event);
      if (node < 0) break;
      const found = rowOfNode(family, node);
      if (found >= 0) {
        row = found;
        if (all) setInt(rows, count++, found);
      }
    }
    c = parent;
  }
  if (!all && row >= 0) setInt(rows, count++, row);
  return count;
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
    if (slotSymbols) {
      const own = slotSymbols + (<usize>(slot * symbolCount) << 2);
      let e = entry;
      for (let y = first; y < end; y++) {
        e = entryFrom(e, entry, entryEnd, int(own, y));
        if (e == entryEnd) break;
        if (int(tableSymbols, e) != int(own, y)) continue;
        const at = scores + (<usize>y << 3);
        store<f64>(at, load<f64>(at) + num(weights, e));
      }
    } else if (entryEnd - entry == symbolCount) {
      addAll(scores + (<usize>first << 3), weights + (<usize>(entry + first) << 3), end - first);
    } else {
      for (let e = entry; e < entryEnd; e++) {
        const at = scores + (<usize>int(tableSymbols, e) << 3);
        store<f64>(at, load<f64>(at) + num(weights, e));
      }
    }
  }
}

/** The same by trees that carry their weights, without noting rows; sums are made in the same order. */
export function scoreWeighed(slot: i32, context: i32, arc: i32, first: i32, end: i32): void {
  const scores = arcScore + (<usize>arc << 3);
  copyShifted(
    scores + (<usize>first << 3),
    slotScores + (<usize>(slot * symbolCount + first) << 3),
    end - first,
    0,
  );
  for (let f = 0; f < familyCount; f++) {
    const family = weighed + (<usize>(f * FamilyField.count) << 2);
    if (!int(family, FamilyField.keyed)) {
      if (int(contextLength, context) == 0) addWeights(nodeAt(family, 0), scores, first, end);
      else walkWeights(family, 0, context, scores, first, end);
      continue;
    }
    if (!starts) continue;
    const record = starts + (<usize>(f * StartField.count) << 2);
    const nodeStart = address(record, StartField.offsets);
    if (!nodeStart) continue;
    const stop = int(nodeStart, slot + 1);
    for (let s = int(nodeStart, slot); s < stop; s++) {
      walkWeights(family, int(address(record, StartField.nodes), s), context, scores, first, end);
    }
  }
}

/** Walks down a context's suffix from a node on and adds the weights of the nodes met. */
function walkWeights(family: usize, start: i32, context: i32, scores: usize, first: i32, end: i32): void {
  const skip = int(family, FamilyField.skip);
  const pairs = int(family, FamilyField.pairs) != 0;
  let node = start;
  let c = context;
  for (let n = int(contextLength, context); n > 0; n--) {
    const parent = int(contextParent, c);
    const symbol = int(contextSymbol, c);
    if (symbol != skip || symbol == BEGIN) {
      const event =
        pairs && symbol != BEGIN ? int(slotInput, int(contextSlot, parent)) * rowSymbolCount + symbol : symbol;
      node = childOf(family, node, event);
      if (node < 0) return;
      addWeights(nodeAt(family, node), scores, first, end);
    }
    c = parent;
  }
}

/** scores[y] += weight(y), at least for the symbols `first` .. `end - 1`, of a node that carries its weights. */
// @ts-expect-error
@inline
export function addWeights(record: usize, scores: usize, first: i32, end: i32): void {
  const count = int(record, NodeField.row);
  const own = record + (NodeField.count << 2);
  if (count == DENSE_ENTRIES) {
    addAll(scores + (<usize>first << 3), own + (<usize>first << 3), end - first);
    return;
  }
  const symbols = own + (<usize>count << 3);
  // Often nothing but the last symbol is left to be decided.
  for (let e = end - first == 1 && end == symbolCount ? max(0, count - 1) : 0; e < count; e++) {
    const at = scores + (<usize>load<u16>(symbols + (<usize>e << 1)) << 3);
    store<f64>(at, load<f64>(at) + num(own, e));
  }
}

/** The first of a row's entries from `e` on whose symbol is not below `symbol`. The row is `entry` .. `entryEnd - 1`. */
// @ts-expect-error
@inline
function entryFrom(e: i32, entry: i32, entryEnd: i32, symbol: i32): i32 {
  if (entryEnd - entry == rowSymbolCount) return entry + symbol;
  let low = e;
  let high = entryEnd;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (int(tableSymbols, middle) < symbol) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** counts(r)[y] += factor * values[y] for the rows r of a context and the symbols `first` .. `end - 1` of a slot. */
export function countRows(slot: i32, context: i32, values: usize, first: i32, end: i32, counts: usize, factor: f64): void {
  const to = int(rowStart, context + 1);
  for (let r = int(rowStart, context); r < to; r++) {
    const row = int(rows, r);
    const entry = int(tableStart, row);
    const entryEnd = int(tableStart, row + 1);
    if (slotSymbols) {
      const own = slotSymbols + (<usize>(slot * symbolCount) << 2);
      let e = entry;
      for (let y = first; y < end; y++) {
        e = entryFrom(e, entry, entryEnd, int(own, y));
        if (e == entryEnd) break;
        if (int(tableSymbols, e) != int(own, y)) continue;
        const at = counts + (<usize>e << 3);
        store<f64>(at, load<f64>(at) + factor * num(values, y));
      }
    } else if (entryEnd - entry == symbolCount) {
      addScaled(counts + (<usize>(entry + first) << 3), values + (<usize>first << 3), end - first, factor);
    } else {
      for (let e = entry; e < entryEnd; e++) {
        const y = int(tableSymbols, e);
        if (y < first || y >= end) continue;
        const at = counts + (<usize>e << 3);
        store<f64>(at, load<f64>(at) + factor * num(values, y));
      }
    }
  }
}
