// What does the numerical work: the reference in TypeScript, or WebAssembly with SIMD. Both give the same results up to
// rounding. A backend makes kernels, which run inference, and arrays that its loops can work on without copying.

/// <reference lib="esnext.disposable" preserve="true" />

import type { DecisionCounter } from "./counter.js";
import type { DenseLoops } from "./dense.js";
import type { Path } from "./lattice.js";
import type { Problem, RowSpace } from "./problem.js";
import type { Guide } from "./reference/select.js";
import type { RowTable, RowTree } from "./rows.js";
import type { Inference, Trellis } from "./trellis.js";

/** What holds memory of a backend, which comes back when it is collected, or at once when it is disposed of. */
export interface Owner {
  /** Frees the memory; nothing created in it may be used again. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** Makes arrays of zeros where a backend wants them. */
export interface Arrays {
  float64(length: number): Float64Array;
  float32(length: number): Float32Array;
  int32(length: number): Int32Array;
  uint8(length: number): Uint8Array;
  /** The array, or a copy of it in the backend's memory. Place arrays that are used more than once. */
  placed<T extends Int32Array | Float64Array>(array: T): T;
  /** Frees the memory of an array at once; it must not be used again. Otherwise it is freed by garbage collection. */
  release(array: Int32Array | Float32Array | Float64Array | Uint8Array): void;
}

/** Runs inference. Its trellis holds until the next forward pass. */
export interface Kernel extends Owner {
  readonly trellis: Trellis;
  /**
   * Chooses the context sets and computes forward masses and the log-partition.
   * `forced`, [slotCount], names decisions of one path (-1 elsewhere) whose contexts are kept whatever their mass;
   * `guide` lets a clamp choose.
   */
  forward(
    problem: Problem,
    space: RowSpace,
    weights: Float64Array,
    inference: Inference,
    forced?: Int32Array,
    guide?: Guide,
  ): Trellis;
  /** The same with weights that do not change: faster, but expected counts of rows are not available afterwards. */
  forwardFrozen(problem: Problem, frozen: FrozenRows, inference: Inference): Trellis;
  /** Replaces masses by posteriors of contexts and arcs. Further calls do nothing. */
  backward(): void;
  /**
   * Adds `factor` times the expected row counts to `counts` (one number per weight; optional) and the expected decisions to
   * `slotCounts`, [slotCount][symbolCount]. Needs the backward pass. `arcs`, one number per arc of the trellis, replaces the
   * arcs' posteriors; it is read only for contexts that have a posterior.
   */
  addExpectations(
    counts: Float64Array | undefined,
    slotCounts: Float64Array,
    factor: number,
    arcs?: Float64Array,
  ): void;
  /** The best path, or undefined if there is none. Valid before and after the backward pass. */
  bestPath(): Path | undefined;
  /**
   * The best path, the log-partition and, if requested, the probability of each decision; undefined if there is no path. The
   * result is that of `forward`, `bestPath` and `backward`, but faster. The trellis is unspecified afterwards.
   */
  bestOutput(problem: Problem, frozen: FrozenRows, inference: Inference, confidences?: boolean): BestOutput | undefined;
  /**
   * The most probable outputs of the latest forward pass, each summed over the paths that write it, the most probable first;
   * undefined where they are to be found in another way. Makes the backward pass.
   */
  bestOutputs?(search: OutputSearch): WrittenOutput[] | undefined;
  /** Average number of decisions remembered, weighted by forward mass. Valid before the backward pass. */
  averageContextLength(): number;
}

/** Which outputs are looked for, where one symbol writes nothing. */
export interface OutputSearch {
  /** That symbol. */
  free: number;
  /** At most so many outputs. */
  most: number;
  /** None is so far below the most probable one, in logarithms. */
  within: number;
  /** Paths so far below the best, in logarithms, are not looked at. */
  reach: number;
  /** Nor are more paths than this. */
  paths: number;
}

/** An output by the best path that writes it. */
export interface WrittenOutput {
  symbols: number[];
  /** Log of its probability. */
  log: number;
}

export interface BestOutput extends Path {
  logPartition: number;
  /** [symbols] the probability of each decision at its slot, if requested. */
  confidences?: number[];
}

/** Rows with weights that stay as they are, so that what is computed from them can be kept. */
export interface FrozenRows extends Owner {
  readonly space: RowSpace;
  readonly weights: Float64Array;
}

/** Rows that positions have: those of position i are map[ids[a]] (or ids[a] without a map) for start[i] <= a < start[i + 1], -1 for none. */
export interface PositionRows {
  start: Int32Array;
  ids: Int32Array;
  map?: Int32Array;
  /** [ids] the value of each row; 1 if absent. */
  values?: Float64Array;
}

/** A gradient, and which rows are not zero in it. */
export interface GradientArrays {
  /** [entries] */
  values: Float64Array;
  /** [rows], `touchedCount` in use. */
  touched: Int32Array;
  touchedCount: number;
  /** [rows] 1 if in `touched`. */
  isTouched: Uint8Array;
}

/** What AdaGrad keeps; see src/learn/adagrad.ts. */
export interface AdaGradArrays {
  weights: Float64Array;
  squares: Float64Array;
  sums: Float64Array;
  settled: Int32Array;
}

export interface AdaGradStep {
  /** The number of this step, from 1. */
  step: number;
  rate: number;
  delta: number;
  l1: number;
  l2: number;
}

/** Walks down a tree from a root by kind and class, along numbers: features of the positions of an input. */
export interface TreeWalks {
  positions: number;
  /** [positions + 1] the first walk of each. */
  positionStart: Int32Array;
  /** [walks] */
  kind: Int32Array;
  /** [walks + 1] the first number of each. */
  start: Int32Array;
  /** [walks] after how many numbers the visited nodes count. */
  least: Int32Array;
  numbers: Int32Array;
  kinds: number;
}

/** Which roots walks begin at: all classes begin with the same walks. */
export interface WalkRoots {
  /** [classes][kinds] a node of the tree, or -1. */
  nodes: Int32Array;
  classes: number;
}

/** Rows of a table with weights that stay as they are, kept in the form in which they are added fastest. */
export interface DenseRows extends Owner {}

/** A tree of rows with weights that stay as they are. */
export interface FrozenTree extends Owner {}

/** Loops of training beside inference. */
export interface Loops {
  /**
   * scores[i][y] += sum over the rows of position from + i: value * weight(row, y), for i < length. `dense` was made of the
   * same table and weights.
   */
  scoreSlots(
    scores: Float64Array,
    length: number,
    from: number,
    rows: PositionRows,
    table: RowTable,
    weights: Float64Array,
    dense?: DenseRows,
  ): void;
  /**
   * Finds the rows of the nodes that walks visit, for classes up to `lastClass`, and writes them to `to.ids`: those of position j
   * and class q begin at to.start[j * classes + q]. Both arrays must be large enough.
   */
  findWalks(
    tree: RowTree,
    walks: TreeWalks,
    roots: WalkRoots,
    lastClass: number,
    to: Pick<PositionRows, "start" | "ids">,
  ): void;
  /**
   * The rows that `findWalks` finds summed as `scoreSlots` sums them, in a tree that was made for it:
   * scores[j * classes + q][y] += weight(row, y).
   */
  scoreWalks(scores: Float64Array, walks: TreeWalks, roots: WalkRoots, lastClass: number, frozen: FrozenTree): void;
  /** Prepares a tree whose rows have weights that will not change; undefined if that saves nothing. */
  freezeTree(tree: RowTree, table: RowTable, weights: Float64Array): FrozenTree | undefined;
  /** Prepares weights that will not change; undefined if that saves nothing. */
  denseRows(table: RowTable, weights: Float64Array): DenseRows | undefined;
  /** The gradient of `scoreSlots`: gradient(row, y) += value * slotCounts[i][y]; marks the rows as touched. */
  countSlots(
    slotCounts: Float64Array,
    length: number,
    from: number,
    rows: PositionRows,
    table: RowTable,
    gradient: GradientArrays,
  ): void;
  /** Marks the first `count` of `rows` as touched. */
  touch(rows: Int32Array, count: number, gradient: GradientArrays): void;
  /**
   * Randomly rounds coordinates of the gradient below a threshold to zero or to the threshold, keeping their expectation. `seed`
   * is a positive integer below 2^32.
   */
  truncate(gradient: GradientArrays, table: RowTable, threshold: number, seed: number): void;
  /** An AdaGrad step along a gradient, which is then cleared. */
  step(adagrad: AdaGradArrays, gradient: GradientArrays, table: RowTable, step: AdaGradStep): void;
}

export interface Backend {
  readonly name: "js" | "wasm";
  readonly arrays: Arrays;
  readonly loops: Loops;
  readonly dense: DenseLoops;
  makeKernel(): Kernel;
  /** Prepares weights that will not change. */
  freeze(space: RowSpace, weights: Float64Array): FrozenRows;
  /** Counts expected decisions under weights that will not change, with the kernel that is fastest for such a model. */
  makeCounter(space: RowSpace, weights: Float64Array, inference: Inference): DecisionCounter;
  /** The same backend with its own memory, which is freed when the backend is disposed of. */
  workSpace(): WorkSpace;
}

export interface WorkSpace extends Backend, Owner {}

/** The same value with every array of numbers in it placed. */
export function placedAll<T>(value: T, arrays: Arrays): T {
  if (value instanceof Int32Array || value instanceof Float64Array) return arrays.placed(value) as T;
  if (Array.isArray(value)) return value.map((item) => placedAll(item, arrays)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, placedAll(item, arrays)])) as T;
}

/** Gives every array of numbers in a value back. */
export function releaseAll(value: unknown, arrays: Arrays): void {
  if (value instanceof Int32Array || value instanceof Float64Array) arrays.release(value);
  else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) releaseAll(item, arrays);
  }
}

/** The arrays of plain JavaScript. */
export const plainArrays: Arrays = {
  float64: (length) => new Float64Array(length),
  float32: (length) => new Float32Array(length),
  int32: (length) => new Int32Array(length),
  uint8: (length) => new Uint8Array(length),
  placed: (array) => array,
  release: () => {},
};
