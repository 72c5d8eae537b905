// What kind of cipher a text probably is. Ciphers that count in the alphabet are solved (shifts.ts); the others are told by
// statistics: how many different symbols there are, how often two places hold the same one,
//   coincidence = sum over x: n(x) (n(x) - 1) / (places (places - 1)),
// and how many bits its letters would take if they were those of the plain text, which tells letters that only changed places.

import { type CipherText, gridOf } from "./cipher-text.js";
import { coincidence, coincidenceOf } from "./homophones.js";
import { type LanguageModel, SPACE } from "./language.js";
import { rankReadings, standsOut } from "./reading-search.js";
import { bestShift, countingAlphabet, isRead, READ, type ShiftKind } from "./shifts.js";
import { likeness } from "./unicity.js";

export interface Identified {
  /** What it probably is. */
  kind: ShiftKind | "plain" | "substitution" | "homophonic" | "transposition" | "digraphs" | "polyalphabetic";
  /** Of a kind that is solved here. */
  key?: string;
  /** The text, letters alone, of a kind that is solved here. */
  text?: string;
  places: number;
  /** Different symbols, and letters of the language. */
  symbols: number;
  letters: number;
  /** Of the cipher text, of text of the language, and of letters drawn blindly. */
  coincidence: { cipher: number; language: number; even: number };
  /**
   * How much signs repeat in the order written, and in the order that repeats most, in standard deviations above chance; where
   * another order repeats so much more that the text was probably written in it.
   */
  order?: { asWritten: number; reading: string; repeats: number };
  /** Bits a letter, if the letters of the cipher are those of the plain text; and those of the language. */
  bits?: { cipher: number; language: number };
}

/** Bits a letter above those of the language that letters in another order may take. */
const SAME_LETTERS = 0.35;

/** Fewer places tell nothing of pairs. */
const FEWEST_PAIRS = 30;

/** `language`: of letters without spaces. */
export function identify(cipher: CipherText, language: LanguageModel): Identified {
  const symbols = cipher.sequences.flat().filter((symbol) => symbol !== SPACE);
  const letters = language.symbols.size;
  const kinds = new Set(symbols).size;
  const alphabet = countingAlphabet(language);
  const figures = {
    places: symbols.length,
    symbols: kinds,
    letters,
    coincidence: { cipher: coincidence(symbols), language: coincidenceOf(language), even: 1 / letters },
  };
  const isLetters = cipher.kind === "letters" && symbols.every((symbol) => alphabet.includes(symbol));
  if (!isLetters) {
    const isFlat = kinds > letters || isEven(figures.coincidence);
    return { kind: isFlat ? "homophonic" : "substitution", ...figures, ...otherOrderOf(cipher) };
  }
  const bits = bitsOf(symbols, language);
  const own = Int32Array.from(symbols, (symbol) => language.symbols.indexOf(symbol)).filter((symbol) => symbol >= 0);
  if (likeness(language, [own]) >= READ) return { kind: "plain", ...figures, bits };
  const letterText = { ...cipher, sequences: [symbols] };
  const shift = bestShift(letterText, language);
  if (shift && isRead(shift)) {
    return { kind: shift.kind, key: shift.key, text: shift.plain.flat().join(""), ...figures, bits };
  }
  return { kind: unsolvedKind(symbols, figures, bits), ...figures, ...otherOrderOf(cipher), bits };
}

/** Longer texts are not looked at: it would take long, and their beginning can be. */
const MOST_ORDERED = 2000;

function otherOrderOf(cipher: CipherText): Pick<Identified, "order"> {
  const { width, count } = gridOf(cipher);
  if (cipher.spaces || count > MOST_ORDERED) return {};
  const symbols = cipher.sequences.flat();
  const numberOf = new Map([...new Set(symbols)].map((symbol, i) => [symbol, i]));
  const text = Int32Array.from(symbols, (symbol) => numberOf.get(symbol) as number);
  const { ranked, asWritten } = rankReadings(text, width, 1);
  const [best] = ranked;
  if (!standsOut(best, asWritten)) return {};
  return { order: { asWritten, reading: best.reading, repeats: best.repeats } };
}

function isEven({ cipher, language, even }: Identified["coincidence"]): boolean {
  return cipher < (language + even) / 2;
}

function unsolvedKind(
  symbols: readonly string[],
  figures: Pick<Identified, "coincidence" | "symbols" | "letters">,
  bits: { cipher: number; language: number },
): Identified["kind"] {
  if (!isEven(figures.coincidence)) {
    return bits.cipher <= bits.language + SAME_LETTERS ? "transposition" : "substitution";
  }
  if (symbols.length < FEWEST_PAIRS) return "substitution";
  let doubles = 0;
  for (let i = 0; i + 1 < symbols.length; i += 2) if (symbols[i] === symbols[i + 1]) doubles++;
  // A square of letters never writes a pair as twice the same, and has one letter less than the alphabet.
  const isPairs = symbols.length % 2 === 0 && doubles === 0 && figures.symbols < figures.letters;
  return isPairs ? "digraphs" : "polyalphabetic";
}

/** Bits a letter under single letters' frequencies: of these letters, and of the language. */
function bitsOf(symbols: readonly string[], { symbols: letters, ngram }: LanguageModel): Required<Identified>["bits"] {
  const rarest = Math.min(...ngram.unigram);
  let cipher = 0;
  for (const symbol of symbols) {
    const letter = letters.indexOf(symbol);
    cipher -= (letter >= 0 ? ngram.unigram[letter] : rarest) / Math.LN2;
  }
  let language = 0;
  for (const log of ngram.unigram) language -= (Math.exp(log) * log) / Math.LN2;
  return { cipher: cipher / symbols.length, language };
}
