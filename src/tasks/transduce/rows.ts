// The rows of a transducer and how they are found.
//   windows   substrings of the input that hold position j, the symbol there with a substring a few symbols away, what stands
//             beside it, and substrings of classes of symbols (views, see classes.ts), with and without the symbol itself,
//             each with how many symbols were written for it (0, 1, more): the slot features
//   outputs   n-grams of written symbols: context rows
//   moves     n-grams of moves with the input symbols they were made at, keyed by the input from position j on: context
//             rows, each an n-gram of aligned pairs together with what comes next in the input
//   marks     where something holds for the whole input (attributes.ts): slot features with it, and n-grams of written symbols
//   copies    where outputs are much like inputs: slot features of writing the input symbol, whichever it is (mark-walks.ts)
// Rows hold the (row, symbol) pairs that occur in a rough alignment of the training pairs; weights start at zero.

import type { RowFamily, StartNodes } from "../../engine/problem.js";
import { childOf, type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "../../engine/rows.js";
import { grown } from "../../engine/trellis.js";
import { PairIndex } from "../../util/pair-index.js";
import type { View } from "./classes.js";
import type { TransducerShape } from "./engine.js";
import { CopyWalks, MARKED_DEPTH, MarkWalks } from "./mark-walks.js";
import { CopyWalker, MarkedOutputWalker, MoveWalker, OutputWalker, SlotWalker, type Walker } from "./walkers.js";
import { symbolAt } from "./walks.js";
import { CLASSES_LENGTH, WindowWalks } from "./windows.js";

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
  /** If inputs have marks. */
  marked?: {
    /** From the root by (class of written symbols, kind), then by a mark and so on. */
    tree: RowTree;
    /** From the root by a mark (as -2 - mark), then by written symbols, latest first. */
    outputTree: RowTree;
  };
  /** If copying has rows: each has one entry, symbol 0, which stands for the copy. */
  copyTree?: RowTree;
}

/** Inputs with the moves of an alignment each: what rows are counted from. */
export interface AlignedPair {
  input: Int32Array;
  marks?: Int32Array;
  moves: Int32Array;
}

/** The event of the input symbol at hand in the tree of moves, or of a mark, apart from those of moves and BEGIN. */
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

/** What rows are made of. */
export interface RowMakings {
  /** Gives the same aligned pairs each time it is called. */
  pairs: () => Iterable<AlignedPair>;
  /** How many alignments of each pair there are. */
  samples: number;
  views?: readonly View[];
  /** Whether there are rows of copies. */
  copying?: boolean;
  /** Whether some inputs have marks. */
  marked?: boolean;
  /** Whether a network scores moves by what is around them: then neither windows nor n-grams of moves have rows. */
  encoded?: boolean;
}

/** Counts features and makes their rows. */
export function transducerRows(
  { pairs, samples, views = [], copying = false, marked = false, encoded = false }: RowMakings,
  { symbolCount, boundary, rowOptions: options, ...shape }: Omit<TransducerShape, "maxEmit">,
): TransducerRows {
  const shift = symbolCount - 1;
  const minCount = options.minCount * samples;
  const table = new RowTableBuilder(symbolCount);
  const make = (walker: Walker, depth: number, isDense?: IsDense): RowTree => {
    const builder = countFeatures(pairs, walker, depth, minCount, shift);
    addRows(table, builder, pairs, walker, shift, isDense);
    return builder.build();
  };
  // What a network sees has no rows.
  const makeAround: typeof make = (...features) => (encoded ? new RowTreeBuilder().build() : make(...features));
  const windows = new WindowWalks(options, boundary, views);
  const windowTree = makeAround(
    new SlotWalker(windows),
    1 + Math.max(options.windowLength, options.skipLength + 1, views.length > 0 ? CLASSES_LENGTH : 0),
    marked ? (depth, first) => depth === 1 + (first % windows.kinds) && depth <= 2 : undefined,
  );
  const outputTree = make(new OutputWalker(options, shift), options.outputGrams, (depth) => depth <= 1);
  const deepest = Math.max(0, ...options.moveGrams.map((grams, ahead) => grams + ahead + 1));
  const moveTree = makeAround(new MoveWalker(options, shift, boundary), deepest);
  const rows: TransducerRows = { table: table.build(), views, windowTree, outputTree, moveTree };
  if (marked) {
    rows.marked = {
      tree: makeAround(
        new SlotWalker(new MarkWalks(boundary, views)),
        MARKED_DEPTH,
        (depth, first) => depth === 2 && first % MarkWalks.kinds === 0,
      ),
      outputTree: make(new MarkedOutputWalker(options, shift), 1 + options.outputGrams),
    };
  }
  if (copying) rows.copyTree = make(new CopyWalker(new CopyWalks(boundary, views), shape), MARKED_DEPTH);
  return { ...rows, table: table.build() };
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

/** Whether a node at some depth below a child of the root, by its event, has a row with every symbol. */
type IsDense = (depth: number, first: number) => boolean;

/** Gives the features of a tree their rows: with every symbol, or with those that occur. */
function addRows(
  table: RowTableBuilder,
  builder: RowTreeBuilder,
  pairs: () => Iterable<AlignedPair>,
  walker: Walker,
  shift: number,
  isDense?: IsDense,
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
      symbol = walker.symbolOf ? walker.symbolOf(m, j) : pair.moves[m];
      if (symbol >= 0) walker.walk(m, j, written, next, note);
    });
  }
  const count = new Int32Array(builder.nodes + 1);
  for (let f = 0; f < followers.size; f++) count[followers.first[f] + 1]++;
  for (let node = 0; node < builder.nodes; node++) count[node + 1] += count[node];
  const place = count.slice(0, builder.nodes);
  const symbols = new Int32Array(followers.size);
  for (let f = 0; f < followers.size; f++) symbols[place[followers.first[f]]++] = followers.second[f];
  const depth = new Uint8Array(builder.nodes);
  const first = new Int32Array(builder.nodes);
  for (let node = 0; node < builder.nodes; node++) {
    if (node > 0) {
      const parent = builder.parentOf(node);
      depth[node] = depth[parent] + 1;
      first[node] = parent === 0 ? builder.eventOf(node) : first[parent];
    }
    const own = symbols.subarray(count[node], count[node + 1]).sort();
    if (isDense?.(depth[node], first[node])) builder.setRow(node, table.addDense());
    else if (own.length > 0) builder.setRow(node, table.add(own));
  }
}

/** The families of context rows that the engine walks. */
export function transducerFamilies(rows: TransducerRows, shift: number, order: number): RowFamily[] {
  return [
    { tree: rows.outputTree, depth: order, skip: shift, pairs: false, keyed: false },
    { tree: rows.moveTree, depth: order, skip: -1, pairs: true, keyed: true },
    ...(rows.marked ? [{ tree: rows.marked.outputTree, depth: order, skip: shift, pairs: false, keyed: true }] : []),
  ];
}

/** Where the walks of the move family begin at each slot; `slots` has the first slot of each position, and the end. */
export function moveStarts(
  tree: RowTree,
  options: TransducerRowOptions,
  input: Int32Array,
  slots: Int32Array,
  boundary: number,
): StartNodes {
  const ahead = options.moveGrams.length;
  const end = slots[input.length];
  const offsets = new Int32Array(end + 2);
  const nodes = new Int32Array(end * ahead);
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
    for (let slot = slots[j]; slot < slots[j + 1]; slot++) {
      if (slot > slots[j]) for (let i = 0; i < own; i++) nodes[count++] = nodes[first + i];
      offsets[slot + 1] = count;
    }
  }
  offsets[offsets.length - 1] = count;
  return { offsets, nodes };
}

/** Where the walks of the family of marks begin: at the marks of the input, at every slot but the end. */
export function markStarts(tree: RowTree, marks: Int32Array, slotCount: number): StartNodes {
  const own: number[] = [];
  for (const mark of marks) {
    const node = childOf(tree, 0, inputEvent(mark));
    if (node >= 0) own.push(node);
  }
  const offsets = new Int32Array(slotCount + 1);
  const nodes = new Int32Array((slotCount - 1) * own.length);
  for (let slot = 0; slot + 1 < slotCount; slot++) {
    nodes.set(own, slot * own.length);
    offsets[slot + 1] = (slot + 1) * own.length;
  }
  offsets[slotCount] = nodes.length;
  return { offsets, nodes };
}
