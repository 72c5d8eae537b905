// Test ciphers from plain text, by a seeded key. One-to-one: every letter becomes another letter in the same place of the
// text, or every word a number. Homophonic: letters become numbers, the frequent ones several, drawn anew at each place.

import { Alphabet } from "../../engine/alphabet.js";
import { InputError } from "../../util/errors.js";
import { choice, defaultsOf, flag, type OptionsOf, readOptions, whole } from "../../util/options.js";
import { generator, shuffle, uniform } from "../../util/random.js";
import { wordsOf } from "./language.js";
import { capitalOf, isLetter, smallOf } from "./letter.js";

/** More cipher symbols than this serve nobody. */
const MOST_HOMOPHONES = 10_000;

export const encipherOptions = {
  /** What is enciphered. */
  level: choice("unit of encipherment", ["word", "char"], { value: "level", usual: "char" }),
  /** Total number of cipher symbols; 0 for a one-to-one cipher. */
  homophones: whole("letters: use this many cipher symbols, frequent letters get several", {
    least: 0,
    most: MOST_HOMOPHONES,
    usual: 0,
  }),
  /** One-to-one letters: keep spaces and everything else that is not a letter. */
  spaces: flag("letters: keep spaces and everything else that is not a letter", {
    usual: true,
    off: "letters: drop spaces and everything else that is not a letter",
  }),
  seed: whole("which key", { usual: 1 }),
};

export type EncipherOptions = OptionsOf<typeof encipherOptions>;

export const encipherDefaults: EncipherOptions = defaultsOf(encipherOptions);

export interface Enciphered {
  text: string;
  /** Plain symbol of every cipher symbol. */
  key: Record<string, string>;
}

/** Symbols in a line of numbers. */
const LINE = 20;

/** Enciphers a text. */
export function encipher(text: string, given: Partial<EncipherOptions> = {}): Enciphered {
  const options = readOptions(encipherOptions, given);
  if (options.level === "word") return encipherWords(text, options);
  const letters = Array.from(text, smallOf).filter(isLetter);
  if (letters.length === 0) throw new InputError("the text has no letters to encipher");
  return options.homophones > 0 ? encipherHomophonic(letters, options) : encipherLetters(text, letters, options);
}

function encipherWords(text: string, { seed, homophones, spaces }: EncipherOptions): Enciphered {
  if (homophones > 0) throw new InputError("homophones need letters, not words");
  if (!spaces) throw new InputError("spaces can be dropped between letters, not between words");
  const words = new Alphabet();
  const lines = text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line) => wordsOf(line).map((word) => words.add(word)));
  if (words.size === 0) throw new InputError("the text has no words to encipher");
  const numbers = shuffle(
    Array.from({ length: words.size }, (_, i) => i + 1),
    generator(seed, 0),
  );
  return {
    text: lines.map((line) => `${line.map((word) => numbers[word]).join(" ")}\n`).join(""),
    key: Object.fromEntries(words.all().map((word, i) => [String(numbers[i]), word])),
  };
}

function encipherLetters(text: string, letters: string[], { seed, spaces }: EncipherOptions): Enciphered {
  // A text of the Latin alphabet may use any of its letters; of another, those it has itself.
  const latin = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
  const used = [...new Set(letters)].sort();
  const alphabet = used.every((letter) => latin.includes(letter)) ? latin : used;
  const shuffled = shuffle(
    Array.from(alphabet, (_, i) => i),
    generator(seed, 0),
  );
  const cipherOf = new Map(alphabet.map((letter, i) => [letter, alphabet[shuffled[i]]]));
  if (spaces) keepCapitals(cipherOf, new Set(Array.from(text).filter((c) => isLetter(c) && smallOf(c) !== c)));
  const key = Object.fromEntries(used.map((letter) => [cipherOf.get(letter) as string, letter]));
  if (!spaces) return { text: `${inLines(letters.map((letter) => cipherOf.get(letter) as string)).join("\n")}\n`, key };
  const written = Array.from(text, (c) => {
    const small = smallOf(c);
    const cipher = cipherOf.get(small);
    if (cipher === undefined) return c;
    return c === small ? cipher : (capitalOf(cipher) as string);
  });
  return { text: written.join(""), key };
}

/** Letters that the text has as capitals trade their cipher letter for one that has a capital, if theirs has none. */
function keepCapitals(cipherOf: Map<string, string>, capitals: ReadonlySet<string>): void {
  const trades = [...cipherOf.keys()].filter((letter) => !capitals.has(capitalOf(letter) ?? ""));
  for (const capital of capitals) {
    const letter = smallOf(capital);
    const cipher = cipherOf.get(letter) as string;
    if (capitalOf(cipher) !== undefined) continue;
    // There is one: a letter with a capital stands for each that has none, and no more of them are needed as capitals.
    const other = trades.find((candidate) => capitalOf(cipherOf.get(candidate) as string) !== undefined) as string;
    cipherOf.set(letter, cipherOf.get(other) as string);
    cipherOf.set(other, cipher);
  }
}

function encipherHomophonic(letters: string[], { seed, homophones }: EncipherOptions): Enciphered {
  const alphabet = new Alphabet(letters);
  if (homophones < alphabet.size) {
    throw new InputError(`the text has ${alphabet.size} letters: ${homophones} cipher symbols are too few`);
  }
  const counts = new Float64Array(alphabet.size);
  for (const letter of letters) counts[alphabet.indexOf(letter)]++;
  // One for each letter, and each further one to the letter whose symbols are used most.
  const shares = new Int32Array(alphabet.size).fill(1);
  for (let n = alphabet.size; n < homophones; n++) {
    let most = 0;
    for (let i = 1; i < shares.length; i++) if (counts[i] / shares[i] > counts[most] / shares[most]) most = i;
    shares[most]++;
  }
  const numbers = shuffle(
    Array.from({ length: homophones }, (_, i) => i + 1),
    generator(seed, 0),
  );
  const symbolsOf: number[][] = [];
  const key: Record<string, string> = {};
  let next = 0;
  shares.forEach((share, letter) => {
    symbolsOf[letter] = numbers.slice(next, next + share);
    for (const symbol of symbolsOf[letter]) key[symbol] = alphabet.nameOf(letter);
    next += share;
  });
  const random = generator(seed, 1);
  const written = letters.map((letter) => {
    const symbols = symbolsOf[alphabet.indexOf(letter)];
    return String(symbols[Math.floor(uniform(random) * symbols.length)]);
  });
  const lines: string[] = [];
  for (let i = 0; i < written.length; i += LINE) lines.push(written.slice(i, i + LINE).join(" "));
  return { text: `${lines.join("\n")}\n`, key };
}

/** Letters in lines of 60. */
function inLines(letters: readonly string[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i < letters.length; i += 60) lines.push(letters.slice(i, i + 60).join(""));
  return lines;
}
