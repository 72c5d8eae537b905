// Models and slot graphs as the compiled code reads them: records of settings and addresses, made once for each object.

import type { RowFamily, RowSpace } from "../problem.js";
import type { RowTable, RowTree } from "../rows.js";
import type { SlotGraph } from "../slots.js";
import { FamilyField, GraphField, NodeField, SpaceField } from "./layout.js";
import type { KernelArrays } from "./memory.js";

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

  private putFamily(record: MemoryRecord, at: number, family: RowFamily): void {
    const { words } = record;
    const { nodes, children } = nodeRecords(family.tree);
    words[at + FamilyField.nodes] = this.place(record, nodes);
    words[at + FamilyField.children] = this.place(record, children);
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
function nodeRecords({ row, childStart, childEvent, childNode }: RowTree) {
  const nodes = new Int32Array(row.length * NodeField.count);
  let size = 0;
  for (let node = 0; node < row.length; node++) {
    const at = node * NodeField.count;
    nodes[at + NodeField.row] = row[node];
    const first = childStart[node];
    const count = childStart[node + 1] - first;
    if (count === 0) continue;
    const least = childEvent[first];
    const events = childEvent[first + count - 1] + 1 - least;
    const isDirect = count >= FEWEST_DIRECT && events <= SPARSEST * count;
    nodes[at + NodeField.leastEvent] = least;
    nodes[at + NodeField.events] = events;
    nodes[at + NodeField.children] = events === 1 ? childNode[first] : isDirect ? size : -1 - size;
    if (events > 1) size += isDirect ? events : 1 + 2 * count;
  }
  const children = new Int32Array(size).fill(-1);
  for (let node = 0; node < row.length; node++) {
    const at = node * NodeField.count;
    if (nodes[at + NodeField.events] <= 1) continue;
    const first = childStart[node];
    const end = childStart[node + 1];
    const begin = nodes[at + NodeField.children];
    if (begin >= 0) {
      for (let c = first; c < end; c++) children[begin + childEvent[c] - childEvent[first]] = childNode[c];
      continue;
    }
    let next = -1 - begin;
    children[next++] = end - first;
    for (let c = first; c < end; c++) {
      children[next++] = childEvent[c];
      children[next++] = childNode[c];
    }
  }
  return { nodes, children };
}
