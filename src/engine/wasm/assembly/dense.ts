// Dense layers, embeddings, rectifiers and Adam over four lanes of f32; see src/engine/dense.ts for the formulas, `DenseField` for
// what is asked for. On the way there, four positions share each weight that is loaded, and two outputs each input: loads are what
// these loops wait for. On the way back, what is zero is left out.

import { DENSE_NUMBERS_AT, DenseField, DenseNumber } from "../layout";
import { arrayAt, int, num } from "./state";

// @ts-expect-error
@inline
function sumOf(four: v128): f32 {
  return (
    f32x4.extract_lane(four, 0) +
    f32x4.extract_lane(four, 1) +
    (f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3))
  );
}

// @ts-expect-error
@inline
function plus(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b));
}

/** output(p)[o] = bias[o] + weights[o] · input(p) */
export function affine(work: usize): void {
  const inputStride = <usize>int(work, DenseField.inputStride) << 2;
  const outputStride = <usize>int(work, DenseField.outputStride) << 2;
  const positions = int(work, DenseField.positions);
  let input = arrayAt(work, DenseField.input);
  let output = arrayAt(work, DenseField.output);
  let p = 0;
  for (; p + 4 <= positions; p += 4) {
    affineFour(work, input, inputStride, output, outputStride);
    input += inputStride << 2;
    output += outputStride << 2;
  }
  for (; p < positions; p++) {
    affineOne(work, input, output);
    input += inputStride;
    output += outputStride;
  }
}

/** Of four positions, two outputs at a time. */
function affineFour(work: usize, in0: usize, inputStride: usize, out0: usize, outputStride: usize): void {
  const bytes = <usize>int(work, DenseField.inputSize) << 2;
  const outputs = int(work, DenseField.outputSize);
  const in1 = in0 + inputStride;
  const in2 = in1 + inputStride;
  const in3 = in2 + inputStride;
  const out1 = out0 + outputStride;
  const out2 = out1 + outputStride;
  const out3 = out2 + outputStride;
  let row = arrayAt(work, DenseField.weights);
  let bias = arrayAt(work, DenseField.bias);
  let at: usize = 0;
  let o = 0;
  for (; o + 2 <= outputs; o += 2) {
    const next = row + bytes;
    let a0 = f32x4.splat(0);
    let a1 = f32x4.splat(0);
    let a2 = f32x4.splat(0);
    let a3 = f32x4.splat(0);
    let b0 = f32x4.splat(0);
    let b1 = f32x4.splat(0);
    let b2 = f32x4.splat(0);
    let b3 = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const w = v128.load(row + i);
      const v = v128.load(next + i);
      const x0 = v128.load(in0 + i);
      a0 = plus(a0, w, x0);
      b0 = plus(b0, v, x0);
      const x1 = v128.load(in1 + i);
      a1 = plus(a1, w, x1);
      b1 = plus(b1, v, x1);
      const x2 = v128.load(in2 + i);
      a2 = plus(a2, w, x2);
      b2 = plus(b2, v, x2);
      const x3 = v128.load(in3 + i);
      a3 = plus(a3, w, x3);
      b3 = plus(b3, v, x3);
    }
    const first = load<f32>(bias);
    const second = load<f32>(bias + 4);
    store<f32>(out0 + at, first + sumOf(a0));
    store<f32>(out1 + at, first + sumOf(a1));
    store<f32>(out2 + at, first + sumOf(a2));
    store<f32>(out3 + at, first + sumOf(a3));
    store<f32>(out0 + at + 4, second + sumOf(b0));
    store<f32>(out1 + at + 4, second + sumOf(b1));
    store<f32>(out2 + at + 4, second + sumOf(b2));
    store<f32>(out3 + at + 4, second + sumOf(b3));
    row = next + bytes;
    bias += 8;
    at += 8;
  }
  if (o == outputs) return;
  store<f32>(out0 + at, load<f32>(bias) + product(row, in0, bytes));
  store<f32>(out1 + at, load<f32>(bias) + product(row, in1, bytes));
  store<f32>(out2 + at, load<f32>(bias) + product(row, in2, bytes));
  store<f32>(out3 + at, load<f32>(bias) + product(row, in3, bytes));
}

/** Of one position: the same sums in the same order. */
function affineOne(work: usize, input: usize, output: usize): void {
  const bytes = <usize>int(work, DenseField.inputSize) << 2;
  const outputs = int(work, DenseField.outputSize);
  let row = arrayAt(work, DenseField.weights);
  let bias = arrayAt(work, DenseField.bias);
  let o = 0;
  for (; o + 4 <= outputs; o += 4) {
    const row1 = row + bytes;
    const row2 = row1 + bytes;
    const row3 = row2 + bytes;
    let a0 = f32x4.splat(0);
    let a1 = f32x4.splat(0);
    let a2 = f32x4.splat(0);
    let a3 = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const x = v128.load(input + i);
      a0 = plus(a0, v128.load(row + i), x);
      a1 = plus(a1, v128.load(row1 + i), x);
      a2 = plus(a2, v128.load(row2 + i), x);
      a3 = plus(a3, v128.load(row3 + i), x);
    }
    store<f32>(output, load<f32>(bias) + sumOf(a0));
    store<f32>(output + 4, load<f32>(bias + 4) + sumOf(a1));
    store<f32>(output + 8, load<f32>(bias + 8) + sumOf(a2));
    store<f32>(output + 12, load<f32>(bias + 12) + sumOf(a3));
    row = row3 + bytes;
    bias += 16;
    output += 16;
  }
  for (; o < outputs; o++) {
    store<f32>(output, load<f32>(bias) + product(row, input, bytes));
    row += bytes;
    bias += 4;
    output += 4;
  }
}

/** a · b */
// @ts-expect-error
@inline
function product(a: usize, b: usize, bytes: usize): f32 {
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) sum = plus(sum, v128.load(a + i), v128.load(b + i));
  return sumOf(sum);
}

/** The way back: gradients of weights and biases, and, where there is room for them, of inputs. */
export function affineBack(work: usize): void {
  const inputStride = <usize>int(work, DenseField.inputStride) << 2;
  const outputStride = <usize>int(work, DenseField.outputStride) << 2;
  const bytes = <usize>int(work, DenseField.inputSize) << 2;
  const outputs = int(work, DenseField.outputSize);
  const positions = int(work, DenseField.positions);
  const input = arrayAt(work, DenseField.input);
  const slopes = arrayAt(work, DenseField.outputGradient);
  const inputGradient = arrayAt(work, DenseField.inputGradient);
  let row = arrayAt(work, DenseField.weightsGradient);
  let bias = arrayAt(work, DenseField.biasGradient);
  for (let o = 0; o < outputs; o++) {
    const sum = addScaled(row, slopes + (<usize>o << 2), outputStride, positions, input, inputStride, bytes);
    store<f32>(bias, load<f32>(bias) + sum);
    row += bytes;
    bias += 4;
  }
  if (!inputGradient) return;
  const weights = arrayAt(work, DenseField.weights);
  for (let p = 0; p < positions; p++) {
    const from = slopes + <usize>p * outputStride;
    addScaled(inputGradient + <usize>p * inputStride, from, 4, outputs, weights, bytes, bytes);
  }
}

/**
 * to += Σ over n < count: slope(n) · vector(n), which lie `slopeStride` and `stride` apart; returns the sum of slopes. Rectifiers and
 * dropout leave many slopes at zero: the others are taken four at a time, so that `to` is seldom loaded and stored.
 */
function addScaled(
  to: usize,
  slopes: usize,
  slopeStride: usize,
  count: i32,
  vectors: usize,
  stride: usize,
  bytes: usize,
): f32 {
  let s0: f32 = 0;
  let s1: f32 = 0;
  let s2: f32 = 0;
  let v0 = vectors;
  let v1 = vectors;
  let v2 = vectors;
  let waiting = 0;
  let sum: f32 = 0;
  for (let n = 0; n < count; n++) {
    const slope = load<f32>(slopes);
    const vector = vectors;
    slopes += slopeStride;
    vectors += stride;
    if (slope == 0) continue;
    sum += slope;
    if (waiting == 0) {
      s0 = slope;
      v0 = vector;
    } else if (waiting == 1) {
      s1 = slope;
      v1 = vector;
    } else if (waiting == 2) {
      s2 = slope;
      v2 = vector;
    } else {
      addFour(to, bytes, v0, s0, v1, s1, v2, s2, vector, slope);
      waiting = 0;
      continue;
    }
    waiting++;
  }
  if (waiting == 1) addOne(to, bytes, v0, s0);
  else if (waiting > 1) addFour(to, bytes, v0, s0, v1, s1, v2, waiting > 2 ? s2 : 0, v0, 0);
  return sum;
}

/** to += s0 · v0 + s1 · v1 + s2 · v2 + s3 · v3 */
// @ts-expect-error
@inline
function addFour(
  to: usize,
  bytes: usize,
  v0: usize,
  s0: f32,
  v1: usize,
  s1: f32,
  v2: usize,
  s2: f32,
  v3: usize,
  s3: f32,
): void {
  const by0 = f32x4.splat(s0);
  const by1 = f32x4.splat(s1);
  const by2 = f32x4.splat(s2);
  const by3 = f32x4.splat(s3);
  for (let i: usize = 0; i < bytes; i += 16) {
    const a = plus(f32x4.mul(by0, v128.load(v0 + i)), by1, v128.load(v1 + i));
    const b = plus(f32x4.mul(by2, v128.load(v2 + i)), by3, v128.load(v3 + i));
    v128.store(to + i, f32x4.add(v128.load(to + i), f32x4.add(a, b)));
  }
}

/** to += by · from */
// @ts-expect-error
@inline
function addOne(to: usize, bytes: usize, from: usize, by: f32): void {
  const all = f32x4.splat(by);
  for (let i: usize = 0; i < bytes; i += 16) v128.store(to + i, plus(v128.load(to + i), all, v128.load(from + i)));
}

/** output(p) = bias + Σ over the inputs a at p: value(a) · embedding(a) */
export function embed(work: usize): void {
  const bytes = <usize>int(work, DenseField.inputSize) << 2;
  const positions = int(work, DenseField.positions);
  const bias = arrayAt(work, DenseField.bias);
  let output = arrayAt(work, DenseField.output);
  for (let p = 0; p < positions; p++) {
    memory.copy(output, bias, bytes);
    addInputs(work, p, output, bytes, false);
    output += bytes;
  }
}

/** The way back from the gradient at the sums: adds to those of embeddings and bias. */
export function embedBack(work: usize): void {
  const bytes = <usize>int(work, DenseField.inputSize) << 2;
  const positions = int(work, DenseField.positions);
  const bias = arrayAt(work, DenseField.biasGradient);
  let slopes = arrayAt(work, DenseField.outputGradient);
  for (let p = 0; p < positions; p++) {
    addOne(bias, bytes, slopes, 1);
    addInputs(work, p, slopes, bytes, true);
    slopes += bytes;
  }
}

/** Adds the embeddings of a position's inputs to a vector, or, on the way back, the vector to their gradients. */
// @ts-expect-error
@inline
function addInputs(work: usize, p: i32, vector: usize, bytes: usize, isBack: bool): void {
  const start = arrayAt(work, DenseField.start);
  const ids = arrayAt(work, DenseField.ids);
  const values = arrayAt(work, DenseField.values);
  const rows = arrayAt(work, isBack ? DenseField.weightsGradient : DenseField.weights);
  const end = int(start, p + 1);
  for (let a = int(start, p); a < end; a++) {
    const row = rows + <usize>int(ids, a) * bytes;
    const value = load<f32>(values + (<usize>a << 2));
    if (isBack) addOne(row, bytes, vector, value);
    else addOne(vector, bytes, row, value);
  }
}

/** values[i] ·= slopes[i], which are 0 below zero and where dropout strikes; four generators draw by turns (xorshift32). */
export function rectify(work: usize): void {
  const end = <usize>int(work, DenseField.count) << 2;
  const values = arrayAt(work, DenseField.output);
  const slopes = arrayAt(work, DenseField.outputGradient);
  const lanes = work + (<usize>DenseField.lane0 << 2);
  const bound = i32x4.splat(int(work, DenseField.bound));
  const factor = f32x4.splat(<f32>num(work + DENSE_NUMBERS_AT, DenseNumber.factor));
  const zero = f32x4.splat(0);
  const draws = int(work, DenseField.bound) != 0;
  let state = v128.load(lanes);
  for (let e: usize = 0; e < end; e += 16) {
    const value = v128.load(values + e);
    let kept = f32x4.gt(value, zero);
    if (draws) {
      state = v128.xor(state, i32x4.shl(state, 13));
      state = v128.xor(state, i32x4.shr_u(state, 17));
      state = v128.xor(state, i32x4.shl(state, 5));
      kept = v128.and(kept, i32x4.ge_u(state, bound));
    }
    const slope = v128.and(factor, kept);
    v128.store(slopes + e, slope);
    v128.store(values + e, f32x4.mul(value, slope));
  }
  v128.store(lanes, state);
}

/** output[i] = input[i] + weights[i] */
export function sum(work: usize): void {
  const end = <usize>int(work, DenseField.count) << 2;
  const to = arrayAt(work, DenseField.output);
  const a = arrayAt(work, DenseField.input);
  const b = arrayAt(work, DenseField.weights);
  for (let e: usize = 0; e < end; e += 16) v128.store(to + e, f32x4.add(v128.load(a + e), v128.load(b + e)));
}

/** output[i] = input[i] · weights[i] */
export function multiply(work: usize): void {
  const end = <usize>int(work, DenseField.count) << 2;
  const to = arrayAt(work, DenseField.output);
  const a = arrayAt(work, DenseField.input);
  const b = arrayAt(work, DenseField.weights);
  for (let e: usize = 0; e < end; e += 16) v128.store(to + e, f32x4.mul(v128.load(a + e), v128.load(b + e)));
}

/** A step of Adam on `count` parameters, a multiple of four; their gradient is cleared. */
export function adam(work: usize): void {
  const end = <usize>int(work, DenseField.count) << 2;
  const parameters = arrayAt(work, DenseField.weights);
  const gradient = arrayAt(work, DenseField.weightsGradient);
  const means = arrayAt(work, DenseField.means);
  const squares = arrayAt(work, DenseField.squares);
  const beta1 = f32x4.splat(<f32>num(work + DENSE_NUMBERS_AT, DenseNumber.beta1));
  const beta2 = f32x4.splat(<f32>num(work + DENSE_NUMBERS_AT, DenseNumber.beta2));
  const rest1 = f32x4.splat(<f32>num(work + DENSE_NUMBERS_AT, DenseNumber.rest1));
  const rest2 = f32x4.splat(<f32>num(work + DENSE_NUMBERS_AT, DenseNumber.rest2));
  const rate = f32x4.splat(<f32>num(work + DENSE_NUMBERS_AT, DenseNumber.rate));
  const scale = f32x4.splat(<f32>num(work + DENSE_NUMBERS_AT, DenseNumber.squareScale));
  const epsilon = f32x4.splat(<f32>num(work + DENSE_NUMBERS_AT, DenseNumber.epsilon));
  for (let e: usize = 0; e < end; e += 16) {
    const g = v128.load(gradient + e);
    v128.store(gradient + e, f32x4.splat(0));
    const mean = plus(f32x4.mul(beta1, v128.load(means + e)), rest1, g);
    v128.store(means + e, mean);
    const square = plus(f32x4.mul(beta2, v128.load(squares + e)), rest2, f32x4.mul(g, g));
    v128.store(squares + e, square);
    const step = f32x4.div(f32x4.mul(rate, mean), f32x4.add(f32x4.sqrt(f32x4.mul(square, scale)), epsilon));
    v128.store(parameters + e, f32x4.add(v128.load(parameters + e), step));
  }
}
