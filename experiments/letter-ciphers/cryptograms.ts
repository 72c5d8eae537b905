// Ciphers made from a text, solved, and compared with what they were made from: what experiments with letter ciphers share.

import { readCipher } from "#stargram/tasks/decipher/cipher-text.js";
import { Decipherer } from "#stargram/tasks/decipher/decipherer.js";
import { encipher } from "#stargram/tasks/decipher/encipher.js";
import type { Key } from "#stargram/tasks/decipher/known-key.js";
import { LanguageModel, SPACE } from "#stargram/tasks/decipher/language.js";
import { folded, isLetter } from "#stargram/tasks/decipher/letter.js";
import { decipherShift } from "#stargram/tasks/decipher/shifted.js";
import type { ShiftKind } from "#stargram/tasks/decipher/shifts.js";
import { isConvincing } from "#stargram/tasks/decipher/warnings.js";
import { InputError } from "#stargram/util/errors.js";
import { generator, uniform } from "#stargram/util/random.js";
import { cpuSeconds } from "../runs.js";

/** One kind of cipher and how many of them. */
export interface CipherSetting {
  letters: number;
  ciphers: number;
  /** Cipher signs; left out: one for each letter. */
  signs?: number;
  /** Whether spaces between words stay. */
  spaces: boolean;
  /** Letters are moved in the alphabet, by a random key; of `period` letters, if they take turns. */
  shift?: ShiftKind;
  period?: number;
}

/** How one cipher went. */
export interface Solved {
  /** Share of the letters that are right. */
  right: number;
  /** The same as the decipherer expects. */
  expected: number;
  /** Whether it has nothing to say against its key. */
  convinced: boolean;
  /** CPU seconds, without learning the language. */
  seconds: number;
}

/** Symbols by their probability, in ten bins. */
export interface Bin {
  count: number;
  /** Sum of their probabilities, and how many are right. */
  expected: number;
  right: number;
}

export const noBins = (): Bin[] => Array.from({ length: 10 }, () => ({ count: 0, expected: 0, right: 0 }));

/** Mean difference between probability and share right, over bins, by their symbols. */
export function calibrationError(bins: readonly Bin[]): number {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  return bins.reduce((sum, { expected, right }) => sum + Math.abs(expected - right), 0) / Math.max(1, all);
}

/** The words of a text in small letters without accents, what joins two of them left out. */
export function wordsIn(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/['’-]/gu, "")
    .split(/[^\p{L}]+/u)
    .map((word) => Array.from(word, (letter) => folded(letter, "base")).join(""))
    .filter((word) => word !== "" && [...word].every(isLetter));
}

/** Passages of whole words with so many letters, drawn at random. */
export function passages(words: readonly string[], letters: number, count: number, seed: number): string[][] {
  if (words.length <= letters) throw new InputError(`the text has only ${words.length} words: too few for passages`);
  const random = generator(seed, letters);
  const found: string[][] = [];
  for (let tries = 0; found.length < count; tries++) {
    if (tries > 1000 * count) throw new InputError(`the text has too few passages of ${letters} letters`);
    const from = Math.floor(uniform(random) * (words.length - letters));
    let length = 0;
    let to = from;
    while (length < letters) length += words[to++].length;
    if (length === letters) found.push(words.slice(from, to));
  }
  return found;
}

/** A language that is learned once, with spaces and without. */
export function languages(lines: readonly string[]): (spaces: boolean) => LanguageModel {
  const whole = LanguageModel.fromText(lines, { level: "char", spaces: true, fold: "base" });
  return (spaces) => whole.withSpaces(spaces) as LanguageModel;
}

/** Enciphers passages and solves them as the command does; counts the symbols of their keys into bins. */
export async function solveAll(
  setting: CipherSetting,
  source: { words: readonly string[]; languageFor: (spaces: boolean) => LanguageModel },
  seed: number,
  bins: Bin[],
): Promise<Solved[]> {
  const { words, languageFor } = source;
  const all: Solved[] = [];
  for (const [i, passage] of passages(words, setting.letters, setting.ciphers, seed).entries()) {
    const plain = passage.join(setting.spaces ? SPACE : "");
    const { text, key } = enciphered(plain, setting, 1000 * seed + i);
    const isLetters = setting.signs === undefined;
    const cipher = readCipher(text, "char", isLetters ? { spaces: setting.spaces ? "known" : "unknown" } : {});
    const language = languageFor(setting.spaces);
    const before = process.cpuUsage();
    const found = decipherShift(cipher, language) ?? (await new Decipherer(language).solve(cipher.sequences));
    const seconds = cpuSeconds(before);
    const read = found.plain.flat().filter((letter) => letter !== SPACE);
    const letters = [...plain.replaceAll(SPACE, "")];
    for (const { cipher: symbol, plain: letter, probability } of key ? found.mapping : []) {
      if (symbol === SPACE) continue;
      const bin = bins[Math.min(9, Math.floor(10 * probability))];
      bin.count++;
      bin.expected += probability;
      if (key?.[symbol] === letter) bin.right++;
    }
    all.push({
      right: letters.filter((letter, at) => letter === read[at]).length / letters.length,
      expected: found.expectedAccuracy ?? 0,
      convinced: isConvincing(found, cipher),
      seconds,
    });
  }
  return all;
}

/** The cipher of a text, with its key if that is a table of signs. */
function enciphered(plain: string, setting: CipherSetting, seed: number): { text: string; key?: Key } {
  const { signs, spaces, shift, period = 1 } = setting;
  if (!shift) {
    const kinds = new Set(plain.replaceAll(SPACE, "")).size;
    return encipher(plain, { seed, ...(signs === undefined ? { spaces } : { homophones: Math.max(signs, kinds) }) });
  }
  const random = generator(seed, 0);
  const drawn = (count: number): number => Math.floor(uniform(random) * count);
  const factor = shift === "affine" ? [3, 5, 7, 9, 11, 15, 17, 19, 21, 23][drawn(10)] : 1;
  const keys = Array.from({ length: period }, () => (shift === "atbash" ? 25 : 1 + drawn(25)));
  const isBack = shift === "atbash" || shift === "beaufort";
  let turn = 0;
  return {
    text: Array.from(plain, (letter) => {
      if (letter === SPACE) return letter;
      const own = letter.charCodeAt(0) - A;
      const by = keys[turn++ % period];
      return String.fromCharCode(A + ((isBack ? by - own + 26 : factor * own + by) % 26));
    }).join(""),
  };
}

const A = "a".charCodeAt(0);
