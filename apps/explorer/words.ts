// Text as models take it: the columns of each word for a tagger, letters that a transducer knows.

/** Words between spaces; marks at their end or beginning are words of their own, unless there are further columns. */
export function columnsOf(text: string, width: number): string[][] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (width > 1) {
    return words.map((word) => {
      const parts = word.split("/");
      const first = parts.slice(0, Math.max(1, parts.length - width + 1)).join("/");
      const others = parts.slice(Math.max(1, parts.length - width + 1));
      return [first, ...others, ...new Array<string>(Math.max(0, width - 1 - others.length)).fill("_")];
    });
  }
  return words
    .flatMap((word) => word.match(/^["'(`]+(?=.)|[.,;:!?")]+$|.+?(?=[.,;:!?")]+$)|.+/g) ?? [word])
    .map((word) => [word]);
}

/** Symbols as they are written, but in the other case where the model knows them in that alone. */
export function foldCase(symbols: readonly string[], isKnown: (symbol: string) => boolean): string[] {
  return symbols.map((symbol) => {
    if (isKnown(symbol)) return symbol;
    return [symbol.toLowerCase(), symbol.toUpperCase()].find(isKnown) ?? symbol;
  });
}
