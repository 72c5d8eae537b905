// A budget of contexts: what a search with one finds is the best output of the model that its limits make, by enumeration.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend, BestOutput } from "../../src/engine/backend.js";
import { ContextBudget, learningInference, searchWithin } from "../../src/engine/budget.js";
import type { Inference } from "../../src/engine/inference.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { allOutputs, caseArbitrary, logSum, outputScore, selectContexts } from "./oracle.js";

const backends = { js: referenceBackend, wasm: wasmBackend() as Backend };

const inference: Inference = { mode: "rcms", contexts: 40, least: 2, order: 2, recombine: true, rows: "all" };

describe.each(Object.entries(backends))("a budget with %s", (_name, backend) => {
  it("ends with the best output of the model that its limits make, and its probability", () => {
    let widened = 0;
    fc.assert(
      fc.property(
        caseArbitrary({ mode: "rcms", recombine: true, contexts: 12 }, 2, { chains: true }),
        fc.integer({ min: 1, max: 3 }),
        (c, least) => {
          fc.pre(c.inference.order > 0);
          const asked = { ...c.inference, least };
          const budget = new ContextBudget(backend.makeKernel());
          const frozen = backend.freeze(c.space, c.weights);
          const found = budget.bestOutput(c.problem, frozen, asked, true) as BestOutput;
          const { limits, spent } = budget;
          if (limits) widened++;
          expect(spent.passes > 1).toBe(limits !== undefined);
          for (const limit of limits ?? []) {
            expect(limit).toBeGreaterThanOrEqual(least);
            expect(limit).toBeLessThanOrEqual(12);
          }
          const own = limits
            ? { ...c, problem: { ...c.problem, limits } }
            : { ...c, inference: { ...asked, contexts: least } };
          const sets = selectContexts(own);
          fc.pre(sets !== undefined);
          const scores = allOutputs(own).map((output) => outputScore(own, sets as string[][], output)?.score as number);
          expect(found.score).toBeCloseTo(Math.max(...scores), 8);
          expect(found.logPartition).toBeCloseTo(logSum(scores), 8);
          expect(found.confidences?.length).toBe(found.symbols.length);
        },
      ),
      { numRuns: 150 },
    );
    expect(widened).toBeGreaterThan(20);
  });
});

it("a whole input is searched again only if what was found is in doubt", () => {
  const tried: number[] = [];
  const search = (probability: number) => (chosen: Inference) => {
    tried.push(chosen.contexts);
    return probability;
  };
  expect(searchWithin(inference, search(0.99))).toEqual({ passes: 1, contexts: 2 });
  expect(searchWithin(inference, search(0.5))).toEqual({ passes: 2, contexts: 42 });
  expect(searchWithin({ ...inference, least: undefined }, search(0.5))).toEqual({ passes: 1, contexts: 40 });
  expect(tried).toEqual([2, 2, 40, 40]);
});

it("examples are learned with few and with many, each always with as many", () => {
  const sizes = Array.from({ length: 1000 }, (_, example) => learningInference(inference, example).contexts);
  expect(sizes).toEqual(sizes.map((_, example) => learningInference(inference, example).contexts));
  expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([2, 16]);
  // As many between 2 and 4 as between 4 and 8.
  const share = (from: number, to: number) => sizes.filter((size) => size >= from && size < to).length / sizes.length;
  expect(Math.abs(share(2, 4) - share(4, 8))).toBeLessThan(0.15);
});
