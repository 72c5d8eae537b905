// How much one thing that is read may hold. Memory grows with the longest sequence, and a few kilobytes of gzip may stand for
// gigabytes: what is longer is refused with its place before it fills the memory. Data as a whole may be of any length.
//   a tagger's sequence of 100,000 tokens takes about 0.6 GB, a transducer's input of 5,000 symbols about 1 GB

import { InputError, type Place } from "../util/errors.js";
import { counted } from "../util/text.js";

/** Tokens of a sequence. */
export const LONGEST_SEQUENCE = 100_000;
/** Symbols of the input of a pair, and of its output. */
export const LONGEST_SIDE = 5_000;
/** Of a line, in bytes. */
export const LONGEST_LINE = 1 << 26;
/** Of a cipher text, in characters. */
export const LONGEST_CIPHER = 1 << 23;
/** Of a text that is read as a whole, in bytes. */
export const LONGEST_TEXT = 1 << 28;

export function checkSequenceLength(length: number, place: Place): void {
  if (length <= LONGEST_SEQUENCE) return;
  throw new InputError(`the sequence is longer than ${counted(LONGEST_SEQUENCE)} tokens, the limit`, {
    ...place,
    hint: "a sequence is usually a sentence; are the blank lines between sequences missing? If not, split it",
  });
}

export function checkSideLength(length: number, side: "input" | "output", place: Place): void {
  if (length <= LONGEST_SIDE) return;
  throw new InputError(`the ${side} is longer than ${counted(LONGEST_SIDE)} symbols, the limit`, {
    ...place,
    hint: "a line usually has one word; split longer texts into words or sentences",
  });
}
