// How sure is sure enough: a cut-off above which a model keeps a promised precision, found on held-out examples and kept in
// the model with its evidence and a calibration map.

import type { Calibration, Guarantee } from "../confidence/calibration.js";
import { chooseMap } from "../confidence/calibration-map.js";
import { findThreshold, type NoThreshold, whyNoThreshold } from "../confidence/threshold.js";
import type { Predictor } from "../tasks/task.js";
import { readOptions, real, whole } from "../util/options.js";
import { asTheyCome, type Examples } from "./examples.js";
import { type Judged, judge } from "./judge.js";
import { learningTaskOf } from "./model.js";

const openShare = (description: string) => real(description, { least: 0, above: true, below: 1, value: "share" });

export const calibrateOptions = {
  precision: openShare("share of the answers that is to be right"),
  confidence: real("probability that the promise is true", {
    least: 0,
    above: true,
    below: 1,
    value: "share",
    usual: 0.95,
  }),
  seed: whole("chooses the examples that place the cut-offs", { least: 0, usual: 1 }),
};

export interface CalibrateOptions {
  /** Share of the answers that is to be right, between 0 and 1. */
  precision: number;
  /**
   * Probability, over the draw of the examples, that the promise is true.
   * @default 0.95
   */
  confidence?: number;
  /** @default 1 */
  seed?: number;
}

/** What came of it. If the promise can be made, the model has it from now on; if not, it is unchanged. */
export type Calibrated = { examples: number; partial: number } & (
  | { promised: true; guarantee: Guarantee; chosen: ReturnType<typeof chooseMap> }
  | { promised: false; why: NoThreshold }
);

/** Calibrates a model on examples that it was not trained on, drawn like the data it will be used on. */
export async function calibrate(
  model: Predictor,
  examples: Examples<unknown>,
  options: CalibrateOptions,
): Promise<Calibrated> {
  const task = learningTaskOf(model, "calibrate");
  return calibrateOn(model, await judge(task, model, task.predicting.inputsOf(asTheyCome(examples))), options);
}

/** The same with answers that were judged before. */
export function calibrateOn(model: Predictor, judged: Judged, given: CalibrateOptions): Calibrated {
  const options = readOptions(calibrateOptions, given) as Required<CalibrateOptions>;
  const { answers, parts, partial } = judged;
  const counts = { examples: answers.length, partial };
  const guarantee = findThreshold(answers, options);
  if (!guarantee) return { ...counts, promised: false, why: whyNoThreshold(answers, options) };
  const chosen = chooseMap(answers, options.seed);
  const before = model.calibration?.guarantees.filter((old) => old.precision !== options.precision) ?? [];
  const calibration: Calibration = {
    guarantees: [...before, guarantee].sort((a, b) => a.precision - b.precision),
    map: chosen.map,
    positionMap: parts.length > 0 ? chooseMap(parts, options.seed).map : undefined,
    examples: answers.length,
  };
  model.calibration = calibration;
  return { ...counts, promised: true, guarantee, chosen };
}
