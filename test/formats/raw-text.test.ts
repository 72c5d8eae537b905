// Running text as sentences and tokens: places that hold for any text, and cuts that people expect.

import fc from "fast-check";
import { expect, test } from "vitest";
import { sentencesOf } from "../../src/formats/raw-text.js";

const cut = (text: string) => [...sentencesOf(text)].map((tokens) => tokens.map((token) => token.text).join("|"));

test("sentences and tokens as people expect them", () => {
  expect(cut("Mr. J. Smith of the U.S. Navy left. Did he?\nHe didn't (at 3.14): a well-known @bob!")).toEqual([
    "Mr.|J.|Smith|of|the|U.S.|Navy|left|.",
    "Did|he|?",
    "He|didn't|(|at|3.14|)|:|a|well-known|@bob|!",
  ]);
  expect(cut("See http://t.co/x?y=1, #now\n\nA title\n  \n\nA wrapped\nline")).toEqual([
    "See|http://t.co/x?y=1|,|#now",
    "A|title",
    "A|wrapped|line",
  ]);
  expect(cut("東京は良い。はい。")).toEqual(["東京|は|良い|。", "はい|。"]);
  expect(cut(" \n\n ")).toEqual([]);
});

test("tokens stand where they say, in order, and nothing but spaces is left out", () => {
  const piece = fc.constantFrom(
    "a",
    "Mr",
    ".",
    " ",
    "\n",
    "\n\n",
    "-",
    "'s",
    "é",
    "𝒳",
    "漢",
    "http://x",
    "@",
    "#t",
    "!",
    "\t",
    "1",
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, (given) => {
      let at = 0;
      for (const sentence of sentencesOf(given)) {
        expect(sentence.length).toBeGreaterThan(0);
        for (const { text: word, start, end } of sentence) {
          expect(given.slice(start, end)).toBe(word);
          expect(given.slice(at, start).trim()).toBe("");
          expect(word).not.toBe("");
          at = end;
        }
      }
      expect(given.slice(at).trim()).toBe("");
    }),
    { numRuns: 500 },
  );
});

test("a very long paragraph is cut at spaces", () => {
  const text = "word ".repeat(5000);
  const tokens = [...sentencesOf(text)].flat();
  expect(tokens.length).toBe(5000);
  expect(tokens.every((token) => token.text === "word")).toBe(true);
});
