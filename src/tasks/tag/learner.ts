// The tagger as a learner: makes the engine's problem of a sequence, finds its gradient, judges it.

import { type Backend, type BestOutput, type FrozenRows, placedAll } from "../../engine/backend.js";
import { BeamGradient, type BeamTraining } from "../../engine/beam-gradient.js";
import { ContextBudget, learningInference } from "../../engine/budget.js";
import { backend } from "../../engine/choice.js";
import { allowedClamp, clampTrellis } from "../../engine/clamp.js";
import { Holder } from "../../engine/holder.js";
import { posteriors } from "../../engine/lattice.js";
import type { Problem, RowSpace, StartNodes } from "../../engine/problem.js";
import { childOf, type RowTable } from "../../engine/rows.js";
import type { Inference, Trellis } from "../../engine/trellis.js";
import type { EncoderLearning } from "../../learn/encoder/learning.js";
import type { Gradient } from "../../learn/gradient.js";
import { type Judged, type Learner, logLossOf, type Seen, type SharedLearner } from "../../learn/learner.js";
import type { ExampleBlocks } from "../../learn/order.js";
import { countChunks } from "../../metrics/tagging.js";
import { allowedAt, type Corpus } from "./corpus.js";
import type { SlotEncoder } from "./encoder.js";
import { type TaggerRows, taggerFamilies } from "./rows.js";
import { SlotScores } from "./slot-scores.js";
import { type HeldRecords, HeldSequences, type SharedFacts, StoredSequences } from "./stored.js";

export class TaggerEngine extends Holder {
  readonly kernel = this.backend.makeKernel();
  readonly rows: TaggerRows;
  readonly space: RowSpace;
  private readonly beam = new BeamGradient(this.backend, this.kernel);
  /** What the latest best output took, if its contexts had a budget. */
  readonly budget = new ContextBudget(this.kernel);
  /** The symbol of the end, which comes after the labels. */
  private readonly end: number;
  readonly slots: SlotScores;
  readonly encoder: SlotEncoder | undefined;

  constructor(
    given: TaggerRows,
    readonly inference: Inference,
    /** Labels on the shortlist of a position, at most; 0 for all. */
    readonly shortlist = 0,
    /** A network that scores labels, made for this work space. */
    encoder?: (backend: Backend) => SlotEncoder,
  ) {
    super();
    const rows = this.hold(given);
    this.rows = rows;
    this.end = rows.table.symbolCount - 1;
    this.encoder = encoder?.(this.backend);
    this.slots = new SlotScores(rows, this.backend, shortlist, this.encoder);
    this.space = { table: rows.table, families: taggerFamilies(rows, inference.order) };
  }

  /**
   * The forward pass of a sequence. Its labels, where it has any, are on the shortlists unless `labelled` is false; `forced`
   * keeps the path of those that are known.
   */
  forward(
    corpus: Corpus,
    sequence: number,
    weights: Float64Array,
    inference = this.inference,
    { forced = false, labelled = true, limits }: { forced?: boolean; labelled?: boolean; limits?: Int32Array } = {},
  ): Trellis {
    const problem = { ...this.problem(corpus, sequence, weights, labelled), limits };
    const path = forced ? this.forced(corpus, sequence) : undefined;
    return this.kernel.forward(problem, this.space, weights, inference, path);
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
    const problem = this.problem(corpus, sequence, frozen.weights, false, frozen);
    const searcher = inference.least === undefined ? this.kernel : this.budget;
    return searcher.bestOutput(problem, frozen, inference, confidences);
  }

  /** The forward pass that the latest best output of the sequence ended with. */
  forwardAgain(corpus: Corpus, sequence: number, weights: Float64Array, inference: Inference): Trellis {
    if (inference.least === undefined) return this.forward(corpus, sequence, weights, inference);
    const { limits } = this.budget;
    const contexts = limits ? inference.contexts : inference.least;
    return this.forward(corpus, sequence, weights, { ...inference, contexts }, { limits });
  }

  freeze(weights: Float64Array): FrozenRows {
    return this.backend.freeze(this.space, weights);
  }

  private problem(
    corpus: Corpus,
    sequence: number,
    weights: Float64Array,
    labelled: boolean,
    frozen?: FrozenRows,
  ): Problem {
    const problem = this.slots.fill(corpus, sequence, weights, labelled, frozen);
    if (!this.rows.conjoinedTree) return problem;
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    return { ...problem, starts: [undefined, this.startNodes(corpus, from, length)] };
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
    for (let p = from; p < to; p++) {
      if (corpus.labels[p] >= 0) path[p - from] = this.slots.symbolAt(p - from, corpus.labels[p]);
    }
    path[to - from] = this.slots.symbolAt(to - from, this.end);
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
      const symbol = this.slots.symbolAt(p - from, p < to ? corpus.labels[p] : this.end);
      if (symbol < 0) return Number.NEGATIVE_INFINITY;
      const arc = trellis.arcStart[context] + symbol;
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
    const allowed = Array.from({ length }, (_, i) => {
      const labels = allowedAt(corpus, from + i);
      return labels && Array.from(labels, (label) => this.slots.symbolAt(i, label)).filter((symbol) => symbol >= 0);
    });
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
    this.slots.isLearning = true;
    try {
      return this.learnFrom(corpus, sequence, weights, gradient, beamTraining);
    } finally {
      this.slots.isLearning = false;
    }
  }

  private learnFrom(
    corpus: Corpus,
    sequence: number,
    weights: Float64Array,
    gradient: Gradient,
    beamTraining: BeamTraining,
  ): Seen {
    if (this.inference.mode === "beam" && beamTraining !== "forced" && this.isFullyLabelled(corpus, sequence)) {
      return this.learnBeam(corpus, sequence, weights, gradient, beamTraining);
    }
    const inference = learningInference(this.inference, (corpus.first ?? 0) + sequence);
    const isBeam = inference.mode === "beam";
    const trellis = this.forward(corpus, sequence, weights, inference, { forced: isBeam });
    const contextLength = this.kernel.averageContextLength();
    const { slots } = this;
    // A beam may hold none of the outputs that the labels allow: then there is nothing to learn, and nothing may be added.
    if (isBeam && this.clampedLogPartition(corpus, sequence, trellis) === Number.NEGATIVE_INFINITY) {
      return { logLikelihood: 0, contextLength };
    }
    slots.clearCounts(corpus.sequenceStart[sequence + 1] - corpus.sequenceStart[sequence]);
    const clamped = this.addClamped(corpus, sequence, trellis, gradient);
    const { loops } = this.backend;
    loops.touch(trellis.rows, trellis.rowStart[trellis.contextCount], gradient);
    this.kernel.backward();
    this.kernel.addExpectations(gradient.values, slots.counts, -1);
    slots.addCounts(corpus, sequence, gradient);
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
    const { space, slots } = this;
    const inference = learningInference(this.inference, (corpus.first ?? 0) + sequence);
    const length = corpus.sequenceStart[sequence + 1] - corpus.sequenceStart[sequence];
    const problem = this.problem(corpus, sequence, weights, true);
    const forced = this.forced(corpus, sequence);
    const example = { problem, space, weights, inference, forced, path: forced.subarray(0, length + 1) };
    const reach = training === "free" ? length + 1 : this.beam.reach(training, example);
    if (reach <= length) {
      example.problem = { ...problem, graph: slots.openGraph(reach) };
      example.path = forced.subarray(0, reach);
    }
    slots.clearCounts(length);
    const seen = this.beam.add(example, gradient, slots.counts);
    slots.addCounts(corpus, sequence, gradient);
    return seen;
  }

  /** Adds the expectations under the clamp; returns the log-partition under it. */
  private addClamped(corpus: Corpus, sequence: number, trellis: Trellis, gradient: Gradient): number {
    const from = corpus.sequenceStart[sequence];
    const to = corpus.sequenceStart[sequence + 1];
    const { slots } = this;
    const { counts, symbolCount } = slots;
    if (!this.isFullyLabelled(corpus, sequence)) return this.addPartial(corpus, sequence, trellis, gradient);
    let score = 0;
    let context = trellis.slotStart[0];
    for (let p = from; p <= to; p++) {
      const label = p < to ? corpus.labels[p] : this.end;
      const symbol = slots.symbolAt(p - from, label);
      counts[(p - from) * symbolCount + symbol]++;
      for (let r = trellis.rowStart[context]; r < trellis.rowStart[context + 1]; r++) {
        addEntry(this.rows.table, trellis.rows[r], label, 1, gradient.values);
      }
      const arc = trellis.arcStart[context] + symbol;
      score += trellis.arcScore[arc];
      context = trellis.arcTarget[arc];
      if (context < 0) return Number.NEGATIVE_INFINITY;
    }
    return score;
  }

  private addPartial(corpus: Corpus, sequence: number, trellis: Trellis, gradient: Gradient): number {
    const { counts, symbolCount } = this.slots;
    const lattice = this.clampedLattice(corpus, sequence, trellis);
    const found = posteriors(lattice);
    for (let node = 0; node < lattice.nodeCount; node++) {
      const context = lattice.nodeContext[node];
      const slot = trellis.contextSlot[context];
      for (let a = lattice.arcStart[node]; a < lattice.arcStart[node + 1]; a++) {
        const probability = found.arc[a];
        if (probability === 0) continue;
        const symbol = lattice.arcSymbol[a];
        counts[slot * symbolCount + symbol] += probability;
        const label = this.slots.labelAt(slot, symbol);
        for (let r = trellis.rowStart[context]; r < trellis.rowStart[context + 1]; r++) {
          addEntry(this.rows.table, trellis.rows[r], label, probability, gradient.values);
        }
      }
    }
    return found.logPartition;
  }

  /** Judges a sequence: likelihood of its labels, errors of the best output, and spans where labels of these `names` mark any. */
  judge(
    corpus: Corpus,
    sequence: number,
    weights: Float64Array,
    names?: readonly string[],
    given = this.inference,
  ): Judged {
    const inference = learningInference(given, (corpus.first ?? 0) + sequence);
    let trellis = this.forward(corpus, sequence, weights, inference, { labelled: false });
    const best = this.kernel.bestPath();
    const bestPartition = trellis.logPartition;
    const from = corpus.sequenceStart[sequence];
    const length = corpus.sequenceStart[sequence + 1] - from;
    const found = best?.symbols.map((symbol, slot) => this.slots.labelAt(slot, symbol));
    const forced = inference.mode === "beam";
    const unlisted = this.unlisted(corpus, sequence);
    if (forced || unlisted > 0) trellis = this.forward(corpus, sequence, weights, inference, { forced });
    const logLikelihood = this.clampedLogPartition(corpus, sequence, trellis) - trellis.logPartition;
    let decisions = 0;
    let errors = 0;
    for (let i = 0; i < length; i++) {
      const allowed = allowedAt(corpus, from + i) as readonly number[] | undefined;
      if (!allowed) continue;
      decisions++;
      if (!found || !allowed.includes(found[i])) errors++;
    }
    const judged: Judged = { logLikelihood, decisions, errors, right: errors === 0 ? 1 : 0, logLoss: 0 };
    if (this.shortlist > 0) judged.unlisted = unlisted;
    // Of labels that are partly open nothing is known as a whole.
    if (best && decisions === length) judged.logLoss = logLossOf(best.score - bestPartition, errors === 0);
    if (!names) return judged;
    const isKnown = (i: number): boolean => corpus.labels[from + i] >= 0;
    const gold = Array.from({ length }, (_, i) => (isKnown(i) ? names[corpus.labels[from + i]] : "O"));
    const guessed = Array.from({ length }, (_, i) => (isKnown(i) && found ? names[found[i]] : "O"));
    return { ...judged, ...countChunks(gold, guessed) };
  }

  /** At how many positions a label that may be right is not on the shortlist. */
  private unlisted(corpus: Corpus, sequence: number): number {
    if (this.shortlist === 0) return 0;
    const from = corpus.sequenceStart[sequence];
    let count = 0;
    for (let p = from; p < corpus.sequenceStart[sequence + 1]; p++) {
      const allowed = allowedAt(corpus, p) as readonly number[] | undefined;
      if (allowed?.some((label) => this.slots.symbolAt(p - from, label) < 0)) count++;
    }
    return count;
  }
}

function addEntry(
  { start, symbols, symbolCount }: RowTable,
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

/** What a learner is told beside its rows. */
interface LearnerFacts {
  /** Labels on the shortlist of a position, at most; 0 for all. */
  shortlist?: number;
  /** [labels], if they mark spans. */
  names?: readonly string[];
  beamTraining?: BeamTraining;
  /** Of the finished tagger, where it takes more care than learning does. */
  finalInference?: Inference;
  /** See `Learner.blocks`. */
  blocks?: ExampleBlocks;
}

/** A corpus to train a tagger on, or sequences on disk. */
export class TaggerLearner implements Learner {
  readonly engine: TaggerEngine;
  /** Undefined if sequences are on disk. */
  private readonly inMemory: Corpus | undefined;
  private readonly stored: HeldSequences | undefined;

  constructor(
    data: Corpus | HeldSequences,
    rows: TaggerRows,
    inference: Inference,
    private readonly given: LearnerFacts = {},
    encoder?: (backend: Backend) => SlotEncoder,
  ) {
    if (data instanceof HeldSequences) this.stored = data;
    else this.inMemory = placedAll(data, backend().arrays);
    this.engine = new TaggerEngine(rows, inference, given.shortlist, encoder);
  }

  /** All sequences, where they are in memory. */
  get corpus(): Corpus {
    if (!this.inMemory) throw new Error("the sequences are on disk");
    return this.inMemory;
  }

  /** By how much labels that are right score less while learning; see slot-scores.ts. */
  get margin(): number {
    return this.engine.slots.margin;
  }

  set margin(margin: number) {
    this.engine.slots.margin = margin;
  }

  get table() {
    return this.engine.rows.table;
  }

  get encoder(): EncoderLearning | undefined {
    return this.engine.encoder?.learning;
  }

  get groups(): Int32Array | undefined {
    return this.inMemory?.groups ?? this.file?.groups;
  }

  get exampleCount(): number {
    return this.inMemory?.sequenceCount ?? this.file?.count ?? 0;
  }

  get blocks(): ExampleBlocks | undefined {
    return this.given.blocks;
  }

  /** Undefined if sequences are in memory, or another thread reads them. */
  private get file(): StoredSequences | undefined {
    return this.stored instanceof StoredSequences ? this.stored : undefined;
  }

  get hold(): Learner["hold"] {
    const { file } = this;
    return file && ((order, from, least) => file.hold(order, from, least));
  }

  get held(): HeldRecords | undefined {
    return this.stored?.held;
  }

  take(held: unknown): void {
    if (this.stored) this.stored.held = held as HeldRecords;
  }

  learn(example: number, weights: Float64Array, gradient: Gradient): Seen {
    const { beamTraining } = this.given;
    if (this.inMemory) return this.engine.learn(this.inMemory, example, weights, gradient, beamTraining);
    return this.engine.learn(this.storedOne(example), 0, weights, gradient, beamTraining);
  }

  judge(example: number, weights: Float64Array, isFinal = false): Judged {
    const { names, finalInference } = this.given;
    const inference = isFinal ? finalInference : undefined;
    if (this.inMemory) return this.engine.judge(this.inMemory, example, weights, names, inference);
    return this.engine.judge(this.storedOne(example), 0, weights, names, inference);
  }

  private storedOne(example: number): Corpus {
    return (this.stored as HeldSequences).corpusOf(example);
  }

  share(): SharedLearner | undefined {
    const { inMemory: corpus, stored, engine, given, margin } = this;
    // Its steps follow one another: one thread takes them.
    if (engine.encoder) return undefined;
    const { rows, inference } = engine;
    const data: SharedData = { corpus, facts: stored?.facts, rows, inference, given, margin };
    return { module: import.meta.url, data };
  }
}

interface SharedData {
  corpus: Corpus | undefined;
  /** Of sequences on disk. */
  facts: SharedFacts | undefined;
  rows: TaggerRows;
  inference: Inference;
  given: LearnerFacts;
  margin: number;
}

/** The learner that another thread shares. */
export function revive(data: unknown): TaggerLearner {
  const { corpus, facts, rows, inference, given, margin } = data as SharedData;
  const learner = new TaggerLearner(corpus ?? new HeldSequences(facts as SharedFacts), rows, inference, given);
  learner.margin = margin;
  return learner;
}
