// The network of a tagger: what it sees at a position are the attributes there, what it scores are labels.
//   score(i, y) = scale · scores(i)[y]
// Attributes have no rows beside it: rows learn faster, and leave it little to learn. On handwritten letters, two folds held out,
// a network alone read more words than one beside rows.

import type { Backend } from "../../engine/backend.js";
import { Encoder } from "../../learn/encoder/encoder.js";
import { EncoderLearning } from "../../learn/encoder/learning.js";
import { type EncoderShape, fours } from "../../learn/encoder/shape.js";
import type { KeptEncoder } from "../../model/encoder.js";
import type { Corpus } from "./corpus.js";
import type { ChosenOptions } from "./options.js";

/** A network as it is kept. */
export interface TaggerEncoder extends KeptEncoder {
  /** [attributes] the input that each is, or -1. */
  inputs: Int32Array;
}

/** A network at work. */
export interface SlotEncoder {
  network: Encoder;
  inputs: Int32Array;
  learning?: EncoderLearning;
}

/** More attributes than this are not seen, the rarest ones. */
const MOST_INPUTS = 50_000;

/** Which attributes are inputs: those that are seen often enough, the commonest of them where they are many. */
export function encoderInputs(
  corpus: Corpus,
  attributes: number,
  leastCount: (attribute: number) => number,
): Int32Array {
  const counts = new Int32Array(attributes);
  for (const id of corpus.attributes.ids) counts[id]++;
  const known = Array.from(counts.keys()).filter((attribute) => counts[attribute] >= leastCount(attribute));
  if (known.length > MOST_INPUTS) known.sort((a, b) => counts[b] - counts[a] || a - b).length = MOST_INPUTS;
  const inputs = new Int32Array(attributes).fill(-1);
  for (const [input, attribute] of known.sort((a, b) => a - b).entries()) inputs[attribute] = input;
  return inputs;
}

export function encoderShape(
  { encoder, encoderLayers, encoderWidth }: ChosenOptions,
  inputs: Int32Array,
  labels: number,
): EncoderShape | undefined {
  if (encoder === "none") return undefined;
  const isDense = encoder === "dense";
  return {
    kind: encoder,
    inputs: inputs.reduce((count, input) => Math.max(count, input + 1), 0),
    width: fours(encoderWidth || (isDense ? 256 : 64)),
    // The embedding is the first layer of a dense one.
    layers: (encoderLayers || (isDense ? 2 : 3)) - (isDense ? 1 : 0),
    span: isDense ? 1 : 3,
    outputs: labels,
  };
}

/** A network that is to learn from a corpus. */
export function newEncoder(
  shape: EncoderShape,
  inputs: Int32Array,
  corpus: Corpus,
  backend: Backend,
  dropout: number,
): SlotEncoder {
  const network = new Encoder(shape, backend);
  let seen = 0;
  for (const id of corpus.attributes.ids) if (inputs[id] >= 0) seen++;
  const active = seen / Math.max(1, corpus.labels.length);
  const batch = corpus.sequenceCount < SMALL ? 4 : 8;
  return { network, inputs, learning: new EncoderLearning(network, backend, { batch, dropout, active }) };
}

/** With fewer sequences, batches are smaller. */
const SMALL = 1000;

/** One that was kept. */
export function keptEncoder({ shape, parameters, inputs, scale }: TaggerEncoder, backend: Backend): SlotEncoder {
  const network = new Encoder(shape, backend);
  network.parameters.set(parameters);
  network.scale = scale;
  return { network, inputs };
}

/** As many passes as its rate needs to come to an end: more where sequences are few. */
export function encoderPasses(sequences: number): number {
  return Math.max(10, Math.min(40, Math.round(150_000 / sequences)));
}
