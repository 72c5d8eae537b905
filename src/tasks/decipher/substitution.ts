// One cipher text as numbers, with the substitutions that are possible, and what tables of counts say of them: which key they
// favour, which readings of a symbol. Counts are expected numbers of times that a plain symbol was written as a cipher symbol.

import { Alphabet } from "../../engine/alphabet.js";
import type { Inference } from "../../engine/trellis.js";
import type { CipherModel } from "../../learn/em.js";
import { bestAssignment } from "../../util/assignment.js";
import { InputError } from "../../util/errors.js";
import type { Reading } from "./decipherment.js";
import { allowedSubstitutions, type Key } from "./known-key.js";
import { type LanguageModel, SPACE } from "./language.js";
import type { SettledOptions } from "./options.js";

/** Above this the table of substitutions takes too much memory. */
const MOST_SUBSTITUTIONS = 30_000_000;

const SETTLED = 0.9;

export class Substitution {
  readonly alphabet = new Alphabet();
  readonly sequences: Int32Array[];
  readonly model: CipherModel;
  /** [cipherCount] places of each symbol. */
  readonly frequency: Float64Array;
  /** [cipherCount][plainCount] 0 where a substitution is known to be impossible. */
  readonly allowed: Uint8Array;
  readonly cipherCount: number;
  readonly plainCount: number;

  constructor(
    readonly language: LanguageModel,
    readonly options: SettledOptions,
    inference: Inference,
    cipher: readonly (readonly string[])[],
    readonly known: Key,
  ) {
    this.sequences = cipher.map((sequence) => Int32Array.from(sequence, (symbol) => this.alphabet.add(symbol)));
    const cipherCount = this.alphabet.size;
    const plainCount = language.symbols.size;
    this.cipherCount = cipherCount;
    this.plainCount = plainCount;
    if (cipherCount === 0) throw new InputError("the cipher text is empty");
    if (cipherCount * plainCount > MOST_SUBSTITUTIONS) {
      throw new InputError(`${cipherCount} cipher symbols and ${plainCount} plain ones make too many substitutions`, {
        hint: "keep fewer plain words: a language model with option `vocabulary`, such as 2000",
      });
    }
    if (options.oneToOne && cipherCount > plainCount) {
      throw new InputError(
        `the cipher has ${cipherCount} symbols and the plain text only ${plainCount}: it is not one-to-one`,
        { hint: "let several cipher symbols stand for one letter (no option `oneToOne`), or give more plain text" },
      );
    }
    this.frequency = new Float64Array(cipherCount);
    for (const sequence of this.sequences) for (const x of sequence) this.frequency[x]++;
    this.allowed = allowedSubstitutions(this.alphabet, language, options, known);
    this.model = { ngram: language.ngram, plainCount, cipherCount, inference };
  }

  /** Places of the whole text. */
  get places(): number {
    return this.frequency.reduce((a, b) => a + b, 0);
  }

  /** The cipher symbol of spaces that are known, or -1. */
  fixedSpace(): number {
    return this.language.options.level === "char" ? this.alphabet.indexOf(SPACE) : -1;
  }

  /** Counts as if a key were nearly certain: EM may still think otherwise. */
  countsOfKey(key: Int32Array): Float64Array {
    const { plainCount, frequency } = this;
    const counts = new Float64Array(this.allowed.length);
    for (let i = 0; i < counts.length; i++) {
      const x = Math.floor(i / plainCount);
      const share = key[x] === i - x * plainCount ? 0.9 : 0.1 / plainCount;
      if (this.allowed[i]) counts[i] = frequency[x] * share;
    }
    return counts;
  }

  /** Share of the cipher symbols whose best reading has a probability of at least 0.9. */
  settled(counts: Float64Array): number {
    let settled = 0;
    for (let x = 0; x < this.cipherCount; x++) {
      const row = counts.subarray(x * this.plainCount, (x + 1) * this.plainCount);
      let sum = 0;
      let top = 0;
      for (const count of row) {
        sum += count;
        if (count > top) top = count;
      }
      if (top >= SETTLED * sum && sum > 0) settled++;
    }
    return settled / this.cipherCount;
  }

  /** [cipherCount] the plain symbol of each cipher symbol that counts favour. */
  keyOf(counts: Float64Array): Int32Array {
    const { cipherCount, plainCount, allowed } = this;
    if (this.options.oneToOne) {
      // What is ruled out costs more than all counts together, and no more, so that sums stay exact enough.
      const worst = -1 - this.places;
      const values = counts.map((count, i) => (allowed[i] ? count : worst));
      return bestAssignment(values, cipherCount, plainCount);
    }
    return Int32Array.from({ length: cipherCount }, (_, x) => {
      let best = -1;
      for (let y = 0; y < plainCount; y++) {
        const i = x * plainCount + y;
        if (allowed[i] && (best < 0 || counts[i] > counts[x * plainCount + best])) best = y;
      }
      return best;
    });
  }

  /** A key by the names of its symbols. */
  named(key: Int32Array): Map<string, string> {
    const { symbols } = this.language;
    return new Map(Array.from(key, (y, x) => [this.alphabet.nameOf(x), symbols.nameOf(y)]));
  }

  /** The key of counts, each symbol with the share of its places where it is expected. */
  readings(counts: Float64Array): Map<string, Reading> {
    const { symbols } = this.language;
    return new Map(
      Array.from(this.keyOf(counts), (y, x) => {
        const row = counts.subarray(x * this.plainCount, (x + 1) * this.plainCount);
        const sum = row.reduce((a, b) => a + b, 0);
        return [this.alphabet.nameOf(x), { plain: symbols.nameOf(y), probability: sum > 0 ? row[y] / sum : 0 }];
      }),
    );
  }

  /** [cipherCount] a key as the user gives it; -1 where it says nothing. */
  keyGiven(given: Key): Int32Array {
    const key = new Int32Array(this.cipherCount).fill(-1);
    for (const [cipher, plain] of Object.entries(given)) {
      const x = this.alphabet.indexOf(cipher);
      if (x >= 0) key[x] = this.language.symbols.indexOf(plain);
    }
    return key;
  }

  /** The plain symbols that a cipher symbol may stand for, `own` among them; of more than `most`, those with most counts. */
  candidates(x: number, own: number, counts: Float64Array, most: number): Int32Array {
    const { plainCount, allowed } = this;
    const all: number[] = [];
    for (let y = 0; y < plainCount; y++) if (allowed[x * plainCount + y]) all.push(y);
    if (all.length <= most) return Int32Array.from(all);
    const expected = (y: number): number => (y === own ? Number.POSITIVE_INFINITY : counts[x * plainCount + y]);
    return Int32Array.from(all.sort((a, b) => expected(b) - expected(a)).slice(0, most));
  }
}
