// Letters of any script: what is one, its small letter and its capital, and what it becomes if accents are not written.

/** Whether a character is a letter of any script. Most text is ASCII, which needs no table. */
export function isLetter(character: string): boolean {
  if (character >= "a" && character <= "z") return true;
  if (character < "\u0080") return character >= "A" && character <= "Z";
  return /^\p{L}$/u.test(character);
}

/**
 * The small letter of a capital, if the two are a pair that leads from each to the other; else the character itself. (The
 * capital of `ß` is `ẞ` here, one letter; `ı`, `ς` and the like have none, as theirs are those of other letters.)
 */
export function smallOf(character: string): string {
  const small = character.toLowerCase();
  return small !== character && [...small].length === 1 && upperCase(small) === character ? small : character;
}

/** The capital of a small letter, if it has one of its own. */
export function capitalOf(character: string): string | undefined {
  const capital = upperCase(character);
  return capital !== character && smallOf(capital) === character ? capital : undefined;
}

function upperCase(character: string): string {
  return character === "ß" ? "ẞ" : character.toUpperCase();
}

/**
 * How letters with accents are written. `none`: as they are. `base`: without the accent, ä as a. `digraph`: as German and
 * Scandinavian telegrams do, ä as ae.
 */
export const folds = ["none", "base", "digraph"] as const;
export type Fold = (typeof folds)[number];

/** Letters that no accent explains. */
const unlike: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ĸ: "k",
  ŋ: "n",
  ſ: "s",
  ς: "σ",
};
const digraphs: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" };

/** A small letter as it is written under a fold: one letter or two. Scripts whose marks make other letters stay as they are. */
export function folded(letter: string, fold: Fold): string {
  if (fold === "none" || letter < "\u0080") return letter;
  if (fold === "digraph" && Object.hasOwn(digraphs, letter)) return digraphs[letter];
  if (Object.hasOwn(unlike, letter)) return unlike[letter];
  if (!/^[\p{Script=Latin}\p{Script=Greek}]$/u.test(letter)) return letter;
  const base = letter.normalize("NFD").replace(/\p{M}/gu, "");
  return base === "" ? letter : base;
}

/** Whether a small letter is another one under folding. */
export function hasAccents(letter: string): boolean {
  return folded(letter, "base") !== letter;
}
