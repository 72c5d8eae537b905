// Cipher text as symbols, and back: what is not enciphered (line ends, punctuation) is kept aside, so that a solution is
// printed in the shape of the cipher. Kinds of symbols:
//   words        everything between spaces; a line is a sequence
//   numbers      the same, but the symbols are letters and the whole text is one sequence
//                (numbers may also be parted by a sign, always the same: 27,40,7 or 27-40-7)
//   letters      letters in any case; spaces part words and are known, everything else stays as it is
//   characters   every character but spaces and line ends, which mean nothing unless they are said to part words
// Letters in groups of equal length (XKJDW QPLRA ZZ) are written so to hide the words: their spaces mean nothing.

import { checkNames } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { SPACE, wordsOf } from "./language.js";
import { capitalOf, isLetter, smallOf } from "./letter.js";
import type { Grid } from "./readings.js";

export type CipherKind = "words" | "numbers" | "letters" | "characters";

/**
 * Spaces between words: they stand in the cipher text; what spaces it has mean nothing; or a cipher symbol stands for them.
 */
export const spacesChoices = ["known", "unknown", "enciphered"] as const;
export type Spaces = (typeof spacesChoices)[number];

export interface CipherText {
  kind: CipherKind;
  /** Symbols in order; a space between words is `SPACE`. */
  sequences: string[][];
  /** Whether the spaces between words are known, and symbols. */
  spaces: boolean;
  /** Length of the groups that letters stand in, if they do and their spaces were therefore taken to mean nothing. */
  groups?: number;
  /**
   * The text with other symbols instead of its own, [sequence][position]. `dress` may change how a symbol is written; it gets the
   * symbol's number in the whole text.
   */
  render(symbols: readonly (readonly string[])[], dress?: (symbol: string, number: number) => string): string;
}

export interface CipherReading {
  /** Detected from the text if not given. */
  kind?: CipherKind;
  /** If not given: `known` for letters, unless they are written in groups; otherwise `unknown`. */
  spaces?: Spaces;
}

/** Longest sequence of letters: longer ones are cut, to bound memory; a cut loses a few symbols of context. */
const LONGEST = 1000;

const asIs = (symbol: string): string => symbol;

/** Reads cipher text. */
export function readCipher(text: string, level: "word" | "char", given: CipherReading = {}): CipherText {
  checkNames(given, ["kind", "spaces"]);
  const lines = text.split(/\r?\n/);
  if (level === "word") {
    const sequences = lines.map(symbolsBetween(text));
    return {
      kind: "words",
      sequences,
      spaces: false,
      render(symbols, dress = asIs) {
        let at = 0;
        return symbols.map((line) => line.map((symbol) => dress(symbol, at++)).join(" ")).join("\n");
      },
    };
  }
  const kind = given.kind ?? kindOf(text);
  if (kind === "numbers") {
    if (given.spaces === "known") {
      throw new InputError("spaces separate numbers, so they cannot separate words too", {
        hint: 'if a number stands for the space, give option `spaces` the value "enciphered"',
      });
    }
    return flatText("numbers", lines.map(symbolsBetween(text)));
  }
  if (kind === "letters") {
    const groups = given.spaces === undefined ? groupsOf(text) : undefined;
    const spaces = given.spaces === undefined ? groups === undefined && partsWords(text) : given.spaces === "known";
    return { ...markedText("letters", text, isLetter, spaces), groups };
  }
  const isSymbol = (c: string): boolean => !/\s/u.test(c);
  if (given.spaces === "known") return markedText("characters", text, isSymbol, true);
  return flatText(
    "characters",
    lines.map((line) => [...line].filter(isSymbol)),
  );
}

/** The width of the lines that a text without known spaces stands in, if all but the last are as long; or all of it as one. */
export function gridOf(cipher: CipherText): Grid {
  const count = cipher.sequences.flat().length;
  const lengths = cipher
    .render(
      cipher.sequences.map((sequence) => sequence.map(() => "x")),
      () => MARK,
    )
    .split(/\r?\n/)
    .map((line) => line.split(MARK).length - 1)
    .filter((length) => length > 0);
  const last = lengths.at(-1) ?? 0;
  const [width = count] = lengths;
  const isGrid = lengths.slice(0, -1).every((length) => length === width) && last <= width;
  return { width: isGrid ? width : count, count };
}

/** Stands for a symbol where only their number matters. */
const MARK = "\u0000";

/** A text without known spaces in the order of a reading, in lines as long as those it stands in. */
export function reordered(cipher: CipherText, order: Int32Array, width: number): CipherText {
  const symbols = cipher.sequences.flat();
  const lines: string[][] = [];
  for (let at = 0; at < order.length; at += width) {
    lines.push(Array.from(order.subarray(at, at + width), (place) => symbols[place]));
  }
  return flatText(cipher.kind, lines);
}

/** Groups of letters that tell nothing else: fewer or shorter ones of the same length may be words. */
const FEWEST_GROUPS = 5;
const SHORTEST_GROUP = 4;

/** The length of all groups of letters but the last, which may be shorter, if it is the same. */
function groupsOf(text: string): number | undefined {
  const lengths = wordsOf(text)
    .map((word) => [...word].filter(isLetter).length)
    .filter((length) => length > 0);
  const last = lengths.pop();
  if (last === undefined || lengths.length + 1 < FEWEST_GROUPS) return undefined;
  return lengths[0] >= SHORTEST_GROUP && last <= lengths[0] && lengths.every((length) => length === lengths[0])
    ? lengths[0]
    : undefined;
}

/** Whether there are spaces between letters; line ends alone may be those of any line. */
function partsWords(text: string): boolean {
  const between = text
    .replace(/[\r\n]+/g, "")
    .split(/\p{L}+/u)
    .slice(1, -1);
  return between.some((gap) => /\s/.test(gap));
}

/** Signs that part numbers. */
const PARTING = ",;.:/|-–—";

/** The sign that parts the numbers of a text that has nothing else, if it is always the same one. */
function partingSign(text: string): string | undefined {
  const signs = new Set(text.replace(/[\d\s]+/g, ""));
  const [sign] = signs;
  if (signs.size !== 1 || !PARTING.includes(sign)) return undefined;
  // Two in a row, or one that a number begins with, would be symbols themselves.
  const parts = text.split(sign);
  const isParting = (part: string, i: number): boolean =>
    i === 0 || (/\d/.test(parts[i - 1]) && !(/\s$/.test(parts[i - 1]) && /^\d/.test(part)));
  return parts.every(isParting) ? sign : undefined;
}

/** How to cut a line of this text into what stands between spaces, and between signs that part its numbers. */
function symbolsBetween(text: string): (line: string) => string[] {
  const sign = partingSign(text);
  return sign === undefined ? wordsOf : (line) => wordsOf(line.replaceAll(sign, " "));
}

/** More different numbers than this may stand for words as well as for letters, and so many are too many for letters. */
const MOST_LETTER_NUMBERS = 120;
const MOST_HOMOPHONES = 400;

/** What may be enciphered, the likelier first: numbers stand for words, if there are too many different ones for letters. */
export function levelsOf(text: string): ("word" | "char")[] {
  if (kindOf(text) !== "numbers") return ["char"];
  const kinds = new Set(symbolsBetween(text)(text)).size;
  if (kinds <= MOST_LETTER_NUMBERS) return ["char"];
  return kinds <= MOST_HOMOPHONES ? ["char", "word"] : ["word"];
}

/** Numbers, if there is nothing else; letters, if there is hardly anything else; else every character counts. */
export function kindOf(text: string): CipherKind {
  const words = wordsOf(text);
  if (words.length > 0 && words.every((word) => /^\d+$/.test(word))) return "numbers";
  if (partingSign(text) !== undefined) return "numbers";
  let letters = 0;
  let others = 0;
  const upper = new Set<string>();
  const lower = new Set<string>();
  for (const c of words.join("")) {
    if (!isLetter(c)) {
      others++;
      continue;
    }
    letters++;
    if (c !== smallOf(c)) upper.add(smallOf(c));
    else lower.add(c);
  }
  // A cipher that uses both cases as different symbols has no more of one than of the other; text has few capitals.
  const bothCases = upper.size > 12 && lower.size > 12 && !/\s/.test(text.trim().split("\n")[0]);
  return letters > 0 && others <= 0.2 * letters && !bothCases ? "letters" : "characters";
}

/** Lines without meaning of their own: one sequence, printed in the same lines. */
function flatText(kind: CipherKind, lines: string[][]): CipherText {
  return {
    kind,
    sequences: cut(lines.flat()),
    spaces: false,
    render(symbols, dress = asIs) {
      const all = symbols.flat();
      let at = 0;
      return lines.map((line) => line.map(() => dress(all[at], at++)).join("")).join("\n");
    },
  };
}

/** Symbols and the spaces between words; pieces are places in the sequence, or text that stays. */
function markedText(
  kind: CipherKind,
  text: string,
  isSymbol: (character: string) => boolean,
  spaces: boolean,
): CipherText {
  const symbols: string[] = [];
  const pieces: (string | { at: number; capital: boolean })[] = [];
  const small = kind === "letters" ? smallOf : asIs;
  let pending = false;
  let allCapitals = true;
  for (const c of text) {
    if (isSymbol(c)) {
      const capital = c !== small(c);
      if (!capital) allCapitals = false;
      if (pending && symbols.length > 0) symbols.push(SPACE);
      pending = false;
      pieces.push({ at: symbols.length, capital });
      symbols.push(small(c));
    } else {
      if (spaces && /\s/u.test(c)) pending = true;
      pieces.push(c);
    }
  }
  return {
    kind,
    sequences: cut(symbols),
    spaces,
    render(plain, dress = asIs) {
      const all = plain.flat();
      return pieces
        .map((piece) => {
          if (typeof piece === "string") return piece;
          const symbol = all[piece.at];
          return dress(piece.capital && !allCapitals ? (capitalOf(symbol) ?? symbol) : symbol, piece.at);
        })
        .join("");
    },
  };
}

function cut(symbols: string[]): string[][] {
  const sequences: string[][] = [];
  const parts = Math.max(1, Math.ceil(symbols.length / LONGEST));
  for (let p = 0; p < parts; p++) {
    sequences.push(
      symbols.slice(Math.floor((p * symbols.length) / parts), Math.floor(((p + 1) * symbols.length) / parts)),
    );
  }
  return sequences;
}
