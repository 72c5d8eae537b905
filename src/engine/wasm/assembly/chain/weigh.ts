// Expand: for each symbol the sum and the greatest of the masses of its expansions,
//   mass(g, y) = E(y) * sum over the contexts c of group g: forward(c) * factors(c)[y].

import { ChainBytes, GroupBytes } from "../../layout";
import { groupAt } from "../groups";
import { chain, int, setInt, setNum } from "../state";
import { bestOf, factorsOf, RECORD, shareOf } from "./context";
import { blockEnd, Slot } from "./slot";

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
    store<i32>(group, 0, GroupBytes.claimStart);
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
  const start = chain + <usize>load<i32>(group, GroupBytes.members);
  const end = chain + <usize>load<i32>(group, GroupBytes.membersEnd);
  const size = <usize>Slot.places << 3;
  const first = <usize>Slot.first << 3;
  let at: usize = 0;
  for (; at + 48 <= size; at += 48) combineSix(start, end, first + at, to + at, size);
  for (; at < size; at += 16) {
    let sum = f64x2.splat(0);
    let most = f64x2.splat(0);
    for (let c = start; c < end; c += RECORD) {
      const factor = v128.load(<usize>load<i32>(c, ChainBytes.factors) + first + at);
      sum = f64x2.add(sum, f64x2.mul(v128.load_splat<f64>(c, ChainBytes.share), factor));
      most = f64x2.pmax(most, f64x2.mul(v128.load_splat<f64>(c, ChainBytes.best), factor));
    }
    v128.store(to + at, sum);
    v128.store(to + at + size, most);
  }
}

/** The same for six symbols, which stay in registers while the members from `start` up to `end` are gone through. */
// @ts-expect-error
@inline
function combineSix(start: usize, end: usize, at: usize, to: usize, size: usize): void {
  let sum = f64x2.splat(0);
  let sum2 = f64x2.splat(0);
  let sum3 = f64x2.splat(0);
  let most = f64x2.splat(0);
  let most2 = f64x2.splat(0);
  let most3 = f64x2.splat(0);
  for (let c = start; c < end; c += RECORD) {
    const share = v128.load_splat<f64>(c, ChainBytes.share);
    const best = v128.load_splat<f64>(c, ChainBytes.best);
    const from = <usize>load<i32>(c, ChainBytes.factors) + at;
    const factor = v128.load(from);
    const factor2 = v128.load(from, 16);
    const factor3 = v128.load(from, 32);
    sum = f64x2.add(sum, f64x2.mul(share, factor));
    sum2 = f64x2.add(sum2, f64x2.mul(share, factor2));
    sum3 = f64x2.add(sum3, f64x2.mul(share, factor3));
    most = f64x2.pmax(most, f64x2.mul(best, factor));
    most2 = f64x2.pmax(most2, f64x2.mul(best, factor2));
    most3 = f64x2.pmax(most3, f64x2.mul(best, factor3));
  }
  v128.store(to, sum);
  v128.store(to, sum2, 16);
  v128.store(to, sum3, 32);
  v128.store(to + size, most);
  v128.store(to + size, most2, 16);
  v128.store(to + size, most3, 32);
}

/** Where the best path masses of a group of several members are, which lack only E(y). */
// @ts-expect-error
@inline
export function bestsOfSeveral(g: i32): usize {
  return <usize>int(Slot.columnFactors, g) + (<usize>Slot.places << 3);
}

/**
 * Sums and maxima over the groups, symbol by symbol; E(y), which the groups have in common, comes in at the end. No mass is
 * written down: select.ts does so for the few symbols with expansions that may stay.
 */
export function weigh(): void {
  const size = <usize>Slot.places << 3;
  let at: usize = 0;
  for (; at + 48 <= size; at += 48) weighSix(at);
  for (; at < size; at += 16) weighTwo(at);
  for (let g = Slot.firstSeveral; g >= 0; g = load<i32>(groupAt(g), GroupBytes.nextSeveral)) raiseRest(bestsOfSeveral(g));
}

/** The six symbols whose numbers lie `at` bytes from the first. */
// @ts-expect-error
@inline
function weighSix(at: usize): void {
  // In variables of their own: what is stored in the loop cannot change them.
  const toBests = Slot.stride;
  const size = <usize>Slot.places << 3;
  const blocks = Slot.blocks;
  const emissions = Slot.emissions + at;
  let sum = f64x2.splat(0);
  let sum2 = f64x2.splat(0);
  let sum3 = f64x2.splat(0);
  let best = f64x2.splat(0);
  let best2 = f64x2.splat(0);
  let best3 = f64x2.splat(0);
  let factors = Slot.columnFactors;
  let share = Slot.shares;
  let to = Slot.maxima + at;
  for (let b = 0; b < blocks; b++) {
    let most = f64x2.splat(0);
    let most2 = f64x2.splat(0);
    let most3 = f64x2.splat(0);
    for (const end = Slot.shares + (<usize>blockEnd(b) << 3); share < end; share += 8) {
      const from = <usize>load<i32>(factors) + at;
      const by = v128.load_splat<f64>(share);
      const path = v128.load_splat<f64>(share + toBests);
      const factor = v128.load(from);
      const factor2 = v128.load(from, 16);
      const factor3 = v128.load(from, 32);
      const mass = f64x2.mul(by, factor);
      const mass2 = f64x2.mul(by, factor2);
      const mass3 = f64x2.mul(by, factor3);
      sum = f64x2.add(sum, mass);
      sum2 = f64x2.add(sum2, mass2);
      sum3 = f64x2.add(sum3, mass3);
      most = f64x2.pmax(most, mass);
      most2 = f64x2.pmax(most2, mass2);
      most3 = f64x2.pmax(most3, mass3);
      best = f64x2.pmax(best, f64x2.mul(path, factor));
      best2 = f64x2.pmax(best2, f64x2.mul(path, factor2));
      best3 = f64x2.pmax(best3, f64x2.mul(path, factor3));
      factors += 4;
    }
    v128.store(to, f64x2.mul(v128.load(emissions), most));
    v128.store(to, f64x2.mul(v128.load(emissions, 16), most2), 16);
    v128.store(to, f64x2.mul(v128.load(emissions, 32), most3), 32);
    to += size;
  }
  leave(at, sum, best);
  leave(at + 16, sum2, best2);
  leave(at + 32, sum3, best3);
}

/** The same for two symbols. */
// @ts-expect-error
@inline
function weighTwo(at: usize): void {
  const toBests = Slot.stride;
  const size = <usize>Slot.places << 3;
  const blocks = Slot.blocks;
  const emission = v128.load(Slot.emissions + at);
  let sum = f64x2.splat(0);
  let best = f64x2.splat(0);
  let factors = Slot.columnFactors;
  let share = Slot.shares;
  let to = Slot.maxima + at;
  for (let b = 0; b < blocks; b++) {
    let most = f64x2.splat(0);
    for (const end = Slot.shares + (<usize>blockEnd(b) << 3); share < end; share += 8) {
      const factor = v128.load(<usize>load<i32>(factors) + at);
      const mass = f64x2.mul(v128.load_splat<f64>(share), factor);
      sum = f64x2.add(sum, mass);
      most = f64x2.pmax(most, mass);
      best = f64x2.pmax(best, f64x2.mul(v128.load_splat<f64>(share + toBests), factor));
      factors += 4;
    }
    v128.store(to, f64x2.mul(emission, most));
    to += size;
  }
  leave(at, sum, best);
}

/** Writes down the sums and maxima of two symbols, and the greatest of their maxima in the blocks. */
// @ts-expect-error
@inline
function leave(at: usize, sum: v128, best: v128): void {
  const emission = v128.load(Slot.emissions + at);
  const size = <usize>Slot.places << 3;
  let top = v128.load(Slot.maxima + at);
  const end = Slot.maxima + <usize>Slot.blocks * size;
  for (let from = Slot.maxima + at + size; from < end; from += size) top = f64x2.pmax(top, v128.load(from));
  v128.store(Slot.restSum + at, f64x2.mul(emission, sum));
  v128.store(Slot.restBest + at, f64x2.mul(emission, best));
  v128.store(Slot.tops + at, top);
}

/** Takes the best paths through a group of several members into account. */
function raiseRest(best: usize): void {
  for (let place: usize = 0; place < <usize>Slot.places << 3; place += 16) {
    const along = f64x2.mul(v128.load(Slot.emissions + place), v128.load(best + place));
    v128.store(Slot.restBest + place, f64x2.pmax(v128.load(Slot.restBest + place), along));
  }
}
