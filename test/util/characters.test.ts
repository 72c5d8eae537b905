// Characters as people count them: the same clusters as the engine's own segmenter finds, and soon, whatever the text.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { composed, graphemesOf } from "../../src/util/characters.js";

const own = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Letters, marks, joiners, flags, skin tones, Hangul, prefixes, halves of characters: all that clusters are made of. */
const pieces = [
  "a",
  "é",
  "e\u0301",
  "\u0316",
  "\u200d",
  "👩",
  "🏽",
  "🇩",
  "🇪",
  "각",
  "ᄀ",
  "ᅡ",
  "ᆨ",
  "\u0600",
  "क",
  "्",
  "ष",
  "\r",
  "\n",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.constantFrom("\ud83d", "\ude00", "👩‍👩‍👧‍👦", "🇩🇪")), { maxLength: 40 })
  .map((parts) => parts.join(""));

describe("clusters", () => {
  test("are those of the engine, also in texts longer than a window", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (piece, times) => {
        const long = piece.repeat(times);
        expect(graphemesOf(long)).toEqual(Array.from(own.segment(long), ({ segment }) => segment));
      }),
      { numRuns: 500 },
    );
  });

  test("are found in time proportional to the text", () => {
    expect(graphemesOf("Ͽ".repeat(300_000))).toHaveLength(300_000);
    expect(graphemesOf(`a${"\u0301".repeat(100_000)}b`)).toHaveLength(2);
  });
});

describe("composing", () => {
  test("gives the composed form, and leaves alone what no script has", () => {
    expect(composed("e\u0301 o\u0323\u0302")).toBe("é ộ");
    const endless = `e${"\u0301\u0316".repeat(300_000)}`;
    expect(composed(endless)).toBe(endless);
  });
});
