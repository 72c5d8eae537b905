// The options of a tagger: what they mean, their defaults, what is refused.

import type { Inference } from "../../engine/trellis.js";
import { goOnOptions } from "../../learn/go-on.js";
import { checkTrainingOptions } from "../../learn/limits.js";
import { type TrainingOptions, trainingDefaults } from "../../learn/training.js";
import { OptionChecks } from "../../util/checks.js";

export interface TaggerOptions extends TrainingOptions {
  /** How many labels back a decision looks. */
  order: number;
  /** How many contexts each position keeps beside `⋆`. */
  contexts: number;
  /** Rows of a context: of its longest suffix alone, as in the paper, or of all its suffixes. */
  rows: "longest" | "all";
  inference: "rcms" | "beam" | "exact";
  /** Contexts that agree on the last `order` labels are one. */
  recombine: boolean;
  /** Attributes seen fewer times in training are left out. */
  minCount: number;
  /** Conjoin every attribute with the previous label too. What is conjoined has no value of its own: it is there or not. */
  conjoin: boolean;
}

/** `l2` has no default: if it is not given, it is chosen on held-out sequences. */
export const taggerDefaults: Omit<TaggerOptions, "l2"> = {
  ...trainingDefaults,
  order: 2,
  contexts: 20,
  rows: "all",
  inference: "rcms",
  recombine: true,
  minCount: 1,
  conjoin: false,
};

/** The names of all options that are plain values. */
export const taggerOptionNames: readonly (keyof TaggerOptions)[] = [
  ...(Object.keys(taggerDefaults) as (keyof typeof taggerDefaults)[]),
  "l2",
  "truncate",
];

/** Options as given or by default; what is to be chosen by the data may be open. */
export type ChosenOptions = Omit<TaggerOptions, "l2"> & { l2?: number };

export function inferenceOf(options: Omit<TaggerOptions, "l2">): Inference {
  const { inference, contexts, order, recombine, rows } = options;
  // Telling contexts apart by their rows costs more than it gains, but for exact inference, which keeps them all.
  return { mode: inference, contexts, order, recombine, byRows: recombine && inference === "exact", rows };
}

/** The options of a tagger that is to learn from more examples, for those. */
export function keptOptions(from: { options: TaggerOptions }): ChosenOptions {
  // L2 draws weights to zero, also those that the new examples say nothing of.
  const { l2: _, ...options } = from.options;
  return goOnOptions(options);
}

/** Refuses options out of range, by name. */
export function checkTaggerOptions(options: ChosenOptions): void {
  checkTrainingOptions(options);
  const checks = new OptionChecks(options);
  checks.whole("order", 0);
  checks.whole("contexts", options.inference === "beam" ? 1 : 0);
  checks.whole("minCount", 1);
  checks.oneOf("rows", ["longest", "all"]);
  checks.oneOf("inference", ["rcms", "beam", "exact"]);
}
