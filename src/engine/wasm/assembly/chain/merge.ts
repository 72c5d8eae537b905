// Merge: makes the contexts of the next slot of the expansions that were kept, with
//   forward(t) = sum over the groups g and symbols y that lead to t: mass(g, y)
// and where the best path to each comes from. A kept context claims the groups that lead to it by its symbol, the longest
// first; what no context has claimed leads to `⋆`, or is lost.

import { GroupBytes } from "../../layout";
import { commonBetween, groupAt } from "../groups";
import { groupOfKey, kept, key, symbolOfKey } from "../kept";
import { BEGIN } from "../space";
import { groups, num, setNum } from "../state";
import { maxOf, sumAndTop } from "../vector";
import { addToChain, bestOf, enter, factorsOf, growChain, RECORD, setClaimedFrom, shareOf } from "./context";
import { Asked, massesAt, Slot } from "./slot";
import { bestsOfSeveral, isAlone } from "./weigh";

export function merge(hasStar: bool): void {
  growChain(kept + 1);
  for (let i = 0; i < kept; ) {
    const place = symbolOfKey(key(i));
    const symbol = Slot.first + place;
    for (;;) {
      const g = groupOfKey(key(i));
      const isNext = i + 1 < kept && symbolOfKey(key(i + 1)) == place;
      const common = isNext ? commonBetween(g, groupOfKey(key(i + 1))) : 0;
      const group = groupAt(g);
      const length = load<i32>(group, GroupBytes.length);
      // Any member would do to remember; that it is the last tells the backward pass where the claim ends.
      const parent = load<i32>(group, GroupBytes.membersEnd) - RECORD;
      claim(addToChain(parent, symbol, length, common), length, g, place);
      i++;
      if (!isNext) break;
    }
    if (hasStar) leaveRest(place);
  }
  if (hasStar) takeRest(addToChain(-1, BEGIN, 0, 0));
}

/**
 * Leads to a kept context what has it as its longest kept suffix: its own group and, unless the rest is lost, the
 * groups before it that end in it and that no longer context has claimed. Contexts come longest first.
 */
// @ts-expect-error
@inline
function claim(context: i32, length: i32, own: i32, place: i32): void {
  const row = massesAt(place);
  const toBests = Slot.bests - row;
  const hasSeveral = Slot.firstSeveral >= 0;
  const least = Asked.isBeam ? groupAt(own) : groups;
  let at = groupAt(own);
  let there = row + (<usize>own << 3);
  let sum: f64 = 0;
  let bestMass: f64 = 0;
  let bestGroup = at;
  for (;;) {
    const weight = load<f64>(there);
    if (weight == 0) {
      // Claimed by a longer context, with groups before it, or without any mass.
      const start = <usize>load<i32>(at, GroupBytes.claimedFrom);
      there -= ((at - start) / GroupBytes.bytes) << 3;
      at = start;
    } else {
      store<f64>(there, 0);
      sum += weight;
      let along = weight * load<f64>(there + toBests);
      if (hasSeveral && !isAlone(at)) {
        along = num(Slot.emissions, place) * num(bestsOfSeveral(<i32>(there - row) >> 3), place);
      }
      const isBetter = along >= bestMass;
      bestMass = select<f64>(along, bestMass, isBetter);
      bestGroup = select<usize>(at, bestGroup, isBetter);
    }
    if (at == least || load<i32>(at - GroupBytes.bytes, GroupBytes.common) < length) break;
    at -= GroupBytes.bytes;
    there -= 8;
  }
  store<i32>(groupAt(own), <i32>at, GroupBytes.claimedFrom);
  setClaimedFrom(context, load<i32>(at, GroupBytes.members));
  enter(context, sum, bestMass, bestMember(bestGroup, place), Slot.first + place);
}

/** The member of a group through which the best path goes. */
// @ts-expect-error
@inline
function bestMember(group: usize, place: i32): i32 {
  return isAlone(group) ? load<i32>(group, GroupBytes.members) : bestOfMembers(group, place);
}

function bestOfMembers(group: usize, place: i32): i32 {
  const start = load<i32>(group, GroupBytes.members);
  const end = load<i32>(group, GroupBytes.membersEnd);
  let found = start;
  let most: f64 = -1;
  for (let c = start; c < end; c += RECORD) {
    const along = shareOf(c) * bestOf(c) * num(factorsOf(c), Slot.first + place);
    if (along <= most) continue;
    most = along;
    found = c;
  }
  return found;
}

/** What is left of a symbol's expansions, some of which are claimed. */
// @ts-expect-error
@inline
function leaveRest(place: i32): void {
  const row = massesAt(place);
  const stride = Slot.stride;
  const bests = Slot.bests;
  let sum = f64x2.splat(0);
  let best = f64x2.splat(0);
  for (let at: usize = 0; at < stride; at += 16) {
    const two = v128.load(row + at);
    sum = f64x2.add(sum, two);
    best = f64x2.pmax(best, f64x2.mul(two, v128.load(bests + at)));
  }
  let bestLeft = max(f64x2.extract_lane(best, 0), f64x2.extract_lane(best, 1));
  for (let g = Slot.firstSeveral; g >= 0; g = load<i32>(groupAt(g), GroupBytes.nextSeveral)) {
    if (num(row, g) == 0) continue;
    bestLeft = max(bestLeft, num(Slot.emissions, place) * num(bestsOfSeveral(g), place));
  }
  setNum(Slot.restSum, place, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1));
  setNum(Slot.restBest, place, bestLeft);
}

/** What no kept context has claimed leads to `⋆`. */
function takeRest(star: i32): void {
  const sum = f64x2.extract_lane(sumAndTop(Slot.restSum, Slot.places), 0);
  const best = maxOf(Slot.restBest, Slot.places);
  if (best == 0) {
    enter(star, sum, 0, -1, BEGIN);
    return;
  }
  let place = 0;
  while (num(Slot.restBest, place) != best) place++;
  const row = massesAt(place);
  let bestGroup = groups;
  let most: f64 = -1;
  for (let g = 0; g < Slot.groups; g++) {
    if (num(row, g) == 0) continue;
    const group = groupAt(g);
    const along = isAlone(group)
      ? num(row, g) * num(Slot.bests, g)
      : num(Slot.emissions, place) * num(bestsOfSeveral(g), place);
    if (along > most) {
      most = along;
      bestGroup = group;
    }
  }
  enter(star, sum, best, bestMember(bestGroup, place), Slot.first + place);
}
