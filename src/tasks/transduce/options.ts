// The options of a transducer: what they mean, their defaults, what the data decide where nothing is given, and which may change
// when a training goes on. Also what follows from them for the engine: its shape, its rows, its inference.

import type { Alphabet } from "../../engine/alphabet.js";
import type { Inference } from "../../engine/trellis.js";
import { goOnOptions } from "../../learn/go-on.js";
import { checkTrainingOptions } from "../../learn/limits.js";
import { type TrainingOptions, trainingDefaults } from "../../learn/training.js";
import { OptionChecks } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { LEAST_LOG, type Strategy, type TransducerShape } from "./learner.js";
import type { PairCorpus } from "./pairs.js";
import type { TransducerRowOptions } from "./rows.js";

export interface TransducerOptions extends TrainingOptions {
  /** How many moves back a decision looks; a move writes a symbol or goes to the next input symbol. */
  order: number;
  /** How many contexts each slot keeps beside `⋆`. */
  contexts: number;
  /** Contexts with less than this share of their slot's heaviest are not kept. */
  lightest: number;
  /** Most symbols written for one input symbol. */
  maxEmit: number;
  /** How contexts are chosen while learning: `rcms`, or one of the others that the paper compares. */
  strategy: Strategy;
  /** Input symbols looked at on either side. */
  window: number;
  /** Written symbols that rows of outputs look back. */
  outputGrams: number;
  /** Moves that rows of aligned pairs look back when they look at 0, 1, … further input symbols. */
  moveGrams: readonly number[];
  /** Features seen fewer times in the rough alignment of the training pairs are left out. */
  minCount: number;
  /**
   * Weight of a model of the words in the training outputs when an output is chosen, for outputs with spaces between words:
   * candidates go by p(output | input) w(output)^words. 0 for none.
   */
  words: number;
  /**
   * Graphones (an input symbol with what is written for it) that a joint n-gram model looks back; it then helps to choose
   * among the most probable outputs, with a weight that held-out inputs decide. 0 for none.
   */
  jointGrams: number;
}

/** Options as they are given to a training. */
export interface GivenTransducerOptions extends Partial<Omit<TransducerOptions, "words">> {
  /** Weight of a model of words; `"chosen"` if held-out inputs are to choose it. */
  words?: number | "chosen";
}

/** Options that the data decide where they are not given; see `chooseOptions`. */
export const chosenNames = ["maxEmit", "minCount", "heldOut", "l2", "jointGrams"] as const;
type Chosen = (typeof chosenNames)[number];

export const transducerDefaults: Omit<TransducerOptions, Chosen> = {
  ...trainingDefaults,
  // Seven passes, as the last one is then averaged over four (see `train`); that outweighs a little over-fitting, which
  // shows in the likelihood and not in the outputs, and which the temperature mends.
  passes: 7,
  patience: 3,
  select: "accuracy",
  order: 8,
  contexts: 6,
  lightest: 0.01,
  strategy: "rcms",
  window: 4,
  outputGrams: 4,
  moveGrams: [4, 3, 2],
  words: 0,
};

export const strategies: readonly Strategy[] = ["rcms", "model", "target", "hybrid", "forced"];

/** Weight of a model of words, at most. */
export const MOST_WORDS = 10;
/** How far anything may look, and how much may be written for one symbol: what a model file may ask for, too. */
export const FURTHEST = 1_000;
export const MOST_CONTEXTS = 1_000_000;
export const MOST_MOVE_GRAMS = 100;

/** Refuses options out of range, by name. */
export function checkTransducerOptions(options: TransducerOptions): void {
  checkTrainingOptions(options);
  const checks = new OptionChecks(options);
  checks.whole("order", 0, FURTHEST);
  checks.whole("contexts", options.strategy === "rcms" ? 0 : 1, MOST_CONTEXTS);
  checks.whole("minCount", 1);
  checks.whole("maxEmit", 1, FURTHEST);
  checks.whole("window", 0, FURTHEST);
  checks.whole("outputGrams", 0, FURTHEST);
  if (options.moveGrams.length > MOST_MOVE_GRAMS) {
    throw new InputError(`option \`moveGrams\` must hold at most ${MOST_MOVE_GRAMS} numbers`);
  }
  for (const grams of options.moveGrams) {
    if (!Number.isInteger(grams) || grams < 0 || grams > FURTHEST) {
      throw new InputError(
        `option \`moveGrams\` must hold whole numbers of at least 0 and at most ${FURTHEST}, not ${grams}`,
      );
    }
  }
  checks.share("lightest");
  checks.between("words", 0, MOST_WORDS);
  checks.whole("jointGrams", 0, FURTHEST);
  checks.oneOf("strategy", strategies);
}

/** The weight of a model of words until another is chosen: the best on held-out utterances of the Buckeye corpus. */
const WORDS = 0.4;
/** Up to this many inputs are few: every feature counts, and rows are made for what is not certain, too. */
export const FEW_INPUTS = 5_000;
/** Of fewer inputs, a tenth is too few to say which pass is best. */
const FEWEST_TO_HOLD_OUT = 50;
/** From this many inputs on, the held-out ones can tell which penalty is best, and how much a joint model counts. */
export const FEWEST_TO_CHOOSE = 1_000;
/** Inputs held out, at most: more would not choose better and would be missed in training. */
export const MOST_HELD_OUT = 2_000;
/** Graphones that a joint model looks back: more gained nothing on held-out words of the CMU dictionary. */
const JOINT_GRAMS = 6;

/**
 * Fills in what was not given. `maxEmit` lets at least 999 of 1,000 pairs be aligned; `minCount` leaves out features seen
 * once where there is much data; `heldOut` is a tenth of the inputs, at most 2,000, and nothing of fewer than 50 (unless they choose the weight of words); `l2` is 4, less with few inputs, and
 * with many what is best on held-out pairs; with many, too, a joint model looks six graphones back, unless a model of words
 * chooses; the weight of that, where it is to be chosen, is the one to begin with.
 */
export function chooseOptions(corpus: PairCorpus, given: GivenTransducerOptions): TransducerOptions {
  const holdsOut = corpus.inputCount >= FEWEST_TO_HOLD_OUT || given.words === "chosen";
  const options: TransducerOptions = {
    ...transducerDefaults,
    maxEmit: neededEmit(corpus),
    minCount: corpus.inputCount > FEW_INPUTS ? 2 : 1,
    heldOut: holdsOut ? Math.min(0.1, MOST_HELD_OUT / corpus.inputCount) : 0,
    l2: 4 * Math.min(1, corpus.inputCount / 500),
    jointGrams: 0,
  };
  for (const name of Object.keys(options) as (keyof TransducerOptions)[]) {
    if (given[name] !== undefined) Object.assign(options, { [name]: given[name] });
  }
  if (given.words === "chosen") options.words = WORDS;
  const canJudge = options.heldOut > 0 && corpus.inputCount >= FEWEST_TO_CHOOSE;
  const isPlain = options.strategy === "rcms" && options.words === 0;
  if (given.jointGrams === undefined && isPlain && canJudge) options.jointGrams = JOINT_GRAMS;
  checkTransducerOptions(options);
  const mostEmit = mostWritten(corpus);
  if (options.maxEmit > mostEmit) {
    throw new InputError(`option \`maxEmit\` may be at most ${mostEmit} with so many different output symbols`);
  }
  if (options.jointGrams > 0 && options.heldOut === 0) {
    throw new InputError(
      "option `jointGrams` needs inputs held out, which decide how much the model of graphones counts",
    );
  }
  if (given.words === "chosen" && options.heldOut === 0) {
    throw new InputError("option `words` can be chosen by inputs held out only", {
      hint: "give it a number, or hold out a share of the inputs",
    });
  }
  return options;
}

/** Options that may be others when a training goes on; the features depend on the rest. */
const goingOnNames = [
  ...(["passes", "seed", "rate", "delta", "l2", "l1", "heldOut", "patience", "average", "select"] as const),
  ...(["contexts", "lightest", "strategy"] as const),
];

export function keptOptions(from: TransducerOptions, given: GivenTransducerOptions): TransducerOptions {
  const options: TransducerOptions = { ...goOnOptions(from), l2: 0 };
  for (const name of Object.keys(options) as (keyof TransducerOptions)[]) {
    if (given[name] === undefined) continue;
    if (!(goingOnNames as readonly string[]).includes(name) && String(given[name]) !== String(from[name])) {
      throw new InputError(
        `option \`${name}\` cannot change when a training goes on from a model (${given[name]}, and the model has ${from[name]})`,
        { hint: "leave it out" },
      );
    }
    Object.assign(options, { [name]: given[name] });
  }
  checkTransducerOptions(options);
  return options;
}

/** The least number of symbols per input symbol, at least 2, that lets 999 of 1,000 pairs be aligned, if it may be so large. */
function neededEmit(corpus: PairCorpus): number {
  const needed: number[] = [];
  for (let i = 0; i < corpus.inputCount; i++) {
    const length = corpus.inputStart[i + 1] - corpus.inputStart[i];
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      needed.push(Math.ceil((corpus.outputStart[a + 1] - corpus.outputStart[a]) / length));
    }
  }
  needed.sort((a, b) => a - b);
  return Math.min(mostWritten(corpus), Math.max(2, needed[Math.ceil(needed.length * 0.999) - 1]));
}

/**
 * So many symbols may be written for one input symbol that before anything is learned, when all are equally probable, the mass
 * of writing none is still a number beside the mass of writing them all.
 */
function mostWritten(corpus: PairCorpus): number {
  const symbols = corpus.outputs.reduce((most, symbol) => Math.max(most, symbol), 1) + 1;
  return Math.min(FURTHEST, Math.floor(-LEAST_LOG / Math.log(symbols)));
}

export function shapeOf(inputs: Alphabet, outputs: Alphabet, options: TransducerOptions): TransducerShape {
  // Input symbols, then the one for all that are unknown, then the outside.
  return {
    symbolCount: outputs.size + 1,
    boundary: inputs.size + 1,
    maxEmit: options.maxEmit,
    rowOptions: rowOptionsOf(options),
  };
}

export function rowOptionsOf({ window, outputGrams, moveGrams, minCount }: TransducerOptions): TransducerRowOptions {
  return {
    window,
    windowLength: Math.max(1, 2 * window - 1),
    skipLength: Math.min(3, window),
    outputGrams,
    moveGrams,
    minCount,
  };
}

export function inferenceOf(options: TransducerOptions): Inference {
  const { contexts, order, lightest, strategy } = options;
  const mode = strategy === "rcms" ? "rcms" : "beam";
  return { mode, contexts, order, lightest: mode === "rcms" ? lightest : 0, recombine: true, rows: "all" };
}
