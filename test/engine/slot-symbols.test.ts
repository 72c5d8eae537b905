// Slots with symbols of their own, few of many: the same as a graph of all symbols with a branch for each that can be decided.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { rowFamily } from "../../src/engine/builders.js";
import type { Inference } from "../../src/engine/inference.js";
import type { Problem, RowSpace } from "../../src/engine/problem.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import { RowTableBuilder, RowTreeBuilder } from "../../src/engine/rows.js";
import { slotGraph } from "../../src/engine/slots.js";
import { BEGIN } from "../../src/engine/trellis.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { mulberry } from "./oracle.js";

interface Case {
  space: RowSpace;
  weights: Float64Array;
  inference: Inference;
  /** [slots] the symbols that can be decided. */
  allowed: number[][];
  whole: Problem;
  few: Problem;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    symbolCount: fc.integer({ min: 2, max: 7 }),
    length: fc.integer({ min: 1, max: 5 }),
    order: fc.integer({ min: 0, max: 3 }),
    contexts: fc.integer({ min: 0, max: 5 }),
    mode: fc.constantFrom("rcms" as const, "beam" as const, "exact" as const),
    rows: fc.constantFrom("longest" as const, "all" as const),
    byRows: fc.boolean(),
    seed: fc.nat(),
  })
  .map(({ symbolCount, length, order, contexts, mode, rows, byRows, seed }) => {
    const random = mulberry(seed);
    const some = (share: number): number[] => {
      const found = Array.from({ length: symbolCount }, (_, y) => y).filter(() => random() < share);
      return found.length > 0 ? found : [Math.floor(random() * symbolCount)];
    };
    const table = new RowTableBuilder(symbolCount);
    const tree = new RowTreeBuilder();
    tree.setRow(0, table.addDense());
    for (let n = 0; n < 20; n++) {
      let node = 0;
      for (let depth = 0; depth < order && random() < 0.8; depth++) {
        const event = random() < 0.15 ? BEGIN : Math.floor(random() * symbolCount);
        node = tree.child(node, event);
        if (tree.rowOf(node) < 0) tree.setRow(node, random() < 0.4 ? table.addDense() : table.add(some(0.4)));
        if (event === BEGIN) break;
      }
    }
    const space: RowSpace = { table: table.build(), families: [rowFamily(tree.build(), { depth: order, skip: -2 })] };
    const weights = Float64Array.from(space.table.symbols, () => 4 * random() - 2);
    const allowed = Array.from({ length }, () => some(0.5));
    const width = Math.max(...allowed.map((own) => own.length));
    const wholeScores = Float64Array.from({ length: (length + 1) * symbolCount }, () => 4 * random() - 2);
    const fewScores = new Float64Array((length + 1) * width);
    const slotSymbols = new Int32Array((length + 1) * width);
    allowed.forEach((own, slot) => {
      own.forEach((y, n) => {
        fewScores[slot * width + n] = wholeScores[slot * symbolCount + y];
        slotSymbols[slot * width + n] = y;
      });
    });
    const branches = allowed.map((own, slot) => own.map((y) => ({ first: y, end: y + 1, next: slot + 1 })));
    const fewBranches = allowed.map((own, slot) => [{ first: 0, end: own.length, next: slot + 1 }]);
    return {
      space,
      weights,
      inference: { mode, contexts: Math.max(mode === "beam" ? 1 : 0, contexts), order, recombine: true, byRows, rows },
      allowed,
      whole: { graph: slotGraph(symbolCount, branches), slotScores: wholeScores },
      few: { graph: slotGraph(width, fewBranches), slotScores: fewScores, slotSymbols },
    };
  });

describe.each([referenceBackend, wasmBackend() as Backend])("few symbols a slot, $name kernel", (backend) => {
  const kernel = backend.makeKernel();
  const found = ({ space, weights, inference, allowed }: Case, problem: Problem) => {
    const trellis = kernel.forward(problem, space, weights, inference);
    const named = (slot: number, y: number): number =>
      problem.slotSymbols ? problem.slotSymbols[slot * problem.graph.symbolCount + y] : y;
    const { logPartition } = trellis;
    const best = kernel.bestPath();
    const suffixes = allowed.flatMap((_, slot) => {
      const own: string[] = [];
      for (let c = trellis.slotStart[slot]; c < trellis.slotStart[slot + 1]; c++) {
        const suffix = trellis.suffix(c);
        own.push(suffix.map((y, n) => (y === BEGIN ? y : named(slot - suffix.length + n, y))).join());
      }
      return own.sort();
    });
    const frozen = kernel.bestOutput(problem, backend.freeze(space, weights), inference, true);
    kernel.forward(problem, space, weights, inference);
    kernel.backward();
    const counts = new Float64Array(weights.length);
    const slotCounts = new Float64Array(problem.graph.slotCount * problem.graph.symbolCount);
    kernel.addExpectations(counts, slotCounts, 1);
    const decisions = allowed.map((own, slot) =>
      own.map((y, n) => slotCounts[slot * problem.graph.symbolCount + (problem.slotSymbols ? n : y)]),
    );
    return {
      logPartition,
      score: best?.score,
      symbols: best?.symbols.map((y, slot) => named(slot, y)),
      suffixes,
      confidences: frozen?.confidences,
      counts: Array.from(counts),
      decisions,
    };
  };

  it("give what a graph of all symbols gives", () => {
    fc.assert(
      fc.property(cases, (c) => {
        const whole = found(c, c.whole);
        const few = found(c, c.few);
        expect(few.symbols).toEqual(whole.symbols);
        expect(few.suffixes).toEqual(whole.suffixes);
        const close = (a: readonly number[] = [], b: readonly number[] = []): void => {
          expect(a.length).toBe(b.length);
          a.forEach((x, i) => {
            expect(x).toBeCloseTo(b[i], 9);
          });
        };
        close([few.logPartition, few.score as number], [whole.logPartition, whole.score as number]);
        close(few.confidences, whole.confidences);
        close(few.counts, whole.counts);
        close(few.decisions.flat(), whole.decisions.flat());
      }),
      { numRuns: 400 },
    );
  });
});
