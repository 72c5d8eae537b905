// n-gram models against the formula of absolute discounting computed from plain maps, and as probabilities.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffRows } from "../../src/engine/backoff/rows.js";
import { type NgramOptions, ngramModel, ngramScore, shorterNgram } from "../../src/engine/ngram.js";

const settings = fc.record({
  sequences: fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 }), { maxLength: 12 }),
  order: fc.integer({ min: 0, max: 3 }),
  discount: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
  smoothing: fc.double({ min: 0.001, max: 2, noNaN: true }),
  ends: fc.boolean(),
  continuation: fc.boolean(),
});

/** P(y | suffix) straight from the definition. */
function definition(sequences: number[][], options: NgramOptions, suffix: number[], symbol: number): number {
  const symbolCount = options.ends ? 5 : 4;
  const whole = sequences.map((s) => (options.ends ? [-1, ...s, 4] : s));
  const after = (wanted: number[]): number[] => {
    const found = whole.flatMap((s) =>
      s.flatMap((y, i) =>
        y !== -1 && i >= wanted.length && wanted.every((w, k) => s[i - wanted.length + k] === w)
          ? [{ y, before: s[i - wanted.length - 1] }]
          : [],
      ),
    );
    if (!options.continuation || wanted.length === options.order) return found.map(({ y }) => y);
    // Once for each event before the suffix; each time where there is none.
    const longer = new Set(found.flatMap(({ y, before }) => (before === undefined ? [] : [`${before} ${y}`])));
    const first = found.filter(({ before }) => before === undefined).map(({ y }) => y);
    return [...first, ...[...longer].map((pair) => Number(pair.split(" ")[1]))];
  };
  const recurse = (wanted: number[]): number => {
    const seen = after(wanted);
    const count = seen.filter((y) => y === symbol).length;
    if (wanted.length === 0) return (count + options.smoothing) / (seen.length + options.smoothing * symbolCount);
    const shorter = recurse(wanted.slice(1));
    if (seen.length === 0) return shorter;
    const lambda = (options.discount * new Set(seen).size) / seen.length;
    return Math.max(0, count - options.discount) / seen.length + lambda * shorter;
  };
  return recurse(suffix.slice(suffix.length - Math.min(options.order, suffix.length)));
}

describe("an n-gram model", () => {
  it("leaves out rare suffixes of two events and more", () => {
    // After 0 1 comes 2 twice, after 3 1 comes 2 once.
    const sequences = [
      [0, 1, 2],
      [0, 1, 2],
      [3, 1, 2],
    ];
    const all = ngramModel(sequences, 4, { order: 2 });
    const common = ngramModel(sequences, 4, { order: 2, fewest: 2 });
    expect(ngramScore(common, [0, 1], 2)).toBeCloseTo(ngramScore(all, [0, 1], 2), 12);
    expect(ngramScore(common, [3, 1], 2)).toBeCloseTo(ngramScore(all, [1], 2), 12);
    expect(ngramScore(all, [3, 1], 2)).not.toBeCloseTo(ngramScore(all, [1], 2), 3);
    expect(common.weights.length).toBeLessThan(all.weights.length);
  });

  const suffixes = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 });

  it("has the probabilities of absolute discounting", () =>
    fc.assert(
      fc.property(settings, suffixes, fc.boolean(), ({ sequences, ...options }, rest, begins) => {
        const model = ngramModel(sequences, 4, options);
        const suffix = begins && options.ends ? [-1, ...rest] : rest;
        for (let y = 0; y < model.symbolCount; y++) {
          expect(Math.exp(ngramScore(model, suffix, y))).toBeCloseTo(definition(sequences, options, suffix, y), 10);
        }
      }),
      { numRuns: 300 },
    ));

  it("sums to one after any suffix, and leaves nothing impossible, with rare suffixes left out too", () =>
    fc.assert(
      fc.property(settings, suffixes, fc.integer({ min: 1, max: 3 }), ({ sequences, ...options }, suffix, fewest) => {
        const model = ngramModel(sequences, 4, { ...options, fewest });
        const probabilities = Array.from({ length: model.symbolCount }, (_, y) =>
          Math.exp(ngramScore(model, suffix, y)),
        );
        expect(probabilities.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 10);
        expect(Math.min(...probabilities)).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    ));

  it("has rows that fit the back-off kernel", () =>
    fc.assert(
      fc.property(settings, ({ sequences, ...options }) => {
        const model = ngramModel(sequences, 4, options);
        expect(backoffRows(model.space, model.weights).fits).toBe(true);
      }),
      { numRuns: 50 },
    ));

  it("with plain counts, cut to a lower order, is the model made with that order", () =>
    fc.assert(
      fc.property(settings, fc.nat(3), ({ sequences, continuation: _, ...options }, less) => {
        const order = Math.max(0, options.order - less);
        const cut = shorterNgram(ngramModel(sequences, 4, options), order);
        expect(cut).toEqual(ngramModel(sequences, 4, { ...options, order }));
      }),
      { numRuns: 300 },
    ));

  it("refuses settings that make no model", () => {
    expect(() => ngramModel([], 3, { discount: 1 })).toThrow(/discount/);
    expect(() => ngramModel([], 3, { smoothing: 0 })).toThrow(/smoothing/);
    expect(() => ngramModel([], 3, { order: 1.5 })).toThrow(/order/);
  });

  it("counts more than a table holds at first", () => {
    // 40 symbols in all pairs: more than a thousand (suffix, symbol) pairs.
    const sequence: number[] = [];
    for (let a = 0; a < 40; a++) for (let b = 0; b < 40; b++) sequence.push(a, b);
    const model = ngramModel([sequence], 40, { order: 1, ends: false });
    const after = sequence.slice(0, -1).flatMap((y, i) => (y === 7 ? [sequence[i + 1]] : []));
    const count = after.filter((y) => y === 9).length;
    const lambda = (0.25 * new Set(after).size) / after.length;
    const unigram = (sequence.filter((y) => y === 9).length + 0.01) / (sequence.length + 0.4);
    expect(Math.exp(ngramScore(model, [7], 9))).toBeCloseTo((count - 0.25) / after.length + lambda * unigram, 12);
  });
});
