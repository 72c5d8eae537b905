// Ciphers that count in the alphabet, all keys of which can be tried or found letter by letter, with letters as numbers below
// `size`:
//   plain = factor * cipher + shift,   with the shifts of a key used in turn, letter by letter
//   Caesar: factor 1, one shift; Atbash: factor -1, shift -1; affine: any factor, one shift
//   Vigenère: factor 1, shifts -key;   Beaufort: factor -1, shifts key
// Kinds are compared by log P(text) - log(number of keys), so that a longer key must be worth its letters.

import { plainArrays } from "../../engine/backend.js";
import type { KeyTables } from "../../engine/keys.js";
import type { CipherText } from "./cipher-text.js";
import { forgiving, keyTables, tableBytes } from "./key-tables.js";
import { type LanguageModel, SPACE } from "./language.js";
import { likeness } from "./unicity.js";

export type ShiftKind = "caesar" | "atbash" | "affine" | "vigenere" | "beaufort";

/** What each kind is. */
export const shiftMeanings: Record<ShiftKind, string> = {
  caesar: "Caesar: all letters moved by the same number",
  atbash: "Atbash: the alphabet backwards",
  affine: "affine: letters as numbers, times a factor, plus a shift",
  vigenere: "Vigenère: the letters of a key word added in turn",
  beaufort: "Beaufort: letters taken from those of a key word in turn",
};

interface ShiftReading {
  kind: ShiftKind;
  /** As people write it: `3`, `5, 8`, `lemon`. */
  key: string;
  factor: number;
  shifts: readonly number[];
  /** log P(text) - log(number of keys). */
  evidence: number;
}

/** A text that is read by counting in the alphabet. */
export interface SolvedShift {
  kind: ShiftKind;
  key: string;
  /** [sequence][position], spaces as they are. */
  plain: string[][];
  /** Log-odds that the reading is right, beside letters drawn blindly. */
  odds: number;
  likeness: number;
}

/** Longest key with letters in turn. */
const LONGEST_KEY = 20;

/** Letters of text that each letter of a key needs. */
const LETTERS_PER_KEY_LETTER = 4;

/** Key lengths that are looked at closely, and how often each letter of the key is then tried again. */
const CLOSE_LOOKS = 6;
const ROUNDS = 3;

/** Places that keys are found by: more tell nothing new. */
const MOST_PLACES = 1000;

/** Most memory of a table. */
const MOST_BYTES = 32 << 20;

/** A text with at least this likeness is read. */
export const READ = 0.5;

/** Log-odds that a reading must have to be believed; a dozen letters of a text that is one have more, with few exceptions. */
const CONVINCING = 2;

/** Fewer letters do not tell whether they read as language but by those odds. */
const FEW_LETTERS = 40;

const latin = "abcdefghijklmnopqrstuvwxyz";

/** The alphabet in which keys count: that of Latin letters is whole, even if the plain text lacks some. */
export function countingAlphabet(language: LanguageModel): string[] {
  const letters = language.symbols.all().filter((symbol) => symbol !== SPACE);
  return letters.every((letter) => latin.includes(letter)) ? [...latin] : [...letters];
}

function modulo(value: number, size: number): number {
  return ((value % size) + size) % size;
}

/** The likeliest reading of a text of letters, convincing or not; undefined if it has other symbols. */
export function bestShift(cipher: CipherText, language: LanguageModel): SolvedShift | undefined {
  const alphabet = countingAlphabet(language);
  const numberOf = new Map([...alphabet, SPACE].map((letter, i) => [letter, i]));
  const symbols = cipher.sequences.flat();
  const numbers = Int32Array.from(symbols, (symbol) => numberOf.get(symbol) ?? -1);
  if (cipher.kind !== "letters" || numbers.includes(-1) || numbers.length === 0) return undefined;
  const score = new TextScore(alphabet, language);
  const part = numbers.subarray(0, MOST_PLACES);
  const readings = [
    ...affineReadings(part, alphabet.length, score),
    ...(["vigenere", "beaufort"] as const).flatMap((kind) => turnReadings(part, kind, alphabet, score)),
  ];
  const best = readings.reduce((a, b) => (b.evidence > a.evidence ? b : a));
  const plain = readingBy(best, numbers, alphabet.length);
  const named = Array.from(plain, (letter) => alphabet[letter] ?? SPACE);
  const known = Int32Array.from(named, (letter) => language.symbols.indexOf(letter)).filter((symbol) => symbol >= 0);
  let at = 0;
  return {
    kind: best.kind,
    key: best.key,
    plain: cipher.sequences.map((sequence) => sequence.map(() => named[at++])),
    odds: best.evidence - score.blind(part),
    likeness: likeness(language, [known]),
  };
}

/** Whether a reading is to be believed. */
export function isRead({ plain, odds, likeness: like }: SolvedShift): boolean {
  const letters = plain.flat().filter((letter) => letter !== SPACE).length;
  return odds >= CONVINCING && (letters < FEW_LETTERS || like >= READ);
}

/** Letters under a key; spaces, which are `size`, stay. */
function readingBy(
  { factor, shifts }: Pick<ShiftReading, "factor" | "shifts">,
  cipher: Int32Array,
  size: number,
): Int32Array {
  let turn = 0;
  return cipher.map((letter) =>
    letter === size ? size : modulo(factor * letter + shifts[turn++ % shifts.length], size),
  );
}

/** Letters back that texts are judged by. */
const ORDER = 3;

/** How likely letters by their numbers in an alphabet are, by the tables of walks through keys. */
class TextScore {
  private readonly symbolOf: Int32Array; // [alphabet, and the space] symbol of the language, or -1
  private readonly unlikely: number;
  private readonly tables: KeyTables;
  private readonly contexts: number;

  constructor(
    private readonly alphabet: readonly string[],
    private readonly language: LanguageModel,
  ) {
    const { ngram } = language;
    this.symbolOf = Int32Array.from([...alphabet, SPACE], (letter) => language.symbols.indexOf(letter));
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

  /** Letters drawn blindly, with as many spaces. */
  blind(text: Int32Array): number {
    const size = this.alphabet.length;
    const space = this.symbolOf[size];
    const spaces = text.reduce((sum, letter) => sum + (letter === size ? 1 : 0), 0);
    const letters = text.length - spaces;
    const parting = space < 0 ? 0 : Math.exp(this.language.ngram.unigram[space]);
    return letters * Math.log((1 - parting) / size) + (spaces > 0 ? spaces * Math.log(parting) : 0);
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
      const key = { factor, shifts: [shift] };
      const text = score.text(readingBy(key, cipher, size));
      // How it was written: cipher = inverse * (plain - shift).
      const inverse = factors.find((other) => (other * factor) % size === 1) as number;
      const added = modulo(-inverse * shift, size);
      if (factor === 1) readings.push({ kind: "caesar", key: `${added}`, ...key, evidence: text - Math.log(size) });
      else if (factor === size - 1 && shift === size - 1)
        readings.push({ kind: "atbash", key: "", ...key, evidence: text });
      readings.push({
        kind: "affine",
        key: `${inverse}, ${added}`,
        ...key,
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
  const factor = kind === "vigenere" ? 1 : -1;
  const letters = cipher.filter((letter) => letter < size);
  const longest = Math.min(LONGEST_KEY, Math.floor(letters.length / LETTERS_PER_KEY_LETTER));
  const keys: { shifts: number[]; evidence: number }[] = [];
  for (let length = 2; length <= longest; length++) {
    const shifts: number[] = [];
    let evidence = -length * Math.log(size);
    for (let at = 0; at < length; at++) {
      const sums = Array.from({ length: size }, (_, shift) => {
        let sum = 0;
        for (let i = at; i < letters.length; i += length)
          sum += score.letter(modulo(factor * letters[i] + shift, size));
        return sum;
      });
      const most = Math.max(...sums);
      shifts.push(sums.indexOf(most));
      evidence += most;
    }
    keys.push({ shifts, evidence });
  }
  keys.sort((a, b) => b.evidence - a.evidence);
  return keys.slice(0, CLOSE_LOOKS).map(({ shifts }) => {
    const text = improved(shifts, factor, cipher, size, score);
    const key = shifts.map((shift) => alphabet[modulo(-factor * shift, size)]).join("");
    return { kind, key, factor, shifts, evidence: text - shifts.length * Math.log(size) - Math.log(LONGEST_KEY) };
  });
}

/** Gives each shift in turn the value by which the text reads best, until none changes; returns log P(text). */
function improved(shifts: number[], factor: number, cipher: Int32Array, size: number, score: TextScore): number {
  let best = score.text(readingBy({ factor, shifts }, cipher, size));
  for (let round = 0, changed = true; round < ROUNDS && changed; round++) {
    changed = false;
    for (let at = 0; at < shifts.length; at++) {
      let kept = shifts[at];
      for (let shift = 0; shift < size; shift++) {
        shifts[at] = shift;
        const text = score.text(readingBy({ factor, shifts }, cipher, size));
        if (text <= best) continue;
        best = text;
        kept = shift;
        changed = true;
      }
      shifts[at] = kept;
    }
  }
  return best;
}
