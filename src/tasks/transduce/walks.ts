// Features of an input position as walks of a tree: a kind, then numbers one after another, such as symbols of the input. The
// nodes met on the way, from some number on, are features; those that a tree has, have rows.

import type { Backend, FrozenTree, PositionRows, TreeWalks, WalkRoots } from "../../engine/backend.js";
import { childOf, type RowTable, type RowTree } from "../../engine/rows.js";
import { grown } from "../../engine/trellis.js";
import { COUNT_CLASSES } from "./aligner.js";
import type { View } from "./classes.js";
import type { MarkedInput } from "./pairs.js";

/** Told of a node. */
export type Visit = (node: number) => void;

/** The symbol at a position, with `boundary` just outside the input; -1 further away. */
export function symbolAt(input: Int32Array, j: number, boundary: number): number {
  if (j >= 0 && j < input.length) return input[j];
  return j === -1 || j === input.length ? boundary : -1;
}

/** The walks of a position or of a whole input, each with a class of written symbols still to be put before its kind. */
export abstract class Walks implements TreeWalks {
  count = 0;
  /** Of the input whose walks are listed. */
  positions = 0;
  positionStart = new Int32Array(64);
  kind = new Int32Array(16);
  /** [count + 1] first number of each walk. */
  start = new Int32Array(17);
  numbers = new Int32Array(128);
  /** How many numbers a walk has when its nodes begin to be features. */
  least = new Int32Array(16);

  constructor(
    readonly kinds: number,
    protected readonly boundary: number,
  ) {}

  /** Lists the walks of position j. */
  list(input: MarkedInput, j: number): void {
    this.count = 0;
    this.listAll(input, j);
  }

  /** Lists the walks of all positions. */
  listInput(input: MarkedInput): void {
    const { length } = input.symbols;
    if (this.positionStart.length <= length) this.positionStart = grown(this.positionStart, length + 1);
    this.count = 0;
    this.positions = length;
    for (let j = 0; j < length; j++) {
      this.positionStart[j] = this.count;
      this.listAll(input, j);
    }
    this.positionStart[length] = this.count;
  }

  protected abstract listAll(input: MarkedInput, j: number): void;

  /** Numbers of the walk at hand. */
  protected get length(): number {
    return this.start[this.count] - this.start[this.count - 1];
  }

  protected begin(kind: number, least: number): void {
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

  protected add(number: number): void {
    const end = this.start[this.count]++;
    if (end === this.numbers.length) this.numbers = grown(this.numbers, end + 1);
    this.numbers[end] = number;
  }

  /** Reads up to `length` symbols, or their classes, from a position on in one direction, to just outside the input. */
  protected read(input: Int32Array, from: number, way: number, length: number, view?: View): void {
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
        node = next(node, this.numbers[from + n]);
      }
    }
  }

  /** Nodes that a class can meet, at most. */
  get size(): number {
    return this.count + this.start[this.count];
  }
}

/** Finds the rows of inputs in a built tree. */
export class RowFinder {
  /** Rows found, position by position and class by class; those of position j and class q begin at `start[j * COUNT_CLASSES + q]`. */
  private readonly found: { start: Int32Array; ids: Int32Array };
  private readonly roots: WalkRoots;

  constructor(
    private readonly tree: RowTree,
    private readonly walks: Walks,
    private readonly backend: Pick<Backend, "arrays" | "loops">,
  ) {
    const { arrays } = backend;
    const nodes = Int32Array.from({ length: COUNT_CLASSES * walks.kinds }, (_, kind) => childOf(tree, 0, kind));
    this.roots = { nodes: arrays.placed(nodes), classes: COUNT_CLASSES };
    this.found = { start: arrays.int32(64), ids: arrays.int32(1024) };
  }

  /** Takes up weights of the tree's rows that will not change; undefined if that saves nothing. */
  freeze(table: RowTable, weights: Float64Array): FrozenTree | undefined {
    return this.backend.loops.freezeTree(this.tree, table, weights);
  }

  /** Adds the weights of an input's rows to scores, [positions][COUNT_CLASSES][symbolCount]. */
  score(input: MarkedInput, most: number, scores: Float64Array, frozen: FrozenTree): void {
    this.walks.listInput(input);
    this.backend.loops.scoreWalks(scores, this.walks, this.roots, most, frozen);
  }

  /** Finds the rows of an input, of classes up to that of `most` written symbols: they hold until the next time. */
  find(input: MarkedInput, most: number): PositionRows {
    const { walks, tree, roots, found } = this;
    const { arrays, loops } = this.backend;
    walks.listInput(input);
    const size = input.symbols.length * COUNT_CLASSES + 1;
    if (found.start.length < size) found.start = arrays.int32(2 * size);
    if (found.ids.length < COUNT_CLASSES * walks.size) found.ids = arrays.int32(2 * COUNT_CLASSES * walks.size);
    loops.findWalks(tree, walks, roots, most, found);
    return found;
  }
}
