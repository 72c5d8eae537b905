// Expand: the masses of all expansions of the slot at hand, two symbols and two groups at a time,
//   mass(g, y) = E(y) * sum over the contexts c of group g: forward(c) * factors(c)[y].

import { GroupBytes } from "../../layout";
import { groupAt } from "../groups";
import { int, setInt, setNum } from "../state";
import { bestOf, factorsOf, RECORD, shareOf } from "./context";
import { blockEnd, maximaOf, Slot } from "./slot";

/** Whether a group has but one member. */
// @ts-expect-error
@inline
export function isAlone(group: usize): bool {
  return load<i32>(group, GroupBytes.membersEnd) - load<i32>(group, GroupBytes.members) == RECORD;
}

/** What the groups' columns are computed from; those of several members are put together first. */
export function fillColumns(): void {
  const groups = Slot.groups;
  const offset = <usize>Slot.first << 3;
  let combined = Slot.several;
  Slot.firstSeveral = -1;
  for (let g = groups - 1; g >= 0; g--) {
    const group = groupAt(g);
    const c = load<i32>(group, GroupBytes.members);
    store<i32>(group, <i32>group, GroupBytes.claimedFrom);
    if (isAlone(group)) {
      setInt(Slot.columnFactors, g, <i32>(factorsOf(c) + offset));
      setNum(Slot.shares, g, shareOf(c));
      setNum(Slot.bests, g, bestOf(c));
    } else {
      combine(group, combined);
      setInt(Slot.columnFactors, g, <i32>combined);
      setNum(Slot.shares, g, 1);
      setNum(Slot.bests, g, 0);
      combined += <usize>Slot.places << 4;
      store<i32>(group, Slot.firstSeveral, GroupBytes.nextSeveral);
      Slot.firstSeveral = g;
    }
  }
  if (groups < Slot.columns) {
    setInt(Slot.columnFactors, groups, int(Slot.columnFactors, 0));
    setNum(Slot.shares, groups, 0);
    setNum(Slot.bests, groups, 0);
  }
}

/** to[y] = sum over the members c of a group: forward(c) * factors(c)[y]; behind it, the greatest best path mass * factor. */
function combine(group: usize, to: usize): void {
  const start = load<i32>(group, GroupBytes.members);
  const end = load<i32>(group, GroupBytes.membersEnd);
  const size = <usize>Slot.places << 3;
  for (let c = start; c < end; c += RECORD) {
    const share = f64x2.splat(shareOf(c));
    const best = f64x2.splat(shareOf(c) * bestOf(c));
    let factor = factorsOf(c) + (<usize>Slot.first << 3);
    for (let sum = to; sum < to + size; sum += 16, factor += 16) {
      const two = v128.load(factor);
      let total = f64x2.mul(share, two);
      let most = f64x2.mul(best, two);
      if (c > start) {
        total = f64x2.add(v128.load(sum), total);
        most = f64x2.pmax(v128.load(sum + size), most);
      }
      v128.store(sum, total);
      v128.store(sum + size, most);
    }
  }
}

/** Where the best path masses of a group of several members are, which lack only E(y). */
// @ts-expect-error
@inline
export function bestsOfSeveral(g: i32): usize {
  return <usize>int(Slot.columnFactors, g) + (<usize>Slot.places << 3);
}

export function weigh(): void {
  // In variables of their own: what is stored in the loop cannot change them.
  const toNext = Slot.stride;
  const shares = Slot.shares;
  const blocks = Slot.blocks;
  const places = Slot.places;
  for (let y = 0; y < places; y += 2) {
    const at = <usize>y << 3;
    const even = f64x2.splat(load<f64>(Slot.emissions + at));
    const odd = f64x2.splat(load<f64>(Slot.emissions + at, 8));
    let evenSum = f64x2.splat(0);
    let oddSum = f64x2.splat(0);
    let evenBest = f64x2.splat(0);
    let oddBest = f64x2.splat(0);
    let row = Slot.masses + <usize>y * toNext;
    let factor = Slot.columnFactors;
    let share = shares;
    for (let b = 0; b < blocks; b++) {
      let evenTop = f64x2.splat(0);
      let oddTop = f64x2.splat(0);
      const end = shares + (<usize>blockEnd(b) << 3);
      for (; share < end; share += 16) {
        const one = v128.load(<usize>load<i32>(factor) + at);
        const other = v128.load(<usize>load<i32>(factor, 4) + at);
        const by = v128.load(share);
        const best = v128.load(share + toNext);
        const evens = f64x2.mul(even, f64x2.mul(by, v128.shuffle<f64>(one, other, 0, 2)));
        const odds = f64x2.mul(odd, f64x2.mul(by, v128.shuffle<f64>(one, other, 1, 3)));
        v128.store(row, evens);
        v128.store(row + toNext, odds);
        evenTop = f64x2.pmax(evenTop, evens);
        oddTop = f64x2.pmax(oddTop, odds);
        evenSum = f64x2.add(evenSum, evens);
        oddSum = f64x2.add(oddSum, odds);
        evenBest = f64x2.pmax(evenBest, f64x2.mul(best, evens));
        oddBest = f64x2.pmax(oddBest, f64x2.mul(best, odds));
        row += 16;
        factor += 8;
      }
      const tops = maximaOf(b, y);
      v128.store(tops, evenTop);
      v128.store(tops, oddTop, 16);
    }
    v128.store(
      Slot.restSum + at,
      f64x2.add(v128.shuffle<f64>(evenSum, oddSum, 0, 2), v128.shuffle<f64>(evenSum, oddSum, 1, 3)),
    );
    v128.store(
      Slot.restBest + at,
      f64x2.pmax(v128.shuffle<f64>(evenBest, oddBest, 0, 2), v128.shuffle<f64>(evenBest, oddBest, 1, 3)),
    );
  }
  for (let g = Slot.firstSeveral; g >= 0; g = load<i32>(groupAt(g), GroupBytes.nextSeveral)) raiseRest(bestsOfSeveral(g));
}

/** Takes the best paths through a group of several members into account. */
function raiseRest(best: usize): void {
  for (let place: usize = 0; place < <usize>Slot.places << 3; place += 16) {
    const along = f64x2.mul(v128.load(Slot.emissions + place), v128.load(best + place));
    v128.store(Slot.restBest + place, f64x2.pmax(v128.load(Slot.restBest + place), along));
  }
}
