// Data for a tagger: read as its training data was, unless the user says otherwise. The number of columns is the model's,
// with or without one more for the label, so that a file like the training data can be predicted as it is.

import * as v from "valibot";
import {
  type ColumnPlaces,
  isBlank,
  separatorNames,
  separatorOf,
  takeLabel,
  wordFirst,
} from "../../formats/columns.js";
import { type LabelField, labelFields } from "../../formats/conllu-tagging.js";
import { detectFormat, type TaggingFormat, taggingFormats } from "../../formats/detect.js";
import { breaksLines } from "../../formats/fields.js";
import { type Pixels, parseFolds, pixelChoices } from "../../formats/letters.js";
import type { LineBlock, Lines } from "../../formats/line-blocks.js";
import { parseLabel } from "../../formats/parser.js";
import type { GivenLabel, TaggingSequence } from "../../formats/sequence.js";
import { parseTagging } from "../../formats/tagging.js";
import { InputError } from "../../util/errors.js";
import { choice, flag, type GivenOptions, text, whole } from "../../util/options.js";
import type { Asked, Cutting, InputUse } from "../task.js";
import { someOf } from "./corpus.js";
import { checkTokenizer, readRunning } from "./running-text.js";
import type { Tagger } from "./tagger.js";

/** How data is read, where the data of a model may be read in another way than its training data. */
export const rereading = {
  format: choice("format of the data", taggingFormats, { value: "format" }),
  separator: choice("columns: separator, every tab or any number of spaces", separatorNames, {
    value: "kind",
    otherwise: "tab if the first line has one",
  }),
  pixels: choice("letters: pixels to use", pixelChoices, { value: "size", otherwise: "16x8" }),
  folds: text("letters: folds to use, such as 0,2-9", { value: "list", otherwise: "all" }),
};

export const reading = {
  ...rereading,
  column: choice("conllu: the field or fields used as label", labelFields, { value: "field", otherwise: "upos" }),
  wordColumn: whole("columns: the column of the word, counted from 1", { least: 1, otherwise: "the first" }),
  labelColumn: whole("columns: the column of the label, counted from 1", { least: 1, otherwise: "the last" }),
  labelSets: flag("columns and crfsuite: a label `A|B` means that A or B is right"),
};

export type Rereading = GivenOptions<typeof rereading>;

const inputSchema = v.object({
  format: v.optional(v.picklist(taggingFormats)),
  /** Of a position, without the label. */
  columns: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  pixels: v.optional(v.picklist(pixelChoices)),
  column: v.optional(v.picklist(labelFields)),
  wordColumn: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  labelColumn: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  labelSets: v.optional(v.boolean()),
});

/** How a model's training data was read; kept in the model's note as `input`. */
export type InputNote = v.InferOutput<typeof inputSchema>;

export function inputNoteOf({ note }: Pick<Tagger, "note">): InputNote {
  const parsed = v.safeParse(inputSchema, note.input ?? {});
  return parsed.success ? parsed.output : {};
}

/** The labelled sequences of several sources; the format of the first and its number of columns hold for all. */
export async function* readLabelled(
  sources: Iterable<Lines>,
  given: GivenOptions<typeof reading> & { columns?: number },
): AsyncGenerator<TaggingSequence> {
  let first: string | undefined;
  for (const lines of sources) {
    first ??= lines.file;
    const { format, separator, column, pixels, folds, labelSets, wordColumn, labelColumn } = given;
    const stream = parseTagging(lines, {
      format,
      separator,
      column,
      wordColumn,
      labelColumn,
      labelled: true,
      pixels,
      folds: folds === undefined ? undefined : parseFolds(folds),
      labelSets,
      onFormat: (found) => {
        given.format = found;
      },
    });
    for await (const sequence of stream) {
      if (sequence.columns && given.format !== "letters") checkWidth(sequence, given, first);
      yield sequence;
    }
  }
}

function checkWidth(sequence: TaggingSequence, given: { columns?: number }, first: string | undefined): void {
  const width = (sequence.columns as string[][])[0].length;
  given.columns ??= width;
  if (width === given.columns) return;
  throw new InputError(
    `${width} column${width === 1 ? "" : "s"} and a label, where the data begins with ${given.columns}`,
    {
      file: sequence.file,
      line: sequence.line,
      hint: `all data must have the columns of ${first === "-" ? "the first sequence" : first}`,
    },
  );
}

/** A sequence for a model. */
export interface TaggerInput {
  /** What the model sees. `labels` are those of the data, where it has any. */
  sequence: TaggingSequence;
  /** The labels that the data carries, in use or not. */
  given?: readonly GivenLabel[];
  /** What a prediction is printed beside: the columns of the data, then the label given if there is one, [length][any]. */
  shown: string[][];
  /** The format it was read in, where it was. */
  format?: TaggingFormat;
  /** CoNLL-U: the field that the label is written to. */
  column?: LabelField;
  /** Whether every token stood on a line of its own, and a blank one after the last. */
  isByLine?: boolean;
  /** Whether tokens and labels are printed with escapes (`\t`, `\n`, `\\`), since they may hold tabs and line ends. */
  isEscaped?: boolean;
}

/**
 * Labels that the model does not know. `refuse`: all. `some`: those of a sequence that has no other, and none that is known
 * came before: what was taken for labels is something else. `allow`: none.
 */
export type Unknown = "refuse" | "some" | "allow";

/** The sequences of a source as the model needs them. */
export async function* readInputs(tagger: Tagger, lines: Lines, use: InputUse): AsyncGenerator<TaggerInput> {
  const note = inputNoteOf(tagger);
  const given = use.asked as Rereading & {
    known?: boolean;
    allowUnknown?: boolean;
    text?: boolean;
    tokenizer?: unknown;
  };
  const tokenizer = given.tokenizer === undefined ? undefined : checkTokenizer(given.tokenizer);
  if (tokenizer && !given.text) throw new InputError("option `tokenizer` needs option `text`");
  if (given.text) {
    checkRunning(tagger, note, given);
    for await (const sequence of readRunning(lines, tokenizer))
      yield { sequence, shown: shownColumns(sequence, "jsonl"), isEscaped: false };
    return;
  }
  const needed = use.answers !== "ignored" || given.known === true;
  const isAllowed = given.allowUnknown || use.answers === "judged";
  let unknown: Unknown = given.known ? "refuse" : isAllowed ? "allow" : "some";
  let format = "columns" as TaggingFormat; // known before the first sequence
  const stream = parseTagging(lines, {
    mayBeEmpty: use.mayBeEmpty,
    format: given.format ?? note.format,
    separator: given.separator,
    ...((given.format ?? note.format) === "conllu" && { column: note.column }),
    ...((given.format ?? note.format) === "columns" ? placesOf(note) : {}),
    labelled: needed,
    labelSets: note.labelSets,
    pixels: pixelsFor(note, given),
    folds: given.folds === undefined ? undefined : parseFolds(given.folds),
    onFormat: (found) => {
      format = found;
    },
  });
  const areLabelsAwkward = tagger.labels.all().some(breaksLines);
  for await (const sequence of stream) {
    const shown = shownColumns(sequence, format);
    const ignored =
      format === "columns" || format === "jsonl"
        ? splitLabels(sequence, tagger, note, format === "columns" && !needed)
        : undefined;
    const labels = ignored ?? sequence.labels;
    if (labels) unknown = checkLabels(tagger, labels, sequence, format, unknown, needed && !given.known);
    if (format === "crfsuite" && sequence.attributes?.every((names) => names.length === 0)) {
      throw new InputError("no position of the sequence has an attribute", {
        ...placeOf(sequence, 0, format),
        hint: "if this is not CRFsuite's format, set the format with option `format`",
      });
    }
    yield {
      sequence,
      given: labels,
      shown,
      format,
      column: note.column,
      isByLine: isByLine(format),
      isEscaped: areLabelsAwkward || format === "jsonl",
    };
  }
}

function placesOf({ wordColumn, labelColumn }: InputNote): ColumnPlaces {
  return { wordColumn, labelColumn };
}

/** Refuses running text for a model, or with options, that need more than words. */
function checkRunning({ source }: Tagger, { columns = 1 }: InputNote, given: Rereading & { known?: boolean }): void {
  const other = (["format", "separator", "pixels", "folds", "known"] as const).find((name) => given[name]);
  if (other) throw new InputError(`option \`text\` cannot be used with option \`${other}\``);
  if (source.kind === "given") throw new InputError("option `text`: the model was trained on attributes, not on words");
  if (columns > 1)
    throw new InputError(`option \`text\`: the model was trained on ${columns} columns, and text gives one`);
}

/** Whether every token has a line, and the end of a sequence. */
function isByLine(format: TaggingFormat): boolean {
  return format === "columns" || format === "conllu" || format === "crfsuite";
}

/** Where sequences end, by the format of the data. */
export function cutting(tagger: Tagger, first: LineBlock, asked: Asked, file: string): Cutting {
  // Places in the text count from its beginning.
  if (asked.text) throw new InputError("option `text` works on one thread only");
  const format = (asked as Rereading).format ?? inputNoteOf(tagger).format ?? detectFormat(first.lines, file);
  const ends = (line: string): boolean => {
    if (isByLine(format)) return line.trim() === "";
    if (format === "letters") return line.split("\t", 3)[2] === "-1";
    return true;
  };
  const filled = first.lines.find((line) => !isBlank(line));
  const separator = (asked as Rereading).separator ?? (filled === undefined ? undefined : separatorOf(filled));
  const options = format === "columns" ? { format, separator } : { format };
  return { ends, isByLine: isByLine(format), isKept: format === "conllu", options };
}

/** The pixels that the model looks at: others would give it attributes that mean something else to it. */
function pixelsFor(note: InputNote, { format = note.format, pixels }: Rereading): Pixels | undefined {
  if (format !== "letters") return pixels; // refused by the reader
  if (note.format !== undefined && note.format !== "letters") {
    throw new InputError(`the model was trained on ${note.format}, not on letters`);
  }
  const trained = note.format === undefined ? pixels : (note.pixels ?? "16x8");
  if (pixels !== undefined && pixels !== trained) {
    throw new InputError(`the model was trained with option \`pixels\` ${trained}, not ${pixels}`, {
      hint: "leave out option `pixels`",
    });
  }
  return trained;
}

/** What stands before the label in the output. */
function shownColumns(sequence: TaggingSequence, format: TaggingFormat): string[][] {
  const { columns, attributes, labels, id = "" } = sequence;
  const before = (i: number): readonly string[] => (format === "letters" ? [id] : (columns?.[i] ?? []));
  const length = (columns ?? attributes ?? []).length;
  return Array.from({ length }, (_, i) => [...before(i), ...(labels ? [labelText(labels[i])] : [])]);
}

/** A label as the text formats write it. */
function labelText(label: GivenLabel): string {
  if (label === null) return "_";
  return typeof label === "string" ? label : label.join("|");
}

/**
 * Compares the number of columns with the model's. One more is the label, where that can be: it is taken off, and what it
 * says is returned.
 */
export function splitLabels(
  sequence: TaggingSequence,
  tagger: Tagger,
  note: InputNote,
  mayHaveLabel: boolean,
): GivenLabel[] | undefined {
  const { columns } = sequence;
  if (!columns || note.columns === undefined || tagger.source.kind === "given") return undefined;
  const width = columns[0].length;
  if (width === note.columns) {
    // Without a label, and not in order yet.
    if (mayHaveLabel) for (const row of columns) wordFirst(row, note);
    return undefined;
  }
  if (!mayHaveLabel || width !== note.columns + 1) {
    const wanted = note.columns === 1 ? "1 column" : `${note.columns} columns`;
    const isLabelMissing = sequence.labels !== undefined && width === note.columns - 1;
    throw new InputError(`the model was trained on ${wanted}${mayHaveLabel ? " and a label" : ""}, found ${width}`, {
      file: sequence.file,
      line: sequence.line,
      hint: mayHaveLabel
        ? `give ${wanted}, or ${note.columns + 1} with the label last`
        : isLabelMissing
          ? "the last column was taken for the label: is the label missing?"
          : undefined,
    });
  }
  return columns.map((row, i) => {
    const place = placeOf(sequence, i, "columns");
    const label = takeLabel(row, note);
    wordFirst(row, note);
    return parseLabel(label, { labelled: true, labelSets: note.labelSets }, place);
  });
}

/** Refuses labels that the model does not know, at their line; returns which are refused from then on. */
export function checkLabels(
  tagger: Tagger,
  labels: readonly GivenLabel[],
  sequence: TaggingSequence,
  format: TaggingFormat,
  unknown: Unknown,
  mayAllow: boolean,
): Unknown {
  if (unknown === "allow") return "allow";
  const namesOf = (given: GivenLabel): readonly string[] => (typeof given === "string" ? [given] : (given ?? []));
  if (unknown === "some" && labels.some((given) => namesOf(given).some((label) => isKnown(tagger, label))))
    return "allow";
  labels.forEach((given, i) => {
    for (const label of namesOf(given)) {
      if (isKnown(tagger, label)) continue;
      throw new InputError(`the model does not know the label \`${label}\``, {
        ...placeOf(sequence, i, format),
        hint: `it knows ${someOf(tagger.labels.all())}${mayAllow ? "; option `allowUnknown` counts it as wrong" : ""}`,
      });
    }
  });
  return unknown;
}

export function isKnown(tagger: Tagger, label: string): boolean {
  return tagger.labels.indexOf(label) >= 0;
}

/** Where position `i` of a sequence stands. In JSON Lines a sequence is one line. */
function placeOf(sequence: TaggingSequence, i: number, format: TaggingFormat): { file?: string; line?: number } {
  const { file, line, source } = sequence;
  return { file, line: line === undefined || format === "jsonl" ? line : line + (source?.at[i] ?? i) };
}
