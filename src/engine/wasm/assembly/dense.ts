// Dense layers and Adam over four lanes of f32; see src/engine/dense.ts for the formulas, `DenseField` for what is asked for.
// Four positions share each weight that is loaded, and two outputs each input: loads are what these loops wait for.

import { DENSE_NUMBERS_AT, DenseField, DenseNumber } from "../layout";
import { int, num } from "./state";

// @ts-expect-error
@inline
function asked(work: usize, field: i32): i32 {
  return int(work, field);
}
// @ts-expect-error
@inline
function askedArray(work: usize, field: i32): usize {
  return <usize>int(work, field);
}
// @ts-expect-error
@inline
function askedNumber(work: usize, field: i32): f32 {
  return <f32>num(work + DENSE_NUMBERS_AT, field);
}

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
  const inputStride = <usize>asked(work, DenseField.inputStride) << 2;
  const outputStride = <usize>asked(work, DenseField.outputStride) << 2;
  const positions = asked(work, DenseField.positions);
  let input = askedArray(work, DenseField.input);
  let output = askedArray(work, DenseField.output);
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
  const bytes = <usize>asked(work, DenseField.inputSize) << 2;
  const outputs = asked(work, DenseField.outputSize);
  const in1 = in0 + inputStride;
  const in2 = in1 + inputStride;
  const in3 = in2 + inputStride;
  const out1 = out0 + outputStride;
  const out2 = out1 + outputStride;
  const out3 = out2 + outputStride;
  let row = askedArray(work, DenseField.weights);
  let bias = askedArray(work, DenseField.bias);
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
  const bytes = <usize>asked(work, DenseField.inputSize) << 2;
  const outputs = asked(work, DenseField.outputSize);
  let row = askedArray(work, DenseField.weights);
  let bias = askedArray(work, DenseField.bias);
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
  const inputStride = <usize>asked(work, DenseField.inputStride) << 2;
  const outputStride = <usize>asked(work, DenseField.outputStride) << 2;
  const bytes = <usize>asked(work, DenseField.inputSize) << 2;
  const outputs = asked(work, DenseField.outputSize);
  const positions = asked(work, DenseField.positions);
  const input = askedArray(work, DenseField.input);
  const slopes = askedArray(work, DenseField.outputGradient);
  const inputGradient = askedArray(work, DenseField.inputGradient);
  for (let p = 0; p < positions; p += 4) {
    const count = min(4, positions - p);
    const those = input + <usize>p * inputStride;
    const from = slopes + <usize>p * outputStride;
    let row = askedArray(work, DenseField.weightsGradient);
    let bias = askedArray(work, DenseField.biasGradient);
    for (let o = 0; o < outputs; o++) {
      const slope = from + (<usize>o << 2);
      const s0 = load<f32>(slope);
      const s1 = count > 1 ? load<f32>(slope + outputStride) : 0;
      const s2 = count > 2 ? load<f32>(slope + 2 * outputStride) : 0;
      const s3 = count > 3 ? load<f32>(slope + 3 * outputStride) : 0;
      if (s0 != 0 || s1 != 0 || s2 != 0 || s3 != 0) {
        store<f32>(bias, load<f32>(bias) + ((s0 + s1) + (s2 + s3)));
        if (count == 4) addFour(row, those, inputStride, bytes, s0, s1, s2, s3);
        else {
          addOne(row, those, bytes, s0);
          if (count > 1) addOne(row, those + inputStride, bytes, s1);
          if (count > 2) addOne(row, those + 2 * inputStride, bytes, s2);
        }
      }
      row += bytes;
      bias += 4;
    }
  }
  if (!inputGradient) return;
  const weights = askedArray(work, DenseField.weights);
  for (let p = 0; p < positions; p++) {
    addRows(inputGradient + <usize>p * inputStride, slopes + <usize>p * outputStride, weights, bytes, outputs);
  }
}

/** to += s0 · from + s1 · (the next) + … */
// @ts-expect-error
@inline
function addFour(to: usize, from: usize, stride: usize, bytes: usize, s0: f32, s1: f32, s2: f32, s3: f32): void {
  const by0 = f32x4.splat(s0);
  const by1 = f32x4.splat(s1);
  const by2 = f32x4.splat(s2);
  const by3 = f32x4.splat(s3);
  const from1 = from + stride;
  const from2 = from1 + stride;
  const from3 = from2 + stride;
  for (let i: usize = 0; i < bytes; i += 16) {
    const a = plus(f32x4.mul(by0, v128.load(from + i)), by1, v128.load(from1 + i));
    const b = plus(f32x4.mul(by2, v128.load(from2 + i)), by3, v128.load(from3 + i));
    v128.store(to + i, f32x4.add(v128.load(to + i), f32x4.add(a, b)));
  }
}

/** to += by · from */
// @ts-expect-error
@inline
function addOne(to: usize, from: usize, bytes: usize, by: f32): void {
  if (by == 0) return;
  const all = f32x4.splat(by);
  for (let i: usize = 0; i < bytes; i += 16) v128.store(to + i, plus(v128.load(to + i), all, v128.load(from + i)));
}

/** to += Σ over o: slopes[o] · rows[o], those that are not zero four at a time. */
function addRows(to: usize, slopes: usize, rows: usize, bytes: usize, outputs: i32): void {
  let o = 0;
  for (; o + 4 <= outputs; o += 4) {
    const slope = slopes + (<usize>o << 2);
    if (!v128.any_true(f32x4.ne(v128.load(slope), f32x4.splat(0)))) continue;
    addFour(
      to,
      rows + <usize>o * bytes,
      bytes,
      bytes,
      load<f32>(slope),
      load<f32>(slope + 4),
      load<f32>(slope + 8),
      load<f32>(slope + 12),
    );
  }
  for (; o < outputs; o++) addOne(to, rows + <usize>o * bytes, bytes, load<f32>(slopes + (<usize>o << 2)));
}

/** A step of Adam on `count` parameters, a multiple of four; their gradient is cleared. */
export function adam(work: usize): void {
  const end = <usize>asked(work, DenseField.count) << 2;
  const parameters = askedArray(work, DenseField.weights);
  const gradient = askedArray(work, DenseField.weightsGradient);
  const means = askedArray(work, DenseField.means);
  const squares = askedArray(work, DenseField.squares);
  const beta1 = f32x4.splat(askedNumber(work, DenseNumber.beta1));
  const beta2 = f32x4.splat(askedNumber(work, DenseNumber.beta2));
  const rest1 = f32x4.splat(askedNumber(work, DenseNumber.rest1));
  const rest2 = f32x4.splat(askedNumber(work, DenseNumber.rest2));
  const rate = f32x4.splat(askedNumber(work, DenseNumber.rate));
  const scale = f32x4.splat(askedNumber(work, DenseNumber.squareScale));
  const epsilon = f32x4.splat(askedNumber(work, DenseNumber.epsilon));
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
