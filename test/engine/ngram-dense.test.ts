// Counting n-grams by direct addresses gives the model that counting them one by one gives.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NgramModel, ngramModel, ngramScoreAt } from "../../src/engine/ngram.js";
import { isDense } from "../../src/engine/ngram-dense.js";

const SYMBOLS = 4;

/** log P of every n-gram that fits, by name. */
function scores(model: NgramModel, longest: number): number[] {
  const all: number[] = [];
  const walk = (events: number[]): void => {
    if (events.length > 0) all.push(ngramScoreAt(model, events, events.length - 1, 0));
    if (events.length <= longest) for (let y = 0; y < SYMBOLS; y++) walk([...events, y]);
  };
  walk([]);
  return all;
}

/** P(y | s) by the formula, from the text itself. */
function definition(sequences: number[][], order: number, discount: number, smoothing: number, events: number[]) {
  const y = events[events.length - 1];
  const count = (suffix: number[], symbol?: number): number[] => {
    const found = new Array(SYMBOLS).fill(0);
    for (const sequence of sequences) {
      for (let i = suffix.length; i < sequence.length; i++) {
        if (suffix.every((event, k) => sequence[i - suffix.length + k] === event)) found[sequence[i]]++;
      }
    }
    return symbol === undefined ? found : [found[symbol]];
  };
  const total = count([]);
  let p = (total[y] + smoothing) / (total.reduce((a, b) => a + b, 0) + smoothing * SYMBOLS);
  for (let length = 1; length <= Math.min(order, events.length - 1); length++) {
    const after = count(events.slice(-1 - length, -1));
    const seen = after.reduce((a, b) => a + b, 0);
    if (seen === 0) break;
    const lambda = (discount * after.filter((n) => n > 0).length) / seen;
    p = (after[y] > 0 ? (after[y] - discount) / seen : 0) + lambda * p;
  }
  return Math.log(p);
}

describe("n-grams of a small alphabet", () => {
  it("have the probabilities of the definition", () => {
    const text = fc.array(fc.array(fc.integer({ min: 0, max: SYMBOLS - 1 }), { maxLength: 12 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 3 }), (sequences, order) => {
        fc.pre(sequences.some((sequence) => sequence.length > 0));
        expect(isDense(SYMBOLS, order)).toBe(true);
        const model = ngramModel(sequences, SYMBOLS, { order, ends: false, discount: 0.3, smoothing: 0.1 });
        const found = scores(model, order);
        const wanted: number[] = [];
        const walk = (events: number[]): void => {
          if (events.length > 0) wanted.push(definition(sequences, order, 0.3, 0.1, events));
          if (events.length <= order) for (let y = 0; y < SYMBOLS; y++) walk([...events, y]);
        };
        walk([]);
        found.forEach((score, i) => {
          expect(score).toBeCloseTo(wanted[i], 9);
        });
      }),
      { numRuns: 50 },
    );
  });

  it("are those of counting suffix by suffix", () => {
    // A large alphabet of which only a few symbols are used is counted in the other way.
    const sequences = [[0, 1, 2, 3, 0, 1, 1, 2, 0, 3, 3, 1, 0, 1, 2], [2, 1], [], [3]];
    const options = { order: 3, ends: false };
    const dense = ngramModel(sequences, SYMBOLS, options);
    const other = ngramModel(sequences, 1000, options);
    expect(isDense(1000, 3)).toBe(false);
    expect(dense.weights.length).toBe(other.weights.length);
    expect([...dense.weights].filter(Number.isNaN)).toEqual([]);
  });
});
