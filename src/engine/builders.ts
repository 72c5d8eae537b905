// What those who build a task ask for most, with defaults: settings of inference, a family of rows, and answers that a kernel
// gives after a forward pass.

import { choice, flag, readOptions, real, whole } from "../util/options.js";
import type { Kernel } from "./backend.js";
import type { Inference } from "./inference.js";
import { bestPathsFrom, type Path, trellisLattice } from "./lattice.js";
import type { RowFamily } from "./problem.js";
import { nodeDepths, type RowTree } from "./rows.js";

const inferenceOptions = {
  mode: choice("how contexts are chosen", ["rcms", "beam", "exact"], { usual: "rcms" }),
  contexts: whole("contexts to keep at each slot, besides `⋆`", { least: 0, usual: 20 }),
  lightest: real("drop contexts with less than this share of the heaviest context's mass", {
    least: 0,
    most: 1,
    usual: 0,
  }),
  order: whole("how many decisions back rows look", { least: 0, usual: 2 }),
  recombine: flag("merge contexts that agree on the last `order` decisions", { usual: true }),
  byRows: flag("remember only what rows can distinguish"),
  rows: choice("which suffixes of a context have rows: only the longest, or all", ["longest", "all"], { usual: "all" }),
};

/**
 * Settings of inference. What is not given is: mode `rcms`, 20 contexts beside `⋆`, order 2, contexts that agree on their last
 * `order` decisions are one, rows of all suffixes. What is unknown or out of range is refused by name.
 */
export function inferenceWith(given: Partial<Inference> = {}): Inference {
  return readOptions(inferenceOptions, given);
}

/**
 * A family of rows that a tree finds. What is not given is: rows look as far back as the tree is deep, no symbol is skipped,
 * events are decisions alone, and walks begin at the root.
 */
export function rowFamily(tree: RowTree, given: Partial<Omit<RowFamily, "tree">> = {}): RowFamily {
  const depth = given.depth ?? nodeDepths(tree).reduce((most, own) => Math.max(most, own), 0);
  return { tree, skip: -1, pairs: false, keyed: false, ...given, depth };
}

/** The `count` best paths of a kernel's latest forward pass, from the best down; fewer if there are no more. */
export function nbest(kernel: Kernel, count: number): Path[] {
  const best = count > 0 ? kernel.bestPath() : undefined;
  return best ? bestPathsFrom(trellisLattice(kernel.trellis), best, count) : [];
}

/**
 * The probability of every decision, [slotCount][symbolCount], after a kernel's latest forward pass; makes the backward pass if
 * need be. All zero if there is no path.
 */
export function decisionProbabilities(kernel: Kernel): Float64Array {
  const { graph, logPartition } = kernel.trellis;
  const found = new Float64Array(graph.slotCount * graph.symbolCount);
  if (logPartition === Number.NEGATIVE_INFINITY) return found;
  kernel.backward();
  kernel.addExpectations(undefined, found, 1);
  return found;
}
