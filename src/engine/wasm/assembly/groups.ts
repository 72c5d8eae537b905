// Groups: contexts next to each other in a sorted list whose expansions by a symbol are one context, since they agree on all
// that is remembered of them. `GroupBytes` says what a record holds.

import { Bundle, GroupBytes } from "../layout";
import { groups, need } from "./state";

// @ts-expect-error
@inline
export function groupAt(g: i32): usize {
  return groups + <usize>(g * GroupBytes.bytes);
}

/** The most decisions that an expansion remembers. */
let longest: i32 = 0;
/** The fewest and the most decisions that neighbours among the groups formed last have in common. */
let fewestCommon: i32 = 0;
let mostCommon: i32 = 0;

export function useGroups(longestSuffix: i32): void {
  longest = longestSuffix;
}

/**
 * Forms the groups `first`, `first + 1`, … of a list of `count` contexts, which are called `base`, `base + step`, … At
 * `suffixes`, every `stride` bytes, stands how many decisions a context remembers, and behind it how many of these it has
 * in common with the next. Returns one past the last group.
 */
export function formGroups(first: i32, suffixes: usize, stride: usize, count: i32, base: i32, step: i32): i32 {
  need(Bundle.groups, first + count);
  const end = suffixes + <usize>count * stride;
  let at = groupAt(first);
  let context = base;
  let next = suffixes;
  let fewest = i32.MAX_VALUE;
  let most = 0;
  while (next < end) {
    // An expansion remembers one decision more than its context.
    const length = min(load<i32>(next) + 1, longest);
    let common = min(load<i32>(next, 4) + 1, longest);
    store<i32>(at, context, GroupBytes.members);
    next += stride;
    context += step;
    while (next < end && common >= length && min(load<i32>(next) + 1, longest) == length) {
      common = min(load<i32>(next, 4) + 1, longest);
      next += stride;
      context += step;
    }
    store<i32>(at, context, GroupBytes.membersEnd);
    store<i32>(at, length, GroupBytes.length);
    store<i32>(at, common, GroupBytes.common);
    fewest = min(fewest, common);
    most = max(most, common);
    at += GroupBytes.bytes;
  }
  fewestCommon = fewest;
  mostCommon = most;
  return <i32>(at - groups) / GroupBytes.bytes;
}

/** How many decisions the expansions of two groups by one symbol have in common. */
// @ts-expect-error
@inline
export function commonBetween(g: i32, later: i32): i32 {
  let common = i32.MAX_VALUE;
  for (let h = g; h < later; h++) common = min(common, load<i32>(groupAt(h), GroupBytes.common));
  return common;
}

/**
 * How many decisions neighbours among the groups formed last have in common, if it is the same for all of them, as it is with
 * bigrams and trigrams; -1 if not.
 */
// @ts-expect-error
@inline
export function evenCommon(): i32 {
  return fewestCommon == mostCommon ? fewestCommon : -1;
}
