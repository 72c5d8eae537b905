// Items of a review file from what a model left to a person, and back: what can be learned from the answers.
//   source of a tagger's item        the sequence without labels; pictures of letters without the attributes made of them
//   source of a transducer's item    {"input": ["p", "h", …]}

import { access } from "node:fs/promises";
import * as v from "valibot";
import { letterAttributes, letterSize, pixelChoices } from "../formats/letters.js";
import type { SymbolPair } from "../formats/pair-lines.js";
import { joinSymbols, type SymbolKind, splitSymbols } from "../formats/pair-lines.js";
import { MOST_CANDIDATES, type ReviewItem, readReview } from "../formats/review.js";
import { joinLabels, splitLabels } from "../formats/review-item.js";
import type { TaggingSequence } from "../formats/sequence.js";
import type { TaggedOutput, Tagger } from "../tasks/tag/tagger.js";
import type { TransducedOutput } from "../tasks/transduce/transducer.js";
import { InputError } from "../util/errors.js";
import { inputNoteOf } from "./input.js";

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

const pairSchema = v.object({ input: v.pipe(v.array(v.string()), v.minLength(1)) });

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

/** The item of a transducer's input. */
export function pairItem(
  input: readonly string[],
  candidates: readonly TransducedOutput[],
  kinds: { read: SymbolKind; written: SymbolKind },
  number: number,
): ReviewItem {
  return {
    id: String(number),
    kind: "text",
    input: joinSymbols(input, kinds.read),
    answer: "",
    status: "",
    candidates: candidates
      .slice(0, MOST_CANDIDATES)
      .map(({ output, probability }) => ({ text: joinSymbols(output, kinds.written), probability })),
    source: JSON.stringify({ input }),
  };
}

/** The pair of an answered item. */
export function pairOf(item: ReviewItem, file: string, written: SymbolKind): SymbolPair {
  const { input } = sourceOf(item, file, pairSchema);
  // Spaces that the model wrote are part of its output; those at the ends of what was typed are not.
  const isChosen = item.candidates.some(({ text }) => text === item.answer);
  const answer = isChosen ? item.answer : item.answer.trim();
  return { input, output: splitSymbols(answer, written), file, line: item.line };
}

/** The answered items of a review file; one without any is refused. */
export async function readAnswers(file: string): Promise<ReviewItem[]> {
  const isOpen = await access(`${file}.journal`).then(
    () => true,
    () => false,
  );
  if (isOpen) {
    throw new InputError("a review of the file has not ended, so some answers are not in it yet", {
      file,
      hint: `end it with Ctrl-C; if it crashed, open and end it once more: stargram review ${file}`,
    });
  }
  const items = (await readReview(file)).filter((item) => item.status === "answered");
  if (items.length > 0) return items;
  throw new InputError("no item of the review file is answered", { file, hint: `run: stargram review ${file}` });
}

/** Counted from 1. */
const ANSWER_COLUMN = 4;

function sourceOf<S extends v.GenericSchema>(item: ReviewItem, file: string, schema: S): v.InferOutput<S> {
  const hint = "the column `source` is for Stargram: leave it as it was written";
  let value: unknown;
  try {
    value = JSON.parse(item.source);
  } catch (cause) {
    throw new InputError("the source is not whole JSON", { file, line: item.line, hint, cause });
  }
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw new InputError("the source is not what this kind of model reads", { file, line: item.line, hint });
}
