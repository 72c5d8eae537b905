// The clamped pass on flat arrays against the plain lattice under the same clamp, and against enumeration.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedClamp, clampTrellis, outputClamp } from "../../src/engine/clamp.js";
import { ClampedPass } from "../../src/engine/clamped-pass.js";
import { bestPath, bestPaths, posteriors, trellisLattice } from "../../src/engine/lattice.js";
import { OutputPass } from "../../src/engine/output-pass.js";
import { PrunedPass } from "../../src/engine/pruned-pass.js";
import { ReferenceKernel } from "../../src/engine/reference/kernel.js";
import type { SlotGraph } from "../../src/engine/slots.js";
import type { Trellis } from "../../src/engine/trellis.js";
import { allOutputs, type Case, caseArbitrary, fullScore, logSum, mulberry } from "./oracle.js";

/** What a path writes when the last symbol writes nothing. */
const written = (symbols: readonly number[], free: number): number[] => symbols.filter((y) => y !== free);

/** A random output that some path of the case writes. */
function someOutput(c: Case, seed: number): number[] {
  const outputs = allOutputs(c);
  const free = c.problem.graph.symbolCount - 1;
  return written(outputs[Math.floor(mulberry(seed)() * outputs.length)].symbols, free);
}

/** At about half of the slots all symbols, at the others about half of them. */
function someAllowed({ slotCount, symbolCount }: SlotGraph, seed: number): (number[] | undefined)[] {
  const random = mulberry(seed);
  const all = Array.from({ length: symbolCount }, (_, y) => y);
  return Array.from({ length: slotCount }, () => (random() < 0.5 ? undefined : all.filter(() => random() < 0.5)));
}

const forward = (kernel: ReferenceKernel, c: Case) => kernel.forward(c.problem, c.space, c.weights, c.inference);

describe("the clamped pass", () => {
  it("agrees with the plain lattice under the clamp: probability and posteriors of arcs", () => {
    fc.assert(
      fc.property(caseArbitrary(), fc.integer(), (c, seed) => {
        const { graph } = c.problem;
        const clamp =
          seed % 2 === 0
            ? outputClamp(someOutput(c, seed), graph.symbolCount - 1)
            : allowedClamp(graph, someAllowed(graph, seed));
        const trellis = forward(new ReferenceKernel(), c);
        const lattice = clampTrellis(trellis, clamp);
        const plain = posteriors(lattice);
        const pass = new ClampedPass();
        const log = pass.forward(trellis, clamp);
        if (plain.logPartition === Number.NEGATIVE_INFINITY) {
          expect(log).toBe(Number.NEGATIVE_INFINITY);
          return;
        }
        expect(log).toBeCloseTo(plain.logPartition - trellis.logPartition, 9);
        const expected = new Float64Array(trellis.arcStart[trellis.contextCount]);
        for (let node = 0; node < lattice.nodeCount; node++) {
          for (let a = lattice.arcStart[node]; a < lattice.arcStart[node + 1]; a++) {
            expected[trellis.arcStart[lattice.nodeContext[node]] + lattice.arcSymbol[a]] += plain.arc[a];
          }
        }
        const found = new Float64Array(expected.length);
        pass.addPosteriors(found, 1);
        expected.forEach((value, arc) => {
          expect(found[arc]).toBeCloseTo(value, 9);
        });
      }),
    );
  });

  it("gives all outputs together probability 1", () => {
    fc.assert(
      fc.property(caseArbitrary({ mode: "rcms" }), (c) => {
        const free = c.problem.graph.symbolCount - 1;
        const trellis = forward(new ReferenceKernel(), c);
        const outputs = new Map(allOutputs(c).map(({ symbols }) => [written(symbols, free).join(), symbols]));
        const pass = new ClampedPass();
        let sum = 0;
        for (const symbols of outputs.values()) {
          sum += Math.exp(pass.forward(trellis, outputClamp(written(symbols, free), free)));
        }
        expect(sum).toBeCloseTo(1, 9);
      }),
    );
  });

  it("gives nothing less within a band that holds every state, and less in a narrower one", () => {
    fc.assert(
      fc.property(caseArbitrary({ mode: "rcms" }), fc.integer(), (c, seed) => {
        const { graph } = c.problem;
        const clamp = outputClamp(someOutput(c, seed), graph.symbolCount - 1);
        const trellis = forward(new ReferenceKernel(), c);
        const pass = new ClampedPass();
        const whole = pass.forward(trellis, clamp);
        const low = new Int32Array(graph.slotCount);
        expect(pass.forward(trellis, { ...clamp, band: { low, width: clamp.stateCount } })).toBe(whole);
        for (let slot = 1; slot < graph.slotCount; slot++) low[slot] = Math.min(1, clamp.stateCount - 1);
        const banded = { ...clamp, band: { low, width: Math.max(1, clamp.stateCount - 1) } };
        expect(pass.forward(trellis, banded)).toBeLessThanOrEqual(whole + 1e-9);
      }),
    );
  });
});

describe("the pruned pass", () => {
  it("agrees with the clamped pass on the output of any path, in any order, with and without a band", () => {
    fc.assert(
      fc.property(caseArbitrary(), fc.integer({ min: 0, max: 20 }), fc.boolean(), (c, rank, worstFirst) => {
        const free = c.problem.graph.symbolCount - 1;
        const kernel = new ReferenceKernel();
        const trellis = forward(kernel, c);
        const found = [];
        for (const path of bestPaths(trellisLattice(trellis))) if (found.push(path) > rank) break;
        if (worstFirst) found.reverse();
        const outputs = found.map(({ symbols }) => written(symbols, free));
        const logs = outputs.map((output) => new ClampedPass().forward(trellis, outputClamp(output, free)));
        kernel.backward();
        const pruned = new PrunedPass();
        const low = new Int32Array(trellis.graph.slotCount);
        for (const isBanded of [false, true, false]) {
          pruned.begin(trellis, free);
          found.forEach(({ score }, i) => {
            const bound = Math.exp(score - trellis.logPartition);
            const band = isBanded ? { low, width: outputs[i].length + 1 } : undefined;
            expect(Math.log(pruned.probability(outputs[i], bound, band))).toBeCloseTo(logs[i], 9);
          });
        }
      }),
    );
  });

  it("gives nothing more within a band, and what the clamped pass gives there", () => {
    fc.assert(
      fc.property(caseArbitrary({ mode: "rcms" }), fc.integer(), (c, seed) => {
        const { graph } = c.problem;
        const free = graph.symbolCount - 1;
        const output = someOutput(c, seed);
        const kernel = new ReferenceKernel();
        const trellis = forward(kernel, c);
        const clamp = outputClamp(output, free);
        const pass = new ClampedPass();
        const log = pass.forward(trellis, clamp);
        const low = new Int32Array(graph.slotCount).fill(Math.min(1, output.length), 1);
        const band = { low, width: Math.max(1, output.length) };
        const banded = pass.forward(trellis, { ...clamp, band });
        kernel.backward();
        const pruned = new PrunedPass();
        pruned.begin(trellis, free);
        expect(pruned.probability(output, Math.exp(log))).toBeCloseTo(Math.exp(log), 9);
        expect(pruned.probability(output, Math.exp(log), band)).toBeCloseTo(Math.exp(banded), 9);
      }),
    );
  });
});

describe("contexts chosen under a clamp", () => {
  it("never lose an output that exists, at any number of contexts", () => {
    fc.assert(
      fc.property(
        caseArbitrary({ mode: "beam" }),
        fc.integer(),
        fc.constantFrom("target" as const, "hybrid" as const),
        (c, seed, by) => {
          const clamp = outputClamp(someOutput(c, seed), c.problem.graph.symbolCount - 1);
          const pass = new ClampedPass();
          new ReferenceKernel().forward(c.problem, c.space, c.weights, c.inference, undefined, { clamp, pass, by });
          expect(pass.finish()).toBeGreaterThan(Number.NEGATIVE_INFINITY);
        },
      ),
    );
  });

  it("leave the full model's probability of the output when there is room for every context", () => {
    fc.assert(
      fc.property(caseArbitrary({ mode: "beam", contexts: 500, recombine: true }), fc.integer(), (c, seed) => {
        const free = c.problem.graph.symbolCount - 1;
        const output = someOutput(c, seed);
        const clamp = outputClamp(output, free);
        const pass = new ClampedPass();
        const kernel = new ReferenceKernel();
        kernel.forward(c.problem, c.space, c.weights, c.inference, undefined, { clamp, pass, by: "hybrid" });
        const scores = allOutputs(c).map((path) => ({
          right: written(path.symbols, free).join() === output.join(),
          score: fullScore(c, path),
        }));
        const all = logSum(scores.map((s) => s.score));
        const right = logSum(scores.filter((s) => s.right).map((s) => s.score));
        expect(pass.finish()).toBeCloseTo(right - all, 9);
      }),
    );
  });
});

describe("the pass of an output", () => {
  it("agrees with the clamped pass, and finds a path that is as good as the best of the clamped lattice", () => {
    const pass = new OutputPass();
    fc.assert(
      fc.property(caseArbitrary(), fc.integer(), (c, seed) => {
        const free = c.problem.graph.symbolCount - 1;
        const kernel = new ReferenceKernel();
        const trellis = forward(kernel, c);
        const outputs = [someOutput(c, seed), someOutput(c, seed + 1), [...someOutput(c, seed), 0]];
        const expected = outputs.map((output) => {
          const clamp = outputClamp(output, free);
          const best = bestPath(clampTrellis(trellis, clamp));
          return { output, log: new ClampedPass().forward(trellis, clamp), best };
        });
        kernel.backward();
        for (const { output, log, best } of expected) {
          const found = pass.find(trellis, output, free);
          if (!best) {
            expect(found).toBeUndefined();
            continue;
          }
          expect(found?.probability).toBeCloseTo(Math.exp(log), 9);
          const symbols = found?.symbols ?? [];
          expect(written(symbols, free)).toEqual(output);
          expect(pathScore(trellis, symbols)).toBeCloseTo(best.score, 9);
        }
      }),
    );
  });
});

/** The score of a path through a trellis. */
function pathScore({ slotStart, arcStart, arcTarget, arcScore }: Trellis, symbols: readonly number[]): number {
  let context = slotStart[0];
  let score = 0;
  for (const symbol of symbols) {
    score += arcScore[arcStart[context] + symbol];
    context = arcTarget[arcStart[context] + symbol];
  }
  return score;
}
