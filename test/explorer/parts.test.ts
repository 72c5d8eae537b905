// The parts of the explorer that need no browser: addresses, sentences, drawings.

import fc from "fast-check";
import { expect, test } from "vitest";
import { formatAddress, parseAddress, wholeOf } from "../../apps/explorer/address.js";
import { views } from "../../apps/explorer/catalogue.js";
import { csvOf } from "../../apps/explorer/csv.js";
import { normalised } from "../../apps/explorer/digits.js";
import { ipaOf } from "../../apps/explorer/ipa.js";
import { numeral, numerals, taskFor } from "../../apps/explorer/views/learn-data.js";
import { foldCase, sentencesIn } from "../../apps/explorer/words.js";
import { imageSide, pixelsOf, pixelText } from "../../demo/digits.js";
import { alphabet, letterHeight, letterOf, letterWidth, writeLetter } from "../../demo/letters.js";
import { generator, uniform } from "../../src/util/random.js";

test("an address leads back to the state it was made from", () => {
  const value = fc.string({ unit: "grapheme" }); // an emptied field, too
  fc.assert(
    fc.property(fc.constantFrom(...views), fc.dictionary(fc.stringMatching(/^[a-zA-Z]+$/), value), (view, params) => {
      expect(parseAddress(formatAddress(view, params))).toEqual({ view, params });
    }),
  );
});

test("an address that means nothing leads to the first view", () => {
  for (const hash of ["", "#", "#/", "#/nowhere?B=3"]) expect(parseAddress(hash)).toEqual({ view: "read", params: {} });
  expect(formatAddress("tag", { text: undefined })).toBe("#/tag");
  expect(wholeOf("", 0, 9, 5)).toBe(5);
});

test("pixels come back from their text", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 150 }), (image) => {
      expect(pixelsOf(pixelText(image), image.length)).toEqual(image);
    }),
  );
});

test("a sentence is cut into words, and marks stand alone", () => {
  const words = (text: string) => sentencesIn(text, 1).map((sentence) => sentence.map(([word]) => word));
  expect(words("Time flies like an arrow. It does.")).toEqual([
    ["Time", "flies", "like", "an", "arrow", "."],
    ["It", "does", "."],
  ]);
  expect(words('"Well," said Mr. Brown, "don\'t!"')).toEqual([
    ['"', "Well", ",", '"', "said", "Mr.", "Brown", ",", '"', "don't", "!", '"'],
  ]);
  expect(words("  ")).toEqual([]);
  expect(sentencesIn(" ", 2)).toEqual([]);
  expect(sentencesIn("the/DT 1/2/CD dog", 2)).toEqual([
    [
      ["the", "DT"],
      ["1/2", "CD"],
      ["dog", "_"],
    ],
  ]);
});

test("sounds of the dictionary are written in phonetic signs, other sounds are not", () => {
  expect(ipaOf(["HH", "AH", "L", "OW"])).toBe("hʌloʊ");
  expect(ipaOf(["CH", "ER1", "CH"])).toBe("tʃɝtʃ");
  expect(ipaOf(["HH", "x"])).toBeUndefined();
});

test("data says what it is probably for", () => {
  expect(taskFor(numerals())).toBe("transduce");
  expect(taskFor("the DT\ndog NN\n\nbarks VBZ\n")).toBe("tag");
  expect(taskFor("the\tDT\ndog\tNN\n\nbarks\tVBZ\n")).toBe("tag");
  expect(taskFor("the dog barks\na cat sleeps here\n")).toBe("segment");
  expect(taskFor("")).toBe("tag");
});

test("Roman numerals are right", () => {
  expect([1, 4, 9, 14, 40, 90, 400, 1994, 2026].map(numeral)).toEqual([
    ...["I", "IV", "IX", "XIV", "XL", "XC", "CD", "MCMXCIV", "MMXXVI"],
  ]);
});

test("CSV quotes what needs it", () => {
  expect(csvOf([["a", 'say "b"', "c,d", "e\nf", 0.5, true]])).toBe('a,"say ""b""","c,d","e\nf",0.5,true\r\n');
});

test("letters keep their case where the model knows them so", () => {
  const fold = (text: string, letters: string) => foldCase([...text], (letter) => letters.includes(letter)).join("");
  expect(fold("Starlight", "abcdefghijklmnopqrstuvwxyz")).toBe("starlight");
  expect(fold("Cat", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")).toBe("CAT");
  expect(fold("Polish polish Ö", "Pposhli")).toBe("Polish polish Ö");
});

test("a drawing of any size and place becomes the same image, its mass in the middle", () => {
  const side = 140;
  const draw = (left: number, top: number, size: number): Float32Array => {
    const ink = new Float32Array(side * side);
    // An L: a stem and a foot.
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        if (column < size / 5 || row >= size - size / 5) ink[(top + row) * side + left + column] = 1;
      }
    }
    return ink;
  };
  const expected = normalised(draw(20, 20, 100), side) as Float32Array;
  for (const [left, top, size] of [
    [0, 0, 60],
    [70, 40, 60],
    [39, 5, 100],
  ]) {
    const image = normalised(draw(left, top, size), side) as Float32Array;
    const differing = image.filter((pixel, p) => Math.abs(pixel - expected[p]) > 0.5).length;
    expect(differing).toBeLessThanOrEqual(4);
    const mass = image.reduce((sum, pixel) => sum + pixel, 0);
    const middle = (of: (p: number) => number) =>
      image.reduce((sum, pixel, p) => sum + pixel * (of(p) + 0.5), 0) / mass;
    expect(Math.abs(middle((p) => p % imageSide) - imageSide / 2)).toBeLessThan(1);
    expect(Math.abs(middle((p) => Math.floor(p / imageSide)) - imageSide / 2)).toBeLessThan(1);
  }
  expect(normalised(new Float32Array(side * side), side)).toBeUndefined();
});

test("a letter drawn at any size and place becomes the same picture, as large as fits, its shape kept", () => {
  const side = 140;
  /** An L: a stem and a foot. */
  const draw = (left: number, top: number, width: number, height: number): Float32Array => {
    const ink = new Float32Array(side * side);
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        if (column < width / 4 || row >= height - width / 4) ink[(top + row) * side + left + column] = 1;
      }
    }
    return ink;
  };
  const tall = letterOf(draw(10, 10, 64, 128), side);
  expect(letterOf(draw(90, 60, 32, 64), side)).toEqual(tall);
  expect(tall?.filter(Boolean)).toHaveLength(2 * 16 + 6 * 2);
  // A wide one fills the width, and is in the middle.
  const wide = letterOf(draw(3, 70, 128, 64), side) as boolean[];
  expect(wide.slice(0, 6 * 8).some(Boolean) || wide.slice(10 * 8).some(Boolean)).toBe(false);
  expect(wide.slice(9 * 8, 10 * 8).every(Boolean)).toBe(true);
  expect(letterOf(new Float32Array(side * side), side)).toBeUndefined();
});

test("every letter that a program writes fills its picture, and no two copybook letters are the same", () => {
  const pictures = [...alphabet].map((letter) => writeLetter(letter));
  expect(new Set(pictures.map(pixelText)).size).toBe(26);
  fc.assert(
    fc.property(fc.constantFrom(...alphabet), fc.integer(), (letter, seed) => {
      const random = generator(seed, 0);
      const picture = writeLetter(letter, () => uniform(random));
      const black = picture.flatMap((isBlack, p) => (isBlack ? [p] : []));
      const rows = black.map((p) => Math.floor(p / letterWidth));
      const columns = black.map((p) => p % letterWidth);
      const reach = (places: number[]) => Math.max(...places) - Math.min(...places) + 1;
      // The ends of a thin line may leave their pixels white.
      expect(reach(rows) >= letterHeight - 2 || reach(columns) >= letterWidth - 2).toBe(true);
    }),
  );
});
