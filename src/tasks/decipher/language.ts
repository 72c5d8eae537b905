// A language model for decipherment: the alphabet of the plain text and an n-gram model of its symbols. Words: a line is a
// sequence and words stand between spaces. Letters: the whole text is one sequence of letters in lower case, with single
// spaces between words or without any.

import { Alphabet } from "../../engine/alphabet.js";
import { type NgramModel, ngramDefaults, ngramModel, shorterNgram } from "../../engine/ngram.js";
import { composed } from "../../util/characters.js";
import { InputError } from "../../util/errors.js";
import {
  choice,
  defaultsOf,
  flag,
  type GivenOptions,
  type OptionsOf,
  readOptions,
  real,
  whole,
} from "../../util/options.js";

/** Longer n-grams are nearly all seen once: they would take memory and tell nothing. */
const MOST_ORDER = 10;

/** Symbols back by default. */
const USUAL_ORDER = { word: 2, char: 4 };

export const languageOptions = {
  /** What a symbol is. */
  level: choice("what is enciphered", ["word", "char"], { value: "level", usual: "word" }),
  /** Symbols a symbol depends on: 2 for trigrams, 10 at most. Default 2 for words, 4 for letters. */
  order: whole("symbols back that the language model looks", {
    least: 0,
    most: MOST_ORDER,
    otherwise: `${USUAL_ORDER.word} for words, ${USUAL_ORDER.char} for letters`,
  }),
  /** Taken from every count of the n-grams, between 0 and 1. */
  discount: real("taken from counts of n-grams", {
    least: 0,
    above: true,
    below: 1,
    usual: ngramDefaults.discount,
  }),
  /** Added to the count of every single symbol. */
  smoothing: real("added to counts of single plain symbols", {
    least: 0,
    above: true,
    usual: ngramDefaults.smoothing,
    flag: "language-smoothing",
  }),
  /** Letters: the spaces between words are symbols too. */
  spaces: flag("letters: the spaces between words are symbols too", { usual: true, flag: false }),
  /** Words: only the commonest are symbols, all others are `OTHER`. 0 for no limit. */
  vocabulary: whole("words: keep only the commonest plain words", { least: 0, usual: 0 }),
};

export type LanguageOptions = OptionsOf<typeof languageOptions> & { order: number };
export type GivenLanguageOptions = GivenOptions<typeof languageOptions>;

export const languageDefaults: LanguageOptions = { ...defaultsOf(languageOptions), order: USUAL_ORDER.word };

/** Stands for all words outside the vocabulary. */
export const OTHER = "<other>";

/** The space between words, as a symbol of letters. */
export const SPACE = " ";

export class LanguageModel {
  readonly kind = "language";

  constructor(
    readonly symbols: Alphabet,
    readonly ngram: NgramModel,
    readonly options: LanguageOptions,
  ) {}

  /** Learns from text, line by line. */
  static fromText(lines: Iterable<string>, given: GivenLanguageOptions = {}): LanguageModel {
    const options = readLanguageOptions(given);
    if (typeof lines === "string") {
      throw new InputError("lines of text are needed, not one string", { hint: 'split it first: text.split("\\n")' });
    }
    const symbols = new Alphabet();
    const sequences =
      options.level === "word" ? wordSequences(lines, options, symbols) : [letterSequence(lines, options, symbols)];
    const { order, discount, smoothing, level } = options;
    if (symbols.size === 0) {
      throw new InputError(level === "word" ? "the plain text has no words" : "the plain text has no letters");
    }
    return new LanguageModel(
      symbols,
      ngramModel(sequences, symbols.size, { order, discount, smoothing, ends: level === "word" }),
      options,
    );
  }

  /** The same model looking fewer symbols back. */
  withOrder(order: number): LanguageModel {
    return new LanguageModel(this.symbols, shorterNgram(this.ngram, order), { ...this.options, order });
  }
}

/** Fills in the defaults, which for `order` depend on the level, and refuses what is out of range. */
export function readLanguageOptions(given: GivenLanguageOptions): LanguageOptions {
  const options = readOptions(languageOptions, given);
  return { ...options, order: options.order ?? USUAL_ORDER[options.level] };
}

function wordSequences(lines: Iterable<string>, options: LanguageOptions, symbols: Alphabet): Int32Array[] {
  const all = new Alphabet();
  const counts: number[] = [];
  const sequences: Int32Array[] = [];
  for (const line of lines) {
    const words = wordsOf(line);
    if (words.length === 0) continue;
    const sequence = Int32Array.from(words, (word) => all.add(word));
    for (const word of sequence) counts[word] = (counts[word] ?? 0) + 1;
    sequences.push(sequence);
  }
  if (options.vocabulary === 0 || all.size <= options.vocabulary) {
    for (const word of all.all()) symbols.add(word);
    return sequences;
  }
  const commonest = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b).slice(0, options.vocabulary);
  const renamed = new Int32Array(all.size).fill(commonest.length);
  for (const word of commonest) renamed[word] = symbols.add(all.nameOf(word));
  symbols.add(OTHER);
  return sequences.map((sequence) => sequence.map((word) => renamed[word]));
}

/** The words of a line: what stands between spaces. */
export function wordsOf(line: string): string[] {
  return line.split(/\s+/u).filter((word) => word !== "");
}

function letterSequence(lines: Iterable<string>, { spaces }: LanguageOptions, symbols: Alphabet): Int32Array {
  let sequence = new Int32Array(1 << 16);
  let length = 0;
  let pending = false; // a space is due before the next letter
  for (const line of lines) {
    // One character for a letter with its accent, however the file writes it.
    for (const character of composed(line).toLowerCase()) {
      if (!isLetter(character)) {
        // What stands inside a word, such as an apostrophe or an accent of its own, does not part it.
        if (!insideWord.has(character) && !/^\p{M}$/u.test(character)) pending = true;
        continue;
      }
      if (length + 2 > sequence.length) {
        const larger = new Int32Array(sequence.length * 2);
        larger.set(sequence);
        sequence = larger;
      }
      if (pending && spaces && length > 0) sequence[length++] = symbols.add(SPACE);
      pending = false;
      sequence[length++] = symbols.add(character);
    }
    pending = true;
  }
  return sequence.subarray(0, length);
}

const insideWord = new Set(["'", "’", "-"]);

/** Whether a character is a letter of any script. Most text is ASCII, which needs no table. */
export function isLetter(character: string): boolean {
  if (character >= "a" && character <= "z") return true;
  if (character < "\u0080") return character >= "A" && character <= "Z";
  return /^\p{L}$/u.test(character);
}

/**
 * The small letter of a capital, if the two are a pair that leads from each to the other; else the character itself. (The
 * capital of `ß` is `ẞ` here, one letter; `ı`, `ς` and the like have none, as theirs are those of other letters.)
 */
export function smallOf(character: string): string {
  const small = character.toLowerCase();
  return small !== character && [...small].length === 1 && upperCase(small) === character ? small : character;
}

/** The capital of a small letter, if it has one of its own. */
export function capitalOf(character: string): string | undefined {
  const capital = upperCase(character);
  return capital !== character && smallOf(capital) === character ? capital : undefined;
}

function upperCase(character: string): string {
  return character === "ß" ? "ẞ" : character.toUpperCase();
}
