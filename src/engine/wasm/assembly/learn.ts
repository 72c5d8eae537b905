// Attribute rows summed into slot scores and back, and the steps of AdaGrad: the parts of training that are not inference.
// See src/learn/adagrad.ts for the formulas, and `LoopField` for what is asked for.

import { LOOP_NUMBERS_AT, LoopField, LoopNumber } from "../layout";
import { arrayAt, int, num, setInt, setNum } from "./state";
import { addScaled } from "./vector";

/**
 * For positions i = from .. from + length - 1: slots[i - from][y] += value * weight(row)[y] for every row of the position.
 * Rows of a position are map[ids[a]] for a in start[i] .. start[i + 1] - 1; -1 is none.
 */
export function scoreSlots(work: usize): void {
  walkSlots(work, false);
}

/** The way back: gradient(row)[y] += value * slots[i - from][y] for the same rows, which are noted as touched. */
export function countSlots(work: usize): void {
  walkSlots(work, true);
}

// @ts-expect-error
@inline
function walkSlots(work: usize, isBack: bool): void {
  const slots = arrayAt(work, LoopField.slots);
  const symbolCount = int(work, LoopField.symbolCount);
  const length = int(work, LoopField.length);
  const from = int(work, LoopField.from);
  const start = arrayAt(work, LoopField.start);
  const ids = arrayAt(work, LoopField.ids);
  const values = arrayAt(work, LoopField.values);
  const map = arrayAt(work, LoopField.map);
  const tableStart = arrayAt(work, LoopField.tableStart);
  const tableSymbols = arrayAt(work, LoopField.tableSymbols);
  const numbers = arrayAt(work, isBack ? LoopField.gradient : LoopField.weights);
  const touched = arrayAt(work, LoopField.touched);
  const isTouched = arrayAt(work, LoopField.isTouched);
  let touchedCount = int(work, LoopField.touchedCount);
  for (let i = 0; i < length; i++) {
    const slot = slots + (<usize>(i * symbolCount) << 3);
    const end = int(start, from + i + 1);
    for (let a = int(start, from + i); a < end; a++) {
      const row = map ? int(map, int(ids, a)) : int(ids, a);
      if (row < 0) continue;
      if (isBack) touchedCount = touch(row, touched, isTouched, touchedCount);
      const value = values ? num(values, a) : 1;
      const entry = int(tableStart, row);
      const count = int(tableStart, row + 1) - entry;
      if (count <= 0) continue;
      const symbols = tableSymbols + (<usize>entry << 2);
      const first = int(symbols, 0);
      const own = numbers + (<usize>entry << 3);
      // Symbols without a gap, as rows of attributes that every label has: a vector.
      if (int(symbols, count - 1) - first == count - 1) {
        const those = slot + (<usize>first << 3);
        addScaled(isBack ? own : those, isBack ? those : own, count, value);
      } else {
        for (let e = 0; e < count; e++) {
          const at = slot + (<usize>int(symbols, e) << 3);
          if (isBack) setNum(own, e, num(own, e) + value * load<f64>(at));
          else store<f64>(at, load<f64>(at) + value * num(own, e));
        }
      }
    }
  }
  if (isBack) setInt(work, LoopField.touchedCount, touchedCount);
}

/** Notes a row as touched, unless it is; returns how many are. */
// @ts-expect-error
@inline
function touch(row: i32, touched: usize, isTouched: usize, count: i32): i32 {
  if (load<u8>(isTouched + <usize>row)) return count;
  store<u8>(isTouched + <usize>row, 1);
  setInt(touched, count, row);
  return count + 1;
}

/** Notes rows as touched. */
export function touchRows(work: usize): void {
  const rows = arrayAt(work, LoopField.rows);
  const count = int(work, LoopField.rowCount);
  const touched = arrayAt(work, LoopField.touched);
  const isTouched = arrayAt(work, LoopField.isTouched);
  let touchedCount = int(work, LoopField.touchedCount);
  for (let r = 0; r < count; r++) {
    touchedCount = touch(int(rows, r), touched, isTouched, touchedCount);
  }
  setInt(work, LoopField.touchedCount, touchedCount);
}

/**
 * Rounds coordinates of the gradient that are smaller than a threshold to nothing or to the threshold, at random, so that
 * the expectation stays the same. Random numbers are those of xorshift32, begun anew for each row from the seed and the
 * row's number, so that it does not matter which other rows are rounded along with it.
 */
export function truncate(work: usize): void {
  const touched = arrayAt(work, LoopField.touched);
  const touchedCount = int(work, LoopField.touchedCount);
  const gradient = arrayAt(work, LoopField.gradient);
  const tableStart = arrayAt(work, LoopField.tableStart);
  const threshold = num(work + LOOP_NUMBERS_AT, LoopNumber.threshold);
  const seed = <u32>int(work, LoopField.seed);
  const unit = threshold / 4294967296.0;
  for (let i = 0; i < touchedCount; i++) {
    const row = int(touched, i);
    const end = int(tableStart, row + 1);
    let random = seedOfRow(seed, row);
    for (let e = int(tableStart, row); e < end; e++) {
      const g = num(gradient, e);
      const size = abs(g);
      if (size == 0 || size >= threshold) continue;
      random ^= random << 13;
      random ^= random >> 17;
      random ^= random << 5;
      setNum(gradient, e, size > <f64>random * unit ? (g > 0 ? threshold : -threshold) : 0);
    }
  }
}

/** Mixed by the last steps of MurmurHash3; never 0. */
// @ts-expect-error
@inline
function seedOfRow(seed: u32, row: i32): u32 {
  let x = seed ^ (<u32>row * 0xcc9e2d51);
  x = (x ^ (x >> 16)) * 0x85ebca6b;
  x = (x ^ (x >> 13)) * 0xc2b2ae35;
  x ^= x >> 16;
  return x ? x : 1;
}

// The step of AdaGrad at hand.
let gradient: usize = 0;
let weights: usize = 0;
let squares: usize = 0;
let sums: usize = 0;
let eta: f64 = 0;
let delta: f64 = 0;
let l1: f64 = 0;
let l2: f64 = 0;

/** One step of AdaGrad on the touched rows, whose gradient is cleared, and which are then touched no more. */
export function adagrad(work: usize): void {
  const touched = arrayAt(work, LoopField.touched);
  const touchedCount = int(work, LoopField.touchedCount);
  const isTouched = arrayAt(work, LoopField.isTouched);
  const tableStart = arrayAt(work, LoopField.tableStart);
  const settled = arrayAt(work, LoopField.settled);
  const step = int(work, LoopField.step);
  gradient = arrayAt(work, LoopField.gradient);
  weights = arrayAt(work, LoopField.weights);
  squares = arrayAt(work, LoopField.squares);
  sums = arrayAt(work, LoopField.sums);
  eta = num(work + LOOP_NUMBERS_AT, LoopNumber.rate);
  delta = num(work + LOOP_NUMBERS_AT, LoopNumber.delta);
  l1 = num(work + LOOP_NUMBERS_AT, LoopNumber.l1);
  l2 = num(work + LOOP_NUMBERS_AT, LoopNumber.l2);
  for (let i = 0; i < touchedCount; i++) {
    const row = int(touched, i);
    store<u8>(isTouched + <usize>row, 0);
    const rest = <f64>(step - int(settled, row));
    setInt(settled, row, step);
    const from = int(tableStart, row);
    const to = int(tableStart, row + 1);
    if (l1 == 0) updateVector(from, to, rest);
    else for (let e = from; e < to; e++) updateOne(e, rest);
  }
}

/** The weights `from` .. `to - 1`, two at a time, after `rest` steps. */
function updateVector(from: i32, to: i32, rest: f64): void {
  const rests = f64x2.splat(rest);
  const etas = f64x2.splat(eta);
  const deltas = f64x2.splat(delta);
  const shrink = f64x2.splat(rest * l2);
  const one = f64x2.splat(1);
  const zero = f64x2.splat(0);
  // In variables of their own: what is stored in the loop cannot change them.
  const g0 = gradient;
  const w0 = weights;
  const squares0 = squares;
  const sums0 = sums;
  let e = from;
  for (; e + 1 < to; e += 2) {
    const at = <usize>e << 3;
    const g = v128.load(g0 + at);
    const w = v128.load(w0 + at);
    // A weight at rest that has never moved stays where it is.
    if (!v128.any_true(v128.or(f64x2.ne(g, zero), f64x2.ne(w, zero)))) continue;
    v128.store(g0 + at, zero);
    v128.store(sums0 + at, f64x2.add(v128.load(sums0 + at), f64x2.mul(w, rests)));
    const square = f64x2.add(v128.load(squares0 + at), f64x2.mul(g, g));
    v128.store(squares0 + at, square);
    const rate = f64x2.div(etas, f64x2.sqrt(f64x2.add(deltas, square)));
    v128.store(w0 + at, f64x2.div(f64x2.add(w, f64x2.mul(rate, g)), f64x2.add(one, f64x2.mul(shrink, rate))));
  }
  if (e < to) updateOne(e, rest);
}

function updateOne(e: i32, rest: f64): void {
  const g = num(gradient, e);
  let w = num(weights, e);
  if (g == 0 && w == 0) return;
  setNum(gradient, e, 0);
  setNum(sums, e, num(sums, e) + w * rest);
  const square = num(squares, e) + g * g;
  setNum(squares, e, square);
  const rate = eta / Math.sqrt(delta + square);
  w += rate * g;
  if (l1 > 0) {
    const shrink = rest * rate * l1;
    w = w > shrink ? w - shrink : w < -shrink ? w + shrink : 0;
  }
  setNum(weights, e, w / (1 + rest * rate * l2));
}
