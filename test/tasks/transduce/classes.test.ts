// Classes of letters: an exchange of no single letter makes the criterion larger, and letters that take turns part.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { exchangeClasses, viewsOf } from "../../../src/tasks/transduce/classes.js";
import { type PairCorpus, PairCorpusBuilder } from "../../../src/tasks/transduce/pairs.js";

function corpusOf(words: readonly string[]): { corpus: PairCorpus; letters: Alphabet } {
  const letters = new Alphabet();
  const builder = new PairCorpusBuilder(letters, new Alphabet());
  for (const word of words) builder.add({ input: [...word], output: ["x"] });
  return { corpus: builder.build(), letters };
}

/** Σ N(c, d) ln N(c, d) - 2 Σ N(c) ln N(c), counted word by word. */
function criterion(words: readonly string[], classOf: (letter: string) => number): number {
  const pairs = new Map<string, number>();
  const single = new Map<string, number>();
  const add = (map: Map<string, number>, key: string): unknown => map.set(key, (map.get(key) ?? 0) + 1);
  for (const word of new Set(words)) {
    const classes = ["#", ...[...word].map((letter) => `${classOf(letter)}`), "#"];
    for (let i = 1; i < classes.length; i++) add(pairs, `${classes[i - 1]} ${classes[i]}`);
    for (const one of classes.slice(1)) add(single, one);
  }
  const sum = (map: Map<string, number>): number => [...map.values()].reduce((all, n) => all + n * Math.log(n), 0);
  return sum(pairs) - 2 * sum(single);
}

it("no letter would be better off in another class", () => {
  const word = fc
    .array(fc.constantFrom(..."abcdefg"), { minLength: 1, maxLength: 6 })
    .map((letters) => letters.join(""));
  fc.assert(
    fc.property(fc.array(word, { minLength: 3, maxLength: 30 }), fc.integer({ min: 2, max: 3 }), (words, size) => {
      const { corpus, letters } = corpusOf(words);
      const found = exchangeClasses(corpus, letters.size, size);
      const value = criterion(words, (letter) => found[letters.indexOf(letter)]);
      for (const moved of letters.all()) {
        for (let c = 0; c < size; c++) {
          const other = criterion(words, (letter) => (letter === moved ? c : found[letters.indexOf(letter)]));
          expect(other).toBeLessThanOrEqual(value + 1e-6);
        }
      }
    }),
    { numRuns: 60 },
  );
});

it("two classes part what takes turns", () => {
  const words: string[] = [];
  for (const a of "ptkmn") for (const b of "aeiou") for (const c of "ptkmn") words.push(a + b + c, b + c, a + b);
  const { corpus, letters } = corpusOf(words);
  const [view] = viewsOf(corpus, letters);
  const classes = (text: string): Set<number> => new Set([...text].map((letter) => view[letters.indexOf(letter)]));
  expect(classes("aeiou").size).toBe(1);
  expect(classes("ptkmn").size).toBe(1);
  expect(classes("pa").size).toBe(2);
  // Unknown letters and the outside are neither.
  expect(new Set(view).size).toBe(4);
});

it("accents and letters are classes, where there are accents", () => {
  const { corpus, letters } = corpusOf(["àé", "eá", "èa", "Éà"]);
  const [plain, accents] = viewsOf(corpus, letters);
  const at = (view: Int32Array, letter: string): number => view[letters.indexOf(letter)];
  for (const letter of "éèÉ") expect(at(plain, letter)).toBe(at(plain, "e"));
  expect(at(plain, "a")).not.toBe(at(plain, "e"));
  expect(at(accents, "à")).toBe(at(accents, "è"));
  expect(at(accents, "á")).toBe(at(accents, "É"));
  expect(at(accents, "à")).not.toBe(at(accents, "á"));
});

it("symbols of several letters are not classed by their first", () => {
  const sounds = new Alphabet();
  const builder = new PairCorpusBuilder(sounds, new Alphabet());
  builder.add({ input: ["ae", "ah", "ao"], output: ["x"] });
  builder.add({ input: ["b", "ay"], output: ["x"] });
  expect(viewsOf(builder.build(), sounds)).toEqual([]);
});
