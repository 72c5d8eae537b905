// CoNLL-U: a word a line with ten fields between tabs, comments (`# …`) before a sentence, a blank line after it. Fields are
//   id  form  lemma  upos  xpos  feats  head  deprel  deps  misc
// An id is a word (7), a token of several words (7-8) whose words follow, or an empty node (8.1).

import { InputError } from "../util/errors.js";

export const conlluFields = [
  ...(["id", "form", "lemma", "upos", "xpos"] as const),
  ...(["feats", "head", "deprel", "deps", "misc"] as const),
] as const;

export interface ConlluRow {
  /** `7`, `7-8` or `8.1`. */
  id: string;
  form: string;
  /** All ten, in the order of `conlluFields`. */
  fields: string[];
  line: number;
}

export interface ConlluSentence {
  /** Without `#` and the space after it. */
  comments: string[];
  /** All of it as it stands, a line each: comments, then rows. */
  lines: string[];
  rows: ConlluRow[];
  file?: string;
  /** Where it begins. */
  line: number;
}

/** Takes lines one by one, and gives a sentence whenever one is complete. */
export interface ConlluParser {
  line(text: string, number: number): ConlluSentence | undefined;
  end(): ConlluSentence | undefined;
}

export function conlluParser(file?: string): ConlluParser {
  let sentence: ConlluSentence | undefined;
  const end = (): ConlluSentence | undefined => {
    const complete = sentence;
    sentence = undefined;
    // Comments alone, at the end of a file, are no sentence.
    return complete && complete.rows.length > 0 ? complete : undefined;
  };
  const line = (text: string, number: number): ConlluSentence | undefined => {
    if (text.trim() === "") return end();
    sentence ??= { comments: [], lines: [], rows: [], file, line: number };
    sentence.lines.push(text);
    if (text.startsWith("#") && sentence.rows.length === 0) sentence.comments.push(text.replace(/^# ?/, ""));
    else sentence.rows.push(parseRow(text, number, file));
    return undefined;
  };
  return { line, end };
}

function parseRow(text: string, line: number, file: string | undefined): ConlluRow {
  const fields = text.split("\t");
  if (fields.length !== conlluFields.length) {
    throw new InputError(`${conlluFields.length} fields separated by tabs expected, found ${fields.length}`, {
      file,
      line,
      hint: "is this CoNLL-U? If not, set the format with option `format`",
    });
  }
  const [id, form] = fields;
  if (!/^\d+(?:[-.]\d+)?$/.test(id)) {
    throw new InputError(`\`${id}\` is not an id`, { file, line, hint: "ids are 7, 7-8 or 8.1" });
  }
  if (form === "") throw new InputError("the form is empty", { file, line });
  return { id, form, fields, line };
}

/** The rows that make up the text: words, and tokens of several words in place of these; no empty nodes. */
export function surfaceTokens({ rows, file }: ConlluSentence): ConlluRow[] {
  let covered = 0; // words up to this one are part of a token
  return rows.filter(({ id, line }) => {
    if (id.includes(".")) return false;
    const [first, last = first] = id.split("-").map(Number);
    if (last < first) throw new InputError(`the token ${id} has no words`, { file, line });
    if (id.includes("-")) covered = last;
    return id.includes("-") || first > covered;
  });
}

/** Whether white space follows a token: it does unless `misc` has SpaceAfter=No. */
export function hasSpaceAfter({ fields }: ConlluRow): boolean {
  return !fields[9].split("|").includes("SpaceAfter=No");
}
