// Cipher text as symbols, and back: what is not enciphered (line ends, punctuation) is kept aside, so that a solution is
// printed in the shape of the cipher. Kinds of symbols:
//   words        everything between spaces; a line is a sequence
//   numbers      the same, but the symbols are letters and the whole text is one sequence
//   letters      letters in any case; spaces part words and are known, everything else stays as it is
//   characters   every character but spaces and line ends, which mean nothing

import { isLetter, SPACE, wordsOf } from "./language.js";

export type CipherKind = "words" | "numbers" | "letters" | "characters";

export interface CipherText {
  kind: CipherKind;
  /** Symbols in order; a space between words is `SPACE`. */
  sequences: string[][];
  /** Whether spaces between words are symbols. */
  spaces: boolean;
  /**
   * The text again, with other symbols in place of its own, [sequence][position]. `dress` may change how a symbol looks,
   * knowing its number in the whole text.
   */
  render(symbols: readonly (readonly string[])[], dress?: (symbol: string, number: number) => string): string;
}

/** Longest sequence of letters: longer ones are cut, to bound memory; a cut loses a few symbols of context. */
const LONGEST = 1000;

const asIs = (symbol: string): string => symbol;

/** Reads cipher text. For letters the kind is found out from the text if none is given. */
export function readCipher(text: string, level: "word" | "char", kind?: CipherKind): CipherText {
  const lines = text.split(/\r?\n/);
  if (level === "word") {
    const sequences = lines.map(wordsOf);
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
  const found = kind ?? kindOf(text);
  if (found === "numbers") return flatText("numbers", lines.map(wordsOf));
  if (found === "characters") {
    return flatText(
      "characters",
      lines.map((line) => [...line].filter((c) => !/\s/u.test(c))),
    );
  }
  return letterText(text);
}

/** Numbers, if there is nothing else; letters, if there is hardly anything else; else every character counts. */
export function kindOf(text: string): CipherKind {
  const words = wordsOf(text);
  if (words.length > 0 && words.every((word) => /^\d+$/.test(word))) return "numbers";
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
    if (c !== c.toLowerCase()) upper.add(c.toLowerCase());
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

/** Letters and the spaces between words; pieces are places in the sequence, or text that stays. */
function letterText(text: string): CipherText {
  const symbols: string[] = [];
  const pieces: (string | { at: number; capital: boolean })[] = [];
  const hasSpaces = /\p{L}[^\p{L}]*\s[^\p{L}]*\p{L}/u.test(text.replace(/[\r\n]+/g, ""));
  let pending = false;
  let allCapitals = true;
  for (const c of text) {
    if (isLetter(c)) {
      const capital = c !== c.toLowerCase();
      if (!capital) allCapitals = false;
      if (pending && symbols.length > 0) symbols.push(SPACE);
      pending = false;
      pieces.push({ at: symbols.length, capital });
      symbols.push(c.toLowerCase());
    } else {
      if (hasSpaces && /\s/u.test(c)) pending = true;
      pieces.push(c);
    }
  }
  return {
    kind: "letters",
    sequences: cut(symbols),
    spaces: hasSpaces,
    render(plain, dress = asIs) {
      const all = plain.flat();
      return pieces
        .map((piece) => {
          if (typeof piece === "string") return piece;
          const symbol = all[piece.at];
          return dress(piece.capital && !allCapitals ? symbol.toUpperCase() : symbol, piece.at);
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
