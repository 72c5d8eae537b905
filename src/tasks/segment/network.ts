// The network of a segmenter (../tag/encoder.ts): what it scores are the roles of a position in segments of each label.
//   role(k, r, y) = scale · scores(k)[ROLES · y + r]
// One that learns on has new attributes and labels, of which it says nothing at first.

import type { Alphabet } from "../../engine/alphabet.js";
import type { Backend } from "../../engine/backend.js";
import { encoderShape } from "../../learn/encoder/options.js";
import { type EncoderShape, placesOf } from "../../learn/encoder/shape.js";
import { parametersOf } from "../../model/encoder.js";
import { type AttributeEncoder, encoderInputs, inputCount, newEncoder, type SlotEncoder } from "../tag/encoder.js";
import { isLetterGram } from "./attributes.js";
import type { SegmentCorpus } from "./corpus.js";
import type { Prepared } from "./gather.js";
import type { ChosenOptions } from "./options.js";
import { ROLES } from "./rows.js";

/** Adds what the network says of positions to the scores of their roles, [positions][ROLES · labels]. */
export function addRoleScores(
  { network, learning, inputs }: SlotEncoder,
  { attributes: { start, ids } }: SegmentCorpus,
  { from, length }: { from: number; length: number },
  roleScores: Float64Array,
  isLearning: boolean,
): void {
  const seen = { start, ids, map: inputs };
  if (isLearning && learning) learning.forward(seen, from, length);
  else network.forward(seen, from, length);
  const { scores, outputStride, scale, shape } = network;
  for (let k = 0; k < length; k++) {
    for (let r = 0; r < shape.outputs; r++) roleScores[k * shape.outputs + r] += scale * scores[k * outputStride + r];
  }
}

/** The way back, of the positions scored last: adds the counts of roles to the gradient of the network. */
export function learnRoleScores({ learning }: SlotEncoder, length: number, roleCounts: Float64Array): void {
  if (!learning) return;
  const slopes = learning.slopes(length);
  const { outputStride, shape } = learning.encoder;
  for (let k = 0; k < length; k++) {
    for (let r = 0; r < shape.outputs; r++) slopes[k * outputStride + r] = roleCounts[k * shape.outputs + r];
  }
  learning.backward();
}

/** A segmenter that training begins with. */
interface Before {
  parts: { attributes: Alphabet };
  encoder?: AttributeEncoder;
}

/** Attributes that occur less often are no inputs: on held-out texts (Chinese, Finnish), a network that saw them did worse. */
const FEWEST = 4;

/** What makes a network that is to learn, if there is to be one; from one that learned from other texts, it learns on. */
export function learningNetwork(
  { parts, corpus }: Prepared,
  options: Pick<ChosenOptions, "encoder" | "encoderWidth" | "encoderLayers" | "dropout" | "minCount">,
  { from, keep }: { from?: Before; keep?: boolean },
): ((backend: Backend) => SlotEncoder) | undefined {
  const { encoder: kind, dropout } = options;
  if (kind === "none") return undefined;
  const { attributes, labels } = parts;
  const { ids } = corpus.attributes;
  const least = Math.max(FEWEST, options.minCount);
  const leastOf = (attribute: number): number =>
    isLetterGram(attributes.nameOf(attribute)) ? Number.POSITIVE_INFINITY : least;
  const before = from?.encoder?.inputs;
  const isKept = (attribute: number): boolean => keep === true && (before?.[attribute] ?? -1) >= 0;
  const inputs = encoderInputs(ids, attributes.size, leastOf, isKept);
  const shape = encoderShape(kind, options, inputCount(inputs), ROLES * labels.size);
  const start = from?.encoder && carriedParameters(from.encoder, from.parts.attributes, shape, inputs, attributes);
  const seen = { ids, positions: corpus.gold.length, examples: corpus.textCount };
  return (backend) => newEncoder(shape, inputs, seen, backend, dropout, start);
}

/** The parameters of a network in those of one with other attributes and more labels, whose layers are the same. */
function carriedParameters(
  old: AttributeEncoder,
  oldAttributes: Alphabet,
  shape: EncoderShape,
  inputs: Int32Array,
  attributes: Alphabet,
): Float32Array {
  const found = parametersOf(old);
  const places = placesOf(shape);
  const oldPlaces = placesOf(old.shape);
  const start = new Float32Array(places.count);
  const copy = (from: number, to: number, count: number): void => start.set(found.subarray(from, from + count), to);
  inputs.forEach((input, attribute) => {
    const before = input < 0 ? -1 : oldAttributes.indexOf(attributes.nameOf(attribute));
    const oldInput = before < 0 ? -1 : old.inputs[before];
    if (oldInput >= 0) copy(oldInput * shape.width, input * shape.width, shape.width);
  });
  copy(oldPlaces.bias, places.bias, oldPlaces.outputs.weights - oldPlaces.bias);
  copy(oldPlaces.outputs.weights, places.outputs.weights, old.shape.outputs * shape.width);
  copy(oldPlaces.outputs.bias, places.outputs.bias, old.shape.outputs);
  return start;
}
