// Confidence in keys against the definition: scores of whole keys, one by one.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type NgramModel, ngramModel, ngramScore } from "../../../src/engine/ngram.js";
import { KeyConfidence } from "../../../src/tasks/decipher/key-confidence.js";
import { generator } from "../../../src/util/random.js";

const PLAIN = 4;

interface Given {
  text: number[][];
  cipher: number[][];
  order: number;
  ends: boolean;
  key: number[];
}

const cases: fc.Arbitrary<Given> = fc.record({
  text: fc.array(fc.array(fc.integer({ min: 0, max: PLAIN - 1 }), { minLength: 1, maxLength: 12 }), { maxLength: 4 }),
  cipher: fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  order: fc.integer({ min: 0, max: 3 }),
  ends: fc.boolean(),
  key: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 3, maxLength: 3 }),
});

/** Log-likelihood of the cipher text when the key is true and the emissions are the best for it. */
function score(model: NgramModel, cipher: number[][], key: ArrayLike<number>): number {
  let log = 0;
  for (const sequence of cipher) {
    const plain = sequence.map((x) => key[x]);
    const before = model.options.ends ? [-1] : [];
    for (const y of [...plain, ...(model.options.ends ? [PLAIN] : [])]) {
      // At one place in twenty any symbol may stand.
      log += Math.log(0.95 * Math.exp(ngramScore(model, before, y)) + 0.05 / model.symbolCount);
      before.push(y);
    }
  }
  const places = cipher.flat();
  for (const x of places) {
    const same = places.filter((other) => other === x).length;
    log += Math.log(same / places.filter((other) => key[other] === key[x]).length);
  }
  return log;
}

const all = Int32Array.of(0, 1, 2, 3);

function make({ text, cipher, order, ends, key }: Given, one: boolean) {
  // Smooth enough that no reading is hopeless.
  const model = ngramModel(text, PLAIN, { order, ends, smoothing: 1, discount: 0.7 });
  const own = Int32Array.from(key);
  const sequences = cipher.map((s) => Int32Array.from(s));
  return { model, own, confidence: new KeyConfidence(model, sequences, own, PLAIN, one) };
}

/** The key with x standing for y; in a one-to-one key, whoever had y gets what x had. */
const changed = (key: ArrayLike<number>, x: number, y: number, one: boolean): number[] =>
  Array.from(key, (old, i) => (i === x ? y : one && old === y ? key[x] : old));

it("is in proportion to the likelihood of the changed key", () =>
  fc.assert(
    fc.property(cases, fc.boolean(), (given, one) => {
      const { model, own, confidence } = make(given, one);
      for (let x = 0; x < 3; x++) {
        const likelihoods = [...all].map((y) => Math.exp(score(model, given.cipher, changed(own, x, y, one))));
        const sum = likelihoods.reduce((a, b) => a + b, 0);
        const found = confidence.probabilities(x, all);
        likelihoods.forEach((likelihood, y) => {
          expect(found[y]).toBeCloseTo(likelihood / sum, 8);
        });
      }
    }),
    { numRuns: 150 },
  ));

it("scores whole keys as defined", () =>
  fc.assert(
    fc.property(cases, fc.boolean(), (given, one) => {
      const { model, own, confidence } = make(given, one);
      expect(confidence.total()).toBeCloseTo(score(model, given.cipher, own), 8);
    }),
  ));

it("redraws a symbol's letter as often as it is likely, given the rest of the key", () =>
  fc.assert(
    fc.property(cases, fc.nat(), fc.integer({ min: 0, max: 2 }), (given, seed, x) => {
      const { model, own, confidence } = make(given, false);
      const random = generator(seed, 0);
      const scores = [...all].map((y) => score(model, given.cipher, Object.assign([...own], { [x]: y })));
      const likelihoods = scores.map((log) => Math.exp(log - Math.max(...scores)));
      const sum = likelihoods.reduce((a, b) => a + b, 0);
      const visits = [0, 0, 0, 0];
      for (let round = 0; round < 2000; round++) {
        confidence.redraw(x, all, 1, random);
        visits[own[x]]++;
      }
      // Six times the standard error of a share of 2,000 draws.
      for (const y of all) expect(Math.abs(visits[y] / 2000 - likelihoods[y] / sum)).toBeLessThan(0.07);
    }),
    { numRuns: 10 },
  ));

it("keeps a key one-to-one however it is redrawn", () =>
  fc.assert(
    fc.property(cases, fc.nat(), (given, seed) => {
      const { model, own, confidence } = make(given, true);
      const random = generator(seed, 0);
      for (let round = 0; round < 20; round++) {
        for (let x = 0; x < 3; x++) confidence.redraw(x, all, 3, random);
        expect(new Set(own).size).toBe(3);
      }
      expect(confidence.total()).toBeCloseTo(score(model, given.cipher, own), 6);
    }),
    { numRuns: 50 },
  ));

it("improves keys until no single change would", () =>
  fc.assert(
    fc.property(cases, fc.boolean(), (given, one) => {
      const { model, own, confidence } = make(given, one);
      let before = score(model, given.cipher, own);
      for (let round = 0; round < 20 && confidence.improve(() => all) > 0; round++) {
        const after = score(model, given.cipher, own);
        expect(after).toBeGreaterThan(before - 1e-9);
        before = after;
      }
      for (let x = 0; x < 3; x++) {
        for (const y of all) {
          expect(score(model, given.cipher, changed(own, x, y, one))).toBeLessThan(before + 1e-6);
        }
      }
      if (one) expect(new Set(own).size).toBe(3);
    }),
    { numRuns: 150 },
  ));
