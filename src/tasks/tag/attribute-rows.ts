// Attribute rows: for each attribute that is seen often enough, a row with the labels it was seen with, and if asked for with others
// that are in question (unseen.ts). Not all pairs of an attribute and a label have a weight, so memory follows what the data has. Where
// weights are more than fit into memory, attributes must be seen more often.

import type { RowTableBuilder } from "../../engine/rows.js";
import { PairIndex } from "../../util/pair-index.js";
import { type Corpus, UNKNOWN_LABEL } from "./corpus.js";
import type { LabelParts } from "./label-parts.js";
import { type CorpusScan, scanOf } from "./stored.js";
import { mayBeUnseen, symbolsInQuestion } from "./unseen.js";

export interface AttributeRowOptions {
  /** How often an attribute must be seen. */
  leastCount: (attribute: number) => number;
  parts?: LabelParts;
  /** Whether labels that an attribute was not seen with may have a weight, too. */
  unseen?: boolean;
  /** Told that some have. */
  onUnseen?: () => void;
  /** [attributes] how often each is seen, if that is known. */
  counts?: Int32Array;
  /** Weights that there may be, about. */
  mostWeights?: number;
  /** Told how often attributes must be seen for that, and how many are left out. */
  onLeftOut?: (leastCount: number, attributes: number) => void;
}

/**
 * Adds a row for each attribute seen at least so many times, with the labels it was seen with and their parts. Returns the row
 * of each attribute, -1 for those left out.
 */
export function addAttributeRows(
  table: RowTableBuilder,
  attributeCount: number,
  data: Corpus | CorpusScan,
  options: AttributeRowOptions,
): Int32Array {
  const { parts, leastCount } = options;
  const counts = options.counts ?? countsOf(data, attributeCount);
  const isKept = new Uint8Array(attributeCount);
  for (let a = 0; a < attributeCount; a++) isKept[a] = counts[a] >= leastCount(a) ? 1 : 0;
  const least = leastFor(data, counts, isKept, options);
  let leftOut = 0;
  for (let a = 0; a < attributeCount; a++) {
    if (!isKept[a] || counts[a] >= least) continue;
    isKept[a] = 0;
    leftOut++;
  }
  if (leftOut > 0) options.onLeftOut?.(least, leftOut);
  const pairs = pairsOf(data, isKept, parts);
  const symbolCount = table.symbolCount + (parts?.names.length ?? 0);
  const { order, start } = pairs.sorted(attributeCount, symbolCount);
  const range = parts ? { from: table.symbolCount, to: symbolCount } : { from: 0, to: table.symbolCount - 1 };
  const isAsked = options.unseen && mayBeUnseen(range);
  const more = isAsked ? symbolsInQuestion(pairs, range, data, { ...options, counts, isKept }) : undefined;
  if (more) options.onUnseen?.();
  const rows = new Int32Array(attributeCount).fill(-1);
  const symbols: number[] = [];
  for (let a = 0; a < attributeCount; a++) {
    if (start[a] === start[a + 1]) continue;
    symbols.length = 0;
    for (let n = start[a]; n < start[a + 1]; n++) {
      const symbol = pairs.second[order[n]];
      if (!more || symbol < range.from) symbols.push(symbol);
    }
    if (more) symbols.push(...more.symbolsOf(a));
    rows[a] = table.add(symbols);
  }
  return rows;
}

function countsOf(data: Corpus | CorpusScan, attributeCount: number): Int32Array {
  const counts = new Int32Array(attributeCount);
  for (const { attributes, sequenceStart, sequenceCount } of scanOf(data)) {
    const end = attributes.start[sequenceStart[sequenceCount]];
    for (let i = 0; i < end; i++) counts[attributes.ids[i]]++;
  }
  return counts;
}

/** The pairs of kept attributes and labels, or parts of labels, that occur. */
function pairsOf(data: Corpus | CorpusScan, isKept: Uint8Array, parts: LabelParts | undefined): PairIndex {
  const pairs = new PairIndex();
  // [attributes] the label each was seen with last: most are seen with the same again.
  const latest = new Int32Array(isKept.length).fill(UNKNOWN_LABEL);
  const note = (attribute: number, label: number): void => {
    const before = pairs.size;
    pairs.add(attribute, label);
    if (!parts || pairs.size === before) return;
    for (let p = parts.start[label]; p < parts.start[label + 1]; p++) pairs.add(attribute, parts.symbols[p]);
  };
  for (const { attributes, labels, allowedSets, sequenceStart, sequenceCount } of scanOf(data)) {
    const { start, ids } = attributes;
    const end = sequenceStart[sequenceCount];
    for (let p = 0; p < end; p++) {
      const label = labels[p];
      if (label === UNKNOWN_LABEL) continue;
      for (let i = start[p]; i < start[p + 1]; i++) {
        const attribute = ids[i];
        if (latest[attribute] === label || !isKept[attribute]) continue;
        latest[attribute] = label;
        if (label >= 0) note(attribute, label);
        else for (const one of allowedSets[-2 - label]) note(attribute, one);
      }
    }
  }
  return pairs;
}

/** Of so many attributes one is looked at to tell how many pairs there are. */
const SAMPLE = 16;
/** Counts that are told apart. */
const MOST_LEAST = 1024;

/** How often attributes must be seen for their pairs to be no more than there may be, told by a sixteenth of them. */
function leastFor(
  data: Corpus | CorpusScan,
  counts: Int32Array,
  isKept: Uint8Array,
  { parts, mostWeights = Number.POSITIVE_INFINITY }: AttributeRowOptions,
): number {
  if (mostWeights === Number.POSITIVE_INFINITY) return 0;
  // Each time it is seen, an attribute has a new label at most.
  const widest = parts ? 1 + mostParts(parts) : 1;
  let most = 0;
  for (let a = 0; a < counts.length; a++) if (isKept[a]) most += widest * counts[a];
  if (most <= mostWeights) return 0;
  const isSampled = (attribute: number): boolean => (Math.imul(attribute, 0x9e3779b1) >>> 0) % SAMPLE === 0;
  const pairs = pairsOf(
    data,
    isKept.map((kept, attribute) => (isSampled(attribute) ? kept : 0)),
    parts,
  );
  // [count] pairs of attributes seen so often.
  const seen = new Float64Array(MOST_LEAST + 1);
  for (let n = 0; n < pairs.size; n++) seen[Math.min(MOST_LEAST, counts[pairs.first[n]])] += SAMPLE;
  let least = MOST_LEAST;
  for (let sum = seen[least]; least > 1 && sum + seen[least - 1] <= mostWeights; least--) sum += seen[least - 1];
  return least;
}

function mostParts({ start }: LabelParts): number {
  return start.reduce((most, begin, label) => Math.max(most, (start[label + 1] ?? begin) - begin), 0);
}
