// What a learner is: it knows its examples, adds the gradient of one to the gradient at hand, and judges one without learning
// from it. Tagger and transducer are learners; `train` sees nothing of them but this.

import type { RowTable } from "../engine/rows.js";
import type { Gradient } from "./gradient.js";
import type { ExampleBlocks } from "./order.js";

/** Something that can be trained. */
export interface Learner {
  readonly table: RowTable;
  readonly exampleCount: number;
  /** [exampleCount] what it counts, if anything, when it learns from an example or judges it; 0: its log-likelihood is unknown. */
  readonly tally?: Int32Array;
  /** [exampleCount] numbers what belongs together, such as the sentences of a document: it is held out together. */
  readonly groups?: Int32Array;
  /**
   * A network that is trained along with the rows, if there is one. The last pass is then taken as the best, because the learning
   * rate ends there.
   */
  readonly encoder?: LearningEncoder;
  /** Its blocks, if it has too many examples to shuffle all together. */
  readonly blocks?: ExampleBlocks;
  /**
   * If examples are on disk: loads `order[from]` and the following ones, as many as fit but at least `least` if there are that
   * many, and returns how many. Only these can be used until the next call.
   */
  hold?(order: Int32Array, from: number, least: number): number;
  /** What is in memory now, to be passed to `take` of a learner on another thread. */
  readonly held?: unknown;
  take?(held: unknown): void;
  /** Called before each pass: whether it is the first pass of training from scratch. */
  beginPass?(isFirst: boolean): void;
  /** Adds the gradient of log p(example) and marks its rows as touched; returns statistics. */
  learn(example: number, weights: Float64Array, gradient: Gradient): Seen;
  /** Evaluates an example without learning from it; with `isFinal`, in the way the finished model predicts. */
  judge(example: number, weights: Float64Array, isFinal?: boolean): Judged;
  /** What another thread needs to create the same learner; if absent, only one thread trains. */
  share?(): SharedLearner | undefined;
}

/** A network that learns beside rows, as a training sees it. */
export interface LearningEncoder {
  /** The factor of its scores: 1 / temperature. */
  scale: number;
  /** Whether no gradient is waiting for the rest of its batch. */
  readonly isBetweenBatches: boolean;
  /** Called before the first pass. */
  begin(start: EncoderStart): void;
  /** Called after each example, and once more after each pass. */
  exampleDone(isLast?: boolean): void;
  /** What a checkpoint stores, between two batches. */
  state(): EncoderState;
  restore(state: EncoderState): void;
}

/** What a network is told of a training. */
export interface EncoderStart {
  seed: number;
  /** Examples of a pass, and passes. */
  examples: number;
  passes: number;
  /** Whether training continues from the present parameters. */
  goesOn: boolean;
}

/** What a checkpoint keeps of a network. */
export interface EncoderState {
  parameters: Float32Array;
  means: Float32Array;
  squares: Float32Array;
  step: number;
}

/** A learner for another thread: the module at `module` exports `revive`, which makes the learner of `data`. */
export interface SharedLearner {
  /** Its address. */
  module: string;
  /** Numbers, arrays and objects; what is large lies in the kernel's memory, which threads share. */
  data: unknown;
}

export interface Seen {
  logLikelihood: number;
  /** Average number of decisions remembered, weighted by mass. */
  contextLength: number;
}

export interface Judged {
  logLikelihood: number;
  /** Number of decisions, and how many were wrong. */
  decisions: number;
  errors: number;
  /** 1 if the whole output is right. */
  right: number;
  /** Where outputs mark spans: how many the right one has, how many were found, and how many of these are right. */
  wanted?: number;
  found?: number;
  matched?: number;
  /** Where decisions are made among some of the symbols: how many right ones were not among these. */
  unlisted?: number;
  /** −log of the probability given to what turned out true: that the whole output is right, or that it is not. */
  logLoss?: number;
}

/** A smaller probability would weigh more than all others together. */
export const LEAST_PROBABILITY = 1e-9;

/** −log of the probability of what came true: that an output of this log-probability is right, or that it is not. */
export function logLossOf(logProbability: number, isRight: boolean): number {
  const probability = Math.exp(Math.min(0, logProbability));
  return -Math.log(Math.max(LEAST_PROBABILITY, isRight ? probability : 1 - probability));
}

export function nothingJudged(): Judged {
  return { logLikelihood: 0, decisions: 0, errors: 0, right: 0 };
}

export function addJudged(sum: Judged, more: Judged): void {
  sum.logLikelihood += more.logLikelihood;
  sum.decisions += more.decisions;
  sum.errors += more.errors;
  sum.right += more.right;
  for (const name of ["wanted", "found", "matched", "unlisted", "logLoss"] as const) {
    const amount = more[name];
    if (amount !== undefined) sum[name] = (sum[name] ?? 0) + amount;
  }
}
