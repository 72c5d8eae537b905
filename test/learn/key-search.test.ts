// The search for keys against all keys of small ciphers.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type NgramModel, ngramModel, ngramScore } from "../../src/core/ngram.js";
import { KeySearch, keySearchDefaults } from "../../src/learn/key-search.js";
import { generator } from "../../src/learn/random.js";

const PLAIN = 3;
const symbols = fc.integer({ min: 0, max: PLAIN - 1 });
const cases = fc.record({
  text: fc.array(fc.array(symbols, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
  cipher: fc.array(fc.array(symbols, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  ends: fc.boolean(),
  oneToOne: fc.boolean(),
  seed: fc.nat(),
});

/** Log-likelihood of the cipher text when the key is true and the emissions are the best for it. */
function score(model: NgramModel, cipher: number[][], key: ArrayLike<number>): number {
  let log = 0;
  for (const sequence of cipher) {
    const plain = sequence.map((x) => key[x]);
    plain.forEach((y, i) => {
      log += ngramScore(model, [...(model.options.ends ? [-1] : []), ...plain.slice(0, i)].slice(-3), y);
    });
    if (model.options.ends) log += ngramScore(model, [-1, ...plain].slice(-3), PLAIN);
  }
  const places = cipher.flat();
  for (const x of places) {
    const same = places.filter((other) => other === x).length;
    const written = places.filter((other) => key[other] === key[x]).length;
    log += Math.log(same / written);
  }
  return log;
}

const searchOf = (model: NgramModel, cipher: number[][]) =>
  new KeySearch(
    cipher.map((s) => Int32Array.from(s)),
    3,
    PLAIN,
    model,
  );

it("finds the best of all keys, and scores it as defined", () =>
  fc.assert(
    fc.asyncProperty(cases, async ({ text, cipher, ends, oneToOne, seed }) => {
      const model = ngramModel(text, PLAIN, { order: 3, ends });
      const options = { ...keySearchDefaults, moves: 3000, oneToOne };
      const found = await searchOf(model, cipher).search(generator(seed, 0), options);
      expect(found.score).toBeCloseTo(score(model, cipher, found.key), 3);
      const keys = Array.from({ length: 27 }, (_, n) => [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)]).filter(
        (key) => !oneToOne || new Set(key).size === 3,
      );
      expect(found.score).toBeCloseTo(Math.max(...keys.map((key) => score(model, cipher, key))), 3);
      if (oneToOne) expect(new Set(found.key).size).toBe(3);
    }),
    { numRuns: 150 },
  ));

it("keeps to what is allowed", () =>
  fc.assert(
    fc.asyncProperty(cases, fc.constantFrom(0, 1, 2), async ({ text, cipher, ends, oneToOne, seed }, plain) => {
      const model = ngramModel(text, PLAIN, { order: 3, ends });
      const allowed = new Uint8Array(9).fill(1);
      allowed.fill(0, 3, 6);
      allowed[3 + plain] = 1;
      const options = { ...keySearchDefaults, moves: 500, oneToOne };
      const { key } = await searchOf(model, cipher).search(generator(seed, 0), options, allowed);
      expect(key[1]).toBe(plain);
      if (oneToOne) expect(new Set(key).size).toBe(3);
    }),
    { numRuns: 60 },
  ));

it("stops when it is asked to, with the best key so far", async () => {
  const text = [[0, 1, 2, 0, 1, 2, 0, 1]];
  const model = ngramModel(text, PLAIN, { order: 3, ends: false });
  let pauses = 0;
  const pause = async (): Promise<boolean> => ++pauses === 3;
  const options = { ...keySearchDefaults, moves: 1e12, oneToOne: true };
  const { key, score: found } = await searchOf(model, text).search(generator(1, 0), options, undefined, pause);
  expect(pauses).toBe(3);
  expect(found).toBeCloseTo(score(model, text, key), 3);
});
