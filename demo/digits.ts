// Pictures of handwritten digits as a reader sees them: 28x28 grey pixels, without their margin, shrunk to a few black or
// white ones, each of which is an attribute. Runs in a browser too.

export const imageSide = 28; // pixels
/** Pixels on each side that are empty in nearly all images. */
export const imageMargin = 4;
/** A shrunk pixel is black when the mean of what it covers is at least this. */
const blackFrom = 0.3;

/** [side * side] row by row, true for black. */
export type Shrunk = readonly boolean[];

/** An image, [imageSide * imageSide] from 0 to 1, as side * side pixels; `side` divides what is inside the margin. */
export function shrink(image: ArrayLike<number>, side: number): Shrunk {
  const inner = imageSide - 2 * imageMargin;
  const block = inner / side;
  const sums = new Array<number>(side * side).fill(0);
  for (let row = 0; row < inner; row++) {
    for (let column = 0; column < inner; column++) {
      const pixel = image[(row + imageMargin) * imageSide + column + imageMargin];
      sums[Math.floor(row / block) * side + Math.floor(column / block)] += pixel;
    }
  }
  return sums.map((sum) => sum / (block * block) >= blackFrom);
}

/** `bias`, and `p2,3` for a black pixel in row 2, column 3. */
export function pixelAttributes(image: Shrunk): string[] {
  const side = Math.sqrt(image.length);
  const attributes = ["bias"];
  image.forEach((black, p) => {
    if (black) attributes.push(`p${Math.floor(p / side)},${p % side}`);
  });
  return attributes;
}

/** Pixels as hexadecimal digits, four pixels to a digit. */
export function pixelText(image: Shrunk): string {
  let text = "";
  for (let p = 0; p < image.length; p += 4) {
    let value = 0;
    for (let i = 0; i < 4; i++) value = value * 2 + (image[p + i] ? 1 : 0);
    text += value.toString(16);
  }
  return text;
}

/** The way back, to `count` pixels. */
export function pixelsOf(text: string, count: number): boolean[] {
  return Array.from({ length: count }, (_, p) => {
    const value = Number.parseInt(text[p >> 2], 16);
    return ((value >> (3 - (p & 3))) & 1) === 1;
  });
}
