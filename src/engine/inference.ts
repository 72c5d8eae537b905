// The settings of a forward pass: which contexts a slot keeps, how much they remember, and which rows they have.

import type { Range } from "../util/options.js";

export interface Inference {
  /** `rcms`: the heaviest and `⋆`. `beam`: the heaviest alone, all else is lost. `exact`: every context with rows of its own. */
  mode: "rcms" | "beam" | "exact";
  /** How many contexts each slot keeps beside `⋆` (B). `exact` ignores it. */
  contexts: number;
  /**
   * Begin with so many contexts, and keep more, up to `contexts`, only where that leaves doubt: see budget.ts. A kernel's
   * single pass knows nothing of it. Without it there are `contexts` from the first.
   */
  least?: number;
  /** With `least`: an output with so much probability is not in doubt. Default: `USUAL_SURE`. */
  sure?: number;
  /**
   * Contexts with less than this share of the mass of their slot's heaviest are not kept, which saves time where there is
   * little doubt. With `⋆` they stay covered. Default 0. `exact` ignores it.
   */
  lightest?: number;
  /** How many decisions back the rows look; contexts remember no more than that if `recombine` is on. */
  order: number;
  /** Contexts that agree on their last `order` decisions are one. */
  recombine: boolean;
  /** With `recombine`: contexts that no row tells apart are one, too, and remember only what the rows can see. */
  byRows?: boolean;
  /** Rows of a context: of its longest remembered suffix alone, or of all its suffixes. */
  rows: "longest" | "all";
}

/** Settings with so many contexts, or with a range of them. */
export function withContexts<I extends Omit<Inference, "contexts">>(
  inference: I,
  contexts: number | Range,
): I & Inference {
  if (typeof contexts === "number") return { ...inference, contexts, least: undefined };
  return { ...inference, contexts: contexts.most, least: contexts.least };
}

/** What is sure enough, if nothing is said. */
export const USUAL_SURE = 0.95;

/** Longer than any suffix. */
const UNLIMITED = 2 ** 31 - 1;

/** The most decisions that a context may remember. */
export function longestSuffix({ recombine, order }: Inference): number {
  return recombine || order === 0 ? order : UNLIMITED;
}

/** Whether contexts remember only what rows can tell apart. */
export function remembersByRows({ byRows, recombine, order }: Inference): boolean {
  return byRows === true && recombine && order > 0;
}
