// A tree of rows with weights that stay as they are, laid out so that a walk finds the weights of a row right behind the record
// of its node: in a large model, looking somewhere else in memory costs more than the sums.

import type { FrozenTree } from "../backend.js";
import type { RowTable, RowTree } from "../rows.js";
import { DENSE_ENTRIES, NodeField } from "./layout.js";
import type { KernelArrays } from "./memory.js";
import { childWords, putChildren } from "./records.js";

/** Words of a record; places of nodes are counted in records. */
const RECORD = NodeField.count;
/** Words that the entries of a row take. */
function wordsOf(entries: number, symbolCount: number): number {
  return 2 * entries + (entries === symbolCount ? 0 : (entries + 1) >> 1);
}

/** Symbols take half a word. */
const MOST_SYMBOLS = 1 << 16;

export class WeighedTree implements FrozenTree {
  /**
   * Records of nodes as in `NodeField`, but with how many entries the row has in place of its number. Behind each, the weights of
   * the entries, then their symbols, half a word each (a row with every symbol has the weights alone), then the children.
   */
  readonly nodes: Int32Array;
  /** [nodes] where the record of each node is, counted in records. */
  readonly places: Int32Array;
  readonly symbolCount: number;
  /** Roots that walks begin at, by those of the tree that it was made of. */
  private readonly roots = new Map<Int32Array, Int32Array>();

  private constructor(
    private readonly arrays: KernelArrays,
    tree: RowTree,
    { start, symbols, symbolCount }: RowTable,
    weights: Float64Array,
  ) {
    // A model may have millions of nodes, so this makes no objects on the way.
    const { row } = tree;
    this.symbolCount = symbolCount;
    this.places = new Int32Array(row.length);
    const { places } = this;
    let records = 0;
    for (let node = 0; node < row.length; node++) {
      places[node] = records;
      const r = row[node];
      const entries = r < 0 ? 0 : start[r + 1] - start[r];
      records += 1 + ((wordsOf(entries, symbolCount) + Math.abs(childWords(tree, node)) + RECORD - 1) >> 2);
    }
    this.nodes = arrays.int32(records * RECORD);
    const { nodes } = this;
    const { buffer, byteOffset, length } = nodes;
    const numbers = new Float64Array(buffer, byteOffset, length >> 1);
    const halves = new Uint16Array(buffer, byteOffset, 2 * length);
    for (let node = 0; node < row.length; node++) {
      const at = places[node] * RECORD;
      const r = row[node];
      const from = r < 0 ? 0 : start[r];
      const entries = r < 0 ? 0 : start[r + 1] - from;
      const isDense = entries === symbolCount;
      nodes[at + NodeField.row] = isDense ? DENSE_ENTRIES : entries;
      const first = (at + RECORD) >> 1;
      for (let e = 0; e < entries; e++) numbers[first + e] = weights[from + e];
      const firstHalf = 4 * (first + entries);
      if (!isDense) for (let e = 0; e < entries; e++) halves[firstHalf + e] = symbols[from + e];
      putChildren(tree, node, nodes, at, nodes, at + RECORD + wordsOf(entries, symbolCount), places);
    }
  }

  /** Undefined if it would be too large. */
  static of(arrays: KernelArrays, tree: RowTree, table: RowTable, weights: Float64Array): WeighedTree | undefined {
    if (table.symbolCount > MOST_SYMBOLS) return undefined;
    return new WeighedTree(arrays, tree, table, weights);
  }

  /** The same as `placesOf`, as an array that is kept where the code works on it. */
  rootsOf(nodes: Int32Array): Int32Array {
    let placed = this.roots.get(nodes);
    if (!placed) {
      placed = this.arrays.placed(this.placesOf(nodes));
      this.roots.set(nodes, placed);
    }
    return placed;
  }

  /** Where the records of some nodes are, -1 for none. */
  placesOf(nodes: Int32Array): Int32Array {
    const { places } = this;
    const found = new Int32Array(nodes.length);
    for (let i = 0; i < nodes.length; i++) found[i] = nodes[i] < 0 ? -1 : places[nodes[i]];
    return found;
  }

  dispose(): void {
    for (const placed of this.roots.values()) this.arrays.release(placed);
    this.arrays.release(this.nodes);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
