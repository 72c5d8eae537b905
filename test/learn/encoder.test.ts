// The network that scores slots: against its formula written out, its gradient against finite differences, the loops of one
// backend against those of the other.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PositionRows } from "../../src/engine/backend.js";
import { backend } from "../../src/engine/choice.js";
import { referenceDense } from "../../src/engine/reference/dense.js";
import { Encoder } from "../../src/learn/encoder/encoder.js";
import { EncoderLearning } from "../../src/learn/encoder/learning.js";
import { drawParameters, type EncoderShape, placesOf } from "../../src/learn/encoder/shape.js";
import { generator, uniform } from "../../src/util/random.js";

/** Double precision, in which differences are fine enough. */
const precise = {
  dense: referenceDense,
  arrays: { float32: (length: number) => new Float64Array(length), int32: (length: number) => new Int32Array(length) },
};

interface Case {
  shape: EncoderShape;
  rows: PositionRows;
  length: number;
  seed: number;
}

/** Networks of all kinds, with the inputs of a sequence. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    kind: fc.constantFrom("dense", "conv") as fc.Arbitrary<EncoderShape["kind"]>,
    inputs: fc.integer({ min: 1, max: 6 }),
    width: fc.constantFrom(4, 8),
    layers: fc.integer({ min: 0, max: 3 }),
    span: fc.constantFrom(3, 5),
    outputs: fc.integer({ min: 1, max: 7 }),
    length: fc.integer({ min: 1, max: 9 }),
    seed: fc.integer({ min: 1, max: 1000 }),
    hasValues: fc.boolean(),
  })
  .map(({ length, seed, hasValues, ...given }) => {
    const shape = { ...given, span: given.kind === "dense" ? 1 : given.span };
    const random = generator(seed, 1);
    const start = [0];
    const ids: number[] = [];
    for (let p = 0; p < length; p++) {
      for (let a = 0; a < shape.inputs; a++) if (uniform(random) < 0.5) ids.push(a);
      start.push(ids.length);
    }
    const values = hasValues ? Float64Array.from(ids, () => 2 * uniform(random) - 1) : undefined;
    return { shape, length, seed, rows: { start: Int32Array.from(start), ids: Int32Array.from(ids), values } };
  });

function drawn({ shape, seed }: Case): Float64Array {
  const parameters = new Float64Array(placesOf(shape).count);
  drawParameters(shape, 2, seed, parameters);
  // Biases begin at zero; a test of them needs others.
  const random = generator(seed, 2);
  return parameters.map((value) => value + 0.2 * (uniform(random) - 0.5));
}

/** The scores by the formula, vector by vector. */
function scoresOf({ shape, rows, length }: Case, parameters: Float64Array): number[][] {
  const { width, span, kind } = shape;
  const places = placesOf(shape);
  const part = (from: number, count: number): number[] => Array.from(parameters.subarray(from, from + count));
  const rectified = (vector: number[]): number[] => vector.map((value) => Math.max(0, value));
  const times = (weights: number, bias: number, outputs: number, vector: number[]): number[] =>
    Array.from({ length: outputs }, (_, o) =>
      part(weights + o * vector.length, vector.length).reduce((sum, w, i) => sum + w * vector[i], parameters[bias + o]),
    );
  let vectors = Array.from({ length }, (_, p) => {
    const sum = part(places.bias, width);
    for (let a = rows.start[p]; a < rows.start[p + 1]; a++) {
      const value = rows.values ? rows.values[a] : 1;
      for (const [i, number] of part(rows.ids[a] * width, width).entries()) sum[i] += value * number;
    }
    return kind === "dense" ? rectified(sum) : sum;
  });
  for (const { weights, bias } of places.layers) {
    const nothing = Array<number>(width).fill(0);
    vectors = vectors.map((own, p) => {
      const seen = Array.from({ length: span }, (_, k) => vectors[p + k - (span >> 1)] ?? nothing).flat();
      const made = rectified(times(weights, bias, width, seen));
      return kind === "dense" ? made : made.map((value, i) => value + own[i]);
    });
  }
  return vectors.map((vector) => times(places.outputs.weights, places.outputs.bias, shape.outputs, vector));
}

function rowsOf(encoder: Encoder, length: number): number[][] {
  const { scores, outputStride, shape } = encoder;
  return Array.from({ length }, (_, p) =>
    Array.from(scores.subarray(p * outputStride, p * outputStride + shape.outputs)),
  );
}

describe("an encoder", () => {
  it("gives the scores of its formula, also after a longer sequence", () => {
    fc.assert(
      fc.property(cases, cases, (one, other) => {
        const parameters = drawn(one);
        const encoder = new Encoder(one.shape, precise, parameters);
        const longer = { ...other.rows, ids: other.rows.ids.map((id) => id % one.shape.inputs) };
        encoder.forward(longer, 0, other.length);
        encoder.forward(one.rows, 0, one.length);
        for (const [p, row] of scoresOf(one, parameters).entries()) {
          for (const [o, score] of row.entries()) expect(rowsOf(encoder, one.length)[p][o]).toBeCloseTo(score, 10);
        }
      }),
    );
  });

  it("has the gradient that finite differences show, with and without dropout", () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(0, 0.3), (one, share) => {
        const parameters = drawn(one);
        const encoder = new Encoder(one.shape, precise, parameters);
        const dropout = share > 0 ? { share, seed: one.seed } : undefined;
        const { outputStride } = encoder;
        const random = generator(one.seed, 3);
        const slopes = Float64Array.from({ length: one.length * outputStride }, (_, i) =>
          i % outputStride < one.shape.outputs ? 2 * uniform(random) - 1 : 0,
        );
        const objective = (): number => {
          encoder.forward(one.rows, 0, one.length, dropout);
          let sum = 0;
          for (let i = 0; i < one.length * outputStride; i++) sum += slopes[i] * encoder.scores[i];
          return sum;
        };
        objective();
        const gradient = new Float64Array(parameters.length);
        const touched = new Set<number>();
        encoder.backward(slopes, gradient, (input) => touched.add(input));
        expect([...touched].sort()).toEqual([...new Set(one.rows.ids)].sort());
        const step = 1e-6;
        for (let e = 0; e < parameters.length; e += 1 + Math.floor(parameters.length / 60)) {
          const before = parameters[e];
          parameters[e] = before + step;
          const up = objective();
          parameters[e] = before - step;
          const down = objective();
          parameters[e] = before;
          const middle = objective();
          // At a corner of the rectifier there is no gradient to compare with.
          if (Math.abs(up - 2 * middle + down) > 1e-9) continue;
          expect(gradient[e]).toBeCloseTo((up - down) / (2 * step), 5);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("gives the same with the loops of the backend at hand, in single precision", () => {
    const { arrays, dense } = backend();
    fc.assert(
      fc.property(cases, (one) => {
        const parameters = drawn(one);
        const encoder = new Encoder(one.shape, precise, parameters);
        const placed = arrays.float32(parameters.length);
        placed.set(parameters);
        const other = new Encoder(one.shape, { arrays, dense }, placed);
        const random = generator(one.seed, 4);
        const count = one.length * encoder.outputStride;
        const slopes = Float64Array.from({ length: count }, (_, i) =>
          i % encoder.outputStride < one.shape.outputs ? uniform(random) : 0,
        );
        const placedSlopes = arrays.float32(count);
        placedSlopes.set(slopes);
        const gradient = new Float64Array(parameters.length);
        const placedGradient = arrays.float32(parameters.length);
        const dropout = { share: 0.2, seed: one.seed };
        encoder.forward(one.rows, 0, one.length, dropout);
        encoder.backward(slopes, gradient, () => {});
        other.forward(one.rows, 0, one.length, dropout);
        other.backward(placedSlopes, placedGradient, () => {});
        for (const [p, row] of rowsOf(encoder, one.length).entries()) {
          for (const [o, score] of row.entries()) expect(rowsOf(other, one.length)[p][o]).toBeCloseTo(score, 3);
        }
        for (const [e, slope] of gradient.entries()) expect(placedGradient[e]).toBeCloseTo(slope, 2);
      }),
      { numRuns: 50 },
    );
  });
});

describe("Adam", () => {
  it("steps alike in both backends, and clears the gradient", () => {
    const { arrays, dense } = backend();
    const count = 24;
    const random = generator(5, 0);
    const make = (): Float32Array => Float32Array.from({ length: count }, () => 2 * uniform(random) - 1);
    const plain = { parameters: make(), gradient: make(), means: make(), squares: make().map(Math.abs) };
    const place = (array: Float32Array): Float32Array => {
      const placed = arrays.float32(count);
      placed.set(array);
      return placed;
    };
    const placed = {
      parameters: place(plain.parameters),
      gradient: place(plain.gradient),
      means: place(plain.means),
      squares: place(plain.squares),
    };
    const before = plain.parameters.slice();
    const step = { rate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-4, correction1: 0.4, correction2: 0.3 };
    referenceDense.adam(plain, 4, 16, step);
    dense.adam(placed, 4, 16, step);
    for (const name of ["parameters", "gradient", "means", "squares"] as const) {
      for (let e = 0; e < count; e++) expect(placed[name][e]).toBeCloseTo(plain[name][e], 5);
    }
    expect(plain.gradient.subarray(4, 20).every((g) => g === 0)).toBe(true);
    expect(plain.parameters[3]).toBe(before[3]);
    expect(plain.parameters[4]).not.toBe(before[4]);
  });
});

describe("the learning of an encoder", () => {
  it("finds parameters that raise what it is asked to raise", () => {
    const { arrays, dense } = backend();
    const shape: EncoderShape = { kind: "dense", inputs: 2, width: 8, layers: 1, span: 1, outputs: 2 };
    const encoder = new Encoder(shape, { arrays, dense });
    const learning = new EncoderLearning(encoder, { arrays, dense }, { batch: 4, dropout: 0, active: 1 });
    learning.begin({ seed: 1, examples: 4, passes: 1000, goesOn: false });
    // Two inputs, alone and together: no sum over them says when there is just one.
    const inputs = [[], [0], [1], [0, 1]].map((ids) => ({
      start: Int32Array.of(0, ids.length),
      ids: Int32Array.from(ids),
    }));
    const wanted = [0, 1, 1, 0];
    const probability = (n: number): number => {
      encoder.forward(inputs[n], 0, 1);
      const [a, b] = encoder.scores;
      return 1 / (1 + Math.exp(wanted[n] === 0 ? b - a : a - b));
    };
    for (let example = 0; example < 4000; example++) {
      const n = example % 4;
      learning.forward(inputs[n], 0, 1);
      const [a, b] = encoder.scores;
      const p = 1 / (1 + Math.exp(a - b));
      const slopes = learning.slopes(1);
      slopes[0] = (wanted[n] === 0 ? 1 : 0) - (1 - p);
      slopes[1] = (wanted[n] === 1 ? 1 : 0) - p;
      learning.backward();
      learning.exampleDone();
    }
    for (const n of wanted.keys()) expect(probability(n)).toBeGreaterThan(0.9);
  });
});
