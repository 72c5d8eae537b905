// The segmenter as a learner: makes the engine's problem of a text, finds its gradient, judges it. The score of a segment with
// label y from position i to position j is
//   whole(i, j, y) + first(i, y) + Σ i < k < j: inside(k, y) + last(j, y) + Σ i ≤ k ≤ j: any(k, y),
// with single(i, y) in place of first and last where i = j: attributes of positions are summed once a position, not once a
// segment, and the way back is a sum by differences. Scores of roles are sums of weights of attributes, or those of a network.

import { type Backend, type PositionRows, placedAll } from "../../engine/backend.js";
import { BeamGradient, type BeamTraining } from "../../engine/beam-gradient.js";
import { learningInference } from "../../engine/budget.js";
import { backend } from "../../engine/choice.js";
import { ClampedGradient } from "../../engine/clamped-gradient.js";
import { Holder } from "../../engine/holder.js";
import type { Problem, RowSpace } from "../../engine/problem.js";
import type { RowTable } from "../../engine/rows.js";
import type { SlotGraph } from "../../engine/slots.js";
import type { Inference, Trellis } from "../../engine/trellis.js";
import type { EncoderLearning } from "../../learn/encoder/learning.js";
import type { Gradient } from "../../learn/gradient.js";
import { type Judged, type Learner, logLossOf, type Seen, type SharedLearner } from "../../learn/learner.js";
import type { SlotEncoder } from "../tag/encoder.js";
import type { SegmentCorpus } from "./corpus.js";
import { addRoleScores, learnRoleScores } from "./network.js";
import {
  ANY,
  FIRST,
  INSIDE,
  LAST,
  ROLES,
  roleTable,
  type SegmenterRows,
  SINGLE,
  segmenterFamily,
  symbolTable,
} from "./rows.js";
import { segmentGraph } from "./symbols.js";

/** Graphs of texts up to this length are kept. */
const CACHED_LENGTH = 256;

export class SegmenterEngine extends Holder {
  readonly kernel = this.backend.makeKernel();
  readonly rows: SegmenterRows;
  readonly table: RowTable;
  private readonly space: RowSpace;
  private readonly roles: RowTable;
  private readonly clamped = new ClampedGradient(this.backend, this.kernel);
  private readonly beam = new BeamGradient(this.backend, this.kernel);
  private readonly graphs: SlotGraph[] = [];
  /** [slots][symbols] */
  private slotScores = this.backend.arrays.float64(1024);
  private slotCounts = this.backend.arrays.float64(1024);
  /** [positions][roles] */
  private roleScores = this.backend.arrays.float64(1024);
  readonly encoder: SlotEncoder | undefined;
  /** Whether the texts at hand are learned from: a network then leaves some of its numbers out. */
  private isLearning = false;

  constructor(
    given: SegmenterRows,
    readonly inference: Inference,
    /** A network that scores roles, made for this work space. */
    encoder?: (backend: Backend) => SlotEncoder,
  ) {
    super();
    this.encoder = encoder?.(this.backend);
    const rows = this.hold(given);
    this.rows = rows;
    this.table = symbolTable(rows);
    this.roles = roleTable(rows);
    const family = this.hold(segmenterFamily(rows, inference.order));
    this.space = { table: this.table, families: [family] };
  }

  /** The forward pass of a text. `forced` keeps the path of its right segments. */
  forward(
    corpus: SegmentCorpus,
    text: number,
    weights: Float64Array,
    inference = this.inference,
    forced = false,
  ): Trellis {
    const problem = this.problem(corpus, text, weights);
    return this.kernel.forward(problem, this.space, weights, inference, forced ? this.forced(corpus, text) : undefined);
  }

  private problem(corpus: SegmentCorpus, text: number, weights: Float64Array): Problem {
    const from = corpus.textStart[text];
    const length = corpus.textStart[text + 1] - from;
    this.fillScores(corpus, from, length, weights);
    return { graph: this.graph(corpus, from, length), slotScores: this.slotScores };
  }

  /** [slots] the right segment that begins at a gap; -1 where none does, and at the end. */
  private forced({ gold, textStart }: SegmentCorpus, text: number): Int32Array {
    const path = new Int32Array(textStart[text + 1] - textStart[text] + 1).fill(-1);
    path.set(gold.subarray(textStart[text], textStart[text + 1]));
    return path;
  }

  private graph({ breaks }: SegmentCorpus, from: number, length: number): SlotGraph {
    const { symbols } = this.rows;
    const own = breaks.subarray(from, from + length);
    if (length > CACHED_LENGTH || own.includes(1)) return segmentGraph(symbols, length, own);
    this.graphs[length] ??= segmentGraph(symbols, length);
    return this.graphs[length];
  }

  private attributeRows({ attributes }: SegmentCorpus): PositionRows {
    return { start: attributes.start, ids: attributes.ids, map: this.rows.attributeRow };
  }

  private wholeRows({ wholes }: SegmentCorpus): PositionRows {
    return { start: wholes.start, ids: wholes.ids, map: this.rows.wholeRow };
  }

  private makeRoom(length: number): void {
    const { arrays } = this.backend;
    const size = (length + 1) * this.table.symbolCount;
    if (this.slotScores.length < size) {
      this.slotScores = arrays.float64(2 * size);
      this.slotCounts = arrays.float64(2 * size);
    }
    const roleSize = (length + 1) * this.roles.symbolCount;
    if (this.roleScores.length < roleSize) this.roleScores = arrays.float64(2 * roleSize);
  }

  private fillScores(corpus: SegmentCorpus, from: number, length: number, weights: Float64Array): void {
    this.makeRoom(length);
    const { slotScores, roleScores, table, roles } = this;
    const { loops } = this.backend;
    roleScores.fill(0, 0, length * roles.symbolCount);
    if (this.encoder) addRoleScores(this.encoder, corpus, { from, length }, roleScores, this.isLearning);
    else loops.scoreSlots(roleScores, length, from, this.attributeRows(corpus), roles, weights);
    for (let any = ANY; any < length * roles.symbolCount; any += ROLES) {
      for (let role = FIRST; role <= SINGLE; role++) roleScores[any - ANY + role] += roleScores[any];
    }
    slotScores.fill(0, 0, (length + 1) * table.symbolCount);
    loops.scoreSlots(slotScores, length, from, this.wholeRows(corpus), table, weights);
    this.addRoles(length);
  }

  /** Adds to the scores of segments those of the roles of their positions. */
  private addRoles(length: number): void {
    const { slotScores, roleScores } = this;
    const { first, longest, rank } = this.rows.symbols;
    const width = this.roles.symbolCount;
    const symbolCount = this.table.symbolCount;
    for (let gap = 0; gap < length; gap++) {
      const base = gap * symbolCount;
      for (let label = 0; label < longest.length; label++) {
        const most = Math.min(longest[label], length - gap);
        const place = base + rank[label];
        let role = gap * width + ROLES * label;
        slotScores[place + first[1]] += roleScores[role + SINGLE];
        let begun = roleScores[role + FIRST];
        for (let n = 2; n <= most; n++) {
          role += width;
          slotScores[place + first[n]] += begun + roleScores[role + LAST];
          begun += roleScores[role + INSIDE];
        }
      }
    }
  }

  /** The way back: counts of segments become counts of the roles of their positions, in place of the roles' scores. */
  private countRoles(length: number): void {
    const { slotCounts, roleScores: counts } = this;
    const { first, longest, rank } = this.rows.symbols;
    const width = this.roles.symbolCount;
    const symbolCount = this.table.symbolCount;
    counts.fill(0, 0, (length + 1) * width);
    for (let gap = 0; gap < length; gap++) {
      const base = gap * symbolCount;
      for (let label = 0; label < longest.length; label++) {
        const most = Math.min(longest[label], length - gap);
        const place = base + rank[label];
        const role = gap * width + ROLES * label;
        counts[role + SINGLE] += slotCounts[place + first[1]];
        let sum = 0;
        for (let n = 2; n <= most; n++) {
          const count = slotCounts[place + first[n]];
          sum += count;
          counts[role + (n - 1) * width + LAST] += count;
          // Differences: inside from gap + 1 up to the one before the last.
          counts[role + (n - 1) * width + INSIDE] -= count;
        }
        counts[role + FIRST] += sum;
        if (most > 1) counts[role + width + INSIDE] += sum;
      }
    }
    for (let at = width + INSIDE; at < length * width; at += ROLES) counts[at] += counts[at - width];
    for (let any = ANY; any < length * width; any += ROLES) {
      for (let role = FIRST; role <= SINGLE; role++) counts[any] += counts[any - ANY + role];
    }
  }

  /** Adds the gradient of the text's log-likelihood, or what a beam has in its place. */
  learn(
    corpus: SegmentCorpus,
    text: number,
    weights: Float64Array,
    gradient: Gradient,
    beamTraining?: BeamTraining,
  ): Seen {
    this.isLearning = true;
    try {
      return this.learnFrom(corpus, text, weights, gradient, beamTraining);
    } finally {
      this.isLearning = false;
    }
  }

  private learnFrom(
    corpus: SegmentCorpus,
    text: number,
    weights: Float64Array,
    gradient: Gradient,
    beamTraining: BeamTraining = "free",
  ): Seen {
    const { space, table, roles } = this;
    const inference = learningInference(this.inference, text);
    const from = corpus.textStart[text];
    const length = corpus.textStart[text + 1] - from;
    const path = this.goldSymbols(corpus, text);
    const isBeam = inference.mode === "beam";
    let seen: Seen;
    if (isBeam && beamTraining !== "forced") {
      const problem = this.problem(corpus, text, weights);
      this.slotCounts.fill(0, 0, (length + 1) * table.symbolCount);
      const example = { problem, space, weights, inference, forced: this.forced(corpus, text), path };
      seen = this.beam.add(example, gradient, this.slotCounts);
    } else {
      this.forward(corpus, text, weights, inference, isBeam);
      const contextLength = this.kernel.averageContextLength();
      this.clamped.begin();
      seen = { logLikelihood: this.clamped.addPath(path), contextLength };
      this.slotCounts.fill(0, 0, (length + 1) * table.symbolCount);
      this.clamped.finish(gradient, this.slotCounts);
    }
    const { loops } = this.backend;
    loops.countSlots(this.slotCounts, length, from, this.wholeRows(corpus), table, gradient);
    this.countRoles(length);
    if (this.encoder) learnRoleScores(this.encoder, length, this.roleScores);
    else loops.countSlots(this.roleScores, length, from, this.attributeRows(corpus), roles, gradient);
    return seen;
  }

  /** The symbols of a text's right segments, in order. */
  goldSymbols({ gold, textStart }: SegmentCorpus, text: number): Int32Array {
    return gold.slice(textStart[text], textStart[text + 1]).filter((symbol) => symbol >= 0);
  }

  /** Log-probability of segments, given by their symbols, in the trellis at hand. */
  logProbability(symbols: ArrayLike<number>): number {
    const { arcStart, arcTarget, arcScore, slotStart, logPartition } = this.kernel.trellis;
    let score = 0;
    let context = slotStart[0];
    for (let i = 0; i < symbols.length; i++) {
      const arc = arcStart[context] + symbols[i];
      score += arcScore[arc];
      context = arcTarget[arc];
      if (context < 0) return Number.NEGATIVE_INFINITY;
    }
    return Math.min(0, score - logPartition);
  }

  /** Judges a text: likelihood of its segments, and errors of the best output: segments missed and segments made up. */
  judge(corpus: SegmentCorpus, text: number, weights: Float64Array, outside: number): Judged {
    const inference = learningInference(this.inference, text);
    this.forward(corpus, text, weights, inference);
    const best = this.kernel.bestPath();
    const bestPartition = this.kernel.trellis.logPartition;
    if (inference.mode === "beam") this.forward(corpus, text, weights, inference, true);
    const gold = this.goldSymbols(corpus, text);
    const logLikelihood = this.logProbability(gold);
    const { labelOf, lengthOf } = this.rows.symbols;
    const found = best?.symbols ?? [];
    let decisions = 0;
    let common = 0;
    let g = 0;
    let goldAt = 0;
    let at = 0;
    for (const symbol of gold) if (labelOf[symbol] !== outside) decisions++;
    for (const symbol of found) {
      while (g < gold.length && goldAt < at) goldAt += lengthOf[gold[g++]];
      if (labelOf[symbol] !== outside) {
        decisions++;
        if (goldAt === at && gold[g] === symbol) common++;
      }
      at += lengthOf[symbol];
    }
    const right = gold.length === found.length && gold.every((symbol, i) => symbol === found[i]);
    const logLoss = logLossOf(best ? best.score - bestPartition : 0, right);
    return { logLikelihood, decisions, errors: decisions - 2 * common, right: right ? 1 : 0, logLoss };
  }
}

/** Texts to train a segmenter on. */
export class SegmenterLearner implements Learner {
  readonly engine: SegmenterEngine;
  readonly corpus: SegmentCorpus;

  constructor(
    corpus: SegmentCorpus,
    rows: SegmenterRows,
    inference: Inference,
    /** The label of what lies outside, or -1. */
    readonly outside: number,
    private readonly beamTraining?: BeamTraining,
    encoder?: (backend: Backend) => SlotEncoder,
  ) {
    this.corpus = placedAll(corpus, backend().arrays);
    this.engine = new SegmenterEngine(rows, inference, encoder);
  }

  get table(): RowTable {
    return this.engine.table;
  }

  get encoder(): EncoderLearning | undefined {
    return this.engine.encoder?.learning;
  }

  get exampleCount(): number {
    return this.corpus.textCount;
  }

  learn(example: number, weights: Float64Array, gradient: Gradient): Seen {
    return this.engine.learn(this.corpus, example, weights, gradient, this.beamTraining);
  }

  judge(example: number, weights: Float64Array): Judged {
    return this.engine.judge(this.corpus, example, weights, this.outside);
  }

  share(): SharedLearner | undefined {
    const { corpus, engine, outside, beamTraining } = this;
    // The steps of a network follow one another: one thread takes them.
    if (engine.encoder) return undefined;
    const data: SharedData = { corpus, rows: engine.rows, inference: engine.inference, outside, beamTraining };
    return { module: import.meta.url, data };
  }
}

interface SharedData {
  corpus: SegmentCorpus;
  rows: SegmenterRows;
  inference: Inference;
  outside: number;
  beamTraining?: BeamTraining;
}

/** The learner that another thread shares. */
export function revive(data: unknown): SegmenterLearner {
  const { corpus, rows, inference, outside, beamTraining } = data as SharedData;
  return new SegmenterLearner(corpus, rows, inference, outside, beamTraining);
}
