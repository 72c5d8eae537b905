// Sequences as numbers: a corpus holds many tagged sequences in flat arrays, attributes as row numbers, labels as symbols.
// The attribute rows hold only (attribute, label) pairs that occur, so memory follows what the data has, not
// attributes × labels.

import type { Alphabet } from "../../engine/alphabet.js";
import { type Arrays, plainArrays } from "../../engine/backend.js";
import type { GivenLabel } from "../../formats/sequence.js";
import { InputError, type Place } from "../../util/errors.js";
import { Numbers } from "../../util/numbers.js";
import { PieceNumbers } from "./piece-numbers.js";
import type { Columns, Piece, PositionPieces } from "./pieces.js";
import { TextValues, type ValueMatrix, type Values } from "./values.js";
import type { VectorInputs } from "./vectors.js";

/** A label position that is not one known label: -1 anything, -2 - k the k-th set of `allowedSets`. */
export const UNKNOWN_LABEL = -1;

export interface Corpus {
  sequenceCount: number;
  /** [sequenceCount + 1] first position of each sequence. */
  sequenceStart: Int32Array;
  /** [positions] label, or a negative number (see UNKNOWN_LABEL). */
  labels: Int32Array;
  /** Sets of labels that a position may have. */
  allowedSets: Int32Array[];
  attributes: AttributeArray;
  /** Attributes conjoined with the previous label. */
  conjoined: AttributeArray;
  /** The number of its first sequence among all there are; 0 if nothing is said. */
  first?: number;
  /** [sequenceCount] the document of each, where the data tells. */
  groups?: Int32Array;
  /** Vectors of the words, where the tagger has any. */
  vectors?: VectorInputs;
}

/** Attributes of positions in flat arrays. */
export interface AttributeArray {
  /** [positions + 1] */
  start: Int32Array;
  /** Attribute numbers; unknown attributes are left out. */
  ids: Int32Array;
  /** Values, or undefined where all are 1. */
  values: Float64Array | undefined;
}

/** Greatest value of an attribute: beyond it a score would have no digits left for what the other attributes say. */
const MOST_VALUE = 1e9;

/** What one position has, before it becomes numbers. */
export interface PositionAttributes {
  attributes: readonly (readonly string[])[];
  values?: readonly (readonly number[] | undefined)[];
  conjoined?: readonly (readonly string[])[];
}

const noNames: readonly string[] = [];

/** Gathers attributes position by position. */
class AttributeGatherer {
  private readonly start: Numbers<Int32Array>;
  private readonly ids: Numbers<Int32Array>;
  /** Made when the first value comes that is not 1. */
  private values: Numbers<Float64Array> | undefined;
  /** Made when the first pieces come. */
  private pieceNumbers: PieceNumbers | undefined;

  constructor(
    private readonly alphabet: Alphabet,
    private readonly grows: boolean,
    private readonly arrays: Arrays,
    /** What pieces are made of. */
    private readonly seen: Values,
  ) {
    this.start = new Numbers(arrays.int32);
    this.ids = new Numbers(arrays.int32);
    this.start.push(0);
  }

  clear(): void {
    this.start.length = 1;
    this.ids.length = 0;
    this.values = undefined;
  }

  get count(): number {
    return this.ids.length;
  }

  /** Forgets which values gave which numbers. */
  forget(): void {
    this.pieceNumbers = undefined;
  }

  lend(): AttributeArray {
    return { start: this.start.lent(), ids: this.ids.lent(), values: this.values?.lent() };
  }

  add(names: readonly string[], values: readonly number[] | undefined, place?: Place): void {
    for (let i = 0; i < names.length; i++) {
      if (values && !(Math.abs(values[i]) <= MOST_VALUE)) {
        throw new InputError(`the attribute \`${names[i]}\` has the value ${values[i]}`, {
          ...place,
          hint: `values must be at most ${MOST_VALUE}: use another unit`,
        });
      }
      const id = this.grows ? this.alphabet.add(names[i]) : this.alphabet.indexOf(names[i]);
      if (id < 0) continue;
      const value = values ? values[i] : 1;
      if (value !== 1 && !this.values) {
        this.values = new Numbers(this.arrays.float64);
        for (let n = 0; n < this.ids.length; n++) this.values.push(1);
      }
      this.ids.push(id);
      this.values?.push(value);
    }
    this.start.push(this.ids.length);
  }

  /** The attributes of all positions of a sequence. */
  addPieces(pieces: readonly Piece[], matrix: ValueMatrix): void {
    this.pieceNumbers ??= new PieceNumbers(this.alphabet, this.grows, this.seen);
    this.pieceNumbers.gather(pieces, matrix, this.ids, this.start);
  }

  /** Whether so much is remembered of values that it is time to forget it. */
  get isFull(): boolean {
    return this.pieceNumbers?.isFull ?? false;
  }

  build(): AttributeArray {
    return {
      start: this.start.taken(),
      ids: this.ids.taken(),
      values: this.values?.taken(),
    };
  }
}

/** Makes a corpus of sequences. With `grows`, new labels and attributes get numbers; without, new attributes are left out. */
export class CorpusBuilder {
  private readonly sequenceStart = new Numbers(plainArrays.int32);
  private readonly labelNumbers = new Numbers(plainArrays.int32);
  private allowedSets: Int32Array[] = [];
  private readonly attributes: AttributeGatherer;
  private readonly conjoined: AttributeGatherer;
  /** [positions] where words are numbered. */
  private readonly words = new Numbers(plainArrays.int32);

  constructor(
    readonly labels: Alphabet,
    attributes: Alphabet,
    conjoined: Alphabet,
    private readonly grows: boolean,
    /** Where attributes are put. */
    arrays: Arrays = plainArrays,
    private readonly values: Values = new TextValues(),
  ) {
    this.attributes = new AttributeGatherer(attributes, grows, arrays, values);
    this.conjoined = new AttributeGatherer(conjoined, grows, arrays, values);
    this.sequenceStart.push(0);
  }

  /** Forgets all sequences, and keeps the room they had. */
  clear(): void {
    this.sequenceStart.length = 1;
    this.labelNumbers.length = 0;
    this.allowedSets = [];
    this.words.length = 0;
    this.attributes.clear();
    this.conjoined.clear();
  }

  /** How many numbers it holds, about. */
  get size(): number {
    return 2 * this.labelNumbers.length + this.attributes.count + this.conjoined.count;
  }

  /** Says that names have other numbers from here on. */
  forgetNumbers(): void {
    this.attributes.forget();
    this.conjoined.forget();
  }

  /** The corpus without a copy: valid until something is added, and with arrays that are longer than what they hold. */
  lend(vectors?: Omit<VectorInputs, "words">): Corpus {
    return {
      sequenceCount: this.sequenceStart.length - 1,
      sequenceStart: this.sequenceStart.lent(),
      labels: this.labelNumbers.lent(),
      allowedSets: this.allowedSets,
      attributes: this.attributes.lend(),
      conjoined: this.conjoined.lend(),
      vectors: vectors && { ...vectors, words: this.words.lent() },
    };
  }

  /** The words of a sequence that is added next, as numbers. */
  addWords(columns: Columns, numberOf: (word: string) => number): void {
    for (const row of columns) this.words.push(numberOf(row[0] ?? ""));
  }

  /** [positions] the words that were added. */
  takeWords(): Int32Array {
    return this.words.taken();
  }

  /** A sequence with attributes by name. */
  add(length: number, position: PositionAttributes, labels?: readonly GivenLabel[], place?: Place): void {
    for (let i = 0; i < length; i++) {
      this.attributes.add(position.attributes[i], position.values?.[i], place);
      this.conjoined.add(position.conjoined?.[i] ?? noNames, undefined);
    }
    this.addLabels(length, labels, place);
  }

  /** A sequence with attributes that pieces make of its columns. */
  addColumns(columns: Columns, pieces: PositionPieces, labels?: readonly GivenLabel[], place?: Place): void {
    this.forgetIfFull();
    this.addValues(this.values.matrixOf(columns), pieces);
    this.addLabels(columns.length, labels, place);
  }

  /** The same of values that have numbers, without labels; `forgetIfFull` must have been asked before they got them. */
  addNumbered(matrix: ValueMatrix, pieces: PositionPieces): void {
    this.addValues(matrix, pieces);
    this.addLabels(matrix.length, undefined);
  }

  private addValues(matrix: ValueMatrix, pieces: PositionPieces): void {
    this.attributes.addPieces(pieces.attributes, matrix);
    this.conjoined.addPieces(pieces.conjoined, matrix);
  }

  /** Forgets values and their numbers, if there are so many that it is time. */
  forgetIfFull(): void {
    if (!this.values.isFull && !this.attributes.isFull && !this.conjoined.isFull) return;
    this.values.clear();
    this.forgetNumbers();
  }

  private addLabels(length: number, labels: readonly GivenLabel[] | undefined, place?: Place): void {
    for (let i = 0; i < length; i++) {
      this.labelNumbers.push(labels ? this.labelNumber(labels[i], place) : UNKNOWN_LABEL);
    }
    this.sequenceStart.push(this.labelNumbers.length);
  }

  private labelNumber(given: GivenLabel, place?: Place): number {
    if (given === null) return UNKNOWN_LABEL;
    if (typeof given === "string") return this.oneLabel(given, place);
    if (given.length === 1) return this.oneLabel(given[0], place);
    if (given.length === 0) throw new InputError("a position allows no label", place);
    this.allowedSets.push(Int32Array.from(new Set(given.map((label) => this.oneLabel(label, place)))).sort());
    return -1 - this.allowedSets.length;
  }

  private oneLabel(label: string, place?: Place): number {
    if (this.grows) return this.labels.add(label);
    const number = this.labels.indexOf(label);
    if (number < 0) {
      throw new InputError(`the model does not know the label \`${label}\``, {
        ...place,
        hint: `it knows ${someOf(this.labels.all())}`,
      });
    }
    return number;
  }

  build(): Corpus {
    return {
      sequenceCount: this.sequenceStart.length - 1,
      sequenceStart: this.sequenceStart.taken(),
      labels: this.labelNumbers.taken(),
      allowedSets: this.allowedSets,
      attributes: this.attributes.build(),
      conjoined: this.conjoined.build(),
    };
  }
}

/** The sequences of two corpora with the same alphabets, one after the other. */
export function joinCorpora(first: Corpus, second: Corpus): Corpus {
  const sets = first.allowedSets.length;
  return {
    sequenceCount: first.sequenceCount + second.sequenceCount,
    sequenceStart: joinOffsets(first.sequenceStart, second.sequenceStart),
    labels: joined(
      first.labels,
      second.labels.map((label) => (label < UNKNOWN_LABEL ? label - sets : label)),
    ),
    allowedSets: [...first.allowedSets, ...second.allowedSets],
    attributes: joinAttributes(first.attributes, second.attributes),
    conjoined: joinAttributes(first.conjoined, second.conjoined),
    groups: first.groups,
    vectors: first.vectors && {
      ...first.vectors,
      words: joined(first.vectors.words, (second.vectors as VectorInputs).words),
    },
  };
}

function joinAttributes(first: AttributeArray, second: AttributeArray): AttributeArray {
  const valuesOf = ({ ids, values }: AttributeArray): Float64Array => values ?? new Float64Array(ids.length).fill(1);
  return {
    start: joinOffsets(first.start, second.start),
    ids: joined(first.ids, second.ids),
    values: first.values || second.values ? joined(valuesOf(first), valuesOf(second)) : undefined,
  };
}

function joinOffsets(first: Int32Array, second: Int32Array): Int32Array {
  const end = first[first.length - 1];
  return joined(
    first,
    second.subarray(1).map((offset) => offset + end),
  );
}

function joined<T extends Int32Array | Float64Array>(first: T, second: T): T {
  const both = new (first.constructor as new (length: number) => T)(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The first of many names, for a message. */
export function someOf(names: readonly string[]): string {
  return names.length <= 12 ? names.join(", ") : `${names.slice(0, 12).join(", ")} and ${names.length - 12} more`;
}

/** The labels a position may have: one, a set, or undefined for all. */
export function allowedAt(corpus: Corpus, position: number): readonly number[] | Int32Array | undefined {
  const label = corpus.labels[position];
  if (label >= 0) return [label];
  return label === UNKNOWN_LABEL ? undefined : corpus.allowedSets[-2 - label];
}
