// The words of a language, with how often they came: what a text of letters is made of, beside words never seen.

import { PairIndex } from "../../util/pair-index.js";

/** More words than this tell hardly more: the rarest are left out. */
const MOST_WORDS = 150_000;

export class WordList {
  /** Words that were counted, those left out too. */
  readonly total: number;

  constructor(
    /** As strings of letters, the commonest first. */
    readonly words: readonly string[],
    /** [words] how often each came. */
    readonly counts: Int32Array,
    total?: number,
  ) {
    this.total = total ?? counts.reduce((a, b) => a + b, 0);
  }
}

/** Counts the words of a text of letters, [places], in which `letters.length` parts words. */
export function countWords(sequence: Int32Array, letters: readonly string[]): WordList {
  // A tree of prefixes: edges from a node by a letter; edge n leads to node n + 1.
  const edges = new PairIndex();
  let counts = new Int32Array(1 << 12);
  let node = 0;
  let total = 0;
  const between = letters.length;
  for (let i = 0; i <= sequence.length; i++) {
    if (i < sequence.length && sequence[i] !== between) {
      node = edges.add(node, sequence[i]) + 1;
      continue;
    }
    if (node >= counts.length) {
      const larger = new Int32Array(2 * Math.max(counts.length, node));
      larger.set(counts);
      counts = larger;
    }
    if (node > 0) {
      counts[node]++;
      total++;
    }
    node = 0;
  }
  const found: number[] = [];
  for (let n = 1; n <= edges.size; n++) if (n < counts.length && counts[n] > 0) found.push(n);
  // Equal counts stay in the order in which the words came.
  found.sort((a, b) => counts[b] - counts[a] || a - b);
  found.length = Math.min(found.length, MOST_WORDS);
  const spelled = (end: number): string => {
    let word = "";
    for (let n = end; n > 0; n = edges.first[n - 1]) word = letters[edges.second[n - 1]] + word;
    return word;
  };
  return new WordList(
    found.map(spelled),
    Int32Array.from(found, (n) => counts[n]),
    total,
  );
}
