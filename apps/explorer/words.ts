// Text as models take it: the columns of each word for a tagger, letters that a transducer knows.

import { sentencesOf } from "../../src/formats/raw-text.js";

/**
 * [sentence][word][column] Text of one column is cut as `predict --text` cuts it; with further columns, which are joined by “/”, words
 * stand between spaces and are one sentence.
 */
export function sentencesIn(text: string, width: number): string[][][] {
  if (width === 1) return Array.from(sentencesOf(text), (tokens) => tokens.map((token) => [token.text]));
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return [];
  return [
    words.map((word) => {
      const parts = word.split("/");
      const first = parts.slice(0, Math.max(1, parts.length - width + 1)).join("/");
      const others = parts.slice(Math.max(1, parts.length - width + 1));
      return [first, ...others, ...new Array<string>(Math.max(0, width - 1 - others.length)).fill("_")];
    }),
  ];
}

/** Symbols as they are written, but in the other case where the model knows them in that alone. */
export function foldCase(symbols: readonly string[], isKnown: (symbol: string) => boolean): string[] {
  return symbols.map((symbol) => {
    if (isKnown(symbol)) return symbol;
    return [symbol.toLowerCase(), symbol.toUpperCase()].find(isKnown) ?? symbol;
  });
}
