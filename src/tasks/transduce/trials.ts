// Trials: how well a transducer does on inputs that it did not learn from, by short trainings on some of the pairs. What a
// user cannot know, such as what a symbol is, is chosen by them.

import { judgeAll } from "../../learn/held-out.js";
import { trainingOptions } from "../../learn/options.js";
import { train } from "../../learn/train.js";
import type { TrainingHooks } from "../../learn/training.js";
import { declaredOf } from "../../util/options.js";
import { generator, shuffle } from "../../util/random.js";
import { viewsOf } from "./classes.js";
import { TransducerEngine } from "./engine.js";
import { TransducerLearner } from "./learner.js";
import { isMostlyCopied } from "./needs.js";
import { chooseOptions, type GivenTransducerOptions, hasEdges, inferenceOf, shapeOf } from "./options.js";
import { inputsOf } from "./pairs.js";
import { prepare } from "./preparation.js";
import { type CutCorpus, cutCorpus, type Kinds, possibleKinds } from "./symbols.js";

/** Inputs that a trial looks at, at most. */
const MOST_INPUTS = 2_500;
const PASSES = 4;
/** The L2 penalty, where none is given: few passes are far from over-fitting. */
const PENALTY = 1;
/** From this many inputs on one part of them is enough to judge by; of fewer, each part has its turn. */
const FEWEST_FOR_ONE_PART = 1_000;
const PARTS = 4;

/** Part of the seed; see preparation.ts. */
const TRIAL_PART = -3;

/** How a trial went. */
export interface Verdict {
  /** Share of the outputs that were right. */
  exact: number;
  /** Share of the symbols that were right. */
  accuracy: number;
  /** Mean log-likelihood of those that can be written. */
  logLikelihood: number;
}

/** Some of the pairs, and the inputs of each part that is to be judged in its turn. */
export interface TrialData {
  data: CutCorpus;
  parts: Int32Array[];
}

/** Fewer inputs than this tell nothing. */
export const FEWEST_TO_TRY = 50;

export function trialData({ corpus, ...alphabets }: CutCorpus, seed: number): TrialData {
  const inputs = Int32Array.from({ length: corpus.inputCount }, (_, i) => i);
  const some = shuffle(inputs, generator(seed, TRIAL_PART)).slice(0, MOST_INPUTS).sort();
  const order = shuffle(Int32Array.from(some.keys()), generator(seed, TRIAL_PART - 1));
  const size = Math.ceil(order.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, p) => order.slice(p * size, (p + 1) * size).sort());
  const turns = some.length >= FEWEST_FOR_ONE_PART ? parts.slice(0, 1) : parts;
  return { data: { corpus: inputsOf(corpus, some), ...alphabets }, parts: turns };
}

/** Undefined if it was stopped. */
export async function tryOut(
  { data, parts }: TrialData,
  given: GivenTransducerOptions,
  shouldStop: TrainingHooks["shouldStop"],
): Promise<Verdict | undefined> {
  const { corpus, inputSymbols, outputSymbols } = data;
  const options = chooseOptions(data, { ...given, l2: given.l2 ?? PENALTY, jointGrams: 0, words: 0 });
  const shape = shapeOf(inputSymbols, outputSymbols, options);
  const { rowsOf, moves } = prepare(corpus, shape, options, viewsOf(corpus, inputSymbols));
  const training = { ...declaredOf(trainingOptions, options), passes: PASSES, heldOut: 0 };
  const none = new Int32Array(0);
  const verdict: Verdict = { exact: 0, accuracy: 0, logLikelihood: 0 };
  for (const part of parts) {
    const held = new Set(part);
    const rest = Int32Array.from({ length: corpus.inputCount }, (_, i) => i).filter((i) => !held.has(i));
    const engine = new TransducerEngine(rowsOf(rest), shape, inferenceOf(options));
    const learner = new TransducerLearner(corpus, engine, "rcms", moves);
    try {
      const { weights, stopped } = await train(
        learner,
        training,
        { shouldStop },
        { part: { training: rest, heldOut: none } },
      );
      if (stopped) return undefined;
      const { exact, accuracy, logLikelihood = 0 } = await judgeAll(learner, part, weights);
      verdict.exact += exact / parts.length;
      verdict.accuracy += accuracy / parts.length;
      verdict.logLikelihood += logLikelihood / parts.length;
    } finally {
      engine.dispose();
    }
  }
  return verdict;
}

/** Whether a verdict is better than another. */
function isBetter(one: Verdict, other: Verdict): boolean {
  return one.exact > other.exact || (one.exact === other.exact && one.logLikelihood > other.logLikelihood);
}

/** The share of rare symbols below which characters are well known as they are. */
const FEW_RARE = 0.002;

/** Whether outputs are mostly made of the characters of their inputs, and hardly any of these is new: then they stay whole. */
function isPlainCopy(whole: CutCorpus): boolean {
  const { inputs } = whole.corpus;
  const counts = new Int32Array(whole.inputSymbols.size);
  for (const symbol of inputs) counts[symbol]++;
  // As many symbols are still unseen, by Good and Turing, as were seen once.
  const once = counts.reduce((sum, count) => sum + (count === 1 ? 1 : 0), 0);
  return once <= FEW_RARE * inputs.length && isMostlyCopied(whole);
}

/**
 * What a symbol is, on each side where that is open and makes a difference: whichever lets the most outputs be right. First
 * that of inputs, then that of outputs. Undefined if it was stopped.
 */
export async function chooseKinds(
  whole: CutCorpus,
  given: GivenTransducerOptions,
  seed: number,
  shouldStop: TrainingHooks["shouldStop"],
): Promise<Kinds | undefined> {
  const kinds: Kinds = { input: given.input ?? "chars", output: given.output ?? "chars" };
  if (whole.corpus.inputCount < FEWEST_TO_TRY || isPlainCopy(whole)) return kinds;
  const { data, parts } = trialData(whole, seed);
  for (const side of ["input", "output"] as const) {
    const possible = given[side] === undefined ? possibleKinds(whole[`${side}Symbols`]) : [];
    if (possible.length < 2) continue;
    let best: Verdict | undefined;
    for (const kind of possible) {
      const tried = { ...kinds, [side]: kind };
      const verdict = await tryOut(
        { data: cutCorpus(data, tried, hasEdges(data.corpus, given)), parts },
        { ...given, ...tried },
        shouldStop,
      );
      if (!verdict) return undefined;
      if (best && !isBetter(verdict, best)) continue;
      best = verdict;
      kinds[side] = kind;
    }
  }
  return kinds;
}

/**
 * What utterances are learned with if that is better than the usual windows: they are long, few and noisy, so most of what is seen
 * around a position is seen once. Found on held-out training utterances of the Buckeye corpus.
 */
const NARROW = { window: 2, moveGrams: [4, 3], l1: 0.5 };

/** Whether to look at less around each position, and to have fewer weights: what trials say; nothing if it was stopped. */
export async function chooseBreadth(
  data: CutCorpus,
  given: GivenTransducerOptions,
  seed: number,
  shouldStop: TrainingHooks["shouldStop"],
): Promise<Partial<typeof NARROW>> {
  const isOpen = Object.keys(NARROW).every((name) => given[name as keyof typeof NARROW] === undefined);
  if (!isOpen || data.corpus.inputCount < FEWEST_TO_TRY) return {};
  const trial = trialData(data, seed);
  const wide = await tryOut(trial, given, shouldStop);
  const narrow = wide && (await tryOut(trial, { ...given, ...NARROW }, shouldStop));
  return narrow && narrow.accuracy > wide.accuracy ? NARROW : {};
}
