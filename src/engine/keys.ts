// Walks through the keys of a substitution cipher: what a walk works on, and what moves it. A key gives every cipher symbol one
// plain symbol. It costs, in whole units of log-likelihood,
//   sum over places: table(plain symbol | the plain symbols before)  +  sum over y: power(N(y)),   power(n) = n log n,
// with N(y) places that the key gives y. The second sum keeps a homophonic key from writing one word everywhere; in a
// one-to-one key, which trades plain symbols, it is always the same and left out.

import type { Arrays } from "./backend.js";

/** Costs of all n-grams of an alphabet. */
export interface KeyTables {
  /** Events back that they look. */
  order: number;
  /** Plain symbols, and one more event that stands where there is none. */
  events: number;
  plainCount: number;
  /** Bytes a row: plain symbols, rounded up to a multiple of 16. */
  stride: number;
  /** Costs of 1 nat. */
  units: number;
  /** [events ** order][stride] costs of a window of order + 1 events: by all but the latest, the earliest first, then by that. */
  costs: Uint8Array;
  /**
   * [order] the same by all events but event j, then by event j, so that what a symbol costs under all its readings lies side
   * by side wherever it stands: faster, if there is much to search. None if left out.
   */
  turned?: readonly Uint8Array[];
}

/** A cipher text as walks need it: each window is the place of its last symbol and the `order` places before. */
export interface KeyText {
  readonly tables: KeyTables;
  cipherCount: number;
  isHomophonic: boolean;
  /** [places] with `order` gaps before each sequence: the cipher symbol, or -1. */
  text: Int32Array;
  frequency: Int32Array; // [cipherCount]
  placeStart: Int32Array; // [cipherCount + 1]
  places: Int32Array; // where each symbol stands
  windowStart: Int32Array; // [cipherCount + 1]
  windows: Int32Array; // windows that hold it
  onceStart: Int32Array; // [cipherCount][order + 1], and the end
  once: Int32Array; // windows that hold it once, by which of their events it is; of tables that are not turned, none
  oftenStart: Int32Array; // [cipherCount + 1]
  often: Int32Array; // its other windows
  oftenStep: Int32Array; // bytes in the table of costs from y to y + 1 at all its places in the window
  power: Int32Array; // [places + 1] n log n in units
  free: Int32Array; // cipher symbols with a choice
  allowed: Uint8Array; // [cipherCount][stride] 1 for plain symbols that a cipher symbol may stand for
}

/** Where a walk is. */
export interface KeyWalk {
  readonly text: KeyText;
  key: Int32Array; // [cipherCount]
  plain: Int32Array; // [places] plain symbol under the key, `events - 1` in the gaps
  written: Int32Array; // [plainCount] N(y)
  owner: Int32Array; // [plainCount] the cipher symbol that has it, or -1: for keys that trade
  cost: Int32Array; // [places] of each window: for keys that trade
  stamp: Int32Array; // [places] the step that looked at it last
  bestKey: Int32Array; // [cipherCount] the cheapest key met
  /** Random state, total cost, cost of the best key, number of steps that tried something. */
  state: Int32Array; // [4]
}

/** How freely a walk moves: what costs so much more than the best has the weight exp(-cost / (temperature * units)). */
export interface Temperature {
  /** [count] by cost, as whole numbers; beyond, weights are 0. */
  weights: Int32Array;
}

/** Fields of `state`. */
export const RANDOM = 0;
export const TOTAL = 1;
export const BEST = 2;
export const STAMP_COUNT = 3;

/** Moves walks. Both kinds of loops make the same steps. */
export interface KeyLoops {
  readonly name: "js" | "wasm";
  /** Where the arrays of texts, tables and walks are to lie. */
  readonly arrays: Arrays;
  /** Draws plain symbols anew, one cipher symbol a step, in proportion to their weights. */
  heatBath(walk: KeyWalk, temperature: Temperature, steps: number): void;
  /** Trades plain symbols between cipher symbols, kept with the probability weights[more] / weights[0]. */
  trade(walk: KeyWalk, temperature: Temperature, steps: number): void;
}

/** The weight of what costs no more than the best; sums over an alphabet stay below 2^31. */
const MOST_WEIGHT = 1 << 22;

/** Longest list of weights. */
const MOST_WEIGHTS = 8192;

/** A temperature in nats, for tables with so many units a nat. */
export function temperatureOf(nats: number, units: number, arrays: Arrays): Temperature {
  const scale = -1 / (nats * units);
  const weights: number[] = [];
  while (weights.length < MOST_WEIGHTS) {
    const weight = Math.round(MOST_WEIGHT * Math.exp(weights.length * scale));
    if (weight === 0) break;
    weights.push(weight);
  }
  return { weights: arrays.placed(Int32Array.from(weights)) };
}

/** Prepares a text, [sequences] of cipher symbols, for walks. `allowed`, [cipherCount][plainCount]; all if not given. */
export function keyText(
  tables: KeyTables,
  sequences: readonly ArrayLike<number>[],
  cipherCount: number,
  { isHomophonic, allowed }: { isHomophonic: boolean; allowed?: Uint8Array },
  arrays: Arrays,
): KeyText {
  const { order, plainCount, stride, units } = tables;
  const placed = (numbers: ArrayLike<number>): Int32Array => arrays.placed(Int32Array.from(numbers));
  const symbols: number[] = [];
  for (const sequence of sequences) {
    for (let i = 0; i < order; i++) symbols.push(-1);
    for (let i = 0; i < sequence.length; i++) symbols.push(sequence[i]);
  }
  const frequency = new Int32Array(cipherCount);
  const standing: number[][] = Array.from({ length: cipherCount }, () => []);
  symbols.forEach((x, place) => {
    if (x < 0) return;
    frequency[x]++;
    standing[x].push(place);
  });
  const mask = new Uint8Array(cipherCount * stride);
  const free: number[] = [];
  for (let x = 0; x < cipherCount; x++) {
    let choices = 0;
    for (let y = 0; y < plainCount; y++) {
      if (allowed && !allowed[x * plainCount + y]) continue;
      mask[x * stride + y] = 1;
      choices++;
    }
    if (choices > 1 && frequency[x] > 0) free.push(x);
  }
  const places = symbols.length;
  const own = arrays.uint8(mask.length);
  own.set(mask);
  return {
    tables,
    cipherCount,
    isHomophonic,
    text: placed(symbols),
    frequency: placed(frequency),
    placeStart: placed(startsOf(standing)),
    places: placed(standing.flat()),
    ...windowsOf(tables, symbols, standing, placed),
    power: placed(Array.from({ length: places + 1 }, (_, n) => (n > 0 ? Math.round(n * Math.log(n) * units) : 0))),
    free: placed(free),
    allowed: own,
  };
}

function startsOf(lists: readonly (readonly unknown[])[]): number[] {
  const starts = [0];
  for (const list of lists) starts.push(starts[starts.length - 1] + list.length);
  return starts;
}

/** The windows of each cipher symbol: those that hold it once, by where it stands in them, and the others. */
function windowsOf(
  { order, events, stride, turned }: KeyTables,
  symbols: readonly number[],
  standing: readonly (readonly number[])[],
  placed: (numbers: ArrayLike<number>) => Int32Array,
): Pick<KeyText, "windowStart" | "windows" | "onceStart" | "once" | "oftenStart" | "often" | "oftenStep"> {
  const windows: number[][] = [];
  const once: number[][] = [];
  const often: number[][] = [];
  const steps: number[] = [];
  standing.forEach((places, x) => {
    const all = new Set<number>();
    for (const place of places) {
      for (let w = place; w <= place + order && w < symbols.length && symbols[w] >= 0; w++) all.add(w);
    }
    const byEvent: number[][] = Array.from({ length: order + 1 }, () => []);
    const repeated: number[] = [];
    for (const w of all) {
      const at: number[] = [];
      for (let k = 0; k <= order; k++) if (symbols[w - order + k] === x) at.push(k);
      if (turned && at.length === 1) byEvent[at[0]].push(w);
      else {
        repeated.push(w);
        steps.push(at.reduce((sum, k) => sum + (k === order ? 1 : events ** (order - 1 - k) * stride), 0));
      }
    }
    windows.push([...all]);
    once.push(...byEvent);
    often.push(repeated);
  });
  return {
    windowStart: placed(startsOf(windows)),
    windows: placed(windows.flat()),
    onceStart: placed(startsOf(once)),
    once: placed(once.flat()),
    oftenStart: placed(startsOf(often)),
    often: placed(often.flat()),
    oftenStep: placed(steps),
  };
}

/** A walk that has not begun. */
export function keyWalk(text: KeyText, arrays: Arrays): KeyWalk {
  const places = text.text.length;
  return {
    text,
    key: arrays.int32(text.cipherCount),
    plain: arrays.int32(places),
    written: arrays.int32(text.tables.plainCount),
    owner: arrays.int32(text.tables.plainCount),
    cost: arrays.int32(places),
    stamp: arrays.int32(places),
    bestKey: arrays.int32(text.cipherCount),
    state: arrays.int32(4),
  };
}

/** Puts a walk at a key. `seed` decides its random numbers from here on; without one they go on. */
export function beginWalk(walk: KeyWalk, key: ArrayLike<number>, seed?: number): void {
  const { text, plain, written, owner, cost, state } = walk;
  const { tables, frequency, power } = text;
  const { order, events, plainCount } = tables;
  walk.key.set(key);
  written.fill(0);
  owner.fill(-1);
  for (let x = 0; x < text.cipherCount; x++) {
    written[key[x]] += frequency[x];
    owner[key[x]] = x;
  }
  for (let i = 0; i < plain.length; i++) plain[i] = text.text[i] < 0 ? events - 1 : key[text.text[i]];
  let total = 0;
  for (let i = order; i < plain.length; i++) {
    if (text.text[i] < 0) continue;
    cost[i] = windowCost(tables, plain, i);
    total += cost[i];
  }
  if (text.isHomophonic) for (let y = 0; y < plainCount; y++) total += power[written[y]];
  walk.bestKey.set(walk.key);
  walk.stamp.fill(0);
  state[TOTAL] = total;
  state[BEST] = total;
  state[STAMP_COUNT] = 0;
  if (seed !== undefined) state[RANDOM] = seed;
}

export function windowCost({ order, events, stride, costs }: KeyTables, plain: Int32Array, place: number): number {
  let index = 0;
  for (let i = place - order; i < place; i++) index = index * events + plain[i];
  return costs[index * stride + plain[place]];
}
