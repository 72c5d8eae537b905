// Texts that a segmenter left to a person, as items of a review, and back. An answer reads as the output is printed: words with
// spaces between; segments with ` | ` between if they may hold spaces; labels of tokens; or `start-end LABEL; …` by offsets.

import * as v from "valibot";
import {
  choicesOf,
  joinLabels,
  MOST_CANDIDATES,
  type ReviewItem,
  type ReviewTokens,
  splitLabels,
} from "../../formats/review-item.js";
import { ANSWER_COLUMN, sourceOf } from "../../formats/review-source.js";
import { taggingText } from "../../formats/tagging-text.js";
import { InputError } from "../../util/errors.js";
import { type GivenSegment, OUTSIDE, type SegmentedText } from "./example.js";
import { readingOf, segmentFormats } from "./inputs.js";
import { labelsOf, type Style, styleOf } from "./printing.js";
import type { SegmentedOutput, Segmenter } from "./segmenter.js";

const sourceSchema = v.object({
  style: v.picklist(["words", "lines", "columns", "table"]),
  id: v.optional(v.string()),
  text: v.optional(v.string()),
  columns: v.optional(v.array(v.array(v.string()))),
  format: v.optional(v.picklist(segmentFormats)),
});

/** The item of a text; `number` names it where it has no name of its own. */
export function textItem(
  segmenter: Segmenter,
  example: SegmentedText,
  candidates: readonly SegmentedOutput[],
  number: number,
): ReviewItem {
  const { id, text, columns } = example;
  const style = styleOf(segmenter, example);
  return {
    id: id ?? String(number),
    kind: "text",
    input: text ?? (columns ?? []).map((row) => row.join("/")).join(" "),
    answer: "",
    status: "",
    candidates: candidates
      .slice(0, MOST_CANDIDATES)
      .map((output) => ({ text: written(style, columns ?? [], output), probability: output.probability })),
    source: JSON.stringify({ style, id, text, columns, format: readingOf(segmenter).format }),
    ...(columns && { tokens: tokensOf(segmenter, example, columns) }),
  };
}

/** Tokens with what the model thinks of each: the probability of `B-TYPE` is that of all segments that begin there. */
function tokensOf(segmenter: Segmenter, example: SegmentedText, columns: readonly string[][]): ReviewTokens {
  const { marginals = [] } = segmenter.predict({ columns: example.columns }, { marginals: true });
  const choices: Record<string, number>[] = columns.map(() => ({}));
  const outside = new Float64Array(columns.length).fill(1);
  for (const segment of marginals) {
    labelsOf(columns, { segments: [segment], probability: 1 }).forEach((label, i) => {
      if (label === OUTSIDE) return;
      choices[i][label] = (choices[i][label] ?? 0) + segment.probability;
      outside[i] -= segment.probability;
    });
  }
  const types = segmenter.labels.map((label) => (label === "" ? "" : `-${label}`));
  const notes = columns.some((row) => row.length > 1) ? columns.map((row) => row.slice(1).join(" ")) : undefined;
  return {
    tokens: columns.map(([token]) => token),
    ...(notes && { notes }),
    labels: [OUTSIDE, ...types.flatMap((type) => [`B${type}`, `I${type}`])],
    choices: choices.map((own, i) => choicesOf({ ...own, [OUTSIDE]: Math.max(0, outside[i]) })),
  };
}

function written(style: Style, columns: readonly (readonly string[])[], output: SegmentedOutput): string {
  if (style === "columns") return joinLabels(labelsOf(columns, output));
  if (style === "table") {
    return (
      output.segments.map(({ start, end, label = "" }) => `${start}-${end} ${label}`.trimEnd()).join("; ") || "none"
    );
  }
  return output.segments.map(({ text }) => text.replace(/\s+/gu, " ")).join(style === "words" ? " " : " | ");
}

/** The text of an answered item, with the answer as its segments. */
export function textOf(item: ReviewItem, file: string): SegmentedText {
  const { style, id, text, columns } = sourceOf(item, file, sourceSchema);
  const place = { file, line: item.line };
  const refuse = (reason: string, hint: string) => new InputError(reason, { ...place, column: ANSWER_COLUMN, hint });
  if (style === "columns") {
    const labels = splitLabels(item.answer, columns?.length ?? 0);
    if (labels.length !== columns?.length) {
      throw refuse(
        `the answer has ${labels.length} labels for ${columns?.length ?? 0} tokens`,
        "write B-TYPE, I-TYPE or O for each token, separated by spaces",
      );
    }
    return { id, columns, labels, ...place };
  }
  if (text === undefined) throw refuse("the source has no text", "leave the column `source` as it was written");
  if (style === "table") return { id, text, segments: offsetsOf(item.answer, refuse), ...place };
  const pieces = item.answer.split(style === "words" ? /\s+/u : "|").map((piece) => piece.replace(/\s+/gu, ""));
  const segments = placedIn(
    text,
    pieces.filter((piece) => piece !== ""),
  );
  if (!segments) {
    throw refuse(
      "the answer does not match the text",
      style === "words"
        ? "put spaces between words, change nothing else"
        : "put ` | ` between segments, change nothing else",
    );
  }
  return { id, text, segments, ...place };
}

/** An answered item as training data: in the format that its text was read in, or as JSON Lines where that says too little. */
export function exportedText(item: ReviewItem, file: string): string {
  const { style, format } = sourceOf(item, file, sourceSchema);
  const { id, text = "", columns, labels, segments = [] } = textOf(item, file);
  if (columns) {
    const sequence = { id, columns, labels: labels as (string | null)[] };
    return taggingText(sequence, format === "jsonl" ? "jsonl" : "columns");
  }
  const pieces = segments.map(({ start, end }) => text.slice(start, end).replace(/\s+/gu, " "));
  if (format === "words" && style === "words") return `${pieces.join(" ")}\n`;
  if (format === "lines" && style === "lines") return `${pieces.join("\n")}\n\n`;
  return `${JSON.stringify({ id, text, segments })}\n`;
}

function offsetsOf(answer: string, refuse: (reason: string, hint: string) => InputError): GivenSegment[] {
  if (answer.trim() === "none") return [];
  return answer.split(";").map((part) => {
    const match = /^\s*(\d+)-(\d+)(?:\s+(.*\S))?\s*$/su.exec(part);
    if (!match) throw refuse(`\`${part.trim()}\` is not a segment`, "write start-end LABEL; …, or none");
    const [, start, end, label] = match;
    return { start: Number(start), end: Number(end), ...(label === undefined ? {} : { label }) };
  });
}

/** Where pieces, which have no white space, stand one after another in a text; undefined if they do not make it up. */
function placedIn(text: string, pieces: readonly string[]): GivenSegment[] | undefined {
  let at = 0;
  const skip = (): void => {
    while (at < text.length && /\s/u.test(text[at])) at++;
  };
  const segments: GivenSegment[] = [];
  for (const piece of pieces) {
    skip();
    const start = at;
    for (const unit of piece.split("")) {
      skip();
      if (text[at++] !== unit) return undefined;
    }
    segments.push({ start, end: at });
  }
  skip();
  return at === text.length ? segments : undefined;
}
