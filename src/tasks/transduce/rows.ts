// The rows of a transducer and how they are found.
//   windows   substrings of the input that hold position j, the symbol there with a substring a few symbols away, what stands
//             beside it, and substrings of classes of symbols (views, see classes.ts), with and without the symbol itself,
//             each with how many symbols were written for it (0, 1, more): the slot features
//   outputs   n-grams of written symbols: context rows
//   moves     n-grams of moves with the input symbols they were made at, keyed by the input from position j on: context
//             rows, each an n-gram of aligned pairs together with what comes next in the input
// Rows hold the (row, symbol) pairs that occur in a rough alignment of the training pairs; weights start at zero.

import type { RowFamily, StartNodes } from "../../engine/problem.js";
import { childOf, type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "../../engine/rows.js";
import { grown } from "../../engine/trellis.js";
import { PairIndex } from "../../util/pair-index.js";
import type { View } from "./classes.js";
import { MoveWalker, OutputWalker, type Walker, WindowWalker } from "./walkers.js";
import { CLASSES_LENGTH, symbolAt } from "./windows.js";

export interface TransducerRowOptions {
  /** Input symbols looked at on either side of the one at hand. */
  window: number;
  /** Most symbols of a substring that holds the position at hand. */
  windowLength: number;
  /** Most symbols of a substring that does not touch the symbol at hand; 0 for none. */
  skipLength: number;
  /** Written symbols an output row looks back. */
  outputGrams: number;
  /** Moves a row of aligned pairs looks back, for each number of further input symbols it looks at: 0, 1, … */
  moveGrams: readonly number[];
  /** Features seen fewer times in the training pairs are left out. */
  minCount: number;
}

export interface TransducerRows {
  table: RowTable;
  /** Classes of input symbols that windows look at, too. */
  views: readonly View[];
  /** From the root by (class of written symbols, symbols to the left), then by the input from there to the right. */
  windowTree: RowTree;
  outputTree: RowTree;
  /** From the root by the input from the position at hand to the right (as -2 - symbol), then by moves, latest first. */
  moveTree: RowTree;
}

/** Inputs with the moves of an alignment each: what rows are counted from. */
export interface AlignedPair {
  input: Int32Array;
  moves: Int32Array;
}

/** The event of the input symbol at hand in the tree of moves, apart from those of moves and BEGIN. */
export function inputEvent(symbol: number): number {
  return -2 - symbol;
}

/** A tree that counts how often its nodes are met, and then keeps those met often enough. */
class CountedTree {
  readonly builder = new RowTreeBuilder();
  private counts = new Int32Array(1024);

  /** Counts a child of a node and returns it. */
  count(node: number, event: number): number {
    const child = this.builder.child(node, event);
    if (child >= this.counts.length) this.counts = grown(this.counts, child + 1);
    this.counts[child]++;
    return child;
  }

  /** A child met often enough so far, or -1. */
  known(node: number, event: number, minCount: number): number {
    const child = this.builder.find(node, event);
    return child >= 0 && this.counts[child] >= minCount ? child : -1;
  }

  kept(minCount: number): RowTreeBuilder {
    const kept = new RowTreeBuilder();
    const number = new Int32Array(this.builder.nodes).fill(-1);
    number[0] = 0;
    for (let node = 1; node < this.builder.nodes; node++) {
      const parent = number[this.builder.parentOf(node)];
      if (parent >= 0 && this.counts[node] >= minCount) number[node] = kept.child(parent, this.builder.eventOf(node));
    }
    return kept;
  }
}
/**
 * Counts features and makes their rows. `pairs` gives the same aligned pairs each time it is called; `boundary` is one
 * more than the last input symbol; `samples` is how many alignments of each pair there are.
 */
export function transducerRows(
  pairs: () => Iterable<AlignedPair>,
  symbolCount: number,
  boundary: number,
  options: TransducerRowOptions,
  samples: number,
  views: readonly View[] = [],
): TransducerRows {
  const shift = symbolCount - 1;
  const minCount = options.minCount * samples;
  const table = new RowTableBuilder(symbolCount);
  const make = (walker: Walker, depth: number, denseDepth: number): RowTree => {
    const builder = countFeatures(pairs, walker, depth, minCount, shift);
    addRows(table, builder, pairs, walker, denseDepth, shift);
    return builder.build();
  };
  const windowTree = make(
    new WindowWalker(options, boundary, views),
    1 + Math.max(options.windowLength, options.skipLength + 1, views.length > 0 ? CLASSES_LENGTH : 0),
    0,
  );
  const outputTree = make(new OutputWalker(options, shift), options.outputGrams, 1);
  const deepest = Math.max(0, ...options.moveGrams.map((grams, ahead) => grams + ahead + 1));
  const moveTree = make(new MoveWalker(options, shift, boundary), deepest, 0);
  return { table: table.build(), views, windowTree, outputTree, moveTree };
}

function eachMove(pair: AlignedPair, shift: number, visit: (m: number, j: number, written: number) => void): void {
  let j = 0;
  let written = 0;
  for (let m = 0; m < pair.moves.length; m++) {
    visit(m, j, written);
    if (pair.moves[m] === shift) {
      j++;
      written = 0;
    } else written++;
  }
}

/** Levels of a tree that are counted in one go. */
const LEVELS_AT_ONCE = 3;

/**
 * The tree of the features met at least `minCount` times. A few levels at a time: nodes are only made below those that
 * were met often enough, so that what occurs once at great depth takes little memory.
 */
function countFeatures(
  pairs: () => Iterable<AlignedPair>,
  walker: Walker,
  depth: number,
  minCount: number,
  shift: number,
): RowTreeBuilder {
  const tree = new CountedTree();
  const depths = { bytes: new Uint8Array(1024) };
  for (let counted = 0; counted < depth; counted += LEVELS_AT_ONCE) {
    const before = tree.builder.nodes;
    const next = (node: number, event: number): number => {
      const level = depths.bytes[node];
      if (level < counted) return tree.known(node, event, minCount);
      if (level === counted + LEVELS_AT_ONCE) return -1;
      const child = tree.count(node, event);
      if (child >= depths.bytes.length) depths.bytes = grown(depths.bytes, child + 1);
      depths.bytes[child] = level + 1;
      return child;
    };
    for (const pair of pairs()) {
      walker.begin(pair);
      eachMove(pair, shift, (m, j, written) => walker.walk(m, j, written, next, () => {}));
    }
    if (tree.builder.nodes === before) break;
  }
  return tree.kept(minCount);
}

/** Gives the features of a tree their rows: with every symbol down to `denseDepth`, with those that occur below it. */
function addRows(
  table: RowTableBuilder,
  builder: RowTreeBuilder,
  pairs: () => Iterable<AlignedPair>,
  walker: Walker,
  denseDepth: number,
  shift: number,
): void {
  const followers = new PairIndex(); // (node, symbol)
  const next = (node: number, event: number): number => builder.find(node, event);
  let symbol = 0;
  const note = (node: number): void => {
    followers.add(node, symbol);
  };
  for (const pair of pairs()) {
    walker.begin(pair);
    eachMove(pair, shift, (m, j, written) => {
      symbol = pair.moves[m];
      walker.walk(m, j, written, next, note);
    });
  }
  const count = new Int32Array(builder.nodes + 1);
  for (let f = 0; f < followers.size; f++) count[followers.first[f] + 1]++;
  for (let node = 0; node < builder.nodes; node++) count[node + 1] += count[node];
  const place = count.slice(0, builder.nodes);
  const symbols = new Int32Array(followers.size);
  for (let f = 0; f < followers.size; f++) symbols[place[followers.first[f]]++] = followers.second[f];
  const depth = new Uint8Array(builder.nodes);
  for (let node = 0; node < builder.nodes; node++) {
    if (node > 0) depth[node] = depth[builder.parentOf(node)] + 1;
    const own = symbols.subarray(count[node], count[node + 1]).sort();
    if (depth[node] <= denseDepth && (node > 0 || denseDepth > 0)) builder.setRow(node, table.addDense());
    else if (own.length > 0) builder.setRow(node, table.add(own));
  }
}

/** The families of context rows that the engine walks. */
export function transducerFamilies(rows: TransducerRows, shift: number, order: number): RowFamily[] {
  return [
    { tree: rows.outputTree, depth: order, skip: shift, pairs: false, keyed: false },
    { tree: rows.moveTree, depth: order, skip: -1, pairs: true, keyed: true },
  ];
}

/** Where the walks of the move family begin at each slot. */
export function moveStarts(
  tree: RowTree,
  options: TransducerRowOptions,
  input: Int32Array,
  slotsPerPosition: number,
  boundary: number,
): StartNodes {
  const ahead = options.moveGrams.length;
  const offsets = new Int32Array(input.length * slotsPerPosition + 2);
  const nodes = new Int32Array(input.length * slotsPerPosition * ahead);
  let count = 0;
  for (let j = 0; j < input.length; j++) {
    const first = count;
    let node = 0;
    for (let a = 0; a < ahead; a++) {
      const symbol = symbolAt(input, j + a, boundary);
      if (symbol < 0) break;
      node = childOf(tree, node, inputEvent(symbol));
      if (node < 0) break;
      nodes[count++] = node;
    }
    const own = count - first;
    for (let k = 0; k < slotsPerPosition; k++) {
      if (k > 0) for (let i = 0; i < own; i++) nodes[count++] = nodes[first + i];
      offsets[j * slotsPerPosition + k + 1] = count;
    }
  }
  offsets[offsets.length - 1] = count;
  return { offsets, nodes };
}
