// What a newer segmenter takes over from an older one, whose labels are its first: the same label and length have another
// symbol where there are more labels or longer segments. Rows of contexts are the same only if they remember the same of
// segments (labels, or lengths where there is one label).

import type { RowTree } from "../../engine/rows.js";
import type { AttributeParts } from "./corpus.js";
import { entriesOf, type KeptContexts, type SegmenterRows } from "./rows.js";
import { type SegmentSymbols, symbolOf } from "./symbols.js";

/** What a training makes but for weights. */
export interface Learned {
  parts: AttributeParts;
  rows: SegmenterRows;
}

/** The symbol that a symbol of `old` is among others; -1 if they have none for it. */
export function sameSymbol(old: SegmentSymbols, symbol: number, symbols: SegmentSymbols): number {
  return symbolOf(symbols, old.labelOf[symbol], old.lengthOf[symbol]);
}

/** The contexts of an older segmenter among the symbols of a newer one. */
export function* contextsOf({ rows }: Learned, symbols: SegmentSymbols): KeptContexts {
  if (!remembersAlike(rows.symbols, symbols)) return;
  for (const [classes, node] of paths(rows.classTree)) {
    const own = entriesOf(rows, rows.classTree.row[node]);
    yield [classes, Array.from(own, (symbol) => sameSymbol(rows.symbols, symbol, symbols))];
  }
}

function remembersAlike(old: SegmentSymbols, symbols: SegmentSymbols): boolean {
  return old.longest.length > 1 === symbols.longest.length > 1;
}

/** The nodes of a tree with the events that lead there from the root. */
function* paths({ row, childStart, childEvent, childNode }: RowTree): Generator<[events: number[], node: number]> {
  const events: number[][] = [[]]; // [node]; a node's number is greater than its parent's
  for (let node = 0; node < row.length; node++) {
    yield [events[node], node];
    for (let c = childStart[node]; c < childStart[node + 1]; c++) {
      events[childNode[c]] = [...events[node], childEvent[c]];
    }
  }
}

/** The weights of an older segmenter at the places of a newer one: same attribute or context, same label and role or length. */
export function carriedWeights(old: Learned & { weights: Float64Array }, made: Learned): Float64Array {
  const weights = new Float64Array(made.rows.entries.length);
  const symbolsOf = (symbol: number): number => sameSymbol(old.rows.symbols, symbol, made.rows.symbols);
  const copy = (oldRow: number, row: number, same: (entry: number) => number): void => {
    if (oldRow < 0 || row < 0) return;
    const from = old.rows.start[oldRow];
    const known = new Map(Array.from(entriesOf(old.rows, oldRow), (entry, e) => [same(entry), old.weights[from + e]]));
    entriesOf(made.rows, row).forEach((entry, e) => {
      weights[made.rows.start[row] + e] = known.get(entry) ?? 0;
    });
  };
  made.parts.attributes.all().forEach((name, id) => {
    const before = old.parts.attributes.indexOf(name);
    if (before >= 0) copy(old.rows.attributeRow[before], made.rows.attributeRow[id], (role) => role);
  });
  made.parts.wholes.all().forEach((name, id) => {
    const before = old.parts.wholes.indexOf(name);
    if (before >= 0) copy(old.rows.wholeRow[before], made.rows.wholeRow[id], symbolsOf);
  });
  if (!remembersAlike(old.rows.symbols, made.rows.symbols)) return weights;
  const oldNodes = new Map(Array.from(paths(old.rows.classTree), ([events, node]) => [events.join(" "), node]));
  for (const [events, node] of paths(made.rows.classTree)) {
    const before = oldNodes.get(events.join(" "));
    if (before !== undefined) copy(old.rows.classTree.row[before], made.rows.classTree.row[node], symbolsOf);
  }
  return weights;
}
