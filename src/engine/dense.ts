// Loops over dense layers and what lies between them: what a network that scores slots spends its time in. Numbers are single precision; matrices lie row
// after row, vectors of positions one after the other. A convolution is a dense layer whose inputs overlap: the vectors of
// neighbouring positions lie side by side, so a window of them is one long vector.

/** Numbers of a network: single precision, or double in tests. */
export type DenseArray = Float32Array | Float64Array;

/** A layer at work on the vectors of some positions. Sizes are multiples of four, but for `outputSize`. */
export interface DenseLayer {
  /** The vector of position p begins at `inputFrom + p * inputStride` and has `inputSize` numbers. */
  input: DenseArray;
  inputFrom: number;
  inputStride: number;
  inputSize: number;
  /** [outputSize][inputSize] from `weightsFrom` on, and [outputSize] from `biasFrom` on, in one array of parameters. */
  parameters: DenseArray;
  weightsFrom: number;
  biasFrom: number;
  /** The vector of position p begins at `outputFrom + p * outputStride`. */
  output: DenseArray;
  outputFrom: number;
  outputStride: number;
  outputSize: number;
  positions: number;
}

export interface AdamStep {
  rate: number;
  /** Decay rates of the means of gradients and of their squares. */
  beta1: number;
  beta2: number;
  epsilon: number;
  /** 1 − beta^steps of each: the means start at zero and are divided by this. */
  correction1: number;
  correction2: number;
}

/** What Adam keeps: parameters, their gradient, and running means of gradients and squared gradients, all of one length. */
export interface AdamArrays {
  parameters: DenseArray;
  gradient: DenseArray;
  means: DenseArray;
  squares: DenseArray;
}

/** What is seen at positions: the inputs of position p are ids[a], with values[a], for start[p] <= a < start[p + 1]. */
export interface DenseInputs {
  start: Int32Array;
  ids: Int32Array;
  values: DenseArray;
  positions: number;
}

/** An embedding: rows [inputs][width] of parameters from 0 on, and [width] from `biasFrom` on. */
export interface DenseEmbedding {
  width: number;
  biasFrom: number;
}

/** What numbers are left out at random: those for which a generator, one for each place modulo four, draws less than `bound`. */
export interface DropoutState {
  bound: number;
  /** Factor of the values that are kept. */
  factor: number;
  /** [4] xorshift32, as signed numbers; none is zero. */
  lanes: Int32Array;
}

export interface DenseLoops {
  /** output(p) = bias + Σ over the inputs a at p: value(a) · embedding(a), from `outputFrom` on */
  embed(
    embedding: DenseEmbedding,
    inputs: DenseInputs,
    parameters: DenseArray,
    output: DenseArray,
    outputFrom: number,
  ): void;
  /** Backpropagation from the gradient at the sums, from `outputFrom` on: adds to the gradient of embeddings and bias. */
  embedBack(
    embedding: DenseEmbedding,
    inputs: DenseInputs,
    outputGradient: DenseArray,
    outputFrom: number,
    gradient: DenseArray,
  ): void;
  /**
   * values[from + i] ·= slopes[i] = 1 above zero, else 0, for i < count; with dropout, which draws new random numbers, its factor
   * or 0.
   */
  rectify(values: DenseArray, from: number, slopes: DenseArray, count: number, dropout?: DropoutState): void;
  /** to[toFrom + i] = a[aFrom + i] + b[i] */
  sum(to: DenseArray, toFrom: number, a: DenseArray, aFrom: number, b: DenseArray, count: number): void;
  /** to[toFrom + i] = a[aFrom + i] · b[i] */
  multiply(to: DenseArray, toFrom: number, a: DenseArray, aFrom: number, b: DenseArray, count: number): void;
  /** output(p)[o] = bias[o] + weights[o] · input(p) */
  affine(layer: DenseLayer): void;
  /**
   * The way back from the gradient at the outputs, which lies as `output` does in `outputGradient`:
   *   gradient of weights[o] += Σ over p: outputGradient(p)[o] · input(p), of bias[o] likewise,
   *   inputGradient(p) += Σ over o: outputGradient(p)[o] · weights[o], if asked for; it lies as `input` does.
   */
  affineBack(layer: DenseLayer, outputGradient: DenseArray, gradient: DenseArray, inputGradient?: DenseArray): void;
  /**
   * A step of Adam up the gradient of `count` parameters from `from` on; the gradient is cleared.
   *   mean <- b1 mean + (1 − b1) g,  square <- b2 square + (1 − b2) g²,  w <- w + rate (mean / c1) / (√(square / c2) + ε)
   */
  adam(arrays: AdamArrays, from: number, count: number, step: AdamStep): void;
}
