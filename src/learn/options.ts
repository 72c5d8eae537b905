// What can be chosen of every training.

import { USUAL_SURE } from "../engine/inference.js";
import { choice, flag, readOptions, real, share, whole } from "../util/options.js";
import type { TrainingOptions } from "./option-types.js";

export type { TrainingOptions } from "./option-types.js";

/**
 * The limits: a first step of AdaGrad moves a weight by the whole of `rate`, and weights beyond 100 are certainty itself; a
 * penalty beyond a million holds every weight at nothing.
 */
export const trainingOptions = {
  passes: whole("maximum number of passes over the examples", { least: 1, usual: 20, aliases: ["epochs"] }),
  seed: whole("random seed", { usual: 1 }),
  rate: real("step size", { least: 0, above: true, most: 100, usual: 0.2 }),
  delta: real("added to AdaGrad's sums of squares: larger values make the first steps smaller", {
    least: 0,
    above: true,
    usual: 1e-4,
    flag: false,
  }),
  l2: real("strength of L2 regularisation: (l2 / 2) · |weights|² is subtracted from the log-likelihood", {
    least: 0,
    most: 1e6,
    otherwise: "chosen on held-out data",
  }),
  l1: real("strength of L1 regularisation", { least: 0, most: 1e6, usual: 0 }),
  heldOut: share("share of the examples held out to choose the best pass; 0 for none", { usual: 0.1 }),
  patience: whole("passes without improvement on the held-out part before training stops", { least: 0, usual: 3 }),
  average: flag("average the weights over about the second half of the passes", {
    usual: true,
    off: "do not average the weights",
  }),
  truncate: real("randomly round gradient entries below this to 0 or ±this (smaller model)", {
    least: 0,
    most: 1,
    usual: 0,
  }),
  select: choice("measure that chooses the best pass", ["likelihood", "accuracy", "f1"], {
    usual: "likelihood",
    value: "measure",
  }),
};

/** What can be chosen of a training that chooses: in place of the same of `trainingOptions`. */
export const choosingOptions = {
  heldOut: share("share of the examples held out to choose settings; 0 for none", {
    otherwise: "a tenth, up to a fifth of few examples; below 500 examples, cross-validation",
  }),
  refit: flag("when all settings are chosen, train on the held-out part too", {
    usual: true,
    off: "keep the model as evaluated; do not train on the held-out part",
  }),
};

/** For models that may have a range of contexts. */
export const budgetOptions = {
  sure: real("with a range of contexts: do not search again if the output has at least this probability", {
    least: 0,
    most: 1,
    usual: USUAL_SURE,
    value: "share",
  }),
};

/** Checks the options of a training and fills in defaults; the data must have chosen `l2` by now, or it is 0. */
export function readTrainingOptions(given: Partial<TrainingOptions>): TrainingOptions {
  const options = readOptions(trainingOptions, given);
  return { ...options, l2: options.l2 ?? 0 };
}
