// What is known of a key before it is searched: symbols with their readings, as given or as a text known at a place (a crib)
// shows them, and the spaces between words. What is known rules out substitutions.

import type { Alphabet } from "../../engine/alphabet.js";
import { InputError } from "../../util/errors.js";
import type { CipherText } from "./cipher-text.js";
import { type LanguageModel, SPACE, wordsOf } from "./language.js";
import { isLetter } from "./letter.js";
import type { SettledOptions } from "./options.js";

/** A key: the plain symbol of each cipher symbol. */
export type Key = Readonly<Record<string, string>>;

/**
 * What is known of the key of a cipher text: parts of the key, and texts at places such as `120=butter` (letters 120 to 125)
 * or, of words, `3:2=am` (line 3, word 2).
 */
export function knownKey(cipher: CipherText, keys: readonly Key[], places: readonly string[] = []): Key {
  const known: Record<string, string> = Object.create(null); // any text may be a symbol, `__proto__` too
  const add = (given: string, reading: string): void => {
    const [x, plain] = [given, reading].map((symbol) => asInCipher(symbol, cipher));
    if (x in known && known[x] !== plain) {
      throw new InputError(`\`${x}\` is given as both \`${known[x]}\` and \`${plain}\``);
    }
    known[x] = plain;
  };
  for (const key of keys) for (const [x, plain] of Object.entries(key)) add(x, plain);
  for (const place of places) for (const [x, plain] of crib(place, cipher)) add(x, plain);
  return known;
}

/** A symbol as the cipher has it: where cipher symbols are letters, capitals are the same letters. */
export function asInCipher(symbol: string, cipher: CipherText): string {
  return cipher.kind === "letters" ? symbol.toLowerCase() : symbol;
}

/** The substitutions that a text known at a place shows. */
function crib(place: string, cipher: CipherText): [string, string][] {
  const match = /^(?:(\d+):)?(\d+)=(.+)$/su.exec(place);
  const isWord = cipher.kind === "words";
  if (!match || (match[1] !== undefined) !== isWord) {
    throw new InputError(`\`${place}\` is not a position and its text`, {
      hint: isWord ? "write line:word=text, such as 3:2=am" : "write letter=text, such as 120=butter",
    });
  }
  if (Number(match[1] ?? 1) === 0 || Number(match[2]) === 0) {
    throw new InputError(`there is no position 0 (\`${place}\`)`, { hint: "counting begins at 1" });
  }
  const symbols = isWord
    ? (cipher.sequences[Number(match[1]) - 1] ?? [])
    : cipher.sequences.flat().filter((symbol) => symbol !== SPACE);
  // Between letters, what is no letter is not enciphered and does not count: don't, well-known.
  const plain = isWord ? wordsOf(match[3]) : [...match[3].toLowerCase()].filter(isLetter);
  if (plain.length === 0) throw new InputError(`\`${place}\` has no ${isWord ? "word" : "letter"} after the =`);
  const from = Number(match[2]) - 1;
  if (from + plain.length > symbols.length) {
    throw new InputError(`there is no room for \`${match[3]}\` at \`${place}\``);
  }
  return plain.map((symbol, i) => [symbols[from + i], symbol]);
}

/** [cipherCount][plainCount] 0 where what is known rules a substitution out, else 1. */
export function allowedSubstitutions(
  alphabet: Alphabet,
  language: LanguageModel,
  { oneToOne, spaces }: Pick<SettledOptions, "oneToOne" | "spaces">,
  known: Key,
): Uint8Array {
  const { symbols } = language;
  const cipherCount = alphabet.size;
  const plainCount = symbols.size;
  const allowed = new Uint8Array(cipherCount * plainCount).fill(1);
  const fix = (x: number, y: number, alone: boolean): void => {
    for (let other = 0; other < plainCount; other++) if (other !== y) allowed[x * plainCount + other] = 0;
    if (!alone) return;
    for (let other = 0; other < cipherCount; other++) if (other !== x) allowed[other * plainCount + y] = 0;
  };
  if (language.options.level === "char") {
    const space = spacesAgree(alphabet, language, spaces);
    if (space === "fixed") fix(alphabet.indexOf(SPACE), symbols.indexOf(SPACE), true);
    if (space === "none") {
      for (let x = 0; x < cipherCount; x++) allowed[x * plainCount + symbols.indexOf(SPACE)] = 0;
    }
  }
  const owners = new Map<string, string>();
  for (const [cipher, plain] of Object.entries(known)) {
    const x = alphabet.indexOf(cipher);
    const y = symbols.indexOf(plain);
    if (x < 0) throw new InputError(`the key has \`${cipher}\`, which does not occur in the cipher text`);
    if (y < 0) throw notInLanguage(cipher, plain, language);
    const owner = owners.get(plain);
    if (oneToOne && owner !== undefined) {
      throw new InputError(`the key gives \`${plain}\` to both \`${owner}\` and \`${cipher}\`: it is not one-to-one`);
    }
    owners.set(plain, cipher);
    fix(x, y, oneToOne);
  }
  for (let x = 0; x < cipherCount; x++) {
    if (!allowed.subarray(x * plainCount, (x + 1) * plainCount).includes(1)) {
      throw new InputError(`the known part of the key leaves nothing for \`${alphabet.nameOf(x)}\``);
    }
  }
  return allowed;
}

/** What becomes of the language's space: `fixed` to that of the cipher, of `none` of its symbols, or `open` to all. */
function spacesAgree(
  alphabet: Alphabet,
  { symbols }: LanguageModel,
  spaces: SettledOptions["spaces"],
): "fixed" | "none" | "open" {
  const isSpaced = symbols.indexOf(SPACE) >= 0;
  if (alphabet.indexOf(SPACE) >= 0) {
    if (isSpaced) return "fixed";
    throw new InputError("the cipher text has spaces between words, but the language model has none", {
      hint: 'make the language model with spaces, or read the cipher text with option `spaces` as "unknown"',
    });
  }
  if (!isSpaced || spaces === "enciphered") return "open";
  if (spaces === "known") return "none";
  throw new InputError("the language model has spaces between words, but the cipher text has none", {
    hint: 'make the language model without spaces, or give option `spaces` as "known" or "enciphered"',
  });
}

function notInLanguage(cipher: string, plain: string, { symbols }: LanguageModel): InputError {
  // With words, `I` and `i` are two.
  const near = symbols.all().find((other) => other.toLowerCase() === plain.toLowerCase());
  return new InputError(`the key gives \`${cipher}=${plain}\`, but the plain text has no \`${plain}\``, {
    hint: near === undefined ? undefined : `it has \`${near}\``,
  });
}
