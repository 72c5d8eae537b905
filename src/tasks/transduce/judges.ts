// Pairs of the user's to choose by (`dev`): they follow those to learn from in one corpus, and are never learned from.

import type { SymbolPair } from "../../formats/pair-lines.js";
import type { Part } from "../../learn/held-out.js";
import { InputError } from "../../util/errors.js";
import { marksOf } from "./attributes.js";
import { END, START } from "./emits.js";
import { checkPair, type PairCorpus, PairCorpusBuilder } from "./pairs.js";
import { type CutCorpus, cut, type Kinds } from "./symbols.js";

/**
 * The pairs to choose by, in symbols of the training pairs. Those with outputs that a model of these can never write are left
 * out: they are wrong whatever is chosen.
 */
export async function readJudges(
  pairs: Iterable<SymbolPair> | AsyncIterable<SymbolPair>,
  { inputSymbols, outputSymbols, marks }: CutCorpus,
  kinds: Kinds,
  edges: boolean,
): Promise<PairCorpus> {
  const builder = new PairCorpusBuilder(inputSymbols, outputSymbols, marks, false);
  for await (const pair of pairs) {
    checkPair(pair);
    const symbols = cut(pair.input, kinds.input);
    const input = (edges ? [START, ...symbols, END] : symbols).map((name) => {
      const symbol = inputSymbols.indexOf(name);
      return symbol < 0 ? inputSymbols.size : symbol;
    });
    const output = cut(pair.output, kinds.output).map((name) => outputSymbols.indexOf(name));
    if (!output.includes(-1)) builder.addNumbers(input, marksOf(pair.attributes, marks, false), output, 1);
  }
  if (builder.inputCount > 0) return builder.build();
  throw new InputError("option `dev` has no usable pairs", {
    hint: "their outputs must be made of symbols that the training pairs have",
  });
}

/** The inputs of two corpora, one after the other: those to learn from, those to judge by. */
export function partOf(own: PairCorpus, judges: PairCorpus): Part {
  const numbers = (first: number, count: number): Int32Array => Int32Array.from({ length: count }, (_, i) => first + i);
  return { training: numbers(0, own.inputCount), heldOut: numbers(own.inputCount, judges.inputCount) };
}
