// Language models in files: they come back whole, and damage is found.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";

const models = [
  LanguageModel.fromText(["the dog saw the cat", "a cat saw a dog"], { level: "word", order: 2 }),
  LanguageModel.fromText(["The quick brown fox jumps over the lazy dog."], { level: "char", order: 3 }),
  LanguageModel.fromText(["ἄειδε θεά"], { level: "char", order: 0, spaces: false }),
];

it("come back as they were, number by number", () => {
  for (const model of models) {
    const read = decodeModel(encodeModel(model)) as LanguageModel;
    expect(read).toBeInstanceOf(LanguageModel);
    expect(read.symbols.all()).toEqual(model.symbols.all());
    expect(read.options).toEqual(model.options);
    expect(read.ngram).toEqual(model.ngram);
  }
});

it("of letters keep their words and the other n-grams, with spaces or without", () => {
  for (const model of models.slice(1)) {
    const read = decodeModel(encodeModel(model)) as LanguageModel;
    expect(read.words).toEqual(model.words);
    const { spaces } = model.options;
    expect(read.withSpaces(!spaces)?.ngram).toEqual(model.withSpaces(!spaces)?.ngram);
  }
});

it("of before there were words and folding are read", () => {
  const { symbols, ngram, options } = models[1];
  const { fold: _, alphabet: __, ...before } = options;
  const old = new LanguageModel(symbols, ngram, before as typeof options);
  const read = decodeModel(encodeModel(old)) as LanguageModel;
  expect(read.ngram).toEqual(ngram);
  expect(read.options).toEqual(options);
  expect(read.words).toBeUndefined();
  expect(read.withSpaces(false)).toBeUndefined();
});

it("are refused when damaged, or come back unharmed", () => {
  for (const model of models) {
    const bytes = encodeModel(model);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = bytes.slice();
        damaged[at] ^= change;
        try {
          expect((decodeModel(damaged, "a.sg") as LanguageModel).ngram).toEqual(model.ngram);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 150 },
    );
  }
});
