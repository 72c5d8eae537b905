// The best path, read from its end. The forward pass keeps the mass of the best path to each context and which contexts lead to it
// (its claim, less the claims nested within; what no context claims leads to `⋆`), but not which of these it comes from: that is
// looked for here, for the few contexts that the path goes through.

import { slotCount } from "../space";
import { chainSlots, int, num, setInt } from "../state";
import {
  bestOf,
  bestSymbolOf,
  chainEnd,
  claimedFromOf,
  factorsOf,
  lengthOf,
  parentOf,
  RECORD,
  symbolOf,
} from "./context";
import { findFactors } from "./factors";

/**
 * Writes the decisions of the best path, the last first. Factors are looked up again if `isForgotten`, by walks of up to
 * `longest` decisions.
 */
export function readBestPath(path: usize, isForgotten: bool, longest: i32): void {
  let end = chainEnd;
  let c = int(chainSlots, slotCount - 1);
  for (let slot = slotCount - 2; slot >= 0; slot--) {
    const from = int(chainSlots, slot);
    const to = int(chainSlots, slot + 1);
    const symbol = lengthOf(c) == 0 ? bestSymbolOf(c) : symbolOf(c);
    setInt(path, slotCount - 2 - slot, symbol);
    if (isForgotten) findFactors(from, to, (to - from) / RECORD, min(longest, slot + 1));
    c = bestBefore(c, symbol, from, to, end);
    end = to;
  }
}

/** The context from which the best path leads to another by a symbol. Contexts of its slot are `from` to `to`, the other's to `end`. */
function bestBefore(target: i32, symbol: i32, from: i32, to: i32, end: i32): i32 {
  const length = lengthOf(target);
  const first = length == 0 ? from : claimedFromOf(target);
  const last = length == 0 ? to - RECORD : parentOf(target);
  let found = first;
  let most: f64 = -1;
  for (let c = first; c <= last; c += RECORD) {
    const along = bestOf(c) * num(factorsOf(c), symbol);
    if (along <= most || isClaimed(c, symbol, length, to, end)) continue;
    most = along;
    found = c;
  }
  return found;
}

/** Whether a context leads by a symbol to one of `to` up to `end` that remembers more than `length` decisions. */
function isClaimed(c: i32, symbol: i32, length: i32, to: i32, end: i32): bool {
  for (let t = to; t < end; t += RECORD) {
    if (lengthOf(t) > length && symbolOf(t) == symbol && c >= claimedFromOf(t) && c <= parentOf(t)) return true;
  }
  return false;
}
