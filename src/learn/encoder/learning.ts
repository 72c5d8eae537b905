// How an encoder learns: gradients of a few examples are summed (a batch), in their order, and Adam takes a step along the sum.
// The rate rises at first and then falls in a straight line:
//   rate(step) = RATE · min(1, step / WARM_UP) · (1 − (1 − LAST) · step / steps)
// So the end of a training is decided at its beginning, and what it learned is judged at the end.

import type { PositionRows } from "../../engine/backend.js";
import type { AdamArrays, DenseArray } from "../../engine/dense.js";
import { mixed } from "../../util/bits.js";
import type { EncoderStart, EncoderState, LearningEncoder } from "../learner.js";
import type { Encoder, EncoderBackend } from "./encoder.js";
import { drawParameters } from "./shape.js";

const RATE = 2e-3;
const WARM_UP = 200;
/** What is left of the rate at the end. */
const LAST = 0.02;
/** What a training that goes on with other examples begins with. */
const GO_ON = 0.2;
const BETA1 = 0.9;
const BETA2 = 0.99;
const EPSILON = 1e-4;

export interface EncoderLearningOptions {
  /** Examples of a batch. */
  batch: number;
  /** The share of numbers between layers that are left out while learning. */
  dropout: number;
  /** Inputs of a position, on average. */
  active: number;
  /** Parameters to begin with, in place of drawn ones. */
  start?: Float32Array;
}

export class EncoderLearning implements LearningEncoder {
  private readonly arrays: AdamArrays;
  /** [positions][outputStride] the gradient at the scores. */
  private scoreGradient: DenseArray;
  /** Inputs whose embeddings have a gradient, and [inputs] 1 for these. */
  private readonly touched: number[] = [];
  private readonly isTouched: Uint8Array;
  /** Steps so far, of as many as there will be, and examples of the batch at hand. */
  private step = 0;
  private steps = 1;
  private inBatch = 0;
  private seed = 1;
  private first = 1;

  constructor(
    readonly encoder: Encoder,
    private readonly backend: EncoderBackend,
    private readonly options: EncoderLearningOptions,
  ) {
    const { float32 } = backend.arrays;
    const { count } = encoder.places;
    const { parameters } = encoder;
    this.arrays = { parameters, gradient: float32(count), means: float32(count), squares: float32(count) };
    this.scoreGradient = float32(encoder.outputStride);
    this.isTouched = new Uint8Array(encoder.shape.inputs);
  }

  get scale(): number {
    return this.encoder.scale;
  }

  set scale(scale: number) {
    this.encoder.scale = scale;
  }

  /** What the examples of the batch at hand have added so far. */
  get gradient(): DenseArray {
    return this.arrays.gradient;
  }

  get isBetweenBatches(): boolean {
    return this.inBatch === 0;
  }

  begin({ seed, examples, passes, goesOn }: EncoderStart): void {
    const { arrays, encoder, options } = this;
    if (!goesOn && options.start) arrays.parameters.set(options.start);
    else if (!goesOn) drawParameters(encoder.shape, options.active, seed, arrays.parameters);
    for (const name of ["gradient", "means", "squares"] as const) arrays[name].fill(0);
    this.forget();
    encoder.scale = 1;
    this.seed = seed;
    this.step = 0;
    this.first = goesOn || options.start ? GO_ON : 1;
    this.steps = Math.max(1, Math.ceil(examples / options.batch) * passes);
  }

  /** Scores of an example to learn from, with dropout. */
  forward(rows: PositionRows, from: number, length: number): void {
    const { step, inBatch, seed, options } = this;
    const drawn = mixed(mixed(seed) ^ (step * options.batch + inBatch));
    this.encoder.forward(rows, from, length, { share: options.dropout, seed: drawn });
  }

  /** The array for the gradient at the scores, [length][outputStride], all zero. */
  slopes(length: number): DenseArray {
    const size = length * this.encoder.outputStride;
    if (this.scoreGradient.length < size) this.scoreGradient = this.backend.arrays.float32(2 * size);
    this.scoreGradient.fill(0, 0, size);
    return this.scoreGradient;
  }

  /** Adds the gradient of the example whose scores were computed last, of which `slopes` holds the gradient at the scores. */
  backward(): void {
    this.encoder.backward(this.scoreGradient, this.arrays.gradient, (input) => {
      if (this.isTouched[input]) return;
      this.isTouched[input] = 1;
      this.touched.push(input);
    });
  }

  exampleDone(isLast = false): void {
    if (!isLast) this.inBatch++;
    if (this.inBatch === 0 || (this.inBatch < this.options.batch && !isLast)) return;
    this.stepAlong();
  }

  private stepAlong(): void {
    const { arrays, encoder, touched } = this;
    const { width } = encoder.shape;
    const { bias, count } = encoder.places;
    const { dense } = this.backend;
    this.step++;
    const { step } = this;
    const rate = RATE * this.first * Math.min(1, step / WARM_UP) * (1 - (1 - LAST) * Math.min(1, step / this.steps));
    const settings = {
      rate,
      beta1: BETA1,
      beta2: BETA2,
      epsilon: EPSILON,
      correction1: 1 - BETA1 ** step,
      correction2: 1 - BETA2 ** step,
    };
    dense.adam(arrays, bias, count - bias, settings);
    // Embeddings of inputs that were not seen rest, and so do their means.
    for (const input of touched) dense.adam(arrays, input * width, width, settings);
    this.forget();
  }

  private forget(): void {
    for (const input of this.touched) this.isTouched[input] = 0;
    this.touched.length = 0;
    this.inBatch = 0;
  }

  state(): EncoderState {
    const { parameters, means, squares } = this.arrays;
    const copy = (array: DenseArray): Float32Array => Float32Array.from(array);
    return { parameters: copy(parameters), means: copy(means), squares: copy(squares), step: this.step };
  }

  restore({ parameters, means, squares, step }: EncoderState): void {
    const { arrays } = this;
    arrays.parameters.set(parameters);
    arrays.means.set(means);
    arrays.squares.set(squares);
    this.step = step;
  }
}
