// Slips of the writer: places where one other letter would make words of what are none. With S the score of the text as it is
// read and S' that with the letter changed, the odds of a slip are
//   rate / other letters * exp(S' - S).

import { type LanguageModel, SPACE } from "./language.js";
import type { WordScore } from "./word-score.js";

/** A place where the writer probably meant another letter than the key gives. */
export interface Slip {
  /** The position in the whole text, counted from 0, including spaces that are symbols. */
  at: number;
  read: string;
  meant: string;
  probability: number;
}

/** Share of the letters that are slips. */
const RATE = 0.002;

/** Slips less probable than this are not told. */
const LEAST = 0.5;

/** Letters on either side that a change is judged by, where spaces are unknown. */
const AROUND = 24;

/** The slips of a text, [sequences] of plain symbols. `isSure` tells symbols whose reading is not itself in doubt. */
export function findSlips(
  sequences: readonly Int32Array[],
  language: LanguageModel,
  words: WordScore,
  isSure: (at: number) => boolean,
): Slip[] {
  const isSpaced = language.symbols.indexOf(SPACE) >= 0;
  const slips: Slip[] = [];
  let first = 0;
  for (const sequence of sequences) {
    const plain = Int32Array.from(sequence);
    const spans = isSpaced ? words.unknownWords(plain) : words.unknownSpans(plain);
    for (const { from, to } of spans) {
      const best = bestChange(plain, from, to, words, isSpaced);
      if (!best || best.probability < LEAST || !isSure(first + best.at)) continue;
      slips.push({
        at: first + best.at,
        read: language.symbols.nameOf(plain[best.at]),
        meant: language.symbols.nameOf(best.letter),
        probability: best.probability,
      });
    }
    first += sequence.length;
  }
  return slips;
}

/** The likeliest change of one letter within a span, with its probability among all of them and none. */
function bestChange(
  plain: Int32Array,
  from: number,
  to: number,
  words: WordScore,
  isSpaced: boolean,
): { at: number; letter: number; probability: number } | undefined {
  const begin = isSpaced ? from : Math.max(0, from - AROUND);
  const end = isSpaced ? to : Math.min(plain.length, to + AROUND);
  const score = (): number => (isSpaced ? words.spaced(plain, begin, end) : words.unspaced(plain, begin, end));
  const asRead = score();
  let sum = 1;
  let best: { at: number; letter: number; odds: number } | undefined;
  for (let at = from; at < to; at++) {
    const own = plain[at];
    for (let letter = 0; letter < words.space; letter++) {
      if (letter === own) continue;
      plain[at] = letter;
      const odds = (RATE / (words.space - 1)) * Math.exp(score() - asRead);
      sum += odds;
      if (!best || odds > best.odds) best = { at, letter, odds };
    }
    plain[at] = own;
  }
  return best && { at: best.at, letter: best.letter, probability: best.odds / sum };
}
