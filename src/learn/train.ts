// Training by stochastic gradient: shuffled passes over the examples, each a step of AdaGrad along
//   E[features | clamp] - E[features],
// weights averaged over the later passes, a held-out part to choose the best pass and to stop by. What an example is, and how its
// gradient is found, is the learner's business; tagger and transducer are both learners.

import type { RowTable } from "../core/rows.js";
import { backend } from "../kernel/choice.js";
import { AdaGrad } from "./adagrad.js";
import { Gradient } from "./gradient.js";
import { generator, shuffle } from "./random.js";

/** Something that can be trained. */
export interface Learner {
  readonly table: RowTable;
  readonly exampleCount: number;
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
   * Learns from the examples `order[from]`, `order[from + 1]`, … until all are done or `shouldStop` says so; `onProgress`
   * is called now and then. Resolves with what was done.
   */
  learn(order: Int32Array, from: number, watch: CrewWatch): Promise<CrewDone>;
  /** Sums over examples. */
  judge(examples: Int32Array, weights: Float64Array): Promise<Judged>;
  close(): Promise<void>;
}

export interface CrewDone {
  examples: number;
  logLikelihood: number;
  contextLength: number;
}

export interface CrewWatch {
  onProgress(done: CrewDone): void;
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
  epochs: number;
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
  epochs: 20,
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
export interface Epoch {
  epoch: number;
  /** Of the examples as they were met, for each. */
  trainLogLikelihood: number;
  contextLength: number;
  /** On the held-out part, if there is one. */
  heldOut?: { logLikelihood: number; accuracy: number; exact: number };
}

export interface TrainingProgress {
  epoch: number;
  epochs: number;
  /** Examples done in this pass, and in all of it. */
  done: number;
  total: number;
  /** Of the passes that are over. */
  history: readonly Epoch[];
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
  epoch: number;
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
  bestEpoch: number;
  history: Epoch[];
  /** Sums over the pass at hand. */
  passLogLikelihood: number;
  passContextLength: number;
}

export interface Trained {
  weights: Float64Array;
  history: Epoch[];
  bestEpoch: number;
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
  from: { start?: Float64Array; checkpoint?: Checkpoint; more?: boolean } = {},
): Promise<Trained> {
  const { training, heldOut } = split(learner.exampleCount, options);
  const total = training.length;
  const { rate, delta } = options;
  const adagrad = new AdaGrad(
    learner.table,
    {
      rate,
      delta,
      l2: options.l2 / Math.max(1, total),
      l1: options.l1 / Math.max(1, total),
      truncate: options.truncate,
      seed: options.seed,
    },
    from.start,
  );
  const gradient = new Gradient(learner.table);
  let best: Float64Array = adagrad.weights.slice();
  let bestScore = Number.NEGATIVE_INFINITY;
  let bestEpoch = 0;
  let epoch = 1;
  let position = 0;
  let history: Epoch[] = [];
  let passLogLikelihood = 0;
  let passContextLength = 0;
  if (from.checkpoint) {
    ({ best, bestScore, bestEpoch, epoch, position, passLogLikelihood, passContextLength } = from.checkpoint);
    history = [...from.checkpoint.history];
    restore(adagrad, from.checkpoint);
  }
  const checkpoint = (): Checkpoint => ({
    l2: options.l2,
    epoch,
    position,
    step: adagrad.step,
    averageFrom: adagrad.averageFrom,
    weights: adagrad.weights.slice(),
    squares: adagrad.squares.slice(),
    sums: adagrad.sums.slice(),
    settled: adagrad.settled.slice(),
    best,
    bestScore,
    bestEpoch,
    history: [...history],
    passLogLikelihood,
    passContextLength,
  });
  const report = (): void =>
    hooks.onProgress?.({
      epoch,
      epochs: options.epochs,
      done: position,
      total,
      history,
      contextLength: passContextLength / Math.max(1, position),
      logLikelihood: passLogLikelihood / Math.max(1, position),
    });
  // A checkpoint is written while the next pass runs; what went wrong with it is thrown when the next is due, or at the end.
  let writing: Promise<unknown> = Promise.resolve();
  const handOver = async (): Promise<void> => {
    const taken = checkpoint();
    await writing;
    writing = pause().then(() => hooks.onCheckpoint?.(taken));
    writing.catch(() => undefined);
  };
  let stopped = false;
  let paused = Date.now();
  const crew = hooks.crew?.(learner, adagrad);
  try {
    while (epoch <= options.epochs && !stopped && epoch - bestEpoch <= options.patience + 1) {
      const order = shuffle(training.slice(), generator(options.seed, epoch));
      if (position === 0) {
        // The average begins anew at passes 1, 2, 4, 8, …: it holds about the later half of the steps, so it forgets the
        // start of training and still smooths more than one pass.
        if ((epoch & (epoch - 1)) === 0) adagrad.startAverage();
        passLogLikelihood = 0;
        passContextLength = 0;
      }
      if (crew) {
        const before = { position, passLogLikelihood, passContextLength };
        const note = (done: CrewDone): void => {
          position = before.position + done.examples;
          passLogLikelihood = before.passLogLikelihood + done.logLikelihood;
          passContextLength = before.passContextLength + done.contextLength;
        };
        const onProgress = (done: CrewDone): void => {
          note(done);
          report();
        };
        note(await crew.learn(order, position, { onProgress, shouldStop: () => hooks.shouldStop?.() === true }));
        stopped = position < total;
      }
      while (position < total && !stopped) {
        const seen = learner.learn(order[position], adagrad.weights, gradient);
        adagrad.update(gradient);
        position++;
        passLogLikelihood += seen.logLikelihood;
        passContextLength += seen.contextLength;
        hooks.onExample?.(adagrad.step, seen);
        if (Date.now() - paused > 100) {
          report();
          await pause();
          paused = Date.now();
        }
        if (hooks.shouldStop?.() && position < total) {
          stopped = true;
          break;
        }
      }
      if (stopped) break;
      const candidate = options.average ? adagrad.average() : adagrad.weights.slice();
      const judged = heldOut.length > 0 ? await judgeAll(learner, heldOut, candidate, crew) : undefined;
      const score = judged ? (options.select === "accuracy" ? judged.accuracy : judged.logLikelihood) : epoch;
      if (score > bestScore) {
        bestScore = score;
        best = candidate;
        bestEpoch = epoch;
      }
      history.push({
        epoch,
        trainLogLikelihood: passLogLikelihood / Math.max(1, total),
        contextLength: passContextLength / Math.max(1, total),
        heldOut: judged,
      });
      report();
      epoch++;
      position = 0;
      if (hooks.shouldStop?.()) stopped = true;
      if ((epoch <= options.epochs || from.more) && !stopped && hooks.onCheckpoint) await handOver();
    }
    if (stopped && hooks.onCheckpoint) await handOver();
    await writing;
  } finally {
    await crew?.close();
    await writing.catch(() => undefined);
  }
  // A training stopped within its first pass has no judged weights yet: what it has is the best there is.
  const weights = bestEpoch > 0 ? best : adagrad.average();
  return { weights, history, bestEpoch, stopped };
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
    const short = { ...options, l2, heldOut: 0, epochs: PASSES_TO_CHOOSE };
    const { weights, stopped } = await train(part, short, { shouldStop });
    if (stopped) break;
    const { accuracy } = await judgeAll(learner, heldOut.slice(0, MOST_TO_CHOOSE), weights);
    if (accuracy <= bestAccuracy) continue;
    bestAccuracy = accuracy;
    best = l2;
  }
  return best;
}

function restore(adagrad: AdaGrad, checkpoint: Checkpoint): void {
  adagrad.weights.set(checkpoint.weights);
  adagrad.squares.set(checkpoint.squares);
  adagrad.sums.set(checkpoint.sums);
  adagrad.settled.set(checkpoint.settled);
  adagrad.step = checkpoint.step;
  adagrad.averageFrom = checkpoint.averageFrom;
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
): Promise<NonNullable<Epoch["heldOut"]>> {
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
    logLikelihood: sum.logLikelihood / examples.length,
    accuracy: sum.decisions ? 1 - sum.errors / sum.decisions : 1,
    exact: sum.right / examples.length,
  };
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
