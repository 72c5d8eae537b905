// A small network that scores the slots of a sequence from what is seen at each position:
//   h0(p) = b + Σ over the inputs a at p: value(a) · embedding(a)                       rectified, if it is dense
//   dense:  h(p) = rectified(W h0(p) + b)      conv:  h(p) = h0(p) + rectified(W [h0(p − r) … h0(p + r)] + b)
//   scores(p) = W h(p) + b
// While it learns, dropout sets some of the rectified numbers to nothing. Where a gradient at the scores comes from, and what they
// are added to, it does not know.

import type { PositionRows } from "../../engine/backend.js";
import type { DenseArray, DenseInputs, DenseLayer, DenseLoops, DropoutState } from "../../engine/dense.js";
import { mixed } from "../../util/bits.js";
import { type EncoderShape, fours, type LayerPlace, type ParameterPlaces, placesOf } from "./shape.js";

/** What an encoder works with: loops, and arrays that these work on. */
export interface EncoderBackend {
  dense: DenseLoops;
  arrays: { float32(length: number): DenseArray; int32(length: number): Int32Array };
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
  /** What is seen at the positions at hand. */
  private readonly seen: DenseInputs;
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
    const { float32, int32 } = backend.arrays;
    this.seen = { start: int32(64), ids: int32(256), values: float32(256), positions: 0 };
    this.makeRoom(32);
  }

  /** Scores of the positions `from` … `from + length - 1`, into `scores`. */
  forward(rows: PositionRows, from: number, length: number, dropout?: Dropout): void {
    const { shape, places, margin } = this;
    const { width } = shape;
    if (length > this.room) this.makeRoom(2 * length);
    this.length = length;
    const { vectors, slopes, inner } = this;
    const { dense } = this.backend;
    const random = dropout && dropoutState(dropout);
    const first = margin * width;
    const count = length * width;
    this.look(rows, from, length);
    dense.embed({ width, biasFrom: places.bias }, this.seen, this.parameters, vectors[0], first);
    if (shape.kind === "dense") dense.rectify(vectors[0], first, slopes[0], count, random);
    for (const [n, place] of places.layers.entries()) {
      // What is right of the sequence may hold vectors of a longer one.
      vectors[n].fill(0, (margin + length) * width, (2 * margin + length) * width);
      if (shape.kind === "dense") {
        dense.affine({ ...this.layerOf(place, n, vectors[n + 1]), outputFrom: first });
        dense.rectify(vectors[n + 1], first, slopes[n + 1], count, random);
        continue;
      }
      dense.affine(this.layerOf(place, n, inner));
      dense.rectify(inner, 0, slopes[n + 1], count, random);
      dense.sum(vectors[n + 1], first, vectors[n], first, inner, count);
    }
    dense.affine(this.outputLayer());
  }

  /**
   * The way back from the gradient at the scores, [positions][outputStride] of those computed last: adds to the gradient of the
   * parameters, and tells which inputs have one, some of them more than once.
   */
  backward(scoreGradient: DenseArray, gradient: DenseArray, touch: (input: number) => void): void {
    const { shape, places, gradients, slopes, length, margin, seen } = this;
    const { width } = shape;
    const { dense } = this.backend;
    const size = (2 * margin + length) * width;
    const first = margin * width;
    const count = length * width;
    let [at, before] = gradients;
    at.fill(0, 0, size);
    dense.affineBack(this.outputLayer(), scoreGradient, gradient, at);
    for (let n = places.layers.length - 1; n >= 0; n--) {
      dense.multiply(this.inner, 0, at, first, slopes[n + 1], count);
      if (shape.kind === "dense") before.fill(0, 0, size);
      else before.set(at.subarray(0, size));
      dense.affineBack(this.layerOf(places.layers[n], n, this.inner), this.inner, gradient, before);
      // Margins are no positions: what came there goes nowhere.
      before.fill(0, 0, first);
      before.fill(0, first + count, size);
      [at, before] = [before, at];
    }
    if (shape.kind === "dense") dense.multiply(at, first, at, first, slopes[0], count);
    dense.embedBack({ width, biasFrom: places.bias }, seen, at, first, gradient);
    for (let a = 0; a < seen.start[length]; a++) touch(seen.ids[a]);
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

  /** Lists what is seen at the positions at hand. */
  private look({ start, ids, map, values }: PositionRows, from: number, length: number): void {
    const { seen } = this;
    const { float32, int32 } = this.backend.arrays;
    const most = start[from + length] - start[from];
    if (seen.start.length <= length) seen.start = int32(2 * length + 1);
    if (seen.ids.length < most) {
      seen.ids = int32(2 * most);
      seen.values = float32(2 * most);
    }
    let count = 0;
    for (let p = 0; p < length; p++) {
      seen.start[p] = count;
      for (let a = start[from + p]; a < start[from + p + 1]; a++) {
        const input = map ? map[ids[a]] : ids[a];
        if (input < 0) continue;
        seen.ids[count] = input;
        seen.values[count++] = values ? values[a] : 1;
      }
    }
    seen.start[length] = count;
    seen.positions = length;
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

/** As much more of the numbers that are left, so that sums stay the same on average. */
function dropoutState({ share, seed }: Dropout): DropoutState {
  const lanes = Int32Array.from({ length: 4 }, (_, lane) => mixed(mixed(seed ^ 0x9e3779b9) + lane) || 1);
  return { bound: Math.floor(share * 2 ** 32), factor: 1 / (1 - share), lanes };
}
