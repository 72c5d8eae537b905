// The contexts of a chain while its best path is looked for and weighed, as records one after another. A context is known
// by the distance of its record from the first, which stays the same when they move to a larger place.

import { chain, needChain } from "./state";

/** Bytes of a record; src/engine/wasm/kernel.ts has it too. */
export const RECORD = 48;

const PARENT = 0;
const SYMBOL = 4;
const LENGTH = 8;
const COMMON = 12;
const BEST_FROM = 16;
const BEST_SYMBOL = 20;
const FACTORS = 24;
const CLAIMED_FROM = 28;
const SHARE = 32;
const BEST = 40;
// When the best path has been read, the backward pass has some places for its own (confidences.ts): lists of claims where
// best paths came from, a mass where that of the best path was and, once a slot is done, another where its share was.
const ENTERED = 16;
const LEFT = 20;
const BEFORE = 32;
const BACKWARD = 40;

/** Where the next record goes. */
export let chainEnd: i32 = 0;

export function clearChain(): void {
  chainEnd = 0;
}

/** Sees to room for `count` more contexts. */
export function growChain(count: i32): void {
  needChain(chainEnd / RECORD + count);
}

/** Adds a context of `length` decisions, the last of them `symbol` and those before a suffix of `parent`. */
// @ts-expect-error
@inline
export function addToChain(parent: i32, symbol: i32, length: i32, common: i32): i32 {
  const c = chainEnd;
  const at = chain + <usize>c;
  store<i32>(at, parent, PARENT);
  store<i32>(at, symbol, SYMBOL);
  store<i32>(at, length, LENGTH);
  store<i32>(at, common, COMMON);
  chainEnd = c + RECORD;
  return c;
}

/** Sets the forward mass of a context, the mass of the best path to it, and where that comes from. */
// @ts-expect-error
@inline
export function enter(c: i32, share: f64, best: f64, from: i32, symbol: i32): void {
  const at = chain + <usize>c;
  store<f64>(at, share, SHARE);
  store<f64>(at, best, BEST);
  store<i32>(at, from, BEST_FROM);
  store<i32>(at, symbol, BEST_SYMBOL);
}

// @ts-expect-error
@inline
export function parentOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, PARENT);
}
// @ts-expect-error
@inline
export function symbolOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, SYMBOL);
}
/** Decisions remembered; 0 for `⋆`. */
// @ts-expect-error
@inline
export function lengthOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, LENGTH);
}
/** Of which in common with the next context of the slot. */
// @ts-expect-error
@inline
export function commonOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, COMMON);
}
// @ts-expect-error
@inline
export function bestFromOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, BEST_FROM);
}
// @ts-expect-error
@inline
export function bestSymbolOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, BEST_SYMBOL);
}
/** Address of the factors of its rows. */
// @ts-expect-error
@inline
export function factorsOf(c: i32): usize {
  return <usize>load<i32>(chain + <usize>c, FACTORS);
}
// @ts-expect-error
@inline
export function setFactors(c: i32, address: usize): void {
  store<i32>(chain + <usize>c, <i32>address, FACTORS);
}
/**
 * The first context of its claim, those of the slot before from there to its parent: their expansions by its symbol
 * lead to it, or to a longer context that ends in it.
 */
// @ts-expect-error
@inline
export function claimedFromOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, CLAIMED_FROM);
}
// @ts-expect-error
@inline
export function setClaimedFrom(c: i32, first: i32): void {
  store<i32>(chain + <usize>c, first, CLAIMED_FROM);
}
/** Its part of the forward mass of its slot. */
// @ts-expect-error
@inline
export function shareOf(c: i32): f64 {
  return load<f64>(chain + <usize>c, SHARE);
}
// @ts-expect-error
@inline
export function setShare(c: i32, share: f64): void {
  store<f64>(chain + <usize>c, share, SHARE);
}
/** The part of that which the best path to it has. */
// @ts-expect-error
@inline
export function bestOf(c: i32): f64 {
  return load<f64>(chain + <usize>c, BEST);
}
// @ts-expect-error
@inline
export function setBest(c: i32, best: f64): void {
  store<f64>(chain + <usize>c, best, BEST);
}

/**
 * The first in the list of contexts of the next slot whose claims this is the last of, -1 if there are none; of one in
 * such a list, the next.
 */
// @ts-expect-error
@inline
export function entered(c: i32): i32 {
  return load<i32>(chain + <usize>c, ENTERED);
}
/** The same for those whose claims this is the first of. */
// @ts-expect-error
@inline
export function left(c: i32): i32 {
  return load<i32>(chain + <usize>c, LEFT);
}
// @ts-expect-error
@inline
export function clearClaims(c: i32): void {
  store<i64>(chain + <usize>c, -1, ENTERED);
}
/** Puts a context at the head of the lists that the last and the first of its claim have. */
// @ts-expect-error
@inline
export function listClaim(c: i32): void {
  const at = chain + <usize>c;
  const last = chain + <usize>load<i32>(at, PARENT);
  store<i32>(at, load<i32>(last, ENTERED), ENTERED);
  store<i32>(last, c, ENTERED);
  const first = chain + <usize>load<i32>(at, CLAIMED_FROM);
  store<i32>(at, load<i32>(first, LEFT), LEFT);
  store<i32>(first, c, LEFT);
}
/** Mass of all that may follow a context, on a scale of its slot. */
// @ts-expect-error
@inline
export function backwardOf(c: i32): f64 {
  return load<f64>(chain + <usize>c, BACKWARD);
}
// @ts-expect-error
@inline
export function setBackward(c: i32, mass: f64): void {
  store<f64>(chain + <usize>c, mass, BACKWARD);
}
/** What was there before its claim was entered. */
// @ts-expect-error
@inline
export function beforeOf(c: i32): f64 {
  return load<f64>(chain + <usize>c, BEFORE);
}
// @ts-expect-error
@inline
export function setBefore(c: i32, value: f64): void {
  store<f64>(chain + <usize>c, value, BEFORE);
}
