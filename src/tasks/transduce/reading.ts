// How a transducer's data is read, and what it was told or found out: kept in the model's note as `input`.

import type { Lines } from "../../formats/line-blocks.js";
import {
  kindsOf,
  layoutOf,
  type PairLayout,
  pairFormats,
  type SymbolPair,
  splitSymbols,
  symbolKinds,
} from "../../formats/pair-lines.js";
import { parsePairs } from "../../formats/pairs.js";
import { tokensOf } from "../../formats/raw-text.js";
import type { ReviewItem } from "../../formats/review-item.js";
import { InputError } from "../../util/errors.js";
import { choice, flag, numbers, whole } from "../../util/options.js";
import type { InputUse } from "../task.js";
import type { Transducer } from "./transducer.js";

export const reading = {
  format: choice("format of the pairs", pairFormats, { value: "format" }),
  input: choice("symbols of the input side", symbolKinds, { value: "kind" }),
  output: choice("symbols of the output side", symbolKinds, { value: "kind" }),
  columns: numbers("tsv: the columns of input and output", { least: 1, most: 999_999, otherwise: "1,2" }),
  attributes: whole("tsv: the column of attributes of the whole input; 0: none", {
    least: 0,
    most: 999_999,
    value: "column",
    otherwise: "the third, if its values repeat",
  }),
  reverse: flag("learn the other direction: outputs to inputs"),
  stress: flag("cmudict: keep the stress of vowels", { usual: true, off: "cmudict: drop the stress of vowels" }),
};

/** The pairs of several sources; the layout of the first is put into `given` and holds for all. */
export async function* readGiven(
  sources: Iterable<Lines>,
  given: Record<string, unknown> & Partial<PairLayout>,
): AsyncGenerator<SymbolPair> {
  if (given.columns !== undefined && given.columns.length !== 2) {
    throw new InputError("option `columns` takes two columns, such as 2,3");
  }
  for (const lines of sources) {
    yield* parsePairs(lines, { ...given, onLayout: (layout) => Object.assign(given, layout) });
  }
}

/** An input, with an output if the data has one. */
export async function* readInputs(
  transducer: Transducer,
  lines: Lines,
  { answers, mayBeEmpty, asked }: InputUse,
): AsyncGenerator<SymbolPair> {
  if (asked.text) {
    yield* readWords(transducer, lines);
    return;
  }
  yield* parsePairs(lines, { ...layoutOf(transducer), mayBeEmpty, inputsOnly: answers === "ignored" });
}

/**
 * The words of running text, one after the other; what holds no letter and no digit is no word. A capital that the model has not seen
 * begins a sentence or a name: it is read as the small letter, if the model knows that.
 */
async function* readWords(transducer: Transducer, { file, blocks }: Lines): AsyncGenerator<SymbolPair> {
  const { read } = kindsOf(layoutOf(transducer));
  const { inputSymbols } = transducer;
  const knows = (symbol: string): boolean => inputSymbols.indexOf(symbol) >= 0;
  const asSeen = (symbol: string): string =>
    !knows(symbol) && knows(symbol.toLowerCase()) ? symbol.toLowerCase() : symbol;
  for await (const { lines } of blocks) {
    for (const line of lines) {
      for (const { text } of tokensOf(line, 0)) {
        if (/[\p{L}\p{N}]/u.test(text)) yield { input: splitSymbols(text, read).map(asSeen), output: [], text, file };
      }
    }
  }
}

/** What the answer of a review writes. */
export function writtenSymbols({ answer, candidates }: ReviewItem, given: object): string[] {
  // Spaces that the model wrote are part of its output; those at the ends of what was typed are not.
  const isChosen = candidates.some(({ text }) => text === answer);
  return splitSymbols(isChosen ? answer : answer.trim(), kindsOf(given as PairLayout).written);
}
