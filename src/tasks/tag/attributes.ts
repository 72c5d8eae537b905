// Built-in attributes. For words: the word, its affixes, its shape, its neighbours; for the further columns of a file
// (a part of speech, say): n-grams in a window of five. An attribute is a name such as `suffix3=ing` or `c1[-1]|c1[0]=DT|NN`;
// what would reach beyond the ends of the sequence is left out.

import { type Form, halvedPiece, jointPiece, type Piece, pieceNames } from "./pieces.js";

/** What one word gives wherever it stands, kept because words come back: names in halves, such as `suffix3=` and `ing`. */
interface WordParts {
  /** The shape with runs made one. */
  shortShape: string;
  own: string[]; // the attributes of the word itself
  before: string[]; // what it gives to the word after it
  before2: string[]; // ... to the word two places after it
  after: string[]; // ... to the word before it
  after2: string[]; // ... to the word two places before it
}

/**
 * Which attributes words have; kept in models, so that those of earlier versions see words as they did.
 *   1  affixes of up to 4 and 5 letters
 *   2  affixes of up to 10, if they are seen again; the word without what surrounds its letters; links, hashtags and the like;
 *      scripts, and the signs of Chinese words; shapes together with those of neighbours
 */
export type TextVersion = 1 | 2;
export const latestText: TextVersion = 2;

const longestAffix = { prefix: [4, 10], suffix: [5, 10] };
/** [longest + 1] `prefix3=` */
const affixNames = {
  prefix: Array.from({ length: 11 }, (_, n) => `prefix${n}=`),
  suffix: Array.from({ length: 11 }, (_, n) => `suffix${n}=`),
};
/** Longer affixes are left out unless they are seen again: most belong to one word alone, which is an attribute itself. */
const ALWAYS_KEPT = 5;

/** How often an attribute of text must be seen to be learned. */
export function leastCount(name: string): number {
  const length = /^(?:pre|suf)fix(\d+)=/.exec(name)?.[1];
  return length !== undefined && Number(length) > ALWAYS_KEPT ? 2 : 1;
}

/** Words remembered before all are forgotten: bounds the memory of a stream of any length. */
const cacheLimit = 1 << 13;
/** A longer word is not remembered, or a few of them could hold much memory. */
const cachedWordLength = 64;
/** Where a shape is cut: what follows says nothing about the kind of word. */
const longestShape = 12;

/** [version - 1] */
const caches: readonly Map<string, WordParts>[] = [new Map(), new Map()];

/** A piece of text: what the word that many places away gives, or what it gives that there is none. */
function wordPiece(
  version: TextVersion,
  row: number,
  halves: (parts: WordParts) => readonly string[],
  beyond: readonly string[] = [],
): Piece {
  return halvedPiece({ row, column: 0 }, (word) =>
    typeof word === "string" ? halves(partsOf(word, version)) : beyond,
  );
}

const inLowerCase: Form = (word) => (typeof word === "string" ? word.toLowerCase() : undefined);
const asItIs: Form = (value) => (typeof value === "string" ? value : undefined);
const inShortShape: Form = (word) => (typeof word === "string" ? partsOf(word, latestText).shortShape : "");

/** A name for values of neighbours: `name[-1]|name[0]=value|value`. */
function neighbours(name: string, rows: readonly number[], column: number, form: Form): Piece {
  const places = rows.map((row) => ({ row, column }));
  const label = `${rows.map((row) => `${name}[${row}]`).join("|")}=`;
  const text = [label, ...rows.slice(1).map(() => "|"), ""];
  return jointPiece(places, { text, forms: rows.map(() => form) });
}

function textPieces(version: TextVersion): readonly Piece[] {
  return [
    wordPiece(version, 0, (parts) => parts.own),
    wordPiece(version, -1, (parts) => parts.before, ["first", ""]),
    neighbours("lower", [-1, 0], 0, inLowerCase),
    wordPiece(version, -2, (parts) => parts.before2),
    wordPiece(version, 1, (parts) => parts.after, ["last", ""]),
    neighbours("lower", [0, 1], 0, inLowerCase),
    wordPiece(version, 2, (parts) => parts.after2),
    ...(version === 1
      ? []
      : [neighbours("short", [-1, 0], 0, inShortShape), neighbours("short", [0, 1], 0, inShortShape)]),
  ];
}

/** The attributes of the word at position `i` among the words of its sentence. */
export function textAttributes(tokens: readonly string[], i: number, version = latestText): string[] {
  const from = Math.max(0, i - 2);
  const around = tokens.slice(from, i + 3).map((token) => [token]);
  return pieceNames(columnPieces(1, version), around, i - from);
}

/**
 * The attributes of a sequence of columns: those of text for column 0, and for each further column `c` the values at
 * -2..2, the pairs and the triples of neighbours among them.
 */
export function columnAttributes(columns: readonly (readonly string[])[]): string[][] {
  const pieces = columnPieces(columns.length > 0 ? columns[0].length : 0);
  return columns.map((_, i) => pieceNames(pieces, columns, i));
}

/** [version - 1][width] */
const piecesByWidth: (readonly Piece[])[][] = [[], []];

/** The pieces of `columnAttributes` for a number of columns. */
export function columnPieces(width: number, version = latestText): readonly Piece[] {
  const known = piecesByWidth[version - 1];
  known[width] ??= [
    ...textPieces(version),
    ...Array.from({ length: Math.max(0, width - 1) }, (_, c) => windowPieces(c + 1, `c${c + 1}`, fullWindow)).flat(),
  ];
  return known[width];
}

/**
 * The attributes of the chunking example that comes with CRFsuite, for rows of (word, part of speech): words at -2..2, the
 * two word pairs around 0, parts of speech at -2..2 with their pairs and triples, `__BOS__` and `__EOS__`. Published
 * results use them, so they make results comparable.
 */
export function chunkingAttributes(columns: readonly (readonly string[])[]): string[][] {
  return columns.map((_, i) => pieceNames(chunkingPieces, columns, i));
}

/** Runs of offsets from the current position. */
type Window = readonly { from: number; to: number }[];

const singles: Window = [-2, -1, 0, 1, 2].map((from) => ({ from, to: from }));
const wordWindow: Window = [...singles, { from: -1, to: 0 }, { from: 0, to: 1 }];
const fullWindow: Window = [
  ...singles,
  ...[-2, -1, 0, 1].map((from) => ({ from, to: from + 1 })),
  ...[-2, -1, 0].map((from) => ({ from, to: from + 2 })),
];

/** For every run of the window `name[from]|…|name[to]=value|…|value`, if it lies within the sequence. */
function windowPieces(column: number, name: string, window: Window): Piece[] {
  return window.map(({ from, to }) => {
    const rows = Array.from({ length: to - from + 1 }, (_, k) => from + k);
    return neighbours(name, rows, column, asItIs);
  });
}

/** A piece with a name for positions that have no neighbour at a place. */
function endPiece(row: number, name: string): Piece {
  return { places: [{ row, column: 0 }], names: ([value]) => (typeof value === "string" ? [] : [name]) };
}

/** The pieces of `chunkingAttributes`. */
export const chunkingPieces: readonly Piece[] = [
  ...windowPieces(0, "w", wordWindow),
  ...windowPieces(1, "pos", fullWindow),
  endPiece(-1, "__BOS__"),
  endPiece(1, "__EOS__"),
];

function partsOf(word: string, version: TextVersion): WordParts {
  const cache = caches[version - 1];
  const known = cache.get(word);
  if (known) return known;
  const parts = computeParts(word, version);
  if (word.length <= cachedWordLength) {
    if (cache.size >= cacheLimit) cache.clear();
    cache.set(word, parts);
  }
  return parts;
}

function computeParts(word: string, version: TextVersion): WordParts {
  const lower = word.toLowerCase();
  const letters = lettersOf(lower);
  const count = letters.length;
  const shape = shapeOf(word);
  const shortShape = shape.replace(/(.)\1+/gsu, "$1");
  const ending = letters.cut(Math.max(0, count - 3), count);

  const own = ["bias", "", "word=", word, "lower[0]=", lower, "shape=", shape, "short[0]=", shortShape];
  const longest = (kind: "prefix" | "suffix"): number => Math.min(longestAffix[kind][version - 1], count);
  for (let n = 1; n <= longest("prefix"); n++) own.push(affixNames.prefix[n], letters.cut(0, n));
  for (let n = 1; n <= longest("suffix"); n++) own.push(affixNames.suffix[n], letters.cut(count - n, count));
  if (/\p{Nd}/u.test(word)) own.push(/^[\p{Nd}.,:/%+-]+$/u.test(word) ? "number" : "digit", "");
  if (word.includes("-")) own.push("hyphen", "");
  if (/^\p{Lu}/u.test(word)) own.push("capital", "");
  if (/\p{Lu}/u.test(word)) own.push(/\p{Ll}/u.test(word) ? "mixed" : "upper", "");
  if (!/[\p{L}\p{N}]/u.test(word)) own.push("symbol", "");

  if (version >= 2) own.push(...newerParts(word, lower));

  return {
    shortShape,
    own,
    before: ["lower[-1]=", lower, "suffix3[-1]=", ending, "short[-1]=", shortShape],
    before2: ["lower[-2]=", lower],
    after: ["lower[1]=", lower, "suffix3[1]=", ending, "short[1]=", shortShape],
    after2: ["lower[2]=", lower],
  };
}

/** A word to be cut by code points: half of a surrogate pair could not be written to a model file. */
function lettersOf(word: string): { length: number; cut(from: number, to: number): string } {
  if (!/[\ud800-\udfff]/.test(word)) return { length: word.length, cut: (from, to) => word.slice(from, to) };
  const letters = Array.from(word);
  return { length: letters.length, cut: (from, to) => letters.slice(from, to).join("") };
}

/** What version 2 adds of a word. */
function newerParts(word: string, lower: string): string[] {
  const parts: string[] = [];
  const bare = lower.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
  if (bare !== "" && bare !== lower) parts.push("bare=", bare);
  for (const [name, pattern] of netWords) if (pattern.test(word)) parts.push(name, "");
  for (const [name, pattern] of scripts) if (pattern.test(word)) parts.push("script=", name);
  // Words of a script without affixes: each sign tells something.
  if (/\p{Script=Han}/u.test(word)) for (const sign of new Set(word)) parts.push("sign=", sign);
  return parts;
}

const netWords: readonly [name: string, pattern: RegExp][] = [
  ["link", /^(?:https?:\/\/|www\.)./iu],
  ["hashtag", /^[#＃][\p{L}\p{N}_]/u],
  ["mention", /^[@＠][\p{L}\p{N}_]/u],
  ["address", /^[^@\s]+@[^@\s]+\.[^@\s]+$/u],
  ["picture", /\p{Extended_Pictographic}/u],
];

/** Scripts that have no case, or stand among others that have one. */
const scripts: readonly [name: string, pattern: RegExp][] = [
  ...["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar", "Arabic", "Hebrew"],
  ...["Devanagari", "Bengali", "Tamil", "Telugu", "Georgian", "Ethiopic", "Greek", "Cyrillic", "Latin"],
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, "u")]);

/** `Xx-d`: capital letters as X, other letters as x, digits as d, the rest as it is. */
function shapeOf(word: string): string {
  let shape = "";
  let count = 0;
  for (const letter of word) {
    if (count++ === longestShape) break;
    if (letter >= "a" && letter <= "z") shape += "x";
    else if (letter >= "A" && letter <= "Z") shape += "X";
    else if (/\p{Nd}/u.test(letter)) shape += "d";
    else if (/[\p{Lu}\p{Lt}]/u.test(letter)) shape += "X";
    else if (/\p{L}/u.test(letter)) shape += "x";
    else shape += letter;
  }
  return shape;
}
