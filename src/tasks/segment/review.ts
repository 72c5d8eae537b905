// Texts that a segmenter left to a person, as items of a review, and back. An answer reads as the output is printed: words with
// spaces between; segments with ` | ` between if they may hold spaces; labels of tokens; or `start-end LABEL; …` by offsets.

import * as v from "valibot";
import { joinLabels, MOST_CANDIDATES, type ReviewItem, splitLabels } from "../../formats/review-item.js";
import { ANSWER_COLUMN, sourceOf } from "../../formats/review-source.js";
import { InputError } from "../../util/errors.js";
import type { GivenSegment, SegmentedText } from "./example.js";
import { labelsOf, type Style, styleOf } from "./printing.js";
import type { SegmentedOutput, Segmenter } from "./segmenter.js";

const sourceSchema = v.object({
  style: v.picklist(["words", "lines", "columns", "table"]),
  id: v.optional(v.string()),
  text: v.optional(v.string()),
  columns: v.optional(v.array(v.array(v.string()))),
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
    source: JSON.stringify({ style, id, text, columns }),
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
        "write B-TYPE, I-TYPE or O for each token, with spaces between",
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
      "the answer is not the text with its segments apart",
      style === "words"
        ? "put spaces between words, change nothing else"
        : "put ` | ` between segments, change nothing else",
    );
  }
  return { id, text, segments, ...place };
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
