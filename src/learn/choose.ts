// Choose, then learn from everything. What is not given is chosen by trainings (*runs*) that are judged by examples they did
// not learn from:
//   L2 penalty    a few runs, up or down a ladder of penalties: short ones on a part of the examples; with few examples, whole
//                 ones by cross-validation
//   passes        the best pass of a run on all but the held-out part; of a cross-validation, the best on average; the last of those
//                 that are level
//   temperature   the T by which weights are divided: least sum over held-out outputs of −log p(what came true: right or wrong)
// Then a run learns from all examples with what was chosen; where one part was held out, it goes on with the weights that this
// part chose.

import { InputError } from "../util/errors.js";
import { generator, shuffle } from "../util/random.js";
import { crossParts, neighbours, type Part, split } from "./held-out.js";
import type { Learner } from "./learner.js";
import { bestTemperature, leastLoss, type TemperatureLosses, temperatureLosses } from "./temperature.js";
import { leastLevel, scoreOf, type TrainingRoom, train } from "./train.js";
import type { Checkpoint, Pass, RunResult, Trained, TrainingHooks, TrainingOptions } from "./training.js";

/** Options of a training of which some may be open. */
export interface ChoosingOptions extends Omit<TrainingOptions, "l2" | "heldOut"> {
  /** If open, it is chosen. */
  l2?: number;
  /** If open: `HELD_OUT`, or a cross-validation where examples are few. */
  heldOut?: number;
  /** Whether to learn from the held-out part, too, when everything is chosen. */
  refit: boolean;
}

export interface ChoosingStart {
  start?: Float64Array;
  checkpoint?: Checkpoint;
  /** The last so many examples of the learner are there to judge by, and are never learned from. */
  judges?: number;
  /** The ladder of penalties, rising. */
  penalties?: readonly number[];
  /** Where on the ladder the search begins, and what those take who have too few examples to choose. */
  usualPenalty?: number;
  /**
   * The share of the errors that another penalty, or fewer passes, must spare to be preferred: on few examples, runs differ by
   * chance.
   */
  leastGain?: number;
  /**
   * Whether penalties are compared after each had its temperature, and passes by errors alone: with a margin, the likelihood before
   * favours penalties that are too large and passes that are too few.
   */
  tempersFirst?: boolean;
  /**
   * Passes of the last run beyond those that were chosen: as many as these, and so many at most. By default three, if it goes on with
   * weights that were judged, else none.
   */
  mostGoOn?: number;
  /** Where examples have no groups: about so many groups of neighbours. The fewer, the less held-out examples are like the others. */
  neighbourGroups?: number;
  /** With fewer examples passes and temperature are chosen by cross-validation. By default those that choose everything so. */
  crossBelow?: number;
}

/** What was chosen, and how that did on examples that were not learned from. */
export interface Chosen {
  l2: number;
  passes: number;
  temperature: number;
  /** The measure it was chosen by. */
  select: TrainingOptions["select"];
  /** Number of parts held out in turn: 1, or more for cross-validation; 0 if nothing was held out. */
  parts: number;
  /** Number of held-out examples. */
  judges: number;
  heldOut?: Pass["heldOut"];
  /** Whether the model was then trained on all examples. */
  refit: boolean;
}

export interface Fitted extends Trained {
  chosen: Chosen;
}

/** Penalties that may be chosen: each about three times the one before. */
export const LADDER: readonly number[] = [0.01, 0.03, 0.1, 0.3, 1, 3, 10];
/** Where the search begins if nothing is said. */
const USUAL_PENALTY = 0.3;
/** Fewer examples than this say nothing about a penalty. */
const FEWEST_TO_CHOOSE = 100;
/** Of a short run: examples to learn from, examples to judge by, passes. */
const SHORT = { training: 1500, judges: 1000, passes: 4 };
/** Passes over everything of a run that goes on, at most, if nothing is said. */
const GO_ON_PASSES = 3;
/** With fewer examples, and if nothing else is asked for, everything is chosen by cross-validation. */
const FEW = 500;
/** Parts of a cross-validation that chooses everything, and of one that chooses passes and temperature. */
const CROSS_PARTS = { few: 5, more: 3 };
/** Passes of each run of a cross-validation, at most: whole ones, so that they can be averaged. */
const CROSS_PASSES = 10;
/** The share that is held out, if nothing else is asked for; so many examples are enough, and are taken up to twice the share. */
const HELD_OUT = { share: 0.1, enough: 400, most: 0.2 };

/** Trains a learner with options of which some may be open. */
export function chooseAndTrain(
  learner: Learner,
  options: ChoosingOptions,
  hooks: TrainingHooks = {},
  from: ChoosingStart = {},
): Promise<Fitted> {
  return new Choosing(learner, options, hooks, from).run();
}

/** Whether such a training judges by examples that it did not learn from. */
export function holdsOut(learner: Learner, options: ChoosingOptions, from: ChoosingStart): boolean {
  return new Choosing(learner, options, {}, from).parts()[0].heldOut.length > 0;
}

/** The share of the examples that is held out if nothing is said. */
export function usualShare(exampleCount: number): number {
  const { share, enough, most } = HELD_OUT;
  return Math.min(most, Math.max(share, enough / exampleCount));
}

/** Settings of a run that did best so far. */
interface Best {
  l2: number;
  score: number;
  history: readonly Pass[];
  bestPass: number;
  losses: number[];
  likelihoodLosses?: number[];
}

class Choosing {
  /** Of the runs so far. On the way they are kept in checkpoints, so that a training that goes on need not repeat them. */
  private readonly over: RunResult[];
  private resumed: Checkpoint | undefined;
  /** How many runs were begun. */
  private runs = 0;
  private latest: Trained | undefined;
  private room: TrainingRoom | undefined;
  /** Examples that may be learned from. */
  private readonly own: number;
  /** [own] what is held out together. */
  private readonly groups: Int32Array;

  constructor(
    private readonly learner: Learner,
    private readonly options: ChoosingOptions,
    private readonly hooks: TrainingHooks,
    private readonly from: ChoosingStart,
  ) {
    if (from.checkpoint && !from.checkpoint.over) {
      throw new InputError("the checkpoint is from an earlier version, which trained differently", {
        hint: "start again, without resuming",
      });
    }
    this.over = [...(from.checkpoint?.over ?? [])];
    this.resumed = from.checkpoint;
    this.own = learner.exampleCount - (from.judges ?? 0);
    this.groups = learner.groups ?? neighbours(this.own, from.neighbourGroups);
  }

  async run(): Promise<Fitted> {
    const parts = this.parts();
    const best = parts.length > 1 ? await this.crossValidate(parts) : await this.holdOut(parts[0]);
    if (!best) return this.stopped();
    const { l2, history, bestPass } = best;
    const judged = history[bestPass - 1]?.heldOut;
    const chosen: Chosen = {
      l2,
      passes: bestPass,
      temperature: judged ? bestTemperature(best.losses) : 1,
      select: this.options.select,
      parts: judged ? parts.length : 0,
      judges: judged ? parts.reduce((sum, { heldOut }) => sum + heldOut.length, 0) : 0,
      heldOut: judged,
      refit: judged !== undefined && !this.from.judges && this.options.refit,
    };
    if (chosen.refit) {
      const title = "training on everything";
      // A run that learned from nearly everything goes on from where it is; those of a cross-validation are all too far from it.
      const isNear = parts.length === 1;
      const { mostGoOn = isNear ? GO_ON_PASSES : 0 } = this.learner.encoder ? {} : this.from;
      const runs = [...(isNear ? [] : [{ passes: bestPass, goesOn: false }])];
      if (mostGoOn > 0) runs.push({ passes: Math.min(bestPass, mostGoOn), goesOn: true });
      for (const { passes, goesOn } of runs) {
        if (!(await this.train(title, this.everything(), { l2, passes, patience: passes }, { goesOn })))
          return this.stopped();
      }
    }
    const { weights } = this.latest as Trained;
    if (this.learner.encoder) this.learner.encoder.scale = 1 / chosen.temperature;
    const made = chosen.temperature === 1 ? weights : weights.map((weight) => weight / chosen.temperature);
    return { weights: made, history: [...history], bestPass, stopped: false, chosen };
  }

  /** What a training that was stopped leaves. */
  private stopped(): Fitted {
    const { weights, history, bestPass } = this.latest as Trained;
    const { select, l2 = this.usualPenalty } = this.options;
    const chosen = { l2, passes: bestPass, temperature: 1, select, parts: 0, judges: 0, refit: false };
    return { weights, history, bestPass, stopped: true, chosen };
  }

  /** The parts that are held out in turn: at least one, in which nothing may be held out. */
  parts(): Part[] {
    const { own, options, learner, groups } = this;
    const { seed } = options;
    if (this.from.judges)
      return [{ training: this.everything().training, heldOut: numbersFrom(own, learner.exampleCount) }];
    const count = own < FEW ? CROSS_PARTS.few : CROSS_PARTS.more;
    const { crossBelow = FEW } = learner.encoder ? {} : this.from;
    const isCrossed = options.heldOut === undefined && own < Math.max(FEW, crossBelow);
    const crossed = isCrossed ? crossParts(own, { count, seed, groups }) : [];
    if (crossed.length > 0) return crossed;
    return [this.shared()];
  }

  /** One part held out, the usual share. */
  private shared(): Part {
    const { own, groups, options } = this;
    return split(own, { heldOut: options.heldOut ?? usualShare(own), seed: options.seed, groups });
  }

  private everything(): Part {
    return { training: numbersFrom(0, this.own), heldOut: new Int32Array(0) };
  }

  /** The penalty by short runs, passes and temperature by a run on all but the held-out part; undefined if it was stopped. */
  private async holdOut(part: Part): Promise<Best | undefined> {
    const { options } = this;
    const l2 = options.l2 ?? (await this.choosePenalty(part));
    if (l2 === undefined) return undefined;
    const around = part.heldOut.length > 0 ? "outputs" : undefined;
    const done = await this.train(`L2 ${l2}`, part, { l2 }, { tempers: around });
    return done && { l2, score: 0, ...done };
  }

  private async choosePenalty(part: Part): Promise<number | undefined> {
    const { options, own, groups } = this;
    if (own < FEWEST_TO_CHOOSE) return this.usualPenalty;
    // With a network, rows are few and the penalty matters little.
    if (this.learner.encoder) return USUAL_PENALTY;
    // Where nothing is held out for passes, the penalty is chosen all the same.
    const judged = part.heldOut.length > 0 ? part : split(own, { heldOut: HELD_OUT.share, seed: options.seed, groups });
    const random = generator(options.seed, 0);
    const short: Part = {
      training: shuffle(judged.training.slice(), random).slice(0, Math.min(SHORT.training, judged.training.length / 3)),
      heldOut: judged.heldOut.slice(0, SHORT.judges),
    };
    const best = await this.climb(async (l2) => {
      const passes = Math.min(options.passes, SHORT.passes);
      const tempers = this.from.tempersFirst ? "likelihood" : undefined;
      const done = await this.train(`trying L2 ${l2}`, short, { l2, passes }, { tempers });
      if (!done) return undefined;
      // Of noisy passes the last: the best would be the luckiest.
      const bestPass = this.from.leastGain ? done.history.length : done.bestPass;
      return { l2, ...done, bestPass, score: this.scoreOf({ ...done, bestPass }) };
    });
    return best?.l2;
  }

  private async crossValidate(parts: readonly Part[]): Promise<Best | undefined> {
    const { encoder } = this.learner;
    const passes = encoder ? this.options.passes : Math.min(this.options.passes, CROSS_PASSES);
    const tried = async (l2: number): Promise<Best | undefined> => {
      const results: RunResult[] = [];
      for (const [n, part] of parts.entries()) {
        const title = `trying L2 ${l2}, part ${n + 1} of ${parts.length}`;
        const done = await this.train(title, part, { l2, passes, patience: passes }, { tempers: "all" });
        if (!done) return undefined;
        results.push(done);
      }
      const history = meanHistory(results.map((result) => result.history));
      const scores = history.map(({ heldOut }) =>
        scoreOf(heldOut as NonNullable<Pass["heldOut"]>, this.options.select),
      );
      const score = encoder ? scores[scores.length - 1] : Math.max(...scores);
      const level = leastLevel(score, this.options.select, this.from.leastGain);
      const lastLevel = scores.findLastIndex((one) => one >= level);
      const bestPass = encoder ? scores.length : (lastLevel < 0 ? scores.indexOf(score) : lastLevel) + 1;
      const losses = sumOf(results.map((result) => result.losses));
      const likelihoodLosses = this.from.tempersFirst && sumOf(results.map((result) => result.likelihoodLosses ?? []));
      return { l2, score, history, bestPass, losses, ...(likelihoodLosses && { likelihoodLosses }) };
    };
    if (encoder) return tried(this.options.l2 ?? USUAL_PENALTY);
    if (this.options.l2 === undefined && this.own < FEW) return this.climb(tried);
    const l2 = this.options.l2 ?? (await this.choosePenalty(this.shared()));
    return l2 === undefined ? undefined : tried(l2);
  }

  /** Tries two neighbours on the ladder of penalties, then goes on in the better direction for as long as that pays. */
  private async climb(tried: (l2: number) => Promise<Best | undefined>): Promise<Best | undefined> {
    const { penalties: ladder = LADDER, leastGain } = this.from;
    const usual = Math.max(0, ladder.indexOf(this.usualPenalty));
    let best = await tried(ladder[usual]);
    for (const direction of [1, -1]) {
      for (let rung = usual + direction; best && rung >= 0 && rung < ladder.length; rung += direction) {
        const next = await tried(ladder[rung]);
        if (!next) return undefined;
        if (!isBetter(next, best, leastGain)) break;
        best = next;
      }
      if (best && best.l2 !== ladder[usual]) break;
    }
    return best;
  }

  private get usualPenalty(): number {
    return this.from.usualPenalty ?? USUAL_PENALTY;
  }

  private scoreOf({ history, bestPass }: RunResult): number {
    const judged = history[bestPass - 1]?.heldOut;
    return judged ? scoreOf(judged, this.options.select) : 0;
  }

  /** One run; undefined if it was stopped. */
  private async train(
    title: string,
    part: Part,
    settings: Partial<TrainingOptions> & { l2: number },
    { tempers, goesOn = false }: { tempers?: "all" | keyof TemperatureLosses; goesOn?: boolean } = {},
  ): Promise<RunResult | undefined> {
    const { learner, hooks, over } = this;
    const { refit: _, ...open } = this.options;
    const options: TrainingOptions = { ...open, heldOut: 0, ...settings };
    const known = over[this.runs++];
    if (known) return known;
    const checkpoint = this.resumed;
    this.resumed = undefined;
    const { onCheckpoint, onProgress } = hooks;
    const ownHooks: TrainingHooks = {
      ...hooks,
      onProgress: onProgress && ((progress) => onProgress({ ...progress, title })),
      onCheckpoint: onCheckpoint && ((taken) => onCheckpoint({ ...taken, over: [...over] })),
    };
    const { room } = this;
    const trained = await train(learner, options, ownHooks, {
      start: goesOn ? this.latest?.weights : this.from.start,
      checkpoint,
      more: true,
      part,
      room,
      goesOn,
      leastGain: this.from.leastGain,
      tempersFirst: this.from.tempersFirst,
    });
    this.latest = trained;
    this.room = trained.room;
    if (trained.stopped) return undefined;
    const losses = tempers
      ? await temperatureLosses(learner, part.heldOut, trained.weights, {
          around: tempers === "all" ? undefined : tempers,
          shouldStop: hooks.shouldStop,
        })
      : { outputs: [], likelihood: [] };
    if (!losses) return undefined;
    const result: RunResult = {
      history: trained.history,
      bestPass: trained.bestPass,
      losses: losses.outputs,
      ...(this.from.tempersFirst && { likelihoodLosses: losses.likelihood }),
    };
    over.push(result);
    return result;
  }
}

/**
 * Whether one run did better than another by more than chance: it spares `leastGain` of the errors, or a third of that and makes the
 * log loss smaller by as large a share, which is evidence of its own. A log loss that is `CLEARLY` smaller is enough if the
 * errors are not more by more than chance: it varies less from run to run than they do.
 */
function isBetter(one: Best, other: Best, leastGain = 0): boolean {
  const gain = (one.score - other.score) / Math.max(Number.EPSILON, 1 - other.score);
  if (gain > leastGain) return true;
  const [likely, before] = [one, other].map(logLikelihoodOf);
  if (leastGain === 0 || likely === undefined || before === undefined) return false;
  const likelier = (likely - before) / Math.abs(before);
  return (gain > leastGain / 3 && likelier > leastGain) || (gain > -leastGain && likelier > CLEARLY * leastGain);
}

const CLEARLY = 5 / 3;

/** Of held-out examples, at the best temperature where that was looked for: the sum of all, or for each. */
function logLikelihoodOf({ history, bestPass, likelihoodLosses }: Best): number | undefined {
  if (likelihoodLosses && likelihoodLosses.length > 0) return -leastLoss(likelihoodLosses);
  return history[bestPass - 1]?.heldOut?.logLikelihood;
}

function sumOf(losses: readonly (readonly number[])[]): number[] {
  return losses[0].map((_, t) => losses.reduce((sum, one) => sum + one[t], 0));
}

/** How passes went on average. */
export function meanHistory(histories: readonly (readonly Pass[])[]): Pass[] {
  const mean = (values: readonly (number | undefined)[]): number | undefined =>
    values.some((value) => value === undefined)
      ? undefined
      : values.reduce<number>((sum, value) => sum + (value as number), 0) / values.length;
  return histories[0].map((_, i) => {
    const passes = histories.map((history) => history[i]);
    const judged = passes.map(({ heldOut }) => heldOut as NonNullable<Pass["heldOut"]>);
    return {
      pass: i + 1,
      trainLogLikelihood: mean(passes.map((pass) => pass.trainLogLikelihood)),
      contextLength: mean(passes.map((pass) => pass.contextLength)) as number,
      heldOut: {
        logLikelihood: mean(judged.map((one) => one.logLikelihood)),
        accuracy: mean(judged.map((one) => one.accuracy)) as number,
        exact: mean(judged.map((one) => one.exact)) as number,
        ...(judged[0].f1 !== undefined && { f1: mean(judged.map((one) => one.f1)) }),
        ...(judged[0].unlisted !== undefined && { unlisted: mean(judged.map((one) => one.unlisted)) }),
      },
    };
  });
}

function numbersFrom(first: number, end: number): Int32Array {
  return Int32Array.from({ length: end - first }, (_, i) => first + i);
}
