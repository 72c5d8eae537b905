// The contexts of a chain while its best path is looked for and weighed, as records one after another (`ChainBytes`, and in
// the backward pass `ChainBackwardBytes`). A context is known by the distance of its record from the first, which stays the
// same when they move to a larger place.

import { Bundle, ChainBackwardBytes, ChainBytes } from "../../layout";
import { chain, need } from "../state";

/** From one context to the next. */
export const RECORD = ChainBytes.bytes;

/** Where the next record goes. */
export let chainEnd: i32 = 0;

export function clearChain(): void {
  chainEnd = 0;
}

/** Sees to room for `count` more contexts. */
export function growChain(count: i32): void {
  need(Bundle.chain, chainEnd / RECORD + count);
}

/** Adds a context of `length` decisions, the last of them `symbol` and those before a suffix of `parent`. */
// @ts-expect-error
@inline
export function addToChain(parent: i32, symbol: i32, length: i32, common: i32): i32 {
  const c = chainEnd;
  const at = chain + <usize>c;
  store<i32>(at, parent, ChainBytes.parent);
  store<i32>(at, symbol, ChainBytes.symbol);
  store<i32>(at, length, ChainBytes.length);
  store<i32>(at, common, ChainBytes.common);
  chainEnd = c + RECORD;
  return c;
}

/** Sets the forward mass of a context, and the mass of the best path to it. */
// @ts-expect-error
@inline
export function enter(c: i32, share: f64, best: f64): void {
  const at = chain + <usize>c;
  store<f64>(at, share, ChainBytes.share);
  store<f64>(at, best, ChainBytes.best);
}

// @ts-expect-error
@inline
export function parentOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBytes.parent);
}
// @ts-expect-error
@inline
export function symbolOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBytes.symbol);
}
/** Decisions remembered; 0 for `⋆`. */
// @ts-expect-error
@inline
export function lengthOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBytes.length);
}
/** Of which in common with the next context of the slot. */
// @ts-expect-error
@inline
export function commonOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBytes.common);
}
// @ts-expect-error
@inline
export function bestSymbolOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBytes.bestSymbol);
}
/** The latest decision of the best path to `⋆`. */
// @ts-expect-error
@inline
export function setBestSymbol(c: i32, symbol: i32): void {
  store<i32>(chain + <usize>c, symbol, ChainBytes.bestSymbol);
}
/** Address of the factors of its rows. */
// @ts-expect-error
@inline
export function factorsOf(c: i32): usize {
  return <usize>load<i32>(chain + <usize>c, ChainBytes.factors);
}
// @ts-expect-error
@inline
export function setFactors(c: i32, address: usize): void {
  store<i32>(chain + <usize>c, <i32>address, ChainBytes.factors);
}
/** The deepest node met on the way down the row tree with the decisions that its expansions remember. */
// @ts-expect-error
@inline
export function nodeOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBytes.node);
}
// @ts-expect-error
@inline
export function setNode(c: i32, node: i32): void {
  store<i32>(chain + <usize>c, node, ChainBytes.node);
}
/** Its claim begins there: expansions of these contexts by its symbol lead to it, or to a longer one that ends in it. */
// @ts-expect-error
@inline
export function setClaimedFrom(c: i32, first: i32): void {
  store<i32>(chain + <usize>c, first, ChainBytes.claimedFrom);
}
// @ts-expect-error
@inline
export function claimedFromOf(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBytes.claimedFrom);
}
/** Its part of the forward mass of its slot. */
// @ts-expect-error
@inline
export function shareOf(c: i32): f64 {
  return load<f64>(chain + <usize>c, ChainBytes.share);
}
/** Mass of the best path to it, on a scale of its own. */
// @ts-expect-error
@inline
export function bestOf(c: i32): f64 {
  return load<f64>(chain + <usize>c, ChainBytes.best);
}

// The backward pass.

// @ts-expect-error
@inline
export function entered(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBackwardBytes.entered);
}
// @ts-expect-error
@inline
export function left(c: i32): i32 {
  return load<i32>(chain + <usize>c, ChainBackwardBytes.left);
}
/** No claim begins or ends at the context. */
// @ts-expect-error
@inline
export function clearClaims(c: i32): void {
  store<i32>(chain + <usize>c, -1, ChainBackwardBytes.entered);
  store<i32>(chain + <usize>c, -1, ChainBackwardBytes.left);
}
/** Puts a context at the head of the lists that the last and the first of its claim have. */
// @ts-expect-error
@inline
export function listClaim(c: i32): void {
  const at = chain + <usize>c;
  const last = chain + <usize>load<i32>(at, ChainBytes.parent);
  store<i32>(at, load<i32>(last, ChainBackwardBytes.entered), ChainBackwardBytes.entered);
  store<i32>(last, c, ChainBackwardBytes.entered);
  const first = chain + <usize>load<i32>(at, ChainBytes.claimedFrom);
  store<i32>(at, load<i32>(first, ChainBackwardBytes.left), ChainBackwardBytes.left);
  store<i32>(first, c, ChainBackwardBytes.left);
}
// @ts-expect-error
@inline
export function backwardOf(c: i32): f64 {
  return load<f64>(chain + <usize>c, ChainBackwardBytes.backward);
}
// @ts-expect-error
@inline
export function setBackward(c: i32, mass: f64): void {
  store<f64>(chain + <usize>c, mass, ChainBackwardBytes.backward);
}
// @ts-expect-error
@inline
export function beforeOf(c: i32): f64 {
  return load<f64>(chain + <usize>c, ChainBackwardBytes.before);
}
// @ts-expect-error
@inline
export function setBefore(c: i32, value: f64): void {
  store<f64>(chain + <usize>c, value, ChainBackwardBytes.before);
}
