// The back-off kernel against the reference kernel, which is itself tested against enumeration: same context sets, same
// log-partition, same posteriors and expected decisions.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BackoffKernel } from "../../src/engine/backoff/kernel.js";
import { backoffRows } from "../../src/engine/backoff/rows.js";
import { ReferenceKernel } from "../../src/engine/reference/kernel.js";
import type { Trellis } from "../../src/engine/trellis.js";
import { type Case, caseArbitrary, selectContexts } from "./oracle.js";

const reference = new ReferenceKernel();
const backoff = new BackoffKernel();

const contexts = (trellis: Trellis) =>
  Array.from({ length: trellis.contextCount }, (_, c) => ({
    slot: trellis.contextSlot[c],
    suffix: trellis.suffix(c).join(),
    common: trellis.contextCommon[c],
    posterior: trellis.posterior[c],
    logForward: trellis.logForward[c],
  }));

const close = (a: number, b: number): void => {
  if (a === b) return;
  expect(Math.abs(a - b)).toBeLessThan(1e-9 * Math.max(1, Math.abs(a)));
};

function compare(c: Case): void {
  const size = c.problem.graph.slotCount * c.problem.graph.symbolCount;
  const expected = new Float64Array(size);
  reference.forward(c.problem, c.space, c.weights, c.inference);
  const reached = reference.trellis.logPartition > Number.NEGATIVE_INFINITY;
  if (reached) {
    reference.backward();
    reference.addExpectations(undefined, expected, 0.5);
  }
  const found = new Float64Array(size);
  const logPartition = backoff.expectDecisions(c.problem, backoffRows(c.space, c.weights), c.inference, found, 0.5);
  close(logPartition, reference.trellis.logPartition);
  found.forEach((count, i) => {
    close(count, expected[i]);
  });
  if (!reached) return;
  const sets = contexts(backoff.trellis);
  const expectedSets = contexts(reference.trellis);
  expect(sets.map((s) => [s.slot, s.suffix, s.common])).toEqual(expectedSets.map((s) => [s.slot, s.suffix, s.common]));
  sets.forEach((set, i) => {
    close(set.posterior, expectedSets[i].posterior);
    close(set.logForward, expectedSets[i].logForward);
  });
}

describe("the back-off kernel", () => {
  for (const mode of ["rcms", "beam", "exact"] as const) {
    it(`is the reference kernel in mode ${mode}`, () =>
      fc.assert(
        fc.property(caseArbitrary({ mode }, 2, { chains: true, gains: true }), (c) => {
          if (mode === "exact") c.inference.order = Math.min(c.inference.order, 1);
          else fc.pre(selectContexts(c) !== undefined);
          compare(c);
        }),
        { numRuns: 500 },
      ));
  }

  it("leaves rows with negative weights and branching graphs to the reference kernel", () =>
    fc.assert(
      fc.property(caseArbitrary(), (c) => {
        fc.pre(selectContexts(c) !== undefined);
        compare(c);
      }),
      { numRuns: 200 },
    ));

  it("survives masses too small for linear numbers", () =>
    fc.assert(
      fc.property(caseArbitrary({ mode: "rcms" }, 400, { chains: true, gains: true }), (c) => {
        fc.pre(selectContexts(c) !== undefined);
        compare(c);
      }),
      { numRuns: 100 },
    ));

  it("knows impossible decisions", () =>
    fc.assert(
      fc.property(caseArbitrary({ mode: "rcms" }, 2, { chains: true, gains: true }), fc.nat(), (c, at) => {
        const { slotScores, graph } = c.problem;
        for (let i = 0; i < slotScores.length; i += 2)
          slotScores[(at + i) % slotScores.length] = Number.NEGATIVE_INFINITY;
        expect(graph.slotCount).toBeGreaterThan(1);
        const sets = selectContexts(c);
        fc.pre(sets !== undefined);
        compare(c);
      }),
      { numRuns: 200 },
    ));
});
