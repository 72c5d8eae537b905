// The options of a transducer: what they mean, their defaults, what the data decide where nothing is given, and which may change
// when a training goes on. Also what follows from them for the engine: its shape, its rows, its inference.

import type { Alphabet } from "../../engine/alphabet.js";
import { type Inference, withContexts } from "../../engine/inference.js";
import { symbolKinds } from "../../formats/pair-lines.js";
import { encoderOptions } from "../../learn/encoder/options.js";
import { cannotChange, goOnOptions } from "../../learn/go-on.js";
import { budgetOptions, choosingOptions, trainingOptions } from "../../learn/options.js";
import { InputError } from "../../util/errors.js";
import {
  choice,
  defaultsOf,
  flag,
  numbers,
  type OptionsOf,
  presentNames,
  readOptions,
  real,
  realOr,
  share,
  whole,
  wholeOrRange,
} from "../../util/options.js";
import type { Strategy, TransducerShape } from "./engine.js";
import { copiesOf, FURTHEST, isMostlyCopied, mostWritten, neededEdges, neededEmit } from "./needs.js";
import type { TransducerOptions as DeclaredOptions } from "./option-types.js";
import { answerOf, type PairCorpus } from "./pairs.js";
import type { TransducerRowOptions } from "./rows.js";
import type { CutCorpus } from "./symbols.js";

/** Whether a network scores moves. */
const encoders = ["none", "conv", "auto"] as const;

export const strategies: readonly Strategy[] = ["rcms", "model", "target", "hybrid", "forced"];

/** Weight of a model of words, at most. */
export const MOST_WORDS = 10;
/** Members of an ensemble, at most. */
export const MOST_MEMBERS = 100;
export const MOST_CONTEXTS = 1_000_000;

export const transducerOptions = {
  ...trainingOptions,
  // Seven passes, as the last one is then averaged over four (see `train`); that outweighs a little over-fitting, which
  // shows in the likelihood and not in the outputs, and which the temperature mends.
  passes: whole("maximum number of passes over the pairs", { least: 1, usual: 7, aliases: ["epochs"] }),
  l2: real("strength of L2 regularisation", {
    least: 0,
    most: 1e6,
    otherwise: "chosen on held-out pairs; below 1,000 inputs by their number; with attributes 16",
  }),
  ...choosingOptions,
  heldOut: share("share of the inputs held out to choose the best pass and calibrate probabilities", {
    otherwise: "a tenth, at most 2,000 inputs; below 1,000 inputs each quarter in turn, below 50 none",
  }),
  select: choice("measure that chooses the best pass", ["likelihood", "accuracy"], {
    usual: "accuracy",
    value: "measure",
  }),
  input: choice("what an input symbol is: a character, or a part of it", symbolKinds, {
    otherwise: "chosen on held-out pairs if characters can be decomposed",
    flag: false,
  }),
  output: choice("what an output symbol is", symbolKinds, { otherwise: "chosen in the same way", flag: false }),
  lookup: flag("store the training pairs: an input among them gets the answers it had", {
    usual: true,
    off: "do not store the training pairs",
  }),
  strategy: choice(
    "how contexts are chosen in training: `rcms`, or one of the others that the paper compares",
    strategies,
    {
      usual: "rcms",
      value: "name",
    },
  ),
  maxEmit: whole("maximum number of output symbols for one input symbol", {
    least: 1,
    most: FURTHEST,
    otherwise: "enough to align 999 of 1,000 pairs",
  }),
  edgeEmit: whole("maximum number of output symbols before the first input symbol and after the last", {
    least: 0,
    most: FURTHEST,
    otherwise: "with attributes as many as a rough alignment needs, otherwise 0",
    flag: false,
  }),
  copying: flag("add weights for copying the input symbol", {
    otherwise: "on if most output symbols occur in their input",
    off: "do not add weights for copying",
  }),
  order: whole("how many moves back a decision looks; a move writes a symbol or goes to the next input symbol", {
    least: 0,
    most: FURTHEST,
    usual: 8,
  }),
  contexts: wholeOrRange("contexts to keep at each slot, besides `⋆`; 3..12: more than 3 only where uncertain", {
    least: 0,
    most: MOST_CONTEXTS,
    usual: 6,
  }),
  ...budgetOptions,
  lightest: share("drop contexts with less than this share of their slot's heaviest", { usual: 0.01, flag: false }),
  window: whole("input symbols to look at on either side", { least: 0, most: FURTHEST, usual: 4 }),
  outputGrams: whole("written symbols that rows of outputs look back", {
    least: 0,
    most: FURTHEST,
    usual: 4,
    flag: false,
  }),
  moveGrams: numbers("moves that rows of aligned pairs look back when they look at 0, 1, … further input symbols", {
    least: 0,
    most: FURTHEST,
    longest: 100,
    usual: [4, 3, 2],
    flag: false,
  }),
  minCount: whole("leave out features seen fewer times than this in a rough alignment", {
    least: 1,
    otherwise: "1; 2 with attributes or with 5,000 inputs or more",
  }),
  encoder: choice(
    "use a neural network instead of weights of windows and aligned pairs; `auto`: members of both kinds, or of the kind that is clearly better on held-out inputs",
    encoders,
    {
      otherwise: "`auto` up to 5,000 inputs if some are held out and there is no word model, otherwise `none`",
      value: "kind",
    },
  ),
  ...encoderOptions,
  dropout: real("share of a layer that is dropped at random in training", {
    least: 0,
    most: 0.9,
    otherwise: "0.2; below 1,000 inputs 0.3",
  }),
  ensemble: whole("number of models that decide together, reading left to right and right to left in turn", {
    least: 1,
    most: MOST_MEMBERS,
    otherwise:
      "3 up to 5,000 inputs if some are held out and there is no word model (2 without the encoder `auto`), otherwise 1 (2 with `auto`)",
  }),
  words: realOr("chosen", "use a model of the words in outputs; a number sets its weight", {
    least: 0,
    most: MOST_WORDS,
    otherwise: "chosen if most outputs have several words and some inputs are held out, otherwise 0",
  }),
  jointGrams: whole("how many graphones back the joint n-gram model looks; it helps to choose among the best outputs", {
    least: 0,
    most: FURTHEST,
    otherwise: "6 if inputs are held out, otherwise none",
  }),
};

/** Options chosen by the user, by default, or from the data. */
export type TransducerOptions = Omit<DeclaredOptions, "words"> & { words: number };

/** Options as they are given to a training. */
export type GivenTransducerOptions = Partial<DeclaredOptions>;

export const transducerDefaults = defaultsOf(transducerOptions);

/** Refuses options out of range, by name. */
export function readTransducerOptions(
  given: object,
  settings?: { others?: readonly string[]; instead?: Partial<OptionsOf<typeof transducerOptions>> },
): OptionsOf<typeof transducerOptions> {
  const options = readOptions(transducerOptions, given, settings);
  if (options.strategy !== "rcms" || typeof options.contexts === "object") {
    const contexts = wholeOrRange("", { least: 1, most: MOST_CONTEXTS, usual: 1 });
    readOptions({ contexts }, { contexts: options.contexts });
  }
  return options;
}

/** The weight of a model of words until another is chosen: the best on held-out utterances of the Buckeye corpus. */
const WORDS = 0.4;
/** Up to this many inputs are few: every feature counts, and rows are made for what is not certain, too. */
export const FEW_INPUTS = 5_000;
/** Of fewer inputs, a tenth is too few to say which pass is best. */
const FEWEST_TO_HOLD_OUT = 50;
/** From this many inputs on, the held-out ones can tell which penalty is best, and how much a joint model counts. */
export const FEWEST_TO_CHOOSE = 1_000;
/** Input symbols with which a cross-validation takes too long. */
const MOST_TO_CROSS = 15_000;
/** Inputs held out, at most: more would not choose better and would be missed in training. */
export const MOST_HELD_OUT = 2_000;
/** Graphones that a joint model looks back: more gained nothing on held-out words of the CMU dictionary. */
const JOINT_GRAMS = 6;

/** Members of an ensemble that has one for each direction. */
export const DIRECTIONS = 2;
/** Of `auto`, a network for each direction beside rows: it learns and answers faster than these. */
const BOTH_KINDS = 3;

/** Whether inputs are so few and short that all of them have their turn to be held out. */
export function crosses(corpus: PairCorpus, { heldOut, strategy = "rcms" }: GivenTransducerOptions): boolean {
  const { inputCount, inputs } = corpus;
  const few = inputCount >= FEWEST_TO_HOLD_OUT && inputCount < FEWEST_TO_CHOOSE && inputs.length < MOST_TO_CROSS;
  return heldOut === undefined && strategy === "rcms" && few;
}

/** Whether to try a model of words that nobody asked for: most outputs hold several words, and held-out inputs can judge it. */
export function triesWords(corpus: PairCorpus, separator: number, given: GivenTransducerOptions): boolean {
  const { words, heldOut, jointGrams, strategy = "rcms" } = given;
  const isOpen = words === undefined && heldOut !== 0 && jointGrams === undefined && strategy === "rcms";
  if (!isOpen || separator < 0 || corpus.inputCount < FEWEST_TO_HOLD_OUT) return false;
  const answers = corpus.answerCount.length;
  let several = 0;
  for (let a = 0; a < answers; a++) if (answerOf(corpus, a).includes(separator)) several++;
  return 2 * several > answers;
}

/**
 * With attributes, many more features take part in a decision, so each takes shorter steps; and what is written at an end may be
 * long. Chosen on held-out pairs of Finnish inflection.
 */
const MARKED = { rate: 0.1, order: 12, contexts: 12 };
const MARKED_PENALTY = 16;

/** Outputs of several words are long, and much in them is in doubt at once: more contexts do more for them than more members. */
const WITH_WORDS = { contexts: 20 };

/** Whether the ends of inputs are symbols: where something else holds for inputs as a whole, more may be written there. */
export function hasEdges(corpus: PairCorpus, { edgeEmit }: GivenTransducerOptions): boolean {
  return edgeEmit === undefined ? corpus.marks.length > 0 : edgeEmit > 0;
}

/** Fills in what was not given and the data decide; see the declarations above. `judges`: inputs of the user's to choose by. */
export function chooseOptions(data: CutCorpus, given: GivenTransducerOptions, judges = 0): TransducerOptions {
  const { corpus } = data;
  const isMarked = corpus.marks.length > 0;
  const holdsOut = corpus.inputCount >= FEWEST_TO_HOLD_OUT || given.words === "chosen";
  const withWords = given.words !== undefined && given.words !== 0;
  const found = readTransducerOptions(given, {
    instead: {
      ...(hasEdges(corpus, given) ? neededEdges(data) : { maxEmit: neededEmit(corpus), edgeEmit: 0 }),
      copying: isMostlyCopied(data),
      minCount: corpus.inputCount > FEW_INPUTS || isMarked ? 2 : 1,
      ...(isMarked ? MARKED : {}),
      ...(withWords ? WITH_WORDS : {}),
      heldOut: holdsOut ? Math.min(0.1, MOST_HELD_OUT / corpus.inputCount) : 0,
      l2: (isMarked ? MARKED_PENALTY : 4) * Math.min(1, corpus.inputCount / 500),
      jointGrams: 0,
      encoder: "none",
      dropout: corpus.inputCount < FEWEST_TO_CHOOSE ? 0.3 : 0.2,
      ensemble: 1,
      words: 0,
      input: "chars",
      output: "chars",
    },
  });
  const words = found.words === "chosen" ? WORDS : found.words;
  const options = { ...found, words } as TransducerOptions;
  const isHeldOut = options.heldOut > 0 && (corpus.inputCount >= FEWEST_TO_CHOOSE || crosses(corpus, given));
  const canJudge = judges > 0 ? judges >= FEWEST_TO_HOLD_OUT : isHeldOut;
  const isFew = options.strategy === "rcms" && canJudge && corpus.inputCount <= FEW_INPUTS && !withWords;
  if (given.encoder === undefined && isFew && given.ensemble !== 1) options.encoder = "auto";
  if (given.ensemble === undefined && (isFew || options.encoder === "auto")) {
    options.ensemble = isFew && options.encoder === "auto" ? BOTH_KINDS : DIRECTIONS;
  }
  const isPlain = options.strategy === "rcms" && options.words === 0;
  if (given.jointGrams === undefined && isPlain && canJudge) options.jointGrams = JOINT_GRAMS;
  const most = mostWritten(corpus);
  for (const name of ["maxEmit", "edgeEmit"] as const) {
    if (options[name] <= most) continue;
    throw new InputError(`option \`${name}\` may be at most ${most} with so many different output symbols`);
  }
  const isJudged = judges > 0 || options.heldOut > 0;
  if (options.jointGrams > 0 && !isJudged) {
    throw new InputError("option `jointGrams` needs held-out inputs, which choose the weight of the graphone model");
  }
  if (given.words === "chosen" && !isJudged) {
    throw new InputError("option `words` needs a number if no inputs are held out", {
      hint: "give it a number, or hold out a share of the inputs",
    });
  }
  return options;
}

/** Options that may be others when a training goes on; the features depend on the rest. */
const goingOnNames: readonly string[] = [
  ...Object.keys(trainingOptions),
  "refit",
  "contexts",
  "sure",
  "lightest",
  "strategy",
];

export function keptOptions(from: TransducerOptions, given: GivenTransducerOptions): TransducerOptions {
  const named = presentNames(transducerOptions, given) as Record<string, unknown>;
  for (const [name, value] of Object.entries(named)) {
    const own = (from as unknown as Record<string, unknown>)[name];
    if (value === undefined || goingOnNames.includes(name) || String(value) === String(own)) continue;
    throw cannotChange(name, value, own);
  }
  return readTransducerOptions(named, { instead: { ...goOnOptions(from), l2: 0 } }) as TransducerOptions;
}

export function shapeOf(inputs: Alphabet, outputs: Alphabet, options: TransducerOptions): TransducerShape {
  // Input symbols, then the one for all that are unknown, then the outside.
  return {
    symbolCount: outputs.size + 1,
    boundary: inputs.size + 1,
    maxEmit: options.maxEmit,
    edgeEmit: options.edgeEmit,
    copies: copiesOf(inputs, outputs),
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
  const { contexts, sure, order, lightest, strategy } = options;
  const mode = strategy === "rcms" ? "rcms" : "beam";
  return withContexts(
    { mode, sure, order, lightest: mode === "rcms" ? lightest : 0, recombine: true, rows: "all" },
    contexts,
  );
}
