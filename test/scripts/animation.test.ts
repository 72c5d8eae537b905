// The animated picture: what another reader of the format finds in it.

import { expect, test } from "vitest";
import { animatedWebp } from "../../scripts/animation.mjs";

/** A container with one chunk of pixels. */
function still(name: string, content: number[]): Buffer {
  const chunk = Buffer.concat([Buffer.from(name), Buffer.from([content.length, 0, 0, 0]), Buffer.from(content)]);
  const padded = content.length % 2 ? Buffer.concat([chunk, Buffer.alloc(1)]) : chunk;
  return Buffer.concat([Buffer.from("RIFF"), Buffer.from([4 + padded.length, 0, 0, 0]), Buffer.from("WEBP"), padded]);
}

test("an animated WebP has its size, its frames with their times, and no odd chunk", () => {
  const frames = [
    { webp: still("VP8 ", [1, 2, 3]), milliseconds: 1500 },
    { webp: still("VP8L", [4, 5]), milliseconds: 70_000 },
  ];
  const made = animatedWebp(frames, { width: 300, height: 2 });
  expect(made.toString("latin1", 0, 4) + made.toString("latin1", 8, 12)).toBe("RIFFWEBP");
  expect(made.readUInt32LE(4)).toBe(made.length - 8);
  const found: [name: string, content: Buffer][] = [];
  for (let at = 12; at < made.length; ) {
    const length = made.readUInt32LE(at + 4);
    found.push([made.toString("latin1", at, at + 4), made.subarray(at + 8, at + 8 + length)]);
    at += 8 + length + (length % 2);
  }
  expect(found.map(([name]) => name)).toEqual(["VP8X", "ANIM", "ANMF", "ANMF"]);
  expect([...found[0][1]]).toEqual([2, 0, 0, 0, 299 & 255, 1, 0, 1, 0, 0]);
  expect([found[2][1].readUIntLE(12, 3), found[3][1].readUIntLE(12, 3)]).toEqual([1500, 70_000]);
  expect([...found[2][1].subarray(16)]).toEqual([86, 80, 56, 32, 3, 0, 0, 0, 1, 2, 3, 0]);
});

test("what is not a WebP picture is refused", () => {
  expect(() => animatedWebp([{ webp: still("JUNK", [1, 2]), milliseconds: 1 }], { width: 1, height: 1 })).toThrow(
    /WebP/,
  );
});
