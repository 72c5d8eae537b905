// Ciphers that count in the alphabet, all keys of which can be tried or found letter by letter, with letters as numbers below
// `size`:
//   affine      plain = factor * cipher + shift: Caesar's (factor 1) and Atbash (factor -1, shift -1) among them
//   Vigenère    plain = cipher - key,   Beaufort: plain = key - cipher, with the letters of the key used in turn
// Kinds are compared by log P(text) - log(number of keys), so that a longer key must be worth its letters.

import { plainArrays } from "../../engine/backend.js";
import type { KeyTables } from "../../engine/keys.js";
import { forgiving, keyTables, tableBytes } from "./key-tables.js";
import type { LanguageModel } from "./language.js";

export interface ShiftReading {
  kind: "caesar" | "atbash" | "affine" | "vigenere" | "beaufort";
  /** As people write it: `3`, `5, 8`, `lemon`. */
  key: string;
  /** Letters as numbers. */
  plain: Int32Array;
  /** log P(text) - log(number of keys). */
  evidence: number;
}

/** Longest key with letters in turn. */
const LONGEST_KEY = 20;

/** Letters of text that each letter of a key needs. */
const LETTERS_PER_KEY_LETTER = 4;

/** Key lengths that are looked at closely, and how often each letter of the key is then tried again. */
const CLOSE_LOOKS = 6;
const ROUNDS = 3;

/** Most memory of a table. */
const MOST_BYTES = 32 << 20;

const latin = "abcdefghijklmnopqrstuvwxyz";

/** The alphabet in which keys count: that of Latin letters is whole, even if the plain text lacks some. */
export function countingAlphabet(language: LanguageModel): string[] {
  const letters = language.symbols.all();
  return letters.every((letter) => latin.includes(letter)) ? [...latin] : [...letters];
}

function modulo(value: number, size: number): number {
  return ((value % size) + size) % size;
}

/** Tries all kinds; the best of each, the best first. `language`: of letters without spaces. */
export function readShifts(cipher: Int32Array, alphabet: readonly string[], language: LanguageModel): ShiftReading[] {
  const score = new TextScore(alphabet, language);
  const best = new Map<string, ShiftReading>();
  const note = (reading: ShiftReading): void => {
    if (reading.evidence > (best.get(reading.kind)?.evidence ?? Number.NEGATIVE_INFINITY))
      best.set(reading.kind, reading);
  };
  for (const reading of affineReadings(cipher, alphabet.length, score)) note(reading);
  for (const kind of ["vigenere", "beaufort"] as const) {
    for (const reading of turnReadings(cipher, kind, alphabet, score)) note(reading);
  }
  return [...best.values()].sort((a, b) => b.evidence - a.evidence);
}

/** Letters back that texts are judged by. */
const ORDER = 3;

/** How likely letters by their numbers in an alphabet are, by the tables of walks through keys. */
class TextScore {
  private readonly symbolOf: Int32Array; // [alphabet] symbol of the language, or -1
  private readonly unlikely: number;
  private readonly tables: KeyTables;
  private readonly contexts: number;

  constructor(
    alphabet: readonly string[],
    private readonly language: LanguageModel,
  ) {
    const { ngram } = language;
    this.symbolOf = Int32Array.from(alphabet, (letter) => language.symbols.indexOf(letter));
    this.unlikely = forgiving(Number.NEGATIVE_INFINITY, ngram.symbolCount);
    let order = Math.min(ORDER, ngram.options.order);
    while (order > 0 && tableBytes(ngram.symbolCount, order) > MOST_BYTES) order--;
    this.tables = keyTables(ngram, order, false, plainArrays);
    this.contexts = this.tables.events ** order;
  }

  /** One letter, whatever stands before it. */
  letter(letter: number): number {
    const { unigram, symbolCount } = this.language.ngram;
    const symbol = this.symbolOf[letter];
    return symbol < 0 ? this.unlikely : forgiving(unigram[symbol], symbolCount);
  }

  text(plain: ArrayLike<number>): number {
    const { symbolOf, contexts } = this;
    const { events, stride, costs, units } = this.tables;
    const nothing = contexts - 1; // the last event, at all places
    let context = nothing;
    let cost = 0;
    let unknown = 0;
    for (let i = 0; i < plain.length; i++) {
      const symbol = symbolOf[plain[i]];
      if (symbol < 0) {
        // A letter that the language does not have tells nothing of those after it.
        unknown++;
        context = nothing;
        continue;
      }
      cost += costs[context * stride + symbol];
      context = (context * events + symbol) % contexts;
    }
    return unknown * this.unlikely - cost / units;
  }
}

function affineReadings(cipher: Int32Array, size: number, score: TextScore): ShiftReading[] {
  const readings: ShiftReading[] = [];
  const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));
  const factors = Array.from({ length: size }, (_, factor) => factor).filter((factor) => common(factor, size) === 1);
  for (const factor of factors) {
    for (let shift = 0; shift < size; shift++) {
      if (factor === 1 && shift === 0) continue; // not enciphered
      const plain = cipher.map((letter) => modulo(factor * letter + shift, size));
      const text = score.text(plain);
      // How it was written: cipher = inverse * (plain - shift).
      const inverse = factors.find((other) => (other * factor) % size === 1) as number;
      const added = modulo(-inverse * shift, size);
      if (factor === 1) readings.push({ kind: "caesar", key: `${added}`, plain, evidence: text - Math.log(size) });
      else if (factor === size - 1 && shift === size - 1)
        readings.push({ kind: "atbash", key: "", plain, evidence: text });
      readings.push({
        kind: "affine",
        key: `${inverse}, ${added}`,
        plain,
        evidence: text - Math.log(factors.length * size) - (factor === 1 ? Math.LN2 : 0),
      });
    }
  }
  return readings;
}

/** The best key of each length, those looked at closely that seem best by single letters. */
function turnReadings(
  cipher: Int32Array,
  kind: "vigenere" | "beaufort",
  alphabet: readonly string[],
  score: TextScore,
): ShiftReading[] {
  const size = alphabet.length;
  const sign = kind === "vigenere" ? 1 : -1;
  const plainOf = (letter: number, k: number): number => modulo(sign * (letter - k), size);
  const longest = Math.min(LONGEST_KEY, Math.floor(cipher.length / LETTERS_PER_KEY_LETTER));
  const keys: { key: number[]; evidence: number }[] = [];
  for (let length = 2; length <= longest; length++) {
    const key: number[] = [];
    let evidence = -length * Math.log(size);
    for (let at = 0; at < length; at++) {
      const sums = Array.from({ length: size }, (_, k) => {
        let sum = 0;
        for (let i = at; i < cipher.length; i += length) sum += score.letter(plainOf(cipher[i], k));
        return sum;
      });
      const most = Math.max(...sums);
      key.push(sums.indexOf(most));
      evidence += most;
    }
    keys.push({ key, evidence });
  }
  keys.sort((a, b) => b.evidence - a.evidence);
  return keys.slice(0, CLOSE_LOOKS).map(({ key }) => {
    const read = (): Int32Array => cipher.map((letter, i) => plainOf(letter, key[i % key.length]));
    let best = score.text(read());
    for (let round = 0, changed = true; round < ROUNDS && changed; round++) {
      changed = false;
      for (let at = 0; at < key.length; at++) {
        let kept = key[at];
        for (let k = 0; k < size; k++) {
          key[at] = k;
          const text = score.text(read());
          if (text <= best) continue;
          best = text;
          kept = k;
          changed = true;
        }
        key[at] = kept;
      }
    }
    const evidence = best - key.length * Math.log(size) - Math.log(LONGEST_KEY);
    return { kind, key: key.map((k) => alphabet[k]).join(""), plain: read(), evidence };
  });
}
