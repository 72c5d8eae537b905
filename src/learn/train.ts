// Training by stochastic gradient: shuffled passes over the examples, each a step of AdaGrad along
//   E[features | clamp] - E[features],
// weights averaged over the later passes, a held-out part to choose the best pass and to stop by. What an example is, and how its
// gradient is found, is the learner's business; tagger and transducer are both learners.

import { InputError } from "../util/errors.js";
import { pause } from "../util/pause.js";
import { generator } from "../util/random.js";
import { AdaGrad } from "./adagrad.js";
import { Gradient } from "./gradient.js";
import { judgeAll, meanLogLikelihood, type Part, split } from "./held-out.js";
import type { Learner } from "./learner.js";
import { readTrainingOptions } from "./options.js";
import { heldRuns, passOrder } from "./order.js";
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
): Promise<Trained & { room: TrainingRoom }> {
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
  /** Which examples to learn from and which to evaluate on, instead of a held-out share. */
  part?: Part;
  /** Memory of a finished training run of the same learner, to be used again. */
  room?: TrainingRoom;
  /** Whether step sizes continue from the end of that training run. */
  goesOn?: boolean;
  /** How much better an earlier pass must be to be preferred to a later one, as a share of the errors. */
  leastGain?: number;
  /** Whether a temperature is chosen later, without which likelihoods say little. */
  tempersFirst?: boolean;
  /** Called with the weights after each pass. */
  onWeights?(weights: Float64Array): void;
}

/** What a training works in. */
export interface TrainingRoom {
  adagrad: AdaGrad;
  gradient: Gradient;
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
    const part = from.part ?? split(learner.exampleCount, { ...options, groups: learner.groups });
    ({ training: this.training, heldOut: this.heldOut } = part);
    const { rate, delta, truncate, seed } = options;
    const share = 1 / Math.max(1, this.training.length);
    const penalties = { l2: options.l2 * share, l1: options.l1 * share };
    const adagrad = { rate, delta, ...penalties, truncate, seed };
    this.adagrad = new AdaGrad(learner.table, adagrad, from.start, from.room?.adagrad, from.goesOn);
    this.gradient = from.room?.gradient ?? new Gradient(learner.table);
    this.best = this.adagrad.weights.slice();
    learner.encoder?.begin({
      seed,
      examples: this.training.length,
      passes: options.passes,
      goesOn: from.goesOn === true,
    });
    if (from.checkpoint) this.restore(from.checkpoint);
    this.crew = hooks.crew?.(learner, this.adagrad);
  }

  async run(): Promise<void> {
    const { options, hooks, from, learner } = this;
    const isPatient = (): boolean => learner.encoder !== undefined || this.pass - this.bestPass <= options.patience + 1;
    while (this.pass <= options.passes && !this.stopped && isPatient()) {
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

  result(): Trained & { room: TrainingRoom } {
    const { history, bestPass, stopped, adagrad, gradient, learner } = this;
    const room = { adagrad, gradient };
    // A training stopped within its first pass has no judged weights yet: what it has is the best there is.
    const weights = bestPass > 0 ? this.best : adagrad.average();
    return { weights, network: learner.encoder?.state().parameters, history, bestPass, stopped, room };
  }

  /** Whether the pass at hand is the first of a training that knows nothing yet. */
  private get isFirst(): boolean {
    return this.pass === 1 && !this.from.start;
  }

  /** What is left of the pass at hand, or as much of it as there is time for. */
  private async learn(): Promise<void> {
    const { adagrad } = this;
    const order = passOrder(this.training, this.learner.blocks, generator(this.options.seed, this.pass));
    this.learner.beginPass?.(this.isFirst);
    // The average begins anew at passes 1, 2, 4, 8, …: it holds about the later half of the steps, so it forgets the
    // start of training and still smooths more than one pass. A training that goes on has no such start.
    const isPower = (this.pass & (this.pass - 1)) === 0;
    if (this.done.examples === 0 && (this.from.goesOn ? this.pass === 1 : isPower)) adagrad.startAverage();
    for (const { to } of heldRuns(this.learner, order, this.done.examples)) {
      await this.learnRun(order.subarray(0, to));
      if (this.done.examples < to) break;
    }
    if (this.done.examples === order.length) this.learner.encoder?.exampleDone(true);
    this.stopped = this.done.examples < order.length;
  }

  /** What is not yet done of the first examples of the order, or as much of it as there is time for. */
  private async learnRun(order: Int32Array): Promise<void> {
    const { crew, hooks } = this;
    const onProgress = (done: PassDone): void => {
      this.done = done;
      this.report();
    };
    const shouldStop = () => hooks.shouldStop?.() === true;
    const done = await crew?.learn(order, this.done, { isFirst: this.isFirst, onProgress, shouldStop });
    if (!done) return this.learnAlone(order);
    this.done = done;
  }

  private async learnAlone(order: Int32Array): Promise<void> {
    const { learner, adagrad, gradient, hooks, done } = this;
    while (done.examples < order.length) {
      const seen = learner.learn(order[done.examples], adagrad.weights, gradient);
      adagrad.update(gradient);
      learner.encoder?.exampleDone();
      done.examples++;
      done.logLikelihood += seen.logLikelihood;
      done.contextLength += seen.contextLength;
      hooks.onExample?.(adagrad.step, seen);
      if (Date.now() - this.paused > 100) {
        this.report();
        await pause();
        this.paused = Date.now();
      }
      // What a checkpoint holds has no half batches.
      if (learner.encoder?.isBetweenBatches !== false && hooks.shouldStop?.()) return;
    }
  }

  /** Judges the pass that is over by the held-out part; without one, the latest pass is the best. */
  private async judge(): Promise<void> {
    const { adagrad, options, learner, heldOut, done, pass, history } = this;
    const candidate = options.average ? adagrad.average() : adagrad.weights.slice();
    this.from.onWeights?.(candidate);
    const judged = heldOut.length > 0 ? await judgeAll(learner, heldOut, candidate, this.crew) : undefined;
    const score = judged && !learner.encoder ? scoreOf(judged, options.select) : pass;
    // Few examples often leave several passes equally accurate.
    const isSurer = score === this.bestScore && surenessOf(judged) > surenessOf(history[this.bestPass - 1]?.heldOut);
    if (score > this.bestScore || isSurer || (judged && this.isLevel(judged))) {
      this.bestScore = Math.max(score, this.bestScore);
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

  /** Whether weights are not worse than the best by more than chance; unless they make the right outputs less likely, chance is twice as wide. */
  private isLevel(judged: NonNullable<Pass["heldOut"]>): boolean {
    const { options, from, history, bestPass, bestScore, learner } = this;
    if (learner.encoder) return false;
    const isLikelier = surenessOf(judged) > surenessOf(history[bestPass - 1]?.heldOut);
    const gain = (isLikelier || from.tempersFirst ? 2 : 1) * (from.leastGain ?? 0);
    return scoreOf(judged, options.select) >= leastLevel(bestScore, options.select, gain);
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
      encoder: learner.encoder?.state(),
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
    if (checkpoint.encoder) learner.encoder?.restore(checkpoint.encoder);
    if (checkpoint.tally) learner.tally?.set(checkpoint.tally);
  }
}

function nothingDone(): PassDone {
  return { examples: 0, logLikelihood: 0, contextLength: 0 };
}

/**
 * The least score that does not differ from the best by more than chance: passes that do not are level, and the last of them is taken.
 * Likelihoods are precise enough to be compared as they are.
 */
export function leastLevel(best: number, select: TrainingOptions["select"], leastGain = 0): number {
  if (leastGain === 0 || select === "likelihood" || best === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY;
  return best - leastGain * Math.max(0, 1 - best);
}

/** How good a pass is by the measure asked for. */
export function scoreOf(judged: NonNullable<Pass["heldOut"]>, select: TrainingOptions["select"]): number {
  if (select === "likelihood") return surenessOf(judged);
  if (select === "accuracy") return judged.accuracy;
  if (judged.f1 === undefined) throw new InputError("F1 needs labels that mark spans, such as B-NP, I-NP, O");
  return judged.f1;
}

function surenessOf(judged: Pass["heldOut"]): number {
  return judged?.logLikelihood ?? Number.NEGATIVE_INFINITY;
}
