// A language model as tensors and metadata. Numbers keep their full precision, so that a cipher is solved alike with a
// model from a file and with one just made.
//   symbols            string table of the plain symbols
//   rows, ngrams       row table and tree of the suffixes; weights F64 [entries], offsets F64 [rows]
//   unigram            F64 [symbols]

import * as v from "valibot";
import { ngramFamily } from "../../engine/ngram.js";
import { BEGIN } from "../../engine/trellis.js";
import { emptyParts, type FileParts, PartsReader, putJson, putStrings, putTable, putTree } from "../../model/parts.js";
import type { TensorFile } from "../../model/safetensors.js";
import type { Codec } from "../task.js";
import { LanguageModel, readLanguageOptions } from "./language.js";

const optionsSchema = v.object({
  level: v.picklist(["word", "char"]),
  order: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)),
  discount: v.number(),
  smoothing: v.number(),
  spaces: v.boolean(),
  vocabulary: v.number(),
});

function encodeLanguage(language: LanguageModel): FileParts {
  const { space, weights, unigram } = language.ngram;
  const parts = emptyParts();
  putJson(parts, "options", language.options);
  putStrings(parts, "symbols", language.symbols.all());
  putTree(parts, "ngrams", space.families[0].tree);
  putTable(parts, "rows", space.table);
  parts.tensors.weights = { data: weights };
  parts.tensors.offsets = { data: space.offsets };
  parts.tensors.unigram = { data: unigram };
  return parts;
}

function decodeLanguage(content: TensorFile, file?: string): LanguageModel {
  const reader = new PartsReader(content, file);
  const given = reader.json("options", optionsSchema);
  return reader.guard(() => {
    const options = readLanguageOptions(given);
    const { order, discount, smoothing, level } = options;
    const symbols = reader.alphabet("symbols");
    if (symbols.size === 0) throw reader.damaged("it has no symbols");
    const ends = level === "word";
    const symbolCount = symbols.size + (ends ? 1 : 0);
    const table = reader.table("rows", symbolCount);
    const rows = { from: 0, to: table.start.length - 1, needed: false };
    const tree = reader.tree("ngrams", rows, (depth) => (depth < order ? [BEGIN, symbols.size] : undefined));
    const space = {
      table,
      families: [ngramFamily(tree, order)],
      offsets: reader.floats("offsets", table.start.length - 1),
    };
    const weights = reader.floats("weights", table.symbols.length);
    const unigram = reader.floats("unigram", symbolCount);
    const ngram = { options: { order, discount, smoothing, ends }, symbolCount, unigram, space, weights };
    return new LanguageModel(symbols, ngram, options);
  });
}

export const languageCodec: Codec<LanguageModel> = { kind: "language", encode: encodeLanguage, decode: decodeLanguage };
