// Pairs of an attribute and a label that do not occur, and yet have a weight: a weight below zero says that the label is not to be
// expected beside the attribute. Most such pairs are never in question, so not all have one:
//   an attribute seen OFTEN has all labels;
//   a rarer one has those that are in question at one of its positions: labels that every attribute there that is seen VERY_OFTEN
//   was seen with.
// On CoNLL-2000 these are a fifth of all pairs, and the tagger does as well as with all of them. Where labels are composed, the same
// holds for their parts, and labels as a whole have weights where they occur.

import type { PairIndex } from "../../util/pair-index.js";
import { type Corpus, UNKNOWN_LABEL } from "./corpus.js";
import type { TaggerRows } from "./rows.js";
import { type CorpusScan, scanOf } from "./stored.js";

const OFTEN = 10;
const VERY_OFTEN = 200;
/** With more symbols, most pairs are out of the question and would be too many. */
const MOST_SYMBOLS = 128;
/** Weights that there may be with such pairs, at most; the number does not depend on the machine. */
const MOST_WEIGHTS = 2 ** 23;
/** Symbols of a word of a set. */
const BITS = 32;

/** The symbols of labels, or those of their parts. */
export interface SymbolRange {
  from: number;
  to: number;
}

/** Sets of symbols of a range, one for each attribute. */
class SymbolSets {
  readonly words: number;
  private readonly bits: Int32Array;

  constructor(
    attributes: number,
    private readonly range: SymbolRange,
  ) {
    this.words = Math.ceil((range.to - range.from) / BITS);
    this.bits = new Int32Array(attributes * this.words);
  }

  add(attribute: number, symbol: number): void {
    const bit = symbol - this.range.from;
    this.bits[attribute * this.words + Math.floor(bit / BITS)] |= 1 << (bit % BITS);
  }

  /** Rising. */
  *symbolsOf(attribute: number): Generator<number> {
    const { from, to } = this.range;
    for (let bit = 0; bit < to - from; bit++) {
      const word = this.bits[attribute * this.words + Math.floor(bit / BITS)];
      if (((word >>> (bit % BITS)) & 1) === 1) yield from + bit;
    }
  }

  /** A set of all symbols. */
  all(): Int32Array {
    const set = new Int32Array(this.words).fill(-1);
    const rest = (this.range.to - this.range.from) % BITS;
    if (rest > 0) set[this.words - 1] = 2 ** rest - 1;
    return set;
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

/** Whether pairs that do not occur may have weights, where there are so many symbols. */
export function mayBeUnseen({ from, to }: SymbolRange): boolean {
  return to - from <= MOST_SYMBOLS;
}

interface InQuestion {
  /** [attributes] how often each is seen. */
  counts: Int32Array;
  /** [attributes] */
  isKept: Uint8Array;
  /** Weights that there may be, about. */
  mostWeights?: number;
}

/** The symbols of each attribute that have a weight, by the pairs that occur; undefined if they would be too many. */
export function symbolsInQuestion(
  pairs: PairIndex,
  range: SymbolRange,
  data: Corpus | CorpusScan,
  { counts, isKept, mostWeights = MOST_WEIGHTS }: InQuestion,
): SymbolSets | undefined {
  const seen = new SymbolSets(counts.length, range);
  for (let n = 0; n < pairs.size; n++) if (pairs.second[n] >= range.from) seen.add(pairs.first[n], pairs.second[n]);
  const sets = new SymbolSets(counts.length, range);
  const all = sets.all();
  const here = new Int32Array(sets.words);
  for (const { attributes, labels, sequenceStart, sequenceCount } of scanOf(data)) {
    const { start, ids } = attributes;
    const end = sequenceStart[sequenceCount];
    for (let p = 0; p < end; p++) {
      if (labels[p] === UNKNOWN_LABEL) continue;
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

/** Weights of attributes that are nearer to zero than this change nothing. */
const SMALL = 0.01;

/** Makes the small weights of attributes zero, which a file does not hold. For attributes whose value is 1. */
export function dropSmall(weights: Float64Array, { table, labelTree }: TaggerRows): void {
  // Rows of labels come after those of attributes.
  const end = table.start[labelTree.row[0]];
  for (let e = 0; e < end; e++) if (Math.abs(weights[e]) < SMALL) weights[e] = 0;
}
