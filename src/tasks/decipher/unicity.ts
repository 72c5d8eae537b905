// The unicity distance: how much cipher text it takes until only one key reads as language,
//   places = log2(number of keys) / (log2(plain symbols) - entropy of the language),
// the entropy being bits a symbol of text drawn from the language model itself. Spaces that are known tell nothing new.
// A reading whose own symbols take nearly log2(plain symbols) bits is no text of the language, however sure its key.

import { type NgramModel, ngramScoreAt } from "../../engine/ngram.js";
import { BEGIN } from "../../engine/trellis.js";
import { generator, uniform } from "../../util/random.js";
import { forgiving } from "./key-tables.js";
import { type LanguageModel, SPACE } from "./language.js";

/** Symbols to draw; with words, each looks at the whole vocabulary. */
const DRAWN = 1000;

/**
 * Symbols back that tell whether a text is of the language. Longer n-grams know their own book by heart: text of another
 * would seem no better than text of another language.
 */
const LIKENESS_ORDER = { char: 2, word: 1 };

/** Places of cipher text needed to tell the key of so many cipher symbols; infinite if the language has no redundancy. */
export function unicityDistance(language: LanguageModel, cipherSymbols: number, oneToOne: boolean): number {
  const plain = 2 ** bitsOf(language).most;
  let keyBits = 0;
  for (let i = 0; i < cipherSymbols; i++) keyBits += Math.log2(oneToOne ? Math.max(1, plain - i) : plain);
  return keyBits / redundancy(language);
}

/** Bits that each place of cipher text tells of its key; 0 if the language has no redundancy. */
export function redundancy(language: LanguageModel): number {
  const { most, own } = bitsOf(language);
  return Math.max(0, most - own);
}

/**
 * How much a text, [sequences] of plain symbols, reads as language: 1 if its symbols take as many bits as those of text
 * drawn from the language model itself, 0 if as many as symbols drawn blindly, and less than 0 beyond.
 */
export function likeness(whole: LanguageModel, sequences: readonly Int32Array[]): number {
  const { order, level } = whole.options;
  const language = whole.withOrder(Math.min(order, LIKENESS_ORDER[level]));
  const { ngram } = language;
  const apart = notCounted(language);
  let bits = 0;
  let counted = 0;
  for (const sequence of sequences) {
    const events = ngram.options.ends ? [BEGIN, ...sequence] : [...sequence];
    for (let at = events.length - sequence.length; at < events.length; at++) {
      if (apart.includes(events[at])) continue;
      bits += bitsAt(ngram, events, at, 0, apart);
      counted++;
    }
  }
  const { most, own } = bitsOf(language);
  return counted > 0 && most > own ? (most - bits / counted) / (most - own) : 1;
}

/** Bits a symbol: at most, if all are as likely, and of text drawn from the model. */
function bitsOf(language: LanguageModel): { most: number; own: number } {
  const { symbols } = language;
  return { most: Math.log2(symbols.size - (symbols.indexOf(SPACE) >= 0 ? 1 : 0)), own: entropyOf(language) };
}

/** Symbols whose bits do not count: the space and the end. */
function notCounted({ symbols, ngram }: LanguageModel): number[] {
  return [symbols.indexOf(SPACE), ngram.options.ends ? ngram.symbolCount - 1 : -1].filter((symbol) => symbol >= 0);
}

/**
 * Bits of the symbol at a place, given that it is none of those `apart`; slips forgiven as in the score of a key, so that a
 * strange name does not outweigh a page.
 */
function bitsAt(ngram: NgramModel, events: number[], at: number, first: number, apart: readonly number[]): number {
  const symbol = events[at];
  const logProbability = forgiving(ngramScoreAt(ngram, events, at, first), ngram.symbolCount);
  let left = 1;
  for (const other of apart) {
    events[at] = other;
    left -= Math.exp(forgiving(ngramScoreAt(ngram, events, at, first), ngram.symbolCount));
  }
  events[at] = symbol;
  return (Math.log(left) - logProbability) / Math.LN2;
}

/** Bits a symbol, given that it is neither a space nor the end. */
function entropyOf(language: LanguageModel): number {
  const { ngram } = language;
  const { symbolCount, options } = ngram;
  const apart = notCounted(language);
  const random = generator(1, 0);
  const events: number[] = [];
  let first = 0; // where the sequence at hand begins
  let bits = 0;
  let counted = 0;
  while (counted < DRAWN) {
    const at = events.length;
    let left = uniform(random);
    for (let y = 0; y < symbolCount && left >= 0; y++) {
      events[at] = y;
      left -= Math.exp(ngramScoreAt(ngram, events, at, first));
    }
    if (options.ends && events[at] === symbolCount - 1) first = events.length;
    else if (!apart.includes(events[at])) {
      bits += bitsAt(ngram, events, at, first, apart);
      counted++;
    }
  }
  return bits / counted;
}
