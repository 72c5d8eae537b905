// The probability of each decision of a path at its slot, by a backward pass over the chain that pass.ts leaves behind:
//   after(c, y) = E(y) * backward(the context that c leads to by y)
//   backward(c) = sum over y: factors(c)[y] * after(c, y)
//   P(y at the slot) = sum over c: forward(c) * factors(c)[y] * after(c, y) / sum over c: forward(c) * backward(c)
// What leads to a context by its symbol are contexts next to each other in the slot before, its claim, less the claims
// nested within; what no context claims leads to `⋆`. So `after` is one vector that changes where claims begin and end
// while the contexts of a slot are gone through, the last first.
//
// No digits are lost that count. All are sums of what is not negative; forward masses are normal numbers (pass.ts sees to
// that), and on the scale of its slot backward(c) <= 1 / forward(c); what is too small for a number would have added
// less than that to a probability.

import { Bundle } from "../../layout";
import { branchEnd, branchFirst, branchStart, slotCount } from "../space";
import { chainEmissions, chainSlots, int, need, num, scratch, setNum } from "../state";
import {
  backwardOf,
  beforeOf,
  chainEnd,
  clearClaims,
  entered,
  factorsOf,
  left,
  lengthOf,
  listClaim,
  RECORD,
  setBackward,
  setBefore,
  shareOf,
  symbolOf,
} from "./context";
import { findFactors } from "./factors";

// The slot at hand: its contexts from `from` up to `next`, those of the next slot from there up to `nextEnd`.
let from: i32 = 0;
let next: i32 = 0;
let nextEnd: i32 = 0;
/** The first symbol, and how many places there are for symbols. */
let first: i32 = 0;
let places: i32 = 0;
/** [places] E(y) */
let emissions: usize = 0;
/** [places] after(c, y) of the context at hand. */
let after: usize = 0;
/** What the backward masses of the next slot are to be multiplied by. */
let scale: f64 = 0;

/**
 * Writes to `to` the probabilities of the decisions of `path`, which is given last first. Emissions of slots are
 * `emissionStride` bytes apart; factors are looked up again if `isForgotten`, by walks of up to `longest` decisions.
 */
export function weighPath(path: usize, to: usize, emissionStride: usize, isForgotten: bool, longest: i32): void {
  need(Bundle.scratch, <i32>(emissionStride >> 3));
  after = scratch;
  next = int(chainSlots, slotCount - 1);
  nextEnd = chainEnd;
  scale = 1;
  setBackward(next, 1);
  for (let slot = slotCount - 2; slot >= 0; slot--) {
    const branch = int(branchStart, slot);
    from = int(chainSlots, slot);
    first = int(branchFirst, branch);
    places = (int(branchEnd, branch) - first + 1) & ~1;
    emissions = chainEmissions + <usize>slot * emissionStride;
    if (isForgotten) findFactors(from, next, (next - from) / RECORD, min(longest, slot + 1));
    listClaims();
    const total = goBack(int(path, slotCount - 2 - slot) - first);
    setNum(to, slot, decided / total);
    scale = 1 / total;
    nextEnd = next;
    next = from;
  }
}

/** Lists the claims that begin and end at each context, and begins with what no context claims: after(y) = E(y) * backward(⋆). */
function listClaims(): void {
  for (let c = from; c < next; c += RECORD) clearClaims(c);
  let last = nextEnd - RECORD;
  let unclaimed: f64 = 0;
  if (lengthOf(last) == 0) {
    unclaimed = backwardOf(last) * scale;
    last -= RECORD;
  }
  // Of claims that end together the inner ones come first in the lists: they are listed last.
  for (let claimer = last; claimer >= next; claimer -= RECORD) listClaim(claimer);
  const size = <usize>places << 3;
  const by = f64x2.splat(unclaimed);
  for (let at: usize = 0; at < size; at += 16) v128.store(after + at, f64x2.mul(by, v128.load(emissions + at)));
}

/** Mass of the decision asked for at the slot at hand. */
let decided: f64 = 0;

/** Sets the backward masses of the slot's contexts; returns the mass of all, and leaves that of one decision in `decided`. */
function goBack(place: i32): f64 {
  const size = <usize>places << 3;
  let total: f64 = 0;
  let mass: f64 = 0;
  for (let c = next - RECORD; c >= from; c -= RECORD) {
    for (let claimer = entered(c); claimer >= 0; claimer = entered(claimer)) {
      const y = symbolOf(claimer) - first;
      setBefore(claimer, num(after, y));
      setInPair(after, y, num(emissions, y) * (backwardOf(claimer) * scale));
    }
    const share = shareOf(c);
    // What has no forward mass takes no part; its backward mass would have no bound.
    let backward: f64 = 0;
    if (share > 0) {
      const factors = factorsOf(c) + (<usize>first << 3);
      backward = product(factors, after, size);
      total += share * backward;
      mass += share * (num(factors, place) * num(after, place));
    }
    setBackward(c, backward);
    for (let claimer = left(c); claimer >= 0; claimer = left(claimer)) {
      setInPair(after, symbolOf(claimer) - first, beforeOf(claimer));
    }
  }
  decided = mass;
  return total;
}

/**
 * Sets one number of an array of pairs, by writing its pair: a processor hands on what it has just been told to store to whoever
 * reads as much or less of it, but makes those wait who read a pair of which only half was stored.
 */
// @ts-expect-error
@inline
function setInPair(array: usize, i: i32, value: f64): void {
  const at = array + (<usize>(i & ~1) << 3);
  const pair = v128.load(at);
  const isSecond = i64x2.splat(-(<i64>(i & 1)));
  const first = f64x2.replace_lane(pair, 0, value);
  const second = f64x2.replace_lane(pair, 1, value);
  v128.store(at, v128.bitselect(second, first, isSecond));
}

/** The sum of a[i] * b[i] over `size` bytes, a multiple of 16. */
// @ts-expect-error
@inline
function product(a: usize, b: usize, size: usize): f64 {
  let sum = f64x2.splat(0);
  let other = f64x2.splat(0);
  let at: usize = 0;
  for (const fours = size & ~31; at < fours; at += 32) {
    sum = f64x2.add(sum, f64x2.mul(v128.load(a + at), v128.load(b + at)));
    other = f64x2.add(other, f64x2.mul(v128.load(a + at, 16), v128.load(b + at, 16)));
  }
  if (at < size) sum = f64x2.add(sum, f64x2.mul(v128.load(a + at), v128.load(b + at)));
  sum = f64x2.add(sum, other);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}
