// Which kernel counts expected decisions is a question of time alone: both give the same answers.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BackoffCounter, KernelCounter, prefersBackoff } from "../../src/engine/counter.js";
import { ngramModel } from "../../src/engine/ngram.js";
import { chainGraph } from "../../src/engine/slots.js";
import type { Inference } from "../../src/engine/trellis.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { mulberry } from "./oracle.js";

const wasm = wasmBackend() as NonNullable<ReturnType<typeof wasmBackend>>;

/** Sequences of symbols of which each has a few that like to follow it. */
function sequences(random: () => number, symbolCount: number, followers: number, count: number): Int32Array[] {
  return Array.from({ length: count }, () => {
    let y = Math.floor(random() * symbolCount);
    return Int32Array.from({ length: 12 }, () => {
      y = (7 * y + Math.floor(random() * followers)) % symbolCount;
      return y;
    });
  });
}

const inference = (contexts: number, order: number): Inference => ({
  mode: "rcms",
  contexts,
  order,
  recombine: true,
  rows: "all",
});

describe("the counters", () => {
  it("agree on the log-partition, the expected decisions and the length of contexts", () =>
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 40 }),
        (seed, symbolCount, order, contexts) => {
          const random = mulberry(seed);
          const { space, weights, ...ngram } = ngramModel(sequences(random, symbolCount, 5, 30), symbolCount, {
            order,
          });
          const graph = chainGraph(8, ngram.symbolCount);
          const size = graph.slotCount * ngram.symbolCount;
          const problem = { graph, slotScores: Float64Array.from({ length: size }, () => 2 * random()) };
          const settings = inference(contexts, order);
          const [expected, found] = [
            new BackoffCounter(space, weights, settings),
            new KernelCounter(wasm.makeKernel(), space, weights, settings),
          ].map((counter) => {
            const slotCounts = new Float64Array(size);
            const logPartition = counter.count(problem, slotCounts, 1);
            return { logPartition, slotCounts, length: counter.averageContextLength() };
          });
          expect(found.logPartition).toBeCloseTo(expected.logPartition, 9);
          expect(found.length).toBeCloseTo(expected.length, 9);
          found.slotCounts.forEach((count, i) => {
            expect(count).toBeCloseTo(expected.slotCounts[i], 9);
          });
        },
      ),
      { numRuns: 100 },
    ));

  it("are chosen by how many of the symbols rows have entries for", () => {
    const random = mulberry(3);
    const letters = ngramModel(sequences(random, 27, 20, 400), 27, { order: 2 });
    const words = ngramModel(sequences(random, 1000, 20, 4000), 1000, { order: 2 });
    expect(prefersBackoff(letters.space, inference(60, 2))).toBe(false);
    expect(prefersBackoff(words.space, inference(60, 2))).toBe(true);
    expect(prefersBackoff(words.space, inference(2, 2))).toBe(false);
    expect(wasm.makeCounter(letters.space, letters.weights, inference(60, 2))).toBeInstanceOf(KernelCounter);
    expect(wasm.makeCounter(words.space, words.weights, inference(60, 2))).toBeInstanceOf(BackoffCounter);
  });
});
