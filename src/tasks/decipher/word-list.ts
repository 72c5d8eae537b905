// The words of a language, with how often they came, and which came after which: what a text of letters is made of, beside words
// never seen.

import { grown } from "../../engine/trellis.js";
import { Numbers } from "../../util/numbers.js";
import { PairIndex } from "../../util/pair-index.js";

/** More words than this tell hardly more: the rarest are left out. */
const MOST_WORDS = 150_000;

/** Pairs that came less often than this tell little and take memory. */
const FEWEST_PAIRS = 2;

/** Which words came after which. */
export interface WordPairs {
  /** [words + 1] where the pairs of each first word begin. */
  start: Int32Array;
  /** [pairs] the second word, ascending within a first one; and how often the pair occurred. */
  second: Int32Array;
  counts: Int32Array;
}

export class WordList {
  /** Number of words counted, including those left out. */
  readonly total: number;

  constructor(
    /** As strings of letters, the commonest first. */
    readonly words: readonly string[],
    /** [words] how often each occurred. */
    readonly counts: Int32Array,
    total?: number,
    /** If they are known. */
    readonly pairs?: WordPairs,
  ) {
    this.total = total ?? counts.reduce((a, b) => a + b, 0);
  }
}

/** Counts the words of a text of letters, [places], in which `letters.length` parts words. */
export function countWords(sequence: Int32Array, letters: readonly string[]): WordList {
  const found = new SeenWords(sequence);
  const tokens = new Numbers((length) => new Int32Array(length));
  const between = letters.length;
  let from = 0;
  let hash = 0;
  for (let i = 0; i <= sequence.length; i++) {
    if (i < sequence.length && sequence[i] !== between) {
      hash = Math.imul(hash ^ (sequence[i] + 1), 0x01000193);
      continue;
    }
    if (i > from) tokens.push(found.count(from, i, hash));
    from = i + 1;
    hash = 0;
  }
  const { starts, ends, counts } = found;
  // Equal counts stay in the order in which the words came.
  const order = Array.from({ length: found.size }, (_, w) => w).sort((a, b) => counts[b] - counts[a] || a - b);
  order.length = Math.min(order.length, MOST_WORDS);
  return new WordList(
    order.map((w) => Array.from(sequence.subarray(starts[w], ends[w]), (letter) => letters[letter]).join("")),
    Int32Array.from(order, (w) => counts[w]),
    tokens.length,
    countPairs(tokens.lent().subarray(0, tokens.length), order, found.size),
  );
}

/** Counts the pairs of a text, [tokens] numbers of words, of which those in `order` are kept and numbered as they stand there. */
function countPairs(tokens: Int32Array, order: readonly number[], wordCount: number): WordPairs {
  const numberOf = new Int32Array(wordCount).fill(-1);
  order.forEach((word, number) => {
    numberOf[word] = number;
  });
  const pairs = new PairIndex();
  let counts = new Int32Array(1 << 12);
  for (let i = 1; i < tokens.length; i++) {
    const first = numberOf[tokens[i - 1]];
    const second = numberOf[tokens[i]];
    if (first < 0 || second < 0) continue;
    const pair = pairs.add(first, second);
    if (pair >= counts.length) counts = grown(counts, 2 * pair);
    counts[pair]++;
  }
  const sorted = pairs.sorted(order.length, order.length).order.filter((pair) => counts[pair] >= FEWEST_PAIRS);
  const start = new Int32Array(order.length + 1);
  for (const pair of sorted) start[pairs.first[pair] + 1]++;
  for (let word = 0; word < order.length; word++) start[word + 1] += start[word];
  return {
    start,
    second: sorted.map((pair) => pairs.second[pair]),
    counts: sorted.map((pair) => counts[pair]),
  };
}

/** The different words of a text, in order of first appearance: a hash table of places where they stand. */
class SeenWords {
  size = 0;
  /** [size] in use: where a word first begins and ends, and how often it came. */
  starts = new Int32Array(1 << 12);
  ends = new Int32Array(1 << 12);
  counts = new Int32Array(1 << 12);
  private hashes = new Int32Array(1 << 12);
  /** [power of two] number + 1 of the word at a place, 0 where it is free. */
  private places = new Int32Array(1 << 13);

  constructor(private readonly sequence: Int32Array) {}

  /** Counts the word at `from` to `to - 1` and returns its number. */
  count(from: number, to: number, hash: number): number {
    const { places, hashes } = this;
    const mask = places.length - 1;
    let place = placeOf(hash, mask);
    for (; places[place] > 0; place = (place + 1) & mask) {
      const w = places[place] - 1;
      if (hashes[w] !== hash || !this.isSame(w, from, to)) continue;
      this.counts[w]++;
      return w;
    }
    const w = this.size++;
    this.starts[w] = from;
    this.ends[w] = to;
    this.counts[w] = 1;
    hashes[w] = hash;
    places[place] = w + 1;
    if (this.size === hashes.length) this.grow();
    return w;
  }

  private isSame(w: number, from: number, to: number): boolean {
    const { sequence } = this;
    const start = this.starts[w];
    if (this.ends[w] - start !== to - from) return false;
    for (let i = from, at = start; i < to; i++, at++) if (sequence[i] !== sequence[at]) return false;
    return true;
  }

  private grow(): void {
    const room = 2 * this.size;
    this.starts = grown(this.starts, room);
    this.ends = grown(this.ends, room);
    this.counts = grown(this.counts, room);
    this.hashes = grown(this.hashes, room);
    this.places = new Int32Array(2 * room);
    const mask = this.places.length - 1;
    for (let w = 0; w < this.size; w++) {
      let place = placeOf(this.hashes[w], mask);
      while (this.places[place] > 0) place = (place + 1) & mask;
      this.places[place] = w + 1;
    }
  }
}

function placeOf(hash: number, mask: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) & mask;
}
