// Counts of n-grams of a small alphabet, by direct addresses: a count for each of symbols ** (order + 1) n-grams, many times as
// fast as looking each suffix up. Sequences have no ends. Suffixes come out by length, the shortest first, and then by number.

import { Numbers } from "../util/numbers.js";
import type { NgramCounts } from "./ngram.js";
import { RowTreeBuilder } from "./rows.js";

/** N-grams that may be counted so: above this, the counts take more memory than the time is worth. */
const MOST_NGRAMS = 32_000_000;

export function isDense(symbolCount: number, order: number): boolean {
  return order > 0 && symbolCount ** (order + 1) <= MOST_NGRAMS;
}

export function countDense(sequences: Iterable<ArrayLike<number>>, symbolCount: number, order: number): NgramCounts {
  // [order + 1] counts of a symbol after suffixes of each length: number of the suffix, the earliest event first, then symbol.
  const counts = Array.from({ length: order + 1 }, (_, length) => new Int32Array(symbolCount ** (length + 1)));
  for (const sequence of sequences) {
    countSequence(sequence, counts, symbolCount);
  }
  addShorter(counts);
  const tree = new RowTreeBuilder();
  const entries = counts.slice(1).reduce((sum, own) => sum + countAbove(own), 0);
  const symbols = new Int32Array(entries);
  const count = new Int32Array(entries);
  const start = new Numbers((length) => new Int32Array(length));
  start.push(0);
  start.push(0); // the empty suffix, whose counts are `total`
  let nodeOf = new Int32Array(1); // [suffixes of the length before]
  let entry = 0;
  for (let length = 1; length <= order; length++) {
    const own = counts[length];
    const shorter = symbolCount ** (length - 1);
    const nodes = new Int32Array(symbolCount ** length);
    for (let suffix = 0; suffix < nodes.length; suffix++) {
      const from = entry;
      for (let y = 0, at = suffix * symbolCount; y < symbolCount; y++, at++) {
        if (own[at] === 0) continue;
        symbols[entry] = y;
        count[entry++] = own[at];
      }
      if (entry === from) continue;
      nodes[suffix] = tree.child(nodeOf[suffix % shorter], Math.floor(suffix / shorter));
      start.push(entry);
    }
    nodeOf = nodes;
  }
  return {
    symbolCount,
    total: Float64Array.from(counts[0]),
    tree,
    start: start.taken(),
    symbols,
    count,
  };
}

/** Counts the longest n-gram that ends at each place. */
function countSequence(sequence: ArrayLike<number>, counts: readonly Int32Array[], symbolCount: number): void {
  const order = counts.length - 1;
  const whole = counts[order];
  const suffixes = symbolCount ** order;
  let ngram = 0;
  // Nothing stands before the beginning: the longest suffix there is shorter.
  for (let i = 0; i < order && i < sequence.length; i++) {
    ngram = ngram * symbolCount + sequence[i];
    counts[i][ngram]++;
  }
  for (let i = order; i < sequence.length; i++) {
    ngram = (ngram % suffixes) * symbolCount + sequence[i];
    whole[ngram]++;
  }
}

function countAbove(counts: Int32Array): number {
  let above = 0;
  for (let i = 0; i < counts.length; i++) if (counts[i] > 0) above++;
  return above;
}

/** Adds the counts of each length to those of the next shorter: what came after a suffix came after the shorter one. */
function addShorter(counts: readonly Int32Array[]): void {
  for (let length = counts.length - 1; length > 0; length--) {
    const longer = counts[length];
    const shorter = counts[length - 1];
    for (let at = 0, to = 0; at < longer.length; at++, to++) {
      if (to === shorter.length) to = 0;
      shorter[to] += longer[at];
    }
  }
}
