// The two kernels against each other on random models of the sizes people use: many symbols, several families of rows,
// branching slots, every setting. STARGRAM_FUZZ=10000 makes a long run of it.

import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Backend, BestOutput } from "../../src/engine/backend.js";
import { trellisLattice } from "../../src/engine/lattice.js";
import type { Problem, RowFamily, RowSpace } from "../../src/engine/problem.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import { pathConfidences } from "../../src/engine/reference/passes.js";
import { RowTableBuilder, RowTreeBuilder } from "../../src/engine/rows.js";
import { type Branch, chainGraph, openChainGraph, type SlotGraph, slotGraph } from "../../src/engine/slots.js";
import { BEGIN, type Inference, type Trellis } from "../../src/engine/trellis.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { mulberry } from "./oracle.js";

const numRuns = Number(process.env.STARGRAM_FUZZ ?? 300);
const wasm = wasmBackend() as Backend;

interface Model {
  problem: Problem;
  space: RowSpace;
  weights: Float64Array;
  inference: Inference;
  forced?: Int32Array;
}

/** What models of either comparison have. */
const common = {
  seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  length: fc.integer({ min: 0, max: 12 }),
  scale: fc.constantFrom(0, 0.5, 3, 30, 500),
  lightest: fc.constantFrom(undefined, 0.001, 0.1),
  recombine: fc.boolean(),
  rows: fc.constantFrom("longest" as const, "all" as const),
};

const modelArbitrary: fc.Arbitrary<Model> = fc
  .record({
    ...common,
    symbolCount: fc.integer({ min: 1, max: 40 }),
    shape: fc.constantFrom("chain" as const, "graph" as const),
    order: fc.integer({ min: 0, max: 5 }),
    contexts: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 80 })),
    mode: fc.constantFrom("rcms" as const, "rcms" as const, "beam" as const, "exact" as const),
    isForced: fc.boolean(),
  })
  .map(({ seed, symbolCount, length, shape, scale, isForced, ...inference }) => {
    const random = mulberry(seed);
    if (inference.mode === "exact") {
      // All contexts of a high order are too many.
      inference.order = Math.min(inference.order, symbolCount > 8 ? 1 : 2);
      inference.recombine = true;
    }
    const graph = shape === "chain" ? chainGraph(length, symbolCount) : randomGraph(random, symbolCount, length + 2);
    const byRows = inference.mode === "exact" && inference.recombine && random() < 0.5;
    const space = randomSpace(random, symbolCount, inference.order);
    const number = (): number => (random() * 2 - 1) * scale;
    const offsets = space.families.map(({ keyed, tree }) => {
      if (!keyed) return undefined;
      const nodes = Array.from({ length: graph.slotCount }, () => (random() < 0.7 ? 1 : 0));
      const starts = Int32Array.from({ length: graph.slotCount + 1 }, (_, slot) =>
        nodes.slice(0, slot).reduce((sum: number, n) => sum + n, 0),
      );
      const count = starts[graph.slotCount];
      const at = Int32Array.from({ length: count }, () => Math.floor(random() * tree.row.length));
      return { offsets: starts, nodes: at };
    });
    const problem: Problem = {
      graph,
      slotScores: Float64Array.from({ length: graph.slotCount * symbolCount }, number),
      slotInput: Int32Array.from({ length: graph.slotCount }, () => Math.floor(random() * 3)),
      starts: offsets,
    };
    const forced = isForced
      ? Int32Array.from({ length: graph.slotCount }, (_, slot) => forcedAt(random, graph, slot))
      : undefined;
    return {
      problem,
      space,
      weights: Float64Array.from({ length: space.table.symbols.length }, number),
      inference: { ...inference, byRows },
      forced,
    };
  });

function forcedAt(random: () => number, graph: SlotGraph, slot: number): number {
  const from = graph.branchStart[slot];
  const count = graph.branchStart[slot + 1] - from;
  if (count === 0) return -1;
  const b = from + Math.floor(random() * count);
  return graph.branchFirst[b] + Math.floor(random() * (graph.branchEnd[b] - graph.branchFirst[b]));
}

/** Ranges of symbols that lead up to three slots on, so that slots have several ways in and ranges overlap. */
function randomGraph(random: () => number, symbolCount: number, slots: number): SlotGraph {
  const branches = Array.from({ length: slots }, (_, slot) => {
    const list: Branch[] = [];
    for (let first = 0; first < symbolCount; ) {
      const end = Math.min(symbolCount, first + 1 + Math.floor(random() * symbolCount));
      const reach = Math.min(slots - slot, 3);
      if (first === 0 || random() < 0.9) list.push({ first, end, next: slot + 1 + Math.floor(random() * reach) });
      first = end;
    }
    list[0].next = slot + 1;
    return list;
  });
  return slotGraph(symbolCount, branches);
}

/**
 * A plain family with the row of ⋆, and sometimes one that skips a symbol, one of pairs, one that is keyed. A closed tree has a
 * node for every part of a suffix that has one, as those counted from data.
 */
function randomSpace(random: () => number, symbolCount: number, order: number, isClosed = false): RowSpace {
  const table = new RowTableBuilder(symbolCount);
  const all = Array.from({ length: symbolCount }, (_, y) => y);
  const addRow = (): number => {
    const symbols = random() < 0.4 ? all : all.filter(() => random() < 0.3);
    return symbols.length === symbolCount ? table.addDense() : table.add(symbols);
  };
  const family = (events: () => number, kind: Partial<RowFamily>): RowFamily => {
    const tree = new RowTreeBuilder();
    tree.setRow(0, addRow());
    for (let n = 0; n < 150; n++) {
      const suffix = Array.from({ length: Math.floor(random() * (order + 1)) }, events);
      for (let latest = 0; latest < (isClosed ? suffix.length : 1); latest++) {
        let node = 0;
        for (const event of suffix.slice(latest)) {
          node = tree.child(node, event);
          if (tree.rowOf(node) < 0 && random() < 0.9) tree.setRow(node, addRow());
        }
      }
    }
    return { tree: tree.build(), depth: order, skip: -1, pairs: false, keyed: false, ...kind };
  };
  const symbol = (): number => (random() < 0.1 ? BEGIN : Math.floor(random() * random() * symbolCount));
  const pair = (): number => (random() < 0.1 ? BEGIN : Math.floor(random() * 3) * symbolCount + symbol() + 1);
  const families = [family(symbol, {})];
  if (random() < 0.4) families.push(family(symbol, { skip: Math.floor(random() * symbolCount) }));
  if (random() < 0.4) families.push(family(pair, { pairs: true }));
  if (random() < 0.4) families.push(family(symbol, { keyed: true }));
  const built = table.build();
  const offsets = Float64Array.from({ length: built.start.length - 1 }, () => random() - 0.5);
  return { table: built, families, offsets: random() < 0.3 ? offsets : undefined };
}

const suffixes = (trellis: Trellis): string[] =>
  Array.from({ length: trellis.contextCount }, (_, c) => `${trellis.contextSlot[c]}: ${trellis.suffix(c).join()}`);

/** Sums of scores of thousands are exact to about this. */
const close = (a: number, b: number, tolerance: number): boolean =>
  a === b || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a));

describe("the WebAssembly kernel", () => {
  it("is there", () => expect(wasm.name).toBe("wasm"));

  it("chooses the same contexts as the reference and finds the same numbers", {
    timeout: 60_000 + 100 * numRuns,
  }, () => {
    const reference = referenceBackend.makeKernel();
    const kernel = wasm.makeKernel();
    let compared = 0;
    fc.assert(
      fc.property(modelArbitrary, ({ problem, space, weights, inference, forced }) => {
        const expected = reference.forward(problem, space, weights, inference, forced);
        const found = kernel.forward(problem, space, weights, inference, forced);
        // Two expansions that weigh the same but for rounding may be chosen either way; the sets differ from there on.
        if (suffixes(found).join() !== suffixes(expected).join()) {
          expect(hasNearTie(expected, problem, inference, forced !== undefined)).toBe(true);
          return;
        }
        compared++;
        expect(close(found.logPartition, expected.logPartition, 1e-12)).toBe(true);
        const arcs = expected.arcStart[expected.contextCount];
        expect(found.arcTarget.subarray(0, arcs)).toEqual(expected.arcTarget.subarray(0, arcs));
        const best = reference.bestPath();
        const path = kernel.bestPath();
        expect(path === undefined).toBe(best === undefined);
        if (best && path) expect(close(path.score, best.score, 1e-12)).toBe(true);
        expect(close(kernel.averageContextLength(), reference.averageContextLength(), 1e-9)).toBe(true);
        reference.backward();
        kernel.backward();
        for (let c = 0; c < expected.contextCount; c++) {
          expect(close(found.posterior[c], expected.posterior[c], 1e-9)).toBe(true);
        }
        const counts = [new Float64Array(weights.length), new Float64Array(weights.length)];
        const slotCounts = counts.map(() => new Float64Array(problem.slotScores.length));
        reference.addExpectations(counts[0], slotCounts[0], 0.5);
        kernel.addExpectations(counts[1], slotCounts[1], 0.5);
        expect(counts[1].every((count, e) => close(count, counts[0][e], 1e-9))).toBe(true);
        expect(slotCounts[1].every((count, e) => close(count, slotCounts[0][e], 1e-9))).toBe(true);
      }),
      { numRuns },
    );
    expect(compared).toBeGreaterThan(0.9 * numRuns);
  });

  it("finds the same bits by trees that carry their weights", { timeout: 60_000 + 100 * numRuns }, () => {
    const plain = wasm.makeKernel();
    const kernel = wasm.makeKernel();
    fc.assert(
      fc.property(modelArbitrary, ({ problem, space, weights, inference }) => {
        const expected = plain.forward(problem, space, weights, inference);
        const frozen = wasm.freeze(space, weights);
        const found = kernel.forwardFrozen(problem, frozen, inference);
        expect(suffixes(found)).toEqual(suffixes(expected));
        expect(found.logPartition).toBe(expected.logPartition);
        plain.backward();
        kernel.backward();
        const count = expected.contextCount;
        expect(found.posterior.subarray(0, count)).toEqual(expected.posterior.subarray(0, count));
        frozen.dispose();
      }),
      { numRuns },
    );
  });
});

/** A chain with one plain family: what the best output is found for without a trellis. */
const plainArbitrary: fc.Arbitrary<Model> = fc
  .record({
    ...common,
    symbolCount: fc.integer({ min: 2, max: 40 }),
    isOpen: fc.boolean(),
    order: fc.integer({ min: 1, max: 5 }),
    contexts: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 80 })),
    byRows: fc.constantFrom(false, false, true),
    mode: fc.constantFrom("rcms" as const, "rcms" as const, "beam" as const),
  })
  .map(({ seed, symbolCount, length, isOpen, scale, ...inference }) => {
    const random = mulberry(seed);
    const graph = isOpen ? openChainGraph(length + 1, symbolCount) : chainGraph(length, symbolCount);
    const { table, families } = randomSpace(random, symbolCount, inference.order, seed % 2 === 0);
    const number = (): number => (random() * 2 - 1) * scale;
    return {
      problem: { graph, slotScores: Float64Array.from({ length: graph.slotCount * symbolCount }, number) },
      space: { table, families: families.slice(0, 1) },
      weights: Float64Array.from({ length: table.symbols.length }, number),
      inference,
    };
  });

describe("the best output without a trellis", () => {
  it("is that of the reference, with the same log-partition and probabilities", {
    timeout: 60_000 + 100 * numRuns,
  }, () => {
    const reference = referenceBackend.makeKernel();
    const kernel = wasm.makeKernel();
    let compared = 0;
    let withoutTrellis = 0;
    fc.assert(
      fc.property(plainArbitrary, ({ problem, space, weights, inference }) => {
        const frozen = wasm.freeze(space, weights);
        const expected = reference.bestOutput(problem, referenceBackend.freeze(space, weights), inference, true);
        const forward = vi.spyOn(kernel, "forward");
        const found = kernel.bestOutput(problem, frozen, inference, true);
        if (forward.mock.calls.length === 0) withoutTrellis++;
        // The second time factors are there already.
        expect(kernel.bestOutput(problem, frozen, inference, true)).toEqual(found);
        expect({ ...found, confidences: undefined }).toEqual({ ...kernel.bestOutput(problem, frozen, inference) });
        forward.mockRestore();
        const differs =
          found === undefined || expected === undefined
            ? found !== expected
            : !close(found.logPartition, expected.logPartition, 1e-12) || !close(found.score, expected.score, 1e-12);
        if (differs) expect(hasNearTie(reference.trellis, problem, inference)).toBe(true);
        else compared++;
        if (found && !differs) {
          expect(close(found.score, pathScore(reference.trellis, found.symbols), 1e-12)).toBe(true);
          // Of paths that score the same either may be the best, so probabilities are compared for the one found.
          const probabilities = pathConfidences(reference.trellis, found.symbols);
          expect(farthest(found.confidences, probabilities)).toBeLessThan(1e-9);
        }
      }),
      { numRuns },
    );
    expect(compared).toBeGreaterThan(0.9 * numRuns);
    expect(withoutTrellis).toBeGreaterThan(0.5 * numRuns);
  });

  it("is also found where there are more factors than are kept", () => {
    const random = mulberry(5);
    const symbolCount = 4000;
    const below = (count: number): number => Math.floor(random() * count);
    const table = new RowTableBuilder(symbolCount);
    const tree = new RowTreeBuilder();
    tree.setRow(0, table.addDense());
    const addRow = (node: number): void => {
      if (tree.rowOf(node) < 0) tree.setRow(node, table.add([below(symbolCount)]));
    };
    for (let n = 0; n < 20_000; n++) {
      const single = tree.child(0, below(symbolCount));
      addRow(single);
      addRow(tree.child(single, below(symbolCount)));
    }
    const family: RowFamily = { tree: tree.build(), depth: 2, skip: -1, pairs: false, keyed: false };
    const space: RowSpace = { table: table.build(), families: [family] };
    const weights = Float64Array.from(space.table.symbols, () => 2 * random() - 1);
    const inference: Inference = { mode: "rcms", contexts: 8, order: 2, recombine: true, rows: "all" };
    const graph = chainGraph(60, symbolCount);
    const [expected, found] = [referenceBackend, wasm].map((backend) => {
      const kernel = backend.makeKernel();
      const frozen = backend.freeze(space, weights);
      const noise = mulberry(6);
      return Array.from({ length: 3 }, () => {
        const slotScores = Float64Array.from({ length: graph.slotCount * symbolCount }, () => 8 * noise());
        return kernel.bestOutput({ graph, slotScores }, frozen, inference, true);
      });
    });
    found.forEach((output, i) => {
      expect(output?.symbols).toEqual(expected[i]?.symbols);
      expect(farthest(output?.confidences, expected[i]?.confidences)).toBeLessThan(1e-9);
      expect(output?.score).toBeCloseTo(expected[i]?.score as number, 9);
      expect(output?.logPartition).toBeCloseTo(expected[i]?.logPartition as number, 9);
    });
  });
});

describe("a context that nothing leads to", () => {
  it("does not matter, whatever its rows say", () => {
    // Every context of two decisions is kept, so ⋆ has no mass; what follows it would have e^100 times more at each slot.
    const table = new RowTableBuilder(3);
    const tree = new RowTreeBuilder();
    tree.setRow(0, table.addDense());
    const family: RowFamily = { tree: tree.build(), depth: 2, skip: -1, pairs: false, keyed: false };
    const space: RowSpace = { table: table.build(), families: [family] };
    const graph = chainGraph(50, 3);
    const random = mulberry(3);
    const slotScores = Float64Array.from({ length: graph.slotCount * 3 }, random);
    const inference: Inference = { mode: "rcms", contexts: 8, order: 2, recombine: true, rows: "all" };
    const frozen = wasm.freeze(space, Float64Array.of(100, 100, 100));
    const { confidences } = wasm.makeKernel().bestOutput({ graph, slotScores }, frozen, inference, true) as BestOutput;
    // Labels are then independent of each other.
    const expected = Array.from({ length: 50 }, (_, i) => {
      const [a, b] = slotScores.subarray(3 * i);
      return 1 / (1 + Math.exp(-Math.abs(a - b)));
    });
    expect(farthest(confidences, [...expected, 1])).toBeLessThan(1e-9);
  });
});

describe("a path of 20,000 decisions", () => {
  it.each(["chain", "two ways on"])("is found as well: %s", (shape) => {
    const random = mulberry(11);
    const length = 20_000;
    const graph =
      shape === "chain"
        ? chainGraph(length, 5)
        : slotGraph(
            5,
            Array.from({ length }, (_, slot) => [
              { first: 0, end: 3, next: slot + 1 },
              { first: 3, end: 5, next: Math.min(slot + 3, length) },
            ]),
          );
    const space = randomSpace(random, 5, 2);
    const problem: Problem = {
      graph,
      slotScores: Float64Array.from({ length: graph.slotCount * 5 }, () => random() * 2),
      slotInput: new Int32Array(graph.slotCount),
      starts: space.families.map(() => undefined),
    };
    const weights = Float64Array.from(space.table.symbols, () => random() - 0.5);
    const inference: Inference = { mode: "rcms", contexts: 4, order: 2, recombine: true, rows: "all" };
    const [expected, found] = [referenceBackend, wasm].map((backend) => {
      const kernel = backend.makeKernel();
      kernel.forward(problem, space, weights, inference);
      return kernel.bestPath();
    });
    expect(found?.symbols).toEqual(expected?.symbols);
    expect(found?.score).toBeCloseTo(expected?.score as number, 6);
    const plain = { table: space.table, families: space.families.slice(0, 1) };
    const [known, alone] = [referenceBackend, wasm].map((backend) =>
      backend.makeKernel().bestOutput(problem, backend.freeze(plain, weights), inference, true),
    );
    expect(farthest(alone?.confidences, known?.confidences)).toBeLessThan(1e-9);
    expect(alone?.symbols).toEqual(known?.symbols);
    expect(alone?.score).toBeCloseTo(known?.score as number, 6);
    expect(alone?.logPartition).toBeCloseTo(known?.logPartition as number, 6);
  });
});

/** The greatest difference between numbers of two lists; infinite if one is longer. */
function farthest(some: readonly number[] = [], others: readonly number[] = []): number {
  if (some.length === 0 || some.length !== others.length) return Number.POSITIVE_INFINITY;
  return some.reduce((most, p, i) => Math.max(most, Math.abs(p - others[i])), 0);
}

/** The score of a path in a trellis. */
function pathScore(trellis: Trellis, symbols: readonly number[]): number {
  let context = 0;
  let score = 0;
  for (const symbol of symbols) {
    const arc = trellis.arcStart[context] + symbol;
    score += trellis.arcScore[arc];
    context = trellis.arcTarget[arc];
  }
  return score;
}

/**
 * Whether at some slot the lightest context kept and the heaviest left weigh the same to within rounding. A forced context is
 * kept whatever it weighs, so with one the line may lie one place further up or down.
 */
function hasNearTie(trellis: Trellis, { graph }: Problem, inference: Inference, isForced = false): boolean {
  const places = isForced ? [-1, 0, 1] : [0];
  for (let slot = 1; slot + 1 < graph.slotCount; slot++) {
    const masses = expansionMasses(trellis, slot);
    const top = Math.max(...masses);
    const floor = Math.log(inference.lightest ?? 0) + top;
    if (masses.some((mass) => Math.abs(mass - floor) < 1e-9)) return true;
    masses.sort((a, b) => b - a);
    for (const place of places) {
      const kept = inference.contexts + place;
      if (kept > 0 && masses.length > kept && masses[kept - 1] - masses[kept] < 1e-9) return true;
    }
  }
  return false;
}

/** Log-masses of the expansions into a slot, those that are one context added up. */
function expansionMasses(trellis: Trellis, slot: number): number[] {
  const { arcStart, arcScore } = trellisLattice(trellis);
  const { graph } = trellis;
  const bySuffix = new Map<string, number>();
  for (let c = 0; c < trellis.slotStart[slot]; c++) {
    const from = trellis.contextSlot[c];
    for (let branch = graph.branchStart[from]; branch < graph.branchStart[from + 1]; branch++) {
      if (graph.branchNext[branch] !== slot) continue;
      for (let symbol = graph.branchFirst[branch]; symbol < graph.branchEnd[branch]; symbol++) {
        const log = trellis.logForward[c] + arcScore[arcStart[c] + symbol];
        if (log === Number.NEGATIVE_INFINITY) continue;
        const key = `${symbol}:${trellis.suffix(c).join()}`;
        const before = bySuffix.get(key) ?? Number.NEGATIVE_INFINITY;
        bySuffix.set(key, Math.max(before, log) + Math.log1p(Math.exp(-Math.abs(before - log))));
      }
    }
  }
  return [...bySuffix.values()];
}
