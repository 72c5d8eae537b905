// A budget of contexts: what a search with one finds is the best output of the model that its limits make, by enumeration.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend, BestOutput } from "../../src/engine/backend.js";
import {
  BudgetCounter,
  ContextBudget,
  learningInference,
  type Spent,
  searchWithin,
  sureFor,
} from "../../src/engine/budget.js";
import { KernelCounter } from "../../src/engine/counter.js";
import type { Inference } from "../../src/engine/inference.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { allOutputs, type Case, caseArbitrary, logSum, outputScore, selectContexts } from "./oracle.js";

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
          expect(spent.rounds).toHaveLength(spent.passes);
          expect(spent.rounds[0]).toMatchObject({ contexts: least });
          const last = spent.rounds[spent.passes - 1];
          expect(last.limits ?? []).toEqual(Array.from(limits?.subarray(0, -1) ?? []));
          expect(last.probability).toBeCloseTo(Math.exp(found.score - found.logPartition), 12);
          expect(spent.contexts).toBeCloseTo(
            spent.rounds.reduce((sum, { contexts }) => sum + contexts, 0),
            12,
          );
          for (const limit of limits ?? []) {
            expect(limit).toBeGreaterThanOrEqual(least);
            expect(limit).toBeLessThanOrEqual(12);
          }
          const own = limited(c, limits, least);
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

  it("counts the expected decisions of the model that its limits make", () => {
    let widened = 0;
    fc.assert(
      fc.property(
        caseArbitrary({ mode: "rcms", recombine: true, contexts: 12 }, 2, { chains: true }),
        fc.integer({ min: 1, max: 3 }),
        (c, least) => {
          const { graph } = c.problem;
          const counter = new BudgetCounter(
            { ...c.inference, least },
            backend.arrays,
            (chosen) => new KernelCounter(backend.makeKernel(), c.space, c.weights, chosen),
          );
          const counts = new Float64Array(graph.slotCount * graph.symbolCount).fill(1);
          const logPartition = counter.count(c.problem, counts, 2);
          if (counter.limits) widened++;
          const own = limited(c, counter.limits, least);
          const sets = selectContexts(own);
          fc.pre(sets !== undefined);
          const outputs = allOutputs(own);
          const scores = outputs.map((output) => outputScore(own, sets as string[][], output)?.score as number);
          expect(logPartition).toBeCloseTo(logSum(scores), 8);
          const expected = new Float64Array(counts.length).fill(1);
          outputs.forEach(({ symbols, slots }, i) => {
            const probability = Math.exp(scores[i] - logSum(scores));
            for (const [j, slot] of slots.entries()) expected[slot * graph.symbolCount + symbols[j]] += 2 * probability;
          });
          expected.forEach((count, i) => {
            expect(counts[i]).toBeCloseTo(count, 8);
          });
        },
      ),
      { numRuns: 150 },
    );
    expect(widened).toBeGreaterThan(20);
  });
});

/** The model that a search ended with: with its limits, or with `least` everywhere. */
function limited(c: Case, limits: Int32Array | undefined, least: number): Case {
  return limits
    ? { ...c, problem: { ...c.problem, limits } }
    : { ...c, inference: { ...c.inference, contexts: least } };
}

it("a whole input is searched again only if what was found is in doubt", () => {
  const tried: number[] = [];
  const search = (probability: number) => (chosen: Inference) => {
    tried.push(chosen.contexts);
    return probability;
  };
  const spent = (...contexts: number[]) =>
    expect.objectContaining({ passes: contexts.length, contexts: sum(contexts) });
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  expect(searchWithin(inference, search(0.99))).toEqual(spent(2));
  expect(searchWithin(inference, search(0.5))).toEqual(spent(2, 40));
  expect(searchWithin({ ...inference, least: undefined }, search(0.5))).toEqual(spent(40));
  expect(searchWithin(inference, search(0.5)).rounds).toEqual([
    { probability: 0.5, contexts: 2 },
    { probability: 0.5, contexts: 40 },
  ]);
  tried.length = 4;
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

describe("how sure is sure enough for a mean", () => {
  /** What a search would have taken if `sure` had been enough: it ends with the first round that reaches it. */
  const taken = ({ rounds }: Spent, sure: number): number => {
    const last = rounds.findIndex(({ probability }) => probability >= sure);
    return rounds.slice(0, last < 0 ? rounds.length : last + 1).reduce((sum, { contexts }) => sum + contexts, 0);
  };
  const searches = fc.array(
    fc
      .array(fc.record({ probability: fc.integer({ min: 0, max: 19 }).map((n) => n / 20), contexts: fc.nat(60) }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((rounds): Spent => ({ passes: rounds.length, contexts: 0, rounds })),
    { minLength: 1, maxLength: 8 },
  );

  it("is the most that takes no more, of all that there are", () => {
    fc.assert(
      fc.property(searches, fc.nat(100), (all, mean) => {
        const meanAt = (sure: number) => all.reduce((sum, one) => sum + taken(one, sure), 0) / all.length;
        fc.pre(meanAt(0) <= mean);
        const { sure, contexts } = sureFor(all, mean);
        expect(contexts).toBeCloseTo(meanAt(sure), 10);
        expect(contexts).toBeLessThanOrEqual(mean + 1e-9);
        for (let n = 0; n <= 20; n++) if (n / 20 > sure) expect(meanAt(n / 20)).toBeGreaterThan(mean);
      }),
      { numRuns: 300 },
    );
  });
});
