// What is written: dates in digits or words in letters. Each says how its pictures are made, what the model is shown of them,
// and what to call them.

import { pixelAttributes, pixelsOf, type Shrunk, shrink } from "../../demo/digits.js";
import { alphabet, bitmapOf, letterHeight, letterOf, letterWidth, writeLetter } from "../../demo/letters.js";
import { letterAttributes, type Pixels } from "../../src/formats/letters.js";
import { greyOf, normalised } from "./digits.js";
import type { LoadedModel } from "./protocol.js";

/** Examples that come with a model. */
export interface Examples {
  /** The dates or words that it has learned. */
  register: string[];
  /** Pictures of digits in grey, as base64; pictures of letters as hexadecimal pixels. */
  examples: { truth: string; lesson: boolean; pictures: string[] }[];
}

export interface Script {
  symbol: "digit" | "letter";
  text: "date" | "word";
  symbols: readonly string[];
  /** What the keys that write a symbol are called. */
  keys: string;
  /** Pixels of a picture as the model sees it. */
  columns: number;
  rows: number;
  /** Boxes to draw in: so many at first, and at most. */
  boxes: number;
  mostBoxes: number;
  /** Of the pen, in pixels of the pad. */
  stroke: number;
  /** What the model is shown of a picture; of letters, `pixels` says which. */
  attributes: (picture: Shrunk, pixels: Pixels | undefined) => string[];
  /** A drawing, [side][side] from 0 to 1; undefined if there is no ink. */
  drawn: (ink: Float32Array, side: number) => Shrunk | undefined;
  /** A symbol that a key stands for. */
  typed: (symbol: string, examples: Examples | undefined) => Shrunk | undefined;
  /** A picture of an example: in grey, if there is more to see than what the model sees. */
  picture: (text: string) => { grey?: Float32Array; pixels: Shrunk };
  /** The text as people write it. */
  spelled: (text: string) => string;
}

const digitSide = 5; // pixels
const dateLength = 8;

const digits: Script = {
  symbol: "digit",
  text: "date",
  symbols: [..."0123456789"],
  keys: "0 to 9",
  columns: digitSide,
  rows: digitSide,
  boxes: dateLength,
  mostBoxes: dateLength,
  stroke: 13,
  attributes: pixelAttributes,
  drawn: (ink, side) => {
    const image = normalised(ink, side);
    return image && shrink(image, digitSide);
  },
  typed: (symbol, examples) => {
    for (const { truth, pictures } of examples?.examples ?? []) {
      const at = truth.indexOf(symbol);
      if (at >= 0) return digits.picture(pictures[at]).pixels;
    }
    return undefined;
  },
  picture: (text) => {
    const grey = greyOf(text);
    return { grey, pixels: shrink(grey, digitSide) };
  },
  spelled: dashed,
};

const letters: Script = {
  symbol: "letter",
  text: "word",
  symbols: [...alphabet],
  keys: "a to z",
  columns: letterWidth,
  rows: letterHeight,
  boxes: 6,
  mostBoxes: 12,
  stroke: 9,
  attributes: (picture, pixels = "16x8") => letterAttributes(pixels)(bitmapOf(picture)),
  drawn: letterOf,
  typed: (symbol) => (alphabet.includes(symbol) ? writeLetter(symbol) : undefined),
  picture: (text) => ({ pixels: pictureOf(letters, text) }),
  spelled: (text) => text,
};

export const scripts = { digits, letters };
export type ScriptName = keyof typeof scripts;

/** What a model reads. */
export function scriptOf({ pixels }: Pick<LoadedModel, "pixels">): Script {
  return pixels ? letters : digits;
}

/** Pixels as hexadecimal digits, as pixels. */
export function pictureOf(script: Script, text: string): Shrunk {
  return pixelsOf(text, script.columns * script.rows);
}

function dashed(date: string): string {
  return date.length === dateLength ? `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}` : date;
}
