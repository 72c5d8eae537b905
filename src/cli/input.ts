// Data for a model: read as the model's training data was, unless the user says otherwise. The number of columns is the
// model's, with or without one more for the label, so that a file like the training data can be predicted as it is.

import * as v from "valibot";
import { type TaggingFormat, taggingFormats } from "../formats/detect.js";
import { type Pixels, parseFolds, pixelChoices } from "../formats/letters.js";
import type { LineSource } from "../formats/lines.js";
import { parseLabel } from "../formats/parser.js";
import { readTagging } from "../formats/read.js";
import type { GivenLabel, TaggingSequence } from "../formats/sequence.js";
import { someOf } from "../tasks/tag/corpus.js";
import { Tagger } from "../tasks/tag/tagger.js";
import { InputError } from "../util/errors.js";
import type { Model } from "../workflows/model.js";
import type { ReadFlags } from "./options.js";

const inputSchema = v.object({
  format: v.optional(v.picklist(taggingFormats)),
  /** Of a position, without the label. */
  columns: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  pixels: v.optional(v.picklist(pixelChoices)),
  labelSets: v.optional(v.boolean()),
});

/** How a model's training data was read; kept in the model's note as `input`. */
export type InputNote = v.InferOutput<typeof inputSchema>;

export function inputNoteOf(tagger: Tagger): InputNote {
  const parsed = v.safeParse(inputSchema, tagger.note.input ?? {});
  return parsed.success ? parsed.output : {};
}

/** A model as the tagger it must be. */
export function taggerOf(model: Model, path: string): Tagger {
  if (!(model instanceof Tagger)) throw new InputError("this model is no tagger", { file: path });
  if (model.source.kind === "function") {
    throw new InputError("the model makes its attributes with a function of the program that trained it", {
      file: path,
      hint: "use it from that program: loadModel, then setFeatures",
    });
  }
  return model;
}

export interface ModelInput {
  /** What the model sees. `labels` are those of the data, where it has any. */
  sequence: TaggingSequence;
  /** The labels that the data carries, in use or not. */
  given?: readonly GivenLabel[];
  /** What a prediction is printed beside: the columns of the data, then the label given if there is one, [length][any]. */
  shown: string[][];
}

export interface ReadForModel extends ReadFlags {
  /** The name of the source for errors, where that is not its path. */
  file?: string;
  mayBeEmpty?: boolean;
  /** `needed`: data without labels is refused. `ignored`: labels are not kept. */
  labels: "needed" | "ignored";
  /**
   * Labels that the model does not know. `refuse`: all. `chunks`: all but those of a chunk type that it does know (`I-LST`
   * where it has seen `B-LST` alone), which happen in sound data. `allow`: none.
   */
  unknown: "refuse" | "chunks" | "allow";
}

/** The sequences of a file, standard input (`-`) or a stream, as the model needs them. */
export async function* readForModel(
  source: LineSource,
  tagger: Tagger,
  options: ReadForModel,
): AsyncGenerator<ModelInput> {
  const note = inputNoteOf(tagger);
  const needed = options.labels === "needed";
  let format = "columns" as TaggingFormat; // known before the first sequence
  const stream = readTagging(source, {
    file: options.file,
    mayBeEmpty: options.mayBeEmpty,
    format: options.format ?? note.format,
    labelled: needed,
    labelSets: note.labelSets,
    pixels: pixelsFor(note, options),
    folds: options.folds === undefined ? undefined : parseFolds(options.folds),
    onFormat: (found) => {
      format = found;
    },
  });
  for await (const sequence of stream) {
    const shown = shownColumns(sequence, format);
    const ignored =
      format === "columns" || format === "jsonl"
        ? splitLabels(sequence, tagger, note, format === "columns" && !needed)
        : undefined;
    const given = ignored ?? sequence.labels;
    if (given) checkLabels(tagger, given, sequence, format, options);
    if (format === "crfsuite" && sequence.attributes?.every((names) => names.length === 0)) {
      throw new InputError("no position of the sequence has an attribute", {
        ...placeOf(sequence, 0, format),
        hint: "if this is not CRFsuite's format, say which it is with --format",
      });
    }
    yield { sequence, given, shown };
  }
}

/** The pixels that the model looks at: others would give it attributes that mean something else to it. */
function pixelsFor(note: InputNote, { format = note.format, pixels }: ReadFlags): Pixels | undefined {
  if (format !== "letters") return pixels; // refused by the reader
  if (note.format !== undefined && note.format !== "letters") {
    throw new InputError(`the model was trained on ${note.format}, not on letters`);
  }
  const trained = note.format === undefined ? pixels : (note.pixels ?? "16x8");
  if (pixels !== undefined && pixels !== trained) {
    throw new InputError(`the model was trained with --pixels ${trained}, not ${pixels}`, {
      hint: "leave out --pixels",
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
function splitLabels(
  sequence: TaggingSequence,
  tagger: Tagger,
  note: InputNote,
  mayHaveLabel: boolean,
): GivenLabel[] | undefined {
  const { columns } = sequence;
  if (!columns || note.columns === undefined || tagger.source.kind === "given") return undefined;
  const width = columns[0].length;
  if (width === note.columns) return undefined;
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
    return parseLabel(row.pop() as string, { labelled: true, labelSets: note.labelSets }, place);
  });
}

/** Refuses labels that the model does not know, at their line. */
function checkLabels(
  tagger: Tagger,
  labels: readonly GivenLabel[],
  sequence: TaggingSequence,
  format: TaggingFormat,
  { labels: use, unknown }: ReadForModel,
): void {
  if (unknown === "allow") return;
  labels.forEach((given, i) => {
    for (const label of given === null ? [] : typeof given === "string" ? [given] : given) {
      if (isKnown(tagger, label) || (unknown === "chunks" && isKnownChunk(tagger, label))) continue;
      throw new InputError(`the model does not know the label \`${label}\``, {
        ...placeOf(sequence, i, format),
        hint: `it knows ${someOf(tagger.labels.all())}${use === "needed" && unknown === "chunks" ? "; --allow-unknown counts it as wrong" : ""}`,
      });
    }
  });
}

export function isKnown(tagger: Tagger, label: string): boolean {
  return tagger.labels.indexOf(label) >= 0;
}

/** Whether a label marks a chunk of a type that a known label marks too. */
function isKnownChunk(tagger: Tagger, label: string): boolean {
  if (!/^[BIESLU]-/.test(label)) return false;
  return ["B", "I", "E", "S", "L", "U"].some((prefix) => isKnown(tagger, prefix + label.slice(1)));
}

/** Where position `i` of a sequence stands. In JSON Lines a sequence is one line. */
function placeOf(sequence: TaggingSequence, i: number, format: TaggingFormat): { file?: string; line?: number } {
  const { file, line } = sequence;
  return { file, line: line === undefined || format === "jsonl" ? line : line + i };
}
