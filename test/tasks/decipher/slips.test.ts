// Slips of the writer: found where one letter makes words of what are none, with odds against enumeration of all changes.

import { describe, expect, it } from "vitest";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import { findSlips } from "../../../src/tasks/decipher/slips.js";
import { wordScoreOf } from "../../../src/tasks/decipher/word-score.js";

const lines = Array.from(
  { length: 60 },
  (_, i) => `the ${["boat", "coach", "train"][i % 3]} leaves at midnight from the northern ${["pier", "gate"][i % 2]}`,
);
const spaced = LanguageModel.fromText(lines, { level: "char", order: 3 });

for (const spaces of [true, false]) {
  describe(`slips of a text ${spaces ? "with" : "without"} spaces`, () => {
    const language = spaced.withSpaces(spaces) as LanguageModel;
    const words = wordScoreOf(language);
    if (!words) throw new Error("the words are known");
    const textOf = (text: string): string => (spaces ? text : text.replaceAll(" ", ""));
    const ids = (text: string): Int32Array => Int32Array.from(textOf(text), (c) => language.symbols.indexOf(c));
    const slips = (text: string, isSure = (_: number) => true) => findSlips([ids(text)], language, words, isSure);
    const clean = "the boat leaves at midnight from the northern gate";

    it("are none where all words are known", () => expect(slips(clean)).toEqual([]));

    it("are found with the letter that was meant", () => {
      const found = slips(clean.replace("midnight", "mignight"));
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({ at: textOf(clean).indexOf("dnight"), read: "g", meant: "d" });
      expect(found[0].probability).toBeGreaterThan(0.5);
      expect(found[0].probability).toBeLessThanOrEqual(1);
    });

    it("are not told where the reading itself is in doubt", () =>
      expect(slips(clean.replace("midnight", "mignight"), () => false)).toEqual([]));

    it("count places through all sequences", () => {
      const [slip] = findSlips([ids("the train"), ids("the boah leaves")], language, words, () => true);
      expect(slip.at).toBe(ids("the train").length + textOf("the boah").length - 1);
    });
  });
}

it("the probability of a slip is its share of all changes and none", () => {
  const words = wordScoreOf(spaced);
  if (!words) throw new Error("the words are known");
  const ids = (text: string): Int32Array => Int32Array.from(text, (c) => spaced.symbols.indexOf(c));
  const score = (text: string): number => words.spaced(ids(text), 0, text.length);
  const letters = spaced.symbols.all().filter((letter) => letter !== " ");
  const read = "gade";
  let sum = 1;
  for (let i = 0; i < 4; i++) {
    for (const letter of letters) {
      if (letter === read[i]) continue;
      const text = read.slice(0, i) + letter + read.slice(i + 1);
      sum += (0.002 / (letters.length - 1)) * Math.exp(score(text) - score(read));
    }
  }
  const wanted = ((0.002 / (letters.length - 1)) * Math.exp(score("gate") - score(read))) / sum;
  const [slip] = findSlips([ids(read)], spaced, words, () => true);
  expect(slip).toMatchObject({ at: 2, read: "d", meant: "t" });
  expect(slip.probability).toBeCloseTo(wanted, 6);
});
