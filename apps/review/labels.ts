// Labels of tokens as a person sees and changes them: spans where labels mark such (B-PER I-PER O), else a label for each token.
// No page is needed here.

import { areChunkLabels, chunksOf, labelParts } from "../../src/metrics/tagging.js";

/** [tokens] null where a label is not known. */
export type Labels = readonly (string | null)[];

export interface Span {
  /** The first token, and the one after the last. */
  from: number;
  to: number;
  type: string;
}

const OUTSIDE = "O";

export const marksSpans = areChunkLabels;

/** The spans that labels mark; an unknown label is outside of all. */
export function spansOf(labels: Labels): Span[] {
  return chunksOf(labels.map((label) => label ?? OUTSIDE)).map(({ start, end, type }) => ({
    from: start,
    to: end,
    type,
  }));
}

/** What a person chooses from: types of spans, or the labels themselves, by name. */
export function kindsOf(known: readonly string[]): string[] {
  const names = marksSpans(known)
    ? known.filter((label) => label !== OUTSIDE).map((label) => labelParts(label).type)
    : known;
  return [...new Set(names)].sort((a, b) => a.localeCompare(b, "en"));
}

/** The labels with tokens `from` to `to - 1` as one span of a type, or outside of all without one; spans they cut are shortened. */
export function withSpan(
  labels: Labels,
  { from, to, type }: Omit<Span, "type"> & { type?: string },
  known: readonly string[],
) {
  const marked = [...labels];
  marked.fill(OUTSIDE, from, to);
  const mark = (span: Span): void => {
    for (let i = span.from; i < span.to; i++) marked[i] = markOf(span, i, known);
  };
  for (const span of spansOf(labels)) {
    if (span.from > to || span.to <= from) continue;
    // One that begins just after may have relied on what stood before it.
    mark({ ...span, to: Math.min(span.to, from) });
    mark({ ...span, from: Math.max(span.from, to) });
  }
  if (type !== undefined) mark({ from, to, type });
  return marked;
}

/** The labels with tokens `from` to `to - 1` labelled alike; null if nobody knows. */
export function withLabel(labels: Labels, from: number, to: number, label: string | null): (string | null)[] {
  return [...labels].fill(label, from, to);
}

/** The label of a token in a span, in the way of the labels there are: with S- and E-, U- and L-, or B- and I- alone. */
function markOf({ from, to, type }: Span, i: number, known: readonly string[]): string {
  const prefixes = new Set(known.map((label) => labelParts(label).prefix));
  const single = prefixes.has("S") ? "S" : prefixes.has("U") ? "U" : undefined;
  const last = prefixes.has("E") ? "E" : prefixes.has("L") ? "L" : undefined;
  const first = prefixes.has("B") || !prefixes.has("I") ? "B" : "I";
  const isFirst = i === from;
  const isLast = i === to - 1;
  const prefix = isFirst && isLast ? (single ?? first) : isFirst ? first : isLast ? (last ?? "I") : "I";
  return type === "" ? prefix : `${prefix}-${type}`;
}

export interface Difference {
  /** The tokens, and what they are; undefined where they are nothing. */
  words: string;
  label: string | undefined;
}

/** What other labels say that the best do not, and what they no longer say. */
export function differences(
  best: Labels,
  other: Labels,
  tokens: readonly string[],
  known: readonly string[],
): Difference[] {
  if (!marksSpans(known)) {
    return other.flatMap((label, i) => (label === best[i] ? [] : [{ words: tokens[i], label: label ?? "?" }]));
  }
  const wordsOf = ({ from, to }: Span): string => tokens.slice(from, to).join(" ");
  const [before, after] = [spansOf(best), spansOf(other)];
  const added = after.filter((span) => !before.some((old) => isSame(old, span)));
  const lost = before.filter((old) => !after.some((span) => isSame(old, span)));
  const gone = lost.flatMap((old) => leftOf(old, after));
  const changed = [
    ...added.map((span) => ({ span, label: span.type as string | undefined })),
    ...gone.map((span) => ({ span, label: undefined })),
  ];
  changed.sort((a, b) => a.span.from - b.span.from);
  return changed.map(({ span, label }) => ({ words: wordsOf(span), label }));
}

/** What of a span no other span covers. */
function leftOf(span: Span, others: readonly Span[]): Span[] {
  const left: Span[] = [];
  for (let i = span.from; i < span.to; i++) {
    if (others.some(({ from, to }) => from <= i && i < to)) continue;
    const last = left.at(-1);
    if (last?.to === i) last.to++;
    else left.push({ ...span, from: i, to: i + 1 });
  }
  return left;
}

function isSame(a: Span, b: Span): boolean {
  return a.from === b.from && a.to === b.to && a.type === b.type;
}

/** Keys that do something else. */
const taken = new Set("nsu");

/** A letter for each name, one that it has if that is free; names beyond the letters have none. */
export function keysFor(names: readonly string[]): Map<string, string> {
  const keys = new Map<string, string>();
  const used = new Set(taken);
  const all = [..."abcdefghijklmnopqrstuvwxyz"];
  const give = (name: string, letters: Iterable<string>): void => {
    for (const letter of letters) {
      if (keys.has(name) || used.has(letter) || !all.includes(letter)) continue;
      keys.set(name, letter);
      used.add(letter);
    }
  };
  // First letters first, so that `location` has l although `place` comes before it and has one too.
  for (const name of names) give(name, name.toLowerCase().slice(0, 1));
  for (const name of names) give(name, name.toLowerCase());
  for (const name of names) give(name, all);
  return keys;
}

/** How sure the model is of a token's kind: the sum of the probabilities of its labels; undefined if it is not said. */
export function kindProbability(
  choices: readonly (readonly [label: string, probability: number])[],
  kind: string | undefined,
  isSpans: boolean,
): number {
  let sum = 0;
  for (const [label, probability] of choices) {
    const own = !isSpans ? label : label === OUTSIDE ? undefined : labelParts(label).type;
    if (own === kind) sum += probability;
  }
  return Math.min(1, sum);
}
