// CoNLL-U for tagging: the words of a sentence with the field, or two, that is their label. Comments, tokens of several words and
// empty nodes stay as they are when labels are written back. `NOUN|Case=Gen` is the label of `upos+feats`; without features it
// is `NOUN`.

import { type ConlluSentence, conlluFields, conlluParser } from "./conllu.js";
import { checkSequenceLength } from "./limits.js";
import type { ParserOptions, SequenceParser } from "./parser.js";
import type { GivenLabel, TaggingSequence } from "./sequence.js";

export const labelFields = ["upos", "xpos", "feats", "deprel", "upos+feats", "xpos+feats"] as const;
export type LabelField = (typeof labelFields)[number];

/** Nothing stands there. */
const NOTHING = "_";

export function conlluTaggingParser({ labelled, file, column }: ParserOptions): SequenceParser {
  const sentences = conlluParser(file);
  let document: number | undefined;
  const sequenceOf = (sentence: ConlluSentence | undefined): TaggingSequence | undefined => {
    if (!sentence) return undefined;
    if (sentence.comments.some((comment) => /^newdoc\b/.test(comment))) document = (document ?? 0) + 1;
    const words = sentence.rows.filter(({ id }) => /^\d+$/.test(id));
    checkSequenceLength(words.length, sentence);
    // A sentence of empty nodes alone has nothing to be labelled.
    if (words.length === 0) return undefined;
    const id = sentence.comments.find((comment) => /^sent_id\s*=/.test(comment))?.replace(/^sent_id\s*=\s*/, "");
    return {
      columns: words.map(({ form }) => [form]),
      labels: labelled ? words.map(({ fields }) => labelOf(fields, column)) : undefined,
      ...(id !== undefined && { id }),
      document,
      source: { lines: sentence.lines, at: words.map(({ line }) => line - sentence.line) },
      file,
      line: sentence.line,
    };
  };
  return {
    line: (text, number) => sequenceOf(sentences.line(text, number)),
    end: () => sequenceOf(sentences.end()),
  };
}

function placesOf(column: LabelField = "upos"): number[] {
  return column.split("+").map((name) => (conlluFields as readonly string[]).indexOf(name));
}

/** The label of a word; null where its field is empty, but for features: a word may have none. */
function labelOf(fields: readonly string[], column: LabelField | undefined): GivenLabel {
  const [first, second] = placesOf(column).map((place) => fields[place]);
  if (first === NOTHING && column !== "feats") return null;
  return second === undefined || second === NOTHING ? first : `${first}|${second}`;
}

/** The lines of a sentence with labels in their places; null leaves a place empty. */
export function withLabels(
  { lines, at }: NonNullable<TaggingSequence["source"]>,
  labels: readonly (string | null)[],
  column: LabelField | undefined,
): string[] {
  const places = placesOf(column);
  const written = [...lines];
  labels.forEach((label, i) => {
    const fields = written[at[i]].split("\t");
    const cut = places.length > 1 && label !== null ? label.indexOf("|") : -1;
    const parts = label === null ? [] : cut < 0 ? [label] : [label.slice(0, cut), label.slice(cut + 1)];
    places.forEach((place, p) => {
      fields[place] = parts[p] ?? NOTHING;
    });
    written[at[i]] = fields.join("\t");
  });
  return written;
}
