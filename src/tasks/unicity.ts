// The unicity distance: how much cipher text it takes until only one key reads as language,
//   places = log2(number of keys) / (log2(plain symbols) - entropy of the language),
// the entropy being bits a symbol of text drawn from the language model itself. Spaces that are known tell nothing new.

import { ngramScoreAt } from "../core/ngram.js";
import { generator, uniform } from "../learn/random.js";
import { type LanguageModel, SPACE } from "./language.js";

/** Symbols to draw; with words, each looks at the whole vocabulary. */
const DRAWN = 1000;

/** Places of cipher text needed to tell the key of so many cipher symbols; infinite if the language has no redundancy. */
export function unicityDistance(language: LanguageModel, cipherSymbols: number, oneToOne: boolean): number {
  const space = language.symbols.indexOf(SPACE);
  const plain = language.symbols.size - (space >= 0 ? 1 : 0);
  let keyBits = 0;
  for (let i = 0; i < cipherSymbols; i++) keyBits += Math.log2(oneToOne ? Math.max(1, plain - i) : plain);
  const redundancy = Math.log2(plain) - entropyOf(language, space);
  return redundancy > 0 ? keyBits / redundancy : Number.POSITIVE_INFINITY;
}

/** Bits a symbol, given that it is neither a space nor the end. */
function entropyOf({ ngram }: LanguageModel, space: number): number {
  const { symbolCount, options } = ngram;
  const end = options.ends ? symbolCount - 1 : -1;
  const random = generator(1, 0);
  const events: number[] = [];
  let first = 0; // where the sequence at hand begins
  let bits = 0;
  let counted = 0;
  const probability = new Float64Array(symbolCount);
  while (counted < DRAWN) {
    const at = events.length;
    let apart = 0; // probability of what does not count
    for (let y = 0; y < symbolCount; y++) {
      events[at] = y;
      probability[y] = Math.exp(ngramScoreAt(ngram, events, at, first));
      if (y === space || y === end) apart += probability[y];
    }
    let left = uniform(random);
    let y = 0;
    while (y < symbolCount - 1 && left >= probability[y]) left -= probability[y++];
    events[at] = y;
    if (y === end) first = events.length;
    else if (y !== space) {
      bits -= Math.log2(probability[y] / (1 - apart));
      counted++;
    }
  }
  return bits / counted;
}
