// The sequences that a tagger learns from, as numbers: in memory (a corpus) or on disk. What a training asks of either.

import type { Alphabet } from "../../engine/alphabet.js";
import { blocksOf, type ExampleBlocks } from "../../learn/order.js";
import type { OrderSizes } from "../../learn/scratch.js";
import { type Corpus, joinCorpora } from "./corpus.js";
import type { ReadCorpus } from "./reading.js";
import { type Translation, translated } from "./scheme.js";
import { StoredSequences, sizeOf } from "./stored.js";
import type { VectorInputs, Vectors } from "./vectors.js";

export type Examples = Corpus | StoredSequences;

export function isStored(data: Examples | ReadCorpus): data is StoredSequences {
  return data instanceof StoredSequences;
}

export function sequencesOf(data: Examples): number {
  return isStored(data) ? data.count : data.sequenceCount;
}

export function positionsOf(data: Examples): number {
  return isStored(data) ? data.positions : data.labels.length;
}

/** [sequences] */
export function lengthsOf(data: Examples): Int32Array {
  if (isStored(data)) return Int32Array.from(data.scan(), ({ labels }) => labels.length);
  const { sequenceStart, sequenceCount } = data;
  return Int32Array.from({ length: sequenceCount }, (_, s) => sequenceStart[s + 1] - sequenceStart[s]);
}

/** See `Learner.blocks`. */
export function blocksIn(data: Examples, order: OrderSizes): ExampleBlocks | undefined {
  const size = isStored(data) ? (s: number) => data.weightOf(s) : (s: number) => sizeOf(data, s);
  return blocksOf(sequencesOf(data), size, order);
}

/** With the labels of the learned scheme. */
export function inScheme(
  data: Examples,
  labels: Alphabet,
  symbols: Alphabet,
  translation: Translation | undefined,
): Examples {
  if (!translation) return data;
  if (!isStored(data)) return translated(data, labels, symbols, translation);
  const sets: Int32Array[] = [];
  data.rewrite((corpus) => translated(corpus, labels, symbols, translation, false, sets));
  data.facts.allowedSets = sets;
  return data;
}

/** Those to learn from, and after them those to judge by. */
export function withJudges(own: Examples, judges: Corpus | undefined): Examples {
  if (!judges) return own;
  if (!isStored(own)) return joinCorpora(own, judges);
  own.append(judges);
  return own;
}

/** With the vectors of words: those alone that it needs, so that threads can share them. */
export function withVectors(data: ReadCorpus | StoredSequences, names?: Alphabet, vectors?: Vectors): Examples {
  if (!names || !vectors) {
    if (isStored(data)) return data;
    const { words: _, ...corpus } = data;
    return corpus;
  }
  const { dimension, values } = vectors;
  const numbers = names.all().map((name) => vectors.numberOf(name));
  const own = new Float64Array(numbers.length * dimension);
  numbers.forEach((number, word) => {
    if (number >= 0) own.set(values.subarray(number * dimension, (number + 1) * dimension), word * dimension);
  });
  const known = (words: Int32Array): Int32Array => words.map((word) => (numbers[word] < 0 ? -1 : word));
  if (!isStored(data)) {
    const { words, ...corpus } = data;
    return { ...corpus, vectors: { dimension, values: own, words: known(words) } };
  }
  data.facts.vectors = { dimension, values: own };
  data.rewrite((corpus) => {
    const inputs = corpus.vectors as VectorInputs;
    return { ...corpus, vectors: { ...inputs, words: known(inputs.words) } };
  });
  return data;
}
