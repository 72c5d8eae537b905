// Whether a cipher has homophones, several symbols for one letter. Homophones make symbols evenly frequent, which shows in the
// probability that two places hold the same symbol,
//   coincidence = sum over x: n(x) (n(x) - 1) / (places (places - 1)).

import { type LanguageModel, SPACE } from "./language.js";

/** Fewer places than this tell nothing. */
const FEWEST = 60;

/** Whether letters are probably written by one symbol each. */
export function seemsOneToOne(language: LanguageModel, cipher: readonly (readonly string[])[]): boolean {
  const symbols = cipher.flat().filter((symbol) => symbol !== SPACE);
  const letters = language.symbols.all().filter((symbol) => symbol !== SPACE).length;
  if (new Set(symbols).size > letters) return false;
  return symbols.length < FEWEST || coincidence(symbols) >= (coincidenceOf(language) + 1 / letters) / 2;
}

/** Of symbols. */
export function coincidence(symbols: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const symbol of symbols) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  let same = 0;
  for (const count of counts.values()) same += count * (count - 1);
  return symbols.length > 1 ? same / (symbols.length * (symbols.length - 1)) : 0;
}

/** Of text of the language, without spaces. */
export function coincidenceOf({ symbols, ngram }: LanguageModel): number {
  let sum = 0;
  let squares = 0;
  for (const [symbol, letter] of symbols.all().entries()) {
    if (letter === SPACE) continue;
    const probability = Math.exp(ngram.unigram[symbol]);
    sum += probability;
    squares += probability ** 2;
  }
  return squares / sum ** 2;
}
