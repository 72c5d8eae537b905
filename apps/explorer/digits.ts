// Handwritten digits on the page: drawings made like the images the model has learned from (as in MNIST: scaled into a box
// of 20x20 pixels, the centre of mass in the middle of 28x28).

import { imageMargin, imageSide } from "../../demo/digits.js";

/** Grey values of an image, [imageSide * imageSide] from 0 to 1. */
export function greyOf(base64: string): Float32Array {
  return Float32Array.from(atob(base64), (character) => character.charCodeAt(0) / 255);
}

/** A drawing, [side][side] from 0 to 1, as an image of imageSide; undefined if nothing is drawn. */
export function normalised(ink: Float32Array, side: number): Float32Array | undefined {
  let [top, bottom, left, right] = [side, -1, side, -1];
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      if (ink[row * side + column] < 0.1) continue;
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
      left = Math.min(left, column);
      right = Math.max(right, column);
    }
  }
  if (bottom < 0) return undefined;
  const box = imageSide - 2 * imageMargin;
  const scale = Math.max(bottom - top + 1, right - left + 1) / box; // pixels of the drawing for one of the image
  const [height, width] = [(bottom - top + 1) / scale, (right - left + 1) / scale];
  const small = new Float32Array(box * box);
  let [sum, rows, columns] = [0, 0, 0];
  for (let row = 0; row < Math.ceil(height); row++) {
    for (let column = 0; column < Math.ceil(width); column++) {
      const value = mean(ink, side, top + row * scale, left + column * scale, scale);
      if (row >= box || column >= box) continue;
      small[row * box + column] = value;
      sum += value;
      rows += value * (row + 0.5);
      columns += value * (column + 0.5);
    }
  }
  const image = new Float32Array(imageSide * imageSide);
  const [down, across] = [Math.round(imageSide / 2 - rows / sum), Math.round(imageSide / 2 - columns / sum)];
  for (let row = 0; row < box; row++) {
    for (let column = 0; column < box; column++) {
      const [y, x] = [row + down, column + across];
      if (y >= 0 && y < imageSide && x >= 0 && x < imageSide) image[y * imageSide + x] = small[row * box + column];
    }
  }
  return image;
}

/** The mean of a square of the drawing. */
function mean(ink: Float32Array, side: number, top: number, left: number, size: number): number {
  let sum = 0;
  let count = 0;
  for (let row = Math.floor(top); row < Math.min(side, Math.max(Math.floor(top) + 1, top + size)); row++) {
    for (
      let column = Math.floor(left);
      column < Math.min(side, Math.max(Math.floor(left) + 1, left + size));
      column++
    ) {
      sum += ink[row * side + column];
      count++;
    }
  }
  return count > 0 ? sum / count : 0;
}
