// The most probable outputs that the compiled code finds in one go, against all outputs, each by the clamped pass.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend, Kernel } from "../../src/engine/backend.js";
import { outputClamp } from "../../src/engine/clamp.js";
import { ClampedPass } from "../../src/engine/clamped-pass.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { allOutputs, type Case, caseArbitrary } from "./oracle.js";

const wasm = wasmBackend() as Backend;
const free = (c: Case): number => c.problem.graph.symbolCount - 1;
const written = (c: Case, symbols: readonly number[]): number[] => symbols.filter((y) => y !== free(c));

function forward(c: Case): Kernel {
  const kernel = wasm.makeKernel();
  kernel.forward(c.problem, c.space, c.weights, c.inference);
  return kernel;
}

/** Logarithms of the probabilities of all outputs, by what is written. */
function allLogs(c: Case): Map<string, number> {
  const { trellis } = forward(c);
  const logs = new Map<string, number>();
  for (const { symbols } of allOutputs(c)) {
    const output = written(c, symbols);
    if (logs.has(output.join())) continue;
    logs.set(output.join(), new ClampedPass().forward(trellis, outputClamp(output, free(c))));
  }
  return logs;
}

describe("outputs in one go", () => {
  it("are the most probable ones, with their probabilities", () => {
    fc.assert(
      fc.property(
        caseArbitrary({ byRows: false }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(0.5, 3, 30),
        fc.constantFrom(60, Number.POSITIVE_INFINITY),
        (c, most, within, reach) => {
          const logs = allLogs(c);
          const ranked = [...logs.values()].sort((a, b) => b - a);
          const found = forward(c).bestOutputs?.({ free: free(c), most, within, reach, paths: 5_000 });
          if (!found) {
            expect(ranked[0] < -400 || Number.isNaN(ranked[0])).toBe(true);
            return;
          }
          // Whether one is just within bounds is a matter of rounding.
          const isNear = (log: number): boolean => Math.abs(ranked[0] - log - within) < 1e-6;
          const expected = ranked.slice(0, most).filter((log) => log >= ranked[0] - within || isNear(log));
          expect(expected.filter((log, i) => i < found.length || !isNear(log))).toHaveLength(found.length);
          found.forEach(({ symbols, log }, i) => {
            expect(log).toBeCloseTo(logs.get(written(c, symbols).join()) as number, 8);
            expect(log).toBeCloseTo(expected[i], 8);
          });
          expect(new Set(found.map(({ symbols }) => written(c, symbols).join())).size).toBe(found.length);
        },
      ),
    );
  });

  it("leave posteriors behind, as the backward pass does", () => {
    fc.assert(
      fc.property(caseArbitrary({ mode: "rcms", byRows: false }), (c) => {
        const kernel = forward(c);
        const { contextCount } = kernel.trellis;
        const search = { free: free(c), most: 1, within: 1, reach: 7, paths: 48 };
        if (!kernel.bestOutputs?.(search)) return;
        const other = forward(c);
        other.backward();
        expect(kernel.trellis.hasPosteriors).toBe(true);
        for (let i = 0; i < contextCount; i++) {
          expect(kernel.trellis.posterior[i]).toBe(other.trellis.posterior[i]);
        }
        // Only the first time.
        expect(kernel.bestOutputs?.(search)).toBeUndefined();
      }),
    );
  });
});
