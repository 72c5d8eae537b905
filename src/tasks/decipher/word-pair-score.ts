// Words after words, for the score of texts (word-score.ts): b(v, w) and lambda(v), and the words that end at each place of a text
// without spaces, with f(i, v), as the sum over ways to part it goes on.

import { PairIndex } from "../../util/pair-index.js";
import type { WordList } from "./word-list.js";

/** Taken from the count of every pair. */
const DISCOUNT = 0.85;

export class WordPairScore {
  private readonly index = new PairIndex();
  private readonly share: Float64Array; // [pairs] b(v, w)
  private readonly lambda: Float64Array; // [words]
  /** Words that end at each place, as lists: [places + 1] the latest entry or -1; [entries] word, f, the entry before or -1. */
  private latest = new Int32Array(64);
  private word = new Int32Array(64);
  private mass = new Float64Array(64);
  private before = new Int32Array(64);
  private entries = 0;

  constructor({ words, counts, pairs }: WordList) {
    this.lambda = new Float64Array(words.length).fill(1);
    this.share = new Float64Array(pairs ? pairs.second.length : 0);
    if (!pairs) return;
    for (let v = 0; v < words.length; v++) {
      for (let p = pairs.start[v]; p < pairs.start[v + 1]; p++) {
        const share = (pairs.counts[p] - DISCOUNT) / counts[v];
        this.share[this.index.add(v, pairs.second[p])] = share;
        this.lambda[v] -= share;
      }
    }
  }

  /** lambda(v); 1 if v is -1, a word that is not known. */
  backed(v: number): number {
    return v < 0 ? 1 : this.lambda[v];
  }

  /** b(v, w); 0 if either is -1, a word that is not known. */
  direct(v: number, w: number): number {
    if (v < 0 || w < 0 || this.lambda[v] === 1) return 0;
    const pair = this.index.indexOf(v, w);
    return pair < 0 ? 0 : this.share[pair];
  }

  /** Begins a text of `length` letters with words of `longest` at most. */
  clear(length: number, longest: number): void {
    if (this.latest.length < length + 1) {
      this.latest = new Int32Array(2 * length + 1);
      this.word = new Int32Array(2 * length * longest);
      this.mass = new Float64Array(2 * length * longest);
      this.before = new Int32Array(2 * length * longest);
    }
    this.latest.fill(-1, 0, length + 1);
    this.entries = 0;
  }

  /** A word that ends before a place. */
  note(place: number, word: number, mass: number): void {
    if (this.lambda[word] === 1) return;
    const entry = this.entries++;
    this.word[entry] = word;
    this.mass[entry] = mass;
    this.before[entry] = this.latest[place];
    this.latest[place] = entry;
  }

  /** sum over v: f(place, v) b(v, w) */
  after(place: number, w: number): number {
    let sum = 0;
    for (let entry = this.latest[place]; entry >= 0; entry = this.before[entry]) {
      const pair = this.index.indexOf(this.word[entry], w);
      if (pair >= 0) sum += this.mass[entry] * this.share[pair];
    }
    return sum;
  }

  /** Divides what ends before a place. */
  scale(place: number, by: number): void {
    for (let entry = this.latest[place]; entry >= 0; entry = this.before[entry]) this.mass[entry] /= by;
  }
}
