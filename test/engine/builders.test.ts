// What builders of tasks call, against enumeration, with both kernels.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { inferenceWith, nbest, rowFamily } from "../../src/engine/builders.js";
import { decisionProbabilities } from "../../src/engine/index.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import { RowTreeBuilder } from "../../src/engine/rows.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { allOutputs, caseArbitrary, fullScore, logSum } from "./oracle.js";

const backends = { js: referenceBackend, wasm: wasmBackend() as Backend };
/** Room for every context: the full model. */
const everything = { mode: "rcms", contexts: 500, recombine: true } as const;

describe.each(Object.entries(backends))("with %s", (_name, backend) => {
  it("the n best and the probabilities of decisions are those of all outputs", () => {
    const kernel = backend.makeKernel();
    fc.assert(
      fc.property(caseArbitrary(everything), fc.integer({ min: 0, max: 6 }), (c, count) => {
        const { graph } = c.problem;
        kernel.forward(c.problem, c.space, c.weights, c.inference);
        const outputs = allOutputs(c).map((output) => ({ ...output, score: fullScore(c, output) }));
        const total = logSum(outputs.map(({ score }) => score));
        const scores = outputs.map(({ score }) => score).sort((a, b) => b - a);
        const paths = nbest(kernel, count);
        expect(paths.length).toBe(Math.min(count, outputs.length));
        paths.forEach(({ score }, i) => {
          expect(score).toBeCloseTo(scores[i], 9);
        });
        const expected = new Float64Array(graph.slotCount * graph.symbolCount);
        for (const { symbols, slots, score } of outputs) {
          symbols.forEach((y, i) => {
            expected[slots[i] * graph.symbolCount + y] += Math.exp(score - total);
          });
        }
        decisionProbabilities(kernel).forEach((probability, i) => {
          expect(probability).toBeCloseTo(expected[i], 9);
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe("settings", () => {
  it("have defaults, and what is wrong is refused by name", () => {
    expect(inferenceWith()).toMatchObject({ mode: "rcms", contexts: 20, order: 2, recombine: true, rows: "all" });
    expect(inferenceWith({ order: 5, rows: "longest" })).toMatchObject({ order: 5, rows: "longest" });
    expect(() => inferenceWith({ ordr: 3 } as object)).toThrow("ordr");
    expect(() => inferenceWith({ contexts: -1 })).toThrow("contexts");
  });

  it("of a family look as far back as its tree is deep", () => {
    const tree = new RowTreeBuilder();
    tree.setRow(tree.child(tree.child(0, 1), 2), 0);
    expect(rowFamily(tree.build())).toMatchObject({ depth: 2, skip: -1, pairs: false, keyed: false });
    expect(rowFamily(tree.build(), { depth: 1, skip: 4 })).toMatchObject({ depth: 1, skip: 4 });
  });
});
