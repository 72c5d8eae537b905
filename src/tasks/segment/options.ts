// The options of a segmenter.

import type { Inference } from "../../engine/trellis.js";
import { goOnOptions } from "../../learn/go-on.js";
import { trainingOptions } from "../../learn/options.js";
import { choice, file, type OptionsOf, readOptions, whole } from "../../util/options.js";

export const segmenterOptions = {
  order: whole("how many segments back a decision looks", { least: 0, most: 100, usual: 1 }),
  contexts: whole("contexts to keep at each gap, beside `⋆`", { least: 0, usual: 20 }),
  mode: choice("how contexts are chosen", ["rcms", "beam", "exact"], {
    usual: "rcms",
    value: "mode",
    aliases: ["inference"],
  }),
  minCount: whole("leave out attributes seen fewer times", { least: 1, usual: 1 }),
  ...trainingOptions,
};

/** Lists of words that come as files. */
export const listOptions = {
  lexicon: file("words or phrases, one per line: being in the list is an attribute of a segment"),
};

export type ChosenOptions = OptionsOf<typeof segmenterOptions>;
export type SegmenterOptions = ChosenOptions & { l2: number };

export function inferenceOf({ mode, contexts, order }: Pick<ChosenOptions, "mode" | "contexts" | "order">): Inference {
  return { mode, contexts, order, recombine: true, byRows: mode === "exact", rows: "all" };
}

/** Options by name and range, with defaults, or with those of a segmenter that is to learn from more examples. */
export function readSegmenterOptions(
  given: object,
  { others, from }: { others?: readonly string[]; from?: { options: SegmenterOptions } } = {},
): ChosenOptions {
  const instead = from && { ...goOnOptions(from.options), l2: 0 };
  const options = readOptions(segmenterOptions, given, { others, instead });
  if (options.mode === "beam") readOptions({ contexts: whole("", { least: 1 }) }, { contexts: options.contexts });
  return options;
}
