// What is on the page to be read, from the examples or drawn; and the ways to read it.

import type { Shrunk } from "../../../../demo/digits.js";
import type { Choice } from "../../protocol.js";
import { type Examples, pictureOf, type Script } from "../../scripts.js";

export const modes = [
  ["rcms", "RCMS"],
  ["beam", "Beam"],
  ["exact", "Exact"],
] as const;
export type Mode = Choice["inference"];

export const mostContexts = 20;
/** So few that the first date shows what they do: a beam of as many is sure of it, and wrong. */
export const firstContexts = 3;
/** Where there is doubt. */
export const mostInDoubt = 60;

/** The date or word as it is written. */
export interface Written {
  /** Of each box; those of a drawing may be empty. */
  pixels: Shrunk[];
  /** Nothing where there are no more than the pixels. */
  grey: (Float32Array | undefined)[];
  /** So many boxes are read. A word ends with the last box that is not empty. */
  length: number;
  truth?: string;
}

export function writtenText(
  script: Script,
  examples: Examples | undefined,
  ink: string | undefined,
  index: number,
): Written {
  if (ink !== undefined) return drawnText(script, ink);
  if (!examples) return { pixels: [], grey: [], length: 0 };
  const { pictures, truth } = examples.examples[index];
  const found = pictures.map(script.picture);
  return {
    pixels: found.map(({ pixels }) => pixels),
    grey: found.map(({ grey }) => grey),
    length: found.length,
    truth,
  };
}

function drawnText(script: Script, ink: string): Written {
  const { columns, rows, boxes, mostBoxes } = script;
  const count = columns * rows;
  const given = ink.split(".").slice(0, mostBoxes);
  const pictures = given.map((text) => (isPixels(text, count) ? pictureOf(script, text) : emptyPicture(count)));
  const last = pictures.findLastIndex((picture) => picture.some(Boolean));
  // One more box than is drawn in, as long as there is room.
  const shown = Math.min(mostBoxes, Math.max(boxes, last + 2));
  const pixels = Array.from({ length: shown }, (_, i) => pictures[i] ?? emptyPicture(count));
  const length = boxes === mostBoxes ? boxes : last + 1;
  return { pixels, grey: [], length: last < 0 ? 0 : length };
}

function emptyPicture(count: number): Shrunk {
  return new Array<boolean>(count).fill(false);
}

function isPixels(text: string, count: number): boolean {
  return text.length === Math.ceil(count / 4) && /^[0-9a-f]+$/.test(text);
}
