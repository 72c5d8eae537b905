// Warnings that inputs are not like those a model was calibrated on: rare where they are, sure where they are not.

import { describe, expect, test } from "vitest";
import { ConfidenceCounts, confidenceQuantiles, driftOf } from "../../src/confidence/drift.js";
import { generator, uniform } from "../../src/util/random.js";

type Draw = (random: () => number) => number;

/** The share of 1,000 pairs of samples in which something is found. */
function found(calibration: Draw, fresh: Draw, examples: number, inputs: number): number {
  let warned = 0;
  for (let seed = 1; seed <= 1000; seed++) {
    const stream = generator(seed, 3);
    const random = (): number => uniform(stream);
    const quantiles = confidenceQuantiles(Array.from({ length: examples }, () => calibration(random)));
    const counts = new ConfidenceCounts(quantiles);
    for (let i = 0; i < inputs; i++) counts.add(fresh(random));
    if (driftOf(counts, quantiles, examples)) warned++;
  }
  return warned / 1000;
}

const sure: Draw = (random) => 1 - random() ** 3;
const lessSure: Draw = (random) => 1 - random() ** 2;
/** Half of all are exactly 1, as short outputs often are. */
const withTies: Draw = (random) => (random() < 0.5 ? 1 : Math.round(8 * random()) / 8);

describe("inputs like those of calibration", () => {
  test.each([
    ["sure", sure, 300, 500],
    ["sure, few", sure, 60, 40],
    ["with ties", withTies, 300, 500],
    ["all the same", () => 0.5, 100, 100],
  ] as [string, Draw, number, number][])("%s: a warning in at most one of a hundred", (_, draw, examples, inputs) => {
    expect(found(draw, draw, examples, inputs)).toBeLessThan(0.02);
  });
});

test("other inputs are noticed", () => {
  expect(found(sure, lessSure, 500, 500)).toBeGreaterThan(0.7);
  expect(found(lessSure, sure, 500, 500)).toBeGreaterThan(0.4);
  expect(found(withTies, sure, 300, 500)).toBeGreaterThan(0.9);
});

test("too few say nothing", () => {
  expect(found(sure, () => 0, 500, 29)).toBe(0);
  expect(found(sure, () => 0, 20, 500)).toBe(0);
});

test("counts of threads add up", () => {
  const [a, b, both] = [1, 2, 3].map(() => new ConfidenceCounts([0.2, 0.5, 0.5, 0.9]));
  [0, 0.2, 0.4, 0.5].forEach((p, i) => {
    (i % 2 ? a : b).add(p);
    both.add(p);
  });
  a.join(b);
  expect(a).toEqual(both);
  expect(both.counts.slice(0, 5)).toEqual([1, 2, 0, 1, 0]);
});
