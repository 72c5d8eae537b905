// Two models on the same examples, with tests of whether they differ.

import type { Answer } from "../metrics/answers.js";
import { brier, expectedCalibrationError } from "../metrics/calibration.js";
import { type McNemar, mcNemar, type RecallDifference, recallDifference } from "../metrics/compare.js";
import { aurc, recallAtPrecision } from "../metrics/precision-recall.js";
import type { Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { counted } from "../util/text.js";
import { asTheyCome } from "./examples.js";
import { judge } from "./judge.js";
import { learningTaskOf } from "./model.js";

export const PRECISIONS = [0.9, 0.95, 0.99] as const;

export interface Measures {
  accuracy: number;
  /** Share that can be answered at each of the precisions 0.9, 0.95 and 0.99. */
  recalls: number[];
  expectedCalibrationError: number;
  brier: number;
  /** Area under the risk-coverage curve. */
  aurc: number;
}

export interface Comparison {
  examples: number;
  /** Of the first model and the second. */
  measures: [Measures, Measures];
  /** Whether their accuracies differ. */
  mcNemar: McNemar;
  /** Whether the shares answered differ, at each precision. */
  recallDifference: (RecallDifference & { precision: number })[];
}

/** Compares two models on examples that neither has seen. */
export async function compare(
  first: Predictor,
  second: Predictor,
  examples: Iterable<unknown>,
  { seed = 1 } = {},
): Promise<Comparison> {
  const [a, b] = await Promise.all(
    [first, second].map(async (model) => {
      const task = learningTaskOf(model, "compare");
      return (await judge(task, model, task.predicting.inputsOf(asTheyCome(examples)))).answers;
    }),
  );
  return compareAnswers(a, b, seed);
}

/** The same with answers to the same examples, in the same order. */
export function compareAnswers(first: readonly Answer[], second: readonly Answer[], seed: number): Comparison {
  if (first.length !== second.length) {
    throw new InputError(
      `the models read ${counted(first.length)} and ${counted(second.length)} examples from the data`,
      { hint: "only models that read the data alike can be compared" },
    );
  }
  if (first.length === 0) throw new InputError("the data holds no example whose labels are all known");
  return {
    examples: first.length,
    measures: [measuresOf(first), measuresOf(second)],
    mcNemar: mcNemar(first, second),
    recallDifference: PRECISIONS.map((precision) => ({
      precision,
      ...recallDifference(first, second, { precision, seed }),
    })),
  };
}

function measuresOf(answers: readonly Answer[]): Measures {
  return {
    accuracy: answers.filter((answer) => answer.correct).length / answers.length,
    recalls: PRECISIONS.map((precision) => recallAtPrecision(answers, precision)),
    expectedCalibrationError: expectedCalibrationError(answers),
    brier: brier(answers),
    aurc: aurc(answers),
  };
}
