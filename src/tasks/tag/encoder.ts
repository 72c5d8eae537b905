// The network of a tagger: what it sees at a position are the attributes there, what it scores are labels.
//   score(i, y) = scale · scores(i)[y]
// Attributes have no rows beside it: rows learn faster, and leave it little to learn. On handwritten letters, two folds held out,
// a network alone read more words than one beside rows.

import type { Backend } from "../../engine/backend.js";
import { Encoder } from "../../learn/encoder/encoder.js";
import { EncoderLearning } from "../../learn/encoder/learning.js";
import { encoderBatch } from "../../learn/encoder/options.js";
import type { EncoderShape } from "../../learn/encoder/shape.js";
import type { KeptEncoder } from "../../model/encoder.js";
import type { Corpus } from "./corpus.js";

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

/** How many inputs there are. */
export function inputCount(inputs: Int32Array): number {
  return inputs.reduce((count, input) => Math.max(count, input + 1), 0);
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
  const batch = encoderBatch(corpus.sequenceCount);
  return { network, inputs, learning: new EncoderLearning(network, backend, { batch, dropout, active }) };
}

/** One that was kept. */
export function keptEncoder({ shape, parameters, inputs, scale }: TaggerEncoder, backend: Backend): SlotEncoder {
  const network = new Encoder(shape, backend);
  network.parameters.set(parameters);
  network.scale = scale;
  return { network, inputs };
}
