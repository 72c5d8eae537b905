// A tagger as tensors and metadata. Rows are numbered anew: first a row for each saved attribute, in the order of the
// attributes, which is that of their hashes, then those of the label n-grams, then those of the conjoined attributes. Attribute weights that are zero
// add nothing to a score, so they are not saved, nor attributes that have no other.
//   labels, attributes, conjoined   string tables; dataLabels, where labels were learned in another scheme than the data's
//   lexicon, lexiconClasses         entries of all lexicons and their classes (lexicon.class)
//   vectorWords, vectors            words with vectors, and these, F32 [words][dimension]
//   rows                            the row table; weights F32 beside it
//   encoder                         the network, if there is one (src/model/encoder.ts); encoder.inputs I32: what each attribute is to it
//   ngrams, conjunctions            row trees: label n-grams; conjoined attributes

import * as v from "valibot";
import { byHash } from "../../engine/alphabet.js";
import { plainArrays } from "../../engine/backend.js";
import { type RowTable, RowTableBuilder, type RowTree } from "../../engine/rows.js";
import { BEGIN } from "../../engine/trellis.js";
import {
  countSchema,
  emptyParts,
  type FileParts,
  PartsReader,
  putJson,
  putNames,
  putStrings,
  putTable,
  putTree,
} from "../../model/parts.js";
import type { TensorFile } from "../../model/safetensors.js";
import { putTrained, readTrained } from "../../model/trained.js";
import { Numbers } from "../../util/numbers.js";
import type { Codec } from "../task.js";
import { putAttributeEncoder, readAttributeEncoder } from "./encoder.js";
import { labelParts, NO_PARTS } from "./label-parts.js";
import { putLexicons, readLexicons } from "./lexicon.js";
import { taggerOptions } from "./options.js";
import { canLearn, learnedSchemes, schemes } from "./scheme.js";
import { Tagger } from "./tagger.js";
import { putVectors, readStoredVectors, vectorRows } from "./vectors.js";

const sourceSchema = v.variant("kind", [
  v.object({ kind: v.literal("text"), version: v.optional(v.picklist([1, 2])) }),
  v.object({ kind: v.literal("chunking") }),
  v.object({ kind: v.literal("given") }),
  v.object({ kind: v.literal("function") }),
  v.object({ kind: v.literal("template"), text: v.string() }),
]);

const translationSchema = v.object({ data: v.picklist(schemes), learned: v.picklist(learnedSchemes) });

const summary = { sequences: countSchema, positions: countSchema };

/** The layout of taggers with parts of labels, whose symbols come after the labels and the end, or shortlists. */
const WITH_LISTS = 3;
/** That of taggers with a network. */
const WITH_ENCODER = 4;
const WITH_VECTORS = 4;

/** No data supports n-grams longer than this; the limit keeps a hostile file from asking for endless walks. */
const MAX_ORDER = 10_000;

function encodeTagger(tagger: Tagger): FileParts {
  const { rows, weights } = tagger;
  const old = rows.table;
  const table = new RowTableBuilder(old.symbolCount + (rows.parts?.names.length ?? 0));
  const kept = new Numbers(plainArrays.float64); // weights, entry by entry of the new table
  const attributes = new Numbers(plainArrays.int32);
  const inputs: number[] = [];
  // In the order in which a reader finds them without preparation.
  for (const id of byHash(tagger.attributes)) {
    const row = rows.attributeRow?.[id] ?? id;
    const input = tagger.encoder?.inputs[id] ?? -1;
    const symbols: number[] = [];
    for (let e = old.start[row]; e < old.start[row + 1]; e++) {
      if (weights[e] === 0) continue;
      symbols.push(old.symbols[e]);
      kept.push(weights[e]);
    }
    if (symbols.length === 0 && input < 0) continue;
    inputs.push(input);
    table.add(symbols);
    attributes.push(id);
  }
  const moved = (tree: RowTree): RowTree => ({
    ...tree,
    row: tree.row.map((row) => {
      if (row < 0) return -1;
      for (let e = old.start[row]; e < old.start[row + 1]; e++) kept.push(weights[e]);
      return table.add(old.symbols.subarray(old.start[row], old.start[row + 1]));
    }),
  });
  const parts = emptyParts();
  // Versions that know no lexicons would not see what the model was told of words.
  if (rows.parts || tagger.options.shortlist > 0 || tagger.lexicons.length > 0) parts.version = WITH_LISTS;
  if (tagger.encoder) {
    parts.version = WITH_ENCODER;
    putAttributeEncoder(parts, tagger.encoder, inputs);
  }
  if (tagger.vectors) parts.version = WITH_VECTORS;
  putTrained(parts, tagger);
  putJson(parts, "source", tagger.source);
  // Versions that know nothing of schemes answer in the learned one.
  putStrings(parts, "labels", tagger.symbols.all());
  if (tagger.translation) {
    putJson(parts, "scheme", tagger.translation);
    putStrings(parts, "dataLabels", tagger.labels.all());
  }
  putNames(parts, "attributes", tagger.attributes, attributes.taken());
  putLexicons(parts, tagger.lexicons);
  putVectors(parts, tagger.vectors);
  putJson(parts, "attributeOrder", "hash");
  putNames(parts, "conjoined", tagger.conjoined);
  putTree(parts, "ngrams", moved(rows.labelTree));
  if (rows.conjoinedTree) putTree(parts, "conjunctions", moved(rows.conjoinedTree));
  putTable(parts, "rows", table.build());
  parts.tensors.weights = { data: new Float32Array(kept.taken()) };
  return parts;
}

function decodeTagger(content: TensorFile, file?: string): Tagger {
  const reader = new PartsReader(content, file);
  const trained = readTrained(reader, taggerOptions, {
    instead: {
      l2: 0,
      heldOut: 0.1,
      select: "likelihood",
      scheme: "data",
      labelParts: NO_PARTS,
      shortlist: 0,
      unseen: false,
      margin: 0,
      classes: false,
    },
    summary,
  });
  const source = reader.json("source", sourceSchema);
  return reader.guard(() => {
    const { options } = trained;
    if (options.order > MAX_ORDER) throw reader.damaged(`its order is ${options.order}`);
    const labels = reader.alphabet("labels");
    const translation = reader.hasJson("scheme") ? reader.json("scheme", translationSchema) : undefined;
    if (translation && !canLearn(translation.data, translation.learned)) throw reader.damaged("its schemes do not fit");
    const isByHash = reader.hasJson("attributeOrder") && reader.json("attributeOrder", v.string()) === "hash";
    const attributes = reader.alphabet("attributes", isByHash);
    const conjoined = reader.alphabet("conjoined");
    if (labels.size === 0) throw reader.damaged("it has no labels");
    const parts = labelParts(labels.all(), options.labelParts);
    const { start, symbols } = reader.table("rows", labels.size + 1 + (parts?.names.length ?? 0));
    const table: RowTable = { symbolCount: labels.size + 1, start, symbols };
    const rowCount = table.start.length - 1;
    if (rowCount < attributes.size) throw reader.damaged("it has fewer rows than attributes");
    for (let e = start[attributes.size]; e < symbols.length; e++) {
      if (symbols[e] >= table.symbolCount) throw reader.damaged("a row of contexts has a weight for a part of a label");
    }
    const contextRows = { from: attributes.size, to: rowCount };
    const labelTree = reader.tree("ngrams", { ...contextRows, needed: true }, (depth) =>
      depth < options.order ? [BEGIN, labels.size] : undefined,
    );
    const conjoinedTree = reader.has("conjunctions.row")
      ? reader.tree("conjunctions", { ...contextRows, needed: false }, (depth) =>
          depth === 0 ? [0, conjoined.size] : depth === 1 ? [BEGIN, labels.size] : undefined,
        )
      : undefined;
    const vectors = readStoredVectors(reader);
    const weights = reader.floats("weights", table.symbols.length);
    return new Tagger({
      labels: translation ? reader.alphabet("dataLabels") : labels,
      symbols: labels,
      translation,
      attributes,
      conjoined,
      rows: {
        table,
        attributeRow: undefined,
        labelTree,
        conjoinedTree,
        parts,
        ...(vectors && { vectorRows: vectorRows(attributes, undefined, vectors.dimension) }),
      },
      weights,
      source,
      lexicons: readLexicons(reader),
      encoder: readAttributeEncoder(reader, attributes.size, labels.size),
      vectors,
      ...trained,
    });
  });
}

export const taggerCodec: Codec<Tagger> = { kind: "tagger", encode: encodeTagger, decode: decodeTagger };
