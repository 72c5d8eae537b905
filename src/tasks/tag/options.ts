// The options of a tagger, and what follows from them for the engine.

import { beamTrainings } from "../../engine/beam-gradient.js";
import { type Inference, withContexts } from "../../engine/inference.js";
import { encoderOptions } from "../../learn/encoder/options.js";
import { encoderKinds } from "../../learn/encoder/shape.js";
import { goOnOptions } from "../../learn/go-on.js";
import { budgetOptions, choosingOptions, trainingOptions } from "../../learn/options.js";
import { areChunkLabels } from "../../metrics/tagging.js";
import { InputError } from "../../util/errors.js";
import {
  choice,
  defaultsOf,
  file,
  files,
  flag,
  lines,
  type OptionsOf,
  readOptions,
  real,
  text,
  whole,
  wholeOrRange,
} from "../../util/options.js";
import { NO_PARTS, separatorOf } from "./label-parts.js";
import type { TaggerOptions } from "./option-types.js";
import { learnedSchemes } from "./scheme.js";

export type { TaggerOptions } from "./option-types.js";

/** `data`: labels as they are. */
const schemeChoices = ["data", ...learnedSchemes] as const;

/** Networks beside the rows. */
const encoders = ["none", ...encoderKinds] as const;

export const modes = ["rcms", "beam", "exact"] as const;

export const taggerOptions = {
  order: whole("how many labels back a decision looks", { least: 0, usual: 2 }),
  contexts: wholeOrRange("contexts to keep at each position, besides `⋆`; 5..100: more than 5 only where uncertain", {
    least: 0,
    usual: 20,
  }),
  ...budgetOptions,
  rows: choice(
    "which suffixes of a context have weights: only the longest, as in the paper, or all",
    ["longest", "all"],
    {
      usual: "all",
    },
  ),
  mode: choice("how contexts are chosen", modes, {
    usual: "rcms",
    value: "mode",
    aliases: ["inference"],
  }),
  beamTraining: choice(
    "what beam search learns from: decisions up to where the right output lags most, up to where it is lost, or all",
    beamTrainings,
    {
      usual: "violation",
    },
  ),
  recombine: flag("merge contexts that agree on the last `order` labels", {
    usual: true,
    off: "do not merge contexts that agree on the last labels",
  }),
  minCount: whole("leave out attributes seen fewer times than this", { least: 1, usual: 1 }),
  unseen: flag("give attributes weights also for labels they were not seen with, where these are likely", {
    usual: true,
    off: "give attributes weights only for labels they were seen with: faster, often slightly worse",
  }),
  margin: real(
    "by how much right labels must score better than others while learning, for each wrong label of an output",
    {
      least: 0,
      most: 100,
      otherwise: "1; 0 with an encoder, in a beam, or if nothing is held out",
    },
  ),
  classes: flag(
    "group the words of the data into classes by their neighbours and add attributes for these, if a template sees only whole words",
    {
      usual: true,
      off: "add no attributes for classes of words",
    },
  ),
  scheme: choice("scheme to learn labels such as B-PER in; answers use the scheme of the data", schemeChoices, {
    value: "name",
    otherwise: "bio for IOB1 data, otherwise that of the data",
  }),
  constrained: flag("never answer with labels that break their scheme, such as I-PER after O"),
  labelParts: text("separator between parts of labels, such as `|` in NOUN|Case=Gen; `none`: no parts", {
    value: "separator",
    otherwise: "detected",
  }),
  shortlist: whole("maximum number of labels to consider at each position; 0: all labels", {
    least: 0,
    otherwise: "64 if labels have parts or there are more than 128, otherwise all",
  }),
  conjoin: flag("also combine every attribute with the previous label"),
  encoder: choice(
    "use a neural network instead of weights: dense sees each position alone, conv also its neighbours",
    encoders,
    {
      usual: "none",
      value: "kind",
    },
  ),
  ...encoderOptions,
  ...trainingOptions,
  passes: whole("maximum number of passes over the examples", { least: 1, usual: 7, aliases: ["epochs"] }),
  rate: real("step size", { least: 0, above: true, most: 100, usual: 0.5 }),
  patience: whole("passes without improvement on the held-out part before training stops", { least: 0, usual: 2 }),
  select: choice("measure that chooses settings", ["f1", "accuracy", "likelihood"], {
    value: "measure",
    otherwise: "f1 if labels mark spans (B-NP, I-NP, O), otherwise accuracy",
  }),
  ...choosingOptions,
};

/** Where attributes of columns come from, as far as the command line can say it. */
export const attributeOptions = {
  template: file("generate attributes with a CRF++ or Wapiti template"),
  lexicon: files("words, phrases or a table `word TAB class` for extra attributes; stored in the model"),
  vectors: lines("word vectors as text (word2vec, GloVe, fastText) for extra inputs; stored in the model"),
  vectorsWords: whole("vectors to keep besides those of words in the data: the first in the file", {
    least: 0,
    usual: 50_000,
  }),
  features: choice("built-in attributes of columns", ["text", "chunking"], { value: "set", otherwise: "text" }),
};

/** `l2`, `heldOut`, `select`, `margin`, `labelParts` and `shortlist` have no default: what is not given is chosen by the data. */
export const taggerDefaults = defaultsOf(taggerOptions);

/** Options as given or by default; what is to be chosen by the data may be open. */
export type ChosenOptions = OptionsOf<typeof taggerOptions>;

/** The longest shortlist that is not asked for, and how many labels without parts all are considered. */
const SHORTLIST = { most: 64, fewest: 128 };

/** What stands between the parts of labels, `none` if they have none, and the length of shortlists, as given or by the labels. */
export function labelOptions(
  labels: readonly string[],
  given: Pick<ChosenOptions, "labelParts" | "shortlist">,
): Pick<TaggerOptions, "labelParts" | "shortlist"> {
  // A label that marks a span may need another one beside it: no list of the best knows that.
  const marksSpans = areChunkLabels(labels);
  const { labelParts = (marksSpans ? undefined : separatorOf(labels)) ?? NO_PARTS, shortlist } = given;
  if (labelParts === "") throw new InputError("option `labelParts` is empty: give a separator, or `none`");
  if (marksSpans) return { labelParts, shortlist: shortlist ?? 0 };
  const isLong = labelParts !== NO_PARTS || labels.length > SHORTLIST.fewest;
  return { labelParts, shortlist: shortlist ?? (isLong ? SHORTLIST.most : 0) };
}

/**
 * Contexts with less than this share of the heaviest one's mass are not kept while learning: half of the time, and weights that are as
 * good.
 */
const LIGHTEST = 0.001;

export function inferenceOf(
  options: Pick<ChosenOptions, "mode" | "contexts" | "sure" | "order" | "recombine" | "rows" | "shortlist">,
): Inference {
  const { mode, contexts, sure, order, recombine, rows, shortlist } = options;
  // Telling contexts apart by their rows costs more than it gains, but for exact inference, which keeps them all.
  const inference = withContexts(
    { mode, sure, order, recombine, byRows: recombine && mode === "exact", rows },
    contexts,
  );
  return shortlist ? lightInference(inference) : inference;
}

/** What inference looks like while learning, and with shortlists ever after. In a beam, all that it has room for is kept. */
export function lightInference(inference: Inference): Inference {
  return inference.mode === "rcms" ? { ...inference, lightest: LIGHTEST } : inference;
}

/** Options by name and range, with defaults, or with those of a tagger that is to learn from more examples. */
export function readTaggerOptions(
  given: object,
  { others, from }: { others?: readonly string[]; from?: { options: TaggerOptions } } = {},
): ChosenOptions {
  // L2 draws weights to zero, also those that the new examples say nothing of. A margin makes weights larger than the temperature left them.
  const instead = from && { ...goOnOptions(from.options), l2: undefined, margin: 0 };
  const options = readOptions(taggerOptions, given, { others, instead });
  if (options.mode === "beam" || typeof options.contexts === "object") {
    readOptions({ contexts: wholeOrRange("", { least: 1, usual: 1 }) }, { contexts: options.contexts });
  }
  return options;
}
