// A network that sees the attributes of positions. What it scores are the labels of a tagger
//   score(i, y) = scale · scores(i)[y]
// or whatever else a task decides by positions. Attributes have no rows beside it: rows learn faster, and leave it little to learn.
// On handwritten letters, two folds held out, a network alone read more words than one beside rows.

import type { Backend } from "../../engine/backend.js";
import { Encoder } from "../../learn/encoder/encoder.js";
import { EncoderLearning } from "../../learn/encoder/learning.js";
import { encoderBatch } from "../../learn/encoder/options.js";
import type { EncoderShape } from "../../learn/encoder/shape.js";
import { type KeptEncoder, putEncoder, readEncoder } from "../../model/encoder.js";
import type { FileParts, PartsReader } from "../../model/parts.js";

/** A network as it is kept. */
export interface AttributeEncoder extends KeptEncoder {
  /** [attributes] the input that each is, or -1. */
  inputs: Int32Array;
}

/** A network at work. */
export interface SlotEncoder {
  network: Encoder;
  inputs: Int32Array;
  learning?: EncoderLearning;
}

/** What a network is to learn from. */
interface SeenAttributes {
  /** Attributes of all positions. */
  ids: Int32Array;
  positions: number;
  examples: number;
}

/** More attributes than this are not seen, the rarest ones. */
const MOST_INPUTS = 50_000;

/**
 * Which attributes are inputs: those that are kept, and those that are seen often enough, the commonest of them where they are
 * many.
 */
export function encoderInputs(
  ids: Int32Array,
  attributes: number,
  leastCount: (attribute: number) => number,
  isKept: (attribute: number) => boolean = () => false,
): Int32Array {
  const counts = new Int32Array(attributes);
  for (const id of ids) counts[id]++;
  const all = Array.from(counts.keys());
  const kept = all.filter(isKept);
  const known = all.filter((attribute) => !isKept(attribute) && counts[attribute] >= leastCount(attribute));
  const most = Math.max(0, MOST_INPUTS - kept.length);
  if (known.length > most) known.sort((a, b) => counts[b] - counts[a] || a - b).length = most;
  const inputs = new Int32Array(attributes).fill(-1);
  for (const [input, attribute] of [...kept, ...known].sort((a, b) => a - b).entries()) inputs[attribute] = input;
  return inputs;
}

/** How many inputs there are. */
export function inputCount(inputs: Int32Array): number {
  return inputs.reduce((count, input) => Math.max(count, input + 1), 0);
}

/** A network that is to learn; `start`: the parameters of one that learned from other examples. */
export function newEncoder(
  shape: EncoderShape,
  inputs: Int32Array,
  { ids, positions, examples }: SeenAttributes,
  backend: Backend,
  dropout: number,
  start?: Float32Array,
): SlotEncoder {
  const network = new Encoder(shape, backend);
  let seen = 0;
  for (const id of ids) if (inputs[id] >= 0) seen++;
  const active = seen / Math.max(1, positions);
  const batch = encoderBatch(examples);
  return { network, inputs, learning: new EncoderLearning(network, backend, { batch, dropout, active, start }) };
}

/** One that was kept. */
export function keptEncoder({ shape, parameters, inputs, scale }: AttributeEncoder, backend: Backend): SlotEncoder {
  const network = new Encoder(shape, backend);
  network.parameters.set(parameters);
  network.scale = scale;
  return { network, inputs };
}

/** One that has learned, as it is kept. */
export function keptOf(encoder: SlotEncoder | undefined): AttributeEncoder | undefined {
  if (!encoder) return undefined;
  const { network, inputs } = encoder;
  const { shape, parameters, scale } = network;
  return { shape, parameters: Float32Array.from(parameters), inputs, scale: Math.fround(scale) };
}

/** `inputs`: of the attributes that the file has, in their order. */
export function putAttributeEncoder(parts: FileParts, encoder: KeptEncoder, inputs: readonly number[]): void {
  putEncoder(parts, encoder);
  parts.tensors["encoder.inputs"] = { data: Int32Array.from(inputs) };
}

/** The network of a file of so many attributes, if it has one, which must have so many `outputs`. */
export function readAttributeEncoder(
  reader: PartsReader,
  attributes: number,
  outputs: number,
): AttributeEncoder | undefined {
  const encoder = readEncoder(reader);
  if (!encoder) return undefined;
  const inputs = reader.integers("encoder.inputs");
  if (encoder.shape.outputs !== outputs) throw reader.damaged("its encoder scores other labels");
  if (inputs.length !== attributes || inputs.some((input) => input < -1 || input >= encoder.shape.inputs)) {
    throw reader.damaged("its encoder has other inputs than attributes");
  }
  return { ...encoder, inputs };
}
