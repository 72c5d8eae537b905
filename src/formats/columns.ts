// Columns separated by tabs, or by spaces and tabs, a token a line, a blank line between sequences (the format of CoNLL, CRF++
// and Wapiti). With labels, the last column is the label, or the one that is named; the word comes first, or is put there. Every line has the same number of columns. There are no comments; a line
// whose first column is `-DOCSTART-` begins a document and is no token.

import { InputError, type Place } from "../util/errors.js";
import { checkSequenceLength } from "./limits.js";
import { type ParserOptions, parseLabel, type SequenceParser } from "./parser.js";
import type { GivenLabel, TaggingSequence } from "./sequence.js";

/** The first column of a line between documents. */
export const DOCUMENT_START = "-DOCSTART-";

export function columnsParser(options: ParserOptions): SequenceParser {
  const { labelled, file } = options;
  let width = 0; // columns of the first line, the label too
  let widthLine = 0;
  let sequence: TaggingSequence | undefined;
  let document: number | undefined;
  let { separator } = options;

  const end = (): TaggingSequence | undefined => {
    const complete = sequence;
    sequence = undefined;
    return complete;
  };
  const line = (text: string, number: number): TaggingSequence | undefined => {
    if (isBlank(text)) return end();
    separator ??= separatorOf(text);
    const row = splitColumns(text, separator);
    if (row[0] === DOCUMENT_START || (options.wordColumn && row.includes(DOCUMENT_START))) {
      document = (document ?? 0) + 1;
      return end();
    }
    if (width === 0) {
      width = row.length;
      widthLine = number;
      if (labelled) checkPlaces(options, width, { file, line: number });
      if (labelled && width < 2) {
        throw new InputError("the last of at least 2 columns should be the label, found 1 column", {
          file,
          line: number,
        });
      }
    } else if (row.length !== width) {
      throw columnsExpected(width, widthLine, row.length, separator, { file, line: number });
    }
    sequence ??= { columns: [], labels: labelled ? [] : undefined, document, file, line: number };
    if (labelled) {
      const label: GivenLabel = parseLabel(takeLabel(row, options), options, { file, line: number });
      sequence.labels?.push(label);
      wordFirst(row, options);
    }
    sequence.columns?.push(row);
    checkSequenceLength(sequence.columns?.length ?? 0, { file, line: sequence.line });
    return undefined;
  };
  return { line, end };
}

/** The error of a line that has another number of columns than the first. */
export function columnsExpected(
  width: number,
  widthLine: number,
  found: number,
  separator: Separator,
  place: Place,
): InputError {
  const expected = width === 1 ? "1 column" : `${width} columns`;
  return new InputError(`${expected} expected as on line ${widthLine}, found ${found}`, {
    ...place,
    hint: `a line holds one token, every line has the same number of columns (here ${separators[separator]}), a blank line ends a sequence`,
  });
}

/** Which columns of a line, counted from 1, are the word and the label; by default the first and the last. */
export interface ColumnPlaces {
  wordColumn?: number;
  labelColumn?: number;
}

function checkPlaces({ wordColumn = 1, labelColumn }: ColumnPlaces, width: number, place: Place): void {
  if (wordColumn === (labelColumn ?? width) && width > 1) {
    throw new InputError("the word and the label are in one column", place);
  }
  const beyond = Math.max(wordColumn, labelColumn ?? 0);
  if (beyond > width) throw new InputError(`there is no column ${beyond}: the line has ${width}`, place);
}

/** Takes the label out of a row. */
export function takeLabel(row: string[], { labelColumn = row.length }: ColumnPlaces): string {
  return row.splice(labelColumn - 1, 1)[0];
}

/** Puts the word of a row in front. The label, which the places count, is not in it any more. */
export function wordFirst(row: string[], { wordColumn = 1, labelColumn }: ColumnPlaces): void {
  const at = wordColumn - (labelColumn !== undefined && labelColumn < wordColumn ? 2 : 1);
  if (at > 0) row.unshift(...row.splice(at, 1));
}

/** What separates columns: every tab, so that a column may be empty or hold spaces; or any number of spaces and tabs. */
export type Separator = "tab" | "space";
const separators: Readonly<Record<Separator, string>> = { tab: "between tabs", space: "between spaces" };
export const separatorNames = Object.keys(separators) as Separator[];

/** What separates the columns of data that begins with this line. */
export function separatorOf(line: string): Separator {
  const fields = line.split("\t");
  // Several tabs in a row, or spaces beside them, align columns.
  return fields.length > 1 && fields.every((field) => field !== "" && !/^ | $/.test(field)) ? "tab" : "space";
}

export function isBlank(line: string): boolean {
  return !/[^ \t]/.test(line);
}

/** The columns of a line. Other white space than what separates them is part of a token. */
export function splitColumns(text: string, separator: Separator): string[] {
  if (separator === "tab") return text.split("\t");
  const parts: string[] = [];
  let begin = -1; // of the part, -1 between parts
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x20 || code === 0x09) {
      if (begin >= 0) parts.push(text.slice(begin, i));
      begin = -1;
    } else if (begin < 0) begin = i;
  }
  if (begin >= 0) parts.push(text.slice(begin));
  return parts;
}
