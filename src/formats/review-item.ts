// An item of a review: an input that a model left to a person, what it would have answered, and the answer.

export const reviewStatuses = ["", "answered", "skipped"] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** One-bit pictures, row by row: `bits` holds width · height characters `0` and `1`. */
export interface ReviewImage {
  width: number;
  height: number;
  bits: string;
}

export interface ReviewCandidate {
  /** The answer it stands for, in the form of `answer`. */
  text: string;
  probability: number;
}

/** Tokens that an answer labels one by one. */
export interface ReviewTokens {
  /** [tokens] as they are shown. */
  tokens: readonly string[];
  /** [tokens] more about each token, such as its part of speech. */
  notes?: readonly string[];
  /** Labels that the model knows. */
  labels: readonly string[];
  /** [tokens] the most probable labels of each with their probabilities, the most probable first. */
  choices: readonly (readonly (readonly [label: string, probability: number])[])[];
}

/** An answer that was given and drawn at random to be checked, and the promise under which it was given. */
export interface ReviewCheck {
  precision: number;
  unit: "sequence" | "token" | "span";
  /** Answers of one sequence, at most. */
  most: number;
  /** Of tokens or spans: the numbers of those that were answered. */
  answered?: readonly number[];
}

export interface ReviewItem {
  id: string;
  kind: "text" | "images";
  /** The text to show; for images, their JSON, which `imagesOf` parses. */
  input: string;
  /** Empty until a person answers. */
  answer: string;
  status: ReviewStatus;
  /** The most probable first, at most 9. */
  candidates: ReviewCandidate[];
  /** The model's input as JSON. */
  source: string;
  /** The name of the task; files of earlier versions do not say it. */
  task?: string;
  /** If an answer is one label per token, in the form of `joinLabels`. */
  tokens?: ReviewTokens;
  /** If the best candidate was answered and needs to be checked. */
  check?: ReviewCheck;
  /** Where the item was read: counted from 1. */
  line?: number;
}

export const MOST_CANDIDATES = 9;

/** A choice below this probability is not worth showing. */
const LEAST_CHOICE = 0.005;
const MOST_CHOICES = 6;

/** The most probable of some labels, with probabilities of three digits, for `choices`. */
export function choicesOf(marginals: Readonly<Record<string, number>>): [string, number][] {
  const sorted = Object.entries(marginals).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return sorted
    .filter(([, probability], rank) => rank === 0 || (rank < MOST_CHOICES && probability >= LEAST_CHOICE))
    .map(([label, probability]) => [label, Number(Math.min(1, probability).toPrecision(3))]);
}

/**
 * Labels as the text of an answer, with spaces between; `_` for null. White space within a label stands after a backslash, as a label that
 * is `_` does: alone it means "unknown". Backslashes before white space or at the end of a label are doubled.
 *   ["B", "New York", "_"]  is  B New\ York \_
 */
export function joinLabels(labels: readonly (string | null)[]): string {
  return labels.map((label) => (label === null ? "_" : labelText(label))).join(" ");
}

/**
 * The labels of an answer to as many tokens: with spaces between, or single characters without; undefined if they are not
 * as many.
 */
export function answerLabels(text: string, count: number): (string | null)[] | undefined {
  const spaced = splitLabels(text, count);
  if (spaced.length === count) return spaced;
  if (spaced.length > 1) return undefined;
  const letters = [...text.trim()].map((letter) => (letter === "_" ? null : letter));
  return letters.length === count ? letters : undefined;
}

function labelText(label: string): string {
  if (/^\\*_$/.test(label)) return `\\${label}`;
  let text = "";
  let slashes = 0; // just before
  for (const character of label) {
    if (isSpace(character)) text += `${"\\".repeat(slashes)}\\`;
    slashes = character === "\\" ? slashes + 1 : 0;
    text += character;
  }
  return text + "\\".repeat(slashes);
}

/**
 * The labels that the text of an answer holds, `null` for `_`. Answers of earlier versions, which knew no backslash, are read
 * as they were meant if that gives the `wanted` number of labels.
 */
export function splitLabels(text: string, wanted?: number): (string | null)[] {
  const labels = unescapedLabels(text);
  if (wanted === undefined || labels.length === wanted) return labels;
  const plain = text.split(/[ \t]+/).filter((word) => word !== "");
  return plain.length === wanted ? plain.map((word) => (word === "_" ? null : word)) : labels;
}

function unescapedLabels(text: string): (string | null)[] {
  const labels: (string | null)[] = [];
  let label = "";
  let slashes = 0; // just before, not yet part of the label
  const end = (isLast: boolean): void => {
    // One that stands alone at the end of all was typed without a meaning.
    label += "\\".repeat(isLast && slashes % 2 === 1 ? slashes : slashes >> 1);
    slashes = 0;
    if (label !== "") labels.push(label === "_" ? null : /^\\+_$/.test(label) ? label.slice(1) : label);
    label = "";
  };
  for (const character of text) {
    if (character === "\\") slashes++;
    else if (!isSpace(character)) {
      label += "\\".repeat(slashes) + character;
      slashes = 0;
    } else if (slashes % 2 === 0) end(false);
    else {
      label += "\\".repeat(slashes >> 1) + character;
      slashes = 0;
    }
  }
  end(true);
  return labels;
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}
