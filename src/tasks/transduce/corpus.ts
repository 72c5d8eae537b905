// The pairs that a transducer learns from, as numbers: checked, and cut as a transducer that goes on cuts them.

import type { Alphabet } from "../../engine/alphabet.js";
import type { SymbolPair } from "../../formats/pair-lines.js";
import { InputError } from "../../util/errors.js";
import { END, START } from "./emits.js";
import { checkPair, type PairCorpus, type PairCorpusBuilder } from "./pairs.js";
import { cut, wholeKinds } from "./symbols.js";
import type { Transducer } from "./transducer.js";

export async function readCorpus(
  pairs: Iterable<SymbolPair> | AsyncIterable<SymbolPair>,
  builder: PairCorpusBuilder,
  from: Transducer | undefined,
): Promise<PairCorpus> {
  const kinds = from?.options ?? wholeKinds;
  for await (const pair of pairs) {
    checkPair(pair);
    const cutInput = cut(pair.input, kinds.input);
    const input = from && from.options.edgeEmit > 0 ? [START, ...cutInput, END] : cutInput;
    const symbols = { input, output: cut(pair.output, kinds.output), attributes: pair.attributes };
    if (from) checkKnown(from, { ...pair, ...symbols });
    builder.add(symbols);
  }
  if (builder.inputCount === 0) throw new InputError("there are no pairs to learn from");
  return builder.build();
}

/** Refuses a pair with symbols that a transducer has no features for. */
function checkKnown(from: Transducer, pair: SymbolPair): void {
  const isNew = (known: Alphabet) => (symbol: string) => known.indexOf(symbol) < 0;
  const found = pair.input.find(isNew(from.inputSymbols)) ?? pair.output.find(isNew(from.outputSymbols));
  if (found === undefined) return;
  throw new InputError(`the model does not know the symbol ${JSON.stringify(found)}`, {
    ...pair,
    hint: "train again on all pairs to learn new symbols",
  });
}
