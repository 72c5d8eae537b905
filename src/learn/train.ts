// Training by stochastic gradient: shuffled passes over the examples, each a step of AdaGrad along
//   E[features | clamp] - E[features],
// weights averaged over the later passes, a held-out part to choose the best pass and to stop by. What an example is, and how its
// gradient is found, is the learner's business; tagger and transducer are both learners.

import { pause } from "../util/pause.js";
import { generator, shuffle } from "../util/random.js";
import { AdaGrad } from "./adagrad.js";
import { Gradient } from "./gradient.js";
import { judgeAll, meanLogLikelihood, split } from "./held-out.js";
import type { Learner } from "./learner.js";
import { readTrainingOptions } from "./options.js";
import type { Checkpoint, Crew, Pass, PassDone, Trained, TrainingHooks, TrainingOptions } from "./training.js";

/**
 * Trains a learner; options have defaults and are checked. `start` gives weights to begin with, `checkpoint` a training to go on with; where something follows that
 * may be stopped, too, `more` asks for a checkpoint after the last pass.
 */
export async function train(
  learner: Learner,
  options: Partial<TrainingOptions> = {},
  hooks: TrainingHooks = {},
  from: TrainingStart = {},
): Promise<Trained> {
  const training = new Training(learner, readTrainingOptions(options), hooks, from);
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
