// The tagger as a learner: makes the engine's problem of a sequence, finds its gradient, judges it.

import { type BestOutput, type FrozenRows, type PositionRows, placedAll } from "../../engine/backend.js";
import { BeamGradient, type BeamTraining } from "../../engine/beam-gradient.js";
import { backend } from "../../engine/choice.js";
import { allowedClamp, clampTrellis } from "../../engine/clamp.js";
import { Holder } from "../../engine/holder.js";
import { posteriors } from "../../engine/lattice.js";
import type { Problem, RowSpace, StartNodes } from "../../engine/problem.js";
import { childOf } from "../../engine/rows.js";
import { chainGraph, openChainGraph, type SlotGraph } from "../../engine/slots.js";
import type { Inference, Trellis } from "../../engine/trellis.js";
import type { Gradient } from "../../learn/gradient.js";
import { type Judged, type Learner, logLossOf, type Seen, type SharedLearner } from "../../learn/learner.js";
import { countChunks } from "../../metrics/tagging.js";
import { allowedAt, type Corpus } from "./corpus.js";
import { type TaggerRows, taggerFamilies } from "./rows.js";

/** Graphs of chains up to this length are kept. */
const CACHED_LENGTH = 512;

export class TaggerEngine extends Holder {
  readonly kernel = this.backend.makeKernel();
  readonly rows: TaggerRows;
  readonly space: RowSpace;
  readonly symbolCount: number;
  private readonly beam = new BeamGradient(this.backend, this.kernel);
  private readonly graphs: SlotGraph[] = [];
  private slotScores = this.backend.arrays.float64(1024);
  private slotCounts = this.backend.arrays.float64(1024);

  constructor(
    given: TaggerRows,
    readonly inference: Inference,
  ) {
    super();
    const rows = this.hold(given);
    this.rows = rows;
    this.symbolCount = rows.table.symbolCount;
    this.space = { table: rows.table, families: taggerFamilies(rows, inference.order) };
  }

  /** The forward pass of a sequence. `forced` keeps the path of its known labels. */
  forward(
    corpus: Corpus,
    sequence: number,
    weights: Float64Array,
    inference = this.inference,
    forced = false,
  ): Trellis {
    return this.kernel.forward(
      this.problem(corpus, sequence, weights),
      this.space,
      weights,
      inference,
      forced ? this.forced(corpus, sequence) : undefined,
    );
  }

  /**
   * The best output of a sequence and the log-partition, if asked for with the probability of each label, and no trellis, for
   * weights that stay as they are.
   */
  bestOutput(
    corpus: Corpus,
    sequence: number,
    frozen: FrozenRows,
    inference = this.inference,
    confidences = false,
  ): BestOutput | undefined {
    return this.kernel.bestOutput(this.problem(corpus, sequence, frozen.weights), frozen, inference, confidences);
  }

  freeze(weights: Float64Array): FrozenRows {
    return this.backend.freeze(this.space, weights);
  }

  private problem(corpus: Corpus, sequence: number, weights: Float64Array): Problem {
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    this.fillSlotScores(corpus, from, length, weights);
    const problem: Problem = { graph: this.graph(length), slotScores: this.slotScores };
    if (this.rows.conjoinedTree) problem.starts = [undefined, this.startNodes(corpus, from, length)];
    return problem;
  }

  private graph(length: number): SlotGraph {
    if (length > CACHED_LENGTH) return chainGraph(length, this.symbolCount);
    this.graphs[length] ??= chainGraph(length, this.symbolCount);
    return this.graphs[length];
  }

  /** slotScores(i)[y] = sum over the attributes of position i: value * weight(attribute, y) */
  private fillSlotScores(corpus: Corpus, from: number, length: number, weights: Float64Array): void {
    const { arrays, loops } = this.backend;
    const size = (length + 2) * this.symbolCount;
    if (this.slotScores.length < size) {
      this.slotScores = arrays.float64(2 * size);
      this.slotCounts = arrays.float64(2 * size);
    }
    this.slotScores.fill(0, 0, size);
    loops.scoreSlots(this.slotScores, length, from, this.positionRows(corpus), this.rows.table, weights);
  }

  private positionRows(corpus: Corpus): PositionRows {
    const { start, ids, values } = corpus.attributes;
    return { start, ids, values, map: this.rows.attributeRow };
  }

  /** Where the walks of the conjoined family begin at each slot. */
  private startNodes(corpus: Corpus, from: number, length: number): StartNodes {
    const tree = this.rows.conjoinedTree as NonNullable<TaggerRows["conjoinedTree"]>;
    const { start, ids } = corpus.conjoined;
    const offsets = new Int32Array(length + 3);
    const nodes: number[] = [];
    for (let i = 0; i < length; i++) {
      for (let a = start[from + i]; a < start[from + i + 1]; a++) {
        const node = childOf(tree, 0, ids[a]);
        if (node >= 0) nodes.push(node);
      }
      offsets[i + 1] = nodes.length;
    }
    offsets.fill(nodes.length, length + 1);
    return { offsets, nodes: Int32Array.from(nodes) };
  }

  /** [slotCount] the known labels and the end; -1 elsewhere. */
  private forced(corpus: Corpus, sequence: number): Int32Array {
    const from = corpus.sequenceStart[sequence];
    const to = corpus.sequenceStart[sequence + 1];
    const path = new Int32Array(to - from + 2).fill(-1);
    for (let p = from; p < to; p++) path[p - from] = Math.max(-1, corpus.labels[p]);
    path[to - from] = this.symbolCount - 1;
    return path;
  }

  isFullyLabelled(corpus: Corpus, sequence: number): boolean {
    for (let p = corpus.sequenceStart[sequence]; p < corpus.sequenceStart[sequence + 1]; p++) {
      if (corpus.labels[p] < 0) return false;
    }
    return true;
  }

  /** Log of the total mass of the outputs that the sequence's labels allow, in the trellis at hand. */
  clampedLogPartition(corpus: Corpus, sequence: number, trellis: Trellis): number {
    const from = corpus.sequenceStart[sequence];
    const to = corpus.sequenceStart[sequence + 1];
    if (!this.isFullyLabelled(corpus, sequence))
      return posteriors(this.clampedLattice(corpus, sequence, trellis)).logPartition;
    let score = 0;
    let context = trellis.slotStart[0];
    for (let p = from; p <= to; p++) {
      const arc = trellis.arcStart[context] + (p < to ? corpus.labels[p] : this.symbolCount - 1);
      score += trellis.arcScore[arc];
      context = trellis.arcTarget[arc];
      if (context < 0) return Number.NEGATIVE_INFINITY;
    }
    return score;
  }

  /** The trellis at hand under the labels of a sequence. */
  clampedLattice(corpus: Corpus, sequence: number, trellis: Trellis) {
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    const allowed = Array.from({ length }, (_, i) => allowedAt(corpus, from + i) as readonly number[] | undefined);
    return clampTrellis(trellis, allowedClamp(trellis.graph, allowed));
  }

  /** Adds the gradient of the sequence's log-likelihood, or what a beam has in its place. */
  learn(
    corpus: Corpus,
    sequence: number,
    weights: Float64Array,
    gradient: Gradient,
    beamTraining: BeamTraining = "violation",
  ): Seen {
    if (this.inference.mode === "beam" && beamTraining !== "forced" && this.isFullyLabelled(corpus, sequence)) {
      return this.learnBeam(corpus, sequence, weights, gradient, beamTraining);
    }
    const trellis = this.forward(corpus, sequence, weights, this.inference, this.inference.mode === "beam");
    const contextLength = this.kernel.averageContextLength();
    const { slotCounts, symbolCount } = this;
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    // A beam may hold none of the outputs that the labels allow: then there is nothing to learn, and nothing may be added.
    const mayBeImpossible = this.inference.mode === "beam";
    if (mayBeImpossible && this.clampedLogPartition(corpus, sequence, trellis) === Number.NEGATIVE_INFINITY) {
      return { logLikelihood: 0, contextLength };
    }
    slotCounts.fill(0, 0, (length + 2) * symbolCount);
    const clamped = this.addClamped(corpus, sequence, trellis, gradient);
    const { loops } = this.backend;
    loops.touch(trellis.rows, trellis.rowStart[trellis.contextCount], gradient);
    this.kernel.backward();
    this.kernel.addExpectations(gradient.values, slotCounts, -1);
    loops.countSlots(slotCounts, length, from, this.positionRows(corpus), this.rows.table, gradient);
    return { logLikelihood: clamped - trellis.logPartition, contextLength };
  }

  /** The same for a beam that may lose the known labels. */
  private learnBeam(
    corpus: Corpus,
    sequence: number,
    weights: Float64Array,
    gradient: Gradient,
    training: Exclude<BeamTraining, "forced">,
  ): Seen {
    const { space, inference, symbolCount } = this;
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    const forced = this.forced(corpus, sequence);
    const problem = this.problem(corpus, sequence, weights);
    const example = { problem, space, weights, inference, forced, path: forced.subarray(0, length + 1) };
    const reach = training === "free" ? length + 1 : this.beam.reach(training, example);
    if (reach <= length) {
      example.problem = { ...problem, graph: openChainGraph(reach, symbolCount, symbolCount - 1) };
      example.path = forced.subarray(0, reach);
    }
    const { slotCounts } = this;
    slotCounts.fill(0, 0, (length + 2) * symbolCount);
    const seen = this.beam.add(example, gradient, slotCounts);
    this.backend.loops.countSlots(slotCounts, length, from, this.positionRows(corpus), this.rows.table, gradient);
    return seen;
  }

  /** Adds the expectations under the clamp; returns the log-partition under it. */
  private addClamped(corpus: Corpus, sequence: number, trellis: Trellis, gradient: Gradient): number {
    const from = corpus.sequenceStart[sequence];
    const to = corpus.sequenceStart[sequence + 1];
    const { slotCounts, symbolCount } = this;
    if (!this.isFullyLabelled(corpus, sequence)) return this.addPartial(corpus, sequence, trellis, gradient);
    const { start, symbols } = this.rows.table;
    let score = 0;
    let context = trellis.slotStart[0];
    for (let p = from; p <= to; p++) {
      const symbol = p < to ? corpus.labels[p] : symbolCount - 1;
      slotCounts[(p - from) * symbolCount + symbol]++;
      for (let r = trellis.rowStart[context]; r < trellis.rowStart[context + 1]; r++) {
        addEntry(start, symbols, symbolCount, trellis.rows[r], symbol, 1, gradient.values);
      }
      const arc = trellis.arcStart[context] + symbol;
      score += trellis.arcScore[arc];
      context = trellis.arcTarget[arc];
      if (context < 0) return Number.NEGATIVE_INFINITY;
    }
    return score;
  }

  private addPartial(corpus: Corpus, sequence: number, trellis: Trellis, gradient: Gradient): number {
    const { start, symbols } = this.rows.table;
    const { slotCounts, symbolCount } = this;
    const lattice = this.clampedLattice(corpus, sequence, trellis);
    const found = posteriors(lattice);
    for (let node = 0; node < lattice.nodeCount; node++) {
      const context = lattice.nodeContext[node];
      const base = trellis.contextSlot[context] * symbolCount;
      for (let a = lattice.arcStart[node]; a < lattice.arcStart[node + 1]; a++) {
        const probability = found.arc[a];
        if (probability === 0) continue;
        const symbol = lattice.arcSymbol[a];
        slotCounts[base + symbol] += probability;
        for (let r = trellis.rowStart[context]; r < trellis.rowStart[context + 1]; r++) {
          addEntry(start, symbols, symbolCount, trellis.rows[r], symbol, probability, gradient.values);
        }
      }
    }
    return found.logPartition;
  }

  /** Judges a sequence: likelihood of its labels, errors of the best output, and spans where labels of these `names` mark any. */
  judge(corpus: Corpus, sequence: number, weights: Float64Array, names?: readonly string[]): Judged {
    let trellis = this.forward(corpus, sequence, weights);
    const best = this.kernel.bestPath();
    const bestPartition = trellis.logPartition;
    if (this.inference.mode === "beam") trellis = this.forward(corpus, sequence, weights, this.inference, true);
    const logLikelihood = this.clampedLogPartition(corpus, sequence, trellis) - trellis.logPartition;
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    let decisions = 0;
    let errors = 0;
    for (let i = 0; i < length; i++) {
      const allowed = allowedAt(corpus, from + i) as readonly number[] | undefined;
      if (!allowed) continue;
      decisions++;
      if (!best || !allowed.includes(best.symbols[i])) errors++;
    }
    const judged: Judged = { logLikelihood, decisions, errors, right: errors === 0 ? 1 : 0, logLoss: 0 };
    // Of labels that are partly open nothing is known as a whole.
    if (best && decisions === length) judged.logLoss = logLossOf(best.score - bestPartition, errors === 0);
    if (!names) return judged;
    const isKnown = (i: number): boolean => corpus.labels[from + i] >= 0;
    const gold = Array.from({ length }, (_, i) => (isKnown(i) ? names[corpus.labels[from + i]] : "O"));
    const found = Array.from({ length }, (_, i) => (isKnown(i) && best ? names[best.symbols[i]] : "O"));
    return { ...judged, ...countChunks(gold, found) };
  }
}

function addEntry(
  start: Int32Array,
  symbols: Int32Array,
  symbolCount: number,
  row: number,
  symbol: number,
  amount: number,
  out: Float64Array,
): void {
  const first = start[row];
  const end = start[row + 1];
  if (end - first === symbolCount) {
    out[first + symbol] += amount;
    return;
  }
  for (let e = first; e < end; e++) {
    if (symbols[e] === symbol) {
      out[e] += amount;
      return;
    }
  }
}

/** A corpus to train a tagger on. */
export class TaggerLearner implements Learner {
  readonly engine: TaggerEngine;
  readonly corpus: Corpus;

  constructor(
    corpus: Corpus,
    rows: TaggerRows,
    inference: Inference,
    /** [labels], if they mark spans. */
    private readonly names?: readonly string[],
    private readonly beamTraining?: BeamTraining,
  ) {
    this.corpus = placedAll(corpus, backend().arrays);
    this.engine = new TaggerEngine(rows, inference);
  }

  get table() {
    return this.engine.rows.table;
  }

  get groups(): Int32Array | undefined {
    return this.corpus.groups;
  }

  get exampleCount(): number {
    return this.corpus.sequenceCount;
  }

  learn(example: number, weights: Float64Array, gradient: Gradient): Seen {
    return this.engine.learn(this.corpus, example, weights, gradient, this.beamTraining);
  }

  judge(example: number, weights: Float64Array): Judged {
    return this.engine.judge(this.corpus, example, weights, this.names);
  }

  share(): SharedLearner {
    const { corpus, engine, names, beamTraining } = this;
    const data: SharedData = { corpus, rows: engine.rows, inference: engine.inference, names, beamTraining };
    return { module: import.meta.url, data };
  }
}

interface SharedData {
  corpus: Corpus;
  rows: TaggerRows;
  inference: Inference;
  names?: readonly string[];
  beamTraining?: BeamTraining;
}

/** The learner that another thread shares. */
export function revive(data: unknown): TaggerLearner {
  const { corpus, rows, inference, names, beamTraining } = data as SharedData;
  return new TaggerLearner(corpus, rows, inference, names, beamTraining);
}
