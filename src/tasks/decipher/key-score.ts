// The score of a key as a whole: the log-likelihood of the text it gives, as words or, where no words are known, as letters,
// with the best emissions for it:
//   log P(text under the key)  +  sum over x: n(x) log(n(x) / N(key(x))),
// with n(x) places of x and N(y) places that the key gives y. In a one-to-one key the second sum is 0.

import { ngramScoreAt } from "../../engine/ngram.js";
import { forgiving } from "./key-tables.js";
import { SPACE } from "./language.js";
import type { Substitution } from "./substitution.js";
import type { WordScore } from "./word-score.js";

export class KeyScore {
  private readonly plain: Int32Array; // [places] of the longest sequence
  private readonly written: Float64Array; // [plainCount] N(y)
  private readonly isSpaced: boolean;
  private readonly emitted: number;

  constructor(
    private readonly cipher: Substitution,
    /** If words are known. */
    private readonly words?: WordScore,
  ) {
    this.plain = new Int32Array(cipher.sequences.reduce((most, sequence) => Math.max(most, sequence.length), 0));
    this.written = new Float64Array(cipher.plainCount);
    this.isSpaced = cipher.language.symbols.indexOf(SPACE) >= 0;
    this.emitted = cipher.frequency.reduce((sum, n) => sum + logPower(n), 0);
  }

  of(key: Int32Array): number {
    return this.asText(key) + this.emission(key);
  }

  /** Of the text alone. `alone`: of its words, whatever stands before them. */
  asText(key: Int32Array, alone = false): number {
    const { cipher, plain, words } = this;
    let score = 0;
    for (const sequence of cipher.sequences) {
      for (let i = 0; i < sequence.length; i++) plain[i] = key[sequence[i]];
      if (!words) score += this.asLetters(sequence.length);
      else if (this.isSpaced) score += words.spaced(plain, 0, sequence.length, alone);
      else score += words.unspaced(plain, 0, sequence.length, alone);
    }
    return score;
  }

  private asLetters(length: number): number {
    const { ngram } = this.cipher.language;
    let score = 0;
    for (let i = 0; i < length; i++) score += forgiving(ngramScoreAt(ngram, this.plain, i, 0), ngram.symbolCount);
    return score;
  }

  private emission(key: Int32Array): number {
    const { written, cipher } = this;
    if (cipher.options.oneToOne) return 0;
    written.fill(0);
    for (let x = 0; x < key.length; x++) written[key[x]] += cipher.frequency[x];
    let sum = this.emitted;
    for (const n of written) sum -= logPower(n);
    return sum;
  }
}

/** n log n */
export function logPower(n: number): number {
  return n > 0 ? n * Math.log(n) : 0;
}
