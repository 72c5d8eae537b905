// Select: the expansions kept at the slot at hand, each with its mass and its key, symbol << 32 | group. In the order of keys
// they are in the order of contexts. Who selects finds a bound that enough expansions reach, takes in those that reach it,
// and drops the lightest of them. Masses are rounded on the way in, so that those which differ by the order of additions alone
// are equal, and every kernel keeps the same contexts.

import { int, keptKey, keptMass, keptScratch, num, setInt, setNum } from "./state";
import { coarseSeparator, maxOf, separator } from "./vector";

export let kept: i32 = 0;

export function clearKept(): void {
  kept = 0;
}

/** The first `count` of the arrays were written by others. */
export function setKeptCount(count: i32): void {
  kept = count;
}

// @ts-expect-error
@inline
export function key(i: i32): u64 {
  return load<u64>(keptKey + (<usize>i << 3));
}
// @ts-expect-error
@inline
export function keyOf(symbol: i32, group: i32): u64 {
  return (<u64>symbol << 32) | <u64>group;
}
// @ts-expect-error
@inline
export function symbolOfKey(name: u64): i32 {
  return <i32>(name >> 32);
}
// @ts-expect-error
@inline
export function groupOfKey(name: u64): i32 {
  return <i32>name;
}

// @ts-expect-error
@inline
export function setKept(i: i32, weight: f64, name: u64): void {
  setNum(keptMass, i, weight);
  store<u64>(keptKey + (<usize>i << 3), name);
}

/** Splits off the last 29 of 53 binary digits. */
const SPLIT: f64 = <f64>((1 << 29) + 1);
/** A bound times this is below all that rounding makes equal to it. */
const UNDER: f64 = 1.0 - 1.0 / <f64>(1 << 22);

/** A mass to 24 binary digits. */
// @ts-expect-error
@inline
export function rounded(weight: f64): f64 {
  const split = weight * SPLIT;
  return split - (split - weight);
}

// @ts-expect-error
@inline
export function keep(weight: f64, name: u64): void {
  setKept(kept++, rounded(weight), name);
}

/** Keeps if `is` is 1, not if it is 0. */
// @ts-expect-error
@inline
export function keepIf(is: i32, weight: f64, name: u64): void {
  setKept(kept, rounded(weight), name);
  kept += is;
}

/**
 * What an expansion must weigh to be looked at: no less than `lightest` times the heaviest, and than a number that at least
 * `limit` expansions reach, since so many of the maxima of disjoint sets of them do; that spares most a closer look.
 * There are `sets` maxima, an even number, with room for half as many behind, of `total` expansions.
 */
export function boundOf(maxima: usize, sets: i32, total: i32, limit: i32, lightest: f64): f64 {
  let bound: f64 = 0;
  if (lightest > 0) bound = lightest * maxOf(maxima, sets);
  if (total > 2 * limit && sets >= limit) {
    bound = max(bound, coarseSeparator(maxima, sets, limit, limit >> 2, maxima + (<usize>sets << 3)));
  }
  return bound * UNDER;
}

/** Up to so many too many are looked for one by one. */
const FEW_TOO_MANY = 8;

/** Leaves the `limit` heaviest; of equals, the first by key. What is in the order of keys stays so. */
export function dropLightest(limit: i32): void {
  // The first half of the digits says enough of most; the arrays have room for four more.
  if (kept - limit > 2) {
    setNum(keptMass, kept, 0);
    dropBelow(coarseSeparator(keptMass, (kept + 1) & ~1, limit, 0, keptScratch), kept);
  }
  if (kept - limit > FEW_TOO_MANY) {
    sortKept();
    const least = separator(keptMass, kept, limit, 0);
    let above = 0;
    for (let i = 0; i < kept; i++) above += i32(num(keptMass, i) > least);
    dropBelow(least, limit - above);
  }
  while (kept > limit) {
    let out = 0;
    let least = num(keptMass, 0);
    for (let i = 1; i < kept; i++) {
      const weight = num(keptMass, i);
      if (weight > least || (weight == least && key(i) < key(out))) continue;
      out = i;
      least = weight;
    }
    kept--;
    for (let i = out; i < kept; i++) setKept(i, num(keptMass, i + 1), key(i + 1));
  }
}

/** Leaves what is above a bound and the first `room` of what is equal to it. */
function dropBelow(least: f64, room: i32): void {
  let count = 0;
  for (let i = 0; i < kept; i++) {
    const weight = num(keptMass, i);
    setKept(count, weight, key(i));
    const equal = i32(weight == least && room > 0);
    room -= equal;
    count += i32(weight > least) | equal;
  }
  kept = count;
}

/** Up to so many are sorted by counting, for each, those before it. */
const FEW: i32 = 64;
/** Symbols and groups below this fit into one i32 together. */
const NARROW: u64 = 1 << 15;

/** Puts the keys in order; masses lose theirs. Counting has no branches to guess, unlike moving. */
export function sortKeys(): void {
  if (kept > FEW) {
    sortKept();
    return;
  }
  for (let i = 0; i < kept; i++) {
    const name = key(i);
    if ((name & 0xffffffff) >= NARROW || name >> 32 >= NARROW) {
      sortKept();
      return;
    }
    setInt(keptScratch, i, <i32>((name >> 16) | (name & 0xffff)));
  }
  const end = keptScratch + (<usize>kept << 2);
  v128.store(end, i32x4.splat(i32.MAX_VALUE));
  for (let i = 0; i < kept; i++) {
    const own = int(keptScratch, i);
    const owns = i32x4.splat(own);
    let before = i32x4.splat(0);
    for (let at = keptScratch; at < end; at += 16) before = i32x4.sub(before, i32x4.lt_s(v128.load(at), owns));
    const place =
      i32x4.extract_lane(before, 0) +
      i32x4.extract_lane(before, 1) +
      i32x4.extract_lane(before, 2) +
      i32x4.extract_lane(before, 3);
    store<u64>(keptKey + (<usize>place << 3), keyOf(own >> 16, own & 0xffff));
  }
}

/** By symbol, then group, in place: a heap sort. */
function sortKept(): void {
  for (let i = (kept >> 1) - 1; i >= 0; i--) sinkKey(i, kept);
  for (let end = kept - 1; end > 0; end--) {
    const weight = num(keptMass, 0);
    const name = key(0);
    setKept(0, num(keptMass, end), key(end));
    setKept(end, weight, name);
    sinkKey(0, end);
  }
}

function sinkKey(i: i32, count: i32): void {
  const weight = num(keptMass, i);
  const name = key(i);
  for (;;) {
    let child = 2 * i + 1;
    if (child >= count) break;
    if (child + 1 < count && key(child + 1) > key(child)) child++;
    if (key(child) <= name) break;
    setKept(i, num(keptMass, child), key(child));
    i = child;
  }
  setKept(i, weight, name);
}
