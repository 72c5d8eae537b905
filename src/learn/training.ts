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
  /** Of the examples as they were met, for each whose right output has a probability; absent where none has. */
  trainLogLikelihood?: number;
  contextLength: number;
  /** On the held-out part, if there is one. */
  heldOut?: {
    /** The same of the held-out examples. */
    logLikelihood?: number;
    /** Share of the decisions that are right. Outputs of any length: 1 - edits / symbols of the right one, at least 0. */
    accuracy: number;
    /** Share of the outputs that are right as a whole. */
    exact: number;
    /** F1 of the spans, where outputs mark any. */
    f1?: number;
    /** Where decisions are made among some of the symbols: the share of the right ones that were not among these. */
    unlisted?: number;
  };
}

export interface TrainingProgress {
  /** What this training is for, where there are several, such as `L2 0.3`. */
  title?: string;
  pass: number;
  passes: number;
  /** Examples done in this pass, and in all of it. */
  done: number;
  total: number;
  /** Of the passes that are over. */
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
  /** Called before the first pass with what a person should hear, such as that it will take hours. */
  onNotice?(text: string): void;
  /** Asked between examples; true stops after the one at hand, and what was learned so far is the result. */
  shouldStop?(): boolean;
  /** Stops likewise when it is aborted, but there is no result then: the training rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Trains on several threads; `onExample` is not called then. */
  crew?: CrewMaker;
  /** How much memory it may take, and where examples go that do not fit. Tagger alone. */
  scratch?: Scratch;
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
  /** Sums over the pass at hand. */
  passLogLikelihood: number;
  passContextLength: number;
  /** What else the data decided before the first pass, by name. */
  chosen?: Readonly<Record<string, unknown>>;
  /** The tally of the learner, if it keeps one. */
  tally?: Int32Array;
  /** Of the network beside the rows, if there is one. */
  encoder?: EncoderState;
  /** Trainings that are over, where there are several. */
  over?: readonly RunResult[];
}

/** What came out of one training of several by which something is chosen. */
export interface RunResult {
  history: Pass[];
  bestPass: number;
  /** Log loss of its held-out outputs at each of the temperatures tried; empty if none was. */
  losses: number[];
}

export interface Trained {
  weights: Float64Array;
  /** Parameters of the network beside the rows, if there is one. */
  network?: Float32Array;
  history: Pass[];
  bestPass: number;
  /** Whether `shouldStop` ended it. */
  stopped: boolean;
}

/** Threads that train together. */
export interface Crew {
  /**
   * Learns from the examples of the order that are not yet done, until all are or `shouldStop` says so; `onProgress` is
   * called now and then. Resolves with what is done of the pass by then.
   */
  learn(order: Int32Array, done: PassDone, watch: CrewWatch): Promise<PassDone>;
  /** What is said of each example, in their order. */
  judge(examples: Int32Array, weights: Float64Array): Promise<Judged[]>;
  close(): Promise<void>;
}

/** What is done of a pass: the first so many examples of its order, and sums over them. */
export interface PassDone {
  examples: number;
  logLikelihood: number;
  contextLength: number;
}

export interface CrewWatch {
  /** Whether the pass is the first of a training that knows nothing yet. */
  isFirst: boolean;
  onProgress(done: PassDone): void;
  shouldStop(): boolean;
}

/** Gathers the threads for a learner and the weights it learns; undefined if it cannot be shared. */
export type CrewMaker = (learner: Learner, adagrad: AdaGrad) => Crew | undefined;
