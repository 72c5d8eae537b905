// Walks through the keys of a substitution cipher, in plain TypeScript: the specification of src/engine/wasm/assembly/keys.ts,
// and what runs where WebAssembly does not.

import { plainArrays } from "../backend.js";
import {
  BEST,
  type KeyLoops,
  type KeyWalk,
  RANDOM,
  STAMP_COUNT,
  type Temperature,
  TOTAL,
  windowCost,
} from "../keys.js";

/** Costs of what is not allowed. */
const FORBIDDEN = 0x3fffffff;

let random = 0;

/** 32 random bits (mulberry32). */
function bits(): number {
  random = (random + 0x6d2b79f5) | 0;
  let t = Math.imul(random ^ (random >>> 15), random | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (t ^ (t >>> 14)) >>> 0;
}

/** A whole number below `count`. */
function below(count: number): number {
  return Math.floor((bits() * count) / 4294967296);
}

/** Gives x the plain symbol y, in key and text. */
function write({ key, plain, text }: KeyWalk, x: number, y: number): void {
  key[x] = y;
  for (let p = text.placeStart[x]; p < text.placeStart[x + 1]; p++) plain[text.places[p]] = y;
}

function noteBest({ state, bestKey, key }: KeyWalk): void {
  if (state[TOTAL] >= state[BEST]) return;
  state[BEST] = state[TOTAL];
  bestKey.set(key);
}

/** sums[y] += cost of every window in which x stands once, if it stands for y. */
function sumOnce({ text, plain }: KeyWalk, x: number, sums: Int32Array): void {
  const { onceStart, once, tables } = text;
  const { order, events, stride, plainCount, turned, costs } = tables;
  if (!turned) return;
  for (let j = 0; j <= order; j++) {
    const table = j < order ? turned[j] : costs;
    const list = x * (order + 1) + j;
    for (let w = onceStart[list]; w < onceStart[list + 1]; w++) {
      const first = once[w] - order;
      let index = 0;
      for (let k = 0; k < j; k++) index = index * events + plain[first + k];
      for (let k = j + 1; k <= order; k++) index = index * events + plain[first + k];
      const row = index * stride;
      for (let y = 0; y < plainCount; y++) sums[y] += table[row + y];
    }
  }
}

/** The same of its other windows: from y to y + 1 the place of a cost moves by a step. */
function sumOften({ text, plain, key }: KeyWalk, x: number, sums: Int32Array): void {
  const { oftenStart, often, oftenStep, tables } = text;
  const { order, events, stride, plainCount, costs } = tables;
  for (let w = oftenStart[x]; w < oftenStart[x + 1]; w++) {
    const first = often[w] - order;
    let index = 0;
    for (let k = 0; k < order; k++) index = index * events + plain[first + k];
    let at = index * stride + plain[first + order] - key[x] * oftenStep[w];
    for (let y = 0; y < plainCount; y++, at += oftenStep[w]) sums[y] += costs[at];
  }
}

const sums = new Int32Array(256);

/**
 * What the windows of a cipher symbol cost under each of its readings, all else as it is; in units, into `sums`, [stride].
 */
export function readingCosts(walk: KeyWalk, x: number, to: Int32Array): void {
  to.fill(0);
  sumOnce(walk, x, to);
  sumOften(walk, x, to);
}

function heatBath(walk: KeyWalk, { weights }: Temperature, steps: number): void {
  const { text, key, written, state } = walk;
  const weightCount = weights.length;
  const { free, frequency, power, allowed, isHomophonic } = text;
  const { plainCount, stride } = text.tables;
  random = state[RANDOM];
  for (let step = 0; step < steps; step++) {
    const x = free[below(free.length)];
    const old = key[x];
    sums.fill(0, 0, stride);
    sumOnce(walk, x, sums);
    sumOften(walk, x, sums);
    const n = frequency[x];
    written[old] -= n;
    let least = FORBIDDEN;
    for (let y = 0; y < plainCount; y++) {
      if (!allowed[x * stride + y]) sums[y] = FORBIDDEN;
      else if (isHomophonic) sums[y] += power[written[y] + n] - power[written[y]];
      if (sums[y] < least) least = sums[y];
    }
    let sum = 0;
    for (let y = 0; y < plainCount; y++) {
      const more = sums[y] - least;
      if (more < weightCount) sum += weights[more];
    }
    let left = Math.floor((bits() / 4294967296) * sum);
    let drawn = old;
    for (let y = 0; y < plainCount; y++) {
      const more = sums[y] - least;
      if (more >= weightCount) continue;
      drawn = y;
      left -= weights[more];
      if (left < 0) break;
    }
    written[drawn] += n;
    if (drawn === old) continue;
    state[TOTAL] += sums[drawn] - sums[old];
    write(walk, x, drawn);
    noteBest(walk);
  }
  state[RANDOM] = random;
}

/** Windows looked at in a step, and what they cost. */
let tried = new Int32Array(256);
let triedCount = 0;

/** What the windows of x cost more than before, those left out that this step has seen; they and their costs are noted. */
function tryWindows({ text, plain, cost, stamp }: KeyWalk, x: number, stampCount: number): number {
  const { windowStart, windows, tables } = text;
  let change = 0;
  for (let w = windowStart[x]; w < windowStart[x + 1]; w++) {
    const place = windows[w];
    if (stamp[place] === stampCount) continue;
    stamp[place] = stampCount;
    const now = windowCost(tables, plain, place);
    tried[2 * triedCount] = place;
    tried[2 * triedCount + 1] = now;
    triedCount++;
    change += now - cost[place];
  }
  return change;
}

function trade(walk: KeyWalk, { weights }: Temperature, steps: number): void {
  const { text, key, owner, cost, state } = walk;
  const { free, allowed, tables } = text;
  const { plainCount, stride } = tables;
  if (tried.length < 2 * text.text.length) tried = new Int32Array(2 * text.text.length);
  random = state[RANDOM];
  for (let step = 0; step < steps; step++) {
    const x = free[below(free.length)];
    const y = below(plainCount);
    const chance = bits();
    const old = key[x];
    if (y === old || !allowed[x * stride + y]) continue;
    const other = owner[y];
    if (other >= 0 && !allowed[other * stride + old]) continue;
    write(walk, x, y);
    if (other >= 0) write(walk, other, old);
    const stampCount = ++state[STAMP_COUNT];
    triedCount = 0;
    let change = tryWindows(walk, x, stampCount);
    if (other >= 0) change += tryWindows(walk, other, stampCount);
    const isKept = change <= 0 || (change < weights.length && (chance / 4294967296) * weights[0] < weights[change]);
    if (!isKept) {
      write(walk, x, old);
      if (other >= 0) write(walk, other, y);
      continue;
    }
    for (let t = 0; t < triedCount; t++) cost[tried[2 * t]] = tried[2 * t + 1];
    owner[y] = x;
    owner[old] = other;
    state[TOTAL] += change;
    noteBest(walk);
  }
  state[RANDOM] = random;
}

export const referenceKeyLoops: KeyLoops = { name: "js", arrays: plainArrays, heatBath, trade };
