// How sure a key is, symbol by symbol. A cipher symbol stands for the same plain symbol at all its places, so their evidence
// multiplies: if all else in the key is right, the probability that x stands for y is
//   proportional to exp(score of the key with x changed to y),
// with the score of key-search.ts under the whole language model. In a one-to-one key, x trades places with the symbol that
// had y. A symbol that another reading fits better can be given that one, until none is left (`improve`); readings drawn
// with these probabilities, symbol after symbol, are a walk through the keys that does not hold all else for right (`redraw`).

import { type NgramModel, ngramScoreAt } from "../../engine/ngram.js";
import { BEGIN } from "../../engine/trellis.js";
import { type RandomGenerator, uniform } from "../../util/random.js";
import { logPower } from "./key-score.js";
import { forgiving } from "./key-tables.js";

/** A reading that fits its own places worse than this is out, whatever trading it would gain elsewhere. */
const HOPELESS = -30;

export class KeyConfidence {
  private readonly order: number;
  /** All sequences with what surrounds them: [places] cipher symbol, -1 for `^`, -2 for an end. */
  private readonly cipher: Int32Array;
  private readonly events: Int32Array; // the same under the key
  private readonly first: Int32Array; // [places] where the sequence of a place begins
  private readonly score: Float64Array;
  private readonly placeStart: Int32Array;
  /** Where each cipher symbol stands, by symbol. */
  private readonly places: Int32Array;
  private readonly written: Float64Array; // [plainCount] places that the key gives each plain symbol
  private readonly owner: Int32Array; // [plainCount] a cipher symbol that has it, or -1
  private readonly stamp: Int32Array;
  private stampCount = 0;

  constructor(
    private readonly model: NgramModel,
    sequences: readonly Int32Array[],
    private readonly key: Int32Array,
    private readonly plainCount: number,
    private readonly oneToOne: boolean,
    /** [cipherCount][plainCount] 0 where a substitution is known to be impossible. */
    private readonly allowed?: Uint8Array,
  ) {
    this.order = model.options.order;
    const { ends } = model.options;
    const cipher: number[] = [];
    const first: number[] = [];
    for (const sequence of sequences) {
      const begin = cipher.length;
      if (ends) cipher.push(-1);
      for (const x of sequence) cipher.push(x);
      if (ends) cipher.push(-2);
      while (first.length < cipher.length) first.push(begin);
    }
    this.cipher = Int32Array.from(cipher);
    this.first = Int32Array.from(first);
    this.events = this.cipher.map((x) => (x >= 0 ? key[x] : x === -1 ? BEGIN : plainCount));
    this.score = Float64Array.from(cipher, (x, i) => (x === -1 ? 0 : this.scoreAt(i)));
    this.stamp = new Int32Array(cipher.length);
    this.placeStart = new Int32Array(key.length + 1);
    for (const x of cipher) if (x >= 0) this.placeStart[x + 1]++;
    for (let x = 0; x < key.length; x++) this.placeStart[x + 1] += this.placeStart[x];
    const next = this.placeStart.slice();
    this.places = new Int32Array(this.placeStart[key.length]);
    cipher.forEach((x, i) => {
      if (x >= 0) this.places[next[x]++] = i;
    });
    this.written = new Float64Array(plainCount);
    this.owner = new Int32Array(plainCount).fill(-1);
    key.forEach((y, x) => {
      this.written[y] += this.placeStart[x + 1] - this.placeStart[x];
      this.owner[y] = x;
    });
  }

  private scoreAt(i: number): number {
    return forgiving(ngramScoreAt(this.model, this.events, i, this.first[i]), this.model.symbolCount);
  }

  /** The score of the key: log-likelihood of the text if it is true, with the best emissions for it. */
  total(): number {
    let total = 0;
    for (const score of this.score) total += score;
    for (let x = 0; x < this.key.length; x++) total += logPower(this.placeStart[x + 1] - this.placeStart[x]);
    for (const count of this.written) total -= logPower(count);
    return total;
  }

  /** [candidates] the probability of each plain symbol among those given; the key's own must be one of them. */
  probabilities(x: number, candidates: Int32Array): Float64Array {
    const scores = Float64Array.from(candidates, (y) => this.change(x, y, true));
    const top = scores.reduce((a, b) => Math.max(a, b));
    let sum = 0;
    for (let i = 0; i < scores.length; i++) {
      scores[i] = Math.exp(scores[i] - top);
      sum += scores[i];
    }
    return scores.map((score) => score / sum);
  }

  /** How much the score of the key changes if x stands for y; without `trade`, nothing is given in exchange for y. */
  private change(x: number, y: number, trade: boolean): number {
    const old = this.key[x];
    if (y === old) return 0;
    const other = this.oneToOne && trade ? this.owner[y] : -1;
    if (other >= 0 && this.allowed && !this.allowed[other * this.plainCount + old]) return Number.NEGATIVE_INFINITY;
    let change = 0;
    if (!this.oneToOne) {
      const n = this.placeStart[x + 1] - this.placeStart[x];
      change += logPower(this.written[old]) + logPower(this.written[y]);
      change -= logPower(this.written[old] - n) + logPower(this.written[y] + n);
    }
    this.write(x, y);
    this.stampCount++;
    change += this.gain(x);
    if (other >= 0 && change > HOPELESS) {
      this.write(other, old);
      this.stampCount++;
      change = this.gain(x) + this.gain(other);
      this.write(other, y);
    }
    this.write(x, old);
    return change;
  }

  /** Gives x the plain symbol y, and in a one-to-one key the symbol that had y what x had. */
  private exchange(x: number, y: number): void {
    const { key, written, owner } = this;
    const old = key[x];
    const other = this.oneToOne ? owner[y] : -1;
    const assign = (symbol: number, from: number, to: number): void => {
      const n = this.placeStart[symbol + 1] - this.placeStart[symbol];
      written[from] -= n;
      written[to] += n;
      key[symbol] = to;
      owner[to] = symbol;
      this.write(symbol, to);
    };
    owner[old] = -1;
    assign(x, old, y);
    if (other >= 0) assign(other, y, old);
    for (const symbol of other >= 0 ? [x, other] : [x]) {
      for (let p = this.placeStart[symbol]; p < this.placeStart[symbol + 1]; p++) {
        for (let i = this.places[p]; i <= this.places[p] + this.order && i < this.cipher.length; i++) {
          if (this.cipher[i] !== -1) this.score[i] = this.scoreAt(i);
        }
      }
    }
  }

  /**
   * Goes once through all symbols and gives each the best of its candidates, changing the key in place. Returns how many
   * changed.
   */
  improve(candidatesOf: (x: number) => Int32Array): number {
    let changed = 0;
    for (let x = 0; x < this.key.length; x++) {
      let best = this.key[x];
      let most = 1e-9;
      for (const y of candidatesOf(x)) {
        const change = this.change(x, y, true);
        if (change > most) {
          most = change;
          best = y;
        }
      }
      if (best === this.key[x]) continue;
      this.exchange(x, best);
      changed++;
    }
    return changed;
  }

  /**
   * Draws a new reading for a symbol: from the probabilities that its own places give the candidates, tempered to
   * exp(score / temperature). In a one-to-one key the symbol that has the reading must agree to the trade (Metropolis).
   * A hot key is changed more freely. Returns whether it changed.
   */
  redraw(x: number, candidates: Int32Array, temperature: number, random: RandomGenerator): boolean {
    const old = this.key[x];
    const gains = Float64Array.from(candidates, (y) => (y === old ? 0 : this.change(x, y, false)));
    const top = gains.reduce((a, b) => Math.max(a, b));
    let left = 0;
    for (const gain of gains) left += Math.exp((gain - top) / temperature);
    left *= uniform(random);
    let drawn = 0;
    while (drawn < gains.length - 1 && left >= Math.exp((gains[drawn] - top) / temperature)) {
      left -= Math.exp((gains[drawn++] - top) / temperature);
    }
    const y = candidates[drawn];
    if (y === old) return false;
    if (this.oneToOne && this.owner[y] >= 0) {
      const trade = this.change(x, y, true) - gains[drawn];
      if (trade < 0 && uniform(random) >= Math.exp(trade / temperature)) return false;
    }
    this.exchange(x, y);
    return true;
  }

  private write(x: number, y: number): void {
    for (let p = this.placeStart[x]; p < this.placeStart[x + 1]; p++) this.events[this.places[p]] = y;
  }

  /** What the scores of all places that see the symbol gain over those of the key. */
  private gain(x: number): number {
    const { places, placeStart, cipher, stamp, stampCount, score, order } = this;
    let gain = 0;
    for (let p = placeStart[x]; p < placeStart[x + 1]; p++) {
      for (let i = places[p]; i <= places[p] + order && i < cipher.length && cipher[i] !== -1; i++) {
        if (stamp[i] === stampCount || this.first[i] !== this.first[places[p]]) continue;
        stamp[i] = stampCount;
        gain += this.scoreAt(i) - score[i];
      }
    }
    return gain;
  }
}
