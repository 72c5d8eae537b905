// An animated WebP from still ones, which a browser can write: the frames of each go into one RIFF container.
// Format: https://developers.google.com/speed/webp/docs/riff_container

const FOREVER = 0;

/**
 * @param {readonly { webp: Buffer, milliseconds: number }[]} frames all of the same size
 * @param {{ width: number, height: number }} size
 */
export function animatedWebp(frames, { width, height }) {
  const hasAnimation = 0x02;
  const extended = chunk("VP8X", [bytes(hasAnimation, 4), bytes(width - 1, 3), bytes(height - 1, 3)]);
  const white = 0xffffffff;
  const animation = chunk("ANIM", [bytes(white, 4), bytes(FOREVER, 2)]);
  const shown = frames.map(({ webp, milliseconds }) => {
    const place = [bytes(0, 3), bytes(0, 3), bytes(width - 1, 3), bytes(height - 1, 3)];
    // Each frame covers the whole picture: nothing of the one before is mixed into it.
    const unmixed = 0x02;
    return chunk("ANMF", [...place, bytes(milliseconds, 3), bytes(unmixed, 1), imageOf(webp)]);
  });
  return chunk("RIFF", [Buffer.from("WEBP"), extended, animation, ...shown]);
}

/**
 * The chunks of a still picture that hold its pixels.
 * @param {Buffer} webp
 */
function imageOf(webp) {
  const kept = [];
  for (let at = 12; at < webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (["ALPH", "VP8 ", "VP8L"].includes(webp.toString("latin1", at, at + 4))) kept.push(webp.subarray(at, end));
    at = end;
  }
  if (kept.length === 0) throw new Error("this is not a WebP picture");
  return Buffer.concat(kept);
}

/**
 * @param {string} name four letters
 * @param {readonly Buffer[]} parts
 */
function chunk(name, parts) {
  const content = Buffer.concat(parts);
  const padding = Buffer.alloc(content.length % 2);
  return Buffer.concat([Buffer.from(name, "latin1"), bytes(content.length, 4), content, padding]);
}

/**
 * A number in so many bytes, the lowest first.
 * @param {number} value
 * @param {number} count
 */
function bytes(value, count) {
  return Buffer.from(Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** i) % 256));
}
