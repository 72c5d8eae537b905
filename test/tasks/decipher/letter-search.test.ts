// Walks through keys against all keys of small ciphers, and the two kinds of loops against each other.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { BEST, beginWalk, keyText, keyWalk, TOTAL, temperatureOf } from "../../../src/engine/keys.js";
import { type NgramModel, ngramModel, ngramScore } from "../../../src/engine/ngram.js";
import { referenceKeyLoops } from "../../../src/engine/reference/keys.js";
import { WasmKeyLoops } from "../../../src/engine/wasm/keys.js";
import { keyTables } from "../../../src/tasks/decipher/key-tables.js";

const PLAIN = 3;
const symbols = fc.integer({ min: 0, max: PLAIN - 1 });
const cases = fc.record({
  text: fc.array(fc.array(symbols, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
  cipher: fc.array(fc.array(symbols, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  order: fc.integer({ min: 0, max: 3 }),
  isTurned: fc.boolean(),
  oneToOne: fc.boolean(),
  seed: fc.nat(),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

const wasm = new WasmKeyLoops();

/** log P(y | before) when at one place in twenty any symbol may stand. */
const place = (model: NgramModel, before: number[], y: number): number =>
  Math.log(0.95 * Math.exp(ngramScore(model, before, y)) + 0.05 / model.symbolCount);

/** Log-likelihood of the cipher text when the key is true and the emissions are the best for it. */
function score(model: NgramModel, { cipher, order }: Case, key: ArrayLike<number>): number {
  let log = 0;
  for (const sequence of cipher) {
    const plain = sequence.map((x) => key[x]);
    plain.forEach((y, i) => {
      log += place(model, plain.slice(Math.max(0, i - order), i), y);
    });
  }
  const places = cipher.flat();
  for (const x of places) {
    const same = places.filter((other) => other === x).length;
    const written = places.filter((other) => key[other] === key[x]).length;
    log += Math.log(same / written);
  }
  return log;
}

const walkOf = ({ text, cipher, order, isTurned, oneToOne }: Case, loops = wasm, allowed?: Uint8Array) => {
  const model = ngramModel(text, PLAIN, { order: 3, ends: false });
  const tables = keyTables(model, order, isTurned, loops.arrays);
  const prepared = keyText(tables, cipher, 3, { isHomophonic: !oneToOne, allowed }, loops.arrays);
  const walk = keyWalk(prepared, loops.arrays);
  return { model, tables, walk, free: prepared.free.length };
};

const allKeys = (oneToOne: boolean): number[][] =>
  Array.from({ length: 27 }, (_, n) => [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)]).filter(
    (key) => !oneToOne || new Set(key).size === 3,
  );

/** In nats; of a homophonic key the emissions of the symbols themselves are left out, as they are the same for all. */
const emitted = ({ cipher, oneToOne }: Case): number => {
  if (oneToOne) return 0;
  const counts = [0, 1, 2].map((x) => cipher.flat().filter((other) => other === x).length);
  return counts.reduce((sum, n) => sum + (n > 0 ? n * Math.log(n) : 0), 0);
};

it("a walk that cools down finds the best of all keys, and knows what it costs", () =>
  fc.assert(
    fc.property(cases, (one) => {
      const { model, tables, walk, free } = walkOf(one);
      beginWalk(walk, [0, 1, 2], one.seed);
      const kind = one.oneToOne ? "trade" : "heatBath";
      if (free > 0) {
        for (const nats of [4, 2, 1, 0.5, 0.25]) wasm[kind](walk, temperatureOf(nats, tables.units, wasm.arrays), 400);
      }
      const best = Math.max(...allKeys(one.oneToOne).map((key) => score(model, one, key)));
      // Costs are whole units, so sums of them are a little off.
      const slack = (one.cipher.flat().length + 4) / tables.units;
      expect(Math.abs(-walk.state[BEST] / tables.units + emitted(one) - best)).toBeLessThan(slack);
      expect(score(model, one, walk.bestKey)).toBeGreaterThan(best - 2 * slack);
      if (one.oneToOne) expect(new Set(walk.bestKey).size).toBe(3);
      // The running total is that of the key.
      const { [TOTAL]: total } = walk.state;
      beginWalk(walk, walk.key.slice());
      expect(walk.state[TOTAL]).toBe(total);
    }),
    { numRuns: 100 },
  ));

it("walks are the same in both loops", () =>
  fc.assert(
    fc.property(cases, (one) => {
      const ends = [wasm, referenceKeyLoops].map((loops) => {
        const { walk, tables, free } = walkOf(one, loops as typeof wasm);
        beginWalk(walk, [0, 1, 2], one.seed);
        if (free > 0) {
          loops[one.oneToOne ? "trade" : "heatBath"](walk, temperatureOf(1.5, tables.units, loops.arrays), 60);
        }
        return [[...walk.key], [...walk.bestKey], [...walk.state]];
      });
      expect(ends[0]).toEqual(ends[1]);
    }),
    { numRuns: 100 },
  ));

it("walks keep to what is allowed", () =>
  fc.assert(
    fc.property(cases, fc.constantFrom(0, 1, 2), (one, plain) => {
      const allowed = new Uint8Array(9).fill(1);
      allowed.fill(0, 3, 6);
      allowed[3 + plain] = 1;
      const { walk, tables, free } = walkOf(one, wasm, allowed);
      beginWalk(walk, [(plain + 1) % 3, plain, (plain + 2) % 3], one.seed);
      if (free === 0) return;
      wasm[one.oneToOne ? "trade" : "heatBath"](walk, temperatureOf(3, tables.units, wasm.arrays), 200);
      expect(walk.key[1]).toBe(plain);
      if (one.oneToOne) expect(new Set(walk.key).size).toBe(3);
    }),
    { numRuns: 50 },
  ));

it("walks at temperature 1 meet keys as often as they are likely", () =>
  fc.assert(
    fc.property(cases, (one) => {
      const { walk, tables, model, free } = walkOf(one);
      fc.pre(free === 3);
      beginWalk(walk, [0, 1, 2], one.seed);
      const temperature = temperatureOf(1, tables.units, wasm.arrays);
      const times = new Map<string, number>();
      for (let n = 0; n < 4000; n++) {
        wasm[one.oneToOne ? "trade" : "heatBath"](walk, temperature, 5);
        const name = walk.key.join();
        times.set(name, (times.get(name) ?? 0) + 1);
      }
      const keys = allKeys(one.oneToOne);
      const likelihoods = keys.map((key) => Math.exp(score(model, one, key)));
      const sum = likelihoods.reduce((a, b) => a + b, 0);
      keys.forEach((key, i) => {
        expect(Math.abs((times.get(key.join()) ?? 0) / 4000 - likelihoods[i] / sum)).toBeLessThan(0.08);
      });
    }),
    { numRuns: 10 },
  ));
