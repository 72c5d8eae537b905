// Mixing: the weights of shards put together as the formula says, a round of one shard is a pass of one machine, and what travels
// arrives.

import { describe, expect, test } from "vitest";
import { resumedSettings } from "../../src/cli/training.js";
import { AdaGrad } from "../../src/learn/adagrad.js";
import { Gradient } from "../../src/learn/gradient.js";
import type { SavedTraining } from "../../src/model/checkpoint.js";
import { mix, movedOf, stateOf } from "../../src/workflows/queue/mixing.js";
import { OLD_SHARD_EXAMPLES, SHARD_EXAMPLES, shardCount } from "../../src/workflows/queue/shards.js";
import { rounded, roundedSquare, SLIGHT, spread, thinned } from "../../src/workflows/queue/thin.js";

// Three rows of two entries each.
const table = { symbolCount: 2, start: Int32Array.of(0, 2, 4, 6), symbols: Int32Array.of(0, 1, 0, 1, 0, 1) };
const options = { rate: 0.5, delta: 1, l2: 0.01, l1: 0.002 };

/** Steps along gradients, each of one row; what a shard gives back. */
function shardOf(begun: AdaGrad, steps: readonly (readonly [row: number, values: readonly number[]])[]) {
  const own = new AdaGrad(table, begun.options, begun.weights);
  own.squares.set(begun.squares);
  const gradient = new Gradient(table);
  const counts = new Int32Array(3);
  for (const [row, values] of steps) {
    gradient.touch(row);
    gradient.values.set(values, 2 * row);
    counts[row]++;
    own.update(gradient);
  }
  own.settle();
  const moved = movedOf(own, stateOf(begun), counts);
  return { own, result: { counts: Uint16Array.from(counts), moved, seen: new Float64Array(2 * steps.length) } };
}

function begun(given = options): AdaGrad {
  const adagrad = new AdaGrad(table, given, Float64Array.of(0.1, -0.2, 0.3, 0.4, -0.5, 0.6));
  adagrad.squares.set([1, 2, 3, 4, 5, 6]);
  stateOf(adagrad); // rounds to what travels
  return adagrad;
}

describe("mixing", () => {
  test("a round of one shard is a pass", () => {
    const adagrad = begun();
    const steps = [
      [0, [1, 2]],
      [2, [-1, 0.5]],
      [0, [0.2, 0.1]],
    ] as const;
    const { own, result } = shardOf(adagrad, steps);
    mix(table, adagrad, [result], [3]);
    for (const name of ["weights", "squares", "sums"] as const) {
      const digits = name === "squares" ? 1 : 5; // of which fewer travel
      for (let e = 0; e < 6; e++) expect(adagrad[name][e]).toBeCloseTo(own[name][e], digits);
    }
    expect([adagrad.step, [...adagrad.settled]]).toEqual([3, [3, 3, 3]]);
  });

  test("rows are mixed by the examples that touched them; squares and averages too", () => {
    const adagrad = begun();
    const one = shardOf(adagrad, [
      [0, [1, 1]],
      [0, [1, 0]],
      [1, [2, 2]],
    ]);
    const two = shardOf(adagrad, [
      [0, [-1, 3]],
      [2, [1, 1]],
    ]);
    mix(table, adagrad, [one.result, two.result], [3, 2]);
    // Row 0: two of three touches in the first shard. It saw 2/3 · 2 + 1/3 of 3 examples, so it owes the penalty of 5/9 of 5 steps,
    // and has had 2/3 · 3 + 1/3 · 2 of them.
    const mixed = (name: "weights" | "squares", e: number) => {
      const told = name === "squares" ? roundedSquare : Math.fround;
      return (2 / 3) * told(one.own[name][e]) + (1 / 3) * told(two.own[name][e]);
    };
    const owed = (5 / 9) * 5 - (2 / 3) * 3 - (1 / 3) * 2;
    for (let e = 0; e < 2; e++) {
      expect(adagrad.squares[e]).toBeCloseTo(mixed("squares", e), 14);
      const rate = 0.5 / Math.sqrt(1 + mixed("squares", e));
      const w = mixed("weights", e);
      const shrunk = Math.sign(w) * Math.max(0, Math.abs(w) - owed * rate * 0.002);
      expect(adagrad.weights[e]).toBeCloseTo(shrunk / (1 + owed * rate * 0.01), 14);
      const average = (2 / 3) * (one.own.sums[e] / 3) + (1 / 3) * (two.own.sums[e] / 2);
      expect(adagrad.sums[e]).toBeCloseTo(5 * average, 5);
    }
    // Row 1 is known to the first shard alone: its weights are not watered down, but for the penalty of the steps it has not had.
    for (const e of [2, 3]) {
      const square = roundedSquare(one.own.squares[e]);
      const rate = 0.5 / Math.sqrt(1 + square);
      expect(adagrad.squares[e]).toBe(square);
      const weight = Math.fround(one.own.weights[e]);
      expect(adagrad.weights[e]).toBeCloseTo((weight - 2 * rate * 0.002) / (1 + 2 * rate * 0.01), 14);
    }
    expect(adagrad.step).toBe(5);
  });

  test("what moves by next to nothing is not told, and stays as it was", () => {
    const adagrad = begun({ ...options, l2: 0, l1: 0 });
    const { own, result } = shardOf(adagrad, [
      [0, [0.5, 1e-5]],
      [1, [1e-6, -1e-6]],
    ]);
    expect(Math.abs(own.weights[2] - adagrad.weights[2])).toBeLessThan(SLIGHT);
    const [first, second] = result.moved.told;
    expect([first, second]).toEqual([1, undefined]);
    const before = adagrad.weights.slice();
    mix(table, adagrad, [result], [2]);
    expect(adagrad.weights[0]).toBe(Math.fround(own.weights[0]));
    expect(adagrad.weights.slice(1, 4)).toEqual(before.slice(1, 4));
  });

  test("weights arrive in single precision, without those that say nothing", () => {
    const weights = Float64Array.from({ length: 21 }, (_, i) => (i % 3 === 0 ? i / 7 : 1e-4));
    const arrived = new Float64Array(21).fill(9);
    spread(thinned(weights), arrived);
    expect(arrived).toEqual(weights.map((weight) => (weight > SLIGHT ? Math.fround(weight) : 0)));
    expect(rounded(weights, new Float64Array(21))).toEqual(arrived);
  });

  test("the number of shards depends on the examples alone", () => {
    const counts = (division: { shards?: number; size: number }) =>
      [1, 900, 3500, 8900, 1e6].map((examples) => shardCount(examples, division));
    expect(counts({ size: SHARD_EXAMPLES })).toEqual([1, 1, 1, 2, 32]);
    expect(counts({ size: OLD_SHARD_EXAMPLES })).toEqual([1, 1, 2, 4, 32]);
    expect(counts({ size: SHARD_EXAMPLES, shards: 3 })).toEqual([3, 3, 3, 3, 3]);
  });

  test("a run that is resumed keeps the size of its shards, and one that does not say it has the old one", () => {
    const settings = { task: "tagger", options: {}, reading: {} };
    const resumed = (then: object): unknown => {
      const saved = { settings: { ...settings, ...then } } as unknown as SavedTraining;
      return resumedSettings({ ...settings, shards: 0, shardSize: SHARD_EXAMPLES }, { saved }).shardSize;
    };
    expect(resumed({ shards: 0 })).toBe(OLD_SHARD_EXAMPLES);
    expect(resumed({ shards: 0, shardSize: 700 })).toBe(700);
    expect(resumed({ shards: 5 })).toBeUndefined();
  });
});
