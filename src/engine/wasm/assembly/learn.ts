// Attribute rows summed into slot scores and back, and the steps of AdaGrad: the parts of training that are not
// inference. See src/learn/adagrad.ts for the formulas.

import { int, num, setInt, setNum } from "./state";
import { addScaled } from "./vector";

/**
 * For positions `from` .. `from + length - 1`: scores[i][symbol] += value * weight of every row of the position. Rows of
 * a position are map[ids[a]] for a in start[i] .. start[i + 1] - 1; -1 is none. `values` may be 0: all are 1.
 */
export function scoreSlots(
  scores: usize,
  symbolCount: i32,
  length: i32,
  from: i32,
  start: usize,
  ids: usize,
  values: usize,
  map: usize,
  tableStart: usize,
  tableSymbols: usize,
  weights: usize,
): void {
  for (let i = 0; i < length; i++) {
    const to = scores + (<usize>(i * symbolCount) << 3);
    const end = int(start, from + i + 1);
    for (let a = int(start, from + i); a < end; a++) {
      const row = map ? int(map, int(ids, a)) : int(ids, a);
      if (row < 0) continue;
      const value = values ? num(values, a) : 1;
      const entry = int(tableStart, row);
      const count = int(tableStart, row + 1) - entry;
      if (count <= 0) continue;
      const symbols = tableSymbols + (<usize>entry << 2);
      const first = int(symbols, 0);
      const rowWeights = weights + (<usize>entry << 3);
      // Symbols without a gap, as rows of attributes that every label has: a vector.
      if (int(symbols, count - 1) - first == count - 1) addScaled(to + (<usize>first << 3), rowWeights, count, value);
      else {
        for (let e = 0; e < count; e++) {
          const at = to + (<usize>int(symbols, e) << 3);
          store<f64>(at, load<f64>(at) + value * num(rowWeights, e));
        }
      }
    }
  }
}

/** The way back: counts[entry] += value * slotCounts[i][symbol] for the same rows, which are noted as touched. */
export function countSlots(
  slotCounts: usize,
  symbolCount: i32,
  length: i32,
  from: i32,
  start: usize,
  ids: usize,
  values: usize,
  map: usize,
  tableStart: usize,
  tableSymbols: usize,
  counts: usize,
  touched: usize,
  isTouched: usize,
  touchedCount: i32,
): i32 {
  for (let i = 0; i < length; i++) {
    const decisions = slotCounts + (<usize>(i * symbolCount) << 3);
    const end = int(start, from + i + 1);
    for (let a = int(start, from + i); a < end; a++) {
      const row = map ? int(map, int(ids, a)) : int(ids, a);
      if (row < 0) continue;
      if (!load<u8>(isTouched + <usize>row)) {
        store<u8>(isTouched + <usize>row, 1);
        setInt(touched, touchedCount++, row);
      }
      const value = values ? num(values, a) : 1;
      const entry = int(tableStart, row);
      const count = int(tableStart, row + 1) - entry;
      if (count <= 0) continue;
      const symbols = tableSymbols + (<usize>entry << 2);
      const first = int(symbols, 0);
      const rowCounts = counts + (<usize>entry << 3);
      if (int(symbols, count - 1) - first == count - 1) addScaled(rowCounts, decisions + (<usize>first << 3), count, value);
      else {
        for (let e = 0; e < count; e++) {
          setNum(rowCounts, e, num(rowCounts, e) + value * num(decisions, int(symbols, e)));
        }
      }
    }
  }
  return touchedCount;
}

/** Notes rows as touched; returns how many are. */
export function touchRows(rows: usize, count: i32, touched: usize, isTouched: usize, touchedCount: i32): i32 {
  for (let r = 0; r < count; r++) {
    const row = int(rows, r);
    if (load<u8>(isTouched + <usize>row)) continue;
    store<u8>(isTouched + <usize>row, 1);
    setInt(touched, touchedCount++, row);
  }
  return touchedCount;
}

/**
 * Rounds coordinates of the gradient that are smaller than a threshold to nothing or to the threshold, at random, so that
 * the expectation stays the same. Random numbers are those of xorshift32, begun anew for each row from the seed and the
 * row's number, so that it does not matter which other rows are rounded along with it.
 */
export function truncate(
  touched: usize,
  touchedCount: i32,
  gradient: usize,
  tableStart: usize,
  threshold: f64,
  seed: u32,
): void {
  const unit = threshold / 4294967296.0;
  for (let i = 0; i < touchedCount; i++) {
    const row = int(touched, i);
    const end = int(tableStart, row + 1);
    let state = seedOfRow(seed, row);
    for (let e = int(tableStart, row); e < end; e++) {
      const g = num(gradient, e);
      const size = abs(g);
      if (size == 0 || size >= threshold) continue;
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      setNum(gradient, e, size > <f64>state * unit ? (g > 0 ? threshold : -threshold) : 0);
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

/** One step of AdaGrad on the touched rows, whose gradient is cleared, and which are then touched no more. */
export function adagrad(
  touched: usize,
  touchedCount: i32,
  isTouched: usize,
  gradient: usize,
  tableStart: usize,
  weights: usize,
  squares: usize,
  sums: usize,
  settled: usize,
  step: i32,
  eta: f64,
  delta: f64,
  l1: f64,
  l2: f64,
): void {
  for (let i = 0; i < touchedCount; i++) {
    const row = int(touched, i);
    store<u8>(isTouched + <usize>row, 0);
    const rest = <f64>(step - int(settled, row));
    setInt(settled, row, step);
    const from = int(tableStart, row);
    const count = int(tableStart, row + 1) - from;
    const at = <usize>from << 3;
    if (l1 == 0) updateVector(gradient + at, weights + at, squares + at, sums + at, count, rest, eta, delta, l2);
    else for (let e = 0; e < count; e++) updateOne(gradient + at, weights + at, squares + at, sums + at, e, rest, eta, delta, l1, l2);
  }
}

function updateVector(
  gradient: usize,
  weights: usize,
  squares: usize,
  sums: usize,
  count: i32,
  rest: f64,
  eta: f64,
  delta: f64,
  l2: f64,
): void {
  const rests = f64x2.splat(rest);
  const etas = f64x2.splat(eta);
  const deltas = f64x2.splat(delta);
  const shrink = f64x2.splat(rest * l2);
  const one = f64x2.splat(1);
  const zero = f64x2.splat(0);
  let e = 0;
  for (; e + 1 < count; e += 2) {
    const at = <usize>e << 3;
    const g = v128.load(gradient + at);
    const w = v128.load(weights + at);
    // A weight at rest that has never moved stays where it is.
    if (!v128.any_true(v128.or(f64x2.ne(g, zero), f64x2.ne(w, zero)))) continue;
    v128.store(gradient + at, zero);
    v128.store(sums + at, f64x2.add(v128.load(sums + at), f64x2.mul(w, rests)));
    const square = f64x2.add(v128.load(squares + at), f64x2.mul(g, g));
    v128.store(squares + at, square);
    const rate = f64x2.div(etas, f64x2.sqrt(f64x2.add(deltas, square)));
    v128.store(
      weights + at,
      f64x2.div(f64x2.add(w, f64x2.mul(rate, g)), f64x2.add(one, f64x2.mul(shrink, rate))),
    );
  }
  if (e < count) updateOne(gradient, weights, squares, sums, e, rest, eta, delta, 0, l2);
}

function updateOne(
  gradient: usize,
  weights: usize,
  squares: usize,
  sums: usize,
  e: i32,
  rest: f64,
  eta: f64,
  delta: f64,
  l1: f64,
  l2: f64,
): void {
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
