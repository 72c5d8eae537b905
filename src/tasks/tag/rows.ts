// The rows of a tagger: attribute rows (slot features), label n-gram rows (context rows, with the row of ⋆), and rows of
// attributes conjoined with the previous label. Built once from a corpus; after that their number is fixed.

import type { RowFamily } from "../../engine/problem.js";
import { type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "../../engine/rows.js";
import { BEGIN } from "../../engine/trellis.js";
import { type AttributeRowOptions, addAttributeRows } from "./attribute-rows.js";
import { allowedAt, type Corpus } from "./corpus.js";
import type { LabelParts } from "./label-parts.js";
import { type CorpusScan, scanOf } from "./stored.js";
import { addVectorRows } from "./vectors.js";

export interface TaggerRows {
  table: RowTable;
  /** [attributes] row of each, or -1; undefined where attribute n has row n, as in a file. */
  attributeRow: Int32Array | undefined;
  /** Label n-grams, latest label first. */
  labelTree: RowTree;
  /** From the root by conjoined attribute, then by label. Undefined if there are none. */
  conjoinedTree: RowTree | undefined;
  /** Of labels that are composed: their parts have entries in the rows of attributes. */
  parts?: LabelParts;
  /** [offsets][dimension] the rows of vectors, where there are any. */
  vectorRows?: Int32Array;
}

/** [attributes] the row of each attribute, or -1. */
export function attributeRows({ attributeRow }: TaggerRows, attributes: number): Int32Array {
  return attributeRow ?? Int32Array.from({ length: attributes }, (_, attribute) => attribute);
}

/** Rows of up to this many symbols are made whole; wider ones hold only what occurs, but for single labels. */
const DENSE_SYMBOLS = 64;
/** Rows of single labels are whole up to this many symbols: their number squared is still small. */
const DENSE_SINGLE = 1024;

export function taggerRows(
  data: Corpus | CorpusScan,
  sizes: { labels: number; attributes: number; conjoined: number },
  options: Partial<AttributeRowOptions> & {
    order: number;
    minCount: number;
    /** Attributes that are numbers of vectors. */
    vectorIds?: Int32Array;
  },
): TaggerRows {
  const symbolCount = sizes.labels + 1;
  const table = new RowTableBuilder(symbolCount);
  const { minCount, leastCount = () => minCount, parts } = options;
  const attributeRow = addAttributeRows(table, sizes.attributes, data, { ...options, leastCount });
  if (options.vectorIds) addVectorRows(table, attributeRow, options.vectorIds, parts);
  const labelTree = addLabelRows(table, data, sizes.labels, options.order);
  const conjoinedTree = sizes.conjoined > 0 ? addConjoinedRows(table, data, options.minCount) : undefined;
  return { table: table.build(), attributeRow, labelTree, conjoinedTree, parts };
}

/** A row for ⋆, for each label, and for each longer suffix of labels that occurs before a decision. */
function addLabelRows(table: RowTableBuilder, data: Corpus | CorpusScan, labelCount: number, order: number): RowTree {
  const tree = new RowTreeBuilder();
  const end = labelCount;
  const followers: Set<number>[] = [];
  const note = (node: number, symbol: number): void => {
    followers[node] ??= new Set();
    followers[node].add(symbol);
  };
  if (order > 0) for (let y = BEGIN; y < labelCount; y++) tree.child(0, y);
  const addSequence = ({ labels, sequenceStart }: Corpus, s: number): void => {
    const from = sequenceStart[s];
    const to = sequenceStart[s + 1];
    for (let p = from; p <= to; p++) {
      const symbol = p < to ? labels[p] : end;
      let node = 0;
      for (let n = 1; n <= order; n++) {
        const before = p - n;
        const event = before >= from ? labels[before] : BEGIN;
        if (before >= from && event < 0) break; // not a known label
        node = tree.child(node, event);
        if (symbol >= 0) note(node, symbol);
        if (before < from) break;
      }
    }
  };
  for (const corpus of scanOf(data)) for (let s = 0; s < corpus.sequenceCount; s++) addSequence(corpus, s);
  const nodes = tree.nodes;
  for (let node = 0; node < nodes; node++) {
    const isSingle = node <= labelCount + 1;
    const dense = symbolsFit(table.symbolCount, isSingle);
    tree.setRow(node, dense ? table.addDense() : table.add([...(followers[node] ?? [])].sort((a, b) => a - b)));
  }
  return tree.build();
}

function symbolsFit(symbolCount: number, isSingle: boolean): boolean {
  return symbolCount <= (isSingle ? DENSE_SINGLE : DENSE_SYMBOLS);
}

/** A row for each pair (conjoined attribute, previous label) that occurs, with the labels that follow. */
function addConjoinedRows(table: RowTableBuilder, data: Corpus | CorpusScan, minCount: number): RowTree {
  const tree = new RowTreeBuilder();
  const followers: Set<number>[] = [];
  const counts: number[] = [];
  const addSequence = (corpus: Corpus, s: number): void => {
    const { start, ids } = corpus.conjoined;
    for (let p = corpus.sequenceStart[s] + 1; p < corpus.sequenceStart[s + 1]; p++) {
      const previous = allowedAt(corpus, p - 1);
      const current = allowedAt(corpus, p);
      if (!previous || !current) continue;
      for (let i = start[p]; i < start[p + 1]; i++) {
        const key = tree.child(0, ids[i]);
        for (const label of previous) {
          const node = tree.child(key, label);
          counts[node] = (counts[node] ?? 0) + 1;
          followers[node] ??= new Set();
          for (const symbol of current) followers[node].add(symbol);
        }
      }
    }
  };
  for (const corpus of scanOf(data)) for (let s = 0; s < corpus.sequenceCount; s++) addSequence(corpus, s);
  for (let node = 1; node < tree.nodes; node++) {
    if (followers[node] && counts[node] >= minCount) {
      tree.setRow(node, table.add([...followers[node]].sort((a, b) => a - b)));
    }
  }
  return tree.build();
}

/** The families of context rows that the engine walks. */
export function taggerFamilies(rows: TaggerRows, order: number): RowFamily[] {
  const families: RowFamily[] = [{ tree: rows.labelTree, depth: order, skip: -2, pairs: false, keyed: false }];
  if (rows.conjoinedTree) families.push({ tree: rows.conjoinedTree, depth: 1, skip: -2, pairs: false, keyed: true });
  return families;
}
