// The transducer as a problem of the engine. Slot (j, k) stands for input position j with k symbols written for it; writing leads to
// (j, k + 1), *shift* to (j + 1, 0), and from the last position to the end:
//   slot (j, k) = slotStarts[j] + k (see emits.ts),   symbols 0 .. shift - 1 are written, the last one is *shift*.
// The gradient is E[features | output] - E[features]; the strategies differ in how contexts are chosen for it.

import type { Backend, FrozenRows, OutputSearch, WrittenOutput } from "../../engine/backend.js";
import { type Band, type Clamp, clampTrellis, outputClamp } from "../../engine/clamp.js";
import { ClampedGradient } from "../../engine/clamped-gradient.js";
import { Holder } from "../../engine/holder.js";
import { bestPath, type Path, type Posteriors } from "../../engine/lattice.js";
import { OutputPass } from "../../engine/output-pass.js";
import type { Problem, RowSpace, StartNodes } from "../../engine/problem.js";
import { PrunedPass } from "../../engine/pruned-pass.js";
import { type Branch, type SlotGraph, slotGraph } from "../../engine/slots.js";
import type { Inference, Trellis } from "../../engine/trellis.js";
import type { Gradient } from "../../learn/gradient.js";
import type { Judged, Seen } from "../../learn/learner.js";
import { editDistance } from "../../util/edit-distance.js";
import { type Emits, longestOutput, slotStarts } from "./emits.js";
import type { MoveEncoder } from "./encoder.js";
import type { MarkedInput } from "./pairs.js";
import type { RowMemory, RowMemoryParts } from "./row-memory.js";
import { markStarts, moveStarts, type TransducerRowOptions, type TransducerRows, transducerFamilies } from "./rows.js";
import { SlotFeatures } from "./slot-features.js";

/**
 * How contexts are chosen when learning: by the free pass with `⋆` for the rest (`rcms`), or as a beam, without `⋆`, by
 * the free pass (`model`), the pass that knows the output (`target`), both (`hybrid`), or the free pass with one alignment
 * kept in it that a small model found before (`forced`).
 */
export type Strategy = "rcms" | "model" | "target" | "hybrid" | "forced";

/** Pairs of (context, symbols of the output written) up to which all alignments of an output are looked at. */
const MOST_NODES = 16_000_000;
/** Beyond, this many numbers of written symbols at each position. */
const BAND = 257;

/** Log of the least probability of a path that stays a number well above the smallest. */
export const LEAST_LOG = -500;

/** For so many inputs it does not pay to lay out weights that stay as they are. */
const SHORT_WORK = 2_000;

/** Graphs of inputs up to this length are kept. */
const CACHED_LENGTH = 256;

/** The slots of an input, and where those of each position begin. */
export interface TransducerSlots {
  graph: SlotGraph;
  /** [positions + 1] */
  starts: Int32Array;
}

/** The slots of an input: writing as many symbols at each of `length` positions as may be. */
export function transducerSlots(length: number, emits: Emits, symbolCount: number): TransducerSlots {
  const shift = symbolCount - 1;
  const slots: Branch[][] = [];
  const starts = slotStarts(emits, length);
  for (let j = 0; j < length; j++) {
    for (let slot = starts[j]; slot < starts[j + 1]; slot++) {
      const branches: Branch[] = [];
      if (slot + 1 < starts[j + 1] && shift > 0) branches.push({ first: 0, end: shift, next: slot + 1 });
      branches.push({ first: shift, end: symbolCount, next: starts[j + 1] });
      slots.push(branches);
    }
  }
  return { graph: slotGraph(symbolCount, slots), starts };
}

/** A right answer of an input. */
export interface Answer {
  output: Int32Array;
  /** How many pairs gave it. */
  count: number;
  /** An alignment, for `forced` and a first pass. */
  moves?: Int32Array;
}

/** What an answer counts that so many pairs gave: frequent pairs teach more than rare ones, but not all the rest. */
function answerWeight(count: number): number {
  return 1 + Math.log(count);
}

export interface SeenPair extends Seen {
  /** How many pairs had an alignment. */
  aligned: number;
}

export interface TransducerShape extends Emits {
  /** Symbols that can be written, and *shift*. */
  symbolCount: number;
  /** The input symbol that stands for the outside. */
  boundary: number;
  /** [boundary + 1] the symbol that is written to copy an input symbol, or -1. */
  copies: Int32Array;
  rowOptions: TransducerRowOptions;
}

export class TransducerEngine extends Holder {
  readonly kernel = this.backend.makeKernel();
  readonly rows: TransducerRows;
  readonly space: RowSpace;
  private readonly clamped = new ClampedGradient(this.backend, this.kernel);
  private readonly pruned = new PrunedPass();
  private readonly outputs = new OutputPass();
  private readonly slots: TransducerSlots[] = [];
  private slotScores = this.backend.arrays.float64(1024);
  private slotCounts = this.backend.arrays.float64(1024);
  private slotInput = this.backend.arrays.int32(64);
  private readonly features: SlotFeatures;
  /** Weights that stay as they are, and how many inputs were looked at with them. */
  private frozen: FrozenRows | undefined;
  private frozenWeights: Float64Array | undefined;
  private frozenInputs = 0;
  readonly encoder: MoveEncoder | undefined;

  constructor(
    given: TransducerRows,
    readonly shape: TransducerShape,
    readonly inference: Inference,
    /** A network that scores moves, made for this work space. */
    encoder?: (backend: Backend) => MoveEncoder,
  ) {
    super();
    const rows = this.hold(given);
    this.rows = rows;
    this.encoder = encoder?.(this.backend);
    this.features = new SlotFeatures(rows, shape, this.backend, this.encoder);
    this.space = {
      table: rows.table,
      families: transducerFamilies(rows, shape.symbolCount - 1, inference.order),
    };
  }

  /** The free forward pass of an input. */
  forward(input: MarkedInput, weights: Float64Array, inference = this.inference): Trellis {
    return this.kernel.forward(this.problem(input, weights), this.space, weights, inference);
  }

  /** The same with weights that are the same each time; afterwards there is nothing to be learned. */
  forwardFrozen(input: MarkedInput, weights: Float64Array, inference = this.inference): Trellis {
    if (this.frozenWeights !== weights) this.thaw(weights);
    if (++this.frozenInputs <= SHORT_WORK) return this.forward(input, weights, inference);
    this.frozen ??= this.backend.freeze(this.space, weights);
    return this.kernel.forwardFrozen(this.problem(input, weights, true), this.frozen, inference);
  }

  /** Takes up other weights that will stay as they are. */
  private thaw(weights: Float64Array): void {
    this.frozen?.dispose();
    this.frozen = undefined;
    this.features.thaw();
    this.frozenWeights = weights;
    this.frozenInputs = 0;
  }

  /** Remembers the rows of inputs that have a number below `inputs`; see `MarkedInput`. */
  remember(inputs: number, shared?: RowMemoryParts): RowMemory {
    return this.features.remember(inputs, shared);
  }

  /** Finds the rows of an input, so that they are remembered. */
  look(input: MarkedInput): void {
    this.features.look(input);
  }

  /** The backward pass of the latest trellis, if it has not had it. */
  backward(): void {
    this.kernel.backward();
  }

  private problem(input: MarkedInput, weights: Float64Array, isFrozen = false): Problem {
    const { boundary, rowOptions } = this.shape;
    const { symbols } = input;
    const { graph, starts } = this.slotsOf(symbols.length);
    const size = graph.slotCount * this.shape.symbolCount;
    if (this.slotScores.length < size) {
      this.slotScores = this.backend.arrays.float64(2 * size);
      this.slotCounts = this.backend.arrays.float64(2 * size);
    }
    this.features.score(input, starts, weights, this.slotScores, isFrozen);
    if (this.slotInput.length < graph.slotCount) this.slotInput = this.backend.arrays.int32(2 * graph.slotCount);
    for (let j = 0; j < symbols.length; j++) this.slotInput.fill(symbols[j], starts[j], starts[j + 1]);
    const families: (StartNodes | undefined)[] = [
      undefined,
      moveStarts(this.rows.moveTree, rowOptions, symbols, starts, boundary),
    ];
    if (this.rows.marked) families.push(markStarts(this.rows.marked.outputTree, input.marks, graph.slotCount));
    return { graph, slotScores: this.slotScores, slotInput: this.slotInput, starts: families };
  }

  private learningProblem(input: MarkedInput, weights: Float64Array): Problem {
    if (!this.encoder) return this.problem(input, weights);
    this.encoder.isLearning = true;
    const problem = this.problem(input, weights);
    this.encoder.isLearning = false;
    return problem;
  }

  private slotsOf(length: number): TransducerSlots {
    if (length > CACHED_LENGTH) return transducerSlots(length, this.shape, this.shape.symbolCount);
    this.slots[length] ??= transducerSlots(length, this.shape, this.shape.symbolCount);
    return this.slots[length];
  }

  /**
   * Log of the probability of an output, summed over alignments, in the trellis of the latest forward pass, of an input
   * of `length` symbols. Where all alignments would be too many, those near the diagonal.
   */
  logProbability(output: ArrayLike<number>, length: number): number {
    return this.clamped.pass.forward(this.kernel.trellis, this.clampOf(output, length));
  }

  /** Gives a function that does the same for the outputs of paths, much faster where they are probable. */
  pathOutputs(length: number, best: Path): (output: readonly number[], path: Path) => number {
    const { kernel, clamped, pruned } = this;
    const { trellis } = kernel;
    const logOf = ({ score }: Path): number => score - trellis.logPartition;
    if (logOf(best) < LEAST_LOG) {
      return (output, path) => clamped.pass.forward(trellis, this.clampOf(output, length, path.symbols));
    }
    this.backward();
    pruned.begin(trellis, this.shape.symbolCount - 1);
    return (output, path) => {
      const log = logOf(path);
      const band = this.bandOf(output.length, length, path.symbols);
      return Math.max(log, Math.log(pruned.probability(output, Math.exp(log), band)));
    };
  }

  /**
   * The most probable outputs of an input of `length` symbols in the latest trellis, if they can be found all at once.
   */
  bestOutputs(length: number, search: Omit<OutputSearch, "free">): WrittenOutput[] | undefined {
    if (this.bandOf(longestOutput(this.shape, length), length)) return undefined;
    return this.kernel.bestOutputs?.({ ...search, free: this.shape.symbolCount - 1 });
  }

  /**
   * Log of the probability of any output and the moves of its best alignment, in a trellis that has had its backward pass; undefined if it
   * is too improbable, or has too many alignments, to be found this way.
   */
  judged(output: ArrayLike<number>, length: number): { log: number; moves: readonly number[] } | undefined {
    const { trellis } = this.kernel;
    if (!trellis.hasPosteriors || this.bandOf(output.length, length)) return undefined;
    const found = this.outputs.find(trellis, output, this.shape.symbolCount - 1);
    const log = Math.log(found?.probability ?? 0);
    return found && log > LEAST_LOG ? { log: Math.min(0, log), moves: found.symbols } : undefined;
  }

  /** The moves of the best alignment of an output in the trellis of the latest forward pass, if it has one. */
  bestMoves(output: Int32Array): Int32Array | undefined {
    const path = bestPath(clampTrellis(this.kernel.trellis, outputClamp(output, this.shape.symbolCount - 1)));
    return path && Int32Array.from(path.symbols);
  }

  /** Probabilities of contexts and arcs of the latest trellis, if it has had its backward pass. */
  posteriors(): Posteriors | undefined {
    const { logPartition, posterior, arcPosterior, hasPosteriors } = this.kernel.trellis;
    return hasPosteriors ? { logPartition, node: posterior, arc: arcPosterior } : undefined;
  }

  /**
   * Adds the gradient of the log-likelihood of an input's answers. `aligned`: of their given alignments alone, so that a model
   * that knows nothing yet begins with one way of aligning and not with all.
   */
  learn(
    input: MarkedInput,
    answers: readonly Answer[],
    weights: Float64Array,
    gradient: Gradient,
    strategy: Strategy,
    aligned = false,
    inference = this.inference,
  ): SeenPair {
    const problem = this.learningProblem(input, weights);
    const seen: SeenPair = { logLikelihood: 0, contextLength: 0, aligned: 0 };
    if (strategy !== "rcms" && strategy !== "model") {
      for (const answer of answers) {
        this.learnGuided(problem, input.symbols, answer, weights, gradient, strategy, seen, inference);
      }
      seen.contextLength /= answers.length;
      return seen;
    }
    this.kernel.forward(problem, this.space, weights, inference);
    seen.contextLength = this.kernel.averageContextLength();
    this.clamped.begin();
    for (const { output, count, moves } of answers) {
      const weight = answerWeight(count);
      const log =
        aligned && moves && strategy === "rcms"
          ? this.clamped.addPath(moves, weight)
          : this.clamped.add(this.clampOf(output, input.symbols.length), weight);
      if (log === Number.NEGATIVE_INFINITY) continue;
      seen.logLikelihood += weight * log;
      seen.aligned += count;
    }
    if (seen.aligned > 0) this.addGradient(input.symbols, gradient);
    return seen;
  }

  /** The same for one answer that takes part in the choice of contexts, so that it needs a pass of its own. */
  private learnGuided(
    problem: Problem,
    input: Int32Array,
    { output, count, moves }: Answer,
    weights: Float64Array,
    gradient: Gradient,
    strategy: "target" | "hybrid" | "forced",
    seen: SeenPair,
    inference: Inference,
  ): void {
    if (strategy === "forced" && !moves) return;
    const guide =
      strategy === "forced"
        ? undefined
        : { clamp: this.clampOf(output, input.length), pass: this.clamped.pass, by: strategy };
    const forced = moves ? this.forcedPath(moves, input.length) : undefined;
    this.kernel.forward(problem, this.space, weights, inference, forced, guide);
    seen.contextLength += this.kernel.averageContextLength();
    this.clamped.begin();
    const weight = answerWeight(count);
    const log = moves ? this.clamped.addPath(moves, weight) : this.clamped.addGuided(weight);
    if (log === Number.NEGATIVE_INFINITY) return;
    seen.logLikelihood += weight * log;
    seen.aligned += count;
    this.addGradient(input, gradient);
  }

  private clampOf(output: ArrayLike<number>, length: number, moves?: readonly number[]): Clamp {
    const clamp = outputClamp(output, this.shape.symbolCount - 1);
    const band = this.bandOf(output.length, length, moves);
    return band ? { ...clamp, band } : clamp;
  }

  /** For an output of `written` symbols that is too long to look at all its alignments: those near a path, or the diagonal. */
  private bandOf(written: number, length: number, moves?: readonly number[]): Band | undefined {
    const { symbolCount } = this.shape;
    const states = written + 1;
    const mostSlots = length * (this.shape.maxEmit + 1) + 2 * this.shape.edgeEmit + 1;
    if (mostSlots * (this.inference.contexts + 1) * states <= MOST_NODES) return undefined;
    const starts = slotStarts(this.shape, length);
    const slots = starts[length] + 1;
    const low = new Int32Array(slots);
    let soFar = 0;
    let m = 0;
    for (let j = 0; j <= length; j++) {
      const centre = moves ? soFar : Math.floor((j * written) / length);
      const last = Math.max(0, states - BAND);
      const first = Math.min(last, Math.max(0, centre - (BAND >> 1)));
      low.fill(first, starts[j], j < length ? starts[j + 1] : slots);
      if (moves) for (; m < moves.length && moves[m++] !== symbolCount - 1; ) soFar++;
    }
    return { low, width: BAND };
  }

  /** [slotCount] the decisions of a path at the slots it passes, -1 elsewhere. */
  private forcedPath(moves: Int32Array, length: number): Int32Array {
    const { symbolCount } = this.shape;
    const { graph, starts } = this.slotsOf(length);
    const forced = new Int32Array(graph.slotCount).fill(-1);
    let j = 0;
    let k = 0;
    for (const move of moves) {
      forced[starts[j] + k] = move;
      if (move === symbolCount - 1) {
        j++;
        k = 0;
      } else k++;
    }
    return forced;
  }

  /** Adds clamped minus free expectations. */
  private addGradient(input: Int32Array, gradient: Gradient): void {
    const { slotCounts } = this;
    const { starts } = this.slotsOf(input.length);
    slotCounts.fill(0, 0, (starts[input.length] + 1) * this.shape.symbolCount);
    this.clamped.finish(gradient, slotCounts);
    this.features.count(input, starts, slotCounts, gradient);
  }

  /** The best path's output, for a quick judgement. */
  bestOutput(): number[] {
    const path = this.kernel.bestPath();
    const shift = this.shape.symbolCount - 1;
    return path ? path.symbols.filter((symbol) => symbol !== shift) : [];
  }

  judge(input: MarkedInput, answers: readonly Answer[], weights: Float64Array): Judged & { aligned: number } {
    this.forward(input, weights);
    const output = this.bestOutput();
    let logLikelihood = 0;
    let errors = Number.POSITIVE_INFINITY;
    let decisions = 0;
    let aligned = 0;
    for (const answer of answers) {
      const log = this.logProbability(answer.output, input.symbols.length);
      if (log > Number.NEGATIVE_INFINITY) {
        logLikelihood += answerWeight(answer.count) * log;
        aligned += answer.count;
      }
      const distance = editDistance(output, answer.output);
      if (distance < errors) {
        errors = distance;
        decisions = answer.output.length;
      }
    }
    return { logLikelihood, decisions, errors, right: errors === 0 ? 1 : 0, aligned };
  }
}
