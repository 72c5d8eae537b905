// Training by stochastic gradient: shuffled passes over the examples, each a step of AdaGrad along
//   E[features | clamp] - E[features],
// weights averaged over the later passes, a held-out part to choose the best pass and to stop by. What an example is, and how its
// gradient is found, is the learner's business; tagger and transducer are both learners.

import { backend } from "../engine/choice.js";
import type { RowTable } from "../engine/rows.js";
import { generator, shuffle } from "../util/random.js";
import { AdaGrad } from "./adagrad.js";
import { Gradient } from "./gradient.js";

/** Something that can be trained. */
export interface Learner {
  readonly table: RowTable;
  readonly exampleCount: number;
  /** [exampleCount] what it counts, if anything, when it learns from an example or judges it; 0: its log-likelihood is unknown. */
  readonly tally?: Int32Array;
  /** Adds the gradient of log p(example) and touches its rows; returns what it saw. */
  learn(example: number, weights: Float64Array, gradient: Gradient): Seen;
  /** Judges an example without learning from it. */
  judge(example: number, weights: Float64Array): Judged;
  /** What another thread needs to be the same learner; without it, one thread trains. */
  share?(): SharedLearner;
}

/** A learner for another thread: the module at `module` exports `revive`, which makes the learner of `data`. */
export interface SharedLearner {
  /** Its address. */
  module: string;
  /** Numbers, arrays and objects; what is large lies in the kernel's memory, which threads share. */
  data: unknown;
}

/** Threads that train together. */
export interface Crew {
  /**
   * Learns from the examples of the order that are not yet done, until all are or `shouldStop` says so; `onProgress` is
   * called now and then. Resolves with what is done of the pass by then.
   */
  learn(order: Int32Array, done: PassDone, watch: CrewWatch): Promise<PassDone>;
  /** Sums over examples. */
  judge(examples: Int32Array, weights: Float64Array): Promise<Judged>;
  close(): Promise<void>;
}

/** What is done of a pass: the first so many examples of its order, and sums over them. */
export interface PassDone {
  examples: number;
  logLikelihood: number;
  contextLength: number;
}

export interface CrewWatch {
  onProgress(done: PassDone): void;
  shouldStop(): boolean;
}

/** Gathers the threads for a learner and the weights it learns; undefined if it cannot be shared. */
export type CrewMaker = (learner: Learner, adagrad: AdaGrad) => Crew | undefined;

export interface Seen {
  logLikelihood: number;
  /** Average number of decisions remembered, weighted by mass. */
  contextLength: number;
}

export interface Judged {
  logLikelihood: number;
  /** Decisions judged, and how many of them were wrong. */
  decisions: number;
  errors: number;
  /** 1 if all of the output is right. */
  right: number;
}

export interface TrainingOptions {
  /** Passes over the examples. */
  passes: number;
  seed: number;
  rate: number;
  delta: number;
  /** L2 penalty of the whole objective, as in (l2 / 2) * |w|². */
  l2: number;
  l1: number;
  /** Share of the examples held out to choose the best pass; 0 for none. */
  heldOut: number;
  /** Passes without improvement on the held-out part before training stops. */
  patience: number;
  /** Average the weights over about the later half of the passes. */
  average: boolean;
  /**
   * Coordinates of a gradient below this are rounded to nothing or to this, at random, with the same expectation: fewer
   * weights move. Default 0: none.
   */
  truncate?: number;
  /** What the held-out part is judged by. */
  select: "likelihood" | "accuracy";
}

export const trainingDefaults: Omit<TrainingOptions, "l2"> = {
  passes: 20,
  seed: 1,
  rate: 0.2,
  delta: 1e-4,
  l1: 0,
  heldOut: 0.1,
  patience: 3,
  average: true,
  select: "likelihood",
};

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
  };
}

export interface TrainingProgress {
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
  /** Asked between examples; true stops after the one at hand. */
  shouldStop?(): boolean;
  /** Trains on several threads; `onExample` is not called then. */
  crew?: CrewMaker;
}

export const hookNames = ["onProgress", "onExample", "onCheckpoint", "shouldStop", "crew"] as const;

/** The hooks among options. */
export function hooksOf(given: TrainingHooks): TrainingHooks {
  const hooks: TrainingHooks = {};
  for (const name of hookNames) if (given[name]) Object.assign(hooks, { [name]: given[name] });
  return hooks;
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
  /** The tally of the learner, if it keeps one. */
  tally?: Int32Array;
}

export interface Trained {
  weights: Float64Array;
  history: Pass[];
  bestPass: number;
  /** Whether `shouldStop` ended it. */
  stopped: boolean;
}

/**
 * Trains a learner. `start` gives weights to begin with, `checkpoint` a training to go on with; where something follows that
 * may be stopped, too, `more` asks for a checkpoint after the last pass.
 */
export async function train(
  learner: Learner,
  options: TrainingOptions,
  hooks: TrainingHooks = {},
  from: TrainingStart = {},
): Promise<Trained> {
  const training = new Training(learner, options, hooks, from);
  try {
    await training.run();
  } finally {
    await training.close();
  }
  return training.result();
}

interface TrainingStart {
  start?: Float64Array;
  checkpoint?: Checkpoint;
  more?: boolean;
}

/** A training under way. */
class Training {
  private readonly training: Int32Array;
  private readonly heldOut: Int32Array;
  private readonly adagrad: AdaGrad;
  private readonly gradient: Gradient;
  private readonly crew: Crew | undefined;
  /** The pass at hand, from 1, and what is done of it. */
  private pass = 1;
  private done = nothingDone();
  private readonly history: Pass[] = [];
  private best: Float64Array;
  private bestScore = Number.NEGATIVE_INFINITY;
  private bestPass = 0;
  private stopped = false;
  private paused = Date.now();
  /**
   * A checkpoint is written while the next pass runs; what went wrong with it is thrown when the next is due, or at the
   * end.
   */
  private writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly learner: Learner,
    private readonly options: TrainingOptions,
    private readonly hooks: TrainingHooks,
    private readonly from: TrainingStart,
  ) {
    ({ training: this.training, heldOut: this.heldOut } = split(learner.exampleCount, options));
    const { rate, delta, truncate, seed } = options;
    const share = 1 / Math.max(1, this.training.length);
    const penalties = { l2: options.l2 * share, l1: options.l1 * share };
    this.adagrad = new AdaGrad(learner.table, { rate, delta, ...penalties, truncate, seed }, from.start);
    this.gradient = new Gradient(learner.table);
    this.best = this.adagrad.weights.slice();
    if (from.checkpoint) this.restore(from.checkpoint);
    this.crew = hooks.crew?.(learner, this.adagrad);
  }

  async run(): Promise<void> {
    const { options, hooks, from } = this;
    while (this.pass <= options.passes && !this.stopped && this.pass - this.bestPass <= options.patience + 1) {
      await this.learn();
      if (this.stopped) break;
      await this.judge();
      this.report();
      this.pass++;
      this.done = nothingDone();
      this.stopped = hooks.shouldStop?.() === true;
      if ((this.pass <= options.passes || from.more) && !this.stopped) await this.handOver();
    }
    if (this.stopped) await this.handOver();
    await this.writing;
  }

  async close(): Promise<void> {
    await this.crew?.close();
    await this.writing.catch(() => undefined);
  }

  result(): Trained {
    const { history, bestPass, stopped } = this;
    // A training stopped within its first pass has no judged weights yet: what it has is the best there is.
    return { weights: bestPass > 0 ? this.best : this.adagrad.average(), history, bestPass, stopped };
  }

  /** What is left of the pass at hand, or as much of it as there is time for. */
  private async learn(): Promise<void> {
    const { adagrad, crew, hooks } = this;
    const order = shuffle(this.training.slice(), generator(this.options.seed, this.pass));
    // The average begins anew at passes 1, 2, 4, 8, …: it holds about the later half of the steps, so it forgets the
    // start of training and still smooths more than one pass.
    if (this.done.examples === 0 && (this.pass & (this.pass - 1)) === 0) adagrad.startAverage();
    if (crew) {
      const onProgress = (done: PassDone): void => {
        this.done = done;
        this.report();
      };
      this.done = await crew.learn(order, this.done, { onProgress, shouldStop: () => hooks.shouldStop?.() === true });
    } else {
      await this.learnAlone(order);
    }
    this.stopped = this.done.examples < order.length;
  }

  private async learnAlone(order: Int32Array): Promise<void> {
    const { learner, adagrad, gradient, hooks, done } = this;
    while (done.examples < order.length) {
      const seen = learner.learn(order[done.examples], adagrad.weights, gradient);
      adagrad.update(gradient);
      done.examples++;
      done.logLikelihood += seen.logLikelihood;
      done.contextLength += seen.contextLength;
      hooks.onExample?.(adagrad.step, seen);
      if (Date.now() - this.paused > 100) {
        this.report();
        await pause();
        this.paused = Date.now();
      }
      if (hooks.shouldStop?.()) return;
    }
  }

  /** Judges the pass that is over by the held-out part; without one, the latest pass is the best. */
  private async judge(): Promise<void> {
    const { adagrad, options, learner, heldOut, done, pass, history } = this;
    const candidate = options.average ? adagrad.average() : adagrad.weights.slice();
    const judged = heldOut.length > 0 ? await judgeAll(learner, heldOut, candidate, this.crew) : undefined;
    const score = judged ? (options.select === "accuracy" ? judged.accuracy : surenessOf(judged)) : pass;
    // Few examples often leave several passes equally accurate.
    const isSurer = score === this.bestScore && surenessOf(judged) > surenessOf(history[this.bestPass - 1]?.heldOut);
    if (score > this.bestScore || isSurer) {
      this.bestScore = score;
      this.best = candidate;
      this.bestPass = pass;
    }
    history.push({
      pass,
      trainLogLikelihood: meanLogLikelihood(done.logLikelihood, learner, this.training),
      contextLength: done.contextLength / Math.max(1, done.examples),
      heldOut: judged,
    });
  }

  private report(): void {
    const { pass, done, history, options, training } = this;
    this.hooks.onProgress?.({
      pass,
      passes: options.passes,
      done: done.examples,
      total: training.length,
      history,
      contextLength: done.contextLength / Math.max(1, done.examples),
      logLikelihood: done.logLikelihood / Math.max(1, done.examples),
    });
  }

  private async handOver(): Promise<void> {
    const { onCheckpoint } = this.hooks;
    if (!onCheckpoint) return;
    const taken = this.checkpoint();
    await this.writing;
    this.writing = pause().then(() => onCheckpoint(taken));
    this.writing.catch(() => undefined);
  }

  private checkpoint(): Checkpoint {
    const { adagrad, done, learner } = this;
    return {
      l2: this.options.l2,
      pass: this.pass,
      position: done.examples,
      step: adagrad.step,
      averageFrom: adagrad.averageFrom,
      weights: adagrad.weights.slice(),
      squares: adagrad.squares.slice(),
      sums: adagrad.sums.slice(),
      settled: adagrad.settled.slice(),
      best: this.best,
      bestScore: this.bestScore,
      bestPass: this.bestPass,
      history: [...this.history],
      passLogLikelihood: done.logLikelihood,
      passContextLength: done.contextLength,
      tally: learner.tally?.slice(),
    };
  }

  private restore(checkpoint: Checkpoint): void {
    const { adagrad, learner } = this;
    ({ pass: this.pass, best: this.best, bestScore: this.bestScore, bestPass: this.bestPass } = checkpoint);
    this.history.push(...checkpoint.history);
    this.done = {
      examples: checkpoint.position,
      logLikelihood: checkpoint.passLogLikelihood,
      contextLength: checkpoint.passContextLength,
    };
    adagrad.weights.set(checkpoint.weights);
    adagrad.squares.set(checkpoint.squares);
    adagrad.sums.set(checkpoint.sums);
    adagrad.settled.set(checkpoint.settled);
    adagrad.step = checkpoint.step;
    adagrad.averageFrom = checkpoint.averageFrom;
    if (checkpoint.tally) learner.tally?.set(checkpoint.tally);
  }
}

function nothingDone(): PassDone {
  return { examples: 0, logLikelihood: 0, contextLength: 0 };
}

function surenessOf(judged: Pass["heldOut"]): number {
  return judged?.logLikelihood ?? Number.NEGATIVE_INFINITY;
}

/** Candidates for an L2 penalty that is to be chosen, of a tagger. */
const penalties = [0.01, 0.1, 1];
/** Fewer examples than this say nothing about it; then it is the one in the middle. */
const FEWEST_TO_CHOOSE = 100;
const MOST_TO_CHOOSE = 2000;
const PASSES_TO_CHOOSE = 3;

/**
 * The L2 penalty that a short training on part of the examples finds best, judged by accuracy on others. A penalty is the
 * strength of a prior on the weights, so what suits a part suits the whole.
 */
export async function chooseL2(
  learner: Learner,
  options: Omit<TrainingOptions, "l2">,
  shouldStop: TrainingHooks["shouldStop"] = undefined,
  candidates: readonly number[] = penalties,
): Promise<number> {
  if (learner.exampleCount < FEWEST_TO_CHOOSE) return candidates[1];
  const { training, heldOut } = split(learner.exampleCount, { ...options, heldOut: options.heldOut || 0.1 });
  const some = shuffle(training, generator(options.seed, 0)).slice(0, Math.min(MOST_TO_CHOOSE, training.length / 3));
  const part: Learner = {
    table: learner.table,
    exampleCount: some.length,
    learn: (example, weights, gradient) => learner.learn(some[example], weights, gradient),
    judge: (example, weights) => learner.judge(some[example], weights),
  };
  let best = candidates[0];
  let bestAccuracy = -1;
  for (const l2 of candidates) {
    const short = { ...options, l2, heldOut: 0, passes: PASSES_TO_CHOOSE };
    const { weights, stopped } = await train(part, short, { shouldStop });
    if (stopped) break;
    const { accuracy } = await judgeAll(learner, heldOut.slice(0, MOST_TO_CHOOSE), weights);
    if (accuracy <= bestAccuracy) continue;
    bestAccuracy = accuracy;
    best = l2;
  }
  return best;
}

/** Examples to learn from and examples held out; with fewer than ten examples nothing is held out. */
export function split(
  exampleCount: number,
  options: { heldOut: number; seed: number },
): { training: Int32Array; heldOut: Int32Array } {
  const order = Int32Array.from({ length: exampleCount }, (_, i) => i);
  const count = exampleCount < 10 ? 0 : Math.floor(exampleCount * options.heldOut);
  if (count === 0) return { training: order, heldOut: new Int32Array(0) };
  shuffle(order, generator(options.seed, 0));
  return { training: order.slice(count).sort(), heldOut: order.slice(0, count).sort() };
}

async function judgeAll(
  learner: Learner,
  examples: Int32Array,
  given: Float64Array,
  crew?: Crew,
): Promise<NonNullable<Pass["heldOut"]>> {
  const weights = backend().arrays.placed(given);
  const sum = crew ? await crew.judge(examples, weights) : nothingJudged();
  let paused = Date.now();
  for (const example of crew ? [] : examples) {
    addJudged(sum, learner.judge(example, weights));
    if (Date.now() - paused > 100) {
      await pause();
      paused = Date.now();
    }
  }
  return {
    logLikelihood: meanLogLikelihood(sum.logLikelihood, learner, examples),
    // An output that is longer than the right one may have more errors than that has symbols.
    accuracy: Math.max(0, 1 - sum.errors / Math.max(1, sum.decisions)),
    exact: sum.right / examples.length,
  };
}

/** For each example that has a log-likelihood; undefined if none has. */
function meanLogLikelihood(sum: number, { tally }: Learner, examples: Int32Array): number | undefined {
  const known = tally ? examples.reduce((count, example) => count + (tally[example] > 0 ? 1 : 0), 0) : examples.length;
  return known > 0 ? sum / known : undefined;
}

export function nothingJudged(): Judged {
  return { logLikelihood: 0, decisions: 0, errors: 0, right: 0 };
}

export function addJudged(sum: Judged, more: Judged): void {
  sum.logLikelihood += more.logLikelihood;
  sum.decisions += more.decisions;
  sum.errors += more.errors;
  sum.right += more.right;
}

/** Lets timers, signals and messages through. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
