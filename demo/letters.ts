// Handwritten letters: images of 8x16 pixels, black or white, as in the data set `letters`, made from ink on a square; and
// letters written by a program, which bends the strokes of a few models for each letter at random. Runs in a browser too.

import type { Shrunk } from "./digits.js";

export const letterWidth = 8; // pixels
export const letterHeight = 16; // pixels
/** A pixel is black when at least this share of what it covers is. */
const blackFrom = 0.4;

/**
 * Ink, [side][side] from 0 to 1, as a letter: as large as fits, its shape kept, in the middle. Undefined if there is no ink.
 */
export function letterOf(ink: Float32Array, side: number): Shrunk | undefined {
  let [top, bottom, left, right] = [side, -1, side, -1];
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      if (ink[row * side + column] < 0.5) continue;
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
      left = Math.min(left, column);
      right = Math.max(right, column);
    }
  }
  if (bottom < 0) return undefined;
  const scale = Math.max((bottom - top + 1) / letterHeight, (right - left + 1) / letterWidth); // pixels of the ink for one of the letter
  const [firstRow, firstColumn] = [
    (top + bottom + 1 - scale * letterHeight) / 2,
    (left + right + 1 - scale * letterWidth) / 2,
  ];
  return Array.from({ length: letterWidth * letterHeight }, (_, p) => {
    const [row, column] = [Math.floor(p / letterWidth), p % letterWidth];
    return share(ink, side, firstRow + row * scale, firstColumn + column * scale, scale) >= blackFrom;
  });
}

/** The mean of the ink in a square, of which parts may lie outside. */
function share(ink: Float32Array, side: number, top: number, left: number, size: number): number {
  let sum = 0;
  for (let row = Math.max(0, Math.floor(top)); row < Math.min(side, top + size); row++) {
    const tall = Math.min(row + 1, top + size) - Math.max(row, top);
    for (let column = Math.max(0, Math.floor(left)); column < Math.min(side, left + size); column++) {
      const wide = Math.min(column + 1, left + size) - Math.max(column, left);
      sum += tall * wide * ink[row * side + column];
    }
  }
  return sum / (size * size);
}

/** The letter as 128 characters `0` and `1`, as the format `letters` has it. */
export function bitmapOf(letter: Shrunk): string {
  return letter.map((black) => (black ? "1" : "0")).join("");
}

/**
 * Ways to write each letter: strokes between `/`, points `x,y` of a smooth line. Small letters are between 4 and 10, others reach
 * up to 0 or down to 14.
 */
const ways: Readonly<Record<string, readonly string[]>> = {
  a: ["5,5 3,4 1,5 0,7 1,9.5 3,10 5,8/5,4 5,10", "0,5 2,4 4,4.3 5,6 5,10/5,7 2,7 0,8.5 1,10 3,10 5,9"],
  b: ["0,0 0,10/0,6 2,4 4,4.5 5,7 4,9.5 2,10 0,9", "0,8 2,3 2,0.5 1,0 0.4,2 0.3,8 1,10 3,10 4.4,8 4,5.5 2.5,6"],
  c: ["5,5 3,4 1,5 0,7 1,9.5 3,10 5,9"],
  d: ["5,5 3,4 1,5 0,7 1,9.5 3,10 5,8/5,0 5,10", "5,6 3,5 0.5,6.5 0.5,9 2.5,10 4.5,8/5,0 4.5,9 5.5,10 6.5,9"],
  e: ["0,7 5,7/5,7 4.5,5 2.5,4 0.8,5 0,7 1,9.5 3,10 5,9", "0,8 4,7 5,5.5 3,4 0.8,6 1,9 3,10 5.5,8.5"],
  f: ["4,1 3,0 2,0.6 1.6,3 1.6,10/0,4 4,4", "5,1 3.5,0 2.5,2 2,7 1.5,12 0.5,14/0.5,5 4.5,5"],
  g: [
    "5,5 3,4 1,5 0,7 1,9 3,9.5 5,8/5,4 5,11 4,13.5 2,14 0,13",
    "5,5 3,4 0.5,5.5 0.5,8 3,9 4.8,6/5,4 4.6,10 3,14 1.5,13 4,10.5 6,9",
  ],
  h: ["0,0 0,10/0,6.5 2,4 4,4.6 4.6,7 4.6,10", "0,8 2,3 2,0.5 1,0 0.4,2 0.2,10/0.3,7 2.5,5 4,6 4,9 5.5,9.5"],
  i: ["0,4 0,10/0,1.5 0,1.8", "0,5 1,4/1,4 1,9 2,10 3,9/1.2,1.5 1.4,1.8"],
  j: ["2,4 2,11 1.5,13.5 0,14/2,1.5 2,1.8", "1,4 3,4/3,4 3,11 2,13.5 0,14/3,1.5 3,1.8"],
  k: ["0,0 0,10/4,4 0,7.5/1.2,6.6 4.5,10", "0,8 2,3 2,0.5 1,0 0.4,2 0.2,10/0.3,7 3,5 3.4,6.4 1,7/1,7 3,10 5,9.5"],
  l: ["0,0 0,10", "0,7 2.5,2 2,0 1,0.5 0.8,3 0.8,8 1.5,10 3,9", "0,0 0,8.5 1,10 2.4,9.6"],
  m: [
    "0,4 0,10/0,6 1.5,4 3,5 3,10/3,6 4.5,4 6,5 6,10",
    "0,5 0.8,4/0.8,4 0.8,10/0.8,7 2.4,4.4 3.4,6 3.4,10/3.4,7 5,4.4 6,6 6,9 7,10",
  ],
  n: ["0,4 0,10/0,6 2,4 4,4.6 4.5,7 4.5,10", "0,5 0.8,4/0.8,4 0.8,10/0.8,7 3,4.4 4.2,6 4.2,9 5.4,10"],
  o: [
    "2.5,4 0.6,5 0,7 0.8,9.3 2.5,10 4.4,9 5,7 4.3,4.8 2.5,4",
    "2.5,4 0.6,5 0,7 0.8,9.3 2.5,10 4.4,9 4.6,6 3,4.2 4.5,5.5 6.5,5",
  ],
  p: ["0,4 0,14/0,6 2,4 4,4.6 5,7 4,9.5 2,10 0,8.5"],
  q: ["5,5 3,4 1,5 0,7 1,9.5 3,10 5,8/5,4 5,14 6,12.5", "5,5 3,4 1,5 0,7 1,9.5 3,10 5,8/5,4 5,14"],
  r: ["0,4 0,10/0,6.5 1.5,4.4 3.5,4.2", "0,7.5 1.2,4/1.2,4 1.8,5 3.6,4.8/3.6,4.8 3,8 3.6,10 5,9"],
  s: ["4.5,5 3,4 1,4.3 0.4,5.6 2,6.8 4,7.6 4.5,9 3,10 0,9.4", "0,9 3,4/3,4 4.4,7.6 3.6,9.8 0.6,9.6"],
  t: ["2,1 2,10/0,4 4,4", "2,1 2,8.6 3,10 4.5,9.4/0,4 4,4"],
  u: ["0,4 0,8 1,9.8 3,9.8 4.6,8/4.6,4 4.6,10", "0,4 0,8 1,9.8 3,9.8 4.4,8/4.4,4 4.4,9 5.4,10 6.4,9"],
  v: ["0,4 2.3,10/2.3,10 4.6,4", "0,4 1,5 1.6,9 2.6,10 4,8 4.4,4.4 6,4.6"],
  w: ["0,4 1.5,10/1.5,10 3,5/3,5 4.5,10/4.5,10 6,4", "0,4 0.4,8.6 1.6,10 3,8 3,5/3,8 4.4,10 5.6,8.6 6,4"],
  x: ["0,4 4.6,10/4.6,4 0,10", "0,4.4 1,4 3.4,9.6 4.6,9.8/4.6,4 0,10"],
  y: ["0,4 2.4,9/4.8,4 1,14", "0,4 0,7.6 1,9.3 3,9.3 4.6,7.6/4.6,4 4.6,11 4,13.5 2,14 0,13"],
  z: ["0,4 4.5,4/4.5,4 0,10/0,10 4.6,10", "0,4.6 3,4 4.2,5 0.4,8.6/0.4,8.6 2.6,8.8 3.4,11 2,14 0.4,13 5,9.4"],
};

export const alphabet = Object.keys(ways).join("");

type Point = readonly [x: number, y: number];

const side = 72; // pixels of the square that is written on

/** A letter as a copybook has it; with numbers from 0 to 1 drawn at random, as some hand writes it. */
export function writeLetter(letter: string, random?: () => number): Shrunk {
  const drawn = random ?? (() => 0.5);
  const spread = (most: number): number => most * (drawn() + drawn() + drawn() - 1.5);
  const options = ways[letter];
  const way = options[random ? Math.floor(drawn() * options.length) : 0];
  const [slant, tilt] = [0.08 + spread(0.35), spread(0.2)];
  const [wide, tall] = [1 + spread(0.5), 1 + spread(0.45)];
  const jitter = 0.6;
  const lines = way.split("/").map((stroke) => {
    const moved = [spread(jitter), spread(jitter)];
    const points = stroke.split(" ").map((text): Point => {
      const [x, y] = text.split(",").map((part, k) => Number(part) + moved[k] + spread(jitter));
      // What reaches up or down does so more or less far.
      const level = y < 4 ? 4 + (y - 4) * tall : y > 10 ? 10 + (y - 10) * tall : y;
      return [x * wide + slant * (10 - level), level + tilt * x];
    });
    return smooth(points);
  });
  const pen = 0.25 + 0.35 * drawn(); // half the width of the line, where a small letter is 6 high
  return letterOf(inked(lines, pen), side) as Shrunk;
}

/** Points on a smooth line through all the given ones (Catmull and Rom). */
function smooth(points: readonly Point[]): Point[] {
  const at = (i: number): Point => points[Math.max(0, Math.min(points.length - 1, i))];
  const found: Point[] = [points[0]];
  for (let i = 0; i + 1 < points.length; i++) {
    const [p0, p1, p2, p3] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
    const steps = Math.ceil(4 * Math.hypot(p2[0] - p1[0], p2[1] - p1[1])); // so near that no pen leaves gaps
    for (let step = 1; step <= steps; step++) {
      const t = step / steps;
      const along = (k: 0 | 1): number =>
        p1[k] +
        0.5 *
          t *
          (p2[k] - p0[k] + t * (2 * p0[k] - 5 * p1[k] + 4 * p2[k] - p3[k] + t * (3 * (p1[k] - p2[k]) + p3[k] - p0[k])));
      found.push([along(0), along(1)]);
    }
  }
  return found;
}

/** Lines on the square, drawn by a round pen: [side][side] 0 or 1. */
function inked(lines: readonly (readonly Point[])[], pen: number): Float32Array {
  const all = lines.flat();
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - pen, Math.min(...ys) - pen];
  const scale = (side - 1) / Math.max(Math.max(...xs) + pen - left, Math.max(...ys) + pen - top);
  const ink = new Float32Array(side * side);
  const reach = Math.max(0.6, pen * scale);
  for (const line of lines) {
    for (const [x, y] of line) {
      const [column, row] = [(x - left) * scale, (y - top) * scale];
      for (let r = Math.max(0, Math.ceil(row - reach)); r <= Math.min(side - 1, row + reach); r++) {
        for (let c = Math.max(0, Math.ceil(column - reach)); c <= Math.min(side - 1, column + reach); c++) {
          if ((r - row) ** 2 + (c - column) ** 2 <= reach ** 2) ink[r * side + c] = 1;
        }
      }
    }
  }
  return ink;
}
