// A segmenter as tensors and metadata.
//   labels, attributes, wholes, strings, lexicon   string tables: labels, attributes of positions and of segments, words seen
//   longest                                        [labels] the longest segment of each
//   seen.start, .labels, .counts, .occurrences     how often each string was a segment of which label
//   rows.start, rows.symbols                       the row table, over roles or symbols by the kind of row; weights F32
//   attributeRow, wholeRow, classes                which row belongs to what; the tree of contexts

import * as v from "valibot";
import { BEGIN } from "../../engine/trellis.js";
import {
  countSchema as count,
  emptyParts,
  type FileParts,
  PartsReader,
  putJson,
  putStrings,
  putTree,
} from "../../model/parts.js";
import type { TensorFile } from "../../model/safetensors.js";
import { putTrained, readTrained } from "../../model/trained.js";
import type { Codec } from "../task.js";
import { segmenterOptions } from "./options.js";
import { contextClassCount, ROLES } from "./rows.js";
import { Segmenter } from "./segmenter.js";
import { segmentSymbols } from "./symbols.js";

const shapeSchema = v.object({ input: v.picklist(["chars", "tokens"]), mayHoldSpaces: v.boolean() });

/** No data has longer segments; the limit keeps a hostile file from asking for endless tables. */
const LONGEST = 10_000;
const MOST_SYMBOLS = 1_000_000;

function encodeSegmenter(segmenter: Segmenter): FileParts {
  const { attributes: own, rows, weights } = segmenter;
  const parts = emptyParts();
  putTrained(parts, segmenter);
  putJson(parts, "shape", { input: own.input, mayHoldSpaces: own.mayHoldSpaces });
  putStrings(parts, "labels", own.labels.all());
  putStrings(parts, "attributes", own.attributes.all());
  putStrings(parts, "wholes", own.wholes.all());
  putStrings(parts, "strings", own.seen.strings.all());
  putStrings(parts, "lexicon", own.lexicon.all());
  const { start, labels, counts, occurrences } = own.seen;
  const tensors: Record<string, Int32Array> = {
    longest: rows.symbols.longest,
    "seen.start": start,
    "seen.labels": labels,
    "seen.counts": counts,
    "seen.occurrences": occurrences,
    "rows.start": rows.start,
    "rows.symbols": rows.entries,
    attributeRow: rows.attributeRow,
    wholeRow: rows.wholeRow,
  };
  for (const [name, data] of Object.entries(tensors)) parts.tensors[name] = { data: Int32Array.from(data) };
  putTree(parts, "classes", rows.classTree);
  parts.tensors.weights = { data: Float32Array.from(weights) };
  return parts;
}

function decodeSegmenter(content: TensorFile, file?: string): Segmenter {
  const reader = new PartsReader(content, file);
  const trained = readTrained(reader, segmenterOptions, {
    instead: { l2: 0 },
    summary: { texts: count, segments: count },
  });
  const { input, mayHoldSpaces } = reader.json("shape", shapeSchema);
  return reader.guard(() => {
    const labels = reader.alphabet("labels");
    const attributes = reader.alphabet("attributes");
    const wholes = reader.alphabet("wholes");
    const longest = reader.integers("longest");
    if (labels.size === 0 || longest.length !== labels.size)
      throw reader.damaged("its labels and lengths do not agree");
    const total = longest.reduce((sum, length) => sum + length, 0);
    if (longest.some((length) => length < 1 || length > LONGEST) || total > MOST_SYMBOLS) {
      throw reader.damaged("it has segments of an impossible length");
    }
    const symbols = segmentSymbols(longest);
    // Rows of positions are over roles, those of segments and contexts over symbols: each is checked against its own.
    const widest = Math.max(ROLES * labels.size, symbols.labelOf.length);
    const { start, symbols: entries } = reader.table("rows", widest);
    const rowCount = start.length - 1;
    const attributeRow = rowsOf(reader, "attributeRow", attributes.size, rowCount);
    const wholeRow = rowsOf(reader, "wholeRow", wholes.size, rowCount);
    checkRows(reader, attributeRow, start, entries, ROLES * labels.size);
    checkRows(reader, wholeRow, start, entries, symbols.labelOf.length);
    const classTree = reader.tree("classes", { from: 0, to: rowCount, needed: true }, (depth) =>
      depth < trained.options.order ? [BEGIN, contextClassCount(symbols)] : undefined,
    );
    checkRows(reader, classTree.row, start, entries, symbols.labelOf.length);
    return new Segmenter({
      attributes: {
        input,
        mayHoldSpaces,
        labels,
        attributes,
        wholes,
        seen: readSeen(reader, labels.size),
        lexicon: reader.alphabet("lexicon"),
      },
      rows: { symbols, start, entries, attributeRow, wholeRow, classTree },
      weights: reader.floats("weights", entries.length),
      ...trained,
    });
  });
}

/** The row of each of some attributes, or -1. */
function rowsOf(reader: PartsReader, name: string, size: number, rowCount: number): Int32Array {
  const rows = reader.integers(name);
  if (rows.length !== size || rows.some((row) => row < -1 || row >= rowCount)) {
    throw reader.damaged(`its \`${name}\` names rows that are not there`);
  }
  return rows;
}

function checkRows(
  reader: PartsReader,
  rows: Int32Array,
  start: Int32Array,
  entries: Int32Array,
  symbolCount: number,
): void {
  for (const row of rows) {
    // Symbols rise within a row, so the last is the greatest.
    if (row >= 0 && start[row + 1] > start[row] && entries[start[row + 1] - 1] >= symbolCount) {
      throw reader.damaged("a row has symbols that are not its own");
    }
  }
}

function readSeen(reader: PartsReader, labelCount: number) {
  const strings = reader.alphabet("strings");
  const start = reader.integers("seen.start");
  const labels = reader.integers("seen.labels");
  const counts = reader.integers("seen.counts");
  const occurrences = reader.integers("seen.occurrences");
  const isRising = start.every((at, i) => (i === 0 ? at === 0 : at >= start[i - 1]));
  if (
    start.length !== strings.size + 1 ||
    !isRising ||
    start[strings.size] !== labels.length ||
    counts.length !== labels.length ||
    occurrences.length !== strings.size ||
    labels.some((label) => label < 0 || label >= labelCount)
  ) {
    throw reader.damaged("its counts of strings do not agree");
  }
  return { strings, start, labels, counts, occurrences };
}

export const segmenterCodec: Codec<Segmenter> = {
  kind: "segmenter",
  encode: encodeSegmenter,
  decode: decodeSegmenter,
};
