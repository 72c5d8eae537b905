// Sequences that a tagger left to a person, as items of a review, and back.
//   source   the sequence without labels and the format it was read in; pictures of letters without the attributes made of
//            them; of CoNLL-U the lines, to write labels into

import * as v from "valibot";
import { labelFields } from "../../formats/conllu-tagging.js";
import { taggingFormats } from "../../formats/detect.js";
import { letterAttributes, letterSize, pixelChoices } from "../../formats/letters.js";
import {
  answerLabels,
  choicesOf,
  joinLabels,
  MOST_CANDIDATES,
  type ReviewItem,
  type ReviewTokens,
  splitLabels,
} from "../../formats/review-item.js";
import { ANSWER_COLUMN, sourceOf } from "../../formats/review-source.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { taggingText } from "../../formats/tagging-text.js";
import { InputError } from "../../util/errors.js";
import { inputNoteOf, type TaggerInput } from "./inputs.js";
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
  format: v.optional(v.picklist(taggingFormats)),
  column: v.optional(v.picklist(labelFields)),
  source: v.optional(v.object({ lines: v.array(v.string()), at: v.array(v.number()) })),
});

/** The item of a sequence; `number` names it where it has no name of its own. */
export function sequenceItem(
  tagger: Tagger,
  { sequence, format, column }: Pick<TaggerInput, "sequence" | "format" | "column">,
  candidates: readonly TaggedOutput[],
  number: number,
): ReviewItem {
  const { id, fold, columns, attributes, values, source: lines } = sequence;
  const note = inputNoteOf(tagger);
  const isLetters = fold !== undefined && columns !== undefined;
  const source = isLetters
    ? { id, fold, columns, pixels: note.pixels ?? "16x8", format }
    : { id, columns, attributes, values: values?.map((row) => row ?? null), format, column, source: lines };
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
    ...(!isLetters && { tokens: tokensOf(tagger, sequence) }),
  };
}

/** Tokens with what the model thinks of each; a model's labels are the same list every time. */
function tokensOf(tagger: Tagger, sequence: TaggingSequence): ReviewTokens {
  const { columns, attributes = [] } = sequence;
  const { marginals = [] } = tagger.predict(sequence, { marginals: true });
  const notes = columns?.some((row) => row.length > 1) ? columns.map((row) => row.slice(1).join(" ")) : undefined;
  return {
    tokens: columns ? columns.map(([token]) => token) : attributes.map(shownAttribute),
    ...(notes && { notes }),
    labels: tagger.labels.all(),
    choices: marginals.map(choicesOf),
  };
}

/** What stands for a token of which attributes alone are known: the word, by a name that it often has, or the first. */
function shownAttribute(names: readonly string[]): string {
  const word = names.find((name) => /^(?:w|word|token|form)(?:\[0\])?=/i.test(name));
  return word?.slice(word.indexOf("=") + 1) ?? names[0] ?? "";
}

/** Whether all labels are single characters that stand for themselves, so that an output reads as a word. */
function isSpelled(tagger: Tagger): boolean {
  return tagger.labels.all().every((label) => /^[^\s\\_]$/u.test(label));
}

/** The sequence of an answered item, with the answer as its labels. */
export function sequenceOf(item: ReviewItem, file: string): TaggingSequence & { labels: (string | null)[] } {
  const { pixels, values, format: _, column: __, ...sequence } = sourceOf(item, file, sequenceSchema);
  const { columns } = sequence;
  const attributes = pixels && columns ? columns.map(([bits]) => letterAttributes(pixels)(bits)) : sequence.attributes;
  const length = (columns ?? attributes)?.length ?? 0;
  const place = { file, line: item.line };
  const labels = answerLabels(item.answer, length);
  if (length === 0 || !labels) {
    throw new InputError(`the answer has ${splitLabels(item.answer, length).length} labels for ${length} positions`, {
      ...place,
      column: ANSWER_COLUMN,
      hint: "write one label per position, separated by spaces: `_` if unknown, `\\ ` for a space within a label",
    });
  }
  return { ...sequence, attributes, values: values?.map((row) => row ?? undefined), labels, ...place };
}

/** An answered item as training data, in the format that its sequence was read in. */
export function sequenceText(item: ReviewItem, file: string): string {
  const { format, column, columns } = sourceOf(item, file, sequenceSchema);
  return taggingText(sequenceOf(item, file), format ?? (columns ? "columns" : undefined), column);
}
