// What a beam learns against enumeration: features of the right output minus those that the outputs in the beam expect.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { BeamGradient } from "../../src/engine/beam-gradient.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { emptyGradient } from "./gradient.js";
import {
  allOutputs,
  type Case,
  caseArbitrary,
  logSum,
  type Output,
  outputScore,
  remember,
  rowsOf,
  START_OF,
  scoreOf,
  selectContexts,
} from "./oracle.js";

const backends = { js: referenceBackend, wasm: wasmBackend() as Backend };

/** What is remembered before each decision of an output whose contexts are all kept. */
function ownSuffixes(c: Case, { symbols }: Output): number[][] {
  const suffixes = [START_OF(c)];
  for (const symbol of symbols.slice(0, -1)) {
    const last = [...suffixes[suffixes.length - 1], symbol];
    const kept = last.map((_, i) => last.slice(i).join());
    suffixes.push(remember(c, [...kept, ""], suffixes[suffixes.length - 1], symbol) ?? []);
  }
  return suffixes;
}

/** Adds the features of an output to counts of entries and of decisions. */
function count(
  c: Case,
  { symbols, slots }: Output,
  suffixes: number[][],
  factor: number,
  entries: number[],
  slotCounts: number[],
) {
  symbols.forEach((symbol, i) => {
    slotCounts[slots[i] * c.problem.graph.symbolCount + symbol] += factor;
    for (const key of rowsOf(c, suffixes[i])) {
      const entry = c.rowEntries.get(key)?.[symbol] ?? -1;
      if (entry >= 0) entries[entry] += factor;
    }
  });
}

describe.each(Object.entries(backends))("a beam with %s", (_name, backend) => {
  it("learns from the right output, whether or not it holds it", () => {
    let lost = 0;
    let held = 0;
    fc.assert(
      fc.property(
        caseArbitrary({ mode: "beam" }),
        fc.nat(),
        fc.integer({ min: 1, max: 3 }),
        (given, pick, contexts) => {
          const c = { ...given, inference: { ...given.inference, contexts } };
          const sets = selectContexts(c);
          fc.pre(sets !== undefined && c.inference.order > 0);
          const outputs = allOutputs(c);
          const right = outputs[pick % outputs.length];
          const inBeam = outputs.flatMap((output) => {
            const found = outputScore(c, sets as string[][], output);
            return found ? [{ output, ...found }] : [];
          });
          const total = logSum(inBeam.map(({ score }) => score));
          const entries = Array.from(c.weights, () => 0);
          const slotCounts = Array.from(c.problem.slotScores, () => 0);
          const suffixes = ownSuffixes(c, right);
          count(c, right, suffixes, 1, entries, slotCounts);
          for (const { output, score, suffixes } of inBeam)
            count(c, output, suffixes, -Math.exp(score - total), entries, slotCounts);
          const own = right.symbols.reduce(
            (sum, symbol, i) => sum + scoreOf(c, right.slots[i], suffixes[i], symbol),
            0,
          );
          const isHeld = inBeam.some(({ output }) => output === right);
          if (isHeld) held++;
          else lost++;

          const forced = new Int32Array(c.problem.graph.slotCount).fill(-1);
          right.slots.forEach((slot, i) => {
            forced[slot] = right.symbols[i];
          });
          const gradient = emptyGradient(backend, c.space);
          const found = backend.arrays.float64(c.problem.slotScores.length);
          const { problem, space, weights, inference } = c;
          const example = { problem, space, weights, inference, forced, path: right.symbols };
          const { logLikelihood } = new BeamGradient(backend, backend.makeKernel()).add(example, gradient, found);
          expect(logLikelihood).toBeCloseTo(own - (isHeld ? total : logSum([total, own])), 8);
          entries.forEach((value, entry) => {
            expect(gradient.values[entry]).toBeCloseTo(value, 8);
          });
          slotCounts.forEach((value, i) => {
            expect(found[i]).toBeCloseTo(value, 8);
          });
        },
      ),
      { numRuns: 150 },
    );
    expect(Math.min(lost, held)).toBeGreaterThan(5);
  });
});
