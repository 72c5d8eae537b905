// Morse code without pauses: which letters a run of dots and dashes can be. `...---...` is `sos`, but also `vms` and `eeettteee`;
// which of them is meant, only the letters before can tell.

import { type SlotGraph, slotGraph } from "stargram/engine";

/** The international code, letter by letter from a to z (ITU-R M.1677-1). */
export const codes =
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(
    " ",
  );

/** The symbols are the letters a to z, 0 to 25, and the end of the word. */
export const END = codes.length;
export const symbolCount = END + 1;

const FIRST_LETTER = "a".charCodeAt(0);

export function symbolsOf(word: string): number[] {
  return [...[...word].map((letter) => letter.charCodeAt(0) - FIRST_LETTER), END];
}

export function wordOf(symbols: readonly number[]): string {
  return symbols
    .filter((symbol) => symbol !== END)
    .map((symbol) => String.fromCharCode(FIRST_LETTER + symbol))
    .join("");
}

export function signsOf(word: string): string {
  return symbolsOf(word)
    .map((symbol) => codes[symbol] ?? "")
    .join("");
}

/** Slot i stands before sign i. A letter leads past the signs of its code; after the last sign the word ends. */
export function graphOf(signs: string): SlotGraph {
  const branches = Array.from(signs, (_, slot) =>
    codes.flatMap((code, symbol) =>
      signs.startsWith(code, slot) ? [{ first: symbol, end: symbol + 1, next: slot + code.length }] : [],
    ),
  );
  return slotGraph(symbolCount, [...branches, [{ first: END, end: END + 1, next: signs.length + 1 }]]);
}
