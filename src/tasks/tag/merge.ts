// The rows of two taggers together: every row that either has, with every symbol that either has in it. What an older
// tagger knows is thus kept when a newer one is trained on data that does not show all of it. And its weights, at the places
// that they have in the newer one.

import type { Alphabet } from "../../engine/alphabet.js";
import { type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "../../engine/rows.js";
import { attributeRows, type TaggerRows } from "./rows.js";

/**
 * The rows of both. The newer tagger's alphabets begin with the older one's, so all numbers are the same but that of the
 * end, which comes after the labels.
 */
export function mergeRows(old: TaggerRows, fresh: TaggerRows, attributes: { old: number; fresh: number }): TaggerRows {
  const table = new RowTableBuilder(fresh.table.symbolCount);
  const symbolOf = symbolMap(old, fresh);
  const merged = (oldRow: number, freshRow: number): number => {
    if (oldRow < 0 && freshRow < 0) return -1;
    const symbols = new Set(symbolsOf(fresh.table, freshRow));
    for (const symbol of symbolsOf(old.table, oldRow)) symbols.add(symbolOf(symbol));
    return table.add([...symbols].sort((a, b) => a - b));
  };
  const oldAttributeRow = attributeRows(old, attributes.old);
  const attributeRow = attributeRows(fresh, attributes.fresh).map((row, id) => merged(oldAttributeRow[id] ?? -1, row));
  const labelTree = mergeTrees(old.labelTree, fresh.labelTree, merged);
  const conjoinedTree =
    old.conjoinedTree && fresh.conjoinedTree
      ? mergeTrees(old.conjoinedTree, fresh.conjoinedTree, merged)
      : fresh.conjoinedTree;
  return { table: table.build(), attributeRow, labelTree, conjoinedTree, parts: fresh.parts };
}

/**
 * The symbol of a newer tagger that means the same as one of an older; -1 if there is none. Labels keep their numbers; the end
 * and parts of labels, which come after them, move.
 */
function symbolMap(old: TaggerRows, fresh: TaggerRows): (symbol: number) => number {
  const [oldCount, count] = [old.table.symbolCount, fresh.table.symbolCount];
  const parts = old.parts?.names.map((name) => fresh.parts?.names.indexOf(name) ?? -1) ?? [];
  return (symbol) => {
    if (symbol < oldCount - 1) return symbol;
    if (symbol === oldCount - 1) return count - 1;
    const part = parts[symbol - oldCount];
    return part < 0 ? -1 : count + part;
  };
}

function symbolsOf(table: RowTable, row: number): Int32Array {
  return row < 0 ? new Int32Array(0) : table.symbols.subarray(table.start[row], table.start[row + 1]);
}

/** A tree with the nodes of both. */
function mergeTrees(old: RowTree, fresh: RowTree, merged: (oldRow: number, freshRow: number) => number): RowTree {
  const tree = new RowTreeBuilder();
  const rows: [old: number, fresh: number][] = [];
  const walk = (from: RowTree, which: 0 | 1): void => {
    const place = [0]; // [node of `from`] its node here; a node's number is greater than its parent's
    for (let node = 0; node < from.row.length; node++) {
      rows[place[node]] ??= [-1, -1];
      rows[place[node]][which] = from.row[node];
      for (let c = from.childStart[node]; c < from.childStart[node + 1]; c++) {
        place[from.childNode[c]] = tree.child(place[node], from.childEvent[c]);
      }
    }
  };
  walk(fresh, 1);
  walk(old, 0);
  rows.forEach(([oldRow, freshRow], node) => {
    tree.setRow(node, merged(oldRow, freshRow));
  });
  return tree.build();
}

/** What weights belong to. */
interface Carried {
  symbols: Alphabet;
  attributes: Alphabet;
  conjoined: Alphabet;
  rows: TaggerRows;
}

/** The weights of an older tagger at the places of a new one: same attribute or label suffix, same label. */
export function carriedWeights(old: Carried & { weights: Float64Array }, made: Carried): Float64Array {
  const weights = new Float64Array(made.rows.table.symbols.length);
  const symbolOf = symbolMap(old.rows, made.rows);
  const copyRow = (oldRow: number, newRow: number): void => {
    if (oldRow < 0 || newRow < 0) return;
    const bySymbol = new Map<number, number>();
    for (let e = old.rows.table.start[oldRow]; e < old.rows.table.start[oldRow + 1]; e++) {
      bySymbol.set(symbolOf(old.rows.table.symbols[e]), old.weights[e]);
    }
    for (let e = made.rows.table.start[newRow]; e < made.rows.table.start[newRow + 1]; e++) {
      weights[e] = bySymbol.get(made.rows.table.symbols[e]) ?? 0;
    }
  };
  const oldAttributeRow = attributeRows(old.rows, old.attributes.size);
  const attributeRow = attributeRows(made.rows, made.attributes.size);
  made.attributes.all().forEach((name, id) => {
    const oldId = old.attributes.indexOf(name);
    if (oldId >= 0) copyRow(oldAttributeRow[oldId], attributeRow[id]);
  });
  const copyTree = (
    oldTree: TaggerRows["labelTree"],
    newTree: TaggerRows["labelTree"],
    oldEvent: (event: number) => number,
  ): void => {
    const matches = [0]; // [new node] the old node of the same suffix; a node's number is greater than its parent's
    for (let newNode = 0; newNode < newTree.row.length; newNode++) {
      const oldNode = matches[newNode];
      if (oldNode === undefined) continue;
      copyRow(oldTree.row[oldNode], newTree.row[newNode]);
      const known = new Map<number, number>();
      for (let c = oldTree.childStart[oldNode]; c < oldTree.childStart[oldNode + 1]; c++) {
        known.set(oldTree.childEvent[c], oldTree.childNode[c]);
      }
      for (let c = newTree.childStart[newNode]; c < newTree.childStart[newNode + 1]; c++) {
        const event = newTree.childEvent[c];
        const child = known.get(newNode === 0 ? oldEvent(event) : event);
        if (child !== undefined) matches[newTree.childNode[c]] = child;
      }
    }
  };
  copyTree(old.rows.labelTree, made.rows.labelTree, (event) => event);
  if (old.rows.conjoinedTree && made.rows.conjoinedTree) {
    copyTree(old.rows.conjoinedTree, made.rows.conjoinedTree, (event) =>
      old.conjoined.indexOf(made.conjoined.nameOf(event)),
    );
  }
  return weights;
}
