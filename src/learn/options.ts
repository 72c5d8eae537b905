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
  passes: whole("passes over the examples, at most", { least: 1, usual: 20, aliases: ["epochs"] }),
  seed: whole("seed of everything random", { usual: 1 }),
  rate: real("step size", { least: 0, above: true, most: 100, usual: 0.2 }),
  delta: real("added to AdaGrad's sums of squares: the larger, the shorter the first steps", {
    least: 0,
    above: true,
    usual: 1e-4,
    flag: false,
  }),
  l2: real("strength of L2 regularisation: (l2 / 2) · |weights|² is taken from the log-likelihood", {
    least: 0,
    most: 1e6,
    otherwise: "chosen on held-out data",
  }),
  l1: real("strength of L1 regularisation", { least: 0, most: 1e6, usual: 0 }),
  heldOut: share("share held out to choose the best pass; 0 for none", { usual: 0.1 }),
  patience: whole("passes without improvement on the held-out part before training stops", { least: 0, usual: 3 }),
  average: flag("average the weights over about the later half of the passes", {
    usual: true,
    off: "do not average the weights over each pass",
  }),
  truncate: real("randomly round gradient entries below this to 0 or ±this: a smaller model", {
    least: 0,
    most: 1,
    usual: 0,
  }),
  select: choice("what the best pass is chosen by", ["likelihood", "accuracy", "f1"], {
    usual: "likelihood",
    value: "measure",
  }),
};

/** What can be chosen of a training that chooses: in place of the same of `trainingOptions`. */
export const choosingOptions = {
  heldOut: share("share held out to choose by; 0 for none", {
    otherwise: "a tenth or, of few examples, up to a fifth; of fewer than 500, each fifth in turn (cross-validation)",
  }),
  refit: flag("when everything is chosen, learn from the held-out part, too", {
    usual: true,
    off: "keep the model that was judged by the held-out part, without learning from that",
  }),
};

/** For models that may have a range of contexts. */
export const budgetOptions = {
  sure: real("with a range of contexts: an output this probable is sure enough, and is not searched for again", {
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
