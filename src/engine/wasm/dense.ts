// Dense layers and Adam in the compiled code: what they are asked for is written to one record (`DenseField`).

import type { AdamArrays, AdamStep, DenseArray, DenseLayer, DenseLoops } from "../dense.js";
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
