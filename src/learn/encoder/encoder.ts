// A small network that scores the slots of a sequence from what is seen at each position:
//   h0(p) = b + Σ over the inputs a at p: value(a) · embedding(a)                       rectified, if it is dense
//   dense:  h(p) = rectified(W h0(p) + b)      conv:  h(p) = h0(p) + rectified(W [h0(p − r) … h0(p + r)] + b)
//   scores(p) = W h(p) + b
// While it learns, dropout sets some of the rectified numbers to nothing. Where a gradient at the scores comes from, and what they
// are added to, it does not know.

import type { PositionRows } from "../../engine/backend.js";
import type { DenseArray, DenseLayer, DenseLoops } from "../../engine/dense.js";
import { mixed } from "../../util/bits.js";
import { type EncoderShape, fours, type LayerPlace, type ParameterPlaces, placesOf } from "./shape.js";

/** What an encoder works with: loops, and arrays that these work on. */
export interface EncoderBackend {
  dense: DenseLoops;
  arrays: { float32(length: number): DenseArray };
}

/** What is left out while learning. */
export interface Dropout {
  /** The share that is left out. */
  share: number;
  /** Draws which: another for each example. */
  seed: number;
}

export class Encoder {
  readonly places: ParameterPlaces;
  /** [places.count] */
  readonly parameters: DenseArray;
  /** What scores are multiplied by: 1 / the temperature. */
  scale = 1;
  /** Scores of a position begin at a multiple of this. */
  readonly outputStride: number;
  /** [layers + 1][margin + positions + margin][width] vectors; the margins are zero. */
  private vectors: DenseArray[] = [];
  /** [layers + 1][positions][width] what each rectified number was multiplied by: 0 below zero. */
  private slopes: DenseArray[] = [];
  /** [positions][width] before a residual is added. */
  private inner: DenseArray;
  /** [margin + positions + margin][width] gradients on the way back. */
  private gradients: DenseArray[] = [];
  /** [positions][outputStride] */
  scores: DenseArray;
  private room = 0;
  private length = 0;
  private readonly margin: number;

  constructor(
    readonly shape: EncoderShape,
    private readonly backend: EncoderBackend,
    parameters?: DenseArray,
  ) {
    this.places = placesOf(shape);
    this.outputStride = fours(shape.outputs);
    this.margin = shape.span >> 1;
    this.parameters = parameters ?? backend.arrays.float32(this.places.count);
    this.inner = backend.arrays.float32(4);
    this.scores = backend.arrays.float32(4);
    this.makeRoom(32);
  }

  /** Scores of the positions `from` … `from + length - 1`, into `scores`. */
  forward(rows: PositionRows, from: number, length: number, dropout?: Dropout): void {
    const { shape, places, margin } = this;
    const { width } = shape;
    if (length > this.room) this.makeRoom(2 * length);
    this.length = length;
    const { vectors, slopes } = this;
    const random = dropout && new DropoutMask(dropout);
    this.embed(rows, from, length);
    if (shape.kind === "dense") rectify(vectors[0], slopes[0], length * width, random);
    for (const [n, place] of places.layers.entries()) {
      // What is right of the sequence may hold vectors of a longer one.
      vectors[n].fill(0, (margin + length) * width, (2 * margin + length) * width);
      const layer = this.layerOf(place, n, this.inner);
      this.backend.dense.affine(layer);
      rectify(this.inner, slopes[n + 1], length * width, random);
      const to = vectors[n + 1];
      const first = margin * width;
      if (shape.kind === "dense") for (let i = 0; i < length * width; i++) to[first + i] = this.inner[i];
      else for (let i = 0; i < length * width; i++) to[first + i] = vectors[n][first + i] + this.inner[i];
    }
    this.backend.dense.affine(this.outputLayer());
  }

  /**
   * The way back from the gradient at the scores, [positions][outputStride] of those computed last: adds to the gradient of the
   * parameters, and tells which inputs have one.
   */
  backward(
    scoreGradient: DenseArray,
    gradient: DenseArray,
    rows: PositionRows,
    from: number,
    touch: (input: number) => void,
  ): void {
    const { shape, places, gradients, slopes, length, margin } = this;
    const { width } = shape;
    const { dense } = this.backend;
    const size = (2 * margin + length) * width;
    const first = margin * width;
    let [at, before] = gradients;
    at.fill(0, 0, size);
    dense.affineBack(this.outputLayer(), scoreGradient, gradient, at);
    for (let n = places.layers.length - 1; n >= 0; n--) {
      const own = slopes[n + 1];
      for (let i = 0; i < length * width; i++) this.inner[i] = at[first + i] * own[i];
      if (shape.kind === "dense") before.fill(0, 0, size);
      else for (let i = 0; i < size; i++) before[i] = at[i];
      dense.affineBack(this.layerOf(places.layers[n], n, this.inner), this.inner, gradient, before);
      // Margins are no positions: what came there goes nowhere.
      before.fill(0, 0, first);
      before.fill(0, first + length * width, size);
      [at, before] = [before, at];
    }
    if (shape.kind === "dense") for (let i = 0; i < length * width; i++) at[first + i] *= slopes[0][i];
    this.embedBack(rows, from, length, at, gradient, touch);
  }

  private layerOf(place: LayerPlace, n: number, output: DenseArray): DenseLayer {
    const { width } = this.shape;
    return {
      input: this.vectors[n],
      inputFrom: 0,
      inputStride: width,
      inputSize: place.inputSize,
      parameters: this.parameters,
      weightsFrom: place.weights,
      biasFrom: place.bias,
      output,
      outputFrom: 0,
      outputStride: width,
      outputSize: place.outputSize,
      positions: this.length,
    };
  }

  private outputLayer(): DenseLayer {
    const { width, layers } = this.shape;
    const layer = this.layerOf(this.places.outputs, layers, this.scores);
    return { ...layer, inputFrom: this.margin * width, outputStride: this.outputStride };
  }

  /** The sums of embeddings, as the first vectors. */
  private embed({ start, ids, map, values }: PositionRows, from: number, length: number): void {
    const { parameters, places, margin } = this;
    const { width } = this.shape;
    const to = this.vectors[0];
    for (let p = 0; p < length; p++) {
      const base = (margin + p) * width;
      for (let i = 0; i < width; i++) to[base + i] = parameters[places.bias + i];
      for (let a = start[from + p]; a < start[from + p + 1]; a++) {
        const input = map ? map[ids[a]] : ids[a];
        if (input < 0) continue;
        const value = values ? values[a] : 1;
        const row = input * width;
        for (let i = 0; i < width; i++) to[base + i] += value * parameters[row + i];
      }
    }
  }

  private embedBack(
    { start, ids, map, values }: PositionRows,
    from: number,
    length: number,
    slopes: DenseArray,
    gradient: DenseArray,
    touch: (input: number) => void,
  ): void {
    const { places, margin } = this;
    const { width } = this.shape;
    for (let p = 0; p < length; p++) {
      const base = (margin + p) * width;
      for (let i = 0; i < width; i++) gradient[places.bias + i] += slopes[base + i];
      for (let a = start[from + p]; a < start[from + p + 1]; a++) {
        const input = map ? map[ids[a]] : ids[a];
        if (input < 0) continue;
        touch(input);
        const value = values ? values[a] : 1;
        const row = input * width;
        for (let i = 0; i < width; i++) gradient[row + i] += value * slopes[base + i];
      }
    }
  }

  private makeRoom(length: number): void {
    const { width, layers } = this.shape;
    const { float32 } = this.backend.arrays;
    this.room = length;
    const padded = (2 * this.margin + length) * width;
    this.vectors = Array.from({ length: layers + 1 }, () => float32(padded));
    this.slopes = Array.from({ length: layers + 1 }, () => float32(length * width));
    this.gradients = [float32(padded), float32(padded)];
    this.inner = float32(length * width);
    this.scores = float32(length * this.outputStride);
  }
}

/** values[i] ·= slope, which is 0 below zero and where dropout strikes, and noted in `slopes`. */
function rectify(values: DenseArray, slopes: DenseArray, count: number, random: DropoutMask | undefined): void {
  for (let i = 0; i < count; i++) {
    const slope = random ? random.next() : 1;
    const own = values[i] > 0 ? slope : 0;
    slopes[i] = own;
    values[i] *= own;
  }
}

/** What numbers are multiplied by: 0 for a share of them, drawn by xorshift32, and as much more for the others. */
class DropoutMask {
  private state: number;
  private readonly bound: number;
  private readonly factor: number;

  constructor({ share, seed }: Dropout) {
    this.state = mixed(seed ^ 0x9e3779b9) || 1;
    this.bound = share * 2 ** 32;
    this.factor = 1 / (1 - share);
  }

  next(): number {
    let state = this.state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.state = state;
    return state >>> 0 < this.bound ? 0 : this.factor;
  }
}
