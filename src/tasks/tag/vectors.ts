// Word vectors as inputs of a tagger. Number d of the vector of the word at offset o from a position is the value of the attribute
// `vectors[o]:d`, which has a weight for every label, or where labels are composed, for every part of one:
//   score(i, y) += sum over o, d: vector(word at i + o)[d] · weight(o, d, y)
// Vectors are scaled to a length of 1 on average. A word without one is looked up in lower case; if that has none, it adds nothing.

import { Alphabet } from "../../engine/alphabet.js";
import type { Arrays, PositionRows } from "../../engine/backend.js";
import type { RowTableBuilder } from "../../engine/rows.js";
import { readVectors, type VectorSource, type WordVectors } from "../../formats/vectors.js";
import { type FileParts, type PartsReader, putStrings } from "../../model/parts.js";
import { InputError } from "../../util/errors.js";
import type { Corpus } from "./corpus.js";
import type { LabelParts } from "./label-parts.js";

/** Where the words stand whose vectors a position sees. */
const OFFSETS = [-1, 0, 1] as const;

/** What a corpus has of vectors. */
export interface VectorInputs {
  dimension: number;
  /** [words][dimension] */
  values: Float32Array | Float64Array;
  /** [positions] the word at each, -1 for one without a vector. */
  words: Int32Array;
}

export class Vectors {
  readonly words: Alphabet;

  constructor(
    words: Alphabet | readonly string[],
    readonly dimension: number,
    /** [words][dimension] */
    readonly values: Float32Array,
  ) {
    this.words = words instanceof Alphabet ? words : new Alphabet(words);
  }

  /** The number of a word, or of its lower case; -1 if neither has a vector. */
  numberOf(word: string): number {
    const exact = this.words.indexOf(word);
    return exact >= 0 ? exact : this.words.indexOf(word.toLowerCase());
  }
}

/** The vectors that a tagger keeps: those of `needed` words, and of the first `most` of the source. */
export async function vectorsFor(source: VectorSource, needed: Alphabet, most: number): Promise<Vectors> {
  if (typeof source !== "string" && !(typeof source === "object" && "blocks" in source)) {
    throw new InputError("option `vectors` must be the text of vectors, a word and its numbers per line");
  }
  const wanted = new Set<string>();
  for (const word of needed.all()) wanted.add(word).add(word.toLowerCase());
  const found = await readVectors(source, (word, before) => before < most || wanted.has(word));
  const { file } = typeof source === "string" ? {} : source;
  if (!found.words.some((word) => wanted.has(word))) {
    throw new InputError("no word of the data has a vector", { file, hint: "are the vectors of another language?" });
  }
  return new Vectors(found.words, found.dimension, scaled(found, file));
}

/** Vectors of length 1 on average. */
function scaled({ words, dimension, values }: WordVectors, file?: string): Float32Array {
  let sum = 0;
  for (let word = 0; word < words.length; word++) {
    sum += Math.hypot(...values.subarray(word * dimension, (word + 1) * dimension));
  }
  if (!(sum > 0)) throw new InputError("all vectors are zero", { file });
  return values.map((value) => (value * words.length) / sum);
}

/** The names of attributes, [offsets][dimension]. */
export function vectorNames(dimension: number): string[] {
  return OFFSETS.flatMap((offset) => Array.from({ length: dimension }, (_, d) => `vectors[${offset}]:${d}`));
}

/** Adds a row for each attribute of vectors, with all labels or all of their parts. */
export function addVectorRows(
  table: RowTableBuilder,
  attributeRow: Int32Array,
  ids: Int32Array,
  parts: LabelParts | undefined,
): void {
  const [first, count] = parts ? [table.symbolCount, parts.names.length] : [0, table.symbolCount - 1];
  const symbols = Array.from({ length: count }, (_, n) => first + n);
  for (const id of ids) attributeRow[id] = table.add(symbols);
}

/** [offsets][dimension] the rows of the attributes of vectors; -1 for those that have none. */
export function vectorRows(attributes: Alphabet, attributeRow: Int32Array | undefined, dimension: number): Int32Array {
  return Int32Array.from(vectorNames(dimension), (name) => {
    const id = attributes.indexOf(name);
    return id < 0 ? -1 : (attributeRow?.[id] ?? id);
  });
}

/** The vectors around the positions of a sequence as rows with values. */
export class VectorRows {
  private start: Int32Array;
  private ids: Int32Array;
  private values: Float64Array;

  constructor(
    /** [offsets][dimension] */
    private readonly rows: Int32Array,
    private readonly arrays: Arrays,
  ) {
    this.start = arrays.int32(64);
    this.ids = arrays.int32(1024);
    this.values = arrays.float64(1024);
  }

  /** Rows of the positions of a sequence, which count from 0. */
  of(corpus: Corpus, sequence: number): PositionRows {
    const { dimension, words, values } = corpus.vectors as VectorInputs;
    const from = corpus.sequenceStart[sequence];
    const to = corpus.sequenceStart[sequence + 1];
    this.grow(to - from, dimension);
    let count = 0;
    this.start[0] = 0;
    for (let p = from; p < to; p++) {
      for (let o = 0; o < OFFSETS.length; o++) {
        const at = p + OFFSETS[o];
        if (at < from || at >= to || words[at] < 0) continue;
        const first = words[at] * dimension;
        for (let d = 0; d < dimension; d++) {
          this.ids[count] = this.rows[o * dimension + d];
          this.values[count++] = values[first + d];
        }
      }
      this.start[p - from + 1] = count;
    }
    return { start: this.start, ids: this.ids, values: this.values };
  }

  private grow(length: number, dimension: number): void {
    const { arrays } = this;
    if (this.start.length < length + 1) this.start = arrays.int32(2 * (length + 1));
    const size = length * OFFSETS.length * dimension;
    if (this.ids.length >= size) return;
    this.ids = arrays.int32(2 * size);
    this.values = arrays.float64(2 * size);
  }
}

/** What the vectors around a position of the first sequence add to the score of a label, a sum for each word. */
export function vectorReasons(
  corpus: Corpus,
  position: number,
  rows: Int32Array,
  weightOf: (row: number) => number,
): { feature: string; weight: number }[] {
  const { dimension, words, values } = corpus.vectors as VectorInputs;
  return OFFSETS.flatMap((offset, o) => {
    const at = position + offset;
    if (at < 0 || at >= corpus.sequenceStart[1] || words[at] < 0) return [];
    let weight = 0;
    for (let d = 0; d < dimension; d++) {
      const row = rows[o * dimension + d];
      if (row >= 0) weight += values[words[at] * dimension + d] * weightOf(row);
    }
    return [{ feature: `vectors[${offset}]`, weight }];
  });
}

export function putVectors(parts: FileParts, vectors: Vectors | undefined): void {
  if (!vectors) return;
  putStrings(parts, "vectorWords", vectors.words.all());
  parts.tensors.vectors = { data: vectors.values };
}

export function readStoredVectors(reader: PartsReader): Vectors | undefined {
  if (!reader.has("vectors")) return undefined;
  const words = reader.alphabet("vectorWords");
  const values = reader.plainFloats("vectors");
  const dimension = values.length / words.size;
  if (!(dimension >= 1) || !Number.isInteger(dimension)) throw reader.damaged("its vectors do not cover their words");
  return new Vectors(words, dimension, values);
}
