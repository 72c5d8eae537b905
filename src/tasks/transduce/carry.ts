// Where the weights of some rows are among those of others that have all of them and more: rows are the same if walks from the
// roots of their trees lead to them by the same events.

import { childOf, type RowTable, type RowTree } from "../../engine/rows.js";
import type { TransducerRows } from "./rows.js";

/** [entries of `some`] the entry of `all` for the same symbol of the same row. */
export function entriesIn(all: TransducerRows, some: TransducerRows): Int32Array {
  const places = new Int32Array(some.table.symbols.length);
  const outer = treesOf(all);
  treesOf(some).forEach((tree, t) => {
    match(outer[t], tree, (row, own) => matchRow(all.table, row, some.table, own, places));
  });
  return places;
}

function treesOf({ windowTree, outputTree, moveTree, marked, copyTree }: TransducerRows): RowTree[] {
  const trees = [windowTree, outputTree, moveTree];
  if (marked) trees.push(marked.tree, marked.outputTree);
  if (copyTree) trees.push(copyTree);
  return trees;
}

/** Visits the rows of a tree, each with that of the same node in a larger one. */
function match(all: RowTree, some: RowTree, visit: (row: number, own: number) => void): void {
  const nodes = new Int32Array(some.row.length); // [nodes of `some`] the same node in `all`; parents come before their children
  for (let node = 0; node < nodes.length; node++) {
    if (some.row[node] >= 0) visit(all.row[nodes[node]], some.row[node]);
    for (let c = some.childStart[node]; c < some.childStart[node + 1]; c++) {
      nodes[some.childNode[c]] = childOf(all, nodes[node], some.childEvent[c]);
    }
  }
}

function matchRow(all: RowTable, row: number, some: RowTable, own: number, places: Int32Array): void {
  let place = all.start[row];
  for (let e = some.start[own]; e < some.start[own + 1]; e++) {
    while (all.symbols[place] < some.symbols[e]) place++;
    places[e] = place;
  }
}
