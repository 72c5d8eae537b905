// The probability of each decision of a path at its slot, by a backward pass over the chain that best.ts leaves behind:
//   after(c, y) = E(y) * backward(the context that c leads to by y)
//   backward(c) = sum over y: factors(c)[y] * after(c, y)
//   P(y at the slot) = sum over c: forward(c) * factors(c)[y] * after(c, y) / sum over c: forward(c) * backward(c)
// What leads to a context by its symbol are contexts next to each other in the slot before, its claim, less the claims
// nested within; what no context claims leads to `⋆`. So `after` is one vector that changes where claims begin and end
// while the contexts of a slot are gone through, the last first.
//
// No digits are lost that count. All are sums of what is not negative; forward masses are normal numbers (best.ts sees to
// that), and on the scale of its slot backward(c) <= 1 / forward(c); what is too small for a number would have added
// less than that to a probability.

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
} from "./chain";
import { findFactors } from "./factors";
import { branchEnd, branchFirst, branchStart, slotCount } from "./space";
import { chainEmissions, chainSlots, int, needSums, num, setNum, sums } from "./state";

/**
 * Writes to `to` the probabilities of the decisions of `path`, which is given last first. Emissions of slots are
 * `emissionStride` bytes apart; factors are looked up again if `isForgotten`, by walks of up to `longest` decisions.
 */
export function weighPath(path: usize, to: usize, emissionStride: usize, isForgotten: bool, longest: i32): void {
  needSums(<i32>(emissionStride >> 3));
  let next = int(chainSlots, slotCount - 1);
  let nextEnd = chainEnd;
  let scale: f64 = 1;
  setBackward(next, 1);
  for (let slot = slotCount - 2; slot >= 0; slot--) {
    const from = int(chainSlots, slot);
    const branch = int(branchStart, slot);
    const first = int(branchFirst, branch);
    if (isForgotten) findFactors(from, next, (next - from) / RECORD, min(longest, slot + 1));
    const places = (int(branchEnd, branch) - first + 1) & ~1;
    const total = goBack(
      from,
      next,
      nextEnd,
      first,
      places,
      chainEmissions + <usize>slot * emissionStride,
      scale,
      int(path, slotCount - 2 - slot) - first,
    );
    setNum(to, slot, decided / total);
    scale = 1 / total;
    nextEnd = next;
    next = from;
  }
}

/** Mass of the decision asked for at the slot at hand. */
let decided: f64 = 0;

/**
 * Sets the backward masses of the contexts from `from` up to `next`, where those of the next slot begin; these are to
 * be multiplied by `scale`. Returns the mass of all, and leaves that of the decision at `place` in `decided`.
 */
function goBack(
  from: i32,
  next: i32,
  nextEnd: i32,
  first: i32,
  places: i32,
  emissions: usize,
  scale: f64,
  place: i32,
): f64 {
  for (let c = from; c < next; c += RECORD) clearClaims(c);
  let last = nextEnd - RECORD;
  let unclaimed: f64 = 0;
  if (lengthOf(last) == 0) {
    unclaimed = backwardOf(last) * scale;
    last -= RECORD;
  }
  // Of claims that end together the inner ones come first in the lists: they are listed last.
  for (let claimer = last; claimer >= next; claimer -= RECORD) listClaim(claimer);
  const after = sums;
  const size = <usize>places << 3;
  const by = f64x2.splat(unclaimed);
  for (let at: usize = 0; at < size; at += 16) v128.store(after + at, f64x2.mul(by, v128.load(emissions + at)));
  let total: f64 = 0;
  let mass: f64 = 0;
  for (let c = next - RECORD; c >= from; c -= RECORD) {
    for (let claimer = entered(c); claimer >= 0; claimer = entered(claimer)) {
      const y = symbolOf(claimer) - first;
      setBefore(claimer, num(after, y));
      setNum(after, y, num(emissions, y) * (backwardOf(claimer) * scale));
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
      setNum(after, symbolOf(claimer) - first, beforeOf(claimer));
    }
  }
  decided = mass;
  return total;
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
