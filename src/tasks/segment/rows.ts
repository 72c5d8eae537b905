// The rows of a segmenter. Attributes of positions have rows over (label, role of the position in its segment), those of whole
// segments and contexts rows over the engine's symbols (label and length). They lie in one table and share one array of
// weights; `roleTable` and `symbolTable` are two views of it, with their own numbers of symbols.
// Contexts are classes of the segments before: a context tree over classes, in which all symbols of a class lead to one node.

import type { RowFamily } from "../../engine/problem.js";
import { type RowTable, type RowTableBuilder, type RowTree, RowTreeBuilder } from "../../engine/rows.js";
import { BEGIN } from "../../engine/trellis.js";
import type { AttributeArray, SegmentCorpus } from "./corpus.js";
import type { SegmentSymbols } from "./symbols.js";

/** What an attribute may speak for; part r of label y has the number ROLES * y + r. */
export const ROLES = 5;
export const FIRST = 0;
export const INSIDE = 1;
export const LAST = 2;
export const SINGLE = 3;
/** That the position lies in a segment of the label, whatever its place there. */
export const ANY = 4;

export interface SegmenterRows {
  symbols: SegmentSymbols;
  /** [rows + 1], [entries]: a row table; its symbols are roles or symbols, by the kind of row. */
  start: Int32Array;
  entries: Int32Array;
  /** [attributes of positions] the row of each, or -1. */
  attributeRow: Int32Array;
  /** [attributes of segments] */
  wholeRow: Int32Array;
  /** Classes of previous segments, latest first. */
  classTree: RowTree;
}

/** Rows over roles. */
export function roleTable({ start, entries, symbols }: SegmenterRows): RowTable {
  return { symbolCount: ROLES * symbols.longest.length, start, symbols: entries };
}

/** Rows over symbols. */
export function symbolTable({ start, entries, symbols }: SegmenterRows): RowTable {
  return { symbolCount: symbols.labelOf.length, start, symbols: entries };
}

/** The entries of a row. */
export function entriesOf({ start, entries }: Pick<SegmenterRows, "start" | "entries">, row: number): Int32Array {
  return row < 0 ? entries.subarray(0, 0) : entries.subarray(start[row], start[row + 1]);
}

/** Where there is one label alone, contexts tell lengths apart: 1, 2, and this and all above. */
const LENGTH_CLASSES = 3;

/** What contexts remember of a segment: its label, or where there is but one the class of its length. */
export function contextClass({ labelOf, lengthOf, longest }: SegmentSymbols, symbol: number): number {
  return longest.length > 1 ? labelOf[symbol] : Math.min(lengthOf[symbol], LENGTH_CLASSES) - 1;
}

export function contextClassCount({ longest }: SegmentSymbols): number {
  return longest.length > 1 ? longest.length : LENGTH_CLASSES;
}

/** Rows of contexts of up to this many symbols are made whole; wider ones hold only what occurs, but for single segments. */
const DENSE_SYMBOLS = 64;
const DENSE_SINGLE = 1024;

/** [positions] the role of each in its right segment, with its label. */
export function goldRoles({ gold, textStart }: SegmentCorpus, { labelOf, lengthOf }: SegmentSymbols): Int32Array {
  const roles = new Int32Array(textStart[textStart.length - 1]);
  for (let p = 0; p < roles.length; p++) {
    if (gold[p] < 0) continue;
    const base = ROLES * labelOf[gold[p]];
    const length = lengthOf[gold[p]];
    if (length === 1) {
      roles[p] = base + SINGLE;
      continue;
    }
    roles[p] = base + FIRST;
    roles.fill(base + INSIDE, p + 1, p + length - 1);
    roles[p + length - 1] = base + LAST;
  }
  return roles;
}

/**
 * A row for each attribute of positions seen at least `minCount` times, with the roles it was seen with and those it is `kept`
 * with; -1 for the others. With one label, that a position has it says nothing.
 */
export function addRoleRows(
  table: RowTableBuilder,
  { start, ids }: AttributeArray,
  attributeCount: number,
  roles: Int32Array,
  { labels, minCount }: { labels: number; minCount: number },
  kept: (attribute: number) => Int32Array,
): Int32Array {
  // Positions by attribute, by a counting sort.
  const offset = new Int32Array(attributeCount + 1);
  for (const id of ids) offset[id + 1]++;
  for (let a = 0; a < attributeCount; a++) offset[a + 1] += offset[a];
  const place = offset.slice(0, attributeCount);
  const positions = new Int32Array(ids.length);
  for (let p = 0; p + 1 < start.length; p++) {
    for (let i = start[p]; i < start[p + 1]; i++) positions[place[ids[i]]++] = p;
  }
  const rows = new Int32Array(attributeCount).fill(-1);
  const seenBy = new Int32Array(ROLES * labels).fill(-1);
  let found: number[] = [];
  const note = (role: number, a: number): void => {
    if (seenBy[role] === a) return;
    seenBy[role] = a;
    found.push(role);
  };
  for (let a = 0; a < attributeCount; a++) {
    found = [];
    for (const role of kept(a)) note(role, a);
    if (offset[a + 1] - offset[a] >= minCount) {
      for (let i = offset[a]; i < offset[a + 1]; i++) {
        const role = roles[positions[i]];
        note(role, a);
        if (labels > 1) note(role - (role % ROLES) + ANY, a);
      }
    }
    if (found.length > 0) rows[a] = table.add(found.sort((x, y) => x - y));
  }
  return rows;
}

/** What a tree has before its texts come: paths of classes from the root, and the symbols of their rows. */
export type KeptContexts = Iterable<readonly [classes: readonly number[], symbols: Iterable<number>]>;

/** A row for ⋆, for each class, and for each longer run of classes that occurs before a segment. */
export function addContextRows(
  table: RowTableBuilder,
  { textCount, textStart, gold }: SegmentCorpus,
  symbols: SegmentSymbols,
  order: number,
  kept: KeptContexts = [],
): RowTree {
  const tree = new RowTreeBuilder();
  const symbolCount = symbols.labelOf.length;
  const classCount = contextClassCount(symbols);
  const followers: Set<number>[] = [new Set()];
  const note = (node: number, symbol: number): void => {
    followers[node] ??= new Set();
    followers[node].add(symbol);
  };
  if (order > 0) for (let event = BEGIN; event < classCount; event++) tree.child(0, event);
  for (const [classes, own] of kept) {
    if (classes.length > order) continue;
    const node = classes.reduce((above, event) => tree.child(above, event), 0);
    for (const symbol of own) note(node, symbol);
  }
  const before: number[] = [];
  for (let text = 0; text < textCount; text++) {
    before.length = 0;
    for (let p = textStart[text]; p < textStart[text + 1]; p++) {
      if (gold[p] < 0) continue;
      note(0, gold[p]);
      let node = 0;
      for (let n = 1; n <= order; n++) {
        const event = before.length >= n ? before[before.length - n] : BEGIN;
        node = tree.child(node, event);
        note(node, gold[p]);
        if (event === BEGIN) break;
      }
      before.push(contextClass(symbols, gold[p]));
    }
  }
  for (let node = 0; node < tree.nodes; node++) {
    const isSingle = node <= classCount + 1;
    const isDense = symbolCount <= (isSingle ? DENSE_SINGLE : DENSE_SYMBOLS);
    const all = isDense ? Array.from({ length: symbolCount }, (_, s) => s) : [...(followers[node] ?? [])];
    tree.setRow(node, table.add(all.sort((a, b) => a - b)));
  }
  return tree.build();
}

/** The tree that the engine walks: from each node, every symbol of a class leads to the child of the class. */
function symbolTree({ classTree, symbols }: SegmenterRows): RowTree {
  const { row, childStart, childEvent, childNode } = classTree;
  const members: number[][] = Array.from({ length: contextClassCount(symbols) }, () => []);
  for (let symbol = 0; symbol < symbols.labelOf.length; symbol++) members[contextClass(symbols, symbol)].push(symbol);
  const start = [0];
  const edges: [event: number, node: number][] = [];
  for (let node = 0; node < row.length; node++) {
    const own: [number, number][] = [];
    for (let c = childStart[node]; c < childStart[node + 1]; c++) {
      const events = childEvent[c] === BEGIN ? [BEGIN] : members[childEvent[c]];
      for (const event of events) own.push([event, childNode[c]]);
    }
    for (const edge of own.sort(([a], [b]) => a - b)) edges.push(edge);
    start.push(edges.length);
  }
  return {
    row,
    childStart: Int32Array.from(start),
    childEvent: Int32Array.from(edges, ([event]) => event),
    childNode: Int32Array.from(edges, ([, node]) => node),
  };
}

/** The family of context rows that the engine walks. */
export function segmenterFamily(rows: SegmenterRows, order: number): RowFamily {
  return { tree: symbolTree(rows), depth: order, skip: -2, pairs: false, keyed: false };
}
