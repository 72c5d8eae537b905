// What `stargram inspect` shows of a language model.

import type { LanguageModel } from "../tasks/decipher/language.js";
import { counted, table } from "../util/text.js";

export function languageContents(model: LanguageModel, path: string, bytes: number) {
  const { symbols, ngram, options } = model;
  const commonest = [...symbols.all().keys()].sort((a, b) => ngram.unigram[b] - ngram.unigram[a]);
  return {
    model: path,
    kind: "language",
    bytes,
    /** The commonest first. */
    symbols: commonest.map((symbol) => symbols.nameOf(symbol)),
    contexts: ngram.space.table.start.length - 1,
    ngrams: ngram.weights.length,
    options,
  };
}

export function languageContentsText(contents: ReturnType<typeof languageContents>): string {
  const { symbols, options } = contents;
  const shown = symbols.slice(0, 20).map((symbol) => (symbol === " " ? "space" : symbol));
  const unit = options.level === "word" ? "words" : "letters";
  const spaces = options.level === "word" ? "" : options.spaces ? ", with spaces between words" : ", without spaces";
  return table(
    [
      ["model", `language model of ${unit}, ${counted(contents.bytes)} bytes`],
      [unit, `${counted(symbols.length)}${spaces}: ${shown.join(" ")}${symbols.length > 20 ? " …" : ""}`],
      ["order", `${options.order}: ${counted(contents.contexts)} contexts, ${counted(contents.ngrams)} n-grams`],
      ["discount", String(options.discount)],
      ["smoothing", String(options.smoothing)],
    ],
    [0, 1],
  );
}
