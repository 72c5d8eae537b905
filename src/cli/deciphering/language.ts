// The language of `stargram decipher`: a model from a file, or made of plain text as the cipher needs it, and what is to be said
// of that.

import { type Encoding, readTextLines } from "../../formats/text.js";
import type { CipherText } from "../../tasks/decipher/cipher-text.js";
import type { Key } from "../../tasks/decipher/known-key.js";
import type { LanguageModel } from "../../tasks/decipher/language.js";
import { type Fold, hasAccents } from "../../tasks/decipher/letter.js";
import { InputError } from "../../util/errors.js";
import { counted } from "../../util/text.js";
import { loadModel } from "../../workflows/disk.js";

export async function loadLanguage(path: string): Promise<LanguageModel> {
  const hint = "`stargram decipher … --save-language MODEL` writes language models; give books with --plain";
  const model = await loadModel(path).catch((error) => {
    if (!(error instanceof InputError && error.reason.startsWith("not a Stargram model"))) throw error;
    throw new InputError(error.reason, { file: path, hint, cause: error });
  });
  if (model.kind !== "language") throw new InputError("this model is not a language model", { file: path, hint });
  return model as LanguageModel;
}

/** A language model from a file as the cipher text needs it. */
export function fitting(loaded: LanguageModel, level: "word" | "char", spaces: boolean, file?: string): LanguageModel {
  if (loaded.options.level !== level) {
    throw new InputError(`the language model has the level ${loaded.options.level}, not ${level}`, { file });
  }
  if (level === "word") return loaded;
  const language = loaded.withSpaces(spaces);
  if (language) return language;
  // Files of before 0.2 know the one or the other.
  if (spaces) return loaded;
  throw new InputError("the language model has spaces between words, but those of the cipher text are unknown", {
    file,
    hint: "give plain text (--plain), a model made for cipher text without spaces, or --spaces known or enciphered",
  });
}

/** Plain text, line by line. */
export async function plainLines(files: readonly string[], encoding?: Encoding): Promise<string[]> {
  const lines: string[] = [];
  for (const file of files) for (const line of await readTextLines(file, encoding)) lines.push(line);
  return lines;
}

/** Accents of the plain text are folded away, unless the cipher text or what is known of its key has some. */
export function foldFor(cipher: CipherText, known: Key): Fold {
  if (cipher.kind === "words") return "none";
  const symbols = cipher.kind === "letters" ? cipher.sequences.flat() : [];
  return [...symbols, ...Object.values(known)].some(hasAccents) ? "none" : "base";
}

/** Letters that a sentence names at most. */
const MOST_NAMED = 8;

/** Letters that were folded are worth a word if there are as many as this a word of the plain text. */
const WORTH_A_WORD = 0.001;

/** What became of the letters of the plain text. */
export function languageNotes({ dropped, folded, words }: LanguageModel): string[] {
  const notes: string[] = [];
  const times = [...folded.values()].reduce((a, b) => a + b, 0);
  if (times > WORTH_A_WORD * (words?.total ?? 0)) {
    notes.push(
      `accents of the plain text are removed: ${named(folded)} (--fold none keeps them, digraph writes ä as ae)`,
    );
  }
  if (dropped.size > 0) {
    notes.push(`letters too rare in the plain text are left out: ${named(dropped)} (--alphabet sets the letters)`);
  }
  return notes;
}

function named(letters: ReadonlyMap<string, number>): string {
  const all = [...letters].sort(([, a], [, b]) => b - a);
  const shown = all.slice(0, MOST_NAMED).map(([letter, count]) => `${letter} (${counted(count)})`);
  const rest = all.length - shown.length;
  return `${shown.join(", ")}${rest > 0 ? ` and ${counted(rest)} more` : ""}`;
}
