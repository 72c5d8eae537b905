// Which order a cipher text is to be read in, when as it stands it makes no sense. Under any substitution, text in its right order
// repeats itself more than text in a wrong one:
//   repeats = sum over pairs of signs: n (n - 1) / 2  +  4 * the same over threes,
// and how far a reading is above shuffled signs, in standard deviations, ranks all readings in moments. The best of many readings
// repeats more than one by chance alone: what is expected of that is taken off.

import { generator, type RandomGenerator, shuffle } from "../../util/random.js";
import { columnarOrder, type Grid, readingOrder, routeNames, rowsOf } from "./readings.js";

export interface RankedReading {
  /** As `readingOrder` understands it. */
  reading: string;
  /** [places] */
  order: Int32Array;
  /** Repeats above those of shuffled signs, in standard deviations; and above the best that chance would find among as many. */
  repeats: number;
  beyondChance: number;
}

/** Standard deviations beyond chance that a reading must repeat to be worth trying. */
const LEAST_BEYOND_CHANCE = 0.5;

/** What threes count for, beside pairs. */
const THREES = 4;

/** Shuffles that tell what chance gives. */
const SHUFFLES = 60;

/** Lines down that steps go at most. */
const MOST_DOWN = 3;

/** Parts of a text are looked for in so many lines at most: more make too many. */
const MOST_ROWS = 40;

/** Columns that a text may have been written under, and lines they must have. */
const MOST_COLUMNS = 12;
const FEWEST_LINES = 8;

/** Orders of columns to begin with, for each number of them. */
const BEGINNINGS = 4;

/** Whether the best reading is worth trying: it repeats more than the best by chance, and by more than the text as written does. */
export function standsOut(best: RankedReading | undefined, asWritten: number): best is RankedReading {
  return best !== undefined && best.beyondChance >= LEAST_BEYOND_CHANCE && best.beyondChance > asWritten;
}

/** Counts what signs repeat in an order. */
export class Repeats {
  private readonly pairs: Int32Array;
  private readonly threes: Int32Array; // by a hash of three signs
  private readonly signs: Int32Array; // [places] in the order at hand
  private readonly kinds: number;

  constructor(private readonly text: Int32Array) {
    this.kinds = text.reduce((most, sign) => Math.max(most, sign), 0) + 1;
    this.pairs = new Int32Array(this.kinds ** 2);
    this.threes = new Int32Array(1 << 16);
    this.signs = new Int32Array(text.length);
  }

  of(order: ArrayLike<number>): number {
    const { text, signs, pairs, threes, kinds } = this;
    for (let i = 0; i < signs.length; i++) signs[i] = text[order[i]];
    let twos = 0;
    let more = 0;
    for (let i = 1; i < signs.length; i++) {
      const pair = signs[i - 1] * kinds + signs[i];
      twos += pairs[pair]++;
      if (i > 1) more += threes[threeOf(signs[i - 2], pair)]++;
    }
    for (let i = 1; i < signs.length; i++) {
      const pair = signs[i - 1] * kinds + signs[i];
      pairs[pair] = 0;
      if (i > 1) threes[threeOf(signs[i - 2], pair)] = 0;
    }
    return twos + THREES * more;
  }
}

/** Different threes seldom share a number. */
function threeOf(first: number, pair: number): number {
  return (Math.imul(first + 1, 0x9e3779b1) ^ Math.imul(pair, 0x85ebca6b)) >>> 16;
}

function hashOf(order: Int32Array): number {
  let hash = 0;
  for (let i = 0; i < order.length; i++) hash = Math.imul(hash ^ order[i], 0x01000193) + i;
  return hash;
}

/** Signs as numbers; all readings there are, ranked, and the text as it stands with what it repeats. */
export function rankReadings(
  text: Int32Array,
  width: number,
  seed: number,
): { ranked: RankedReading[]; asWritten: number } {
  const grid = { width, count: text.length };
  const repeats = new Repeats(text);
  const random = generator(seed, 0);
  const order = Int32Array.from(text, (_, i) => i);
  const written = repeats.of(order);
  let sum = 0;
  let squares = 0;
  for (let n = 0; n < SHUFFLES; n++) {
    shuffle(order, random);
    const own = repeats.of(order);
    sum += own;
    squares += own ** 2;
  }
  const mean = sum / SHUFFLES;
  const deviation = Math.max(1, Math.sqrt(Math.max(0, squares / SHUFFLES - mean ** 2)));
  const ranked: RankedReading[] = [];
  const seen = new Set<number>([hashOf(Int32Array.from(text, (_, i) => i))]);
  const note = (reading: string, own: Int32Array, byChance: number): void => {
    const hash = hashOf(own);
    if (seen.has(hash)) return;
    seen.add(hash);
    const above = (repeats.of(own) - mean) / deviation;
    ranked.push({ reading, order: own, repeats: above, beyondChance: above - byChance });
  };
  const all = [...routeReadings(grid), ...stepReadings(grid)];
  // About the greatest of so many draws from a normal distribution.
  const greatest = Math.sqrt(2 * Math.log(Math.max(2, all.length)));
  for (const reading of all) note(reading, readingOrder(reading, grid), greatest);
  const shuffled = new Repeats(order.map((place) => text[place]));
  for (let columns = 2; columns <= Math.min(MOST_COLUMNS, text.length / FEWEST_LINES); columns++) {
    const best = bestColumns(columns, text.length, repeats, random);
    const chance = bestColumns(columns, text.length, shuffled, random);
    const byChance = (shuffled.of(columnarOrder(chance, text.length)) - mean) / deviation;
    // Where the first column is, and whether lines are read from the left or the right, repeats hardly tell.
    for (let first = 0; first < columns; first++) {
      for (const isTurned of [false, true]) {
        const turned = best.map((column) => ((isTurned ? columns - 1 - column : column) + first) % columns);
        const reading = `columnar-${turned.map((column) => column + 1).join("-")}`;
        note(reading, columnarOrder(turned, text.length), byChance);
      }
    }
  }
  ranked.sort((a, b) => b.beyondChance - a.beyondChance);
  return { ranked, asWritten: (written - mean) / deviation };
}

function routeReadings(grid: Grid): string[] {
  return rowsOf(grid) < 3 ? [] : routeNames.filter((name) => name !== "lines");
}

/** Steps, in one part or in two or three, of which the last may be read line by line. */
function stepReadings(grid: Grid): string[] {
  const rows = rowsOf(grid);
  if (rows < 3 || rows > MOST_ROWS || grid.width < 3) return [];
  const splits: number[][] = [[rows]];
  for (let a = 2; a < rows; a++) {
    splits.push([a, rows - a]);
    for (let b = a + 2; b < rows; b++) splits.push([a, b - a, rows - b]);
  }
  const readings: string[] = [];
  for (let down = 1; down <= Math.min(MOST_DOWN, rows - 1); down++) {
    for (let right = 1; right < grid.width; right++) {
      const step = `step-${down}-${right}`;
      for (const split of splits) {
        readings.push(split.map((lines) => `${lines}:${step}`).join("/"));
        if (split.length > 1)
          readings.push([...split.slice(0, -1).map((lines) => `${lines}:${step}`), "lines"].join("/"));
      }
    }
  }
  return readings;
}

/** The order of so many columns that repeats most: two are swapped, or one is moved, as long as that helps. */
function bestColumns(columns: number, count: number, repeats: Repeats, random: RandomGenerator): number[] {
  let best: number[] = [];
  let most = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < BEGINNINGS; n++) {
    const start = Int32Array.from({ length: columns }, (_, i) => i);
    if (n > 0) shuffle(start, random);
    let own = [...start];
    let score = repeats.of(columnarOrder(own, count));
    for (let isBetter = true; isBetter; ) {
      isBetter = false;
      for (let i = 0; i < columns; i++) {
        for (let j = 0; j < columns; j++) {
          if (i === j) continue;
          const moved = own.filter((_, k) => k !== i);
          moved.splice(j, 0, own[i]);
          const swapped = own.map((column, k) => (k === i ? own[j] : k === j ? own[i] : column));
          for (const other of [moved, swapped]) {
            const changed = repeats.of(columnarOrder(other, count));
            if (changed <= score) continue;
            score = changed;
            own = other;
            isBetter = true;
          }
        }
      }
    }
    if (score <= most) continue;
    most = score;
    best = own;
  }
  return best;
}
