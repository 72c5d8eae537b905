// Lexicons: how they are read, what is found of them in a sentence, and taggers that keep them.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLexicon } from "../../../src/formats/lexicon.js";
import { Lexicon, lexiconsOf } from "../../../src/tasks/tag/lexicon.js";
import { pieceNames } from "../../../src/tasks/tag/pieces.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";

describe("reading", () => {
  test("words, phrases, classes; blank lines and what follows a second tab are left out", () => {
    expect(readLexicon("\ufeffRome\r\n\nNew   York \tLOC\t12\n")).toEqual([
      { text: "Rome" },
      { text: "New York", class: "LOC" },
    ]);
  });

  test("the paths of Brown's clustering, if every line is one", () => {
    expect(readLexicon("0110\tRome\t17\n01\tthe\t3\n")).toEqual([
      { text: "Rome", class: "0110" },
      { text: "the", class: "01" },
    ]);
    expect(readLexicon("0110\tRome\t17\n01\tthe\n")[0]).toEqual({ text: "0110", class: "Rome" });
  });

  test("what is wrong is refused at its line", () => {
    expect(() => readLexicon("Rome\n\tLOC\n", "l.tsv")).toThrow("l.tsv:2: an entry has no word before the tab");
    expect(() => readLexicon("Rome\nOslo\t\n", "l.tsv")).toThrow("l.tsv:2: an entry has no class after the tab");
    expect(() => readLexicon(" \n", "l.tsv")).toThrow("l.tsv: the lexicon is empty");
    expect(() => lexiconsOf([{ name: "a b", text: "x" }])).toThrow(InputError);
    expect(() => lexiconsOf(["x", "y"].map((text) => ({ name: "a", text })))).toThrow("two lexicons `a`");
    expect(() => lexiconsOf([{ name: "a", text: "x ".repeat(65) }])).toThrow("65 tokens");
  });
});

describe("what is found", () => {
  test("the longest entry, from left to right; by lower case if not otherwise", () => {
    const lexicon = new Lexicon("l", readLexicon("New York\tLOC\nNew York Times\tORG\nIt\nRome\tLOC\nRome\tORG\n"));
    expect(lexicon.values(["New", "York", "new", "york", "times", "Rome", "it", "IT", "x"])).toEqual([
      ...["B-LOC", "E-LOC", "B-ORG?", "I-ORG?", "E-ORG?", "S-LOC+ORG", "S?", "S?", ""],
    ]);
  });

  test("the class of a word; numbers by their digits", () => {
    const lexicon = new Lexicon("l", readLexicon("Rome\t01\nrome\t11\n0000\t10\n"));
    expect(lexicon.isTable).toBe(true);
    expect(["Rome", "rome", "ROME", "1984", "85", -1].map(lexicon.classOf)).toEqual([
      ...["01", "11", "01", "10", undefined, undefined],
    ]);
  });

  test("is what trying all entries at every place finds", () => {
    const phrase = fc.array(fc.constantFrom("a", "b", "A"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(phrase, { minLength: 1, maxLength: 6 }),
        fc.array(fc.constantFrom("a", "b", "A", "c"), { maxLength: 8 }),
        (entries, tokens) => {
          const texts = entries.map((words) => words.join(" "));
          const lexicon = new Lexicon(
            "l",
            texts.map((text) => ({ text })),
          );
          const expected: string[] = [];
          while (expected.length < tokens.length) {
            const from = expected.length;
            const reach = (fold: (text: string) => string): number =>
              Math.max(
                0,
                ...[1, 2, 3].filter(
                  (n) =>
                    from + n <= tokens.length &&
                    texts.some((text) => fold(text) === fold(tokens.slice(from, from + n).join(" "))),
                ),
              );
            const [exact, folded] = [reach((text) => text), reach((text) => text.toLowerCase())];
            const length = Math.max(exact, folded);
            const mark = folded > exact ? "?" : "";
            if (length === 0) expected.push("");
            else if (length === 1) expected.push(`S${mark}`);
            else expected.push(`B${mark}`, ...Array<string>(length - 2).fill(`I${mark}`), `E${mark}`);
          }
          expect(lexicon.values(tokens)).toEqual(expected);
        },
      ),
    );
  });

  test("attributes around a position, and the beginnings of bit strings", () => {
    const lexicon = new Lexicon("c", readLexicon("a\t011011\nb\t00\n"));
    const names = pieceNames(lexicon.pieces(1), [["x"], ["a"], ["b"]], 1);
    expect(names.sort()).toEqual(["c:4[0]=0110", "c[0]=011011", "c[0]|c[1]=011011|00", "c[1]=00"]);
  });
});

describe("a tagger", () => {
  const animals = ["dog", "cat", "cow", "pig", "hen", "fox"];
  const things = ["hat", "cup", "pen", "bed", "map", "box"];
  // What words are made of says nothing: the class alone does.
  const text = [...animals, "elk", "ELK"]
    .map((word) => `${word}\tanimal`)
    .concat(things.map((word) => `${word}\tthing`));
  const lexicon = [{ name: "kind", text: [...text, "urn\tthing"].join("\n") }];
  const data = Array.from({ length: 6 }, (_, i) => ({
    columns: [["the"], [animals[i]], ["the"], [things[i]]],
    labels: ["O", "A", "O", "T"],
  }));
  const options = { passes: 8, heldOut: 0, l2: 0.1 } as const;

  test.each([
    ["built-in attributes", {}],
    ["a template", { template: "U0:%x[0,0]\nB\n" }],
    ["a function", { features: (columns: readonly (readonly string[])[], i: number) => [`w=${columns[i][0]}`] }],
    ["conjoined attributes", { conjoin: true }],
  ])("learns what a class means, with %s, and keeps the lexicon", async (_, more) => {
    const sequence = { columns: [["the"], ["elk"], ["the"], ["urn"]] };
    const tagger = await Tagger.train(data, { ...options, ...more, lexicon });
    expect(tagger.predict(sequence).labels).toEqual(["O", "A", "O", "T"]);
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    if ("features" in more) loaded.setFeatures(more.features);
    expect(loaded.predict(sequence, { marginals: true })).toEqual(tagger.predict(sequence, { marginals: true }));
    expect(loaded.lexicons.map(({ name, entries }) => [name, entries.length])).toEqual([["kind", 15]]);
    // One that learns a little more keeps it.
    const kept = await Tagger.train(data.slice(0, 2), { ...more, conjoin: undefined, from: loaded, keep: true });
    expect(kept.lexicons).toHaveLength(1);
    expect(kept.predict(sequence).labels).toEqual(["O", "A", "O", "T"]);
  });

  test("of data with attributes cannot have one", async () => {
    const given = [{ attributes: [["x"], ["y"]], labels: ["A", "B"] }];
    await expect(Tagger.train(given, { ...options, lexicon })).rejects.toThrow("option `lexicon` needs words");
    await expect(Tagger.train(data, { ...options, lexicon: "x" as never })).rejects.toThrow(InputError);
  });

  test("takes rows of any width", async () => {
    const tagger = await Tagger.train(data, { ...options, lexicon });
    const wide = { columns: [["the"], ["elk", "x", "y"], ["the"], ["urn"]] };
    expect(tagger.predict(wide).labels).toEqual(["O", "A", "O", "T"]);
  });
});
