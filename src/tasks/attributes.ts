// Built-in attributes. For words: the word, its affixes, its shape, its neighbours; for the further columns of a file
// (a part of speech, say): n-grams in a window of five. An attribute is a name such as `suffix3=ing` or `c1[-1]|c1[0]=DT|NN`;
// what would reach beyond the ends of the sequence is left out.

/** What one word gives wherever it stands, kept because words come back. */
interface WordParts {
  lower: string;
  own: string[]; // the attributes of the word itself
  before: string[]; // what it gives to the word after it
  before2: string; // ... to the word two places after it
  after: string[]; // ... to the word before it
  after2: string; // ... to the word two places before it
}

const longestPrefix = 4;
const longestSuffix = 5;
/** Words remembered before all are forgotten: bounds the memory of a stream of any length. */
const cacheLimit = 1 << 16;
/** A longer word is not remembered, or a few of them could hold much memory. */
const cachedWordLength = 64;
/** Where a shape is cut: what follows says nothing about the kind of word. */
const longestShape = 12;

const cache = new Map<string, WordParts>();

/** The attributes of the word at position `i` among the words of its sentence. */
export function textAttributes(tokens: readonly string[], i: number): string[] {
  const last = tokens.length - 1;
  const word = partsOf(tokens[i]);
  const attributes = word.own.slice();
  if (i === 0) attributes.push("first");
  else {
    const before = partsOf(tokens[i - 1]);
    for (const attribute of before.before) attributes.push(attribute);
    attributes.push(`lower[-1]|lower[0]=${before.lower}|${word.lower}`);
    if (i > 1) attributes.push(partsOf(tokens[i - 2]).before2);
  }
  if (i === last) attributes.push("last");
  else {
    const after = partsOf(tokens[i + 1]);
    for (const attribute of after.after) attributes.push(attribute);
    attributes.push(`lower[0]|lower[1]=${word.lower}|${after.lower}`);
    if (i + 1 < last) attributes.push(partsOf(tokens[i + 2]).after2);
  }
  return attributes;
}

/** The attributes of every word of a sentence: [length][any]. */
export function textAttributesOf(tokens: readonly string[]): string[][] {
  return tokens.map((_, i) => textAttributes(tokens, i));
}

/**
 * The attributes of a sequence of columns: those of text for column 0, and for each further column `c` the values at
 * -2..2, the pairs and the triples of neighbours among them.
 */
export function columnAttributes(columns: readonly (readonly string[])[]): string[][] {
  const attributes = textAttributesOf(columns.map((row) => row[0]));
  const width = columns.length > 0 ? columns[0].length : 0;
  for (let c = 1; c < width; c++) addWindows(attributes, columns, c, `c${c}`, fullWindow);
  return attributes;
}

/**
 * The attributes of the chunking example that comes with CRFsuite, for rows of (word, part of speech): words at -2..2, the
 * two word pairs around 0, parts of speech at -2..2 with their pairs and triples, `__BOS__` and `__EOS__`. Published
 * results use them, so they make results comparable.
 */
export function chunkingAttributes(columns: readonly (readonly string[])[]): string[][] {
  const attributes: string[][] = columns.map(() => []);
  addWindows(attributes, columns, 0, "w", wordWindow);
  addWindows(attributes, columns, 1, "pos", fullWindow);
  if (columns.length > 0) {
    attributes[0].push("__BOS__");
    attributes[columns.length - 1].push("__EOS__");
  }
  return attributes;
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

/** Adds `name[from]|…|name[to]=value|…|value` for every run of the window that lies within the sequence. */
function addWindows(
  attributes: string[][], // [length][any]
  columns: readonly (readonly string[])[],
  column: number,
  name: string,
  window: Window,
): void {
  for (const { from, to } of window) {
    let label = `${name}[${from}]`;
    for (let offset = from + 1; offset <= to; offset++) label += `|${name}[${offset}]`;
    label += "=";
    const begin = Math.max(0, -from);
    const end = Math.min(columns.length, columns.length - to);
    for (let i = begin; i < end; i++) {
      let text = label + columns[i + from][column];
      for (let offset = from + 1; offset <= to; offset++) text += `|${columns[i + offset][column]}`;
      attributes[i].push(text);
    }
  }
}

function partsOf(word: string): WordParts {
  const known = cache.get(word);
  if (known) return known;
  const parts = computeParts(word);
  if (word.length <= cachedWordLength) {
    if (cache.size >= cacheLimit) cache.clear();
    cache.set(word, parts);
  }
  return parts;
}

function computeParts(word: string): WordParts {
  const lower = word.toLowerCase();
  // Code points, not UTF-16 units: half of a surrogate pair could not be written to a model file.
  const letters = Array.from(lower);
  const count = letters.length;
  const shape = shapeOf(word);
  const shortShape = shape.replace(/(.)\1+/gsu, "$1");
  const ending = letters.slice(-3).join("");

  const own = ["bias", `word=${word}`, `lower[0]=${lower}`, `shape=${shape}`, `short[0]=${shortShape}`];
  for (let n = 1; n <= Math.min(longestPrefix, count); n++) own.push(`prefix${n}=${letters.slice(0, n).join("")}`);
  for (let n = 1; n <= Math.min(longestSuffix, count); n++) own.push(`suffix${n}=${letters.slice(count - n).join("")}`);
  if (/\p{Nd}/u.test(word)) own.push(/^[\p{Nd}.,:/%+-]+$/u.test(word) ? "number" : "digit");
  if (word.includes("-")) own.push("hyphen");
  if (/^\p{Lu}/u.test(word)) own.push("capital");
  if (/\p{Lu}/u.test(word)) own.push(/\p{Ll}/u.test(word) ? "mixed" : "upper");
  if (!/[\p{L}\p{N}]/u.test(word)) own.push("symbol");

  const neighbour = (offset: string) => [
    `lower[${offset}]=${lower}`,
    `suffix3[${offset}]=${ending}`,
    `short[${offset}]=${shortShape}`,
  ];
  return {
    lower,
    own,
    before: neighbour("-1"),
    before2: `lower[-2]=${lower}`,
    after: neighbour("1"),
    after2: `lower[2]=${lower}`,
  };
}

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
