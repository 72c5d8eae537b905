// The search for keys against all keys of small ciphers.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type NgramModel, ngramModel, ngramScore } from "../../../src/engine/ngram.js";
import { KeySearch, keySampleDefaults, keySearchDefaults } from "../../../src/tasks/decipher/key-search.js";
import { generator } from "../../../src/util/random.js";

const PLAIN = 3;
const symbols = fc.integer({ min: 0, max: PLAIN - 1 });
const cases = fc.record({
  text: fc.array(fc.array(symbols, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
  cipher: fc.array(fc.array(symbols, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  ends: fc.boolean(),
  oneToOne: fc.boolean(),
  seed: fc.nat(),
});

/** log P(y | before) when at one place in twenty any symbol may stand. */
const place = (model: NgramModel, before: number[], y: number): number =>
  Math.log(0.95 * Math.exp(ngramScore(model, before, y)) + 0.05 / model.symbolCount);

/** Log-likelihood of the cipher text when the key is true and the emissions are the best for it. */
function score(model: NgramModel, cipher: number[][], key: ArrayLike<number>): number {
  let log = 0;
  for (const sequence of cipher) {
    const plain = sequence.map((x) => key[x]);
    plain.forEach((y, i) => {
      log += place(model, [...(model.options.ends ? [-1] : []), ...plain.slice(0, i)].slice(-3), y);
    });
    if (model.options.ends) log += place(model, [-1, ...plain].slice(-3), PLAIN);
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

const allKeys = (oneToOne: boolean): number[][] =>
  Array.from({ length: 27 }, (_, n) => [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)]).filter(
    (key) => !oneToOne || new Set(key).size === 3,
  );

it("finds the best of all keys, and scores it as defined", () =>
  fc.assert(
    fc.asyncProperty(cases, async ({ text, cipher, ends, oneToOne, seed }) => {
      const model = ngramModel(text, PLAIN, { order: 3, ends });
      const options = { ...keySearchDefaults, moves: 3000, oneToOne };
      const found = await searchOf(model, cipher).search(generator(seed, 0), options);
      expect(found.score).toBeCloseTo(score(model, cipher, found.key), 3);
      const keys = allKeys(oneToOne);
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

it("draws keys as often as they are likely", () =>
  fc.assert(
    fc.asyncProperty(cases, async ({ text, cipher, ends, oneToOne, seed }) => {
      const model = ngramModel(text, PLAIN, { order: 3, ends });
      const options = { ...keySampleDefaults, moves: 60_000, walkers: 4, keys: 2000, oneToOne };
      const drawn = await searchOf(model, cipher).sample([], generator(seed, 0), options);
      expect(drawn).toHaveLength(2000);
      const times = new Map<string, number>();
      for (const key of drawn) times.set(key.join(), (times.get(key.join()) ?? 0) + 1);
      const keys = allKeys(oneToOne);
      const likelihoods = keys.map((key) => Math.exp(score(model, cipher, key)));
      const sum = likelihoods.reduce((a, b) => a + b, 0);
      keys.forEach((key, i) => {
        expect(Math.abs((times.get(key.join()) ?? 0) / drawn.length - likelihoods[i] / sum)).toBeLessThan(0.07);
      });
    }),
    { numRuns: 10 },
  ));
