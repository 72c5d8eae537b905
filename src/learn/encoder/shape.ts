// What an encoder is made of, and where each part lies among its parameters, which are one array:
//   embedding [inputs][width], bias [width], then of each layer weights [size][span · size before] and bias [size],
//   then outputs [outputs][size before] and bias [outputs]
// Sizes of vectors are multiples of four, and each part begins at one, so that four numbers can be worked on at once.

import { generator, uniform } from "../../util/random.js";

/** `dense`: each position by itself. `conv`: residual convolutions, so that a position sees its neighbours. */
export const encoderKinds = ["dense", "conv"] as const;
export type EncoderKind = (typeof encoderKinds)[number];

export interface EncoderShape {
  kind: EncoderKind;
  /** Number of different inputs at a position. */
  inputs: number;
  /** The length of all vectors between inputs and outputs. */
  width: number;
  /** Layers after the embedding. */
  layers: number;
  /** Positions that a layer looks at, an odd number; 1 for `dense`. */
  span: number;
  /** Scores of a position. */
  outputs: number;
}

export interface LayerPlace {
  weights: number;
  bias: number;
  inputSize: number;
  outputSize: number;
}

export interface ParameterPlaces {
  /** Of the embedding: its bias; its rows begin at 0. */
  bias: number;
  layers: readonly LayerPlace[];
  outputs: LayerPlace;
  count: number;
}

export function placesOf({ inputs, width, layers, span, outputs }: EncoderShape): ParameterPlaces {
  const bias = inputs * width;
  let at = bias + width;
  const place = (inputSize: number, outputSize: number): LayerPlace => {
    const weights = at;
    at += inputSize * outputSize;
    const own = at;
    at += fours(outputSize);
    return { weights, bias: own, inputSize, outputSize };
  };
  const places = Array.from({ length: layers }, () => place(span * width, width));
  return { bias, layers: places, outputs: place(width, outputs), count: at };
}

/** The next multiple of four. */
export function fours(count: number): number {
  return (count + 3) & ~3;
}

/**
 * Draws parameters to begin with, so that vectors neither grow nor shrink from layer to layer (He et al., Delving deep into
 * rectifiers, 2015). `active` is how many inputs a position has on average; scores begin near nothing.
 */
export function drawParameters(
  shape: EncoderShape,
  active: number,
  seed: number,
  out: { [i: number]: number; fill(value: number): unknown },
): void {
  const { inputs, width } = shape;
  const { layers, outputs } = placesOf(shape);
  const random = generator(seed, PURPOSE);
  const draw = (from: number, count: number, deviation: number): void => {
    const most = deviation * Math.sqrt(3);
    for (let e = from; e < from + count; e++) out[e] = most * (2 * uniform(random) - 1);
  };
  out.fill(0);
  draw(0, inputs * width, Math.sqrt((shape.kind === "dense" ? 2 : 1) / Math.max(1, active)));
  for (const { weights, inputSize, outputSize } of layers)
    draw(weights, inputSize * outputSize, Math.sqrt(2 / inputSize));
  draw(outputs.weights, outputs.inputSize * outputs.outputSize, FIRST_SCORES / Math.sqrt(outputs.inputSize));
}

/** Tells the draws of parameters apart from others of the same seed. */
const PURPOSE = 0x656e63;
/** The deviation of scores at first, about. */
const FIRST_SCORES = 0.1;
