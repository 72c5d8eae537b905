// What a user must know before trusting a decipherment, in plain words. Options are named in backticks, for whoever shows the
// warnings to translate.

import { counted, plural } from "../../util/text.js";
import type { CipherText } from "./cipher-text.js";
import type { Decipherment } from "./decipherment.js";
import { SPACE } from "./language.js";

/** A symbol less probable than this is in doubt; so is a text of which less than this share can be expected to be right. */
export const DOUBTFUL = 0.9;

/** Below this share of the text expected right, a key is more wrong than doubtful. */
const WRONG = 0.5;

/**
 * Below this likeness a text is not of the language. English letters read as English had 0.57 to 1.1, with 400 lines of plain
 * text or more; German, French and Russian 0.13 to 0.41. Words that few sentences taught come near 0, all others above.
 */
const UNLIKE = { char: 0.5, word: 0 };

/** So many searches without a recurrence are worth a word. */
const MANY_SEARCHES = 10;

/** So few different symbols read as well under nearly any key. */
const FEW_KINDS = 2;

/** Whether there is nothing to say against a decipherment: the level that was tried is the right one. */
export function isConvincing(found: Decipherment, cipher: CipherText): boolean {
  return found.drawn && warnings(found, cipher).length === 0;
}

/** Whether a key of letters that was drawn around is more wrong than doubtful: a substitution may not be what it is. */
export function isProbablyWrong(
  { drawn, expectedAccuracy = 1, likeness }: Decipherment,
  { kind }: CipherText,
): boolean {
  return kind !== "words" && drawn && (expectedAccuracy < WRONG || likeness < UNLIKE.char);
}

export function warnings(found: Decipherment, cipher: CipherText): string[] {
  const all: string[] = [];
  const symbols = cipher.sequences.flat().filter((symbol) => symbol !== SPACE);
  const kinds = new Set(symbols).size;
  if (cipher.groups !== undefined) {
    all.push(
      `all groups have ${cipher.groups} letters, so spaces are not read as word boundaries (set option \`spaces\` to "known" if they are)`,
    );
  }
  if (found.stopped) all.push("stopped early: this is the best key so far, and may be far from correct");
  if (!found.drawn) {
    all.push(
      "no keys were sampled for comparison: each probability holds only if the rest of the key is right, which is not known",
    );
  }
  if (cipher.kind !== "words" && found.drawn && found.recurrences === undefined) {
    all.push(
      "no key search, because the plain text has too many different letters: EM found this key, and there may be much better ones (option `alphabet` can leave letters out)",
    );
  }
  if (kinds <= FEW_KINDS) {
    all.push(
      `the cipher text has only ${plural(kinds, "different symbol")}: its key cannot be determined, whatever the probabilities say`,
    );
    return all;
  }
  if (found.recurrences !== undefined && found.recurrences < 2 && found.restarts >= MANY_SEARCHES) {
    all.push(
      `${counted(found.restarts)} searches never found this key twice: there may be a better one (option \`moves\` makes searches longer)`,
    );
  }
  const share = found.expectedAccuracy ?? 1;
  const expected = `about ${Math.round(100 * share)} % of the text can be expected to be right`;
  if (found.likeness < UNLIKE[cipher.kind === "words" ? "word" : "char"]) {
    all.push(
      "the result does not read like the language of the plain text: the language or kind of cipher may be different, the plain text too short, or the key wrong, whatever the probabilities say",
    );
  } else if (share < WRONG) all.push(`the key is probably wrong: ${expected}`);
  else if (share < DOUBTFUL) all.push(`the key is uncertain: ${expected}`);
  if (symbols.length < found.unicity) {
    const needed = Number.isFinite(found.unicity) ? `about ${counted(Math.ceil(found.unicity))}` : "more";
    all.push(
      `the cipher text is short: ${plural(symbols.length, "symbol")}; a key of ${counted(kinds)} needs ${needed} to be told from others that read as well`,
    );
  }
  return all;
}
