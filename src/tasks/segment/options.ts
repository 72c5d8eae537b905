// The options of a segmenter, and what follows from them for the engine.

import { type Inference, withContexts } from "../../engine/inference.js";
import { encoderOptions } from "../../learn/encoder/options.js";
import { encoderKinds } from "../../learn/encoder/shape.js";
import { cannotChange, goOnOptions } from "../../learn/go-on.js";
import { budgetOptions, choosingOptions, trainingOptions } from "../../learn/options.js";
import { choice, file, type OptionsOf, readOptions, whole, wholeOrRange } from "../../util/options.js";
import type { SegmenterOptions } from "./option-types.js";

export type { SegmenterOptions } from "./option-types.js";

/** The furthest that contexts may look back: what a model file may ask for, too. */
export const FURTHEST = 1_000;

const encoders = ["none", ...encoderKinds] as const;

export const segmenterOptions = {
  order: whole("how many segments back a decision looks", {
    least: 0,
    most: FURTHEST,
    otherwise: "2 if segments have labels, otherwise 0",
  }),
  contexts: wholeOrRange("contexts to keep at each gap, besides `⋆`; 5..100: more than 5 only where uncertain", {
    least: 0,
    most: 1_000_000,
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
  mode: choice("how contexts are chosen", ["rcms", "beam", "exact"], { usual: "rcms", value: "mode" }),
  beamTraining: choice("how beam search learns: with the right output kept in the beam or not", ["free", "forced"], {
    usual: "free",
  }),
  minCount: whole("leave out attributes seen fewer times than this", { least: 1, usual: 1 }),
  encoder: choice(
    "use a neural network instead of weights of positions: dense sees each alone, conv also its neighbours",
    encoders,
    { usual: "none", value: "kind" },
  ),
  ...encoderOptions,
  ...trainingOptions,
  ...choosingOptions,
  select: choice("measure that chooses settings; the accuracy of segments is their F1", ["accuracy", "likelihood"], {
    usual: "likelihood",
    value: "measure",
  }),
};

export const lexiconOptions = {
  lexicon: file("words or phrases, one per line; being in this list becomes an attribute of a segment"),
};

/** Options as given or by default; what is to be chosen by the data may be open. */
export type ChosenOptions = OptionsOf<typeof segmenterOptions>;

export function inferenceOf({
  mode,
  contexts,
  sure,
  order,
  rows,
}: Pick<SegmenterOptions, "mode" | "contexts" | "sure" | "order" | "rows">): Inference {
  return withContexts({ mode, sure, order, recombine: true, byRows: mode === "exact", rows }, contexts);
}

/** What a network is made of: one that learns on stays as it is. */
const shapeNames = ["encoder", "encoderWidth", "encoderLayers"] as const;

/**
 * Options by name and range, with defaults, or with those of a segmenter that training begins with, as far as they are kept: all if
 * it is to learn from more examples.
 */
export function readSegmenterOptions(
  given: object,
  { others, from, keep }: { others?: readonly string[]; from?: { options: SegmenterOptions }; keep?: boolean } = {},
): ChosenOptions {
  // L2 draws weights to zero, also those that the new examples say nothing of.
  const kept = from && keep ? { ...goOnOptions(from.options), l2: undefined } : {};
  const shape = from && Object.fromEntries(shapeNames.map((name) => [name, from.options[name]]));
  const options = readOptions(segmenterOptions, given, { others, instead: { ...kept, ...shape } });
  for (const name of shapeNames) {
    if (from && options[name] !== from.options[name]) throw cannotChange(name, options[name], from.options[name]);
  }
  if (options.mode === "beam" || typeof options.contexts === "object") {
    readOptions({ contexts: wholeOrRange("", { least: 1, usual: 1 }) }, { contexts: options.contexts });
  }
  return options;
}
