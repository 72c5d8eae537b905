// What a transducer sees around an input position, as walks of a tree: substrings that hold the position, the symbol there with
// a substring a few symbols away, what stands beside it, and substrings of classes of symbols (views, see classes.ts), with
// and without the symbol itself.

import type { Arrays } from "../../engine/backend.js";
import { childOf, type RowTree } from "../../engine/rows.js";
import { grown } from "../../engine/trellis.js";
import { COUNT_CLASSES } from "./aligner.js";
import type { View } from "./classes.js";
import type { TransducerRowOptions } from "./rows.js";

/** Told of a node. */
export type Visit = (node: number) => void;

/** The symbol at a position, with `boundary` just outside the input; -1 further away. */
export function symbolAt(input: Int32Array, j: number, boundary: number): number {
  if (j >= 0 && j < input.length) return input[j];
  return j === -1 || j === input.length ? boundary : -1;
}

/** Most symbols of a substring of classes, of one with a symbol among them, and of what stands beside a symbol. */
export const CLASSES_LENGTH = 5;
const MIXED_LENGTH = 3;
const BESIDE_LENGTH = 3;
/** What stands to the right of a symbol, to the left, and on both sides. */
const BESIDE_KINDS = 3;

/**
 * The window features of a position as walks of the tree: kinds and then input symbols, without the class of written
 * symbols. Kind 0 is the class alone; then substrings from `left` symbols to the left; then the symbol at hand and what
 * is `away` symbols to the right, or to the left, read away from it. With views, there follow for each substrings of classes,
 * the same with the symbol at hand in place of its class, and after all views what stands beside the symbol.
 */
export class WindowWalks {
  count = 0;
  private kind = new Int32Array(16);
  /** [count + 1] first symbol of each walk. */
  private start = new Int32Array(17);
  private symbols = new Int32Array(128);
  /** Number of symbols from which on the walk's nodes are features. */
  private least = new Int32Array(16);

  private readonly kinds: number;

  constructor(
    private readonly options: TransducerRowOptions,
    private readonly boundary: number,
    private readonly views: readonly View[],
  ) {
    this.kinds = windowKinds(options.window, views.length);
  }

  /** Lists the walks of position j. */
  list(input: Int32Array, j: number): void {
    this.count = 0;
    this.begin(0, 0);
    this.listWindows(input, j);
    if (this.views.length === 0) return;
    for (let v = 0; v < this.views.length; v++) this.listClasses(input, j, v);
    this.listBeside(input, j);
  }

  private listWindows(input: Int32Array, j: number): void {
    const { window, windowLength, skipLength } = this.options;
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

  private listClasses(input: Int32Array, j: number, v: number): void {
    const { window } = this.options;
    const view = this.views[v];
    const first = windowKinds(window, 0) + 2 * v * (window + 1);
    for (let left = 0; left <= window && left < CLASSES_LENGTH; left++) {
      this.begin(first + left, left + 1);
      this.read(input, j - left, 1, Math.min(window + left + 1, CLASSES_LENGTH), view);
      this.begin(first + window + 1 + left, Math.max(2, left + 1));
      this.read(input, j - left, 1, left, view);
      // Outside of the input there is no walk that reaches it.
      if (this.length < left) continue;
      this.add(input[j]);
      this.read(input, j + 1, 1, Math.min(window, MIXED_LENGTH - 1 - left), view);
    }
  }

  private listBeside(input: Int32Array, j: number): void {
    const first = this.kinds - BESIDE_KINDS;
    const length = Math.min(BESIDE_LENGTH, this.options.window);
    this.begin(first, 1);
    this.read(input, j + 1, 1, length);
    this.begin(first + 1, 1);
    this.read(input, j - 1, -1, length);
    this.begin(first + 2, 2);
    for (let away = 1; away < length; away++) {
      const before = symbolAt(input, j - away, this.boundary);
      const after = symbolAt(input, j + away, this.boundary);
      if (before < 0 || after < 0) break;
      this.add(before);
      this.add(after);
    }
  }

  /** Symbols of the walk at hand. */
  private get length(): number {
    return this.start[this.count] - this.start[this.count - 1];
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

  /** Reads up to `length` symbols, or their classes, from a position on in one direction, to just outside the input. */
  private read(input: Int32Array, from: number, way: number, length: number, view?: View): void {
    for (let n = 0; n < length; n++) {
      const symbol = symbolAt(input, from + way * n, this.boundary);
      if (symbol < 0) return;
      this.add(view ? view[symbol] : symbol);
    }
  }

  /** Goes down the tree along every walk, with a class of written symbols, as far as `next` gives nodes. */
  follow(writtenClass: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    const first = writtenClass * this.kinds;
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
    const first = writtenClass * this.kinds;
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
export function windowKinds(window: number, views: number): number {
  return 3 * window + 2 + (views > 0 ? 2 * views * (window + 1) + BESIDE_KINDS : 0);
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
    views: readonly View[],
    private readonly arrays: Pick<Arrays, "int32">,
  ) {
    this.walks = new WindowWalks(options, boundary, views);
    const kinds = COUNT_CLASSES * windowKinds(options.window, views.length);
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
