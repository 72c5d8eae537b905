// The gradient of the log-probability of clamps against finite differences, with both kernels.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { outputClamp } from "../../src/engine/clamp.js";
import { ClampedGradient } from "../../src/engine/clamped-gradient.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { emptyGradient } from "./gradient.js";
import { allOutputs, caseArbitrary, mulberry } from "./oracle.js";

const backends = { js: referenceBackend, wasm: wasmBackend() as Backend };
const STEP = 1e-5;

describe.each(Object.entries(backends))("the clamped gradient with %s", (_name, backend) => {
  it("is the derivative of the sum of log-probabilities, for weights and for slot scores", () =>
    fc.assert(
      // Room for every context: the sets stay as they are when a weight moves.
      fc.property(caseArbitrary({ mode: "rcms", contexts: 500, recombine: true }), fc.integer(), (c, seed) => {
        const random = mulberry(seed);
        const { graph } = c.problem;
        const free = graph.symbolCount - 1;
        const outputs = allOutputs(c);
        const pick = () => outputs[Math.floor(random() * outputs.length)].symbols;
        const clamps = [pick(), pick()].map((symbols) =>
          outputClamp(
            symbols.filter((y) => y !== free),
            free,
          ),
        );
        const path = pick();
        const kernel = backend.makeKernel();
        const gradient = new ClampedGradient(backend, kernel);
        const objective = (): number => {
          kernel.forward(c.problem, c.space, c.weights, c.inference);
          gradient.begin();
          return gradient.add(clamps[0], 2) * 2 + gradient.add(clamps[1]) + gradient.addPath(path, 3) * 3;
        };
        objective();
        const found = emptyGradient(backend, c.space);
        const slotCounts = backend.arrays.float64(graph.slotCount * graph.symbolCount);
        gradient.finish(found, slotCounts);
        const derivative = (numbers: Float64Array, i: number): number => {
          const before = numbers[i];
          numbers[i] = before + STEP;
          const above = objective();
          numbers[i] = before - STEP;
          const below = objective();
          numbers[i] = before;
          return (above - below) / (2 * STEP);
        };
        const touched = new Set(found.touched.subarray(0, found.touchedCount));
        for (let row = 0; row + 1 < c.space.table.start.length; row++) {
          for (let e = c.space.table.start[row]; e < c.space.table.start[row + 1]; e++) {
            if (found.values[e] !== 0) expect(touched.has(row)).toBe(true);
            if (random() < 0.2) expect(found.values[e]).toBeCloseTo(derivative(c.weights, e), 5);
          }
        }
        slotCounts.forEach((count, i) => {
          if (random() < 0.2) expect(count).toBeCloseTo(derivative(c.problem.slotScores, i), 5);
        });
      }),
      { numRuns: 60 },
    ));

  it("adds nothing for what no path agrees with", () =>
    fc.assert(
      fc.property(caseArbitrary({ mode: "rcms" }), (c) => {
        const kernel = backend.makeKernel();
        kernel.forward(c.problem, c.space, c.weights, c.inference);
        const gradient = new ClampedGradient(backend, kernel);
        gradient.begin();
        const tooLong = new Int32Array(c.problem.graph.slotCount);
        expect(gradient.add(outputClamp(tooLong, c.problem.graph.symbolCount - 1))).toBe(Number.NEGATIVE_INFINITY);
        const found = emptyGradient(backend, c.space);
        const slotCounts = new Float64Array(c.problem.slotScores.length);
        gradient.finish(found, slotCounts);
        expect(found.touchedCount).toBe(0);
        expect(slotCounts.every((count) => count === 0)).toBe(true);
      }),
      { numRuns: 40 },
    ));
});

describe.each(Object.entries(backends))("a trellis with %s", (_name, backend) => {
  it("has masses or posteriors of arcs, never both, and refuses to count what is not there", () =>
    fc.assert(
      fc.property(caseArbitrary(), (c) => {
        const kernel = backend.makeKernel();
        const slotCounts = new Float64Array(c.problem.slotScores.length);
        for (let pass = 0; pass < 2; pass++) {
          kernel.forward(c.problem, c.space, c.weights, c.inference);
          expect([kernel.trellis.arcMass.length > 0, kernel.trellis.arcPosterior.length]).toEqual([true, 0]);
          expect(() => kernel.addExpectations(undefined, slotCounts, 1)).toThrow("backward pass");
          kernel.backward();
          expect([kernel.trellis.arcMass.length, kernel.trellis.arcPosterior.length > 0]).toEqual([0, true]);
          const before = kernel.trellis.posterior.slice();
          kernel.backward();
          expect(kernel.trellis.posterior).toEqual(before);
        }
      }),
      { numRuns: 30 },
    ));
});
