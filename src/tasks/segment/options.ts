// The options of a segmenter, and what follows from them for the engine.

import { type Inference, withContexts } from "../../engine/inference.js";
import { goOnOptions } from "../../learn/go-on.js";
import { budgetOptions, choosingOptions, trainingOptions } from "../../learn/options.js";
import { choice, file, type OptionsOf, readOptions, whole, wholeOrRange } from "../../util/options.js";
import type { SegmenterOptions } from "./option-types.js";

export type { SegmenterOptions } from "./option-types.js";

/** The furthest that contexts may look back: what a model file may ask for, too. */
export const FURTHEST = 1_000;

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

/** Options by name and range, with defaults, or with those of a segmenter that is to learn from more examples. */
export function readSegmenterOptions(
  given: object,
  { others, from }: { others?: readonly string[]; from?: { options: SegmenterOptions } } = {},
): ChosenOptions {
  // L2 draws weights to zero, also those that the new examples say nothing of.
  const instead = from && { ...goOnOptions(from.options), l2: undefined };
  const options = readOptions(segmenterOptions, given, { others, instead });
  if (options.mode === "beam" || typeof options.contexts === "object") {
    readOptions({ contexts: wholeOrRange("", { least: 1, usual: 1 }) }, { contexts: options.contexts });
  }
  return options;
}
