// Words with classes, from sentences without labels: counts (bigrams.ts), exchange and joining (clusters.ts).
//   const table = clusterWords([["the", "dog"], ["a", "dog"]], { classes: 2 });      // [{ word: "dog", bits: "0", count: 2 }, …]

import { InputError } from "../util/errors.js";
import { type OptionsOf, readOptions, whole } from "../util/options.js";
import { type Bigrams, countBigrams } from "./bigrams.js";
import { bitsOf, Exchange, joinClasses } from "./clusters.js";

export const clusterOptions = {
  classes: whole("number of classes", {
    least: 2,
    most: 2_000,
    otherwise: "half the square root of the number of tokens, from 20 to 600",
  }),
  minCount: whole("leave out words seen fewer times than this", { least: 1, usual: 3 }),
  passes: whole("maximum number of passes over the words", { least: 1, usual: 10 }),
};

export interface WordClass {
  word: string;
  /** The class; classes with a common prefix are similar. */
  bits: string;
  count: number;
}

export interface ClusterProgress {
  pass: number;
  passes: number;
  /** Words processed in this pass, of all words, and how many of them moved. */
  done: number;
  total: number;
  moved: number;
}

/** A pass in which fewer of the words move is the last. */
const FEW = 0.02;
/** Words between two calls of `onProgress`. */
const STEP = 256;

interface Clustering extends Partial<OptionsOf<typeof clusterOptions>> {
  onProgress?(progress: ClusterProgress): void;
}

/** Words by class, those of a class by count. The same sentences and options give the same classes. */
export function clusterWords(sentences: Iterable<readonly string[]>, given: Clustering = {}): WordClass[] {
  const { exchange, bigrams, options } = exchanged(sentences, given);
  const { words, counts } = bigrams;
  if (!exchange) {
    throw new InputError(`too little text: ${words.length} words occur ${options.minCount} times or more`, {
      hint: "give more text, or lower the option `minCount`",
    });
  }
  const bits = bitsOf(joinClasses(exchange.counts, exchange.classCount), exchange.classCount);
  return words
    .map((word, w) => ({ word, bits: bits[exchange.classOf[w]], count: counts[w] }))
    .sort((a, b) => (a.bits < b.bits ? -1 : a.bits > b.bits ? 1 : b.count - a.count || (a.word < b.word ? -1 : 1)));
}

/** Words, the most frequent first, and the number of the class of each: the same classes, which nothing relates to one another. None of too little text. */
export function classNumbers(
  sentences: Iterable<readonly string[]>,
  given: Clustering = {},
): { words: readonly string[]; classOf: Int32Array } {
  const { exchange, bigrams } = exchanged(sentences, given);
  if (!exchange) return { words: [], classOf: new Int32Array(0) };
  return { words: bigrams.words, classOf: exchange.classOf.slice(0, bigrams.words.length) };
}

/** Words in the classes that they end up in, which one word alone has none of. */
function exchanged(
  sentences: Iterable<readonly string[]>,
  given: Clustering,
): { exchange: Exchange | undefined; bigrams: Bigrams; options: OptionsOf<typeof clusterOptions> } {
  const { onProgress } = given;
  const options = readOptions(clusterOptions, given, { others: ["onProgress"] });
  const bigrams = countBigrams(sentences, options.minCount);
  const { words, tokens } = bigrams;
  const wanted = options.classes ?? Math.min(600, Math.max(20, Math.round(Math.sqrt(tokens) / 2)));
  if (words.length < 2) return { exchange: undefined, bigrams, options };
  const exchange = new Exchange(bigrams, Math.min(wanted, words.length));
  for (let pass = 1; pass <= options.passes; pass++) {
    let moved = 0;
    for (let w = 0; w < words.length; w++) {
      const before = exchange.classOf[w];
      exchange.move(w);
      if (exchange.classOf[w] !== before) moved++;
      if ((w + 1) % STEP === 0 || w + 1 === words.length) {
        onProgress?.({ pass, passes: options.passes, done: w + 1, total: words.length, moved });
      }
    }
    // In the first pass all words are put in their places.
    if (pass > 1 && moved < FEW * words.length) break;
  }
  return { exchange, bigrams, options };
}
