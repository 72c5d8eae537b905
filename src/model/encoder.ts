// An encoder in a model file: its shape as metadata, its parameters as matrices that other tools can read.
//   encoder.embedding F32 [inputs][width], encoder.bias [width]
//   encoder.layer.N.weight F32 [width][span · width], encoder.layer.N.bias; encoder.output.weight, encoder.output.bias

import * as v from "valibot";
import { type EncoderShape, encoderKinds, placesOf } from "../learn/encoder/shape.js";
import { countSchema, type FileParts, type PartsReader, putJson } from "./parts.js";

/** An encoder as it is kept. */
export interface KeptEncoder {
  shape: EncoderShape;
  /** See `placesOf`. */
  parameters: Float32Array;
  /** The factor of the scores. */
  scale: number;
}

/** Parameters whose scores are those of a kept encoder without being multiplied. */
export function parametersOf({ shape, parameters, scale }: KeptEncoder): Float32Array {
  const { weights } = placesOf(shape).outputs;
  return parameters.map((value, e) => (e < weights ? value : value * scale));
}

/** A file with more parameters than this is not one of ours. */
const MOST_PARAMETERS = 2 ** 28;

const positive = v.pipe(countSchema, v.minValue(1));

const encoderSchema = v.object({
  kind: v.picklist(encoderKinds),
  inputs: countSchema,
  width: v.pipe(positive, v.multipleOf(4)),
  layers: v.pipe(countSchema, v.maxValue(64)),
  span: v.pipe(
    positive,
    v.maxValue(99),
    v.check((span) => span % 2 === 1),
  ),
  outputs: positive,
  scale: v.pipe(v.number(), v.finite(), v.gtValue(0)),
});

/** The tensors of an encoder: names, shapes, and where each lies among the parameters. */
function tensorsOf(shape: EncoderShape): { name: string; from: number; sizes: number[] }[] {
  const { inputs, width } = shape;
  const places = placesOf(shape);
  const layers = [
    ...places.layers.map((place, n) => ({ name: `layer.${n}`, ...place })),
    { name: "output", ...places.outputs },
  ];
  return [
    { name: "embedding", from: 0, sizes: [inputs, width] },
    { name: "bias", from: places.bias, sizes: [width] },
    ...layers.flatMap(({ name, weights, bias, inputSize, outputSize }) => [
      { name: `${name}.weight`, from: weights, sizes: [outputSize, inputSize] },
      { name: `${name}.bias`, from: bias, sizes: [outputSize] },
    ]),
  ];
}

function countOf(sizes: readonly number[]): number {
  return sizes.reduce((product, size) => product * size, 1);
}

/** `prefix` stands before the names of what belongs to one of several. */
export function putEncoder(parts: FileParts, { shape, parameters, scale }: KeptEncoder, prefix = ""): void {
  putJson(parts, `${prefix}encoder`, { ...shape, scale });
  for (const { name, from, sizes } of tensorsOf(shape)) {
    parts.tensors[`${prefix}encoder.${name}`] = { data: parameters.slice(from, from + countOf(sizes)), shape: sizes };
  }
}

export function readEncoder(reader: PartsReader, prefix = ""): KeptEncoder | undefined {
  if (!reader.hasJson(`${prefix}encoder`)) return undefined;
  const { scale, ...shape } = reader.json(`${prefix}encoder`, encoderSchema);
  const { count } = placesOf(shape);
  if (!(count <= MOST_PARAMETERS)) throw reader.damaged("its encoder is too large");
  const parameters = new Float32Array(count);
  for (const { name, from, sizes } of tensorsOf(shape)) {
    parameters.set(reader.matrix(`${prefix}encoder.${name}`, sizes), from);
  }
  return { shape, parameters, scale };
}
