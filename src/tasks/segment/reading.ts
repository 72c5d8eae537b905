// Texts with their segments, as files hold them.
//   words     one sentence per line, spaces between its words: the text is the line without these spaces
//   lines     one segment per line, such as a sentence; a blank line ends the text
//   conllu    CoNLL-U: the words of a sentence, with the spaces that SpaceAfter=No does not take away
//   columns   one token per line, the label last (O, B-TYPE, I-TYPE, …), a blank line between texts
//   jsonl     {"text": "…", "segments": [{"start": 0, "end": 2, "label": "LOC"}]} per line

import * as v from "valibot";
import type { Lines } from "../../formats/line-blocks.js";
import { symbolKinds } from "../../formats/pair-lines.js";
import { parseTagging } from "../../formats/tagging.js";
import { InputError, type Place } from "../../util/errors.js";
import { choice, type GivenOptions } from "../../util/options.js";
import type { Asked, InputUse } from "../task.js";
import type { GivenSegment, SegmentedText } from "./example.js";
import type { Segmenter } from "./segmenter.js";

export const segmentFormats = ["words", "lines", "conllu", "columns", "jsonl"] as const;
export type SegmentFormat = (typeof segmentFormats)[number];

export const rereading = {
  format: choice("format of the data", segmentFormats, { value: "format", otherwise: "detected from the first lines" }),
};

export const reading = {
  ...rereading,
  input: choice("what segments are made of: characters, or tokens", symbolKinds, {
    value: "kind",
    otherwise: "tokens for columns and lines, else characters",
  }),
};

type Reading = GivenOptions<typeof reading>;

/** A text, with what a prediction for it is printed beside. */
export interface SegmentInput extends SegmentedText {
  format?: SegmentFormat;
}

/** How a model's training data was read. */
export function readingOf({ note }: Pick<Segmenter, "note">): Reading {
  const parsed = v.safeParse(
    v.object({ format: v.optional(v.picklist(segmentFormats)), input: v.optional(v.picklist(symbolKinds)) }),
    note.input ?? {},
  );
  return parsed.success ? parsed.output : {};
}

/** The texts of several sources; the format of the first holds for all and is put into `given`. */
export async function* readGiven(
  sources: Iterable<Lines>,
  given: Record<string, unknown> & Reading,
): AsyncGenerator<SegmentedText> {
  for (const lines of sources) {
    yield* parseTexts(lines, given, true, (format) => {
      given.format = format;
      given.input ??= format === "columns" || format === "lines" ? "tokens" : "chars";
    });
  }
}

/** The texts of a source, read as the model's training data was. */
export async function* readInputs(
  segmenter: Segmenter,
  lines: Lines,
  { answers, asked, mayBeEmpty }: InputUse,
): AsyncGenerator<SegmentInput> {
  const format = (asked as Reading).format ?? readingOf(segmenter).format;
  yield* parseTexts(lines, { format }, answers !== "ignored", () => undefined, mayBeEmpty);
}

/** Where texts end. */
export function endsText(segmenter: Segmenter, asked: Asked): (line: string) => boolean {
  const format = (asked as Reading).format ?? readingOf(segmenter).format;
  return format === "words" || format === "jsonl" ? () => true : (line) => line.trim() === "";
}

async function* parseTexts(
  { file, blocks }: Lines,
  { format: given }: Reading,
  labelled: boolean,
  onFormat: (format: SegmentFormat) => void,
  mayBeEmpty = false,
): AsyncGenerator<SegmentInput> {
  let parser: TextParser | undefined;
  let format = given;
  let count = 0;
  const counted = (text: SegmentInput): SegmentInput => {
    count++;
    return { ...text, format };
  };
  if (format === "columns") {
    onFormat(format);
    for await (const text of columnTexts({ file, blocks }, labelled, mayBeEmpty)) yield counted(text);
    return;
  }
  const held = blocks as AsyncIterable<{ first: number; lines: string[] }>;
  const all: { first: number; lines: string[] }[] = [];
  for await (const block of held) {
    if (!parser) {
      all.push(block);
      if (block.lines.every((line) => line.trim() === "")) continue;
      format ??= detected(block.lines);
      onFormat(format);
      if (format === "columns") {
        for await (const text of columnTexts({ file, blocks: chained(all, held) }, labelled, mayBeEmpty))
          yield counted(text);
        return;
      }
      parser = parserOf(format, labelled, file);
      for (const before of all) for (const text of parsed(parser, before)) yield counted(text);
      continue;
    }
    for (const text of parsed(parser, block)) yield counted(text);
  }
  const last = parser?.end();
  if (last) yield counted(last);
  if (count === 0 && !mayBeEmpty) throw new InputError("no texts", { file });
}

/** Blocks that were read, and those that follow. */
async function* chained<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

async function* columnTexts(lines: Lines, labelled: boolean, mayBeEmpty: boolean): AsyncGenerator<SegmentInput> {
  const options = { format: "columns", labelled, mayBeEmpty } as const;
  for await (const { columns, labels, file, line } of parseTagging(lines, options)) {
    yield { columns, labels: labels as (string | null)[] | undefined, file, line };
  }
}

/** The format that the first lines have. */
function detected(lines: readonly string[]): SegmentFormat {
  const filled = lines.filter((line) => line.trim() !== "").slice(0, 100);
  if (filled[0].trimStart().startsWith("{")) return "jsonl";
  if (filled.some((line) => /^\d+\t/.test(line) && line.split("\t").length >= 8)) return "conllu";
  const isMarked = (line: string): boolean => /\S[ \t]+(?:O|[BIESLU]-\S+)$/.test(line.trim());
  return filled.every(isMarked) ? "columns" : "words";
}

interface TextParser {
  line(text: string, place: Place): SegmentInput | undefined;
  end(): SegmentInput | undefined;
  file?: string;
}

function* parsed(parser: TextParser, { first, lines }: { first: number; lines: string[] }): Generator<SegmentInput> {
  for (let i = 0; i < lines.length; i++) {
    const found = parser.line(lines[i], { file: parser.file, line: first + i });
    if (found) yield found;
  }
}

function parserOf(format: Exclude<SegmentFormat, "columns">, labelled: boolean, file: string | undefined): TextParser {
  const nothing = () => undefined;
  switch (format) {
    case "words":
      return { file, end: nothing, line: (text, place) => wordsText(text, labelled, place) };
    case "jsonl":
      return { file, end: nothing, line: (text, place) => jsonText(text, labelled, place) };
    case "lines":
      return { file, ...gathered((parts, place) => joinedText(parts, place)) };
    case "conllu":
      return { file, ...gathered(conlluText) };
  }
}

/** Gathers lines up to a blank one. */
function gathered(make: (lines: string[], place: Place) => SegmentInput | undefined): Omit<TextParser, "file"> {
  let lines: string[] = [];
  let place: Place = {};
  const take = (): SegmentInput | undefined => {
    const found = lines.length > 0 ? make(lines, place) : undefined;
    lines = [];
    return found;
  };
  return {
    line(text, at) {
      if (text.trim() === "") return take();
      if (lines.length === 0) place = at;
      lines.push(text);
      return undefined;
    },
    end: take,
  };
}

function wordsText(line: string, labelled: boolean, place: Place): SegmentInput | undefined {
  if (line.trim() === "") return undefined;
  if (!labelled) return { text: line.trim(), ...place };
  const segments: GivenSegment[] = [];
  let text = "";
  for (const word of line.split(/\s+/)) {
    if (word === "") continue;
    segments.push({ start: text.length, end: text.length + word.length });
    text += word;
  }
  return { text, segments, ...place };
}

/** Parts with spaces between. */
function joinedText(parts: readonly string[], place: Place): SegmentInput {
  const segments: GivenSegment[] = [];
  let text = "";
  for (const part of parts.map((one) => one.trim())) {
    if (text !== "") text += " ";
    segments.push({ start: text.length, end: text.length + part.length });
    text += part;
  }
  return { text, segments, ...place };
}

function conlluText(lines: readonly string[], place: Place): SegmentInput | undefined {
  const segments: GivenSegment[] = [];
  let text = "";
  let covered = 0; // words that a range has written already
  lines.forEach((line, i) => {
    if (line.startsWith("#")) return;
    const fields = line.split("\t");
    const match = /^(\d+)(?:-(\d+)|\.\d+)?$/.exec(fields[0]);
    if (!match || fields.length < 10) {
      throw new InputError("not a line of CoNLL-U: it has ten fields separated by tabs, an ID first", {
        ...place,
        line: place.line === undefined ? undefined : place.line + i,
      });
    }
    const isEmptyNode = fields[0].includes(".");
    if (isEmptyNode || (match[2] === undefined && Number(match[1]) <= covered)) return;
    if (match[2] !== undefined) covered = Number(match[2]);
    segments.push({ start: text.length, end: text.length + fields[1].length });
    text += fields[1];
    if (!/(?:^|\|)SpaceAfter=No(?:\||$)/.test(fields[9])) text += " ";
  });
  return segments.length > 0 ? { text: text.trimEnd(), segments, ...place } : undefined;
}

const jsonSchema = v.object({
  id: v.optional(v.string()),
  text: v.string(),
  segments: v.optional(v.array(v.object({ start: v.number(), end: v.number(), label: v.optional(v.string()) }))),
});

function jsonText(line: string, labelled: boolean, place: Place): SegmentInput | undefined {
  if (line.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new InputError("the line is not JSON", { ...place, cause });
  }
  const found = v.safeParse(jsonSchema, value);
  const hint = 'such as {"text": "…", "segments": [{"start": 0, "end": 2}]}';
  if (!found.success) throw new InputError("the line is not a text with segments", { ...place, hint });
  if (labelled && !found.output.segments) throw new InputError("the text has no `segments`", { ...place, hint });
  return { ...found.output, ...place };
}
