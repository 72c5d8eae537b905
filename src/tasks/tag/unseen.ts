// Pairs of an attribute and a label that do not occur, and yet have a weight: a weight below zero says that the label is not to be
// expected beside the attribute. Most such pairs are never in question, so not all have one:
//   an attribute seen OFTEN has all labels;
//   a rarer one has those that are in question at one of its positions: labels that every attribute there that is seen VERY_OFTEN
//   was seen with.
// On CoNLL-2000 these are a fifth of all pairs, and the tagger does as well as with all of them.

import { type Corpus, UNKNOWN_LABEL } from "./corpus.js";
import type { TaggerRows } from "./rows.js";
import { type CorpusScan, scanOf } from "./stored.js";

const OFTEN = 10;
const VERY_OFTEN = 200;
/** With more labels, most pairs are out of the question and would be too many. */
const MOST_LABELS = 64;
/** Weights that there may be with such pairs, at most; the number does not depend on the machine. */
const MOST_WEIGHTS = 2 ** 23;
/** Labels of a word of a set. */
const BITS = 32;

/** Sets of labels, one for each attribute. */
export class LabelSets {
  readonly words: number;
  private readonly bits: Int32Array;

  constructor(
    attributes: number,
    private readonly labels: number,
  ) {
    this.words = Math.ceil(labels / BITS);
    this.bits = new Int32Array(attributes * this.words);
  }

  add(attribute: number, label: number): void {
    this.bits[attribute * this.words + Math.floor(label / BITS)] |= 1 << (label % BITS);
  }

  has(attribute: number, label: number): boolean {
    return ((this.bits[attribute * this.words + Math.floor(label / BITS)] >>> (label % BITS)) & 1) === 1;
  }

  /** Rising. */
  *labelsOf(attribute: number): Generator<number> {
    for (let label = 0; label < this.labels; label++) if (this.has(attribute, label)) yield label;
  }

  /** Leaves in a set what an attribute has, too. */
  intersect(set: Int32Array, attribute: number): void {
    for (let w = 0; w < this.words; w++) set[w] &= this.bits[attribute * this.words + w];
  }

  addAll(attribute: number, set: Int32Array): void {
    for (let w = 0; w < this.words; w++) this.bits[attribute * this.words + w] |= set[w];
  }

  get size(): number {
    let count = 0;
    for (let rest of this.bits) for (; rest !== 0; rest &= rest - 1) count++;
    return count;
  }
}

/** Whether pairs that do not occur may have weights, where there are so many labels. */
export function mayBeUnseen(labels: number): boolean {
  return labels <= MOST_LABELS;
}

/**
 * The labels of each attribute that have a weight, by those it was `seen` with; undefined if they would be too many. Attributes
 * that were seen with none have none.
 */
export function labelsInQuestion(
  seen: LabelSets,
  data: Corpus | CorpusScan,
  { counts, isKept, labels, mostWeights = MOST_WEIGHTS }: InQuestion,
): LabelSets | undefined {
  const sets = new LabelSets(counts.length, labels);
  const all = new Int32Array(sets.words).fill(-1);
  if (labels % BITS !== 0) all[sets.words - 1] = 2 ** (labels % BITS) - 1;
  const here = new Int32Array(sets.words);
  for (const { attributes, labels: known, sequenceStart, sequenceCount } of scanOf(data)) {
    const { start, ids } = attributes;
    const end = sequenceStart[sequenceCount];
    for (let p = 0; p < end; p++) {
      if (known[p] === UNKNOWN_LABEL) continue;
      here.set(all);
      for (let i = start[p]; i < start[p + 1]; i++) {
        if (counts[ids[i]] >= VERY_OFTEN && isKept[ids[i]]) seen.intersect(here, ids[i]);
      }
      for (let i = start[p]; i < start[p + 1]; i++) {
        if (isKept[ids[i]]) sets.addAll(ids[i], counts[ids[i]] >= OFTEN ? all : here);
      }
    }
  }
  return sets.size <= Math.min(mostWeights, MOST_WEIGHTS) ? sets : undefined;
}

interface InQuestion {
  /** [attributes] how often each is seen. */
  counts: Int32Array;
  /** [attributes] */
  isKept: Uint8Array;
  labels: number;
  /** Weights that there may be, about. */
  mostWeights?: number;
}

/** Weights of attributes that are nearer to zero than this change nothing. */
const SMALL = 0.01;

/** Makes the small weights of attributes zero, which a file does not hold. For attributes whose value is 1. */
export function dropSmall(weights: Float64Array, { table, labelTree }: TaggerRows): void {
  // Rows of labels come after those of attributes.
  const end = table.start[labelTree.row[0]];
  for (let e = 0; e < end; e++) if (Math.abs(weights[e]) < SMALL) weights[e] = 0;
}
