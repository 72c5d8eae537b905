// How well a text of letters reads as words. A word is one of the list, or spelled out by the letters' own model:
//   P(w) = (count(w) - discount) / total  +  unknown * product over its letters and the space after it: P(letter | before).
// After a word v of which pairs are known it is, with b(v, w) = (count(v, w) - discount) / count(v),
//   P(w | v) = b(v, w) + lambda(v) P(w),     lambda(v) = 1 - sum over w: b(v, w).
// Where the spaces are known, words are scored one by one; where not, the sum over all ways to part the text into words is
//   f(j, w) = sum over v: f(i, v) P(w | v),   w = letters i to j - 1,     P(text) = sum over w: f(length, w).

import { forgivingProbability, visitRows } from "./key-tables.js";
import { type LanguageModel, SPACE } from "./language.js";
import type { WordList } from "./word-list.js";
import { WordPairScore } from "./word-pair-score.js";

/** Taken from the count of every word. */
const DISCOUNT = 0.5;

/** Share of words that are not in the list, at least. */
const UNKNOWN = 0.02;

/** Letters of a word that is not parted further, where spaces are unknown. */
const LONGEST = 16;

/** A text that ends within a word is as likely as this, beside one that ends with it. */
const CUT = 0.02;

/** Letters back that spelling looks; fewer, if the table would be large. */
const SPELLING = { order: 3, mostBits: 20 };

/** f(i) below this is scaled up, so that long texts do not vanish. */
const SMALLEST = 1e-200;

export class WordScore {
  /** Symbol that parts words, in texts that have it. */
  readonly space: number;
  /** Letters are numbers below this. */
  private readonly letterCount: number;
  private readonly bits: number;
  private readonly mask: number;
  private readonly begin: number;
  /** [contexts << bits | letter] P(letter | context), the latest letter of the context in the lowest bits. */
  private readonly spelling: Float32Array;
  /** [nodes][letters] tree of the words; 0 for none. */
  private readonly next: Int32Array;
  /** [nodes] probability of the word that ends here. */
  private readonly known: Float64Array;
  /** [nodes] the word that ends here, or -1. */
  private readonly wordAt: Int32Array;
  private readonly unknown: number;
  private readonly typicalScore: number;
  private readonly pairs: WordPairScore;
  /** [places + 1] sum over v: f(i, v), and the same times lambda(v). */
  private forward = new Float64Array(64);
  private backed = new Float64Array(64);

  /** `language`: of letters, with words. */
  constructor(language: LanguageModel, words: WordList) {
    const spaced = language.withSpaces(true) ?? language;
    const letters = language.symbols.all().filter((symbol) => symbol !== SPACE);
    this.letterCount = letters.length;
    this.space = letters.length;
    this.bits = Math.ceil(Math.log2(letters.length + 2));
    const order = Math.min(SPELLING.order, Math.floor(SPELLING.mostBits / this.bits) - 1);
    this.mask = (1 << (this.bits * order)) - 1;
    this.spelling = spellingTable(spaced, letters.length, this.bits, order);
    // Nothing is known before the space before a word.
    this.begin = this.space;
    for (let k = 1; k < order; k++) this.begin |= (letters.length + 1) << (this.bits * k);
    const tree = wordTree(words, letters);
    this.next = tree.next;
    this.known = tree.known;
    this.wordAt = tree.wordAt;
    this.pairs = new WordPairScore(words);
    this.unknown = Math.max(UNKNOWN, (DISCOUNT * words.words.length) / words.total);
    this.typicalScore = this.typicalOf(words, letters);
  }

  /** log P of a text, letters `from` to `to - 1` of `plain`, with the space as a symbol. `alone`: words without those before. */
  spaced(plain: ArrayLike<number>, from: number, to: number, alone = false): number {
    const { spelling, next, known, letterCount, bits, mask, space, pairs } = this;
    let total = 0;
    let before = -1;
    let node = 0;
    let isKnown = true;
    let spell = this.unknown;
    let context = this.begin;
    let isEmpty = true;
    for (let i = from; i <= to; i++) {
      const letter = i < to ? plain[i] : space;
      spell *= spelling[(context << bits) | letter];
      if (letter !== space) {
        context = ((context << bits) | letter) & mask;
        if (isKnown) {
          node = next[node * letterCount + letter];
          isKnown = node > 0;
        }
        isEmpty = false;
        continue;
      }
      if (!isEmpty) {
        const word = isKnown ? this.wordAt[node] : -1;
        const single = spell + (isKnown ? known[node] : 0);
        total += Math.log(alone ? single : pairs.backed(before) * single + pairs.direct(before, word));
        before = word;
      }
      node = 0;
      isKnown = true;
      spell = this.unknown;
      context = this.begin;
      isEmpty = true;
    }
    return total;
  }

  /** log P of a text without spaces. `alone`: words without those before. */
  unspaced(plain: ArrayLike<number>, from: number, to: number, alone = false): number {
    const { spelling, next, known, wordAt, letterCount, bits, mask, space, begin, unknown, pairs } = this;
    const length = to - from;
    if (this.forward.length < length + 1) {
      this.forward = new Float64Array(2 * length + 1);
      this.backed = new Float64Array(2 * length + 1);
    }
    const { forward, backed } = this;
    forward.fill(0, 0, length + 1);
    backed.fill(0, 0, length + 1);
    pairs.clear(length, LONGEST);
    forward[0] = 1;
    backed[0] = 1;
    let cut = 0;
    let logScale = 0;
    for (let i = 0; i < length; i++) {
      if (forward[i] === 0) continue;
      const end = Math.min(length, i + LONGEST);
      if (forward[i] < SMALLEST) {
        for (let j = i; j <= end; j++) {
          forward[j] /= SMALLEST;
          backed[j] /= SMALLEST;
          pairs.scale(j, SMALLEST);
        }
        cut /= SMALLEST;
        logScale += Math.log(SMALLEST);
      }
      const here = backed[i];
      let node = 0;
      let isKnown = true;
      let spell = unknown;
      let context = begin;
      for (let j = i; j < end; j++) {
        const letter = plain[from + j];
        spell *= spelling[(context << bits) | letter];
        context = ((context << bits) | letter) & mask;
        let mass = here * spell * spelling[(context << bits) | space];
        let word = -1;
        if (isKnown) {
          node = next[node * letterCount + letter];
          isKnown = node > 0;
          word = wordAt[node];
        }
        if (word >= 0) {
          mass += here * known[node];
          if (alone) word = -1;
          else {
            mass += pairs.after(i, word);
            pairs.note(j + 1, word, mass);
          }
        }
        forward[j + 1] += mass;
        backed[j + 1] += mass * pairs.backed(word);
      }
      if (end === length) cut += here * spell;
    }
    return Math.log(forward[length] + CUT * cut) + logScale;
  }

  /** P of a word by spelling, its space included. */
  private spelled(plain: ArrayLike<number>, from: number, to: number): number {
    const { spelling, bits, mask, space } = this;
    let spell = this.unknown;
    let context = this.begin;
    for (let i = from; i < to; i++) {
      spell *= spelling[(context << bits) | plain[i]];
      context = ((context << bits) | plain[i]) & mask;
    }
    return spell * spelling[(context << bits) | space];
  }

  private isListed(plain: ArrayLike<number>, from: number, to: number): boolean {
    let node = 0;
    for (let i = from; i < to; i++) {
      node = this.next[node * this.letterCount + plain[i]];
      if (node === 0) return false;
    }
    return this.known[node] > 0;
  }

  /** Words of a text with spaces that are not in the list. */
  unknownWords(plain: ArrayLike<number>): Span[] {
    const spans: Span[] = [];
    for (let from = 0, to = 0; to <= plain.length; to++) {
      if (to < plain.length && plain[to] !== this.space) continue;
      if (to > from && !this.isListed(plain, from, to)) spans.push({ from, to });
      from = to + 1;
    }
    return spans;
  }

  /** Stretches that are not made of words of the list, where the text is best parted; neighbours are one. */
  unknownSpans(plain: ArrayLike<number>): Span[] {
    const length = plain.length;
    const best = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
    const wordStart = new Int32Array(length + 1);
    const isListed = new Uint8Array(length + 1);
    best[0] = 0;
    for (let i = 0; i < length; i++) {
      for (let j = i + 1; j <= Math.min(length, i + LONGEST); j++) {
        const listed = this.isListed(plain, i, j);
        const node = listed ? this.probabilityOf(plain, i, j) : 0;
        const score = best[i] + Math.log(node + this.spelled(plain, i, j));
        if (score <= best[j]) continue;
        best[j] = score;
        wordStart[j] = i;
        isListed[j] = listed ? 1 : 0;
      }
    }
    const spans: Span[] = [];
    for (let to = length; to > 0; to = wordStart[to]) {
      if (isListed[to]) continue;
      const next = spans.at(-1);
      if (next?.from === to) next.from = wordStart[to];
      else spans.push({ from: wordStart[to], to });
    }
    return spans.reverse();
  }

  private probabilityOf(plain: ArrayLike<number>, from: number, to: number): number {
    let node = 0;
    for (let i = from; i < to; i++) node = this.next[node * this.letterCount + plain[i]];
    return this.known[node];
  }

  /**
   * What a letter of text of the language scores on average: each word of the list as if it had not been counted itself, as a
   * text that is not the plain text's own has it.
   */
  get typical(): number {
    return this.typicalScore;
  }

  private typicalOf({ words, counts, total }: WordList, letters: readonly string[]): number {
    const numberOf = new Map(letters.map((letter, i) => [letter, i]));
    let score = 0;
    let places = 0;
    words.forEach((word, w) => {
      const plain = Array.from(word, (letter) => numberOf.get(letter) as number);
      const known = Math.max(0, counts[w] - 1 - DISCOUNT) / total;
      score += counts[w] * Math.log(known + this.spelled(plain, 0, plain.length));
      places += counts[w] * plain.length;
    });
    return places > 0 ? score / places : 0;
  }
}

const made = new WeakMap<LanguageModel, WordScore>();

/** The words of a language serve all its ciphers. Undefined if none are known. */
export function wordScoreOf(language: LanguageModel): WordScore | undefined {
  if (!language.words) return undefined;
  const score = made.get(language) ?? new WordScore(language, language.words);
  made.set(language, score);
  return score;
}

/** A stretch of a text, `from` to `to - 1`. */
export interface Span {
  from: number;
  to: number;
}

/**
 * [contexts << bits | letter] P(letter | context); the number after the last letter is the space, and the next stands where
 * nothing is known.
 */
function spellingTable(
  { ngram, symbols }: LanguageModel,
  letterCount: number,
  bits: number,
  order: number,
): Float32Array {
  const table = new Float32Array(1 << (bits * (order + 1)));
  const contexts = 1 << (bits * order);
  const row = new Float32Array(1 << bits);
  visitRows(ngram, order, (probability, suffix) => {
    let number = 0;
    for (let i = suffix.length - 1; i >= 0; i--) number = (number << bits) | suffix[i];
    for (let y = 0; y <= letterCount; y++) row[y] = forgivingProbability(probability[y], symbols.size);
    const step = 1 << (bits * suffix.length);
    for (let context = number; context < contexts; context += step) table.set(row, context << bits);
  });
  return table;
}

function wordTree(
  { words, counts, total }: WordList,
  letters: readonly string[],
): { next: Int32Array; known: Float64Array; wordAt: Int32Array } {
  const numberOf = new Map(letters.map((letter, i) => [letter, i]));
  const width = letters.length;
  let room = 1;
  for (const word of words) room += word.length;
  let next = new Int32Array(Math.min(room, 1 << 16) * width);
  const ends = new Int32Array(words.length);
  let nodes = 1;
  words.forEach((word, w) => {
    let node = 0;
    for (const letter of word) {
      const at = node * width + (numberOf.get(letter) as number);
      if (next[at] === 0) {
        if ((nodes + 1) * width > next.length) {
          const larger = new Int32Array(2 * next.length);
          larger.set(next);
          next = larger;
        }
        next[at] = nodes++;
      }
      node = next[at];
    }
    ends[w] = node;
  });
  const known = new Float64Array(nodes);
  const wordAt = new Int32Array(nodes).fill(-1);
  ends.forEach((node, w) => {
    known[node] = (counts[w] - DISCOUNT) / total;
    wordAt[node] = w;
  });
  return { next: next.subarray(0, nodes * width), known, wordAt };
}
