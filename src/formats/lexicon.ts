// Lexicons: lists of words or phrases, and tables of their classes. One entry a line:
//   New York                   an entry
//   New York TAB LOC           an entry and its class; what follows another tab is left alone
//   0110 TAB york TAB 17       as Brown's clustering writes it (`paths`), if every line is so: the word is the second
// An entry may have several classes, on a line each. Nothing here needs a file system.

import { InputError } from "../util/errors.js";

export interface LexiconEntry {
  /** Words separated by a space. */
  text: string;
  class?: string;
}

const paths = /^([01]+)\t([^\t]+)\t\d+$/;

/** The entries of a lexicon, in order; `file` is named in errors. */
export function readLexicon(text: string, file?: string): LexiconEntry[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const filled = lines.filter((line) => line.trim() !== "");
  if (filled.length === 0)
    throw new InputError("the lexicon is empty", { file, hint: "give one word or phrase per line" });
  const isPaths = filled.every((line) => paths.test(line));
  const entries: LexiconEntry[] = [];
  lines.forEach((line, i) => {
    if (line.trim() === "") return;
    const [first, second] = line.split("\t");
    const [words, given] = isPaths ? [second, first] : [first, second];
    const entry: LexiconEntry = { text: words.trim().replace(/\s+/g, " ") };
    if (entry.text === "") throw new InputError("an entry has no word before the tab", { file, line: i + 1 });
    const found = given?.trim();
    if (found === "") throw new InputError("an entry has no class after the tab", { file, line: i + 1 });
    if (found !== undefined) entry.class = found;
    entries.push(entry);
  });
  return entries;
}
