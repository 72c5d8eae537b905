// All spans that a promised recall asks for: those of an input that are probable enough, in the best output or not.

import { recallFor } from "../confidence/calibration.js";
import type { LearningTask, PossibleSpan, Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";

/** Refuses a model whose outputs have no spans. */
export function checkSpans({ predicting }: LearningTask, model: Predictor): void {
  const { parts } = predicting;
  if (parts?.possible && parts.units(model).includes("span")) return;
  throw new InputError("option `recall`: the model's outputs have no spans");
}

export interface FoundSpans {
  prediction: { probability: number };
  /** In the order of the text; they may overlap. */
  spans: readonly PossibleSpan[];
}

/** The spans of an input, for a recall that the model was calibrated for. */
export function foundSpans({ predicting }: LearningTask, model: Predictor, input: unknown, recall: number): FoundSpans {
  const { threshold } = recallFor(model.calibration, recall);
  const { prediction, spans = [] } = predicting.parts?.possible?.find(model, input) ?? {
    prediction: { probability: 0 },
  };
  const found = spans.filter(({ probability }) => probability >= threshold);
  return { prediction, spans: found.sort((a, b) => a.from - b.from || a.to - b.to) };
}
