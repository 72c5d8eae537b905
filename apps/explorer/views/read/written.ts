// The date on the page: from the examples, or drawn; and the ways to read it.

import { pixelsOf, type Shrunk, shrink } from "../../../../demo/digits.js";
import { greyOf } from "../../digits.js";
import type { Choice } from "../../protocol.js";

export const modes = [
  ["rcms", "RCMS"],
  ["beam", "Beam"],
  ["exact", "Exact"],
] as const;
export type Mode = Choice["inference"];

export const length = 8; // digits of a date
export const mostContexts = 20;
/** So few that the first date shows what they do: a beam of as many is sure of it, and wrong. */
export const firstContexts = 3;
/** Where there is doubt. */
export const mostInDoubt = 60;

export interface Examples {
  /** Pixels of a digit as the model sees it. */
  side: number;
  register: string[];
  examples: { truth: string; lesson: boolean; pictures: string[] }[];
}

/** The date as it is written: drawn, or from the examples. */
export interface Written {
  pixels: Shrunk[];
  /** Nothing where it was drawn. */
  grey: (Float32Array | undefined)[];
  truth?: string;
}

export function writtenDate(examples: Examples | undefined, ink: string | undefined, index: number): Written {
  if (!examples) return { pixels: [], grey: [] };
  if (ink !== undefined) {
    const empty: Shrunk = new Array<boolean>(examples.side ** 2).fill(false);
    const pads = ink.split(".");
    const size = Math.ceil(empty.length / 4);
    return {
      pixels: Array.from({ length }, (_, i) => (isPixels(pads[i], size) ? pixelsOf(pads[i]) : empty)),
      grey: [],
    };
  }
  const { pictures, truth } = examples.examples[index];
  const grey = pictures.map(greyOf);
  return { pixels: grey.map((image) => shrink(image, examples.side)), grey, truth };
}

function isPixels(text: string | undefined, size: number): text is string {
  return text !== undefined && text.length === size && /^[0-9a-f]+$/.test(text);
}

export function dashed(date: string): string {
  return date.length === length ? `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}` : date;
}
