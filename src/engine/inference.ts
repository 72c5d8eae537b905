// The settings of a forward pass: which contexts a slot keeps, how much they remember, and which rows they have.

import type { Range } from "../util/options.js";

export interface Inference {
  /**
   * `rcms`: the heaviest contexts and `⋆`. `beam`: only the heaviest; the rest is lost. `exact`: every context that has its own
   * rows.
   */
  mode: "rcms" | "beam" | "exact";
  /** How many contexts each slot keeps besides `⋆` (B). `exact` ignores it. */
  contexts: number;
  /**
   * Start with this many contexts, and keep more, up to `contexts`, only where the result is uncertain: see budget.ts. A single
   * pass of a kernel does not use it. If absent, all passes keep `contexts`.
   */
  least?: number;
  /** With `least`: an output this probable counts as certain. Default: `USUAL_SURE`. */
  sure?: number;
  /**
   * Contexts with less than this share of the mass of their slot's heaviest are dropped, which saves time where there is little
   * uncertainty. `⋆` still covers them. Default 0. `exact` ignores it.
   */
  lightest?: number;
  /** How many decisions back the rows look; contexts remember no more than that if `recombine` is on. */
  order: number;
  /** Merge contexts that agree on their last `order` decisions. */
  recombine: boolean;
  /** With `recombine`: also merge contexts that no row distinguishes; they remember only what the rows can see. */
  byRows?: boolean;
  /** Which rows a context has: only those of its longest remembered suffix, or those of all its suffixes. */
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
