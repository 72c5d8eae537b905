// One entry to every tagging format: the sequences of some lines, one at a time, in constant memory.

import { InputError, unknownName } from "../util/errors.js";
import { type ColumnPlaces, columnsParser, type Separator } from "./columns.js";
import { conlluTaggingParser, type LabelField } from "./conllu-tagging.js";
import { crfsuiteParser } from "./crfsuite.js";
import { detectFormat, type TaggingFormat, taggingFormats } from "./detect.js";
import { jsonlParser } from "./jsonl.js";
import { lettersParser, type Pixels } from "./letters.js";
import type { Lines } from "./line-blocks.js";
import type { SequenceParser } from "./parser.js";
import type { TaggingSequence } from "./sequence.js";

export interface ParseTaggingOptions extends ColumnPlaces {
  /** Default: detected from the first lines; an error if they are ambiguous. */
  format?: TaggingFormat;
  /** Whether the data has labels. If false, labels in the data are dropped. */
  labelled: boolean;
  /** Columns only; default: tabs if the first line has any, else spaces. */
  separator?: Separator;
  /** CoNLL-U only: the label; default `upos`. */
  column?: LabelField;
  /** Letters only; default `16x8`. */
  pixels?: Pixels;
  /** Letters only; default all. */
  folds?: ReadonlySet<number>;
  /** Columns and CRFsuite: whether `A|B` means "A or B". Default false. */
  labelSets?: boolean;
  /** Whether a source may have no sequences, such as one part of a larger source. Default false. */
  mayBeEmpty?: boolean;
  /** Called before the first sequence with the format, as given or detected. */
  onFormat?: (format: TaggingFormat) => void;
}

/** The sequences of some lines. */
export async function* parseTagging(
  { file, blocks }: Lines,
  options: ParseTaggingOptions,
): AsyncGenerator<TaggingSequence> {
  if (options.format !== undefined && !taggingFormats.includes(options.format)) {
    throw unknownName("format", options.format, taggingFormats);
  }
  let parser: SequenceParser | undefined;
  let skipped = 0; // blank lines before the format is known
  let found = false;
  for await (const { first, lines } of blocks) {
    if (parser === undefined) {
      if (options.format === undefined && lines.every((line) => line.trim() === "")) {
        skipped += lines.length;
        continue;
      }
      parser = startParser(options.format ?? detectFormat(lines, file), options, file);
    }
    for (let i = 0; i < lines.length; i++) {
      const sequence = parser.line(lines[i], first + i);
      if (sequence === undefined) continue;
      found = true;
      yield sequence;
    }
  }
  const last = parser?.end();
  if (last !== undefined) yield last;
  else if (!found && !options.mayBeEmpty) throw noSequences(options, file, parser === undefined && skipped === 0);
}

function startParser(format: TaggingFormat, options: ParseTaggingOptions, file: string | undefined): SequenceParser {
  const { labelled, labelSets, pixels, folds, wordColumn, labelColumn, column } = options;
  if (format !== "conllu" && column !== undefined) {
    throw new InputError(`the field of the label can be chosen for CoNLL-U only, not for ${format}`, {
      file,
      hint: "leave out option `column`",
    });
  }
  if (format !== "columns" && (wordColumn ?? labelColumn) !== undefined) {
    throw new InputError(`the columns of word and label can be chosen for columns only, not for ${format}`, { file });
  }
  if (format !== "letters" && (pixels !== undefined || folds !== undefined)) {
    throw new InputError(
      `${pixels === undefined ? "folds" : "pixels"} can be chosen for letters only, not for ${format}`,
      {
        file,
      },
    );
  }
  options.onFormat?.(format);
  switch (format) {
    case "columns":
      return columnsParser({ labelled, labelSets, separator: options.separator, wordColumn, labelColumn, file });
    case "conllu":
      return conlluTaggingParser({ labelled, column: options.column, file });
    case "crfsuite":
      return crfsuiteParser({ labelled, labelSets, file });
    case "jsonl":
      return jsonlParser({ labelled, file });
    case "letters":
      return lettersParser({ labelled, pixels, folds, file });
  }
}

export function noSequences(
  options: Pick<ParseTaggingOptions, "folds">,
  file: string | undefined,
  empty: boolean,
): InputError {
  if (empty) return new InputError("no sequences: the file is empty", { file });
  if (options.folds === undefined) return new InputError("no sequences", { file });
  return new InputError(`no sequences in the folds ${[...options.folds].join(", ")}`, { file });
}
