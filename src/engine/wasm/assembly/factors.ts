// Weights that stay as they are, as linear numbers: for a node of the row tree, the factor by which the rows of a
// context that is known as far as this node multiply the mass of its expansions,
//   factors(node)[y] = exp(sum over the rows r met on the way to the node: weight(r)[y])     (rows of all suffixes)
//   factors(node)[y] = exp(weight(r)[y]), r the last row met                                 (row of the longest alone)
// They are made when a node is first met and kept, in as many vectors as there is room for.

import { commonOf, lengthOf, parentOf, RECORD, setFactors, symbolOf } from "./chain";
import { childOf, plainTreeRows, symbolCount, tableStart, tableSymbols, theFamily } from "./space";
import { int, needWalks, num, setInt } from "./state";
import { expAll, expOne, fillNums, multiplyAll } from "./vector";

/** Logarithm of the greatest factor, and of the inverse of the least, that is made. */
const MOST: f64 = 150;

// Fields of the block that src/engine/wasm/kernel.ts lays out.
const WEIGHTS = 0;
const NODES = 1;
/** i32 by node: number of its vector, -1 if it has none yet. */
const NODE_VECTOR = 2;
const VECTORS = 3;
const ROOM = 4;
const USED = 5;
const ALL_ROWS = 6;

let block: usize = 0;
let allRows: bool = false;
let weights: usize = 0;
let nodeVector: usize = 0;
let vectors: usize = 0;
/** Bytes of a vector: with room for a pair that begins at its last number. */
let stride: usize = 0;
let used: i32 = 0;
/** Nodes on the way down the suffix at hand, the root first. */
let nodes: usize = 0;

export function useFactors(settled: usize): void {
  block = settled;
  weights = <usize>int(block, WEIGHTS);
  nodeVector = <usize>int(block, NODE_VECTOR);
  vectors = <usize>int(block, VECTORS);
  allRows = int(block, ALL_ROWS) != 0;
  used = int(block, USED);
  stride = <usize>((symbolCount + 2) & ~1) << 3;
}

/** How often vectors were forgotten: addresses from before are then not to be used. */
export let timesForgotten: i32 = 0;

/** The first vector is that of a context without rows. */
const NO_ROWS = 0;

/** Sees to room for `count` more vectors; what was there may be forgotten. */
function makeRoom(count: i32): void {
  const room = int(block, ROOM);
  if (used > 0 && (used + count <= room || room > int(block, NODES))) return;
  memory.fill(nodeVector, 0xff, <usize>int(block, NODES) << 2);
  fillNums(vectors, 1, <i32>(stride >> 3));
  used = NO_ROWS + 1;
  timesForgotten++;
}

/**
 * Finds the factors of the contexts from `from` up to `to`, `count` of them, which are sorted by suffix; walks take up
 * to `longest` decisions. False if some factor is too large or too small for linear numbers.
 */
export function findFactors(from: i32, to: i32, count: i32, longest: i32): bool {
  nodes = needWalks(longest + 1);
  makeRoom(count * (longest + 1));
  setInt(nodes, 0, 0);
  const family = theFamily();
  let reached = 0;
  let dead = false;
  let shared = 0; // decisions in common with the context before
  for (let c = from; c < to; c += RECORD) {
    const length = lengthOf(c);
    let vector: i32;
    if (length == 0) vector = vectorOfRoot();
    else {
      if (shared < reached) {
        reached = shared;
        dead = false;
      } else if (shared == reached) dead = false;
      if (!dead && reached < length) {
        let earlier = c;
        for (let n = 0; n < reached; n++) earlier = parentOf(earlier);
        while (reached < length) {
          const child = childOf(family, int(nodes, reached), symbolOf(earlier));
          if (child < 0) {
            dead = true;
            break;
          }
          setInt(nodes, ++reached, child);
          earlier = parentOf(earlier);
        }
      }
      vector = vectorOfWalk(reached);
    }
    if (vector < 0) return false;
    setFactors(c, vectors + <usize>vector * stride);
    shared = commonOf(c);
  }
  setInt(block, USED, used);
  return true;
}

/** The vector of the node that the walk reached. */
function vectorOfWalk(depth: i32): i32 {
  const known = int(nodeVector, int(nodes, depth));
  if (depth > 0 && known >= 0) return known;
  let d = depth;
  while (d > 0 && int(nodeVector, int(nodes, d)) < 0) d--;
  let vector = d > 0 ? int(nodeVector, int(nodes, d)) : allRows ? NO_ROWS : vectorOfRoot();
  while (d < depth && vector >= 0) vector = makeVector(int(nodes, ++d), vector);
  return vector;
}

function vectorOfRoot(): i32 {
  const known = int(nodeVector, 0);
  return known >= 0 ? known : makeVector(0, NO_ROWS);
}

/** Makes the vector of a node below one that has the vector `above`; -1 if it has a number out of bounds. */
function makeVector(node: i32, above: i32): i32 {
  const row = int(plainTreeRows(), node);
  let vector = above;
  if (row >= 0) {
    const to = vectors + <usize>used * stride;
    const before = vectors + (allRows ? <usize>above * stride : 0);
    if (!multiplyRow(to, before, row)) {
      setInt(block, USED, 0); // whatever was begun is forgotten
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
