// `letter.data`: handwritten words, an image of a letter a line. Fields between tabs: id, letter, next_id, word_id, position,
// fold, then 128 pixels (16 rows of 8, row by row, 0 or 1). next_id is the id of the line that follows in the word, -1 at its
// end. An attribute `p3,1` says that the pixel in row 3 and column 1, counted from 0, is set, `p3,1&p3,3` that two pixels
// near each other are; `bias` is always there.

import { InputError } from "../util/errors.js";
import { checkSequenceLength } from "./limits.js";
import type { ParserOptions, SequenceParser } from "./parser.js";
import type { TaggingSequence } from "./sequence.js";

/**
 * `16x8`: every pixel. `8x4`: those in rows and columns of odd index, counted from 0. With `+pairs`, pairs of pixels near
 * each other too.
 */
export type Pixels = "16x8" | "8x4" | "16x8+pairs" | "8x4+pairs";
export const pixelChoices: readonly Pixels[] = ["16x8", "8x4", "16x8+pairs", "8x4+pairs"];

export interface LettersOptions extends ParserOptions {
  /** Default `16x8`. */
  pixels?: Pixels;
  /** The folds to keep; default all. */
  folds?: ReadonlySet<number>;
}

const rows = 16;
const columns = 8;
/** From one pixel to the other of a pair, in rows and columns of the pixels looked at. */
const pairSteps = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
  [0, 2],
  [2, 0],
];
const headFields = 6;
const fieldCount = headFields + rows * columns;

export function lettersParser(options: LettersOptions): SequenceParser {
  const { labelled, file, folds } = options;
  const attributesOf = letterAttributes(options.pixels ?? "16x8");
  let sequence: TaggingSequence | undefined;
  // What the next line has to say.
  let nextId = -1;
  let wordId = 0;
  let position = 0;

  const line = (text: string, number: number): TaggingSequence | undefined => {
    if (text === "") return undefined;
    const refuse: Refuse = (reason) => new InputError(reason, { file, line: number });
    const { id, next, word, place, fold, letter, bitmap } = parseLetter(text, refuse);
    if (sequence === undefined) {
      sequence = {
        columns: [],
        attributes: [],
        labels: labelled ? [] : undefined,
        fold,
        id: String(word),
        file,
        line: number,
      };
      position = place;
      wordId = word;
    } else {
      if (id !== nextId) throw refuse(`the chain is broken: the line before leads to id ${nextId}, found ${id}`);
      if (word !== wordId) throw refuse(`word ${wordId} goes on here, found word ${word}`);
      if (place !== ++position) throw refuse(`position ${position} expected, found ${place}`);
      if (fold !== sequence.fold) throw refuse(`the word is in fold ${sequence.fold}, found ${fold}`);
    }
    nextId = next;
    sequence.columns?.push([bitmap]);
    checkSequenceLength(sequence.columns?.length ?? 0, { file, line: sequence.line });
    sequence.attributes?.push(attributesOf(bitmap));
    sequence.labels?.push(letter === "_" ? null : letter);
    if (next !== -1) return undefined;
    const complete = sequence;
    sequence = undefined;
    return folds === undefined || folds.has(fold) ? complete : undefined;
  };
  const end = (): undefined => {
    if (sequence !== undefined) {
      throw new InputError(`the file ends inside word ${wordId}`, { file, line: sequence.line });
    }
  };
  return { line, end };
}

type Refuse = (reason: string) => InputError;

/** What a line says of its letter. */
interface Letter {
  id: number;
  letter: string;
  /** -1 at the end of a word. */
  next: number;
  word: number;
  place: number;
  fold: number;
  /** 128 characters `0` and `1`, row by row. */
  bitmap: string;
}

function parseLetter(text: string, refuse: Refuse): Letter {
  const fields = text.split("\t");
  if (fields[fields.length - 1] === "") fields.pop(); // the lines of the original end with a tab
  if (fields.length !== fieldCount) {
    throw refuse(`${fieldCount} fields expected (6 and 128 pixels), found ${fields.length}`);
  }
  const whole = (field: number, name: string): number => {
    const value = fields[field];
    if (!/^\d{1,15}$/.test(value)) throw refuse(`the ${name} should be a whole number, found \`${value}\``);
    return Number(value);
  };
  const numbers = {
    id: whole(0, "id"),
    next: fields[2] === "-1" ? -1 : whole(2, "next id"),
    word: whole(3, "word id"),
    place: whole(4, "position"),
    fold: whole(5, "fold"),
  };
  const letter = fields[1];
  if (!/^\S$/u.test(letter)) throw refuse(`one letter expected in the second field, found \`${letter}\``);
  const pixels = fields.slice(headFields);
  const bad = pixels.findIndex((pixel) => pixel !== "0" && pixel !== "1");
  if (bad >= 0) throw refuse(`pixel ${bad + 1} should be 0 or 1, found \`${pixels[bad]}\``);
  return { ...numbers, letter, bitmap: pixels.join("") };
}

/** The size of a letter's picture. */
export const letterSize = { width: columns, height: rows };

/** Makes the attributes of a picture: 128 characters `0` and `1`, row by row. */
export function letterAttributes(pixels: Pixels): (bitmap: string) => string[] {
  const names = pixelNames(pixels);
  const pairs = pixelPairs(pixels, names);
  return (bitmap) => {
    const attributes = ["bias"];
    names.forEach((name, p) => {
      if (name !== undefined && bitmap[p] === "1") attributes.push(name);
    });
    for (const { name, first, second } of pairs) {
      if (bitmap[first] === "1" && bitmap[second] === "1") attributes.push(name);
    }
    return attributes;
  };
}

/** The attribute of every pixel, undefined where it is not looked at: [128]. */
function pixelNames(pixels: Pixels): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const kept = pixels.startsWith("16x8") || (row % 2 === 1 && column % 2 === 1);
      names.push(kept ? `p${row},${column}` : undefined);
    }
  }
  return names;
}

/** The pairs of pixels near each other, if they are looked at. */
function pixelPairs(
  pixels: Pixels,
  names: readonly (string | undefined)[],
): { name: string; first: number; second: number }[] {
  if (!pixels.endsWith("+pairs")) return [];
  const step = pixels.startsWith("16x8") ? 1 : 2;
  const pairs: { name: string; first: number; second: number }[] = [];
  for (let first = 0; first < names.length; first++) {
    if (names[first] === undefined) continue;
    for (const [down, right] of pairSteps) {
      const row = Math.floor(first / columns) + step * down;
      const column = (first % columns) + step * right;
      if (row >= rows || column < 0 || column >= columns) continue;
      const second = row * columns + column;
      pairs.push({ name: `${names[first]}&${names[second]}`, first, second });
    }
  }
  return pairs;
}

/** A list of folds such as `0,2-9`. */
export function parseFolds(text: string): Set<number> {
  const folds = new Set<number>();
  for (const part of text.split(",")) {
    const [, from, to = from] = /^\s*(\d{1,3})(?:-(\d{1,3}))?\s*$/.exec(part) ?? [];
    if (from === undefined || Number(to) < Number(from)) {
      throw new InputError(`\`${part}\` is not a fold`, { hint: "write folds as `0,2-9`" });
    }
    for (let fold = Number(from); fold <= Number(to); fold++) folds.add(fold);
  }
  return folds;
}
