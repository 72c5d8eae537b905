// Merge: leads every group of expansions to its longest kept suffix, as the paper's appendix does. Groups are sorted by
// suffix, so the kept suffixes of a group lie behind it: one pass backwards with a stack finds them all.

import type { Trellis } from "./trellis.js";

/**
 * For groups 0 .. count - 1 of a sorted list: `common[first + g]` is how many decisions group g has in common with the next,
 * and `targets[at + g]` the context it was kept as, or -1. Sets the latter to where each group leads: to itself if it
 * was kept, else to its longest kept suffix, `star` at least, or -1 with `losesRest`. Sets what kept contexts have in
 * common with the next. `ancestors` has room for all kept contexts and one more.
 */
export function leadToKept(
  { contextLength, contextCommon }: Trellis,
  common: Int32Array,
  first: number,
  count: number,
  targets: Int32Array,
  at: number,
  star: number,
  losesRest: boolean,
  ancestors: Int32Array,
): void {
  let depth = 0;
  if (star >= 0) ancestors[depth++] = star;
  let inCommon = 0; // decisions that the group at hand and the context kept last have in common
  for (let g = count - 1; g >= 0; g--) {
    if (common[first + g] < inCommon) inCommon = common[first + g];
    while (depth > 0 && inCommon < contextLength[ancestors[depth - 1]]) depth--;
    const kept = targets[at + g];
    if (kept >= 0) {
      contextCommon[kept] = inCommon;
      ancestors[depth++] = kept;
      inCommon = contextLength[kept];
    } else targets[at + g] = losesRest || depth === 0 ? -1 : ancestors[depth - 1];
  }
}
