// A training as its caller sees it: what is told on the way, the checkpoint, the result; and the
// threads that may share the work.

import { stopOf } from "../util/abort.js";
import type { AdaGrad } from "./adagrad.js";
import type { EncoderState, Judged, Learner, Seen } from "./learner.js";
import type { Scratch } from "./scratch.js";

export type { TrainingOptions } from "./options.js";

/** How one pass went. */
export interface Pass {
  pass: number;
  /**
   * Of the examples during training, with the margin if there is one, for those whose correct output has a probability; absent if none
   * has.
   */
  trainLogLikelihood?: number;
  contextLength: number;
  /** On the held-out part, if there is one. */
  heldOut?: {
    /** The same for the held-out examples. */
    logLikelihood?: number;
    /** Share of the decisions that are right. For outputs of any length: 1 - edits / length of the correct output, at least 0. */
    accuracy: number;
    /** Share of the outputs that are right as a whole. */
    exact: number;
    /** F1 of the spans, if outputs mark spans. */
    f1?: number;
    /** Where decisions are made among some of the symbols: the share of the right ones that were not among these. */
    unlisted?: number;
  };
}

export interface TrainingProgress {
  /** What this training run is for, if there are several, such as `L2 0.3`. */
  title?: string;
  pass: number;
  passes: number;
  /** Examples processed in this pass, and the total. */
  done: number;
  total: number;
  /** For each finished pass. */
  history: readonly Pass[];
  /** Average context length and log-likelihood of the examples of this pass so far. */
  contextLength: number;
  logLikelihood: number;
}

export interface TrainingHooks {
  /** Called now and then, and at the end of each pass. */
  onProgress?(progress: TrainingProgress): void;
  /** Called after each example, with its number in order of training. */
  onExample?(step: number, seen: Seen): void;
  /**
   * Called after each pass, and when training is stopped, with all that is needed to go on. The next pass begins before it is
   * done; the next call does not.
   */
  onCheckpoint?(checkpoint: Checkpoint): void | Promise<void>;
  /** Called before the first pass with messages for the user, such as that training will take hours. */
  onNotice?(text: string): void;
  /**
   * Called between examples; if it returns true, training stops after the current one, and the result is what was learned so far.
   */
  shouldStop?(): boolean;
  /** Stops in the same way when it is aborted, but without a result: training rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Trains on several threads; `onExample` is then not called. */
  crew?: CrewMaker;
  /** How much memory it may use, and where examples that do not fit are kept. Tagger only. */
  scratch?: Scratch;
  /** How many bytes of memory there are: a training on many examples that would need more is refused before it begins. Transducer only. */
  memory?: number;
}

export const hookNames = [
  "onProgress",
  "onExample",
  "onCheckpoint",
  "onNotice",
  "shouldStop",
  "signal",
  "crew",
  "scratch",
  "memory",
] as const;

/** The hooks among options. */
export function hooksOf(given: TrainingHooks): TrainingHooks {
  const hooks: TrainingHooks = {};
  for (const name of hookNames) if (given[name]) Object.assign(hooks, { [name]: given[name] });
  const shouldStop = stopOf(given.signal, given.shouldStop && (() => given.shouldStop?.() === true));
  return shouldStop ? { ...hooks, shouldStop } : hooks;
}

/** Everything a training needs to go on where it was. */
export interface Checkpoint {
  /** The L2 penalty, which may have been chosen by the data. */
  l2: number;
  pass: number;
  /** Examples of the pass already learned from. */
  position: number;
  step: number;
  averageFrom: number;
  weights: Float64Array;
  squares: Float64Array;
  sums: Float64Array;
  settled: Int32Array;
  /** Weights of the best pass so far. */
  best: Float64Array;
  bestScore: number;
  bestPass: number;
  history: Pass[];
  /** Sums over the current pass. */
  passLogLikelihood: number;
  passContextLength: number;
  /** What else the data decided before the first pass, by name. */
  chosen?: Readonly<Record<string, unknown>>;
  /** The tally of the learner, if it keeps one. */
  tally?: Int32Array;
  /** Of the network, if there is one. */
  encoder?: EncoderState;
  /** Finished training runs, if there are several. */
  over?: readonly RunResult[];
}

/** What came out of one training of several by which something is chosen. */
export interface RunResult {
  history: Pass[];
  bestPass: number;
  /** Log loss of the held-out outputs at each temperature tried; empty if none was. */
  losses: number[];
  /** −log-likelihood of the same at each, where penalties are compared by it. */
  likelihoodLosses?: number[];
}

export interface Trained {
  weights: Float64Array;
  /** Parameters of the network, if there is one. */
  network?: Float32Array;
  history: Pass[];
  bestPass: number;
  /** Whether `shouldStop` ended the training. */
  stopped: boolean;
}

/** Threads that train together. */
export interface Crew {
  /**
   * Learns from the remaining examples of the order until all are done or `shouldStop` returns true; calls `onProgress` now and
   * then. Resolves with the state of the pass; undefined, and nothing done, if that is not worth sharing: the training does it itself.
   */
  learn(order: Int32Array, done: PassDone, watch: CrewWatch): Promise<PassDone | undefined>;
  /** A message for each example, in order; undefined if they are not worth sharing. */
  judge(examples: Int32Array, weights: Float64Array): Promise<Judged[] | undefined>;
  close(): Promise<void>;
}

/** What is done of a pass: the first so many examples of its order, and sums over them. */
export interface PassDone {
  examples: number;
  logLikelihood: number;
  contextLength: number;
}

export interface CrewWatch {
  /** Whether this is the first pass of training from scratch. */
  isFirst: boolean;
  onProgress(done: PassDone): void;
  shouldStop(): boolean;
}

/** Gathers the threads for a learner and the weights it learns; undefined if it cannot be shared. */
export type CrewMaker = (learner: Learner, adagrad: AdaGrad) => Crew | undefined;
