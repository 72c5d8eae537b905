// Whether a cipher has homophones, several symbols for one letter. Homophones make symbols evenly frequent, which shows in the
// probability that two places hold the same symbol,
//   coincidence = sum over x: n(x) (n(x) - 1) / (places (places - 1)).

import { type LanguageModel, SPACE } from "./language.js";

/** Fewer places than this tell nothing. */
const FEWEST = 60;

/** Whether letters are probably written by one symbol each. */
export function seemsOneToOne(language: LanguageModel, cipher: readonly (readonly string[])[]): boolean {
  const counts = new Map<string, number>();
  let places = 0;
  for (const symbol of cipher.flat()) {
    if (symbol === SPACE) continue;
    counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
    places++;
  }
  const letters = language.symbols.all().filter((symbol) => symbol !== SPACE);
  if (counts.size > letters.length) return false;
  if (places < FEWEST) return true;
  let same = 0;
  for (const count of counts.values()) same += count * (count - 1);
  const even = 1 / letters.length;
  return same / (places * (places - 1)) >= (coincidenceOf(language, letters) + even) / 2;
}

/** Of text of the language, without spaces. */
function coincidenceOf({ symbols, ngram }: LanguageModel, letters: readonly string[]): number {
  let sum = 0;
  let squares = 0;
  for (const letter of letters) {
    const probability = Math.exp(ngram.unigram[symbols.indexOf(letter)]);
    sum += probability;
    squares += probability ** 2;
  }
  return squares / sum ** 2;
}
