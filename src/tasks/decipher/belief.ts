// How far a key that was found is to be believed as a whole, before its symbols are. Two things tell: how well the text reads as
// words, beside text of the language, and whether searches came to the key more than once. With d nats a letter below what is
// typical, the key is taken for right with the probability
//   1 / (1 + exp((d - bearable) / width)),
// and of a wrong key a share of the symbols is as sure as it seems, the others are read as if by chance. Bounds and width were chosen on ciphers made from books that were not plain
// text, of 20 to 340 letters, a third of which were not solved.

/**
 * Nats a letter below the typical at which a key is as likely right as wrong: if it came up as often as needed, and if not. A key
 * that recurs may well read badly: the writer made slips, or the text is of another kind than the plain text.
 */
const BEARABLE = { recurring: 1.3, single: 0.4 };
const WIDTH = 0.08;

/** Share of a wrong key that is as sure as it seems: known spaces give short words away. */
const SURE_ANYWAY = { spaced: 0.5, unspaced: 0.15 };

/** Searches that must come to a key, unless they are half of all. */
const ENOUGH = 3;

/** Where no words are known, so that a text cannot be judged: the belief in a key that came up too rarely. */
const UNJUDGED = 0.8;

export interface Evidence {
  /** Log-likelihood of the text as words, in nats a letter, and that of text of the language; undefined if no words are known. */
  text?: number;
  typical?: number;
  /** Searches that came to the key, and all of them. */
  times: number;
  tried: number;
  /** Whether spaces between words are known. */
  isSpaced: boolean;
}

/** The share of what a key seems to tell that is to be believed. */
export function belief({ text, typical, times, tried, isSpaced }: Evidence): number {
  const isRecurring = times >= ENOUGH || 2 * times >= tried;
  if (text === undefined || typical === undefined) return isRecurring ? 1 : UNJUDGED;
  const bearable = isRecurring ? BEARABLE.recurring : BEARABLE.single;
  const right = 1 / (1 + Math.exp((typical - text - bearable) / WIDTH));
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
