// A segmenter as tensors and metadata. Rows are numbered anew: first those of the attributes of positions, in the order of their
// hashes, then those of the attributes of segments, then those of contexts. Weights of attributes that are zero add nothing to
// a score, so they are not saved, nor attributes that have no other.
//   labels, attributes, wholes   string tables; `longest`: the longest segment of each label
//   seen, lexicon                strings that were segments, with their labels (seen.start, seen.labels); the user's list
//   rows, contexts               the row table with weights F32 beside it; the tree of classes
//   encoder                      the network, if there is one (src/model/encoder.ts); encoder.inputs I32: what each attribute is to it

import * as v from "valibot";
import { byHash } from "../../engine/alphabet.js";
import { RowTableBuilder } from "../../engine/rows.js";
import { BEGIN } from "../../engine/trellis.js";
import { wholeSymbols } from "../../formats/pair-lines.js";
import {
  countSchema,
  emptyParts,
  type FileParts,
  PartsReader,
  putJson,
  putStrings,
  putTable,
  putTree,
} from "../../model/parts.js";
import type { TensorFile } from "../../model/safetensors.js";
import { putTrained, readTrained } from "../../model/trained.js";
import { putAttributeEncoder, readAttributeEncoder } from "../tag/encoder.js";
import type { Codec } from "../task.js";
import type { AttributeParts } from "./corpus.js";
import { segmenterOptions } from "./options.js";
import { contextClassCount, entriesOf, ROLES } from "./rows.js";
import { Segmenter } from "./segmenter.js";
import type { SeenStrings } from "./strings.js";
import { MOST_SYMBOLS, segmentSymbols } from "./symbols.js";

const positionsSchema = v.object({ input: v.picklist(wholeSymbols), mayHoldSpaces: v.boolean() });

const summary = { texts: countSchema, positions: countSchema, segments: countSchema };

/** The layout of segmenters with a network. */
const WITH_ENCODER = 6;

function encodeSegmenter(segmenter: Segmenter): FileParts {
  const { rows, weights, encoder, parts: own } = segmenter;
  const { symbols } = rows;
  const table = new RowTableBuilder(Math.max(symbols.labelOf.length, ROLES * symbols.longest.length));
  const kept: number[] = []; // weights, entry by entry of the new table
  /** Adds a row, without weights that are zero if `isSparse`; false if nothing is left of it. */
  const move = (row: number, isSparse: boolean): boolean => {
    const entries: number[] = [];
    entriesOf(rows, row).forEach((entry, e) => {
      const weight = weights[rows.start[row] + e];
      if (isSparse && weight === 0) return;
      entries.push(entry);
      kept.push(weight);
    });
    if (isSparse && entries.length === 0) return false;
    table.add(entries);
    return true;
  };
  const inputs: number[] = [];
  const attributes = byHash(own.attributes.all()).filter((id) => {
    if (!encoder) return move(rows.attributeRow[id], true);
    const input = encoder.inputs[id];
    if (input < 0) return false;
    table.add([]);
    inputs.push(input);
    return true;
  });
  const wholes = own.wholes.all().filter((_, id) => move(rows.wholeRow[id], true));
  const contexts = rows.classTree.row.map((row) => {
    move(row, false);
    return table.rows - 1;
  });
  const parts = emptyParts();
  if (encoder) {
    parts.version = WITH_ENCODER;
    putAttributeEncoder(parts, encoder, inputs);
  }
  putTrained(parts, segmenter);
  putJson(parts, "positions", { input: own.input, mayHoldSpaces: own.mayHoldSpaces });
  putStrings(parts, "labels", own.labels.all());
  parts.tensors.longest = { data: symbols.longest };
  putStrings(
    parts,
    "attributes",
    Array.from(attributes, (id) => own.attributes.nameOf(id)),
  );
  putStrings(parts, "wholes", wholes);
  putStrings(parts, "seen", own.seen.strings.all());
  parts.tensors["seen.start"] = { data: own.seen.start };
  parts.tensors["seen.labels"] = { data: own.seen.labels };
  putStrings(parts, "lexicon", own.lexicon.all());
  putTree(parts, "contexts", { ...rows.classTree, row: contexts });
  putTable(parts, "rows", table.build());
  parts.tensors.weights = { data: Float32Array.from(kept) };
  return parts;
}

function decodeSegmenter(content: TensorFile, file?: string): Segmenter {
  const reader = new PartsReader(content, file);
  const trained = readTrained(reader, segmenterOptions, { instead: { l2: 0, order: 0, heldOut: 0.1 }, summary });
  const { input, mayHoldSpaces } = reader.json("positions", positionsSchema);
  return reader.guard(() => {
    const labels = reader.alphabet("labels");
    const symbols = segmentSymbols(readLongest(reader, labels.size));
    const attributes = reader.alphabet("attributes", true);
    const wholes = reader.alphabet("wholes");
    const parts: AttributeParts = {
      input,
      mayHoldSpaces,
      labels,
      attributes,
      wholes,
      seen: readSeen(reader, labels.size),
      lexicon: reader.alphabet("lexicon"),
    };
    const roleCount = ROLES * labels.size;
    const symbolCount = symbols.labelOf.length;
    const { start, symbols: entries } = reader.table("rows", Math.max(roleCount, symbolCount));
    const rowCount = start.length - 1;
    const contextRow = attributes.size + wholes.size;
    if (rowCount < contextRow) throw reader.damaged("it has fewer rows than attributes");
    checkEntries(reader, entries.subarray(0, start[attributes.size]), roleCount);
    checkEntries(reader, entries.subarray(start[attributes.size]), symbolCount);
    const classTree = reader.tree("contexts", { from: contextRow, to: rowCount, needed: true }, (depth) =>
      depth < trained.options.order ? [BEGIN, contextClassCount(symbols)] : undefined,
    );
    return new Segmenter({
      parts,
      rows: {
        symbols,
        start,
        entries,
        attributeRow: Int32Array.from({ length: attributes.size }, (_, n) => n),
        wholeRow: Int32Array.from({ length: wholes.size }, (_, n) => attributes.size + n),
        classTree,
      },
      weights: reader.floats("weights", entries.length),
      encoder: readAttributeEncoder(reader, attributes.size, roleCount),
      ...trained,
    });
  });
}

function readLongest(reader: PartsReader, labels: number): Int32Array {
  const longest = reader.plainIntegers("longest");
  if (labels === 0 || longest.length !== labels) throw reader.damaged("it has labels without a longest segment");
  let sum = 0;
  for (const length of longest) {
    if (length < 1) throw reader.damaged("it has a label without segments");
    sum += length;
    if (sum > MOST_SYMBOLS) throw reader.damaged("its segments are too long");
  }
  return longest;
}

function readSeen(reader: PartsReader, labelCount: number): SeenStrings {
  const strings = reader.alphabet("seen");
  const start = reader.plainIntegers("seen.start");
  const labels = reader.plainIntegers("seen.labels");
  const isWhole = start.length === strings.size + 1 && start[0] === 0 && start[strings.size] === labels.length;
  if (!isWhole || start.some((at, n) => n > 0 && at < start[n - 1])) {
    throw reader.damaged("its strings do not cover their labels");
  }
  if (labels.some((label) => label < 0 || label >= labelCount)) throw reader.damaged("a string has an unknown label");
  return { strings, start, labels };
}

function checkEntries(reader: PartsReader, entries: Int32Array, count: number): void {
  if (entries.some((entry) => entry >= count)) throw reader.damaged("a row speaks of something there is not");
}

export const segmenterCodec: Codec<Segmenter> = { kind: "segmenter", encode: encodeSegmenter, decode: decodeSegmenter };
