// Walks through the keys of a substitution cipher, with SIMD: the same steps as src/engine/reference/keys.ts, number for
// number. Costs are bytes of a table of n-grams, so a total is a whole number. src/engine/wasm/keys.ts is the other side.

import {
  ALLOWED,
  BEST,
  BEST_KEY,
  CIPHER_COUNT,
  COST,
  EVENTS,
  FREE,
  FREE_COUNT,
  FREQUENCY,
  IS_HOMOPHONIC,
  KEY,
  OFTEN,
  OFTEN_START,
  OFTEN_STEP,
  ONCE,
  ONCE_START,
  ORDER,
  OWNER,
  PLACES,
  PLACE_START,
  PLAIN,
  PLAIN_COUNT,
  POWER,
  RANDOM,
  SCRATCH,
  STAMP,
  STAMP_COUNT,
  STATE,
  STRIDE,
  TABLES,
  TOTAL,
  WEIGHTS,
  WEIGHT_COUNT,
  WINDOWS,
  WINDOW_START,
  WRITTEN,
} from "../keys-layout";

/** More rows than this may overflow the 16 bits that a column is summed in. */
const ROWS_AT_ONCE = 256;

/** Costs of what is not allowed. */
const FORBIDDEN: i32 = 0x3fffffff;

let random: u32 = 0;

// @ts-expect-error: decorators on functions are AssemblyScript
@inline
function field(work: usize, name: i32): i32 {
  return load<i32>(work + (<usize>name << 2));
}

// @ts-expect-error: decorators on functions are AssemblyScript
@inline
function array(work: usize, name: i32): usize {
  return <usize>load<u32>(work + (<usize>name << 2));
}

// @ts-expect-error: decorators on functions are AssemblyScript
@inline
function int(address: usize, index: i32): i32 {
  return load<i32>(address + (<usize>index << 2));
}

// @ts-expect-error: decorators on functions are AssemblyScript
@inline
function put(address: usize, index: i32, value: i32): void {
  store<i32>(address + (<usize>index << 2), value);
}

/** 32 random bits (mulberry32). */
// @ts-expect-error: decorators on functions are AssemblyScript
@inline
function bits(): u32 {
  random += 0x6d2b79f5;
  let t: u32 = (random ^ (random >> 15)) * (random | 1);
  t ^= t + (t ^ (t >> 7)) * (t | 61);
  return t ^ (t >> 14);
}

/** A whole number below `count`. */
// @ts-expect-error: decorators on functions are AssemblyScript
@inline
function below(count: i32): i32 {
  return <i32>((<u64>bits() * <u64>count) >> 32);
}

/** Gives x the plain symbol y, in key and text. */
function write(work: usize, x: i32, y: i32): void {
  put(array(work, KEY), x, y);
  const places = array(work, PLACES);
  const plain = array(work, PLAIN);
  const end = int(array(work, PLACE_START), x + 1);
  for (let p = int(array(work, PLACE_START), x); p < end; p++) put(plain, int(places, p), y);
}

function noteBest(work: usize, state: usize): void {
  const total = int(state, TOTAL);
  if (total >= int(state, BEST)) return;
  put(state, BEST, total);
  memory.copy(array(work, BEST_KEY), array(work, KEY), <usize>field(work, CIPHER_COUNT) << 2);
}

/** sums[y] += cost of every window in which x stands once, if it stands for y. */
function sumOnce(work: usize, x: i32, sums: usize): void {
  const order = field(work, ORDER);
  const events = field(work, EVENTS);
  const stride = field(work, STRIDE);
  const plain = array(work, PLAIN);
  const starts = array(work, ONCE_START) + (<usize>(x * (order + 1)) << 2);
  const once = array(work, ONCE);
  const tables = array(work, TABLES);
  const rows = sums + (<usize>stride << 2); // addresses of the rows at hand
  let count = 0;
  for (let j = 0; j <= order; j++) {
    const table = <usize>int(tables, j);
    const end = int(starts, j + 1);
    for (let w = int(starts, j); w < end; w++) {
      const window = plain + (<usize>(int(once, w) - order) << 2);
      let index = 0;
      for (let k = 0; k < j; k++) index = index * events + int(window, k);
      for (let k = j + 1; k <= order; k++) index = index * events + int(window, k);
      put(rows, count++, <i32>(table + <usize>(index * stride)));
      if (count < ROWS_AT_ONCE) continue;
      addRows(rows, count, stride, sums);
      count = 0;
    }
  }
  addRows(rows, count, stride, sums);
}

function addRows(rows: usize, count: i32, stride: i32, sums: usize): void {
  for (let column = 0; column < stride; column += 16) {
    let low = i16x8.splat(0);
    let high = i16x8.splat(0);
    for (let r = 0; r < count; r++) {
      const bytes = v128.load(<usize>int(rows, r) + <usize>column);
      low = i16x8.add(low, i16x8.extend_low_i8x16_u(bytes));
      high = i16x8.add(high, i16x8.extend_high_i8x16_u(bytes));
    }
    const to = sums + (<usize>column << 2);
    v128.store(to, i32x4.add(v128.load(to), i32x4.extend_low_i16x8_u(low)));
    v128.store(to, i32x4.add(v128.load(to, 16), i32x4.extend_high_i16x8_u(low)), 16);
    v128.store(to, i32x4.add(v128.load(to, 32), i32x4.extend_low_i16x8_u(high)), 32);
    v128.store(to, i32x4.add(v128.load(to, 48), i32x4.extend_high_i16x8_u(high)), 48);
  }
}

/** The same of its other windows: from y to y + 1 the address of a cost moves by a step. */
function sumOften(work: usize, x: i32, sums: usize): void {
  const start = int(array(work, OFTEN_START), x);
  const end = int(array(work, OFTEN_START), x + 1);
  if (start === end) return;
  const order = field(work, ORDER);
  const events = field(work, EVENTS);
  const stride = field(work, STRIDE);
  const plainCount = field(work, PLAIN_COUNT);
  const plain = array(work, PLAIN);
  const table = <usize>int(array(work, TABLES), order);
  const often = array(work, OFTEN);
  const steps = array(work, OFTEN_STEP);
  const own = int(array(work, KEY), x);
  for (let w = start; w < end; w++) {
    const window = plain + (<usize>(int(often, w) - order) << 2);
    let index = 0;
    for (let k = 0; k < order; k++) index = index * events + int(window, k);
    const step = int(steps, w);
    let at = table + <usize>(index * stride + int(window, order) - own * step);
    for (let y = 0; y < plainCount; y++, at += step) put(sums, y, int(sums, y) + <i32>load<u8>(at));
  }
}

/**
 * `steps` times: draws the plain symbol of a random cipher symbol anew, each in proportion to WEIGHTS at what it costs more than
 * the best (heat bath).
 */
export function heatBath(work: usize, steps: i32): void {
  const state = array(work, STATE);
  random = <u32>int(state, RANDOM);
  const plainCount = field(work, PLAIN_COUNT);
  const stride = field(work, STRIDE);
  const free = array(work, FREE);
  const freeCount = field(work, FREE_COUNT);
  const written = array(work, WRITTEN);
  const power = array(work, POWER);
  const weights = array(work, WEIGHTS);
  const weightCount = field(work, WEIGHT_COUNT);
  const sums = array(work, SCRATCH);
  const isHomophonic = field(work, IS_HOMOPHONIC);
  for (let step = 0; step < steps; step++) {
    const x = int(free, below(freeCount));
    const old = int(array(work, KEY), x);
    memory.fill(sums, 0, <usize>stride << 2);
    sumOnce(work, x, sums);
    sumOften(work, x, sums);
    const allowed = array(work, ALLOWED) + <usize>(x * stride);
    const n = int(array(work, FREQUENCY), x);
    put(written, old, int(written, old) - n);
    let least = FORBIDDEN;
    for (let y = 0; y < plainCount; y++) {
      let cost = FORBIDDEN;
      if (load<u8>(allowed + <usize>y)) {
        cost = int(sums, y);
        if (isHomophonic) {
          const others = int(written, y);
          cost += int(power, others + n) - int(power, others);
        }
        if (cost < least) least = cost;
      }
      put(sums, y, cost);
    }
    let sum = 0;
    for (let y = 0; y < plainCount; y++) {
      const more = int(sums, y) - least;
      if (more < weightCount) sum += int(weights, more);
    }
    let left = <i32>Math.floor((<f64>bits() / 4294967296.0) * <f64>sum);
    let drawn = old;
    for (let y = 0; y < plainCount; y++) {
      const more = int(sums, y) - least;
      if (more >= weightCount) continue;
      drawn = y;
      left -= int(weights, more);
      if (left < 0) break;
    }
    put(written, drawn, int(written, drawn) + n);
    if (drawn === old) continue;
    put(state, TOTAL, int(state, TOTAL) + int(sums, drawn) - int(sums, old));
    write(work, x, drawn);
    noteBest(work, state);
  }
  put(state, RANDOM, <i32>random);
}

function costAt(work: usize, place: i32): i32 {
  const order = field(work, ORDER);
  const events = field(work, EVENTS);
  const window = array(work, PLAIN) + (<usize>(place - order) << 2);
  let index = 0;
  for (let k = 0; k < order; k++) index = index * events + int(window, k);
  return <i32>(
    load<u8>(<usize>int(array(work, TABLES), order) + <usize>(index * field(work, STRIDE) + int(window, order)))
  );
}

let triedCount: i32 = 0;

/** What the windows of x cost more than before, those left out that this step has seen; they and their costs are noted. */
function tryWindows(work: usize, x: i32, stampCount: i32): i32 {
  const windows = array(work, WINDOWS);
  const stamp = array(work, STAMP);
  const cost = array(work, COST);
  const tried = array(work, SCRATCH); // pairs: place, cost
  const end = int(array(work, WINDOW_START), x + 1);
  let change = 0;
  for (let w = int(array(work, WINDOW_START), x); w < end; w++) {
    const place = int(windows, w);
    if (int(stamp, place) === stampCount) continue;
    put(stamp, place, stampCount);
    const now = costAt(work, place);
    put(tried, 2 * triedCount, place);
    put(tried, 2 * triedCount + 1, now);
    triedCount++;
    change += now - int(cost, place);
  }
  return change;
}

/**
 * `steps` times: a random cipher symbol trades plain symbols with the one that has another, or takes one that none has; kept if
 * that costs no more, or else with the probability WEIGHTS[more] / WEIGHTS[0] (Metropolis).
 */
export function trade(work: usize, steps: i32): void {
  const state = array(work, STATE);
  random = <u32>int(state, RANDOM);
  const plainCount = field(work, PLAIN_COUNT);
  const stride = field(work, STRIDE);
  const free = array(work, FREE);
  const freeCount = field(work, FREE_COUNT);
  const key = array(work, KEY);
  const owner = array(work, OWNER);
  const allowed = array(work, ALLOWED);
  const weights = array(work, WEIGHTS);
  const weightCount = field(work, WEIGHT_COUNT);
  const cost = array(work, COST);
  const tried = array(work, SCRATCH);
  let stampCount = int(state, STAMP_COUNT);
  for (let step = 0; step < steps; step++) {
    const x = int(free, below(freeCount));
    const y = below(plainCount);
    const chance = bits();
    const old = int(key, x);
    if (y === old || !load<u8>(allowed + <usize>(x * stride + y))) continue;
    const other = int(owner, y);
    if (other >= 0 && !load<u8>(allowed + <usize>(other * stride + old))) continue;
    write(work, x, y);
    if (other >= 0) write(work, other, old);
    stampCount++;
    triedCount = 0;
    let change = tryWindows(work, x, stampCount);
    if (other >= 0) change += tryWindows(work, other, stampCount);
    const isKept =
      change <= 0 ||
      (change < weightCount && (<f64>chance / 4294967296.0) * <f64>int(weights, 0) < <f64>int(weights, change));
    if (!isKept) {
      write(work, x, old);
      if (other >= 0) write(work, other, y);
      continue;
    }
    for (let t = 0; t < triedCount; t++) put(cost, int(tried, 2 * t), int(tried, 2 * t + 1));
    put(owner, y, x);
    put(owner, old, other);
    put(state, TOTAL, int(state, TOTAL) + change);
    noteBest(work, state);
  }
  put(state, STAMP_COUNT, stampCount);
  put(state, RANDOM, <i32>random);
}
