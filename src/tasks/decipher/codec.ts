// A language model as tensors and metadata. Numbers keep their full precision, so that a cipher is solved alike with a
// model from a file and with one just made.
//   symbols            string table of the plain symbols
//   rows, ngrams       row table and tree of the suffixes; weights F64 [entries], offsets F64 [rows]
//   unigram            F64 [symbols]
// Letters also have, since version 0.2, the same with `other.` before each name (without spaces, if these have them), and
//   words              string table of the words that the letters make; word.counts I32 [words], the commonest first
// and, if pairs of words were counted, pairs.start I32 [words + 1], pairs.second and pairs.counts I32 [pairs]

import * as v from "valibot";
import { type NgramModel, ngramFamily } from "../../engine/ngram.js";
import { BEGIN } from "../../engine/trellis.js";
import { emptyParts, type FileParts, PartsReader, putJson, putStrings, putTable, putTree } from "../../model/parts.js";
import type { TensorFile } from "../../model/safetensors.js";
import type { Codec } from "../task.js";
import { LanguageModel, type LanguageOptions, ngramOptionsOf, readLanguageOptions, SPACE } from "./language.js";
import { folds } from "./letter.js";
import { WordList, type WordPairs } from "./word-list.js";

const optionsSchema = v.object({
  level: v.picklist(["word", "char"]),
  order: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)),
  discount: v.number(),
  smoothing: v.number(),
  spaces: v.boolean(),
  vocabulary: v.number(),
  fold: v.optional(v.picklist(folds)),
  alphabet: v.optional(v.string()),
});

function encodeLanguage(language: LanguageModel): FileParts {
  const parts = emptyParts();
  putJson(parts, "options", language.options);
  putStrings(parts, "symbols", language.symbols.all());
  putNgrams(parts, "", language.ngram);
  const other = language.withSpaces(!language.options.spaces);
  if (other && other !== language) putNgrams(parts, TWIN, other.ngram);
  if (language.words) {
    putStrings(parts, "words", language.words.words);
    parts.tensors["word.counts"] = { data: language.words.counts };
    putJson(parts, "wordTotal", language.words.total);
    for (const [name, data] of Object.entries(language.words.pairs ?? {})) parts.tensors[`pairs.${name}`] = { data };
  }
  return parts;
}

/** Stands before the names of the n-grams with spaces of a model without, and the other way round. */
const TWIN = "other.";

function putNgrams(parts: FileParts, prefix: string, { space, weights, unigram }: NgramModel): void {
  putTree(parts, `${prefix}ngrams`, space.families[0].tree);
  putTable(parts, `${prefix}rows`, space.table);
  parts.tensors[`${prefix}weights`] = { data: weights };
  parts.tensors[`${prefix}offsets`] = { data: space.offsets };
  parts.tensors[`${prefix}unigram`] = { data: unigram };
}

function decodeLanguage(content: TensorFile, file?: string): LanguageModel {
  const reader = new PartsReader(content, file);
  const given = reader.json("options", optionsSchema);
  return reader.guard(() => {
    const options = readLanguageOptions(given);
    const symbols = reader.alphabet("symbols");
    if (symbols.size === 0) throw reader.damaged("it has no symbols");
    const ngram = readNgrams(reader, "", symbols.size, options);
    if (options.level === "word") return new LanguageModel(symbols, ngram, options);
    const hasOther = reader.has(`${TWIN}unigram`);
    if (hasOther && options.spaces && symbols.indexOf(SPACE) !== symbols.size - 1) {
      throw reader.damaged("its last symbol is not the space");
    }
    // Read at once, so that a damaged file is refused when it is loaded.
    const other = hasOther ? readNgrams(reader, TWIN, symbols.size + (options.spaces ? -1 : 1), options) : undefined;
    return new LanguageModel(symbols, ngram, options, { words: readWords(reader), other: other && (() => other) });
  });
}

function readNgrams(reader: PartsReader, prefix: string, plainCount: number, options: LanguageOptions): NgramModel {
  const ngramOptions = ngramOptionsOf(options);
  const { order, ends } = ngramOptions;
  const symbolCount = plainCount + (ends ? 1 : 0);
  const table = reader.table(`${prefix}rows`, symbolCount);
  const rows = { from: 0, to: table.start.length - 1, needed: false };
  const tree = reader.tree(`${prefix}ngrams`, rows, (depth) => (depth < order ? [BEGIN, plainCount] : undefined));
  const space = {
    table,
    families: [ngramFamily(tree, order)],
    offsets: reader.floats(`${prefix}offsets`, table.start.length - 1),
  };
  const weights = reader.floats(`${prefix}weights`, table.symbols.length);
  const unigram = reader.floats(`${prefix}unigram`, symbolCount);
  return { options: ngramOptions, symbolCount, unigram, space, weights };
}

function readWords(reader: PartsReader): WordList | undefined {
  if (!reader.has("word.counts")) return undefined;
  const words = reader.strings("words");
  const counts = reader.integers("word.counts");
  if (counts.length !== words.length) throw reader.damaged("words and their counts do not agree");
  const total = reader.json("wordTotal", v.number());
  let sum = 0;
  for (const count of counts) {
    if (count < 1) throw reader.damaged("a word has no count");
    sum += count;
  }
  if (!(total >= sum)) throw reader.damaged("words come more often than all of them together");
  return new WordList(words, counts, total, readPairs(reader, counts));
}

function readPairs(reader: PartsReader, words: Int32Array): WordPairs | undefined {
  if (!reader.has("pairs.start")) return undefined;
  const start = reader.integers("pairs.start");
  const second = reader.integers("pairs.second");
  const counts = reader.integers("pairs.counts");
  const isWhole = start.length === words.length + 1 && start[0] === 0 && start[words.length] === second.length;
  if (!isWhole || counts.length !== second.length) throw reader.damaged("pairs of words and their counts do not agree");
  for (let v = 0; v < words.length; v++) {
    if (start[v + 1] < start[v]) throw reader.damaged("pairs of words are out of order");
    let sum = 0;
    for (let p = start[v]; p < start[v + 1]; p++) {
      if (second[p] < 0 || second[p] >= words.length || (p > start[v] && second[p] <= second[p - 1])) {
        throw reader.damaged("a pair of words has no second one");
      }
      if (counts[p] < 1) throw reader.damaged("a pair of words has no count");
      sum += counts[p];
    }
    if (sum > words[v]) throw reader.damaged("pairs of words come more often than their first one");
  }
  return { start, second, counts };
}

export const languageCodec: Codec<LanguageModel> = { kind: "language", encode: encodeLanguage, decode: decodeLanguage };
