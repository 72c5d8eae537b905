// The shortlist of a position: the labels that are worth considering there, where labels are many. The attributes of the position
// alone (order 0) leave those whose slot scores come near the best,
//   shortlist(i) = { y : score(i, y) ≥ max score(i, ·) − MARGIN }, the `most` best of them,
// and inference looks at no others: symbol n of the graph stands for the n-th label of the slot's list, in the order of labels.

import type { Arrays } from "../../engine/backend.js";
import { chainGraph, type SlotGraph } from "../../engine/slots.js";
import { indexOfSorted } from "../../util/search.js";

/** How far below the best score a label may be: by e^-8 = 0.0003 times as probable by the attributes alone. */
const MARGIN = 8;
/** Graphs of chains up to this length are kept. */
const CACHED_LENGTH = 512;
/** Room for labels at each slot of a graph, at least; above it powers of two, so that graphs can be kept. */
const LEAST_WIDTH = 4;

/** What lists must hold beside the best labels where outputs are held to a scheme. */
export interface ListRules {
  /** [labels] what is listed with each, so that a span that one is part of can begin and end. */
  readonly mates: readonly Int32Array[];
  /** The labels that given ones may stand for. */
  learnedFor(given: ArrayLike<number>): ArrayLike<number>;
  /** Whether an output can be made of the labels listed for each position, from `start[i]` to `start[i + 1] - 1`. */
  hasOutput(length: number, start: Int32Array, listed: Int32Array): boolean;
}

export class Shortlist {
  /** Of the sequence at hand. Its symbol count is the width of the arrays; a slot lists as many labels as its branch has symbols. */
  graph!: SlotGraph;
  /** [slots][width] labels, rising; of the slot after the last position the end. */
  slotSymbols: Int32Array;
  /** [slots][width] */
  slotScores: Float64Array;
  private readonly graphs = new Map<number, SlotGraph>();
  /** [length + 1] where the labels of a position begin, and which they are. */
  private start = new Int32Array(64);
  private labels = new Int32Array(256);
  /** [labels], `chosenCount` in use: those of one position. */
  private readonly chosen: Int32Array;
  private chosenCount = 0;
  /** [most] the best scores of a position: a heap, the least first. */
  private readonly best: Float64Array;
  rules: ListRules | undefined;

  constructor(
    /** Labels of a position, at most. */
    private readonly most: number,
    /** The symbol of the end, which comes after the labels. */
    private readonly end: number,
    private readonly arrays: Arrays,
  ) {
    this.slotSymbols = arrays.int32(256);
    this.slotScores = arrays.float64(256);
    this.chosen = new Int32Array(end);
    this.best = new Float64Array(Math.min(most, end));
  }

  /**
   * Lists the labels of a sequence by the scores of all, [length][stride]. Those that are `given` for a position are on its list.
   */
  choose(
    scores: Float64Array,
    stride: number,
    length: number,
    given: (position: number) => ArrayLike<number> | undefined,
  ): void {
    if (this.start.length < length + 1) this.start = new Int32Array(2 * (length + 1));
    let widest = this.list(scores, stride, length, given, this.most);
    if (this.rules && !this.rules.hasOutput(length, this.start, this.labels)) {
      widest = this.list(scores, stride, length, given, Number.POSITIVE_INFINITY);
    }
    this.layOut(scores, stride, length, widest);
  }

  /** Lists up to `most` labels a position, or all; returns the length of the longest list. */
  private list(
    scores: Float64Array,
    stride: number,
    length: number,
    given: (position: number) => ArrayLike<number> | undefined,
    most: number,
  ): number {
    const { start, chosen } = this;
    let widest = 1;
    let count = 0;
    for (let i = 0; i < length; i++) {
      this.chooseAt(scores, i * stride, given(i), most);
      const { chosenCount } = this;
      if (this.labels.length < count + chosenCount) {
        const larger = new Int32Array(2 * (count + chosenCount));
        larger.set(this.labels);
        this.labels = larger;
      }
      for (let n = 0; n < chosenCount; n++) this.labels[count++] = chosen[n];
      widest = Math.max(widest, chosenCount);
      start[i + 1] = count;
    }
    return widest;
  }

  /** The labels of a position, rising. */
  private chooseAt(scores: Float64Array, base: number, given: ArrayLike<number> | undefined, most: number): void {
    const { rules } = this;
    this.chosenCount = 0;
    if (Number.isFinite(most)) this.chooseBest(scores, base);
    else for (let y = 0; y < this.end; y++) this.chosen[this.chosenCount++] = y;
    const count = this.chosenCount;
    if (given) this.include(rules ? rules.learnedFor(given) : given);
    if (rules) for (let n = 0, own = this.chosenCount; n < own; n++) this.include(rules.mates[this.chosen[n]]);
    if (this.chosenCount > count) this.chosen.subarray(0, this.chosenCount).sort();
  }

  private include(labels: ArrayLike<number>): void {
    const { chosen } = this;
    for (let n = 0; n < labels.length; n++) {
      let i = 0;
      while (i < this.chosenCount && chosen[i] !== labels[n]) i++;
      if (i === this.chosenCount) chosen[this.chosenCount++] = labels[n];
    }
  }

  /** The `most` best labels, of equal ones the first, without those that are worse than the best by more than the margin. */
  private chooseBest(scores: Float64Array, base: number): void {
    const { end, chosen, best } = this;
    const most = best.length;
    best.fill(Number.NEGATIVE_INFINITY);
    let top = Number.NEGATIVE_INFINITY;
    for (let y = 0; y < end; y++) {
      const score = scores[base + y];
      if (score <= best[0]) continue;
      if (score > top) top = score;
      replaceLeast(best, score);
    }
    const last = best[0]; // the score of the worst of them
    const least = top - MARGIN;
    let equal = last < least ? 0 : most; // how many of that score are chosen
    if (last >= least) for (let n = 0; n < most; n++) if (best[n] > last) equal--;
    for (let y = 0; y < end; y++) {
      const score = scores[base + y];
      if (score < last || score < least) continue;
      if (score > last || equal-- > 0) chosen[this.chosenCount++] = y;
    }
  }

  private layOut(scores: Float64Array, stride: number, length: number, widest: number): void {
    this.graph = this.graphOf(length, widest);
    const { start, labels, graph } = this;
    const width = graph.symbolCount;
    const size = (length + 2) * width;
    if (this.slotSymbols.length < size) {
      this.slotSymbols = this.arrays.int32(2 * size);
      this.slotScores = this.arrays.float64(2 * size);
    }
    const { slotSymbols, slotScores } = this;
    for (let i = 0; i < length; i++) {
      const count = start[i + 1] - start[i];
      graph.branchEnd[i] = count;
      for (let n = 0; n < count; n++) {
        const label = labels[start[i] + n];
        slotSymbols[i * width + n] = label;
        slotScores[i * width + n] = scores[i * stride + label];
      }
    }
    slotSymbols[length * width] = this.end;
    slotScores[length * width] = 0;
  }

  /** A chain with room for so many labels a slot; how many there are is written to its branches. */
  private graphOf(length: number, widest: number): SlotGraph {
    const width = 2 ** Math.ceil(Math.log2(Math.max(LEAST_WIDTH, widest)));
    const key = width * (CACHED_LENGTH + 1) + length;
    let graph = length > CACHED_LENGTH ? undefined : this.graphs.get(key);
    if (!graph) {
      const chain = chainGraph(length, width);
      chain.branchFirst[length] = 0;
      chain.branchEnd[length] = 1;
      // Where the kernel works on it: what is written here is what the kernel reads.
      graph = { ...chain, branchEnd: this.arrays.placed(chain.branchEnd) };
      if (length <= CACHED_LENGTH) this.graphs.set(key, graph);
    }
    return graph;
  }

  /** The label (or the end) that a symbol of the graph stands for at a slot. */
  labelAt(slot: number, symbol: number): number {
    return this.slotSymbols[slot * this.graph.symbolCount + symbol];
  }

  /** The symbol of the graph that stands for a label (or the end) at a slot, or -1. */
  symbolAt(slot: number, label: number): number {
    const { graph, slotSymbols } = this;
    const first = slot * graph.symbolCount;
    const found = indexOfSorted(slotSymbols, first, first + graph.branchEnd[slot], label);
    return found < 0 ? -1 : found - first;
  }
}

/** Puts a value in the place of the least of a heap, which comes first. */
function replaceLeast(heap: Float64Array, value: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= value) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}
