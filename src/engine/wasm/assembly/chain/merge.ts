// Merge: makes the contexts of the next slot of the expansions that were kept, with
//   forward(t) = sum over the groups g and symbols y that lead to t: mass(g, y)
// and the mass of the best path to each; where that comes from is found when it is read (trace.ts). A kept context claims the
// groups that lead to it by its symbol, the longest first; what no context has claimed leads to `⋆`, or is lost.

import { GroupBytes } from "../../layout";
import { commonBetween, evenCommon, groupAt } from "../groups";
import { groupOfKey, kept, symbolOfKey } from "../kept";
import { BEGIN } from "../space";
import { groups, keptKey, num, setNum } from "../state";
import { maxOf, sumAndTop } from "../vector";
import { addToChain, enter, growChain, RECORD, setBestSymbol, setClaimedFrom } from "./context";
import { Asked, rowOf, Slot } from "./slot";

export function merge(hasStar: bool): void {
  growChain(kept + 1);
  // In variables of their own: what is stored in the loop cannot change them.
  const first = Slot.first;
  const even = evenCommon();
  const end = keptKey + (<usize>kept << 3);
  let lastPlace = Slot.reaching; // of the symbols with contexts, which are listed there
  for (let at = keptKey; at < end; at += 8) {
    const name = load<u64>(at);
    const next = at + 8 < end ? load<u64>(at, 8) : u64.MAX_VALUE;
    const place = symbolOfKey(name);
    const g = groupOfKey(name);
    const isNext = symbolOfKey(next) == place;
    const common = even >= 0 ? even & -i32(isNext) : isNext ? commonBetween(g, groupOfKey(next)) : 0;
    const group = groupAt(g);
    const length = load<i32>(group, GroupBytes.length);
    // Any member would do to remember; that it is the last tells the backward pass where the claim ends.
    const parent = load<i32>(group, GroupBytes.membersEnd) - RECORD;
    claim(addToChain(parent, first + place, length, common), length, g, place, even);
    store<i32>(lastPlace, place);
    lastPlace += <usize>i32(!isNext) << 2;
  }
  if (!hasStar) return;
  // Not before all is claimed: what was just stored in parts is slow to be read as a whole.
  for (let at = Slot.reaching; at < lastPlace; at += 4) leaveRest(load<i32>(at));
  takeRest(addToChain(-1, BEGIN, 0, 0));
}

/**
 * Leads to a kept context what has it as its longest kept suffix: its own group and, unless the rest is lost, the
 * groups before it that end in it and that no longer context has claimed. Contexts come longest first. Neighbours have `even`
 * decisions in common, if that is not negative.
 */
// @ts-expect-error
@inline
function claim(context: i32, length: i32, own: i32, place: i32, even: i32): void {
  const row = rowOf(place);
  const start = Asked.isBeam ? own : even >= 0 ? (length > even ? own : 0) : claimStart(own, length);
  const last = row + (<usize>own << 3);
  const toAlong = Slot.stride;
  let sum: f64;
  let best: f64;
  if (start == own) {
    sum = load<f64>(last);
    best = load<f64>(last + toAlong);
    store<f64>(last, 0);
    store<f64>(last + toAlong, 0);
  } else {
    const first = row + (<usize>start << 3);
    claimRange(first, last + 8, toAlong);
    sum = claimedSum;
    best = claimedBest;
    for (let at = first; at <= last; at += 8) {
      store<f64>(at, 0);
      store<f64>(at + toAlong, 0);
    }
  }
  setClaimedFrom(context, load<i32>(groupAt(start), GroupBytes.members));
  enter(context, sum, best);
}

/** The first of the groups whose expansions end in those of `own`, which remember `length` decisions. It is the same for all symbols. */
// @ts-expect-error
@inline
function claimStart(own: i32, length: i32): i32 {
  const group = groupAt(own);
  let at = <usize>load<i32>(group, GroupBytes.claimStart);
  if (at == 0) {
    at = group;
    while (at > groups && load<i32>(at - GroupBytes.bytes, GroupBytes.common) >= length) at -= GroupBytes.bytes;
    store<i32>(group, <i32>at, GroupBytes.claimStart);
  }
  return <i32>(at - groups) / GroupBytes.bytes;
}

let claimedSum: f64 = 0;
let claimedBest: f64 = 0;

/** The sum of the masses from one address up to another, and the greatest of those of best paths. */
function claimRange(at: usize, end: usize, toAlong: usize): void {
  let sums = f64x2.splat(0);
  let bests = f64x2.splat(0);
  for (; at + 16 <= end; at += 16) {
    sums = f64x2.add(sums, v128.load(at));
    bests = f64x2.pmax(bests, v128.load(at + toAlong));
  }
  if (at < end) {
    sums = f64x2.add(sums, v128.load_zero<f64>(at));
    bests = f64x2.pmax(bests, v128.load_zero<f64>(at + toAlong));
  }
  claimedSum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  claimedBest = max(f64x2.extract_lane(bests, 0), f64x2.extract_lane(bests, 1));
}

/** What is left of a symbol's expansions, some of which are claimed. */
// @ts-expect-error
@inline
function leaveRest(place: i32): void {
  const row = rowOf(place);
  claimRange(row, row + Slot.stride, Slot.stride);
  setNum(Slot.restSum, place, claimedSum);
  setNum(Slot.restBest, place, claimedBest);
}

/** What no kept context has claimed leads to `⋆`. */
function takeRest(star: i32): void {
  const best = maxOf(Slot.restBest, Slot.places);
  enter(star, f64x2.extract_lane(sumAndTop(Slot.restSum, Slot.places), 0), best);
  let place = 0;
  while (num(Slot.restBest, place) != best) place++;
  setBestSymbol(star, Slot.first + place);
}
