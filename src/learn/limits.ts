// What the options of a training may be, for everything that trains.

import { OptionChecks } from "../util/checks.js";
import type { TrainingOptions } from "./training.js";

/**
 * A first step of AdaGrad moves a weight by the whole of `rate`, and weights beyond this are certainty itself; a penalty
 * beyond this holds every weight at nothing.
 */
export const trainingLimits = { rate: 100, l2: 1e6, l1: 1e6 } as const;

/** Refuses options out of range, by name. An L2 penalty that is to be chosen by the data is open. */
export function checkTrainingOptions(options: Omit<TrainingOptions, "l2"> & { l2?: number }): void {
  const checks = new OptionChecks(options);
  checks.whole("passes", 1);
  checks.whole("patience", 0);
  checks.whole("seed");
  checks.between("rate", Number.MIN_VALUE, trainingLimits.rate);
  checks.between("delta", Number.MIN_VALUE, Number.MAX_VALUE);
  checks.between("l2", 0, trainingLimits.l2);
  checks.between("l1", 0, trainingLimits.l1);
  checks.between("truncate", 0, 1);
  checks.share("heldOut");
  checks.oneOf("select", ["likelihood", "accuracy"]);
}
