// The engine against enumeration: on small random chains and branching graphs every result is compared with the same
// quantity summed over all outputs one by one.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend, BestOutput } from "../../src/engine/backend.js";
import { allowedClamp, clampTrellis } from "../../src/engine/clamp.js";
import { bestPath, bestPaths, logPartition, posteriors, sampler, trellisLattice } from "../../src/engine/lattice.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import type { Trellis } from "../../src/engine/trellis.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import {
  allOutputs,
  type Case,
  caseArbitrary,
  fullScore,
  logSum,
  mulberry,
  outputScore,
  rowsOf,
  selectContexts,
} from "./oracle.js";

const backends: Backend[] = [referenceBackend, wasmBackend() as Backend];

describe.each(backends)("$name kernel", (backend) => {
  const kernel = backend.makeKernel();
  const run = (c: Case): Trellis => kernel.forward(c.problem, c.space, c.weights, c.inference);

  const contextSets = (trellis: Trellis): string[][] =>
    Array.from({ length: trellis.graph.slotCount }, (_, slot) => {
      const set: string[] = [];
      for (let k = trellis.slotStart[slot]; k < trellis.slotStart[slot + 1]; k++) set.push(trellis.suffix(k).join());
      return set;
    });

  /** All outputs the model covers, with their log-probabilities. */
  const distribution = (c: Case, sets: string[][]) => {
    const outputs = allOutputs(c).flatMap((output) => {
      const scored = outputScore(c, sets, output);
      return scored ? [{ ...output, ...scored }] : [];
    });
    const logZ = logSum(outputs.map((o) => o.score));
    return { outputs: outputs.map((o) => ({ ...o, probability: Math.exp(o.score - logZ) })), logZ };
  };

  const check = (arbitrary: fc.Arbitrary<Case>, property: (c: Case) => void, numRuns = 300): void =>
    fc.assert(fc.property(arbitrary, property), { numRuns });

  describe("context sets", () => {
    it("are those of the paper's procedure", () =>
      check(caseArbitrary(), (c) => {
        const expected = selectContexts(c);
        fc.pre(expected !== undefined);
        const sets = contextSets(run(c)).map((set) => [...set].sort());
        expect(sets).toEqual((expected as string[][]).map((set) => [...set].sort()));
      }));

    it("leave out what is light beside the heaviest, if asked to", () =>
      check(caseArbitrary({ lightest: 0.2 }), (c) => {
        const expected = selectContexts(c);
        fc.pre(expected !== undefined);
        const sets = contextSets(run(c)).map((set) => [...set].sort());
        expect(sets).toEqual((expected as string[][]).map((set) => [...set].sort()));
      }));

    it("are sorted by suffix with ⋆ last, and know the common suffix of neighbours", () =>
      check(caseArbitrary({ mode: "rcms" }), (c) => {
        const trellis = run(c);
        for (let slot = 0; slot < trellis.graph.slotCount; slot++) {
          for (let k = trellis.slotStart[slot]; k + 1 < trellis.slotStart[slot + 1]; k++) {
            const a = trellis.suffix(k).reverse();
            const b = trellis.suffix(k + 1).reverse();
            let common = 0;
            while (common < a.length && common < b.length && a[common] === b[common]) common++;
            expect(trellis.contextCommon[k]).toBe(common);
            expect(
              common === b.length ? a.length > b.length : common === a.length ? false : a[common] < b[common],
            ).toBe(true);
          }
        }
      }));
  });

  describe("probabilities", () => {
    it("cover every output and sum to one, at any number of contexts", () =>
      check(caseArbitrary({ mode: "rcms" }), (c) => {
        const { outputs, logZ } = distribution(c, contextSets(run(c)));
        expect(outputs.length).toBe(allOutputs(c).length);
        expect(kernel.trellis.logPartition).toBeCloseTo(logZ, 9);
        const total = outputs.reduce((sum, o) => sum + Math.exp(o.score - kernel.trellis.logPartition), 0);
        expect(total).toBeCloseTo(1, 9);
        expect(Math.min(...outputs.map((o) => o.probability))).toBeGreaterThan(0);
      }));

    it("have an exact log-partition in a beam too", () =>
      check(caseArbitrary({ mode: "beam" }), (c) => {
        const { outputs, logZ } = distribution(c, contextSets(run(c)));
        fc.pre(outputs.length > 0);
        expect(kernel.trellis.logPartition).toBeCloseTo(logZ, 9);
      }));

    it("are those of the full model of the order when contexts are many", () => {
      for (const mode of ["rcms", "beam"] as const) {
        check(
          caseArbitrary({ mode, contexts: 10_000 }),
          (c) => {
            const outputs = allOutputs(c);
            const logZ = logSum(outputs.map((o) => fullScore(c, o)));
            expect(run(c).logPartition).toBeCloseTo(logZ, 9);
          },
          150,
        );
      }
    });

    it("are those of the full model in exact mode, which keeps only contexts with rows of their own", () =>
      check(caseArbitrary({ mode: "exact", recombine: true, byRows: true }), (c) => {
        const outputs = allOutputs(c);
        const trellis = run(c);
        expect(trellis.logPartition).toBeCloseTo(logSum(outputs.map((o) => fullScore(c, o))), 9);
        for (let slot = 1; slot < trellis.graph.slotCount - 1; slot++) {
          expect(trellis.slotStart[slot + 1] - trellis.slotStart[slot]).toBeLessThanOrEqual(
            c.rowWeights.size + c.problem.graph.symbolCount,
          );
        }
      }));

    it("are those of the order-0 model with no contexts", () =>
      check(caseArbitrary({ mode: "rcms", contexts: 0 }), (c) => {
        const star = c.rowWeights.get("") as number[];
        const S = c.problem.graph.symbolCount;
        const scores = allOutputs(c).map((o) =>
          o.symbols.reduce((sum, y, i) => sum + c.problem.slotScores[o.slots[i] * S + y] + star[y], 0),
        );
        expect(run(c).logPartition).toBeCloseTo(logSum(scores), 9);
      }));
  });

  describe("marginals and expected counts", () => {
    it("equal their sums over outputs", () =>
      check(caseArbitrary(), (c) => {
        const trellis = run(c);
        const sets = contextSets(trellis);
        const { outputs } = distribution(c, sets);
        fc.pre(outputs.length > 0);
        const S = c.problem.graph.symbolCount;
        kernel.backward();
        const counts = new Float64Array(c.weights.length);
        const slotCounts = new Float64Array(c.problem.graph.slotCount * S);
        kernel.addExpectations(counts, slotCounts, 1);

        const expectedCounts = new Float64Array(c.weights.length);
        const expectedSlots = new Float64Array(slotCounts.length);
        const expectedContexts = new Map<string, number>();
        for (const o of outputs) {
          o.symbols.forEach((y, i) => {
            const context = `${o.slots[i]}:${o.suffixes[i].join()}`;
            expectedContexts.set(context, (expectedContexts.get(context) ?? 0) + o.probability);
            expectedSlots[o.slots[i] * S + y] += o.probability;
            for (const key of rowsOf(c, o.suffixes[i])) {
              const entry = c.rowEntries.get(key)?.[y] ?? -1;
              if (entry >= 0) expectedCounts[entry] += o.probability;
            }
          });
        }
        for (let e = 0; e < counts.length; e++) expect(counts[e]).toBeCloseTo(expectedCounts[e], 9);
        for (let e = 0; e < slotCounts.length; e++) expect(slotCounts[e]).toBeCloseTo(expectedSlots[e], 9);
        for (let slot = 0; slot < sets.length - 1; slot++) {
          sets[slot].forEach((suffix, i) => {
            const expected = expectedContexts.get(`${slot}:${suffix}`) ?? 0;
            expect(trellis.posterior[trellis.slotStart[slot] + i]).toBeCloseTo(expected, 9);
          });
        }
      }));

    it("are the derivatives of the log-partition when the context sets stay", () =>
      check(
        caseArbitrary({ mode: "rcms" }),
        (c) => {
          const sets = contextSets(run(c));
          kernel.backward();
          const counts = new Float64Array(c.weights.length);
          kernel.addExpectations(counts, new Float64Array(c.problem.slotScores.length), 1);
          const outputs = allOutputs(c);
          const step = 1e-5;
          const logZ = (changed: Case): number =>
            logSum(outputs.map((o) => (outputScore(changed, sets, o) as { score: number }).score));
          for (const [key, entries] of c.rowEntries) {
            entries.forEach((entry, y) => {
              if (entry < 0) return;
              const shifted = (by: number): Case => {
                const rowWeights = new Map(c.rowWeights);
                rowWeights.set(
                  key,
                  (c.rowWeights.get(key) as number[]).map((w, i) => (i === y ? w + by : w)),
                );
                return { ...c, rowWeights };
              };
              expect(counts[entry]).toBeCloseTo((logZ(shifted(step)) - logZ(shifted(-step))) / (2 * step), 6);
            });
          }
        },
        40,
      ));
  });

  describe("answers from a trellis", () => {
    it("best output, its probability and the n best in order equal enumeration", () =>
      check(caseArbitrary(), (c) => {
        const trellis = run(c);
        const { outputs } = distribution(c, contextSets(trellis));
        fc.pre(outputs.length > 0);
        const sorted = outputs.sort((a, b) => b.score - a.score);
        const lattice = trellisLattice(trellis);
        const best = bestPath(lattice);
        expect(best?.score).toBeCloseTo(sorted[0].score, 9);
        const all = [...bestPaths(lattice)];
        expect(all.length).toBe(sorted.length);
        expect(new Set(all.map((p) => p.symbols.join())).size).toBe(all.length);
        all.forEach((path, i) => {
          expect(path.score).toBeCloseTo(sorted[i].score, 9);
          const same = outputs.find((o) => o.symbols.join() === path.symbols.join());
          expect(Math.exp(path.score - trellis.logPartition)).toBeCloseTo(same?.probability as number, 9);
        });
        // With a least score: the same paths, up to it. (Rounding may decide about those that are just there.)
        const least = all[Math.floor(all.length / 2)].score;
        const some = [...bestPaths(lattice, least - 1e-9)];
        expect(some.length).toBeGreaterThan(Math.floor(all.length / 2));
        some.forEach((path, i) => {
          expect(path.score).toBe(all[i].score);
          expect(path.score).toBeGreaterThanOrEqual(least - 2e-9);
        });
        // Posteriors save work, and change nothing.
        expect([...bestPaths(lattice, least - 1e-9, posteriors(lattice))]).toEqual(some);
        expect([...bestPaths(lattice, undefined, posteriors(lattice))]).toEqual(all);
        // Who changes a path that was given out changes no other.
        const taken = [];
        for (const { symbols, score } of bestPaths(lattice)) taken.push({ symbols: symbols.splice(0), score });
        expect(taken).toEqual(all);
      }));

    it("the best output without a trellis is that of enumeration, with the same log-partition", () =>
      check(caseArbitrary({}, 2, { chains: true }), (c) => {
        const { outputs, logZ } = distribution(c, contextSets(run(c)));
        fc.pre(outputs.length > 0);
        const best = kernel.bestOutput(c.problem, backend.freeze(c.space, c.weights), c.inference);
        expect(best?.logPartition).toBeCloseTo(logZ, 9);
        expect(best?.score).toBeCloseTo(Math.max(...outputs.map((o) => o.score)), 9);
        const same = outputs.find((o) => o.symbols.join() === best?.symbols.join());
        expect(same?.score).toBeCloseTo(best?.score as number, 9);
      }));

    const fuzz = Number(process.env.STARGRAM_FUZZ ?? 300);

    it.each([
      ["chains", caseArbitrary({ byRows: false }, 2, { chains: true })],
      ["all graphs", caseArbitrary()],
    ] as const)(
      "decisions of the best output have the probabilities of enumeration: %s",
      { timeout: 60_000 + 20 * fuzz },
      (_, cases) =>
        check(
          cases,
          (c) => {
            const { outputs } = distribution(c, contextSets(run(c)));
            fc.pre(outputs.length > 0);
            const best = kernel.bestOutput(c.problem, backend.freeze(c.space, c.weights), c.inference, true);
            const { symbols, confidences } = best as Required<BestOutput>;
            const own = outputs.find((o) => o.symbols.join() === symbols.join()) as (typeof outputs)[number];
            const agreeing = symbols.map((symbol, i) =>
              outputs.filter((o) => o.symbols[o.slots.indexOf(own.slots[i])] === symbol),
            );
            const expected = agreeing.map((some) => some.reduce((sum, o) => sum + o.probability, 0));
            expect(confidences.length).toBe(expected.length);
            expect(confidences.every((p, i) => Math.abs(p - expected[i]) < 1e-9)).toBe(true);
          },
          fuzz,
        ),
    );

    it("samples come with the probabilities of the outputs", () =>
      check(
        caseArbitrary({ mode: "rcms" }),
        (c) => {
          const trellis = run(c);
          const { outputs } = distribution(c, contextSets(trellis));
          const random = mulberry(17);
          const draw = sampler(trellisLattice(trellis));
          const draws = 4000;
          const seen = new Map<string, number>();
          for (let i = 0; i < draws; i++) {
            const key = (draw(random) as { symbols: number[] }).symbols.join();
            seen.set(key, (seen.get(key) ?? 0) + 1);
          }
          for (const o of outputs) {
            const share = (seen.get(o.symbols.join()) ?? 0) / draws;
            const deviation = Math.sqrt((o.probability * (1 - o.probability)) / draws);
            expect(Math.abs(share - o.probability)).toBeLessThan(6 * deviation + 2 / draws);
          }
        },
        15,
      ));
  });

  describe("under a clamp", () => {
    const clamped = caseArbitrary({ mode: "rcms" }).chain((c) =>
      fc.record({
        c: fc.constant(c),
        allowed: fc.array(
          fc.option(fc.uniqueArray(fc.nat(c.problem.graph.symbolCount - 1), { minLength: 1 }), { nil: undefined }),
          { minLength: c.problem.graph.slotCount, maxLength: c.problem.graph.slotCount },
        ),
      }),
    );

    it("partition, posteriors, best, n-best and samples are those of the allowed outputs", () =>
      fc.assert(
        fc.property(clamped, ({ c, allowed }) => {
          const trellis = run(c);
          const sets = contextSets(trellis);
          const outputs = distribution(c, sets).outputs.filter((o) =>
            o.symbols.every((y, i) => allowed[o.slots[i]]?.includes(y) ?? true),
          );
          const S = c.problem.graph.symbolCount;
          const lattice = clampTrellis(trellis, allowedClamp(trellis.graph, allowed));
          if (outputs.length === 0) {
            expect(logPartition(lattice)).toBe(Number.NEGATIVE_INFINITY);
            expect(bestPath(lattice)).toBeUndefined();
            return;
          }
          const logZ = logSum(outputs.map((o) => o.score));
          const found = posteriors(lattice);
          expect(found.logPartition).toBeCloseTo(logZ, 9);
          const sorted = [...outputs].sort((a, b) => b.score - a.score);
          const paths = [...bestPaths(lattice)];
          expect(paths.map((p) => p.symbols.join()).sort()).toEqual(sorted.map((o) => o.symbols.join()).sort());
          paths.forEach((p, i) => {
            expect(p.score).toBeCloseTo(sorted[i].score, 9);
          });
          const drawn = sampler(lattice)(mulberry(3))?.symbols.join();
          expect(outputs.map((o) => o.symbols.join())).toContain(drawn);
          const marginals = new Float64Array(c.problem.graph.slotCount * S);
          for (let node = 0; node < lattice.nodeCount; node++) {
            for (let a = lattice.arcStart[node]; a < lattice.arcStart[node + 1]; a++) {
              marginals[trellis.contextSlot[lattice.nodeContext[node]] * S + lattice.arcSymbol[a]] += found.arc[a];
            }
          }
          const expected = new Float64Array(marginals.length);
          for (const o of outputs) {
            o.symbols.forEach((y, i) => {
              expected[o.slots[i] * S + y] += Math.exp(o.score - logZ);
            });
          }
          for (let i = 0; i < expected.length; i++) expect(marginals[i]).toBeCloseTo(expected[i], 9);
        }),
        { numRuns: 300 },
      ));

    it("an empty clamp changes nothing", () =>
      check(caseArbitrary({ mode: "rcms" }), (c) => {
        const trellis = run(c);
        const lattice = clampTrellis(trellis, allowedClamp(c.problem.graph, []));
        expect(logPartition(lattice)).toBeCloseTo(trellis.logPartition, 9);
        expect(logPartition(trellisLattice(trellis))).toBeCloseTo(trellis.logPartition, 9);
      }));
  });

  describe("a path that is forced", () => {
    it("stays in the beam", () =>
      check(caseArbitrary({ mode: "beam", contexts: 1 }), (c) => {
        const outputs = allOutputs(c);
        const gold = outputs[outputs.length >> 1];
        const forced = new Int32Array(c.problem.graph.slotCount).fill(-1);
        gold.symbols.forEach((y, i) => {
          forced[gold.slots[i]] = y;
        });
        const trellis = kernel.forward(c.problem, c.space, c.weights, c.inference, forced);
        const scored = outputScore(c, contextSets(trellis), gold);
        expect(scored).toBeDefined();
        expect(trellis.logPartition).toBeGreaterThanOrEqual((scored as { score: number }).score - 1e-9);
      }));
  });

  describe("large numbers", () => {
    it("scores of ±1,000 lose nothing", () =>
      check(caseArbitrary({}, 1000), (c) => {
        const trellis = run(c);
        const { outputs, logZ } = distribution(c, contextSets(trellis));
        fc.pre(outputs.length > 0);
        expect(Math.abs(trellis.logPartition - logZ)).toBeLessThan(1e-9 * Math.max(1, Math.abs(logZ)));
        kernel.backward();
        for (let slot = 0; slot < 1; slot++) expect(trellis.posterior[0]).toBeCloseTo(1, 9);
        const slotCounts = new Float64Array(c.problem.slotScores.length);
        kernel.addExpectations(new Float64Array(c.weights.length), slotCounts, 1);
        const S = c.problem.graph.symbolCount;
        const expected = new Float64Array(slotCounts.length);
        for (const o of outputs) {
          o.symbols.forEach((y, i) => {
            expected[o.slots[i] * S + y] += o.probability;
          });
        }
        for (let i = 0; i < expected.length; i++) expect(slotCounts[i]).toBeCloseTo(expected[i], 9);
      }));
  });
});
