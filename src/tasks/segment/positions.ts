// What a segmenter sees of a text: its positions, which segments are made of. They are characters (grapheme clusters; white
// space stands between them) or tokens (parts between white space, or rows of columns). A position knows where it stands in
// the text, so that segments have offsets: UTF-16 units, as `text.slice(start, end)` counts.

import type { SymbolKind } from "../../formats/pair-lines.js";
import { composed, graphemesOf } from "../../util/characters.js";

export interface Positions {
  text: string;
  /** [positions][columns] a character and its class; or the columns of a token. */
  columns: string[][];
  /** [positions] offsets in the text. */
  start: Int32Array;
  end: Int32Array;
  /** [positions] 1 where white space stands before the position, but not at the first. */
  spaced: Uint8Array;
}

/** The positions of a text. */
export function textPositions(text: string, input: SymbolKind): Positions {
  const columns: string[][] = [];
  const start: number[] = [];
  const end: number[] = [];
  const spaced: number[] = [];
  let space = false;
  const add = (from: number, to: number): void => {
    const part = composed(text.slice(from, to));
    columns.push(input === "chars" ? [part, characterClass(part)] : [part]);
    start.push(from);
    end.push(to);
    spaced.push(space && spaced.length > 0 ? 1 : 0);
    space = false;
  };
  if (input === "tokens") {
    for (const match of text.matchAll(/\S+/gu)) {
      space = true;
      add(match.index, match.index + match[0].length);
    }
  } else {
    let at = 0;
    for (const character of graphemesOf(text)) {
      if (/^\s/u.test(character)) space = true;
      else add(at, at + character.length);
      at += character.length;
    }
  }
  return {
    text,
    columns,
    start: Int32Array.from(start),
    end: Int32Array.from(end),
    spaced: Uint8Array.from(spaced),
  };
}

/** The positions of columns: the text is that of the first, with spaces between. */
export function columnPositions(columns: readonly (readonly string[])[]): Positions {
  const start = new Int32Array(columns.length);
  const end = new Int32Array(columns.length);
  let at = 0;
  columns.forEach(([token], i) => {
    start[i] = at;
    end[i] = at + token.length;
    at = end[i] + 1;
  });
  return {
    text: columns.map(([token]) => token).join(" "),
    columns: columns.map((row) => [...row]),
    start,
    end,
    spaced: new Uint8Array(columns.length).fill(1, 1),
  };
}

const classes: readonly (readonly [RegExp, string])[] = [
  [/^\p{Nd}/u, "d"],
  [/^[〇零一二三四五六七八九十百千万萬亿億两兩]/u, "n"],
  [/^\p{Script=Han}/u, "C"],
  [/^\p{Script=Hiragana}/u, "h"],
  [/^[\p{Script=Katakana}ー]/u, "k"],
  [/^\p{Lu}/u, "X"],
  [/^\p{Ll}/u, "x"],
  [/^\p{L}/u, "a"],
  [/^[\p{P}]/u, "p"],
  [/^\p{S}/u, "s"],
];

const classCache = new Map<string, string>();
/** Characters remembered before all are forgotten. */
const MOST_CLASSES = 1 << 16;

/** What kind of character it is, as one letter: `d` digit, `n` numeral, `C` Han, `h` hiragana, `k` katakana, `X` and `x` capital and small, … */
export function characterClass(character: string): string {
  let found = classCache.get(character);
  if (found === undefined) {
    found = classes.find(([pattern]) => pattern.test(character))?.[1] ?? "o";
    if (classCache.size >= MOST_CLASSES) classCache.clear();
    if (character.length <= 8) classCache.set(character, found);
  }
  return found;
}

/** What a segment of positions reads. */
export function segmentText({ columns }: Positions, from: number, to: number, input: SymbolKind): string {
  let text = columns[from][0];
  for (let i = from + 1; i < to; i++) text += input === "tokens" ? ` ${columns[i][0]}` : columns[i][0];
  return text;
}
