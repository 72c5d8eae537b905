// The rows of a transducer and how they are found.
//   windows   substrings of the input that hold position j, and the symbol there with a substring a few symbols away,
//             each with how many symbols were written for it (0, 1, more): the slot features
//   outputs   n-grams of written symbols: context rows
//   moves     n-grams of moves with the input symbols they were made at, keyed by the input from position j on: context
//             rows, each an n-gram of aligned pairs together with what comes next in the input
// Rows hold the (row, symbol) pairs that occur in a rough alignment of the training pairs; weights start at zero.

import type { Arrays } from "../../engine/backend.js";
import type { RowFamily, StartNodes } from "../../engine/problem.js";
import { childOf, type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "../../engine/rows.js";
import { BEGIN, grown } from "../../engine/trellis.js";
import { PairIndex } from "../../util/pair-index.js";
import { COUNT_CLASSES, countClass } from "./aligner.js";

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

/** The symbol at a position, with `boundary` just outside the input; -1 further away. */
function symbolAt(input: Int32Array, j: number, boundary: number): number {
  if (j >= 0 && j < input.length) return input[j];
  return j === -1 || j === input.length ? boundary : -1;
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

/** Everything that is asked of a place in an aligned pair: the features there, as walks of the trees. */
interface Walker {
  /** Called for each aligned pair. */
  begin(pair: AlignedPair): void;
  /** Walks the features of one move as far as `next` gives nodes; `hasRow` is told of the nodes that are features. */
  walk(m: number, j: number, written: number, next: (node: number, event: number) => number, hasRow: Visit): void;
}
type Visit = (node: number) => void;

/**
 * The window features of a position as walks of the tree: kinds and then input symbols, without the class of written
 * symbols. Kind 0 is the class alone; then substrings from `left` symbols to the left; then the symbol at hand and what
 * is `away` symbols to the right, or to the left, read away from it.
 */
class WindowWalks {
  count = 0;
  private kind = new Int32Array(16);
  /** [count + 1] first symbol of each walk. */
  private start = new Int32Array(17);
  private symbols = new Int32Array(128);
  /** Number of symbols from which on the walk's nodes are features. */
  private least = new Int32Array(16);

  constructor(
    private readonly options: TransducerRowOptions,
    private readonly boundary: number,
  ) {}

  /** Lists the walks of position j. */
  list(input: Int32Array, j: number): void {
    const { window, windowLength, skipLength } = this.options;
    this.count = 0;
    this.begin(0, 0);
    for (let left = 0; left <= window; left++) {
      this.begin(1 + left, left + 1);
      this.read(input, j - left, 1, Math.min(window + left, windowLength - 1) + 1);
    }
    if (skipLength === 0) return;
    for (let way = 1; way >= -1; way -= 2) {
      for (let away = 2; away <= window; away++) {
        this.begin(window + away + (way < 0 ? window - 1 : 0), 2);
        this.add(input[j]);
        this.read(input, j + way * away, way, Math.min(skipLength, window - away + 1));
      }
    }
  }

  private begin(kind: number, least: number): void {
    if (this.count === this.kind.length) {
      this.kind = grown(this.kind, this.count + 1);
      this.least = grown(this.least, this.count + 1);
      this.start = grown(this.start, this.kind.length + 1);
    }
    this.kind[this.count] = kind;
    this.least[this.count] = least;
    this.start[this.count + 1] = this.start[this.count];
    this.count++;
  }

  private add(symbol: number): void {
    const end = this.start[this.count]++;
    if (end === this.symbols.length) this.symbols = grown(this.symbols, end + 1);
    this.symbols[end] = symbol;
  }

  /** Reads up to `length` symbols from a position on in one direction, to just outside the input. */
  private read(input: Int32Array, from: number, way: number, length: number): void {
    for (let n = 0; n < length; n++) {
      const symbol = symbolAt(input, from + way * n, this.boundary);
      if (symbol < 0) return;
      this.add(symbol);
    }
  }

  /** Goes down the tree along every walk, with a class of written symbols, as far as `next` gives nodes. */
  follow(writtenClass: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    const first = writtenClass * windowKinds(this.options.window);
    for (let walk = 0; walk < this.count; walk++) {
      let node = next(0, first + this.kind[walk]);
      const from = this.start[walk];
      const length = this.start[walk + 1] - from;
      for (let n = 0; node >= 0; n++) {
        if (n >= this.least[walk]) hasRow(node);
        if (n === length) break;
        node = next(node, this.symbols[from + n]);
      }
    }
  }

  /**
   * The same in a built tree: writes the rows met to `rows` from `count` on, which must have room; returns the new count.
   * `roots` has the root's child by each kind and class.
   */
  findRows(tree: RowTree, roots: Int32Array, writtenClass: number, rows: Int32Array, count: number): number {
    const { kind, start, symbols, least } = this;
    const first = writtenClass * windowKinds(this.options.window);
    let found = count;
    for (let walk = 0; walk < this.count; walk++) {
      let node = roots[first + kind[walk]];
      for (let n = 0, i = start[walk]; node >= 0; n++, i++) {
        if (n >= least[walk] && tree.row[node] >= 0) rows[found++] = tree.row[node];
        if (i === start[walk + 1]) break;
        node = childOf(tree, node, symbols[i]);
      }
    }
    return found;
  }

  /** Nodes that a class can meet, at most. */
  get size(): number {
    return this.count + this.start[this.count];
  }
}

/** Kinds of window features; see `WindowWalks`. */
function windowKinds(window: number): number {
  return 3 * window + 2;
}

class WindowWalker implements Walker {
  private input: Int32Array = new Int32Array(0);
  /** The position whose walks are listed. */
  private listed = -1;
  private readonly walks: WindowWalks;
  constructor(options: TransducerRowOptions, boundary: number) {
    this.walks = new WindowWalks(options, boundary);
  }

  begin(pair: AlignedPair): void {
    this.input = pair.input;
    this.listed = -1;
  }

  walk(_m: number, j: number, written: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    if (j !== this.listed) this.walks.list(this.input, j);
    this.listed = j;
    this.walks.follow(countClass(written), next, hasRow);
  }
}

class OutputWalker implements Walker {
  private moves: Int32Array = new Int32Array(0);
  constructor(
    readonly options: TransducerRowOptions,
    readonly shift: number,
  ) {}

  begin(pair: AlignedPair): void {
    this.moves = pair.moves;
  }

  walk(m: number, _j: number, _written: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    if (this.moves[m] === this.shift) return;
    let node = 0;
    let left = this.options.outputGrams;
    for (let i = m - 1; left > 0 && i >= -1; i--) {
      const event = i < 0 ? BEGIN : this.moves[i];
      if (event === this.shift) continue;
      node = next(node, event);
      if (node < 0) return;
      hasRow(node);
      left--;
    }
  }
}

class MoveWalker implements Walker {
  private pair: AlignedPair = { input: new Int32Array(0), moves: new Int32Array(0) };
  /** [moves] the position each was made at. */
  private positions = new Int32Array(64);

  constructor(
    readonly options: TransducerRowOptions,
    readonly shift: number,
    readonly boundary: number,
  ) {}

  begin(pair: AlignedPair): void {
    this.pair = pair;
    if (this.positions.length < pair.moves.length) this.positions = grown(this.positions, pair.moves.length);
    let j = 0;
    for (let m = 0; m < pair.moves.length; m++) {
      this.positions[m] = j;
      if (pair.moves[m] === this.shift) j++;
    }
  }

  walk(m: number, j: number, _written: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    const { input, moves } = this.pair;
    const symbolCount = this.shift + 1;
    let key = 0;
    for (let ahead = 0; ahead < this.options.moveGrams.length; ahead++) {
      const symbol = symbolAt(input, j + ahead, this.boundary);
      if (symbol < 0) return;
      key = next(key, inputEvent(symbol));
      if (key < 0) return;
      let node = key;
      for (let n = 1; n <= this.options.moveGrams[ahead] && m - n >= -1; n++) {
        const i = m - n;
        node = next(node, i < 0 ? BEGIN : input[this.positions[i]] * symbolCount + moves[i]);
        if (node < 0) break;
        hasRow(node);
      }
    }
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
    new WindowWalker(options, boundary),
    Math.max(options.windowLength + 1, options.skipLength + 2),
    0,
  );
  const outputTree = make(new OutputWalker(options, shift), options.outputGrams, 1);
  const deepest = Math.max(0, ...options.moveGrams.map((grams, ahead) => grams + ahead + 1));
  const moveTree = make(new MoveWalker(options, shift, boundary), deepest, 0);
  return { table: table.build(), windowTree, outputTree, moveTree };
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

/** Finds the window rows of inputs in a built tree. */
export class WindowFinder {
  /** Rows found, position by position and class by class. */
  ids: Int32Array;
  /** [positions * COUNT_CLASSES + 1] where those of position j and class q begin: at j * COUNT_CLASSES + q. */
  start: Int32Array;
  private readonly walks: WindowWalks;
  private readonly roots: Int32Array;

  constructor(
    private readonly tree: RowTree,
    options: TransducerRowOptions,
    boundary: number,
    private readonly arrays: Pick<Arrays, "int32">,
  ) {
    this.walks = new WindowWalks(options, boundary);
    const kinds = COUNT_CLASSES * windowKinds(options.window);
    this.roots = Int32Array.from({ length: kinds }, (_, kind) => childOf(tree, 0, kind));
    this.ids = arrays.int32(1024);
    this.start = arrays.int32(64);
  }

  /** Finds the rows of an input, of classes up to that of `most` written symbols. */
  find(input: Int32Array, most: number): void {
    const { walks, arrays, tree, roots } = this;
    const size = input.length * COUNT_CLASSES + 1;
    if (this.start.length < size) this.start = arrays.int32(2 * size);
    let count = 0;
    for (let j = 0; j < input.length; j++) {
      walks.list(input, j);
      if (this.ids.length < count + COUNT_CLASSES * walks.size) {
        const larger = arrays.int32(2 * (count + COUNT_CLASSES * walks.size));
        larger.set(this.ids);
        this.ids = larger;
      }
      for (let q = 0; q < COUNT_CLASSES; q++) {
        this.start[j * COUNT_CLASSES + q] = count;
        if (q <= most) count = walks.findRows(tree, roots, q, this.ids, count);
      }
    }
    this.start[size - 1] = count;
  }
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
