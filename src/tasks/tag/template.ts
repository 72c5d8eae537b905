// Feature templates as CRF++ and Wapiti write them. A line `U05:%x[-1,0]/%x[0,0]` gives, at every position, the line with
// each macro replaced by what it finds at (row relative to the position, column). `U` lines give attributes, `B` lines
// attributes conjoined with the previous label, `*` lines both; a `B` without macros asks for label bigrams.
// Macros: %x the value, %t[r,c,"re"] true or false, %m[r,c,"re"] the part that matches; in capitals, in lower case.

import { InputError, type Place } from "../../util/errors.js";
import { Expression } from "./expression.js";
import {
  type Columns,
  type Form,
  jointPiece,
  type Piece,
  type PiecePlace,
  type PositionPieces,
  pieceNames,
} from "./pieces.js";

export interface TemplateAttributes {
  attributes: string[][]; // [length][U and * lines]
  conjoined: string[][]; // [length][B and * lines]; none at position 0, which has no previous label
}

export interface Template {
  /** The text it was read from. */
  readonly text: string;
  /** Whether a line asks for label bigrams (`B` alone). */
  readonly labelBigrams: boolean;
  /** How many columns the data needs. */
  readonly columns: number;
  /** The attributes of a sequence. `place`: where the sequence begins, for the error when it has too few columns. */
  apply(columns: readonly (readonly string[])[], place?: Place): TemplateAttributes;
}

/**
 * The template of the CRF++ documentation for chunking; rows are (word, part of speech). The same windows as
 * `chunkingAttributes`, but beyond the ends of the sequence it sees `_B-1`, `_B+1` where those see nothing.
 */
export const CHUNKING_TEMPLATE = `# Words
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
# Parts of speech
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]
# Label bigrams
B
`;

/** `absolute` is Wapiti's `@`. */
interface Macro extends PiecePlace {
  kind: "value" | "test" | "match";
  lowerCase: boolean;
  expression?: Expression;
}

/** A line cut at its macros: text[0] macro[0] text[1] macro[1] … text[n]. */
interface Pattern {
  text: string[];
  macros: Macro[];
  attribute: boolean;
  conjoined: boolean;
}

/** Reads a template; `file` is named in errors. */
export function parseTemplate(text: string, file?: string): Template {
  return compileTemplate(text, file);
}

/** The same, with the pieces it is made of. */
export function compileTemplate(text: string, file?: string): CompiledTemplate {
  const patterns: Pattern[] = [];
  let labelBigrams = false;
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const pattern = parseLine(lines[i], { file, line: i + 1 });
    if (!pattern) continue;
    if (pattern.conjoined && pattern.macros.length === 0) {
      labelBigrams = true;
      pattern.conjoined = false;
    }
    if (pattern.attribute || pattern.conjoined) patterns.push(pattern);
  }
  if (patterns.length === 0 && !labelBigrams) {
    throw new InputError("the template is empty", { file, hint: "a template has lines such as `U00:%x[0,0]`" });
  }
  return new CompiledTemplate(text, patterns, labelBigrams);
}

export class CompiledTemplate implements Template {
  readonly text: string;
  readonly labelBigrams: boolean;
  readonly columns: number;
  /** Whether attributes are made of values in the first column, and none of parts of them. */
  readonly seesWholeWords: boolean;
  readonly #pieces: PositionPieces;

  constructor(text: string, patterns: readonly Pattern[], labelBigrams: boolean) {
    this.text = text;
    this.labelBigrams = labelBigrams;
    let columns = 0;
    for (const { macros } of patterns) for (const { column } of macros) columns = Math.max(columns, column + 1);
    this.columns = columns;
    const ofWords = patterns.flatMap(({ macros }) => macros.filter(({ column }) => column === 0));
    this.seesWholeWords = ofWords.length > 0 && ofWords.every(({ kind }) => kind === "value");
    const piecesOf = (some: readonly Pattern[], afterFirst: boolean): Piece[] =>
      some.map(({ text, macros }) => jointPiece(macros, { text, forms: macros.map(formOf) }, afterFirst));
    this.#pieces = {
      attributes: piecesOf(
        patterns.filter(({ attribute }) => attribute),
        false,
      ),
      conjoined: piecesOf(
        patterns.filter(({ conjoined }) => conjoined),
        true,
      ),
    };
  }

  /** The pieces that make the attributes of a sequence, which must have enough columns. */
  pieces(columns: Columns, place: Place = {}): PositionPieces {
    for (let i = 0; i < columns.length; i++) {
      if (columns[i].length < this.columns) throw tooFewColumns(this.columns, columns[i].length, i, place);
    }
    return this.#pieces;
  }

  apply(columns: Columns, place?: Place): TemplateAttributes {
    const { attributes, conjoined } = this.pieces(columns, place);
    return {
      attributes: columns.map((_, i) => pieceNames(attributes, columns, i)),
      conjoined: columns.map((_, i) => pieceNames(conjoined, columns, i)),
    };
  }
}

/** What a macro makes of the value at its place: the same function for the same macro, so that it is remembered once. */
function formOf({ kind, lowerCase, expression }: Macro): Form {
  if (expression === undefined) return lowerCase ? lowerCaseForm : plainForm;
  return (value) => {
    // Expressions see Wapiti's own marker: in `_B-1` there would be a capital letter to find.
    const seen = typeof value === "number" ? wapitiMarker(value) : value;
    if (kind === "test") return expression.test(seen) ? "true" : "false";
    const part = expression.find(seen) ?? "";
    return lowerCase ? part.toLowerCase() : part;
  };
}

const plainForm: Form = (value) => (typeof value === "number" ? marker(value) : value);
const lowerCaseForm: Form = (value) => (typeof value === "number" ? marker(value) : value.toLowerCase());

function marker(outside: number): string {
  return outside < 0 ? `_B${outside}` : `_B+${outside}`;
}

function wapitiMarker(outside: number): string {
  const distance = Math.abs(outside);
  return `_x${outside < 0 ? "-" : "+"}${distance > 4 ? "#" : distance}`;
}

function tooFewColumns(needed: number, found: number, i: number, place: Place): InputError {
  const line = place.line === undefined ? undefined : place.line + i;
  return new InputError(
    `the template needs column ${needed - 1}, counted from 0, but there ${found === 1 ? "is 1 column" : `are ${found} columns`}`,
    {
      file: place.file,
      line,
      hint: "the label column does not count; use the template with data that has the same columns as in training",
    },
  );
}

/** One line, or undefined for a blank line or a comment. */
function parseLine(line: string, place: Place): Pattern | undefined {
  const first = line.search(/\S/);
  if (first < 0 || line[first] === "#") return undefined;
  const kind = line[0].toUpperCase();
  if (kind !== "U" && kind !== "B" && kind !== "*") {
    throw new InputError(`a template line begins with U, B or *, not with \`${line[0]}\``, {
      ...place,
      column: 1,
      hint: "write a comment after `#`",
    });
  }
  const text: string[] = [];
  const macros: Macro[] = [];
  let begin = 0; // of the text since the last macro
  let i = 0;
  let end = line.length;
  while (i < end) {
    if (line[i] === "%") {
      text.push(line.slice(begin, i));
      const { macro, next } = parseMacro(line, i, place);
      macros.push(macro);
      i = begin = next;
    } else if (line[i] === "#" && /\s/.test(line[i - 1])) {
      // Wapiti lets a comment follow; CRF++ lets `#` join two values, which has no space before it.
      end = i;
    } else i++;
  }
  text.push(line.slice(begin, end).trimEnd());
  return { text, macros, attribute: kind !== "B", conjoined: kind !== "U" };
}

/** The macro whose `%` is at `start`, and where the text goes on. */
function parseMacro(line: string, start: number, place: Place): { macro: Macro; next: number } {
  const fail = (reason: string, at: number) =>
    new InputError(`${reason} in \`${line.trimEnd()}\``, {
      ...place,
      column: at + 1,
      hint: 'a macro is written %x[row,column], or %t[row,column,"expression"], or %m[row,column,"expression"]',
    });
  const letter = line[start + 1] ?? "";
  const kind = letter.toLowerCase();
  if (kind !== "x" && kind !== "t" && kind !== "m") throw fail(`unknown macro \`%${letter}\``, start);
  let at = start + 2;
  if (line[at] !== "[") throw fail(`\`[\` expected after \`%${letter}\``, at);
  at++;
  const absolute = line[at] === "@";
  if (absolute) at++;
  const number = (pattern: RegExp, what: string): number => {
    pattern.lastIndex = at;
    const found = pattern.exec(line)?.[0];
    if (found === undefined) throw fail(`${what} expected`, at);
    at += found.length;
    return Number(found);
  };
  const row = number(/[-+]?\d{1,6}/y, "a row (a whole number)");
  if (line[at] !== ",") throw fail("a comma expected after the row", at);
  at++;
  const column = number(/\d{1,6}/y, "a column (0, 1, 2, …)");
  let expression: Expression | undefined;
  if (kind !== "x") {
    if (line[at] !== "," || line[at + 1] !== '"') throw fail("a comma and an expression in quotes expected", at);
    const open = at + 2;
    at = open;
    while (at < line.length && line[at] !== '"') at += line[at] === "\\" ? 2 : 1;
    if (at >= line.length) throw fail("the quotes are not closed", open - 1);
    expression = new Expression(line.slice(open, at), (reason, offset) => fail(reason, open + offset));
    at++;
  }
  if (line[at] !== "]") throw fail("`]` expected", at);
  const macro: Macro = {
    kind: kind === "x" ? "value" : kind === "t" ? "test" : "match",
    lowerCase: letter !== kind,
    row,
    absolute,
    column,
    expression,
  };
  return { macro, next: at + 1 };
}
