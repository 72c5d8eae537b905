// Counts of neighbours in a text, as flat arrays. Words are numbered by their counts, the most frequent first; after them come
// two that stand for no one word: the boundary of sentences, and all words that are too rare to be told apart.

import { plainArrays } from "../engine/backend.js";
import { Numbers } from "../util/numbers.js";

/** For each word, which others stand beside it and how often: those of word w at start[w] to start[w + 1] - 1. */
export interface Neighbours {
  /** [words + 3] */
  start: Int32Array;
  word: Int32Array;
  count: Int32Array;
}

export interface Bigrams {
  words: readonly string[];
  /** [words + 2] how often each occurs. */
  counts: Int32Array;
  after: Neighbours;
  before: Neighbours;
  /** Of all kinds. */
  tokens: number;
}

/** Counts the words of sentences, and those seen at least so often by their neighbours. */
export function countBigrams(sentences: Iterable<readonly string[]>, leastCount: number): Bigrams {
  const numbers = new Map<string, number>();
  const counted: number[] = [];
  const text = new Numbers(plainArrays.int32); // numbers in order of appearance, -1 between sentences
  let tokens = 0;
  text.push(-1);
  for (const sentence of sentences) {
    for (const word of sentence) {
      let number = numbers.get(word);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(word, number);
        counted.push(0);
      }
      counted[number]++;
      text.push(number);
      tokens++;
    }
    if (sentence.length > 0) text.push(-1);
  }
  const names = [...numbers.keys()];
  // Among equals the one that came first.
  const order = [...counted.keys()]
    .filter((n) => counted[n] >= leastCount)
    .sort((a, b) => counted[b] - counted[a] || a - b);
  const boundary = order.length;
  const rare = boundary + 1;
  const place = new Int32Array(counted.length).fill(rare);
  order.forEach((n, i) => {
    place[n] = i;
  });
  const sequence = text.taken().map((n) => (n < 0 ? boundary : place[n]));
  const counts = new Int32Array(rare + 1);
  for (const word of sequence) counts[word]++;
  return {
    words: order.map((n) => names[n]),
    counts,
    after: neighbours(sequence, rare + 1, 1),
    before: neighbours(sequence, rare + 1, -1),
    tokens,
  };
}

/** Counting sort by word, then by neighbour; equal neighbours become one with a count. */
function neighbours(sequence: Int32Array, size: number, step: 1 | -1): Neighbours {
  const first = step === 1 ? 0 : 1;
  const end = sequence.length - (step === 1 ? 1 : 0);
  const offset = new Int32Array(size + 1);
  for (let i = first; i < end; i++) offset[sequence[i] + 1]++;
  for (let w = 0; w < size; w++) offset[w + 1] += offset[w];
  const all = new Int32Array(offset[size]);
  const next = offset.slice(0, size);
  for (let i = first; i < end; i++) all[next[sequence[i]]++] = sequence[i + step];
  const start = new Int32Array(size + 1);
  const count = new Int32Array(all.length);
  let to = 0;
  for (let w = 0; w < size; w++) {
    const own = all.subarray(offset[w], offset[w + 1]).sort();
    start[w] = to;
    for (let i = 0; i < own.length; i++) {
      if (i > 0 && own[i] === own[i - 1]) count[to - 1]++;
      else {
        // `to` never overtakes what is read.
        all[to] = own[i];
        count[to++] = 1;
      }
    }
  }
  start[size] = to;
  return { start, word: all.slice(0, to), count: count.slice(0, to) };
}
