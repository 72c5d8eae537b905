// How far a key that was found is to be believed as a whole, before its symbols are. Three things tell: how much better the key scores
// than the best that is found for the same symbols shuffled, whether searches came to it more than once, and how well the text reads
// as words, beside text of the language. With g nats a symbol above chance, r = 1 if the key came up again, and d nats a letter below
// what is typical, it is taken for right with the probability
//   1 / (1 + exp(-(base + gain g + recurrence r - badly d))),
// and of a wrong key a share of the symbols is as sure as it seems, the others are read as if by chance. The numbers were fitted to 221
// ciphers made from two books that were not plain text, of 20 to 320 letters, some with slips, a third of which were not solved.

const BASE = -4.1;
const GAIN = 2.9;
const RECURRENCE = 3;
const BADLY = 1;

/** More nats a symbol above chance, or below it, tell nothing more. */
const MOST_GAIN = 3;

/** Share of a wrong key that is as sure as it seems: known spaces give short words away. */
const SURE_ANYWAY = { spaced: 0.85, unspaced: 0.07 };

/** Searches that must come to a key, unless they are half of all. */
const ENOUGH = 3;

export interface Evidence {
  /** Log-likelihood of the text as words, in nats a letter, and that of text of the language; undefined if no words are known. */
  text?: number;
  typical?: number;
  /** Searches that came to the key, and all of them. */
  times: number;
  tried: number;
  /** Whether spaces between words are known. */
  isSpaced: boolean;
  /** Cipher symbols that are not spaces. */
  symbols: number;
  /** Nats by which the key scores more than the best that is found for the same symbols shuffled. */
  aboveChance: number;
}

/** The share of what a key seems to tell that is to be believed. */
export function belief({ text, typical, times, tried, isSpaced, symbols, aboveChance }: Evidence): number {
  const isRecurring = times >= ENOUGH || 2 * times >= tried;
  const gain = Math.max(-MOST_GAIN, Math.min(MOST_GAIN, aboveChance / symbols));
  const below = text === undefined || typical === undefined ? 0 : typical - text;
  const right = 1 / (1 + Math.exp(-(BASE + GAIN * gain + (isRecurring ? RECURRENCE : 0) - BADLY * below)));
  return right + (1 - right) * SURE_ANYWAY[isSpaced ? "spaced" : "unspaced"];
}

/**
 * Mixes the shares of readings, [cipherCount][plainCount], with those of a wrong key: as frequent as letters are, [plainCount].
 * Symbols with one reading that is allowed keep it.
 */
export function mixWithChance(
  shares: Float64Array,
  believed: number,
  frequency: Float64Array,
  allowed: Uint8Array,
): void {
  const plainCount = frequency.length;
  for (let from = 0; from < shares.length; from += plainCount) {
    let chance = 0;
    for (let y = 0; y < plainCount; y++) if (allowed[from + y]) chance += frequency[y];
    for (let y = 0; y < plainCount; y++) {
      const byChance = allowed[from + y] ? frequency[y] / chance : 0;
      shares[from + y] = believed * shares[from + y] + (1 - believed) * byChance;
    }
  }
}

/** The share of readings of words that are right though no key drawn had them. */
const NEVER_DRAWN = 0.2;

/**
 * Makes the shares of readings of words, [cipherCount][plainCount], more modest: keys are drawn near each other, and a language model
 * of words is surer than it should be. Each symbol gets one place more, at which its reading is right as often as one that was never
 * drawn. Chosen on three ciphers of 150 to 300 sentences.
 */
export function doubtRareSymbols(
  shares: Float64Array,
  key: Int32Array,
  places: Float64Array,
  frequency: Float64Array,
  allowed: Uint8Array,
): void {
  const plainCount = frequency.length;
  for (let x = 0; x < key.length; x++) {
    const own = shares.subarray(x * plainCount, (x + 1) * plainCount);
    const mayBe = allowed.subarray(x * plainCount, (x + 1) * plainCount);
    if (mayBe.reduce((sum, one) => sum + one, 0) === 1) continue; // it is known
    const n = places[x];
    let chance = 0;
    for (let y = 0; y < plainCount; y++) if (mayBe[y]) chance += frequency[y];
    for (let y = 0; y < plainCount; y++) {
      const oneMore = mayBe[y] ? ((1 - NEVER_DRAWN) * frequency[y]) / chance : 0;
      own[y] = (n * own[y] + oneMore + (y === key[x] ? NEVER_DRAWN : 0)) / (n + 1);
    }
  }
}
