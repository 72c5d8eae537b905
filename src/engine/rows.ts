// Rows: vectors of weights over the symbols. A row table says which (row, symbol) pairs have a weight: entries
// start[r] .. start[r+1]-1 belong to row r, and a row with an entry for every symbol is dense. The weights themselves
// are one flat array beside the table, so that a learner sees nothing but numbers.
//
// A row tree finds the rows of a context. Its nodes are suffixes, read backwards: from the root, the child by the latest
// event, then the child by the one before it, and so on. The nodes met on the way down are the rows of all suffixes of
// the context; the deepest is the row of the longest one. The root's row is the row of `⋆`.

import { Numbers } from "../util/numbers.js";
import { PairIndex } from "../util/pair-index.js";
import { indexOfSorted } from "../util/search.js";

export interface RowTable {
  symbolCount: number;
  /** [rowCount + 1] first entry of each row. */
  start: Int32Array;
  /** [entries] symbol of each entry, rising within a row. */
  symbols: Int32Array;
}

export function rowCount(table: RowTable): number {
  return table.start.length - 1;
}

/** Builds a row table row by row. */
export class RowTableBuilder {
  private readonly starts = new Numbers((length) => new Int32Array(length));
  private readonly symbolList = new Numbers((length) => new Int32Array(length));

  constructor(readonly symbolCount: number) {
    this.starts.push(0);
  }

  get rows(): number {
    return this.starts.length - 1;
  }

  get entries(): number {
    return this.symbolList.length;
  }

  /** Adds a row with these symbols (rising), and returns its number. */
  add(symbols: Iterable<number>): number {
    for (const symbol of symbols) this.symbolList.push(symbol);
    this.starts.push(this.symbolList.length);
    return this.starts.length - 2;
  }

  /** Adds a row with every symbol. */
  addDense(): number {
    for (let symbol = 0; symbol < this.symbolCount; symbol++) this.symbolList.push(symbol);
    this.starts.push(this.symbolList.length);
    return this.starts.length - 2;
  }

  build(): RowTable {
    return {
      symbolCount: this.symbolCount,
      start: this.starts.taken(),
      symbols: this.symbolList.taken(),
    };
  }
}

export interface RowTree {
  /** [nodes] the row of a node, or -1. */
  row: Int32Array;
  /** [nodes + 1] where the children of a node begin. */
  childStart: Int32Array;
  /** [children] the event that leads to a child, rising within a node. */
  childEvent: Int32Array;
  /** [children] the child. */
  childNode: Int32Array;
}

/** The child of a node by an event, or -1. */
export function childOf({ childStart, childEvent, childNode }: RowTree, node: number, event: number): number {
  const child = indexOfSorted(childEvent, childStart[node], childStart[node + 1], event);
  return child < 0 ? -1 : childNode[child];
}

/** [nodes] how far each node lies from the root. Nodes come after their parents. */
export function nodeDepths({ row, childStart, childNode }: RowTree): Int32Array {
  const depth = new Int32Array(row.length);
  for (let node = 0; node < row.length; node++) {
    for (let c = childStart[node]; c < childStart[node + 1]; c++) depth[childNode[c]] = depth[node] + 1;
  }
  return depth;
}

/** Whether every node of a tree is still one without its latest event, the first on the way to it. */
export function isClosed(tree: RowTree): boolean {
  const { row, childStart, childEvent, childNode } = tree;
  const shorter = new Int32Array(row.length); // [nodes] the node without the latest event
  for (let node = 0; node < row.length; node++) {
    for (let c = childStart[node]; c < childStart[node + 1]; c++) {
      const found = node === 0 ? 0 : childOf(tree, shorter[node], childEvent[c]);
      if (found < 0) return false;
      shorter[childNode[c]] = found;
    }
  }
  return true;
}

/** Builds a row tree. Nodes are numbered as they are made, so parents come before their children. */
export class RowTreeBuilder {
  /** Pair n is the (parent, event) of node n + 1. */
  private readonly edges = new PairIndex();
  private rows = new Int32Array(64).fill(-1);

  get nodes(): number {
    return this.edges.size + 1;
  }

  /** The child of a node by an event, created if missing. */
  child(node: number, event: number): number {
    return this.edges.add(node, event) + 1;
  }

  /** The child of a node by an event, or -1. */
  find(node: number, event: number): number {
    const edge = this.edges.indexOf(node, event);
    return edge < 0 ? -1 : edge + 1;
  }

  parentOf(node: number): number {
    return node === 0 ? -1 : this.edges.first[node - 1];
  }

  eventOf(node: number): number {
    return this.edges.second[node - 1];
  }

  rowOf(node: number): number {
    return node < this.rows.length ? this.rows[node] : -1;
  }

  setRow(node: number, row: number): void {
    if (node >= this.rows.length) {
      const larger = new Int32Array(Math.max(node + 1, this.rows.length * 2)).fill(-1);
      larger.set(this.rows);
      this.rows = larger;
    }
    this.rows[node] = row;
  }

  build(): RowTree {
    const count = this.nodes;
    const { first: parents, second: events } = this.edges;
    const childStart = new Int32Array(count + 1);
    for (let n = 1; n < count; n++) childStart[parents[n - 1] + 1]++;
    for (let n = 0; n < count; n++) childStart[n + 1] += childStart[n];
    // Nodes by event, then by parent (a counting sort, which keeps that order within a parent).
    const byEvent = Int32Array.from({ length: count - 1 }, (_, i) => i + 1).sort(
      (a, b) => events[a - 1] - events[b - 1],
    );
    const place = childStart.slice(0, count);
    const childEvent = new Int32Array(count - 1);
    const childNode = new Int32Array(count - 1);
    for (const node of byEvent) {
      const at = place[parents[node - 1]]++;
      childEvent[at] = events[node - 1];
      childNode[at] = node;
    }
    const row = new Int32Array(count).fill(-1);
    row.set(this.rows.subarray(0, Math.min(count, this.rows.length)));
    return { row, childStart, childEvent, childNode };
  }
}
