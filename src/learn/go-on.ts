// Options for learning from a few more examples alone, starting from a trained model. AdaGrad's first steps are long, however
// small the gradient: w += rate · g / √(delta + Σ g²). A large delta makes them as short as they are late in a training, so
// that the new examples add to what the model knows instead of taking its place; three passes, nothing held out.

import { InputError } from "../util/errors.js";
import type { TrainingOptions } from "./training.js";

/** For a step size of 0.2; it grows with the square of that, so that the steps are the same. */
const DELTA = 100;
const RATE = 0.2;
const PASSES = 3;

/** Options of a model for a training that begins with it. */
export function goOnOptions<O extends Pick<TrainingOptions, "delta" | "rate" | "passes" | "heldOut">>(options: O): O {
  const delta = Math.max(options.delta, DELTA * (options.rate / RATE) ** 2);
  return { ...options, delta, passes: PASSES, heldOut: 0 };
}

/** That an option is another than that of the model. */
export function cannotChange(name: string, value: unknown, own: unknown): InputError {
  return new InputError(
    `option \`${name}\` cannot change when training continues from a model (${value}; the model has ${own})`,
    { hint: "leave it out" },
  );
}
