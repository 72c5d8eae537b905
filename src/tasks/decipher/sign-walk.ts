// Walks through keys whose signs stand for letters, for nothing (nulls) or for whole words (a nomenclator). A sign that is read
// otherwise changes what stands beside what, so costs are taken from the text as it is then spelled out. With n(x) places of sign x,
// N(y) places of letters y that are written by letter signs, L and Z places of letter signs and of nulls, f(n) = n log n, a key costs
//   -log P(letters)  +  sum over y: f(N(y))  -  f(L)  +  f(L + Z)  -  sum over letter signs and nulls: f(n(x))  +  priors:
// a place is a letter or a null, as often as they are, a letter is written by one of its signs, and a word always by its own.

import type { KeyTables } from "../../engine/keys.js";
import { type RandomGenerator, uniform } from "../../util/random.js";
import { logPower } from "./key-score.js";

/** What a sign may stand for: letters 0 to letterCount - 1, then nothing, then words. */
export interface SignReadings {
  letterCount: number;
  /** [readings + 1] where the letters of each reading begin. */
  start: Int32Array;
  letters: Int32Array;
  /** Nats that it costs that a sign stands for nothing, or for a word. */
  prior: Float64Array; // [readings]
}

/** Nats that a sign which is no letter must be worth. */
const SPECIAL = 4;

/** Share of the places that may be nulls: with more, a text says whatever one likes. */
const MOST_NULLS = 0.3;

/** `isNull`: signs may stand for nothing; `words`: each as letters. */
export function signReadings(
  letterCount: number,
  isNull: boolean,
  words: readonly (readonly number[])[],
): SignReadings {
  const all = [...Array.from({ length: letterCount }, (_, y) => [y]), [], ...words];
  const start = new Int32Array(all.length + 1);
  for (const [r, letters] of all.entries()) start[r + 1] = start[r] + letters.length;
  const prior = Float64Array.from(all, (_, r) => {
    if (r < letterCount) return 0;
    if (r === letterCount) return isNull ? SPECIAL : Number.POSITIVE_INFINITY;
    return SPECIAL + Math.log(words.length);
  });
  return { letterCount, start, letters: Int32Array.from(all.flat()), prior };
}

export class SignWalk {
  /** [signs] the reading of each. */
  readonly key: Int32Array;
  private readonly frequency: Int32Array;
  private readonly placeStart: Int32Array;
  private readonly places: Int32Array;
  private readonly written: Float64Array; // [letters] N(y)
  private letterPlaces = 0;
  private nullPlaces = 0;
  private readonly signsOf: Int32Array; // [readings] signs that have it: of words, at most one
  private readonly costs: Float64Array; // [readings] of the sign at hand
  private readonly contexts: number;
  private readonly fewer: number; // contexts of one event less

  constructor(
    private readonly tables: KeyTables,
    /** [places] signs in order. */
    private readonly text: Int32Array,
    signCount: number,
    private readonly readings: SignReadings,
    /** [signs][letters] 0 where a letter is ruled out; signs with one letter that is allowed are that letter. */
    private readonly allowed: Uint8Array,
  ) {
    this.key = new Int32Array(signCount);
    this.frequency = new Int32Array(signCount);
    for (const x of text) this.frequency[x]++;
    this.placeStart = new Int32Array(signCount + 1);
    for (let x = 0; x < signCount; x++) this.placeStart[x + 1] = this.placeStart[x] + this.frequency[x];
    const next = this.placeStart.slice();
    this.places = new Int32Array(text.length);
    for (let i = 0; i < text.length; i++) this.places[next[text[i]]++] = i;
    this.written = new Float64Array(readings.letterCount);
    this.signsOf = new Int32Array(readings.prior.length);
    this.costs = new Float64Array(readings.prior.length);
    this.contexts = tables.events ** tables.order;
    this.fewer = this.contexts / tables.events;
  }

  get readingCount(): number {
    return this.readings.prior.length;
  }

  /** Puts the walk at a key. */
  begin(key: ArrayLike<number>): void {
    this.key.set(key);
    this.written.fill(0);
    this.signsOf.fill(0);
    this.letterPlaces = 0;
    this.nullPlaces = 0;
    for (let x = 0; x < this.key.length; x++) this.give(x, this.key[x]);
  }

  /** A key of letters, drawn blindly. */
  randomKey(random: RandomGenerator): Int32Array {
    const { letterCount } = this.readings;
    return this.key.map((_, x) => {
      const open = Array.from({ length: letterCount }, (_, y) => y).filter((y) => this.allowed[x * letterCount + y]);
      return open[Math.floor(uniform(random) * open.length)];
    });
  }

  private give(x: number, reading: number): void {
    this.key[x] = reading;
    this.signsOf[reading]++;
    this.count(reading, this.frequency[x]);
  }

  private take(x: number): void {
    this.signsOf[this.key[x]]--;
    this.count(this.key[x], -this.frequency[x]);
  }

  private count(reading: number, places: number): void {
    const { letterCount } = this.readings;
    if (reading < letterCount) {
      this.written[reading] += places;
      this.letterPlaces += places;
    } else if (reading === letterCount) this.nullPlaces += places;
  }

  /** What the key costs, in nats. */
  cost(): number {
    return this.spelledOut(-1, 0, 0, this.text.length) / this.tables.units + this.emission();
  }

  /** What it costs beside its letters: how they are written, and what signs stand for. */
  emission(): number {
    const { readings, key, frequency } = this;
    let cost = logPower(this.letterPlaces + this.nullPlaces) - logPower(this.letterPlaces);
    for (const n of this.written) cost += logPower(n);
    for (let x = 0; x < key.length; x++) {
      cost += readings.prior[key[x]];
      if (key[x] <= readings.letterCount) cost -= logPower(frequency[x]);
    }
    return cost;
  }

  /** Draws the readings of all signs anew, one after the other, at a temperature in nats; words only if they are asked for. */
  sweep(temperature: number, random: RandomGenerator, withWords: boolean): void {
    for (let x = 0; x < this.key.length; x++) this.redraw(x, temperature, random, withWords);
  }

  /** Gives a sign another reading. */
  read(x: number, reading: number): void {
    this.take(x);
    this.give(x, reading);
  }

  /** [readings] what each reading of a sign would cost, but for what they all do; infinite where it may not be. */
  costsOf(x: number): Float64Array {
    this.take(x);
    this.weigh(x, true);
    this.give(x, this.key[x]);
    return this.costs.slice();
  }

  private redraw(x: number, temperature: number, random: RandomGenerator, withWords: boolean): void {
    const { costs } = this;
    this.take(x);
    const least = this.weigh(x, withWords);
    let sum = 0;
    for (let r = 0; r < costs.length; r++) {
      costs[r] = Math.exp((least - costs[r]) / temperature);
      sum += costs[r];
    }
    let left = sum * uniform(random);
    let drawn = this.key[x];
    for (let r = 0; r < costs.length && left >= 0; r++) {
      if (costs[r] === 0) continue;
      left -= costs[r];
      drawn = r;
    }
    this.give(x, drawn);
  }

  /** Writes what the readings of a sign without one would cost; returns the least. */
  private weigh(x: number, withWords: boolean): number {
    const { readings, costs, key, frequency, written, allowed, signsOf } = this;
    const { letterCount, prior } = readings;
    const n = frequency[x];
    const last = withWords ? prior.length : letterCount + 1;
    const isOpen = this.choicesOf(x) > 1;
    const both = this.letterPlaces + this.nullPlaces;
    const mostNulls = MOST_NULLS * this.text.length;
    let least = Number.POSITIVE_INFINITY;
    for (let r = 0; r < prior.length; r++) {
      costs[r] = Number.POSITIVE_INFINITY;
      if (r >= last && r !== key[x]) continue;
      if (r < letterCount ? !allowed[x * letterCount + r] : !isOpen || prior[r] === Number.POSITIVE_INFINITY) continue;
      if (r > letterCount && signsOf[r] > 0) continue;
      if (r === letterCount && this.nullPlaces + n > mostNulls) continue;
      let cost = this.around(x, r) / this.tables.units + prior[r];
      if (r <= letterCount) cost += logPower(both + n) - logPower(both) - logPower(n);
      if (r < letterCount) {
        cost += logPower(written[r] + n) - logPower(written[r]);
        cost -= logPower(this.letterPlaces + n) - logPower(this.letterPlaces);
      }
      costs[r] = cost;
      if (cost < least) least = cost;
    }
    return least;
  }

  private choicesOf(x: number): number {
    const { letterCount } = this.readings;
    let choices = 0;
    for (let y = 0; y < letterCount; y++) choices += this.allowed[x * letterCount + y];
    return choices;
  }

  /** Table units that the letters at the places of a sign, and those that see them, cost if it has a reading. */
  private around(x: number, reading: number): number {
    const { places, placeStart } = this;
    let cost = 0;
    let reached = -1; // places before this one are counted
    for (let p = placeStart[x]; p < placeStart[x + 1]; p++) {
      if (places[p] < reached) continue;
      cost += this.spelledOut(x, reading, places[p], this.text.length);
      reached = this.reached;
    }
    return cost;
  }

  private reached = 0;

  /**
   * Table units of the letters from a place on, with sign x read otherwise, until as many letters have come after its last place as
   * a letter looks back. With x = -1, to the end.
   */
  private spelledOut(x: number, reading: number, from: number, to: number): number {
    const { text, key, tables, fewer } = this;
    const { start, letters } = this.readings;
    const { order, events, stride, costs } = tables;
    let context = this.contextBefore(from, x, reading);
    let since = 0;
    let cost = 0;
    let i = from;
    for (; i < to; i++) {
      const isOwn = text[i] === x;
      const r = isOwn ? reading : key[text[i]];
      if (isOwn) since = 0;
      else if (x >= 0 && since >= order) break;
      for (let l = start[r]; l < start[r + 1]; l++) {
        cost += costs[context * stride + letters[l]];
        context = (context % fewer) * events + letters[l];
        if (!isOwn) since++;
      }
    }
    this.reached = i;
    return cost;
  }

  /** The number of the letters before a place, with sign x read otherwise. */
  private contextBefore(place: number, x: number, reading: number): number {
    const { text, key, tables } = this;
    const { start, letters } = this.readings;
    const { order, events } = tables;
    let context = 0;
    let factor = 1;
    let found = 0;
    for (let i = place - 1; i >= 0 && found < order; i--) {
      const r = text[i] === x ? reading : key[text[i]];
      for (let l = start[r + 1] - 1; l >= start[r] && found < order; l--) {
        context += letters[l] * factor;
        factor *= events;
        found++;
      }
    }
    for (; found < order; found++) {
      context += (events - 1) * factor;
      factor *= events;
    }
    return context;
  }
}
