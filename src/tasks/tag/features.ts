// Where the attributes of a tagger come from: built in, a template, the data itself, or a function of the user's.

import { checkSequence, type GivenLabel, type TaggingSequence } from "../../formats/sequence.js";
import type { VectorSource } from "../../formats/vectors.js";
import { InputError, type Place, unknownName } from "../../util/errors.js";
import type { NamedText } from "../../util/options.js";
import { chunkingPieces, columnPieces, latestText, type TextVersion } from "./attributes.js";
import type { CorpusBuilder, PositionAttributes } from "./corpus.js";
import { type Lexicon, withLexicons } from "./lexicon.js";
import { type Columns, type Piece, type PositionPieces, pieceNames } from "./pieces.js";
import { type CompiledTemplate, compileTemplate } from "./template.js";

/** A user's own attributes of position `i`. */
export type FeatureFunction = (columns: readonly (readonly string[])[], i: number) => readonly string[];

/** Where attributes come from: built in (`text`, `chunking`), from columns; a template; `given` with each sequence; a function. */
export type FeatureSource =
  | { kind: "text"; version?: TextVersion }
  | { kind: "chunking" }
  | { kind: "given" }
  | { kind: "template"; text: string }
  | { kind: "function" };

/** What a training is told of attributes. */
export interface GivenFeatures {
  /** A CRF++ or Wapiti template that makes attributes of columns. */
  template?: string;
  /** The template's file, named in errors. */
  templateFile?: string;
  /**
   * Makes attributes of columns: the built-in `text` or `chunking` (those of CRFsuite's example, for word and part of
   * speech), or a function, which is not saved with the model. Default: what the data gives, or else `text`.
   */
  features?: FeatureFunction | "text" | "chunking";
  /** Lists of words or phrases, and tables of their classes, which the model keeps. */
  lexicon?: readonly NamedText[];
  /** Vectors of words as text, a word and its numbers per line, which the model keeps. */
  vectors?: VectorSource;
  /** How many of the vectors the model keeps beside those of words in the data: the first. */
  vectorsWords?: number;
}

interface AttributeMakerParts {
  template: CompiledTemplate | undefined;
  features: FeatureFunction | undefined;
  lexicons: readonly Lexicon[];
  conjoin: boolean;
  /** The number of a word for its vector, if there are vectors. */
  wordNumber?: (word: string) => number;
}

/** Adds a sequence to a corpus, with the attributes of a source; returns its length. */
export function addSequence(
  builder: CorpusBuilder,
  sequence: TaggingSequence,
  labels: readonly GivenLabel[] | undefined,
  source: FeatureSource,
  parts: AttributeMakerParts,
): number {
  const length = checkSequence(sequence, labels);
  if (source.kind === "given") {
    if (parts.lexicons.length > 0) {
      throw new InputError("option `lexicon` needs words in columns; the data has attributes", sequence);
    }
    if (parts.wordNumber) {
      throw new InputError("option `vectors` needs words in columns; the data has attributes", sequence);
    }
    if (!sequence.attributes) {
      throw new InputError("the model was trained on attributes, but the sequence has none", sequence);
    }
    builder.add(length, named(sequence.attributes, sequence.values, parts), labels, sequence);
    return length;
  }
  const { columns } = sequence;
  if (!columns) throw new InputError("the model was trained on columns, but the sequence has none", sequence);
  if (parts.wordNumber) builder.addWords(columns, parts.wordNumber);
  if (source.kind === "function") {
    builder.add(length, named(ownAttributes(columns, parts), undefined, parts), labels, sequence);
  } else {
    const own = piecesOf(columns, source, parts.template, sequence);
    const told = toldBy(parts.lexicons, columns);
    builder.addColumns(told.columns, joinedPieces(own, told.pieces, parts.conjoin), labels, sequence);
  }
  return length;
}

/** The pieces of columns and of what lexicons say of these. */
export function joinedPieces(own: PositionPieces, told: readonly Piece[], conjoin: boolean): PositionPieces {
  // Those of lexicons come first: the others depend on the number of columns.
  const all = told.length > 0 ? [...told, ...own.attributes] : own.attributes;
  return { attributes: all, conjoined: conjoin ? [...own.conjoined, ...all] : own.conjoined };
}

/** What lexicons say of words, as columns and pieces. */
function toldBy(lexicons: readonly Lexicon[], given: Columns): { columns: Columns; pieces: Piece[] } {
  const inColumns = lexicons.filter(({ isTable }) => !isTable);
  if (inColumns.length === 0) return { columns: given, pieces: tablePieces(lexicons) };
  const { columns, first } = withLexicons(given, inColumns);
  return { columns, pieces: lexicons.flatMap((lexicon) => lexicon.pieces(first + inColumns.indexOf(lexicon))) };
}

/** Of lexicons that are tables, which need no columns of their own. */
export function tablePieces(tables: readonly Lexicon[]): Piece[] {
  return tables.flatMap((table) => table.pieces(NO_COLUMN));
}

const NO_COLUMN = 0;

function named(
  attributes: PositionAttributes["attributes"],
  values: PositionAttributes["values"],
  { conjoin }: AttributeMakerParts,
): PositionAttributes {
  return { attributes, values, conjoined: conjoin ? attributes : undefined };
}

/** Attributes by the user's own function. */
function ownAttributes(
  columns: string[][],
  { features, lexicons }: AttributeMakerParts,
): PositionAttributes["attributes"] {
  if (!features) {
    throw new InputError("the model uses a feature function, which is not saved in the file", {
      hint: "set the function with setFeatures",
    });
  }
  const attributes = columns.map((_, i) => features(columns, i));
  if (attributes.some((names) => !Array.isArray(names))) {
    throw new InputError("the function `features` should return an array of names for each position");
  }
  if (lexicons.length > 0) {
    const told = toldBy(lexicons, columns);
    return attributes.map((names, i) => [...names, ...pieceNames(told.pieces, told.columns, i)]);
  }
  return attributes;
}

/** The pieces of attributes that a source makes of columns. `place` is where these begin, for errors. */
export function piecesOf(
  columns: Columns,
  source: FeatureSource,
  template: CompiledTemplate | undefined,
  place: Place,
): PositionPieces {
  if (source.kind === "template") return (template as CompiledTemplate).pieces(columns, place);
  if (source.kind === "chunking") {
    if (columns.some((row) => row.length < 2)) {
      throw new InputError("the chunking attributes need two columns, word and part of speech", place);
    }
    return { attributes: chunkingPieces, conjoined: [] };
  }
  const width = columns.length > 0 ? Math.max(1, columns[0].length) : 1;
  const narrow = columns.findIndex((row) => row.length < width);
  if (narrow >= 0) {
    throw new InputError(`\`columns[${narrow}]\` should have ${width} or more, found ${columns[narrow].length}`, place);
  }
  const version = source.kind === "text" ? source.version : undefined;
  return { attributes: columnPieces(width, version ?? 1), conjoined: [] };
}

export function attributeMaker(
  given: GivenFeatures,
  { conjoin, lexicons, wordNumber }: Pick<AttributeMakerParts, "conjoin" | "lexicons" | "wordNumber">,
  textVersion = latestText,
) {
  const template = given.template === undefined ? undefined : compileTemplate(given.template, given.templateFile);
  if (template && given.features) throw new InputError("give a template or features, not both");
  const parts: AttributeMakerParts = { template, features: functionOf(given.features), lexicons, conjoin, wordNumber };
  return {
    sourceOf(sequence: TaggingSequence): FeatureSource {
      if (parts.features) return { kind: "function" };
      if (given.features === "chunking") return { kind: "chunking" };
      if (template) return { kind: "template", text: template.text };
      if (given.features === undefined && sequence.attributes) return { kind: "given" };
      return { kind: "text", version: textVersion };
    },
    /** Whether a template makes attributes of the words in the first column, and none of parts of them. */
    seesWholeWords: (sequence: TaggingSequence): boolean =>
      template?.seesWholeWords === true && sequence?.columns !== undefined,
    add: (builder: CorpusBuilder, sequence: TaggingSequence, source: FeatureSource) =>
      addSequence(builder, sequence, sequence.labels, source, parts),
  };
}

/** The user's own function; undefined for built-in attributes. */
export function functionOf(features: GivenFeatures["features"]): FeatureFunction | undefined {
  if (features === undefined || features === "text" || features === "chunking") return undefined;
  if (typeof features === "function") return features;
  throw unknownName("features setting", String(features), ["text", "chunking"]);
}
