// The slots of a sequence: which labels can be decided at each, their scores, and the way back from counts of decisions to the
// gradient of the attributes' rows.
//   score(i, y) = sum over the attributes a of position i: value(a) · (weight(a, y) + sum over the parts p of y: weight(a, p))
// Numbers of word vectors (vectors.ts) are attributes, too, which a corpus does not spell out.
// While learning, a margin m is taken from the scores of right labels: what is learned is the log of
//   exp(score(right)) / sum over outputs y: exp(score(y) + m · labels of y that are wrong)
// so right outputs must be ahead of others, the further the more these differ from them (Gimpel and Smith, Softmax-margin CRFs, 2010).

import type { Backend, DenseRows, FrozenRows, PositionRows } from "../../engine/backend.js";
import type { Problem } from "../../engine/problem.js";
import type { RowTable } from "../../engine/rows.js";
import { chainGraph, openChainGraph, type SlotGraph, slotGraph } from "../../engine/slots.js";
import type { EncoderLearning } from "../../learn/encoder/learning.js";
import type { Gradient } from "../../learn/gradient.js";
import { allowedAt, type Corpus } from "./corpus.js";
import type { SlotEncoder } from "./encoder.js";
import type { TaggerRows } from "./rows.js";
import { type ListRules, Shortlist } from "./shortlist.js";
import { VectorRows } from "./vectors.js";

/** Graphs of chains up to this length are kept. */
const CACHED_LENGTH = 512;

export class SlotScores {
  /** [slots][symbols of the graph] counts of decisions, to be added to a gradient. */
  counts: Float64Array;
  /** Symbols of the graph of the sequence at hand. */
  symbolCount: number;
  private readonly labelCount: number;
  private readonly graphs: SlotGraph[] = [];
  /** The rows with symbols for parts of labels. */
  private readonly wideTable: RowTable;
  /** [positions][symbols of the wide table] */
  private wide: Float64Array;
  /** [slots][symbols], of labels with parts that are not listed. */
  private narrow: Float64Array;
  private readonly shortlist: Shortlist | undefined;
  /** Whether the sequences at hand are learned from: a network then leaves some of its numbers out. */
  isLearning = false;
  /** By how much labels that are right score less while learning. */
  margin = 0;
  private readonly vectors: VectorRows | undefined;
  private dense: { frozen: FrozenRows; rows: DenseRows | undefined } | undefined;

  constructor(
    private readonly rows: TaggerRows,
    private readonly backend: Backend,
    /** Labels on the shortlist of a position, at most; 0 for all. */
    most: number,
    private readonly encoder?: SlotEncoder,
  ) {
    const { arrays } = backend;
    const { table, parts } = rows;
    this.symbolCount = table.symbolCount;
    this.labelCount = table.symbolCount - 1;
    this.wideTable = parts ? { ...table, symbolCount: table.symbolCount + parts.names.length } : table;
    this.wide = arrays.float64(1024);
    this.narrow = arrays.float64(parts ? 1024 : 1);
    this.counts = arrays.float64(1024);
    if (rows.vectorRows) this.vectors = new VectorRows(rows.vectorRows, arrays);
    if (most > 0) this.shortlist = new Shortlist(most, this.labelCount, arrays);
  }

  /**
   * The slots of a sequence. With `labelled`, its labels are on the lists of their positions; with `frozen`, the weights stay as
   * they are.
   */
  fill(corpus: Corpus, sequence: number, weights: Float64Array, labelled: boolean, frozen?: FrozenRows): Problem {
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    const { arrays, loops } = this.backend;
    const { wideTable, shortlist } = this;
    const stride = wideTable.symbolCount;
    const size = (length + 2) * stride;
    if (this.wide.length < size) this.wide = arrays.float64(2 * size);
    const { wide } = this;
    wide.fill(0, 0, size);
    const dense = frozen && this.denseRows(frozen);
    loops.scoreSlots(wide, length, from, this.positionRows(corpus), wideTable, weights, dense);
    if (this.vectors) loops.scoreSlots(wide, length, 0, this.vectors.of(corpus, sequence), wideTable, weights);
    if (this.rows.parts) this.addParts(length);
    if (this.encoder) this.encode(this.encoder, corpus, from, length);
    if (!shortlist) {
      const slotScores = this.rows.parts ? this.narrowed(length) : wide;
      this.takeMargin(slotScores, corpus, from, length);
      return { graph: this.graph(length), slotScores };
    }
    shortlist.choose(wide, stride, length, (i) => (labelled ? allowedAt(corpus, from + i) : undefined));
    const { graph, slotScores, slotSymbols } = shortlist;
    this.symbolCount = graph.symbolCount;
    this.takeMargin(slotScores, corpus, from, length);
    return { graph, slotScores, slotSymbols };
  }

  private takeMargin(scores: Float64Array, corpus: Corpus, from: number, length: number): void {
    const { margin, symbolCount } = this;
    if (!this.isLearning || margin === 0) return;
    for (let i = 0; i < length; i++) {
      for (const label of allowedAt(corpus, from + i) ?? []) {
        const symbol = this.symbolAt(i, label);
        if (symbol >= 0) scores[i * symbolCount + symbol] -= margin;
      }
    }
  }

  /** The rows in a form that is read faster, for weights that stay as they are. */
  private denseRows(frozen: FrozenRows): DenseRows | undefined {
    if (this.dense?.frozen !== frozen) {
      this.dense?.rows?.dispose();
      this.dense = { frozen, rows: this.backend.loops.denseRows(this.wideTable, frozen.weights) };
    }
    return this.dense.rows;
  }

  /** Adds what the network says of the labels. */
  private encode({ network, learning }: SlotEncoder, corpus: Corpus, from: number, length: number): void {
    const { wide, labelCount } = this;
    const seen = this.networkInputs(corpus);
    if (this.isLearning && learning) learning.forward(seen, from, length);
    else network.forward(seen, from, length);
    const { scores, outputStride, scale } = network;
    const stride = this.wideTable.symbolCount;
    for (let i = 0; i < length; i++) {
      for (let y = 0; y < labelCount; y++) wide[i * stride + y] += scale * scores[i * outputStride + y];
    }
  }

  /** What the network added to the score of a label at a position of the sequence at hand; 0 without one. */
  encoded(position: number, label: number): number {
    const { network } = this.encoder ?? {};
    return network ? network.scale * network.scores[position * network.outputStride + label] : 0;
  }

  /** The way back: adds the counts of decisions to the gradient of the network. */
  private encodeBack(learning: EncoderLearning, length: number): void {
    const { labelCount } = this;
    const isWide = this.isWide;
    const counts = isWide ? this.wide : this.counts;
    const stride = isWide ? this.wideTable.symbolCount : this.symbolCount;
    const slopes = learning.slopes(length);
    const { outputStride } = learning.encoder;
    for (let i = 0; i < length; i++) {
      for (let y = 0; y < labelCount; y++) slopes[i * outputStride + y] = counts[i * stride + y];
    }
    learning.backward();
  }

  private networkInputs(corpus: Corpus): PositionRows {
    const { start, ids, values } = corpus.attributes;
    return { start, ids, values, map: this.encoder?.inputs };
  }

  /** Adds the scores of parts to those of the labels that have them. */
  private addParts(length: number): void {
    const { wide, labelCount } = this;
    const { start, symbols } = this.rows.parts as NonNullable<TaggerRows["parts"]>;
    const stride = this.wideTable.symbolCount;
    for (let base = 0; base < length * stride; base += stride) {
      let p = 0;
      for (let y = 0; y < labelCount; y++) {
        let sum = wide[base + y];
        for (const end = start[y + 1]; p < end; p++) sum += wide[base + symbols[p]];
        wide[base + y] = sum;
      }
    }
  }

  /** The scores of labels alone, [slots][symbols]. */
  private narrowed(length: number): Float64Array {
    const { wide, symbolCount } = this;
    const stride = this.wideTable.symbolCount;
    const size = (length + 2) * symbolCount;
    if (this.narrow.length < size) this.narrow = this.backend.arrays.float64(2 * size);
    const { narrow } = this;
    for (let slot = 0; slot < length + 2; slot++) {
      for (let y = 0; y < symbolCount; y++) narrow[slot * symbolCount + y] = wide[slot * stride + y];
    }
    return narrow;
  }

  /** A chain of the first slots of the sequence at hand: nothing says how well it may end. */
  openGraph(length: number): SlotGraph {
    const { shortlist, symbolCount } = this;
    if (!shortlist) return openChainGraph(length, symbolCount, symbolCount - 1);
    const { branchEnd } = shortlist.graph;
    return slotGraph(
      symbolCount,
      Array.from({ length }, (_, slot) => [{ first: 0, end: branchEnd[slot], next: slot + 1 }]),
    );
  }

  /** Holds lists to a scheme. */
  setRules(rules: ListRules): void {
    if (this.shortlist) this.shortlist.rules = rules;
  }

  /** Whether symbols of the graph stand for others at each slot. */
  get hasList(): boolean {
    return this.shortlist !== undefined;
  }

  private graph(length: number): SlotGraph {
    if (length > CACHED_LENGTH) return chainGraph(length, this.symbolCount);
    this.graphs[length] ??= chainGraph(length, this.symbolCount);
    return this.graphs[length];
  }

  private positionRows(corpus: Corpus): PositionRows {
    const { start, ids, values } = corpus.attributes;
    return { start, ids, values, map: this.rows.attributeRow };
  }

  /** No decisions are counted yet, of a sequence of this length whose slots are at hand. */
  clearCounts(length: number): void {
    const size = (length + 2) * this.symbolCount;
    if (this.counts.length < size) this.counts = this.backend.arrays.float64(2 * size);
    this.counts.fill(0, 0, size);
  }

  /** Adds the counts to the gradient of the attributes' rows. */
  addCounts(corpus: Corpus, sequence: number, gradient: Gradient): void {
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    const { counts, wideTable, isWide } = this;
    if (isWide) this.widen(length);
    if (this.encoder?.learning) this.encodeBack(this.encoder.learning, length);
    const { loops } = this.backend;
    const amounts = isWide ? this.wide : counts;
    loops.countSlots(amounts, length, from, this.positionRows(corpus), wideTable, gradient);
    if (this.vectors) loops.countSlots(amounts, length, 0, this.vectors.of(corpus, sequence), wideTable, gradient);
  }

  /** Whether decisions are counted by symbols of the graph, which are not those of attribute rows. */
  private get isWide(): boolean {
    return this.shortlist !== undefined || this.rows.parts !== undefined;
  }

  /** wide(i)[y] = counts(i)[y], and for parts p: wide(i)[p] = sum over the labels y that have it: counts(i)[y]. */
  private widen(length: number): void {
    const { wide, counts, symbolCount, shortlist, labelCount } = this;
    const { parts } = this.rows;
    const stride = this.wideTable.symbolCount;
    wide.fill(0, 0, length * stride);
    for (let i = 0; i < length; i++) {
      const base = i * stride;
      const count = shortlist ? shortlist.graph.branchEnd[i] : labelCount;
      for (let n = 0; n < count; n++) {
        const amount = counts[i * symbolCount + n];
        if (amount === 0) continue;
        const label = this.labelAt(i, n);
        wide[base + label] += amount;
        if (!parts) continue;
        for (let p = parts.start[label]; p < parts.start[label + 1]; p++) wide[base + parts.symbols[p]] += amount;
      }
    }
  }

  /** The label (or the end) that a symbol of the graph stands for at a slot. */
  labelAt(slot: number, symbol: number): number {
    return this.shortlist ? this.shortlist.labelAt(slot, symbol) : symbol;
  }

  /** The symbol of the graph that stands for a label (or the end) at a slot; -1 if it is not listed. */
  symbolAt(slot: number, label: number): number {
    return this.shortlist ? this.shortlist.symbolAt(slot, label) : label;
  }
}
