// What can be chosen of an encoder, whichever task it scores slots for, and what follows from the data: its shape, batches, passes.

import { real, whole } from "../../util/options.js";
import { type EncoderKind, type EncoderShape, fours } from "./shape.js";

export const encoderOptions = {
  encoderWidth: whole("width of a layer, rounded up to a multiple of four; 0: 256 if dense, 64 if conv", {
    least: 0,
    most: 4096,
    usual: 0,
  }),
  encoderLayers: whole("number of layers; 0: 2 if dense, 3 if conv", { least: 0, most: 64, usual: 0 }),
  dropout: real("share of a layer that is dropped at random in training", {
    least: 0,
    most: 0.9,
    usual: 0.4,
  }),
};

/** The shape of a network of some inputs and outputs. */
export function encoderShape(
  kind: EncoderKind,
  { encoderLayers, encoderWidth }: { encoderLayers: number; encoderWidth: number },
  inputs: number,
  outputs: number,
): EncoderShape {
  const isDense = kind === "dense";
  return {
    kind,
    inputs,
    width: fours(encoderWidth || (isDense ? 256 : 64)),
    // The embedding is the first layer of a dense one.
    layers: (encoderLayers || (isDense ? 2 : 3)) - (isDense ? 1 : 0),
    span: isDense ? 1 : 3,
    outputs,
  };
}

/** With fewer examples, batches are smaller. */
const SMALL = 1000;

/** Examples of a batch. */
export function encoderBatch(examples: number): number {
  return examples < SMALL ? 4 : 8;
}

/** As many passes as its rate needs to come to an end: more where examples are few. `learned`: examples of all passes, about. */
export function encoderPasses(examples: number, learned: number): number {
  return Math.max(10, Math.min(40, Math.round(learned / examples)));
}
