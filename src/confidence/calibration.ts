// What a model knows of its own confidence, measured on held-out data: guarantees (answer what is at least so sure, and at
// least so much of it is right) and maps from the model's probabilities to calibrated ones. Here is only what is needed
// to use them; src/confidence finds them.
//   temperature   logit p' = logit p / T
//   isotonic      p' rises piecewise linearly between knots (p, p') and is constant outside them

import { InputError } from "../util/errors.js";
import { firstWhere } from "../util/search.js";
import { answeredParts, type ClusteredGuarantee } from "./clustered.js";
import type { CoverageGuarantee } from "./conformal.js";
import { answeredInGroups, type GroupThreshold } from "./grouped.js";
import type { RecallGuarantee } from "./recall.js";

export type CalibrationMap =
  | { kind: "temperature"; temperature: number }
  /** [knots] both rising. */
  | { kind: "isotonic"; from: readonly number[]; to: readonly number[] };

/** What makes a threshold an estimate, not a promise. */
export interface Estimate {
  /** Number of parts of the cross-validation that found it: each part was answered by a model trained on the other parts. */
  crossValidated?: number;
}

/** A promise with its evidence: answers of at least this confidence have at least this precision. */
export interface Guarantee extends Estimate {
  /** A lower bound of the share of answers that are right. */
  precision: number;
  /** The probability, over random draws of the held-out examples, that the promise is true. */
  confidence: number;
  /** Answer if the probability of the best output is at least this. */
  threshold: number;
  /** Held-out examples that placed the candidate thresholds, and those that tested them. */
  placing: number;
  tested: number;
  /** Of the tested examples: how many the threshold answers, and how many of those answers are wrong. */
  answered: number;
  wrong: number;
  /** Exact lower bound (Clopper and Pearson) of the precision at the threshold. */
  lowerBound: number;
}

/** What a promise is about: whole outputs, labels of tokens, or spans such as entities and words. */
export type Unit = "sequence" | PartUnit;
export type PartUnit = "token" | "span";
export const units: readonly Unit[] = ["sequence", "token", "span"];

/** A promise about parts of outputs. */
export interface PartGuarantee extends ClusteredGuarantee, Estimate {
  unit: PartUnit;
  /** If each group of parts has its own promise: by label, or by the value of a column, counted from 1. */
  per?: Per;
  groups?: GroupThreshold[];
  /** Groups without a promise. */
  open?: string[];
}

/** What parts are grouped by. */
export type Per = "label" | number;

/** The parts of a sequence that a guarantee answers: their numbers, in order. `group` is needed where it has groups. */
export function answeredBy(
  guarantee: PartGuarantee,
  confidence: ArrayLike<number>,
  group: readonly string[] = [],
): number[] {
  return guarantee.groups
    ? answeredInGroups(confidence, group, guarantee.groups)
    : answeredParts(confidence, guarantee);
}

export interface Calibration {
  /** For whole outputs, at most one per precision. */
  guarantees: Guarantee[];
  /** For parts, at most one per unit and precision. */
  partGuarantees?: PartGuarantee[];
  /** For sets that contain the truth, at most one per unit and coverage. */
  coverages?: CoverageGuarantee[];
  /** For the recall of spans, at most one per recall. */
  recalls?: RecallGuarantee[];
  /** For the probability of a whole output. */
  map: CalibrationMap;
  /** For the probability of a label at its position. */
  positionMap?: CalibrationMap;
  /** For the probability of a span. */
  spanMap?: CalibrationMap;
  /** Quantiles of the confidences of whole outputs, to detect whether new inputs differ; see drift.ts. */
  quantiles?: number[];
  /** Held-out examples that the maps were fitted on. */
  examples: number;
}

/** Nothing is certain, which also keeps logits finite. */
const NEAREST = 1e-12;

function uncertain(probability: number): number {
  return Math.min(1 - NEAREST, Math.max(NEAREST, probability));
}

export function logit(probability: number): number {
  const p = uncertain(probability);
  return Math.log(p / (1 - p));
}

/** The calibrated probability; never falls as the model's own rises. */
export function calibrated(map: CalibrationMap, probability: number): number {
  if (map.kind === "temperature") return uncertain(1 / (1 + Math.exp(-logit(probability) / map.temperature)));
  const { from, to } = map;
  if (probability <= from[0]) return to[0];
  const last = from.length - 1;
  if (probability >= from[last]) return to[last];
  const high = firstWhere(1, last, (i) => from[i] >= probability); // from[low] < probability ≤ from[high]
  const low = high - 1;
  const share = (probability - from[low]) / (from[high] - from[low]);
  return to[low] + share * (to[high] - to[low]);
}

/** The guarantee for a precision of whole outputs; a model without one is refused, with what to do. */
export function guaranteeFor(calibration: Calibration | undefined, precision: number, model = "MODEL"): Guarantee {
  const all = calibration?.guarantees ?? [];
  return all.find((guarantee) => guarantee.precision === precision) ?? refuse(all, precision, "sequence", model);
}

/** The same for a precision of parts. */
export function partGuaranteeFor(
  calibration: Calibration | undefined,
  precision: number,
  unit: PartUnit,
  model = "MODEL",
): PartGuarantee {
  const all = (calibration?.partGuarantees ?? []).filter((guarantee) => guarantee.unit === unit);
  return all.find((guarantee) => guarantee.precision === precision) ?? refuse(all, precision, unit, model);
}

/** The guarantee that sets contain the truth with a probability. */
export function coverageFor(
  calibration: Calibration | undefined,
  coverage: number,
  unit: Unit,
  model = "MODEL",
): CoverageGuarantee {
  const all = (calibration?.coverages ?? []).filter((guarantee) => guarantee.unit === unit);
  const found = all.find((guarantee) => guarantee.coverage === coverage);
  if (found) return found;
  const have = all.length > 0 ? ` (it has ${all.map((guarantee) => guarantee.coverage).join(", ")})` : "";
  const of = unit === "sequence" ? "" : ` of ${unit}s`;
  throw new InputError(`the model has no calibration for a coverage of ${coverage}${of}${have}`, {
    file: model === "MODEL" ? undefined : model,
    hint: `calibrate it for option \`coverage\` ${coverage}${unit === "sequence" ? "" : `, option \`unit\` ${unit}`}, on held-out data`,
  });
}

/** The guarantee of how many spans are found. */
export function recallFor(calibration: Calibration | undefined, recall: number, model = "MODEL"): RecallGuarantee {
  const all = calibration?.recalls ?? [];
  const found = all.find((guarantee) => guarantee.recall === recall);
  if (found) return found;
  const have = all.length > 0 ? ` (it has ${all.map((guarantee) => guarantee.recall).join(", ")})` : "";
  throw new InputError(`the model has no calibration for a recall of ${recall}${have}`, {
    file: model === "MODEL" ? undefined : model,
    hint: `calibrate it for option \`recall\` ${recall}, on held-out data`,
  });
}

function refuse(known: readonly { precision: number }[], precision: number, unit: Unit, model: string): never {
  const have = known.length > 0 ? ` (it has ${known.map((guarantee) => guarantee.precision).join(", ")})` : "";
  const of = unit === "sequence" ? "" : ` of ${unit}s`;
  throw new InputError(`the model has no calibration for a precision of ${precision}${of}${have}`, {
    file: model === "MODEL" ? undefined : model,
    hint: `calibrate it for option \`precision\` ${precision}${unit === "sequence" ? "" : `, option \`unit\` ${unit}`}, on held-out data`,
  });
}
