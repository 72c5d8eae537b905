// A sentence as a tagger takes it: the columns of each word.

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
