// Dense layers, embeddings, rectifiers and Adam in plain TypeScript; see `DenseLoops` for what each does.

import type { DenseLoops, DropoutState } from "../dense.js";

export const referenceDense: DenseLoops = {
  embed({ width, biasFrom }, { start, ids, values, positions }, parameters, output, outputFrom) {
    for (let p = 0; p < positions; p++) {
      const to = outputFrom + p * width;
      for (let i = 0; i < width; i++) output[to + i] = parameters[biasFrom + i];
      for (let a = start[p]; a < start[p + 1]; a++) {
        for (let i = 0; i < width; i++) output[to + i] += values[a] * parameters[ids[a] * width + i];
      }
    }
  },

  embedBack({ width, biasFrom }, { start, ids, values, positions }, outputGradient, outputFrom, gradient) {
    for (let p = 0; p < positions; p++) {
      const from = outputFrom + p * width;
      for (let i = 0; i < width; i++) gradient[biasFrom + i] += outputGradient[from + i];
      for (let a = start[p]; a < start[p + 1]; a++) {
        for (let i = 0; i < width; i++) gradient[ids[a] * width + i] += values[a] * outputGradient[from + i];
      }
    }
  },

  rectify(values, from, slopes, count, dropout) {
    for (let i = 0; i < count; i++) {
      const slope = dropout ? drawn(dropout, i & 3) : 1;
      slopes[i] = values[from + i] > 0 ? slope : 0;
      values[from + i] *= slopes[i];
    }
  },

  sum(to, toFrom, a, aFrom, b, count) {
    for (let i = 0; i < count; i++) to[toFrom + i] = a[aFrom + i] + b[i];
  },

  multiply(to, toFrom, a, aFrom, b, count) {
    for (let i = 0; i < count; i++) to[toFrom + i] = a[aFrom + i] * b[i];
  },

  affine(layer) {
    const { input, inputFrom, inputStride, inputSize, parameters, weightsFrom, biasFrom } = layer;
    const { output, outputFrom, outputStride, outputSize, positions } = layer;
    for (let p = 0; p < positions; p++) {
      const from = inputFrom + p * inputStride;
      const to = outputFrom + p * outputStride;
      for (let o = 0; o < outputSize; o++) {
        const row = weightsFrom + o * inputSize;
        let sum = 0;
        for (let i = 0; i < inputSize; i++) sum += parameters[row + i] * input[from + i];
        output[to + o] = parameters[biasFrom + o] + sum;
      }
    }
  },

  affineBack(layer, outputGradient, gradient, inputGradient) {
    const { input, inputFrom, inputStride, inputSize, parameters, weightsFrom, biasFrom } = layer;
    const { outputFrom, outputStride, outputSize, positions } = layer;
    for (let p = 0; p < positions; p++) {
      const from = inputFrom + p * inputStride;
      for (let o = 0; o < outputSize; o++) {
        const slope = outputGradient[outputFrom + p * outputStride + o];
        if (slope === 0) continue;
        const row = weightsFrom + o * inputSize;
        gradient[biasFrom + o] += slope;
        for (let i = 0; i < inputSize; i++) gradient[row + i] += slope * input[from + i];
        if (!inputGradient) continue;
        for (let i = 0; i < inputSize; i++) inputGradient[from + i] += slope * parameters[row + i];
      }
    }
  },

  adam({ parameters, gradient, means, squares }, from, count, step) {
    const { rate, beta1, beta2, epsilon, correction1, correction2 } = step;
    for (let e = from; e < from + count; e++) {
      const g = gradient[e];
      gradient[e] = 0;
      means[e] = beta1 * means[e] + (1 - beta1) * g;
      squares[e] = beta2 * squares[e] + (1 - beta2) * g * g;
      parameters[e] += (rate * (means[e] / correction1)) / (Math.sqrt(squares[e] / correction2) + epsilon);
    }
  },
};

function drawn({ bound, factor, lanes }: DropoutState, lane: number): number {
  let state = lanes[lane];
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  lanes[lane] = state;
  return state >>> 0 < bound ? 0 : factor;
}
