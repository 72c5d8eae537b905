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
import type { View } from "./classes.js";
import { CountedFeatures, type Counting, type IsDense } from "./counted-features.js";
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

/** The features of aligned pairs, counted. */
export class TransducerFeatures {
  /** In the order of their rows. */
  private readonly kinds: readonly (readonly [FeatureKind, CountedFeatures])[];
  private readonly symbolCount: number;
  private readonly views: readonly View[];
  private readonly isMarked: boolean;

  constructor(
    { pairs, samples, views = [], copying = false, marked = false, encoded = false }: RowMakings,
    { symbolCount, boundary, rowOptions: options, ...shape }: Omit<TransducerShape, "maxEmit">,
  ) {
    const shift = symbolCount - 1;
    this.symbolCount = symbolCount;
    this.views = views;
    this.isMarked = marked;
    const counting: Counting = { pairs, minCount: options.minCount * samples, shift };
    const windows = new WindowWalks(options, boundary, views);
    const windowDepth = Math.max(options.windowLength, options.skipLength + 1, views.length > 0 ? CLASSES_LENGTH : 0);
    const moveDepth = Math.max(0, ...options.moveGrams.map((grams, ahead) => grams + ahead + 1));
    const isDenseWindow: IsDense = (depth, first) => depth === 1 + (first % windows.kinds) && depth <= 2;
    const isDenseMark: IsDense = (depth, first) => depth === 2 && first % MarkWalks.kinds === 0;
    const make = (kind: FeatureKind, ...features: [Walker, number, IsDense?]) => {
      const [walker, depth, isDense] = features;
      return [kind, new CountedFeatures(walker, depth, counting, isDense)] as const;
    };
    // What a network sees has no rows.
    this.kinds = [
      ...(encoded
        ? []
        : [make("windowTree", new SlotWalker(windows), 1 + windowDepth, marked ? isDenseWindow : undefined)]),
      make("outputTree", new OutputWalker(options, shift), options.outputGrams, (depth) => depth <= 1),
      ...(encoded ? [] : [make("moveTree", new MoveWalker(options, shift, boundary), moveDepth)]),
      ...(marked && !encoded
        ? [make("markTree", new SlotWalker(new MarkWalks(boundary, views)), MARKED_DEPTH, isDenseMark)]
        : []),
      ...(marked ? [make("markedOutputTree", new MarkedOutputWalker(options, shift), 1 + options.outputGrams)] : []),
      ...(copying ? [make("copyTree", new CopyWalker(new CopyWalks(boundary, views), shape), MARKED_DEPTH)] : []),
    ];
  }

  /** The rows of what occurs in all pairs but some. */
  rows(without: () => Iterable<AlignedPair> = () => []): TransducerRows {
    const table = new RowTableBuilder(this.symbolCount);
    const trees: Partial<Record<FeatureKind, RowTree>> = {};
    for (const [kind, features] of this.kinds) trees[kind] = features.addRows(table, without());
    const treeOf = (kind: FeatureKind): RowTree => trees[kind] ?? new RowTreeBuilder().build();
    const rows: TransducerRows = {
      table: table.build(),
      views: this.views,
      windowTree: treeOf("windowTree"),
      outputTree: treeOf("outputTree"),
      moveTree: treeOf("moveTree"),
    };
    if (this.isMarked) rows.marked = { tree: treeOf("markTree"), outputTree: treeOf("markedOutputTree") };
    if (trees.copyTree) rows.copyTree = trees.copyTree;
    return rows;
  }
}

/** A tree of features. */
type FeatureKind = "windowTree" | "outputTree" | "moveTree" | "markTree" | "markedOutputTree" | "copyTree";

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
