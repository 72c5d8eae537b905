// Mixing: the weights of shards put together as the formula says, and a round of one shard is a pass of one machine, bit for bit.

import { describe, expect, test } from "vitest";
import { AdaGrad } from "../../src/learn/adagrad.js";
import { Gradient } from "../../src/learn/gradient.js";
import { mix, usualShards } from "../../src/workflows/queue/mixing.js";

// Three rows of two entries each.
const table = { symbolCount: 2, start: Int32Array.of(0, 2, 4, 6), symbols: Int32Array.of(0, 1, 0, 1, 0, 1) };
const options = { rate: 0.5, delta: 1, l2: 0.01, l1: 0.002 };

/** Steps along gradients, each of one row; what a shard gives back. */
function shardOf(begun: AdaGrad, steps: readonly (readonly [row: number, values: readonly number[]])[]) {
  const own = new AdaGrad(table, options, begun.weights);
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
  const rows = Int32Array.from([0, 1, 2].filter((row) => counts[row] > 0));
  const some = (values: Float64Array) =>
    Float64Array.from([...rows].flatMap((row) => [...values.slice(2 * row, 2 * row + 2)]));
  const found = { rows, counts: rows.map((row) => counts[row]), seen: new Float64Array(2 * steps.length) };
  return { own, result: { ...found, weights: some(own.weights), squares: some(own.squares), sums: some(own.sums) } };
}

function begun(): AdaGrad {
  const adagrad = new AdaGrad(table, options, Float64Array.of(0.1, -0.2, 0.3, 0.4, -0.5, 0.6));
  adagrad.squares.set([1, 2, 3, 4, 5, 6]);
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
      for (let e = 0; e < 6; e++) expect(adagrad[name][e]).toBeCloseTo(own[name][e], 14);
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
    const mixed = (name: "weights" | "squares", e: number) => (2 / 3) * one.own[name][e] + (1 / 3) * two.own[name][e];
    const owed = (5 / 9) * 5 - (2 / 3) * 3 - (1 / 3) * 2;
    for (let e = 0; e < 2; e++) {
      expect(adagrad.squares[e]).toBeCloseTo(mixed("squares", e), 14);
      const rate = 0.5 / Math.sqrt(1 + mixed("squares", e));
      const w = mixed("weights", e);
      const shrunk = Math.sign(w) * Math.max(0, Math.abs(w) - owed * rate * 0.002);
      expect(adagrad.weights[e]).toBeCloseTo(shrunk / (1 + owed * rate * 0.01), 14);
      const average = (2 / 3) * (one.own.sums[e] / 3) + (1 / 3) * (two.own.sums[e] / 2);
      expect(adagrad.sums[e]).toBeCloseTo(5 * average, 13);
    }
    // Row 1 is known to the first shard alone: its weights are not watered down, but for the penalty of the steps it has not had.
    for (const e of [2, 3]) {
      const rate = 0.5 / Math.sqrt(1 + one.own.squares[e]);
      expect(adagrad.squares[e]).toBe(one.own.squares[e]);
      expect(adagrad.weights[e]).toBeCloseTo((one.own.weights[e] - 2 * rate * 0.002) / (1 + 2 * rate * 0.01), 14);
    }
    expect(adagrad.step).toBe(5);
  });

  test("the number of shards depends on the examples alone", () => {
    expect([1, 900, 3100, 8900, 1e6].map(usualShards)).toEqual([1, 1, 2, 4, 32]);
  });
});
