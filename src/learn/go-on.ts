// Options for learning from a few more examples alone, starting from a trained model. AdaGrad's first steps are long, however
// small the gradient: w += rate · g / √(delta + Σ g²). A large delta makes them as short as they are late in a training, so
// that the new examples add to what the model knows instead of taking its place; three passes, nothing held out.

import type { TrainingOptions } from "./training.js";

const DELTA = 100;
const PASSES = 3;

/** Options of a model for a training that begins with it. */
export function goOnOptions<O extends Omit<TrainingOptions, "l2">>(options: O): O {
  return { ...options, delta: Math.max(options.delta, DELTA), passes: PASSES, heldOut: 0 };
}
