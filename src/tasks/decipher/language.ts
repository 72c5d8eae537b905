// A language model for decipherment: the alphabet of the plain text and an n-gram model of its symbols. Words: a line is a
// sequence and words stand between spaces. Letters: the whole text is one sequence of letters in lower case, with single
// spaces between words or without any; the other of the two comes with it, and the words that the letters make.

import { Alphabet } from "../../engine/alphabet.js";
import { type NgramModel, type NgramOptions, ngramDefaults, ngramModel, shorterNgram } from "../../engine/ngram.js";
import { InputError } from "../../util/errors.js";
import {
  choice,
  defaultsOf,
  flag,
  type GivenOptions,
  type OptionsOf,
  readOptions,
  real,
  text,
  whole,
} from "../../util/options.js";
import { folds } from "./letter.js";
import { letterText } from "./letter-text.js";
import { countWords, type WordList } from "./word-list.js";

/** Longer n-grams are nearly all seen once: they would take memory and tell nothing. */
const MOST_ORDER = 10;

/** Symbols back by default. */
const USUAL_ORDER = { word: 2, char: 4 };

export const languageOptions = {
  /** What a symbol is. */
  level: choice("unit of encipherment", ["word", "char"], { value: "level", usual: "word" }),
  /** How many symbols a symbol depends on: 2 for trigrams, at most 10. Default 2 for words, 4 for letters. */
  order: whole("how many symbols back the language model looks", {
    least: 0,
    most: MOST_ORDER,
    otherwise: `${USUAL_ORDER.word} for words, ${USUAL_ORDER.char} for letters`,
  }),
  /** Subtracted from every n-gram count, between 0 and 1. */
  discount: real("discount subtracted from n-gram counts", {
    least: 0,
    above: true,
    below: 1,
    usual: ngramDefaults.discount,
  }),
  /** Added to the count of every single symbol. */
  smoothing: real("smoothing added to counts of single plain symbols", {
    least: 0,
    above: true,
    usual: ngramDefaults.smoothing,
    flag: "language-smoothing",
  }),
  /** Letters: the spaces between words are symbols too. */
  spaces: flag("letters: the spaces between words are symbols too", { usual: true, flag: false }),
  /** Letters with accents: as they are, without the accent (ä as a), or as digraphs (ä as ae). */
  fold: choice("letters with accents: none (unchanged), base (ä as a), digraph (ä as ae)", folds, { usual: "none" }),
  /** The letters of the alphabet. Default: all letters of the plain text, except very rare ones. */
  alphabet: text("letters: the alphabet, such as abcdefghiklmnopqrstvxyz", {
    value: "letters",
    otherwise: "that of the plain text without its rarest letters",
  }),
  /** Words: only this many most frequent words are symbols, all others are `OTHER`. 0 for no limit. */
  vocabulary: whole("words: keep only this many plain words, the most frequent", { least: 0, usual: 0 }),
};

export type LanguageOptions = OptionsOf<typeof languageOptions> & { order: number };
export type GivenLanguageOptions = GivenOptions<typeof languageOptions>;

export const languageDefaults: LanguageOptions = { ...defaultsOf(languageOptions), order: USUAL_ORDER.word };

/** Stands for all words outside the vocabulary. */
export const OTHER = "<other>";

/** The space between words, as a symbol of letters. */
export const SPACE = " ";

/** What a language model of letters has beside its n-grams. */
interface LetterParts {
  /** The words that the letters make. */
  words?: WordList;
  /** Letters of the plain text left out as too rare, with their counts. */
  dropped?: ReadonlyMap<string, number>;
  /** Letters changed by folding, with their counts. */
  folded?: ReadonlyMap<string, number>;
  /** The n-grams with spaces if the model has none, or without spaces if it has them; computed on first use. */
  other?: () => NgramModel;
}

export class LanguageModel {
  readonly kind = "language";
  private otherMade: LanguageModel | undefined;

  constructor(
    readonly symbols: Alphabet,
    readonly ngram: NgramModel,
    readonly options: LanguageOptions,
    private readonly parts: LetterParts = {},
  ) {}

  /** Learns from text, line by line. */
  static fromText(lines: Iterable<string>, given: GivenLanguageOptions = {}): LanguageModel {
    const options = readLanguageOptions(given);
    if (typeof lines === "string") {
      throw new InputError("expected an array of lines, not a string", { hint: 'split it first: text.split("\\n")' });
    }
    if (options.level === "char") return languageOfLetters(lines, options);
    const symbols = new Alphabet();
    const sequences = wordSequences(lines, options, symbols);
    if (symbols.size === 0) throw new InputError("the plain text has no words");
    return new LanguageModel(symbols, ngramModel(sequences, symbols.size, ngramOptionsOf(options)), options);
  }

  /** Letters: the words that they make, if they are known. */
  get words(): WordList | undefined {
    return this.parts.words;
  }

  /** Letters of the plain text left out as too rare, with their counts. */
  get dropped(): ReadonlyMap<string, number> {
    return this.parts.dropped ?? new Map();
  }

  /** Letters of the plain text changed by folding, with their counts. */
  get folded(): ReadonlyMap<string, number> {
    return this.parts.folded ?? new Map();
  }

  /** The same model looking fewer symbols back. */
  withOrder(order: number): LanguageModel {
    const { other } = this.parts;
    return new LanguageModel(
      this.symbols,
      shorterNgram(this.ngram, order),
      { ...this.options, order },
      { ...this.parts, other: other && (() => shorterNgram(other(), order)) },
    );
  }

  /** Letters: the same language with spaces between words, or without; undefined if it does not know. */
  withSpaces(spaces: boolean): LanguageModel | undefined {
    if (this.options.spaces === spaces) return this;
    const { other } = this.parts;
    if (!other || this.options.level !== "char") return undefined;
    this.otherMade ??= new LanguageModel(
      symbolsOf(
        this.symbols.all().filter((symbol) => symbol !== SPACE),
        spaces,
      ),
      other(),
      { ...this.options, spaces },
      { ...this.parts, other: () => this.ngram },
    );
    return this.otherMade;
  }
}

/** Letters, and the space after them if it is a symbol. */
function symbolsOf(letters: readonly string[], spaces: boolean): Alphabet {
  return new Alphabet(spaces ? [...letters, SPACE] : letters);
}

export function ngramOptionsOf({ order, discount, smoothing, level }: LanguageOptions): NgramOptions {
  return { order, discount, smoothing, ends: level === "word" };
}

function languageOfLetters(lines: Iterable<string>, options: LanguageOptions): LanguageModel {
  const { letters, sequence, dropped, folded } = letterText(lines, options.fold, options.alphabet);
  if (sequence.length === 0) throw new InputError("the plain text has no letters");
  const between = letters.size;
  const ngram = (spaces: boolean): NgramModel =>
    ngramModel(
      [spaces ? sequence : without(sequence, between)],
      spaces ? between + 1 : between,
      ngramOptionsOf(options),
    );
  return new LanguageModel(symbolsOf(letters.all(), options.spaces), ngram(options.spaces), options, {
    words: countWords(sequence, letters.all()),
    dropped,
    folded,
    other: once(() => ngram(!options.spaces)),
  });
}

/** The numbers of an array but one. */
function without(numbers: Int32Array, left: number): Int32Array {
  const to = new Int32Array(numbers.length);
  let length = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i] !== left) to[length++] = numbers[i];
  return to.subarray(0, length);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
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
