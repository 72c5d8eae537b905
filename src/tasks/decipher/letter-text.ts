// Plain text as letters: in lower case, folded if asked for, words parted by breaks. Letters too rare to tell anything of, such
// as those of a line in another script, are left out with the words that hold them.

import { Alphabet } from "../../engine/alphabet.js";
import { composed } from "../../util/characters.js";
import { InputError } from "../../util/errors.js";
import { type Fold, folded, isLetter } from "./letter.js";

export interface LetterText {
  /** Letters, sorted. */
  letters: Alphabet;
  /** The whole text: letters, and `letters.size` between two words. */
  sequence: Int32Array;
  /** Letters that were left out, with their counts. */
  dropped: Map<string, number>;
  /** Letters changed by folding, with their counts. */
  folded: Map<string, number>;
}

/** What stands inside a word, such as an apostrophe, and does not part it. */
const insideWord = new Set(["'", "’", "-"]);

/** A letter that comes less often than this is left out: once in 50,000. */
const RAREST = 2e-5;

/** A script with less than this share of the letters is left out. */
const RAREST_SCRIPT = 0.01;

const scripts = [
  "Latin",
  "Greek",
  "Cyrillic",
  "Armenian",
  "Georgian",
  "Hebrew",
  "Arabic",
  "Devanagari",
  "Hangul",
  "Han",
].map((name) => new RegExp(`^\\p{Script=${name}}$`, "u"));

const BREAK = 0;
const NOTHING = -1;

/** Reads lines. `alphabet`: the letters that there are, if they are known; those of other words are left out. */
export function letterText(lines: Iterable<string>, fold: Fold, alphabet?: string): LetterText {
  const { all, sequence, counts, folded } = rawLetters(lines, fold);
  const wanted = alphabet === undefined ? undefined : lettersGiven(alphabet, fold);
  const keeps = wanted ? (letter: string) => wanted.has(letter) : commonLetters(all, counts);
  const kept = [...(wanted ?? all.all().filter(keeps))].sort();
  const letters = new Alphabet(kept);
  const dropped = new Map<string, number>();
  const renamed = Int32Array.from(all.all(), (letter, i) => {
    if (!keeps(letter) && counts[i] > 0) dropped.set(letter, counts[i]);
    return keeps(letter) ? letters.indexOf(letter) : -1;
  });
  return { letters, sequence: renamedText(sequence, renamed, letters.size), dropped, folded };
}

/** The text before letters are chosen: BREAK, or the number of a letter + 1. */
function rawLetters(lines: Iterable<string>, fold: Fold) {
  const all = new Alphabet();
  const text = new RawText();
  /** What becomes of a character. */
  const meaning = (character: string): number[] | typeof BREAK | typeof NOTHING => {
    // What stands inside a word, such as an apostrophe or an accent of its own, does not part it.
    if (!isLetter(character)) return insideWord.has(character) || /^\p{M}$/u.test(character) ? NOTHING : BREAK;
    return [...folded(character, fold)].map((letter) => all.add(letter) + 1);
  };
  const ascii = Int32Array.from({ length: 128 }, (_, code) => {
    const meant = meaning(String.fromCharCode(code).toLowerCase());
    return typeof meant === "number" ? meant : meant[0];
  });
  const others = new Map<string, ReturnType<typeof meaning>>();
  const isFolded = new Map<string, boolean>();
  const changed = new Map<string, number>();
  for (const line of lines) {
    if (text.putAscii(line, ascii)) continue;
    // One character for a letter with its accent, however the file writes it.
    for (const character of composed(line).toLowerCase()) {
      let meant = others.get(character);
      if (meant === undefined) {
        meant = meaning(character);
        others.set(character, meant);
        if (isLetter(character)) isFolded.set(character, folded(character, fold) !== character);
      }
      if (typeof meant === "number") text.put(meant);
      else for (const letter of meant) text.put(letter);
      if (isFolded.get(character)) changed.set(character, (changed.get(character) ?? 0) + 1);
    }
    text.put(BREAK);
  }
  const sequence = text.written();
  const counts = new Int32Array(all.size + 1);
  for (let i = 0; i < sequence.length; i++) counts[sequence[i]]++;
  return { all, sequence, counts: [...counts.subarray(1)], folded: changed };
}

/** Letters as they are written one after the other; two breaks are one. */
class RawText {
  private numbers = new Int32Array(1 << 16);
  private length = 0;

  put(meant: number): void {
    if (meant === NOTHING || (meant === BREAK && this.isBroken())) return;
    this.reserve(1);
    this.numbers[this.length++] = meant;
  }

  /** Writes a line and a break. False, and nothing is written, if it has characters beyond ASCII. */
  putAscii(line: string, meaning: Int32Array): boolean {
    this.reserve(line.length + 1);
    const { numbers } = this;
    let at = this.length;
    let isBroken = this.isBroken();
    for (let i = 0; i < line.length; i++) {
      const code = line.charCodeAt(i);
      if (code > 127) return false;
      const meant = meaning[code];
      if (meant > BREAK || (meant === BREAK && !isBroken)) numbers[at++] = meant;
      if (meant !== NOTHING) isBroken = meant === BREAK;
    }
    this.length = at;
    this.put(BREAK);
    return true;
  }

  written(): Int32Array {
    return this.numbers.subarray(0, this.length);
  }

  private isBroken(): boolean {
    return this.length === 0 || this.numbers[this.length - 1] === BREAK;
  }

  private reserve(more: number): void {
    if (this.length + more <= this.numbers.length) return;
    const larger = new Int32Array(Math.max(2 * this.numbers.length, this.length + more));
    larger.set(this.numbers);
    this.numbers = larger;
  }
}

function lettersGiven(alphabet: string, fold: Fold): Set<string> {
  const letters = [...alphabet.normalize("NFC").toLowerCase()].filter((character) => !/[\s,]/u.test(character));
  for (const letter of letters) {
    if (!isLetter(letter)) throw new InputError(`option \`alphabet\` has \`${letter}\`, which is not a letter`);
  }
  if (letters.length === 0) throw new InputError("option `alphabet` has no letters");
  return new Set(letters.flatMap((letter) => [...folded(letter, fold)]));
}

/** Tells letters that are common enough to be enciphered. */
function commonLetters(all: Alphabet, counts: readonly number[]): (letter: string) => boolean {
  const total = counts.reduce((a, b) => a + b, 0);
  const scriptOf = (letter: string): number => scripts.findIndex((script) => script.test(letter));
  const byScript = new Map<number, number>();
  all.all().forEach((letter, i) => {
    byScript.set(scriptOf(letter), (byScript.get(scriptOf(letter)) ?? 0) + counts[i]);
  });
  return (letter) =>
    counts[all.indexOf(letter)] >= Math.max(1, RAREST * total) &&
    (byScript.get(scriptOf(letter)) ?? 0) >= RAREST_SCRIPT * total;
}

/** The text with letters by their new numbers, without words that hold one that has none. `between` parts words. */
function renamedText(sequence: Int32Array, renamed: Int32Array, between: number): Int32Array {
  const to = new Int32Array(sequence.length);
  let length = 0;
  let word = 0; // where the word at hand begins
  let isWhole = true;
  for (let i = 0; i <= sequence.length; i++) {
    const letter = i < sequence.length ? sequence[i] : BREAK;
    if (letter === BREAK) {
      if (!isWhole) length = word;
      // Nothing twice, nothing at the beginning.
      if (length > 0 && to[length - 1] !== between) to[length++] = between;
      word = length;
      isWhole = true;
    } else if (renamed[letter - 1] < 0) isWhole = false;
    else if (isWhole) to[length++] = renamed[letter - 1];
  }
  return to.subarray(0, length > 0 ? length - 1 : 0);
}
