// The order in which a cipher text is read: as it is written, as the user says, or as the text itself tells.

import { type CipherText, gridOf, reordered } from "../../tasks/decipher/cipher-text.js";
import type { Key } from "../../tasks/decipher/known-key.js";
import type { LanguageModel } from "../../tasks/decipher/language.js";
import { findReading, type ReadingOptions } from "../../tasks/decipher/reading-solver.js";
import { readingOrder } from "../../tasks/decipher/readings.js";
import { InputError } from "../../util/errors.js";

/** An order other than the written one, and what tells it, if it was found. */
export interface ReadingUsed {
  name: string;
  /** Standard deviations above chance that the text repeats itself: in this order, and as written. */
  repeats?: number;
  asWritten?: number;
}

/** The text in the order of a reading that is given. */
export function readIn(reading: string, cipher: CipherText): CipherText {
  if (cipher.spaces) {
    throw new InputError("option `reading` needs a text without spaces; here spaces separate words", {
      hint: 'set option `spaces` to "unknown" to ignore them',
    });
  }
  const grid = gridOf(cipher);
  return reordered(cipher, readingOrder(reading, grid), grid.width);
}

/** The text in another order, if one stands out. */
export async function otherOrder(
  cipher: CipherText,
  language: LanguageModel,
  options: ReadingOptions,
): Promise<{ cipher: CipherText; reading: ReadingUsed; key: Key } | undefined> {
  const { width } = gridOf(cipher);
  const found = await findReading(cipher.sequences.flat(), width, language, options);
  if (!found) return undefined;
  const { reading: name, order, repeats, asWritten, key } = found;
  return { cipher: reordered(cipher, order, width), reading: { name, repeats, asWritten }, key };
}

export function readingNotes(reading: ReadingUsed | undefined): string[] {
  if (!reading) return [];
  const { name, repeats, asWritten } = reading;
  if (repeats === undefined || asWritten === undefined) return [`read in the order ${name}`];
  const above = `signs repeat ${repeats.toFixed(1)} standard deviations more than by chance, as written ${asWritten.toFixed(1)}`;
  return [`read in the order ${name}, not as written: ${above} (--reading lines: as written)`];
}
