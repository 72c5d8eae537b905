// What the review page and its server say to each other: the page asks with GET or sends an action, and either way gets
// the item to show next and how far the review has come. Types alone, so that both sides may import it.

import type { ReviewTokens } from "../../formats/review-item.js";

export interface ItemView {
  /** Place in the file, from 0. */
  index: number;
  id: string;
  /** Of an item of kind `text`. */
  text?: string;
  /** Of an item of kind `images`: `bits` holds width · height characters `0` and `1`, row by row. */
  images?: { width: number; height: number; bits: string }[];
  /** How many labels an answer has, where that is known. */
  labels?: number;
  /** Tokens to label one by one; its labels are all that the review knows. */
  tokens?: ReviewTokens;
  /** The most probable first, at most 9. */
  candidates: { text: string; probability: number }[];
  /** What was typed and not yet accepted; after an undo, the answer taken back. */
  draft: string;
}

/** How often people took what the model thought best. */
export interface Agreement {
  /** Items answered with the best candidate, with another one, and otherwise. */
  best: number;
  other: number;
  own: number;
  /** Of labels, or of spans by their types where labels mark such. */
  labels: LabelAgreement[];
}

export interface LabelAgreement {
  label: string;
  /** How many the best candidates have, how many of these the answers have too, and how many answers have beside these. */
  proposed: number;
  kept: number;
  added: number;
}

export interface ReviewView {
  /** Items in the file. */
  total: number;
  answered: number;
  skipped: number;
  canUndo: boolean;
  agreement: Agreement;
  /** Grows with every decision and draft. */
  revision: number;
  /** Null when there is nothing left to show. */
  item: ItemView | null;
}

/**
 * What a page asks for, and the revision that it shows: if another page has changed something since, the action is refused
 * (status 409) and nothing is overwritten. `again`: items skipped before are gone through once more, in the order of the file.
 */
export type ReviewAction = { revision?: number } & (
  | { action: "answer"; index: number; text: string; again: boolean }
  | { action: "skip"; index: number; again: boolean }
  | { action: "draft"; index: number; text: string }
  | { action: "undo" }
  | { action: "again" }
);

/** The answer to an action that was refused. */
export interface Refusal {
  error: string;
}
