// Sequences that a tagger left to a person, as items of a review, and back.
//   source   the sequence without labels; pictures of letters without the attributes made of them

import * as v from "valibot";
import { letterAttributes, letterSize, pixelChoices } from "../../formats/letters.js";
import { joinLabels, MOST_CANDIDATES, type ReviewItem, splitLabels } from "../../formats/review-item.js";
import { ANSWER_COLUMN, sourceOf } from "../../formats/review-source.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { InputError } from "../../util/errors.js";
import { inputNoteOf } from "./inputs.js";
import type { TaggedOutput } from "./prediction.js";
import type { Tagger } from "./tagger.js";

const strings = v.array(v.array(v.string()));

const sequenceSchema = v.object({
  id: v.optional(v.string()),
  fold: v.optional(v.number()),
  columns: v.optional(strings),
  attributes: v.optional(strings),
  values: v.optional(v.array(v.nullable(v.array(v.number())))),
  /** Attributes are to be made of the pictures in the columns. */
  pixels: v.optional(v.picklist(pixelChoices)),
});

/** The item of a sequence; `number` names it where it has no name of its own. */
export function sequenceItem(
  tagger: Tagger,
  sequence: TaggingSequence,
  candidates: readonly TaggedOutput[],
  number: number,
): ReviewItem {
  const { id, fold, columns, attributes, values } = sequence;
  const note = inputNoteOf(tagger);
  const isLetters = fold !== undefined && columns !== undefined;
  const source = isLetters
    ? { id, fold, columns, pixels: note.pixels ?? "16x8" }
    : { id, columns, attributes, values: values?.map((row) => row ?? null) };
  const input = isLetters
    ? JSON.stringify(columns.map(([bits]) => ({ ...letterSize, bits })))
    : (columns ?? attributes ?? []).map((row) => row.join("/")).join(" ");
  const textOf = isSpelled(tagger) ? (labels: readonly string[]) => labels.join("") : joinLabels;
  return {
    id: id ?? String(number),
    kind: isLetters ? "images" : "text",
    input,
    answer: "",
    status: "",
    candidates: candidates
      .slice(0, MOST_CANDIDATES)
      .map(({ labels, probability }) => ({ text: textOf(labels), probability })),
    source: JSON.stringify(source),
  };
}

/** Whether all labels are single characters that stand for themselves, so that an output reads as a word. */
function isSpelled(tagger: Tagger): boolean {
  return tagger.labels.all().every((label) => /^[^\s\\_]$/u.test(label));
}

/** The sequence of an answered item, with the answer as its labels. */
export function sequenceOf(item: ReviewItem, file: string): TaggingSequence {
  const { pixels, values, ...sequence } = sourceOf(item, file, sequenceSchema);
  const { columns } = sequence;
  const attributes = pixels && columns ? columns.map(([bits]) => letterAttributes(pixels)(bits)) : sequence.attributes;
  const length = (columns ?? attributes)?.length ?? 0;
  const place = { file, line: item.line };
  const spaced = splitLabels(item.answer, length);
  const letters = [...item.answer.trim()].map((letter) => (letter === "_" ? null : letter));
  const labels = spaced.length === length ? spaced : letters;
  if (length === 0 || labels.length !== length || (spaced.length !== length && spaced.length > 1)) {
    throw new InputError(`the answer has ${spaced.length} labels for ${length} positions`, {
      ...place,
      column: ANSWER_COLUMN,
      hint: "write a label for each position with spaces between, `_` where you do not know, `\\ ` for a space within a label",
    });
  }
  return { ...sequence, attributes, values: values?.map((row) => row ?? undefined), labels, ...place };
}
