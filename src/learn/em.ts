// Expectation maximisation for a substitution: hidden symbols y follow an n-gram model, each emits one cipher symbol x with
// an unknown probability e(x | y). One pass computes, with the engine, the expected number of times y emitted x,
//   count(x, y) = sum over places i where x stands: P(y at i | cipher text),
// and sets e(x | y) = (count(x, y) + smoothing) / sum over x'. Sequences are counted in fixed blocks whose counts are added
// in order, so the sums are the same to the last bit however many threads share the blocks.

import { BudgetCounter } from "../engine/budget.js";
import { backend } from "../engine/choice.js";
import type { DecisionCounter } from "../engine/counter.js";
import type { NgramModel } from "../engine/ngram.js";
import { chainGraph, openChainGraph, type SlotGraph } from "../engine/slots.js";
import type { Inference } from "../engine/trellis.js";
import { pause } from "../util/pause.js";

/** Sequences in one block. */
export const BLOCK = 64;

export interface Expectations {
  /** [cipherCount][plainCount] expected number of times a plain symbol emitted a cipher symbol. */
  counts: Float64Array;
  logLikelihood: number;
  /** Sum over decisions of the average number of symbols remembered, and how many decisions there were. */
  contextLength: number;
  decisions: number;
  /** Sequences that have no probability under the context sets; this happens only with a beam. */
  lost: number;
}

/** Gives the expected counts of all sequences; threads may stand behind it. */
export interface Expecter {
  /** `logEmission`, [cipherCount][plainCount] log e(x | y). Undefined if `shouldStop` ended it before all were counted. */
  expect(logEmission: Float64Array, shouldStop?: () => boolean): Promise<Expectations | undefined>;
  /** Frees what it holds. */
  close(): Promise<void>;
}

export interface CipherModel {
  ngram: NgramModel;
  /** Plain symbols, without the end. */
  plainCount: number;
  cipherCount: number;
  inference: Inference;
}

/** What computes expected counts for one block, one sequence after the other. */
export class BlockCounter {
  private readonly workSpace = backend().workSpace();
  private readonly counter: DecisionCounter;
  private readonly graphs = new Map<number, SlotGraph>();
  /** [slots][symbols] of the sequence at hand. */
  private slotScores = this.workSpace.arrays.float64(1024);
  private slotCounts = this.workSpace.arrays.float64(1024);

  constructor(readonly model: CipherModel) {
    const { ngram, inference } = model;
    const make = (chosen: Inference) => this.workSpace.makeCounter(ngram.space, ngram.weights, chosen);
    const isRange = inference.least !== undefined;
    this.counter = isRange ? new BudgetCounter(inference, this.workSpace.arrays, make) : make(inference);
  }

  /** The problem of a sequence: its slot scores are log P(y) + log e(x | y). Valid until the next call. */
  problem(sequence: Int32Array, logEmission: Float64Array): { graph: SlotGraph; slotScores: Float64Array } {
    const { ngram, plainCount } = this.model;
    const { symbolCount, unigram } = ngram;
    let graph = this.graphs.get(sequence.length);
    if (!graph) {
      graph = ngram.options.ends
        ? chainGraph(sequence.length, symbolCount)
        : openChainGraph(sequence.length, symbolCount);
      this.graphs.set(sequence.length, graph);
    }
    const size = graph.slotCount * symbolCount;
    if (this.slotScores.length < size) {
      const { arrays } = this.workSpace;
      arrays.release(this.slotScores);
      arrays.release(this.slotCounts);
      this.slotScores = arrays.float64(2 * size);
      this.slotCounts = arrays.float64(2 * size);
    }
    const { slotScores } = this;
    slotScores.fill(0, 0, size);
    for (let i = 0; i < sequence.length; i++) {
      const emission = sequence[i] * plainCount;
      for (let y = 0; y < plainCount; y++) slotScores[i * symbolCount + y] = unigram[y] + logEmission[emission + y];
    }
    if (ngram.options.ends) slotScores[sequence.length * symbolCount + plainCount] = unigram[plainCount];
    return { graph, slotScores };
  }

  /** [slots][symbols] posterior probability of every decision; valid until the next call. Returns the log-likelihood. */
  posteriors(sequence: Int32Array, logEmission: Float64Array): { slotCounts: Float64Array; logLikelihood: number } {
    const problem = this.problem(sequence, logEmission);
    this.slotCounts.fill(0, 0, problem.graph.slotCount * problem.graph.symbolCount);
    const logLikelihood = this.counter.count(problem, this.slotCounts, 1);
    return { slotCounts: this.slotCounts, logLikelihood };
  }

  count(sequences: readonly Int32Array[], logEmission: Float64Array): Expectations {
    const { plainCount, cipherCount, ngram } = this.model;
    const counts = new Float64Array(cipherCount * plainCount);
    const found: Expectations = { counts, logLikelihood: 0, contextLength: 0, decisions: 0, lost: 0 };
    for (const sequence of sequences) {
      if (sequence.length === 0) continue;
      const { slotCounts, logLikelihood } = this.posteriors(sequence, logEmission);
      if (logLikelihood === Number.NEGATIVE_INFINITY) {
        found.lost++;
        continue;
      }
      found.logLikelihood += logLikelihood;
      found.contextLength += this.counter.averageContextLength() * sequence.length;
      found.decisions += sequence.length;
      for (let i = 0; i < sequence.length; i++) {
        const to = sequence[i] * plainCount;
        const from = i * ngram.symbolCount;
        for (let y = 0; y < plainCount; y++) counts[to + y] += slotCounts[from + y];
      }
    }
    return found;
  }

  /** Frees its memory. */
  dispose(): void {
    this.workSpace.dispose();
  }
}

/** Adds the counts of one block to those of all before it. */
export function addExpectations(sum: Expectations, block: Expectations): void {
  for (let i = 0; i < sum.counts.length; i++) sum.counts[i] += block.counts[i];
  sum.logLikelihood += block.logLikelihood;
  sum.contextLength += block.contextLength;
  sum.decisions += block.decisions;
  sum.lost += block.lost;
}

export function noExpectations(model: CipherModel): Expectations {
  const counts = new Float64Array(model.cipherCount * model.plainCount);
  return { counts, logLikelihood: 0, contextLength: 0, decisions: 0, lost: 0 };
}

export function blocksOf(sequences: readonly Int32Array[]): Int32Array[][] {
  const blocks: Int32Array[][] = [];
  for (let i = 0; i < sequences.length; i += BLOCK) blocks.push(sequences.slice(i, i + BLOCK));
  return blocks;
}

/** Counts one block after the other, and lets the program breathe in between. */
export class LocalExpecter implements Expecter {
  readonly counter: BlockCounter;
  private readonly blocks: Int32Array[][];

  constructor(
    private readonly model: CipherModel,
    sequences: readonly Int32Array[],
  ) {
    this.counter = new BlockCounter(model);
    this.blocks = blocksOf(sequences);
  }

  async expect(logEmission: Float64Array, shouldStop?: () => boolean): Promise<Expectations | undefined> {
    const sum = noExpectations(this.model);
    let paused = Date.now();
    for (const block of this.blocks) {
      if (shouldStop?.()) return undefined;
      addExpectations(sum, this.counter.count(block, logEmission));
      if (Date.now() - paused < 50) continue;
      await pause();
      paused = Date.now();
    }
    return sum;
  }

  async close(): Promise<void> {
    this.counter.dispose();
  }
}

/**
 * log e(x | y) = log((count(x, y) + smoothing) / sum over x' of the same), [cipherCount][plainCount]. Where `allowed` is 0 the
 * substitution is known not to be, and stays impossible.
 */
export function emissionsOf(
  counts: Float64Array,
  cipherCount: number,
  plainCount: number,
  smoothing: number,
  allowed?: Uint8Array,
): Float64Array {
  const log = new Float64Array(counts.length);
  for (let y = 0; y < plainCount; y++) {
    let sum = 0;
    for (let x = 0; x < cipherCount; x++) {
      if (!allowed || allowed[x * plainCount + y]) sum += counts[x * plainCount + y] + smoothing;
    }
    for (let x = 0; x < cipherCount; x++) {
      const i = x * plainCount + y;
      log[i] = !allowed || allowed[i] ? Math.log((counts[i] + smoothing) / sum) : Number.NEGATIVE_INFINITY;
    }
  }
  return log;
}
