// EM against enumeration of all hidden texts: expected counts, likelihood, and that it never falls while contexts stay.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ngramModel, ngramScore } from "../../src/engine/ngram.js";
import type { Inference } from "../../src/engine/trellis.js";
import { BLOCK, BlockCounter, type CipherModel, emissionsOf, LocalExpecter } from "../../src/learn/em.js";

const PLAIN = 3;

interface Given {
  text: number[][];
  cipher: number[][];
  start: number[];
  order: number;
  ends: boolean;
}

const cases: fc.Arbitrary<Given> = fc.record({
  text: fc.array(fc.array(fc.integer({ min: 0, max: PLAIN - 1 }), { maxLength: 6 }), { minLength: 1, maxLength: 8 }),
  cipher: fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  }),
  start: fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 4 * PLAIN, maxLength: 4 * PLAIN }),
  order: fc.integer({ min: 0, max: 2 }),
  ends: fc.boolean(),
});

function make({ text, cipher, start, order, ends }: Given) {
  const ngram = ngramModel(text, PLAIN, { order, ends });
  const inference: Inference = { mode: "rcms", contexts: 10_000, order, recombine: true, rows: "all" };
  const model: CipherModel = { ngram, plainCount: PLAIN, cipherCount: 4, inference };
  const logEmission = emissionsOf(Float64Array.from(start), 4, PLAIN, 0.01);
  return { model, sequences: cipher.map((s) => Int32Array.from(s)), logEmission };
}

/** The same by summing over every hidden text. */
function enumerate({ ngram }: CipherModel, sequences: Int32Array[], logEmission: Float64Array) {
  const counts = new Float64Array(4 * PLAIN);
  let logLikelihood = 0;
  for (const sequence of sequences) {
    const texts: { symbols: number[]; probability: number }[] = [];
    const walk = (symbols: number[], log: number): void => {
      const before = ngram.options.ends ? [-1, ...symbols] : symbols;
      if (symbols.length === sequence.length) {
        const end = ngram.options.ends ? ngramScore(ngram, before, PLAIN) : 0;
        texts.push({ symbols, probability: Math.exp(log + end) });
        return;
      }
      for (let y = 0; y < PLAIN; y++) {
        const emission = logEmission[sequence[symbols.length] * PLAIN + y];
        walk([...symbols, y], log + ngramScore(ngram, before, y) + emission);
      }
    };
    walk([], 0);
    const total = texts.reduce((sum, { probability }) => sum + probability, 0);
    logLikelihood += Math.log(total);
    for (const { symbols, probability } of texts) {
      symbols.forEach((y, i) => {
        counts[sequence[i] * PLAIN + y] += probability / total;
      });
    }
  }
  return { counts, logLikelihood };
}

describe("EM", () => {
  it("has the expected counts and the likelihood of all hidden texts", () =>
    fc.assert(
      fc.property(cases, (given) => {
        const { model, sequences, logEmission } = make(given);
        const found = new BlockCounter(model).count(sequences, logEmission);
        const expected = enumerate(model, sequences, logEmission);
        expect(found.logLikelihood).toBeCloseTo(expected.logLikelihood, 9);
        found.counts.forEach((count, i) => {
          expect(count).toBeCloseTo(expected.counts[i], 9);
        });
      }),
      { numRuns: 150 },
    ));

  it("has them with a range of contexts, too, where every decision is in doubt and so gets all", () =>
    fc.assert(
      fc.property(cases, (given) => {
        const { model, sequences } = make(given);
        const even = emissionsOf(new Float64Array(4 * PLAIN), 4, PLAIN, 1);
        const posteriors = enumerate(model, sequences, even).counts;
        fc.pre(posteriors.every((count) => count < 0.9));
        const inference = { ...model.inference, least: 1 };
        const found = new BlockCounter({ ...model, inference }).count(sequences, even);
        found.counts.forEach((count, i) => {
          expect(count).toBeCloseTo(posteriors[i], 9);
        });
      }),
      { numRuns: 60 },
    ));

  it("never loses likelihood when every context is kept", () =>
    fc.assert(
      fc.property(cases, (given) => {
        const { model, sequences, logEmission } = make(given);
        const counter = new BlockCounter(model);
        let log = logEmission;
        let before = Number.NEGATIVE_INFINITY;
        for (let pass = 0; pass < 6; pass++) {
          const found = counter.count(sequences, log);
          expect(found.logLikelihood).toBeGreaterThan(before - 1e-9);
          before = found.logLikelihood;
          // Smoothing aims at another goal than the likelihood alone: next to none of it here.
          log = emissionsOf(found.counts, 4, PLAIN, 1e-12);
        }
      }),
      { numRuns: 60 },
    ));

  it("gives emissions that sum to one, and keeps what is ruled out impossible", () =>
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 12, maxLength: 12 }),
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        (counts, flags) => {
          const allowed = Uint8Array.from(flags, (flag, i) => (flag || i < 3 ? 1 : 0));
          const log = emissionsOf(Float64Array.from(counts), 4, 3, 0.01, allowed);
          for (let y = 0; y < 3; y++) {
            let sum = 0;
            for (let x = 0; x < 4; x++) {
              if (!allowed[x * 3 + y]) expect(log[x * 3 + y]).toBe(Number.NEGATIVE_INFINITY);
              sum += Math.exp(log[x * 3 + y]);
            }
            expect(sum).toBeCloseTo(1, 12);
          }
        },
      ),
    ));

  it("counts blocks one after the other, and stops between them when told to", async () => {
    const start = Array.from({ length: 12 }, (_, i) => (i + 1) / 12);
    const { model, logEmission } = make({ text: [[0, 1, 2, 1]], cipher: [[0]], start, order: 1, ends: true });
    const sequences = Array.from({ length: 3 * BLOCK - 5 }, (_, i) => Int32Array.of(i % 4, (i * 7) % 4));
    const local = new LocalExpecter(model, sequences);
    const whole = new BlockCounter(model).count(sequences, logEmission);
    const found = await local.expect(logEmission);
    expect(found?.logLikelihood).toBeCloseTo(whole.logLikelihood, 8);
    expect(found?.decisions).toBe(2 * sequences.length);
    let asked = 0;
    expect(await local.expect(logEmission, () => ++asked > 2)).toBeUndefined();
    expect(asked).toBe(3);
  });
});
