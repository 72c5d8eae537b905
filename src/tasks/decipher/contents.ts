// What is in a language model.

import { counted, table } from "../../util/text.js";
import type { LanguageModel } from "./language.js";

export function contents({ symbols, ngram, options }: LanguageModel) {
  const commonest = [...symbols.all().keys()].sort((a, b) => ngram.unigram[b] - ngram.unigram[a]);
  return {
    /** The commonest first. */
    symbols: commonest.map((symbol) => symbols.nameOf(symbol)),
    contexts: ngram.space.table.start.length - 1,
    ngrams: ngram.weights.length,
    options,
  };
}

export function contentsText(model: LanguageModel, { bytes }: { bytes: number }): string {
  const { symbols, options, contexts, ngrams } = contents(model);
  const shown = symbols.slice(0, 20).map((symbol) => (symbol === " " ? "space" : symbol));
  const unit = options.level === "word" ? "words" : "letters";
  const spaces = options.level === "word" ? "" : options.spaces ? ", with spaces between words" : ", without spaces";
  return table(
    [
      ["model", `language model of ${unit}, ${counted(bytes)} bytes`],
      [unit, `${counted(symbols.length)}${spaces}: ${shown.join(" ")}${symbols.length > 20 ? " …" : ""}`],
      ["order", `${options.order}: ${counted(contexts)} contexts, ${counted(ngrams)} n-grams`],
      ["discount", String(options.discount)],
      ["smoothing", String(options.smoothing)],
    ],
    [0, 1],
  );
}
