// Columns of a review file that hold JSON. `tokens`: tokens that are to be labelled one by one.
//   {"tokens":["In","Sonmarg"],"labels":["O","B-location"],"choices":[[["O",1]],[["O",0.6],["B-location",0.4]]]}
// `labels` is left out where it is as in the row before, since there may be hundreds of them.

import * as v from "valibot";
import type { ReviewCheck, ReviewTokens } from "./review-item.js";

const probability = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

const tokensSchema = v.object({
  tokens: v.array(v.string()),
  notes: v.optional(v.array(v.string())),
  labels: v.optional(v.array(v.string())),
  choices: v.array(v.array(v.tuple([v.string(), probability]))),
});

const number = v.pipe(v.number(), v.integer(), v.minValue(0));
const checkSchema = v.object({
  precision: probability,
  unit: v.picklist(["sequence", "token", "span"]),
  most: v.pipe(number, v.minValue(1)),
  answered: v.optional(v.array(number)),
});

/** The promise of a field `check`; undefined if it is empty. */
export function parseCheck(text: string): ReviewCheck | undefined | "refused" {
  if (text === "") return undefined;
  const parsed = v.safeParse(checkSchema, parseJson(text));
  if (!parsed.success) return "refused";
  const { answered = [], most } = parsed.output;
  return answered.length <= most ? parsed.output : "refused";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The field of an item; `before` are the tokens of the row before. */
export function tokensText(item: ReviewTokens | undefined, before: ReviewTokens | undefined): string {
  if (!item) return "";
  const { tokens, notes, choices } = item;
  const labels = before && isSame(before.labels, item.labels) ? undefined : item.labels;
  return JSON.stringify({ tokens, notes, labels, choices });
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some === others || (some.length === others.length && some.every((label, i) => label === others[i]));
}

/** The tokens of a field; undefined if it is empty. */
export function parseTokens(text: string, before: ReviewTokens | undefined): ReviewTokens | undefined | "refused" {
  if (text === "") return undefined;
  const parsed = v.safeParse(tokensSchema, parseJson(text));
  if (!parsed.success) return "refused";
  const { tokens, notes, labels = before?.labels ?? [], choices } = parsed.output;
  const isWhole = choices.length === tokens.length && (notes === undefined || notes.length === tokens.length);
  return isWhole && tokens.length > 0 ? { tokens, ...(notes && { notes }), labels, choices } : "refused";
}
