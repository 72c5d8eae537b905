// Sets of outputs, or of labels for each token, that contain the truth with a promised probability: found on held-out examples,
// kept in the model, and given for new inputs.

import { coverageFor } from "../confidence/calibration.js";
import {
  type CoverageGuarantee,
  coverageThreshold,
  coveredSet,
  isCovered,
  type Outcomes,
  partCoverageThreshold,
  restOf,
} from "../confidence/conformal.js";
import type { LearningTask, PredictionAsked, Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import type { Judged } from "./judge.js";

export type SetUnit = CoverageGuarantee["unit"];

/** So many of the most probable outputs are outcomes of their own; all others together are one. */
const OUTPUTS = 100;

/** What came of it. If the promise can be made, the model has it from now on. */
export interface Covered {
  promised: boolean;
  unit: SetUnit;
  coverage: number;
  /** Held-out examples, and examples left out because the data has no correct answer. */
  examples: number;
  partial: number;
  /** If the promise can be made. */
  guarantee?: CoverageGuarantee;
  /**
   * For the sets of the held-out examples: their average size, the share of sets with a single output or label, and the share of
   * sets that include all other outputs.
   */
  sets?: { mean: number; single: number; other: number };
  /** If not: the least number of held-out examples it needs. */
  examplesNeeded?: number;
}

/** What a judgement must say for sets of a unit. */
export function askedFor(unit: SetUnit): PredictionAsked {
  return unit === "token" ? { marginals: true } : { nbest: OUTPUTS };
}

/** Whether a model's outputs can have sets of a unit. */
export function checkSets({ predicting }: LearningTask, unit: string): asserts unit is SetUnit {
  if (unit === "sequence" || (unit === "token" && predicting.parts?.sets)) return;
  throw new InputError(`option \`unit\`: the model has no sets of ${unit}s`, {
    hint: predicting.parts?.sets ? "sets are of whole outputs, or of labels: `token`" : "sets are of whole outputs",
  });
}

/** The guarantee for answers that were judged with what `askedFor` asks for. */
export function coverOn(judged: Judged, coverage: number, unit: SetUnit): Covered {
  const { answers, partial, outcomes, partOutcomes } = judged;
  const examples = answers.length;
  const truthOf = ({ truth }: Outcomes): number => truth;
  const threshold =
    unit === "token"
      ? partCoverageThreshold(
          partOutcomes.map((parts) => parts.map(truthOf)),
          coverage,
        )
      : coverageThreshold(outcomes.map(truthOf), coverage);
  const counts = { unit, coverage, examples, partial };
  // At 0 a set would hold all there is.
  if (!(threshold > 0)) return { ...counts, promised: false, examplesNeeded: Math.ceil(1 / (1 - coverage) - 1 - 1e-9) };
  const guarantee = { unit, coverage, threshold, outputs: unit === "token" ? 1 : OUTPUTS, examples };
  const sets = setsOf(unit === "token" ? partOutcomes.flat() : outcomes, threshold, unit);
  return { ...counts, promised: true, guarantee, sets };
}

function setsOf(all: readonly Outcomes[], threshold: number, unit: SetUnit): Covered["sets"] {
  let [sum, single, other] = [0, 0, 0];
  for (const { probabilities } of all) {
    const size = Math.max(1, Array.from(probabilities).filter((p) => isCovered(p, threshold)).length);
    const isOpen = unit === "sequence" && isCovered(restOf(probabilities), threshold);
    sum += size;
    if (isOpen) other++;
    else if (size === 1) single++;
  }
  const count = Math.max(1, all.length);
  return { mean: sum / count, single: single / count, other: other / count };
}

/** The set of an input: outputs, or labels for each token. */
export interface CoveredInput {
  unit: SetUnit;
  prediction: { probability: number };
  /** Of whole outputs, the most probable first; of tokens the best output alone. */
  set: readonly { probability: number }[];
  /** Whether any other output is in the set too. */
  other: boolean;
  /** [tokens][labels] the most probable first. */
  sets?: readonly (readonly string[])[];
}

/** The set of an input, for a coverage that the model was calibrated for; not to be printed as text if `json`. */
export function coveredInput(
  { predicting }: LearningTask,
  model: Predictor,
  input: unknown,
  coverage: number,
  unit: SetUnit,
  json = true,
): CoveredInput {
  const { threshold, outputs } = coverageFor(model.calibration, coverage, unit);
  if (unit === "token" && predicting.parts?.sets) {
    const { prediction, choices } = predicting.parts.sets.choices(model, input);
    const sets = choices.map((labels) =>
      Object.entries(labels)
        .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
        .filter(([, probability], rank) => rank === 0 || isCovered(probability, threshold))
        .map(([label]) => label),
    );
    return { unit, prediction, set: [prediction], other: false, sets };
  }
  const prediction = predicting.predict(model, input, { nbest: outputs, json }) as {
    probability: number;
    nbest?: { probability: number }[];
  };
  return { unit, prediction, ...coveredSet(prediction.nbest ?? [prediction], threshold) };
}

/** The set as an object for programs: `set` or `sets`, and `other`. */
export function coveredJson({ predicting }: LearningTask, model: Predictor, input: unknown, covered: CoveredInput) {
  const { unit, prediction, set, other, sets } = covered;
  if (unit === "token") return { ...predicting.json(model, input, prediction), unit, sets };
  const { nbest, ...rest } = predicting.json(model, input, { ...prediction, nbest: set } as typeof prediction);
  return { ...rest, unit, set: nbest, other };
}

/** The set as text: outputs as with `nbest`, and a line if any other is in it too; tokens with labels that they may have. */
export function coveredText(
  { predicting }: LearningTask,
  model: Predictor,
  input: unknown,
  { unit, prediction, set, other, sets = [] }: CoveredInput,
): string {
  if (unit === "token") return predicting.parts?.sets?.text(model, input, sets) ?? "";
  const shown = { ...prediction, nbest: set } as typeof prediction;
  return `${predicting.text(model, input, shown, { nbest: set.length })}${other ? "# or any other output\n" : ""}`;
}
