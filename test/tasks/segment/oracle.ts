// Segmenting by definition: all outputs of a short text, and the score of one from the names of its attributes.

import { BEGIN } from "../../../src/engine/trellis.js";
import { positionPieces } from "../../../src/tasks/segment/attributes.js";
import type { SegmentedText } from "../../../src/tasks/segment/example.js";
import { positionsOf } from "../../../src/tasks/segment/example.js";
import { ANY, contextClass, FIRST, INSIDE, LAST, ROLES, SINGLE } from "../../../src/tasks/segment/rows.js";
import type { Segmenter } from "../../../src/tasks/segment/segmenter.js";
import { symbolOf } from "../../../src/tasks/segment/symbols.js";
import { pieceNames } from "../../../src/tasks/tag/pieces.js";

/** A segment of an output: positions `from` .. `to - 1` with a label's number. */
export interface Piece {
  from: number;
  to: number;
  label: number;
}

/** Every way to cut `length` positions into segments that a segmenter can make. */
export function* outputs({ rows }: Segmenter, length: number, from = 0): Generator<Piece[]> {
  if (from === length) yield [];
  for (let label = 0; label < rows.symbols.longest.length; label++) {
    for (let to = from + 1; to <= length && to - from <= rows.symbols.longest[label]; to++) {
      for (const rest of outputs({ rows } as Segmenter, length, to)) yield [{ from, to, label }, ...rest];
    }
  }
}

/** The score of an output: the weights of all its attributes and contexts, looked up one by one. */
export function scoreOf(segmenter: Segmenter, text: SegmentedText, output: readonly Piece[]): number {
  const { parts, rows, weights, options } = segmenter;
  const positions = positionsOf(text, parts.input);
  const weight = (row: number, entry: number): number => {
    for (let e = row < 0 ? 0 : rows.start[row]; row >= 0 && e < rows.start[row + 1]; e++) {
      if (rows.entries[e] === entry) return weights[e];
    }
    return 0;
  };
  const pieces = positionPieces(parts.input, positions.columns[0].length);
  let score = 0;
  const before: number[] = [];
  for (const { from, to, label } of output) {
    const symbol = symbolOf(rows.symbols, label, to - from);
    for (let i = from; i < to; i++) {
      const role = to - from === 1 ? SINGLE : i === from ? FIRST : i === to - 1 ? LAST : INSIDE;
      for (const name of pieceNames(pieces, positions.columns, i)) {
        const row = rows.attributeRow[parts.attributes.indexOf(name)] ?? -1;
        score += weight(row, ROLES * label + role) + weight(row, ROLES * label + ANY);
      }
    }
    for (const name of wholeNames(segmenter, positions.columns, from, to)) {
      score += weight(rows.wholeRow[parts.wholes.indexOf(name)] ?? -1, symbol);
    }
    // All suffixes of what came before, in the tree of classes; the root is the context that remembers nothing.
    let node = 0;
    if (options.order === 0) score += weight(rows.classTree.row[0], symbol);
    for (let n = 1; n <= options.order; n++) {
      const event = before.length >= n ? before[before.length - n] : BEGIN;
      const { childStart, childEvent, childNode } = rows.classTree;
      let child = -1;
      for (let c = childStart[node]; c < childStart[node + 1]; c++) if (childEvent[c] === event) child = childNode[c];
      if (child < 0) break;
      node = child;
      score += weight(rows.classTree.row[node], symbol);
      if (event === BEGIN) break;
    }
    before.push(contextClass(rows.symbols, symbol));
  }
  return score;
}

function wholeNames({ parts }: Segmenter, columns: string[][], from: number, to: number): string[] {
  const n = to - from;
  const rows = columns.slice(from, to);
  const string = rows.map(([value]) => value).join(parts.input === "tokens" ? " " : "");
  const names = ["length", `is[${n}]=${string}`, `shape[${n}]=${rows.map(([, kind]) => kind).join("")}`];
  const found = parts.seen.strings.indexOf(string);
  if (found >= 0) {
    for (let s = parts.seen.start[found]; s < parts.seen.start[found + 1]; s++) {
      names.push(`seen[${n}]=${parts.labels.nameOf(parts.seen.labels[s])}`);
    }
  }
  if (parts.lexicon.indexOf(string) >= 0) names.push(`lexicon[${n}]`);
  return names;
}

/** Words of a sentence, with labels or without, as a text with segments. */
export function text(sentence: string): SegmentedText {
  let whole = "";
  const segments = sentence.split(" ").map((word) => {
    const [form, label] = word.split("/");
    const start = whole.length;
    whole += form;
    return label === undefined ? { start, end: whole.length } : { start, end: whole.length, label };
  });
  return { text: whole, segments };
}

/** A few made-up texts. */
export const labelled = ["ab/X c/Y ab/X", "abc/Y b/X", "c/Y ab/X a/O", "a/X bc/Y c/O b/X", "ab/X ab/Y c/O"].map(text);
