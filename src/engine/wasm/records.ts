// Models and slot graphs as the compiled code reads them: records of settings and addresses, made once for each object.

import type { RowFamily, RowSpace } from "../problem.js";
import type { RowTable, RowTree } from "../rows.js";
import type { SlotGraph } from "../slots.js";
import { FamilyField, GraphField, NodeField, SpaceField } from "./layout.js";
import type { KernelArrays } from "./memory.js";
import type { WeighedTree } from "./weighed-tree.js";

/** Children of a node are kept by event if their events leave no more than this many times as many gaps. */
const SPARSEST = 4;
/** Nodes with fewer children are searched as fast. */
const FEWEST_DIRECT = 4;

/** A record, which keeps the arrays alive that it names. */
interface MemoryRecord {
  words: Int32Array;
  held: unknown[];
}

export class Records {
  private readonly tables = new WeakMap<RowTable, Pick<RowTable, "start" | "symbols">>();
  private readonly spaces = new WeakMap<RowSpace, MemoryRecord>();
  private readonly graphs = new WeakMap<SlotGraph, MemoryRecord>();
  private readonly trees = new WeakMap<RowTree, MemoryRecord>();
  private readonly weighedTrees = new WeakMap<WeighedTree, MemoryRecord>();

  constructor(private readonly arrays: KernelArrays) {}

  tableOf(table: RowTable): Pick<RowTable, "start" | "symbols"> {
    let placed = this.tables.get(table);
    if (!placed) {
      placed = { start: this.arrays.placed(table.start), symbols: this.arrays.placed(table.symbols) };
      this.tables.set(table, placed);
    }
    return placed;
  }

  /** The address of a slot graph's record. */
  graphOf(graph: SlotGraph): number {
    let record = this.graphs.get(graph);
    if (!record) {
      record = this.makeRecord(GraphField.count);
      const { words } = record;
      words[GraphField.slotCount] = graph.slotCount;
      words[GraphField.symbolCount] = graph.symbolCount;
      words[GraphField.branchStart] = this.place(record, graph.branchStart);
      words[GraphField.branchSlot] = this.place(record, graph.branchSlot);
      words[GraphField.branchFirst] = this.place(record, graph.branchFirst);
      words[GraphField.branchEnd] = this.place(record, graph.branchEnd);
      words[GraphField.incomingStart] = this.place(record, graph.incomingStart);
      words[GraphField.incoming] = this.place(record, graph.incoming);
      this.graphs.set(graph, record);
    }
    return record.words.byteOffset;
  }

  /** The address of a row space's record. */
  spaceOf(space: RowSpace): number {
    let record = this.spaces.get(space);
    if (!record) {
      const { table, families, offsets } = space;
      record = this.makeRecord(SpaceField.count + families.length * FamilyField.count);
      const { words } = record;
      const { start, symbols } = this.tableOf(table);
      words[SpaceField.tableStart] = this.place(record, start);
      words[SpaceField.tableSymbols] = this.place(record, symbols);
      words[SpaceField.symbolCount] = table.symbolCount;
      words[SpaceField.offsets] = offsets ? this.place(record, offsets) : 0;
      words[SpaceField.familyCount] = families.length;
      for (let f = 0; f < families.length; f++) {
        this.putFamily(record, SpaceField.count + f * FamilyField.count, families[f]);
      }
      this.spaces.set(space, record);
    }
    return record.words.byteOffset;
  }

  /** The address of a tree's record, which is that of a family with nothing but the tree. */
  treeOf(tree: RowTree): number {
    let record = this.trees.get(tree);
    if (!record) {
      record = this.makeRecord(FamilyField.count);
      this.putFamily(record, 0, { tree, depth: 0, skip: -1, pairs: false, keyed: false });
      this.trees.set(tree, record);
    }
    return record.words.byteOffset;
  }

  /** The address of the record of a tree that carries its weights. */
  weighedTreeOf(weighed: WeighedTree): number {
    let record = this.weighedTrees.get(weighed);
    if (!record) {
      record = this.makeRecord(FamilyField.count);
      this.putTree(record, 0, weighed);
      this.weighedTrees.set(weighed, record);
    }
    return record.words.byteOffset;
  }

  /** A record of families with trees that carry their weights. */
  weighedFamilies(families: readonly RowFamily[], trees: readonly WeighedTree[]): Int32Array {
    const record = this.makeRecord(families.length * FamilyField.count);
    families.forEach((family, f) => {
      this.putFamily(record, f * FamilyField.count, family, trees[f]);
    });
    return record.words;
  }

  /** Children may lie among the records of nodes. */
  private putTree(record: MemoryRecord, at: number, tree: { nodes: Int32Array; children?: Int32Array }): void {
    const { nodes, children = nodes } = tree;
    record.words[at + FamilyField.nodes] = this.place(record, nodes);
    record.words[at + FamilyField.children] = this.place(record, children);
  }

  private putFamily(record: MemoryRecord, at: number, family: RowFamily, weighed?: WeighedTree): void {
    const { words } = record;
    this.putTree(record, at, weighed ?? nodeRecords(family.tree));
    words[at + FamilyField.skip] = family.skip;
    words[at + FamilyField.pairs] = family.pairs ? 1 : 0;
    words[at + FamilyField.keyed] = family.keyed ? 1 : 0;
    words[at + FamilyField.depth] = family.depth;
  }

  private makeRecord(words: number): MemoryRecord {
    return { words: this.arrays.int32(words), held: [] };
  }

  /** The address of an array that the record holds. */
  private place(record: MemoryRecord, array: Int32Array | Float64Array): number {
    const placed = this.arrays.placed(array);
    record.held.push(placed);
    return placed.byteOffset;
  }
}

/** Records of a tree's nodes, and the children of those that have several. */
function nodeRecords(tree: RowTree) {
  const { row } = tree;
  const nodes = new Int32Array(row.length * NodeField.count);
  let size = 0;
  for (let node = 0; node < row.length; node++) size += Math.abs(childWords(tree, node));
  const children = new Int32Array(size);
  let used = 0;
  for (let node = 0; node < row.length; node++) {
    const at = node * NodeField.count;
    nodes[at + NodeField.row] = row[node];
    used += putChildren(tree, node, nodes, at, children, used);
  }
  return { nodes, children };
}

/** How many words the children of a node take beside its record, negative if they are to be searched. */
export function childWords({ childStart, childEvent }: RowTree, node: number): number {
  const first = childStart[node];
  const count = childStart[node + 1] - first;
  if (count <= 1) return 0;
  const events = childEvent[first + count - 1] + 1 - childEvent[first];
  return count >= FEWEST_DIRECT && events <= SPARSEST * count ? events : -1 - 2 * count;
}

/**
 * Writes of the record of a node at `at` what is about its children, and these to `children` from `begin` on if they are several;
 * returns how many words they take. `places`: where the records of nodes are, counted in records, if not by number.
 */
export function putChildren(
  tree: RowTree,
  node: number,
  nodes: Int32Array,
  at: number,
  children: Int32Array,
  begin: number,
  places?: Int32Array,
): number {
  const { childStart, childEvent, childNode } = tree;
  const first = childStart[node];
  const end = childStart[node + 1];
  if (end === first) return 0;
  const least = childEvent[first];
  nodes[at + NodeField.leastEvent] = least;
  nodes[at + NodeField.events] = childEvent[end - 1] + 1 - least;
  if (end - first === 1) {
    nodes[at + NodeField.children] = places ? places[childNode[first]] : childNode[first];
    return 0;
  }
  const words = childWords(tree, node);
  const isDirect = words > 0;
  nodes[at + NodeField.children] = isDirect ? begin : -1 - begin;
  let next = begin;
  if (isDirect) for (let i = 0; i < words; i++) children[begin + i] = -1;
  else children[next++] = end - first;
  for (let c = first; c < end; c++) {
    const place = places ? places[childNode[c]] : childNode[c];
    if (isDirect) children[begin + childEvent[c] - least] = place;
    else {
      children[next++] = childEvent[c];
      children[next++] = place;
    }
  }
  return Math.abs(words);
}
