// Dense layers and Adam in the compiled code: what they are asked for is written to one record (`DenseField`).

import type {
  AdamArrays,
  AdamStep,
  DenseArray,
  DenseEmbedding,
  DenseInputs,
  DenseLayer,
  DenseLoops,
  DropoutState,
} from "../dense.js";
import { DENSE_BYTES, DENSE_NUMBERS_AT, DenseField, DenseNumber } from "./layout.js";
import type { BlockOwner } from "./memory.js";
import type { Program } from "./program.js";

export class WasmDense implements DenseLoops {
  /** [DenseField.fields] */
  private readonly work: Int32Array;
  /** [DenseNumber.count] */
  private readonly numbers: Float64Array;

  constructor(
    private readonly program: Program,
    owner?: BlockOwner,
  ) {
    const { memory } = program;
    const { address } = memory.take(DENSE_BYTES, false, owner);
    this.work = new Int32Array(memory.buffer, address, DenseField.fields);
    this.numbers = new Float64Array(memory.buffer, address + DENSE_NUMBERS_AT, DenseNumber.count);
  }

  affine(layer: DenseLayer): void {
    this.put(layer);
    this.work[DenseField.output] = this.addressOf(layer.output, layer.outputFrom);
    this.program.code.affine(this.work.byteOffset);
  }

  affineBack(layer: DenseLayer, outputGradient: DenseArray, gradient: DenseArray, inputGradient?: DenseArray): void {
    const { work } = this;
    this.put(layer);
    work[DenseField.outputGradient] = this.addressOf(outputGradient, layer.outputFrom);
    work[DenseField.weightsGradient] = this.addressOf(gradient, layer.weightsFrom);
    work[DenseField.biasGradient] = this.addressOf(gradient, layer.biasFrom);
    work[DenseField.inputGradient] = inputGradient ? this.addressOf(inputGradient, layer.inputFrom) : 0;
    this.program.code.affineBack(work.byteOffset);
  }

  embed(
    embedding: DenseEmbedding,
    inputs: DenseInputs,
    parameters: DenseArray,
    output: DenseArray,
    outputFrom: number,
  ): void {
    const { work } = this;
    this.putInputs(embedding, inputs);
    work[DenseField.weights] = this.addressOf(parameters, 0);
    work[DenseField.bias] = this.addressOf(parameters, embedding.biasFrom);
    work[DenseField.output] = this.addressOf(output, outputFrom);
    this.program.code.embed(work.byteOffset);
  }

  embedBack(
    embedding: DenseEmbedding,
    inputs: DenseInputs,
    outputGradient: DenseArray,
    outputFrom: number,
    gradient: DenseArray,
  ): void {
    const { work } = this;
    this.putInputs(embedding, inputs);
    work[DenseField.outputGradient] = this.addressOf(outputGradient, outputFrom);
    work[DenseField.weightsGradient] = this.addressOf(gradient, 0);
    work[DenseField.biasGradient] = this.addressOf(gradient, embedding.biasFrom);
    this.program.code.embedBack(work.byteOffset);
  }

  rectify(values: DenseArray, from: number, slopes: DenseArray, count: number, dropout?: DropoutState): void {
    const { work, numbers } = this;
    work[DenseField.output] = this.addressOf(values, from);
    work[DenseField.outputGradient] = this.addressOf(slopes, 0);
    work[DenseField.count] = count;
    work[DenseField.bound] = dropout ? dropout.bound : 0;
    numbers[DenseNumber.factor] = dropout ? dropout.factor : 1;
    if (dropout) work.set(dropout.lanes, DenseField.lane0);
    this.program.code.rectify(work.byteOffset);
    if (dropout) for (let lane = 0; lane < 4; lane++) dropout.lanes[lane] = work[DenseField.lane0 + lane];
  }

  sum(to: DenseArray, toFrom: number, a: DenseArray, aFrom: number, b: DenseArray, count: number): void {
    this.putPair(to, toFrom, a, aFrom, b, count);
    this.program.code.sum(this.work.byteOffset);
  }

  multiply(to: DenseArray, toFrom: number, a: DenseArray, aFrom: number, b: DenseArray, count: number): void {
    this.putPair(to, toFrom, a, aFrom, b, count);
    this.program.code.multiply(this.work.byteOffset);
  }

  adam({ parameters, gradient, means, squares }: AdamArrays, from: number, count: number, step: AdamStep): void {
    const { work, numbers } = this;
    const { rate, beta1, beta2, epsilon, correction1, correction2 } = step;
    work[DenseField.weights] = this.addressOf(parameters, from);
    work[DenseField.weightsGradient] = this.addressOf(gradient, from);
    work[DenseField.means] = this.addressOf(means, from);
    work[DenseField.squares] = this.addressOf(squares, from);
    work[DenseField.count] = count;
    numbers[DenseNumber.rate] = rate / correction1;
    numbers[DenseNumber.beta1] = beta1;
    numbers[DenseNumber.beta2] = beta2;
    numbers[DenseNumber.rest1] = 1 - beta1;
    numbers[DenseNumber.rest2] = 1 - beta2;
    numbers[DenseNumber.squareScale] = 1 / correction2;
    numbers[DenseNumber.epsilon] = epsilon;
    this.program.code.adam(work.byteOffset);
  }

  private putPair(to: DenseArray, toFrom: number, a: DenseArray, aFrom: number, b: DenseArray, count: number): void {
    const { work } = this;
    work[DenseField.output] = this.addressOf(to, toFrom);
    work[DenseField.input] = this.addressOf(a, aFrom);
    work[DenseField.weights] = this.addressOf(b, 0);
    work[DenseField.count] = count;
  }

  private putInputs({ width }: DenseEmbedding, { start, ids, values, positions }: DenseInputs): void {
    const { work, program } = this;
    work[DenseField.inputSize] = width;
    work[DenseField.start] = program.ownAddressOf(start);
    work[DenseField.ids] = program.ownAddressOf(ids);
    work[DenseField.values] = this.addressOf(values, 0);
    work[DenseField.positions] = positions;
  }

  private put(layer: DenseLayer): void {
    const { work } = this;
    work[DenseField.input] = this.addressOf(layer.input, layer.inputFrom);
    work[DenseField.inputStride] = layer.inputStride;
    work[DenseField.inputSize] = layer.inputSize;
    work[DenseField.weights] = this.addressOf(layer.parameters, layer.weightsFrom);
    work[DenseField.bias] = this.addressOf(layer.parameters, layer.biasFrom);
    work[DenseField.outputStride] = layer.outputStride;
    work[DenseField.outputSize] = layer.outputSize;
    work[DenseField.positions] = layer.positions;
  }

  /** The address of a number of an array, all of which lie in this memory. */
  private addressOf(array: DenseArray, from: number): number {
    return this.program.ownAddressOf(array) + array.BYTES_PER_ELEMENT * from;
  }
}
