// Data for a segmenter: texts with their segments, or without. Formats:
//   words     one text per line; in data with answers, spaces stand between its words and are not part of it
//   lines     one segment per line, a blank line between texts: sentences of a document
//   columns   one token per line, columns separated by spaces or tabs, the last one labels such as B-PER, I-PER, O
//   conllu    CoNLL-U: the tokens of a sentence are the segments of its text
//   jsonl     {"text": "…", "segments": [{"start": 0, "end": 2, "label": "LOC"}]} or {"tokens": […], "labels": […]}

import { columnsParser, separatorOf, splitColumns } from "../../formats/columns.js";
import { type ConlluSentence, conlluParser, hasSpaceAfter, surfaceTokens } from "../../formats/conllu.js";
import { looksLikeConllu } from "../../formats/detect.js";
import { jsonlParser } from "../../formats/jsonl.js";
import type { LineBlock, Lines } from "../../formats/line-blocks.js";
import { type WholeSymbol, wholeSymbols } from "../../formats/pair-lines.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { InputError } from "../../util/errors.js";
import { choice, type GivenOptions } from "../../util/options.js";
import type { Asked, Cutting, InputUse } from "../task.js";
import type { GivenSegment, SegmentedText } from "./example.js";
import type { Segmenter } from "./segmenter.js";

export const segmentFormats = ["words", "lines", "columns", "conllu", "jsonl"] as const;
export type SegmentFormat = (typeof segmentFormats)[number];

export const rereading = {
  format: choice("format of the data", segmentFormats, { value: "format" }),
};

const labelColumns = ["upos", "xpos"] as const;

export const reading = {
  ...rereading,
  input: choice("unit that segments are made of", wholeSymbols, {
    value: "kind",
    otherwise: "tokens for lines, columns and jsonl with tokens; otherwise chars",
  }),
  labels: choice("conllu: the field that labels segments", labelColumns, { value: "field", otherwise: "none" }),
};

type Reading = GivenOptions<typeof reading> & { columns?: number };

/** How a model's training data was read; kept in the model's note as `input`. */
export function readingOf({ note }: Pick<Segmenter, "note">): Reading {
  const found = (typeof note.input === "object" && note.input) as Reading | false;
  if (!found) return {};
  const { format, input, labels, columns } = found;
  return {
    format: segmentFormats.find((one) => one === format),
    input: wholeSymbols.find((one) => one === input),
    labels: labelColumns.find((one) => one === labels),
    columns: Number.isInteger(columns) ? columns : undefined,
  };
}

/** What segments are made of, as far as that is known before the first example. */
export function inputKind({ input, format }: Reading): WholeSymbol | undefined {
  return input ?? (format === "lines" ? "tokens" : undefined);
}

/** The texts of several sources with their segments; the format of the first and its number of columns hold for all. */
export async function* readSegmented(sources: Iterable<Lines>, given: Reading): AsyncGenerator<SegmentedText> {
  for (const lines of sources) {
    for await (const example of parse(lines, given, true, false)) {
      if (example.columns) checkWidth(example, given);
      yield example;
    }
  }
}

function checkWidth({ columns = [], file, line }: SegmentedText, given: Reading): void {
  const width = columns[0].length;
  given.columns ??= width;
  if (width === given.columns) return;
  throw new InputError(`${width} columns and a label, where the data begins with ${given.columns}`, { file, line });
}

/** The texts of a source as the model needs them. */
export async function* readInputs(segmenter: Segmenter, lines: Lines, use: InputUse): AsyncGenerator<SegmentedText> {
  const note = readingOf(segmenter);
  const asked = use.asked as GivenOptions<typeof rereading> & { allowUnknown?: boolean };
  const given = { ...note, format: asked.format ?? note.format };
  const isAnswered = use.answers !== "ignored";
  for await (const example of parse(lines, given, isAnswered, use.mayBeEmpty === true)) {
    if (example.columns) splitLabels(example, note.columns ?? 1, isAnswered);
    if (use.answers === "needed" && !asked.allowUnknown) checkLabels(segmenter, example);
    yield example;
  }
}

/** Takes a label off that stands in a column more than the model was trained on. */
function splitLabels(example: SegmentedText, wanted: number, isAnswered: boolean): void {
  const { columns = [], file, line } = example;
  const width = columns[0].length;
  if (width === wanted) return;
  if (isAnswered || width !== wanted + 1) {
    throw new InputError(`the model was trained on ${wanted} column${wanted === 1 ? "" : "s"}, found ${width}`, {
      file,
      line,
      hint: isAnswered ? "the last column was taken for the label: is the label missing?" : undefined,
    });
  }
  example.labels = columns.map((row) => row.pop() as string);
}

/** Refuses labels that the model does not know. */
function checkLabels(segmenter: Segmenter, { labels = [], segments = [], file, line }: SegmentedText): void {
  const known = segmenter.parts.labels;
  const types = labels.map((label) => (label === null || label === "O" ? undefined : label.replace(/^.-?/s, "")));
  for (const [i, label] of [...types, ...segments.map((segment) => segment.label)].entries()) {
    if (label === undefined || known.indexOf(label) >= 0) continue;
    throw new InputError(`the model does not know the label \`${label}\``, {
      file,
      line: line === undefined || labels.length === 0 ? line : line + i,
      hint: `it knows ${segmenter.labels.join(", ") || "none"}; option \`allowUnknown\` counts it as wrong`,
    });
  }
}

/** Where texts end, by the format of the data. */
export function cutting(segmenter: Segmenter, first: LineBlock, asked: Asked, file: string): Cutting {
  const format =
    (asked as GivenOptions<typeof rereading>).format ?? readingOf(segmenter).format ?? detect(first.lines, file);
  const isBlock = format === "lines" || format === "columns" || format === "conllu";
  return { ends: (line) => !isBlock || line.trim() === "", isByLine: false, options: { format } };
}

/** Takes lines one by one, and gives a text whenever one is complete. */
interface TextParser {
  line(text: string, number: number): SegmentedText | undefined;
  end(): SegmentedText | undefined;
}

async function* parse(
  { file, blocks }: Lines,
  given: Reading,
  isAnswered: boolean,
  mayBeEmpty: boolean,
): AsyncGenerator<SegmentedText> {
  let parser: TextParser | undefined;
  let found = false;
  for await (const { first, lines } of blocks) {
    if (!parser) {
      if (given.format === undefined && lines.every((line) => line.trim() === "")) continue;
      given.format ??= detect(lines, file);
      parser = parserOf(given.format, given, isAnswered, file);
    }
    for (let i = 0; i < lines.length; i++) {
      const example = parser.line(lines[i], first + i);
      if (!example) continue;
      found = true;
      yield example;
    }
  }
  const last = parser?.end();
  if (last) yield last;
  else if (!found && !mayBeEmpty) throw new InputError("there are no texts", { file });
}

function parserOf(format: SegmentFormat, given: Reading, isAnswered: boolean, file: string | undefined): TextParser {
  switch (format) {
    case "words":
      return wordsParser(isAnswered, file);
    case "lines":
      return linesParser(isAnswered, file);
    case "columns":
      return mapped(columnsParser({ labelled: isAnswered, file }), chunked);
    case "conllu":
      return mapped(conlluParser(file), (sentence) => conlluText(sentence, given, isAnswered));
    case "jsonl":
      return jsonParser(isAnswered, file);
  }
}

interface Parser<T> {
  line(text: string, number: number): T | undefined;
  end(): T | undefined;
}

function mapped<T>(parser: Parser<T>, made: (one: T) => SegmentedText): TextParser {
  const of = (one: T | undefined): SegmentedText | undefined => (one === undefined ? undefined : made(one));
  return { line: (text, number) => of(parser.line(text, number)), end: () => of(parser.end()) };
}

/** The format of data that begins with these lines. */
function detect(lines: readonly string[], file: string | undefined): SegmentFormat {
  const filled = lines.filter((line) => line.trim() !== "").slice(0, 100);
  if (filled[0]?.trimStart().startsWith("{")) return "jsonl";
  if (looksLikeConllu(filled)) return "conllu";
  const separator = filled.length > 0 ? separatorOf(filled[0]) : "space";
  const rows = filled.map((line) => splitColumns(line, separator));
  if (rows.every((row) => row.length > 1 && /^(?:O|[BIESLU](?:-.+)?)$/su.test(row[row.length - 1]))) return "columns";
  if (rows.some((row) => row.length > 1)) return "words";
  throw new InputError("cannot detect the format: no line has a space", {
    file,
    hint: `set it with option \`format\`: ${segmentFormats.join(", ")}`,
  });
}

/** Pieces of text one after another, as a text with its segments. */
function joined(pieces: readonly string[], separator: string): Pick<SegmentedText, "text" | "segments"> {
  let text = "";
  const segments: GivenSegment[] = pieces.map((piece) => {
    if (text !== "") text += separator;
    const start = text.length;
    text += piece;
    return { start, end: text.length };
  });
  return { text, segments };
}

function wordsParser(isAnswered: boolean, file: string | undefined): TextParser {
  return {
    line(text, line) {
      const words = text.split(/\s+/u).filter((word) => word !== "");
      if (words.length === 0) return undefined;
      return isAnswered ? { ...joined(words, ""), file, line } : { text, file, line };
    },
    end: () => undefined,
  };
}

function linesParser(isAnswered: boolean, file: string | undefined): TextParser {
  let lines: string[] = [];
  let first = 0;
  const end = (): SegmentedText | undefined => {
    const own = lines;
    lines = [];
    if (own.length === 0) return undefined;
    if (!isAnswered) return { text: own.join("\n"), file, line: first };
    // Scripts without spaces have none between sentences either.
    const spaced = own.filter((line) => /\s/u.test(line.trim())).length;
    return {
      ...joined(
        own.map((line) => line.trim()),
        2 * spaced >= own.length ? " " : "",
      ),
      file,
      line: first,
    };
  };
  return {
    line(text, number) {
      if (text.trim() === "") return end();
      if (lines.length === 0) first = number;
      lines.push(text);
      return undefined;
    },
    end,
  };
}

/** Columns with labels that mark chunks. */
function chunked({ columns, labels, id, file, line }: TaggingSequence): SegmentedText {
  const isPlain = labels?.every((label) => label === null || typeof label === "string");
  if (labels && !isPlain) throw new InputError("a token has several labels", { file, line });
  return { columns, labels: labels as (string | null)[] | undefined, id, file, line };
}

function conlluText(sentence: ConlluSentence, { labels }: Reading, isAnswered: boolean): SegmentedText {
  const tokens = surfaceTokens(sentence);
  const field = labels === undefined ? -1 : 3 + labelColumns.indexOf(labels);
  let text = "";
  const segments: GivenSegment[] = tokens.map((token, i) => {
    const start = text.length;
    text += token.form;
    const end = text.length;
    if (hasSpaceAfter(token) && i + 1 < tokens.length) text += " ";
    return field < 0 ? { start, end } : { start, end, label: token.fields[field] };
  });
  const id = sentence.comments.find((comment) => /^sent_id\s*=/.test(comment))?.replace(/^sent_id\s*=\s*/, "");
  const { file, line } = sentence;
  return { text, segments: isAnswered ? segments : undefined, id, file, line };
}

function jsonParser(isAnswered: boolean, file: string | undefined): TextParser {
  const tokens = jsonlParser({ labelled: isAnswered, file });
  return {
    line(text, line) {
      const object = textObject(text);
      if (!object) {
        const sequence = tokens.line(text, line);
        return sequence && chunked(sequence);
      }
      const { segments, id } = object;
      if (isAnswered && !Array.isArray(segments)) throw new InputError("`segments` is missing", { file, line });
      return {
        text: object.text as string,
        segments: isAnswered ? (segments as GivenSegment[]) : undefined,
        id: typeof id === "string" || typeof id === "number" ? String(id) : undefined,
        file,
        line,
      };
    },
    end: () => undefined,
  };
}

/** An object with a text, or undefined. */
function textObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "text" in value
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
