// Weights that stay as they are, as linear numbers: for a node of the row tree, the factor by which the rows of a
// context that is known as far as this node multiply the mass of its expansions,
//   factors(node)[y] = exp(sum over the rows r met on the way to the node: weight(r)[y])     (rows of all suffixes)
//   factors(node)[y] = exp(weight(r)[y]), r the last row met                                 (row of the longest alone)
// They are made when a node is first met and kept, in as many vectors as there is room for.

import { Bundle, CallField, FrozenField, MEMO_BITS, MemoBytes } from "../../layout";
import { childOf, familyAt, rowOfNode, symbolCount, tableStart, tableSymbols } from "../space";
import { asked, askedArray, int, need, num, setInt, walks } from "../state";
import { expAll, expOne, fillNums, multiplyAll } from "../vector";
import { lengthOf, nodeOf, parentOf, RECORD, setFactors, setNode, symbolOf } from "./context";

/** Logarithm of the greatest factor, and of the inverse of the least, that is made. */
const MOST: f64 = 150;

/** The record of the frozen rows. */
let frozen: usize = 0;
let allRows: bool = false;
let weights: usize = 0;
let nodeVector: usize = 0;
let vectors: usize = 0;
/** Bytes of a vector: with room for a pair that begins at its last number. */
let stride: usize = 0;
let used: i32 = 0;
/**
 * What is met of a context follows from what was met of the one it goes on from, if every node of the tree is still one
 * without its latest decision. It is remembered here, so that few contexts walk: by the node met of as many decisions as the
 * context has of those (`nodeOf`), and by its own symbol.
 */
let memo: usize = 0;
/** The most decisions that a context remembers. */
let longestSuffix: i32 = 0;

export function useFactors(): void {
  frozen = askedArray(CallField.frozen);
  weights = <usize>int(frozen, FrozenField.weights);
  nodeVector = <usize>int(frozen, FrozenField.nodeVector);
  vectors = <usize>int(frozen, FrozenField.vectors);
  allRows = int(frozen, FrozenField.allRows) != 0;
  used = int(frozen, FrozenField.used);
  stride = <usize>((symbolCount + 2) & ~1) << 3;
  memo = <usize>int(frozen, FrozenField.memo);
  longestSuffix = asked(CallField.longest);
  if (memo && int(frozen, FrozenField.memoLongest) != longestSuffix) clearMemo();
  setInt(frozen, FrozenField.memoLongest, longestSuffix);
}

function clearMemo(): void {
  if (memo) memory.fill(memo, 0xff, <usize>MemoBytes.bytes << MEMO_BITS);
}

/** How often vectors were forgotten: addresses from before are then not to be used. */
export let timesForgotten: i32 = 0;

/** The first vector is that of a context without rows. */
const NO_ROWS = 0;

/** Sees to room for `count` more vectors; what was there may be forgotten. */
function makeRoom(count: i32): void {
  const room = int(frozen, FrozenField.room);
  const nodeCount = int(frozen, FrozenField.nodeCount);
  if (used > 0 && (used + count <= room || room > nodeCount)) return;
  memory.fill(nodeVector, 0xff, <usize>nodeCount << 2);
  fillNums(vectors, 1, <i32>(stride >> 3));
  used = NO_ROWS + 1;
  clearMemo();
  timesForgotten++;
}

/**
 * Finds the factors of the contexts from `from` up to `to`, `count` of them; walks take up to `longest` decisions. False if
 * some factor is too large or too small for linear numbers.
 */
export function findFactors(from: i32, to: i32, count: i32, longest: i32): bool {
  need(Bundle.walks, longest + 1);
  makeRoom(count * (longest + 1));
  for (let c = from; c < to; c += RECORD) {
    const parent = parentOf(c);
    let vector: i32;
    if (lengthOf(c) == 0) {
      vector = vectorOfRoot();
      setNode(c, 0);
    } else if (parent < 0 || memo == 0) vector = vectorOf(c);
    else {
      const name = nodeOf(parent) * symbolCount + symbolOf(c);
      const known = memo + <usize>((<u32>name * 0x9e3779b1) >> (32 - MEMO_BITS)) * MemoBytes.bytes;
      if (load<i32>(known, MemoBytes.name) != name) {
        store<i32>(known, -1, MemoBytes.name);
        store<i32>(known, vectorOf(c), MemoBytes.vector);
        store<i32>(known, nodeOf(c), MemoBytes.node);
        store<i32>(known, name, MemoBytes.name);
      }
      vector = load<i32>(known, MemoBytes.vector);
      setNode(c, load<i32>(known, MemoBytes.node));
    }
    if (vector < 0) return false;
    setFactors(c, vectors + <usize>vector * stride);
  }
  setInt(frozen, FrozenField.used, used);
  return true;
}

/**
 * Walks down the tree with the decisions of a context, which is not `⋆`, and returns the vector of the node met. Sets the node
 * that those see who go on from it: of the longest it is the one before, since they forget its earliest decision.
 */
function vectorOf(c: i32): i32 {
  const family = familyAt(0);
  const length = lengthOf(c);
  let reached = 0;
  let earlier = c;
  setInt(walks, 0, 0); // the nodes met, the root first
  while (reached < length) {
    const child = childOf(family, int(walks, reached), symbolOf(earlier));
    if (child < 0) break;
    setInt(walks, ++reached, child);
    earlier = parentOf(earlier);
  }
  setNode(c, int(walks, reached == longestSuffix ? reached - 1 : reached));
  return vectorOfWalk(reached);
}

/** The vector of the node that the walk reached. */
function vectorOfWalk(depth: i32): i32 {
  const known = int(nodeVector, int(walks, depth));
  if (depth > 0 && known >= 0) return known;
  let d = depth;
  while (d > 0 && int(nodeVector, int(walks, d)) < 0) d--;
  let vector = d > 0 ? int(nodeVector, int(walks, d)) : allRows ? NO_ROWS : vectorOfRoot();
  while (d < depth && vector >= 0) vector = makeVector(int(walks, ++d), vector);
  return vector;
}

function vectorOfRoot(): i32 {
  const known = int(nodeVector, 0);
  return known >= 0 ? known : makeVector(0, NO_ROWS);
}

/** Makes the vector of a node below one that has the vector `above`; -1 if it has a number out of bounds. */
function makeVector(node: i32, above: i32): i32 {
  const row = rowOfNode(familyAt(0), node);
  let vector = above;
  if (row >= 0) {
    const to = vectors + <usize>used * stride;
    const before = vectors + (allRows ? <usize>above * stride : 0);
    if (!multiplyRow(to, before, row)) {
      setInt(frozen, FrozenField.used, 0); // whatever was begun is forgotten
      return -1;
    }
    vector = used++;
  }
  setInt(nodeVector, node, vector);
  return vector;
}

/** to[y] = before[y] * exp(weight(row)[y]) */
function multiplyRow(to: usize, before: usize, row: i32): bool {
  const entry = int(tableStart, row);
  const end = int(tableStart, row + 1);
  for (let e = entry; e < end; e++) if (!(abs(num(weights, e)) <= MOST)) return false;
  if (end - entry == symbolCount) {
    expAll(to, weights + (<usize>entry << 3), symbolCount, 0);
    multiplyAll(to, before, symbolCount);
    for (let i = symbolCount; i < <i32>(stride >> 3); i++) store<f64>(to + (<usize>i << 3), 1);
  } else {
    memory.copy(to, before, stride);
    for (let e = entry; e < end; e++) {
      const at = to + (<usize>int(tableSymbols, e) << 3);
      store<f64>(at, load<f64>(at) * expOne(num(weights, e)));
    }
  }
  const greatest = expOne(MOST);
  for (let y = 0; y < symbolCount; y++) {
    const factor = num(to, y);
    if (factor > greatest || factor * greatest < 1) return false;
  }
  return true;
}
