// The loops of training on both backends, the exponential, and a memory that threads cannot share.

import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { AdaGradArrays, Backend, GradientArrays } from "../../src/engine/backend.js";
import { referenceBackend } from "../../src/engine/reference/backend.js";
import { childOf, RowTableBuilder, RowTreeBuilder } from "../../src/engine/rows.js";
import { chainGraph } from "../../src/engine/slots.js";
import { wasmBackend } from "../../src/engine/wasm/backend.js";
import { mulberry } from "./oracle.js";

const wasm = wasmBackend() as Backend & NonNullable<ReturnType<typeof wasmBackend>>;

/** Rows with and without gaps, positions with and without rows. */
function randomProblem(seed: number, symbolCount: number) {
  const random = mulberry(seed);
  const rows = 12;
  const starts = [0];
  const symbols: number[] = [];
  for (let row = 0; row < rows; row++) {
    const kind = random();
    for (let y = 0; y < symbolCount; y++) if (kind < 0.4 || random() < kind) symbols.push(y);
    starts.push(symbols.length);
  }
  const table = { symbolCount, start: Int32Array.from(starts), symbols: Int32Array.from(symbols) };
  const positions = 7;
  const start = [0];
  const ids: number[] = [];
  for (let p = 0; p < positions; p++) {
    for (let n = Math.floor(random() * 5); n > 0; n--) ids.push(Math.floor(random() * 15));
    start.push(ids.length);
  }
  return {
    table,
    positions: {
      start: Int32Array.from(start),
      ids: Int32Array.from(ids),
      map: Int32Array.from({ length: 15 }, () => Math.floor(random() * (rows + 1)) - 1),
      values: random() < 0.5 ? Float64Array.from(ids, () => random() * 2) : undefined,
    },
    weights: Float64Array.from(symbols, () => random() - 0.5),
    random,
  };
}

function run(backend: Backend, seed: number, symbolCount: number, l1: number) {
  const { table, positions, weights, random } = randomProblem(seed, symbolCount);
  const { arrays, loops } = backend;
  const rows = table.start.length - 1;
  const adagrad: AdaGradArrays = {
    weights: arrays.float64(weights.length),
    squares: arrays.float64(weights.length),
    sums: arrays.float64(weights.length),
    settled: arrays.int32(rows),
  };
  adagrad.weights.set(weights);
  const gradient: GradientArrays = {
    values: arrays.float64(weights.length),
    touched: arrays.int32(rows),
    touchedCount: 0,
    isTouched: arrays.uint8(rows),
  };
  const scores = arrays.float64(5 * symbolCount);
  const steps: number[] = [];
  for (let step = 1; step <= 3; step++) {
    scores.fill(0);
    loops.scoreSlots(scores, 5, 2, positions, table, adagrad.weights);
    const counts = arrays.float64(5 * symbolCount);
    for (let i = 0; i < counts.length; i++) counts[i] = scores[i] + random() - 0.5;
    loops.countSlots(counts, 5, 2, positions, table, gradient);
    loops.touch(Int32Array.of(3, 5, 3), 3, gradient);
    steps.push(gradient.touchedCount, new Set(gradient.touched.subarray(0, gradient.touchedCount)).size);
    loops.step(adagrad, gradient, table, { step, rate: 0.3, delta: 0.01, l1, l2: 0.05 });
  }
  return { scores, steps, left: gradient, ...adagrad };
}

describe("the loops of training", () => {
  it("give the same on both backends", () =>
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 30 }), fc.constantFrom(0, 0.02), (seed, symbols, l1) => {
        const expected = run(referenceBackend, seed, symbols, l1);
        const found = run(wasm, seed, symbols, l1);
        for (const name of ["scores", "weights", "squares", "sums"] as const) {
          const difference = found[name].map((value, i) => Math.abs(value - expected[name][i]));
          expect(Math.max(0, ...difference)).toBeLessThan(1e-10);
        }
        expect(found.settled).toEqual(Int32Array.from(expected.settled));
        expect(found.steps).toEqual(expected.steps);
        expect(found.left.touchedCount).toBe(0);
        expect(found.left.values.every((value) => value === 0)).toBe(true);
        expect(found.left.isTouched.every((flag) => flag === 0)).toBe(true);
      }),
    ));
});

describe("rows of weights that stay as they are", () => {
  it("give slots the same scores, the first time and the next", () =>
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 90 }),
        (seed, symbols, more) => {
          const { table, positions, weights } = randomProblem(seed, symbols);
          // More rows at a position than are added at once.
          const ids = Array.from({ length: more }, (_, i) => i % 15);
          const all = {
            start: Int32Array.from([...positions.start, positions.ids.length + more]),
            ids: Int32Array.from([...positions.ids, ...ids]),
            map: positions.map,
            values: positions.values && Float64Array.from([...positions.values, ...ids.map((id) => id / 15)]),
          };
          const expected = new Float64Array(8 * symbols);
          referenceBackend.loops.scoreSlots(expected, 8, 0, all, table, weights);
          const placed = wasm.arrays.placed(weights);
          const dense = wasm.loops.denseRows(table, placed);
          expect(dense).toBeDefined();
          for (let time = 0; time < 2; time++) {
            const scores = wasm.arrays.float64(8 * symbols);
            wasm.loops.scoreSlots(scores, 8, 0, all, table, placed, dense);
            scores.forEach((score, i) => {
              expect(score).toBeCloseTo(expected[i], 10);
            });
          }
          dense?.dispose();
        },
      ),
    ));
});

describe("walks down a tree", () => {
  it("meet the rows of the nodes whose way they begin with", () =>
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 2 }), (seed, lastClass) => {
        const random = mulberry(seed);
        const below = (count: number): number => Math.floor(random() * count);
        const [classes, kinds, positions] = [3, 4, 5];
        const builder = new RowTreeBuilder();
        const rowOf = new Map<string, number>(); // by class and kind, then numbers
        for (let n = 0; n < 200; n++) {
          const way = [
            below(classes * kinds),
            ...Array.from({ length: below(4) }, () => below(random() < 0.5 ? 3 : 40)),
          ];
          const node = way.reduce((parent, event) => builder.child(parent, event), 0);
          if (random() < 0.7 && builder.rowOf(node) < 0) {
            builder.setRow(node, n);
            rowOf.set(way.join(), n);
          }
        }
        const tree = builder.build();
        const listed = Array.from({ length: positions }, () =>
          Array.from({ length: below(6) }, () => ({
            kind: below(kinds),
            least: below(3),
            numbers: Array.from({ length: below(5) }, () => below(random() < 0.7 ? 3 : 40)),
          })),
        );
        const flat = listed.flat();
        const starts = (lengths: number[]) =>
          Int32Array.from([0, ...lengths.map((_, i) => lengths.slice(0, i + 1).reduce((a, b) => a + b))]);
        const walks = {
          positions,
          positionStart: starts(listed.map(({ length }) => length)),
          kind: Int32Array.from(flat, ({ kind }) => kind),
          start: starts(flat.map(({ numbers }) => numbers.length)),
          least: Int32Array.from(flat, ({ least }) => least),
          numbers: Int32Array.from(flat.flatMap(({ numbers }) => numbers)),
          kinds,
        };
        const nodes = Int32Array.from({ length: classes * kinds }, (_, event) => childOf(tree, 0, event));
        const expected = listed.map((own) =>
          Array.from({ length: classes }, (_, q) =>
            q > lastClass
              ? []
              : own.flatMap(({ kind, least, numbers }) =>
                  numbers
                    .concat(0)
                    .flatMap((_, n) =>
                      n < least ? [] : (rowOf.get([q * kinds + kind, ...numbers.slice(0, n)].join()) ?? []),
                    ),
                ),
          ),
        );
        for (const { arrays, loops } of [referenceBackend, wasm]) {
          const to = { ids: arrays.int32(200), start: arrays.int32(positions * classes + 1) };
          loops.findWalks(tree, walks, { nodes, classes }, lastClass, to);
          const found = Array.from({ length: positions * classes }, (_, i) => [
            ...to.ids.subarray(to.start[i], to.start[i + 1]),
          ]);
          expect(found).toEqual(expected.flat());
          // The same rows, each with entries for some of the symbols or for all, summed at once.
          const symbolCount = 4;
          const rows = new RowTableBuilder(symbolCount);
          for (let row = 0; row <= Math.max(...tree.row); row++) rows.add([[0, 3], [1], [0, 1, 2, 3]][row % 3]);
          const table = rows.build();
          const weights = arrays.placed(Float64Array.from(table.symbols, (_, e) => Math.sin(e)));
          const frozen = loops.freezeTree(tree, table, weights);
          if (!frozen) continue;
          const sums = [0, 1].map(() => arrays.float64(positions * classes * symbolCount));
          loops.scoreSlots(sums[0], positions * classes, 0, to, table, weights);
          loops.scoreWalks(sums[1], walks, { nodes, classes }, lastClass, frozen);
          expect([...sums[1]]).toEqual([...sums[0]]);
          frozen.dispose();
        }
      }),
    ));
});

describe("small coordinates of a gradient", () => {
  const rows = 400;
  const width = 5;
  const threshold = 0.1;
  const table = {
    symbolCount: width,
    start: Int32Array.from({ length: rows + 1 }, (_, row) => row * width),
    symbols: Int32Array.from({ length: rows * width }, (_, e) => e % width),
  };
  const exact = Float64Array.from({ length: rows * width }, (_, e) => ((e % 23) - 11) * 0.01);

  /** The gradient after rounding, where the rows given are touched in this order. */
  function rounded({ arrays, loops }: Backend, touched: number[], seed: number): Float64Array {
    const gradient: GradientArrays = {
      values: arrays.placed(exact.slice()),
      touched: arrays.placed(Int32Array.from(touched)),
      touchedCount: touched.length,
      isTouched: arrays.uint8(rows),
    };
    loops.truncate(gradient, { ...table, start: arrays.placed(table.start) }, threshold, seed);
    return Float64Array.from(gradient.values);
  }

  const all = Array.from({ length: rows }, (_, row) => row);

  for (const backend of [referenceBackend, wasm]) {
    it(`become nothing or the threshold, and stay what they are on average (${backend.name})`, () => {
      const seeds = 500;
      const sums = new Float64Array(exact.length);
      let wrong = 0;
      for (let seed = 1; seed <= seeds; seed++) {
        rounded(backend, all, Math.imul(seed, 0x9e3779b1) >>> 0).forEach((value, e) => {
          sums[e] += value;
          const isSmall = Math.abs(exact[e]) < threshold;
          if (isSmall ? value !== 0 && value !== Math.sign(exact[e]) * threshold : value !== exact[e]) wrong++;
        });
      }
      expect(wrong).toBe(0);
      // Five standard errors of one coordinate, and of the mean over all.
      const errors = sums.map((sum, e) => sum / seeds - exact[e]);
      expect(Math.max(...errors.map(Math.abs))).toBeLessThan((5 * threshold) / 2 / Math.sqrt(seeds));
      const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
      expect(Math.abs(mean)).toBeLessThan((5 * threshold) / 2 / Math.sqrt(seeds * errors.length));
    });

    it(`do not depend on which rows are rounded with theirs (${backend.name})`, () => {
      const whole = rounded(backend, all, 77);
      const even = rounded(backend, all.filter((row) => row % 2 === 0).reverse(), 77);
      for (let e = 0; e < exact.length; e++) {
        expect(even[e]).toBe(Math.floor(e / width) % 2 === 0 ? whole[e] : exact[e]);
      }
    });
  }

  it("are rounded alike on both backends", () => {
    expect(rounded(wasm, all, 5)).toEqual(rounded(referenceBackend, all, 5));
  });
});

describe("a memory that is asked for more than there is", () => {
  it("refuses, and has as much left as before", () => {
    const { arrays } = wasmBackend() as NonNullable<ReturnType<typeof wasmBackend>>;
    const before = arrays.float64(1000);
    // Addresses end at 2^32: a top that had moved by this much would have gone round.
    expect(() => arrays.float64(4.5 * 2 ** 27)).toThrow("not enough memory");
    const after = arrays.float64(1000);
    const distance = after.byteOffset - before.byteOffset;
    expect(distance).toBeGreaterThanOrEqual(before.byteLength);
    expect(distance).toBeLessThan(2 * before.byteLength);
  });
});

describe("the exponential", () => {
  it("is that of Math.exp to within two units in the last place, and 0 below", () => {
    const random = mulberry(5);
    const count = 10_001;
    const from = wasm.arrays.float64(count);
    const to = wasm.arrays.float64(count);
    for (let i = 0; i < count; i++) from[i] = i < 3 ? [0, -708, -709][i] : -708 * random() ** 3;
    wasm.program.code.expAll(to.byteOffset, from.byteOffset, count, 0);
    for (let i = 0; i < count; i++) {
      const exact = from[i] < -708 ? 0 : Math.exp(from[i]);
      expect(Math.abs(to[i] - exact)).toBeLessThanOrEqual(2 * Number.EPSILON * exact);
    }
    expect(to[0]).toBe(1);
  });
});

describe("a memory that threads cannot share", () => {
  const kept = globalThis.SharedArrayBuffer;
  afterEach(() => {
    globalThis.SharedArrayBuffer = kept;
  });

  it("gives the same answers, and no array is lost when more are made", () => {
    // As in a page without cross-origin isolation.
    (globalThis as { SharedArrayBuffer: unknown }).SharedArrayBuffer = undefined;
    const backend = wasmBackend() as Backend & NonNullable<ReturnType<typeof wasmBackend>>;
    globalThis.SharedArrayBuffer = kept;
    expect(backend.program.memory.shared).toBe(false);
    const first = backend.arrays.float64(10).fill(3);
    for (let i = 0; i < 50; i++) backend.arrays.float64(100_000);
    expect([...first]).toEqual(Array(10).fill(3));
    const graph = chainGraph(6, 5);
    const random = mulberry(3);
    const slotScores = Float64Array.from({ length: graph.slotCount * 5 }, random);
    const space = {
      table: { symbolCount: 5, start: Int32Array.of(0, 5), symbols: Int32Array.of(0, 1, 2, 3, 4) },
      families: [
        {
          tree: {
            row: Int32Array.of(0),
            childStart: Int32Array.of(0, 0),
            childEvent: new Int32Array(0),
            childNode: new Int32Array(0),
          },
          depth: 1,
          skip: -1,
          pairs: false,
          keyed: false,
        },
      ],
    };
    const inference = { mode: "rcms", contexts: 3, order: 2, recombine: true, rows: "all" } as const;
    const weights = Float64Array.of(1, 2, 3, 4, 5);
    const [expected, found] = [referenceBackend, backend].map(
      (one) => one.makeKernel().forward({ graph, slotScores }, space, weights, inference).logPartition,
    );
    expect(found).toBeCloseTo(expected, 10);
  });

  it("says so when it is full", () => {
    (globalThis as { SharedArrayBuffer: unknown }).SharedArrayBuffer = undefined;
    const backend = wasmBackend() as Backend;
    globalThis.SharedArrayBuffer = kept;
    expect(() => backend.arrays.float64(2 ** 27)).toThrow(/not enough memory/);
  });
});
