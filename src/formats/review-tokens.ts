// The column `tokens` of a review file: tokens that are to be labelled one by one, as JSON.
//   {"tokens":["In","Sonmarg"],"labels":["O","B-location"],"choices":[[["O",1]],[["O",0.6],["B-location",0.4]]]}
// `labels` is left out where it is as in the row before, since there may be hundreds of them.

import * as v from "valibot";
import type { ReviewTokens } from "./review-item.js";

const probability = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

const tokensSchema = v.object({
  tokens: v.array(v.string()),
  notes: v.optional(v.array(v.string())),
  labels: v.optional(v.array(v.string())),
  choices: v.array(v.array(v.tuple([v.string(), probability]))),
});

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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "refused";
  }
  const parsed = v.safeParse(tokensSchema, value);
  if (!parsed.success) return "refused";
  const { tokens, notes, labels = before?.labels ?? [], choices } = parsed.output;
  const isWhole = choices.length === tokens.length && (notes === undefined || notes.length === tokens.length);
  return isWhole && tokens.length > 0 ? { tokens, ...(notes && { notes }), labels, choices } : "refused";
}
