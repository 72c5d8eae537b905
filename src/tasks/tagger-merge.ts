// The rows of two taggers together: every row that either has, with every symbol that either has in it. What an older
// tagger knows is thus kept when a newer one is trained on data that does not show all of it.

import { type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "../core/rows.js";
import { attributeRows, type TaggerRows } from "./tagger-rows.js";

/**
 * The rows of both. The newer tagger's alphabets begin with the older one's, so all numbers are the same but that of the
 * end, which comes after the labels.
 */
export function mergeRows(old: TaggerRows, fresh: TaggerRows, attributes: { old: number; fresh: number }): TaggerRows {
  const table = new RowTableBuilder(fresh.table.symbolCount);
  const [oldEnd, end] = [old.table.symbolCount - 1, fresh.table.symbolCount - 1];
  const merged = (oldRow: number, freshRow: number): number => {
    if (oldRow < 0 && freshRow < 0) return -1;
    const symbols = new Set(symbolsOf(fresh.table, freshRow));
    for (const symbol of symbolsOf(old.table, oldRow)) symbols.add(symbol === oldEnd ? end : symbol);
    return table.add([...symbols].sort((a, b) => a - b));
  };
  const oldAttributeRow = attributeRows(old, attributes.old);
  const attributeRow = attributeRows(fresh, attributes.fresh).map((row, id) => merged(oldAttributeRow[id] ?? -1, row));
  const labelTree = mergeTrees(old.labelTree, fresh.labelTree, merged);
  const conjoinedTree =
    old.conjoinedTree && fresh.conjoinedTree
      ? mergeTrees(old.conjoinedTree, fresh.conjoinedTree, merged)
      : fresh.conjoinedTree;
  return { table: table.build(), attributeRow, labelTree, conjoinedTree };
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
