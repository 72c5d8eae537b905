// Two models on the same examples, with tests of whether they differ.

import { type PartUnit, type Unit, units } from "../confidence/calibration.js";
import { type Answer, type Answers, columnsOf } from "../metrics/answers.js";
import { brier, expectedCalibrationError } from "../metrics/calibration.js";
import { type McNemar, mcNemar, recallDifference } from "../metrics/compare.js";
import { type AnsweredParts, answeredDifference, f1Difference, ratesOf } from "../metrics/compare-parts.js";
import type { Difference } from "../metrics/paired.js";
import { aurc, recallAtPrecision } from "../metrics/precision-recall.js";
import type { Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { choice } from "../util/options.js";
import { counted } from "../util/text.js";
import { asTheyCome } from "./examples.js";
import { allOf, type Judged, judge, partsOf } from "./judge.js";
import { learningTaskOf } from "./model.js";

export const PRECISIONS = [0.9, 0.95, 0.99] as const;

export const compareOptions = {
  unit: choice("unit of comparison: whole outputs, labels of tokens, or spans such as entities", units, {
    usual: "sequence",
  }),
};

export interface Measures {
  accuracy: number;
  /** Share that can be answered at precision 0.9, 0.95 and 0.99. */
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
  recallDifference: (Difference & { precision: number })[];
}

/** What is measured of tokens or spans. */
export interface PartMeasures extends Measures {
  /** Tokens or spans that the model gave. */
  parts: number;
  /** For spans: precision, recall and F1. For tokens, all three are the accuracy. */
  precision: number;
  recall: number;
  f1: number;
}

/** Two models in their tokens or spans; `accuracy` is the share of them that is right. */
export interface PartComparison {
  unit: PartUnit;
  examples: number;
  /** Number of true tokens or spans. */
  truths: number;
  measures: [PartMeasures, PartMeasures];
  /** Whether F1 differs; for tokens, F1 is the accuracy. */
  f1Difference: Difference;
  /** Whether the share of true tokens or spans that can be answered differs, at each precision. */
  recallDifference: (Difference & { precision: number })[];
}

export interface CompareOptions {
  /** @default 1 */
  seed?: number;
  /**
   * What is compared.
   * @default "sequence"
   */
  unit?: Unit;
}

/** Compares two models on examples that neither has seen. */
export async function compare(
  first: Predictor,
  second: Predictor,
  examples: Iterable<unknown>,
  options: CompareOptions & { unit: PartUnit },
): Promise<PartComparison>;
export async function compare(
  first: Predictor,
  second: Predictor,
  examples: Iterable<unknown>,
  options?: CompareOptions & { unit?: "sequence" },
): Promise<Comparison>;
export async function compare(
  first: Predictor,
  second: Predictor,
  examples: Iterable<unknown>,
  { seed = 1, unit = "sequence" }: CompareOptions = {},
): Promise<Comparison | PartComparison> {
  const [a, b] = await Promise.all(
    [first, second].map(async (model) => {
      const task = learningTaskOf(model, "compare");
      return judge(task, model, task.predicting.inputsOf(asTheyCome(examples)));
    }),
  );
  if (unit === "sequence") return compareAnswers(a.answers, b.answers, seed);
  const parts = [answeredParts(a, unit, first), answeredParts(b, unit, second)] as const;
  return compareParts(...parts, unit, seed);
}

/** A model's tokens or spans, for `compareParts`. */
export function answeredParts(judged: Judged, unit: PartUnit, model: Predictor): AnsweredParts {
  const clusters = partsOf(judged, unit, model);
  const truths = unit === "span" ? judged.trueSpans : clusters.map(({ confidence }) => confidence.length);
  return { clusters, truths };
}

/** The same with tokens or spans of the same sequences, in the same order. */
export function compareParts(
  first: AnsweredParts,
  second: AnsweredParts,
  unit: PartUnit,
  seed: number,
): PartComparison {
  checkAlike(first.clusters.length, second.clusters.length);
  const count = first.clusters.length;
  const truths = Array.from(first.truths);
  if (truths.some((own, s) => own !== second.truths[s])) {
    throw new InputError(`the models read different ${unit}s from the data`, {
      hint: "only models that read the data in the same way can be compared",
    });
  }
  const differences = PRECISIONS.map((precision) => ({
    precision,
    ...answeredDifference(first, second, { precision, seed }),
  }));
  const measures = [first, second].map((own, m): PartMeasures => {
    const answers = allOf(own.clusters);
    return {
      ...measuresOf(answers),
      parts: answers.confidence.length,
      ...ratesOf(own),
      recalls: differences.map(({ shares }) => shares[m]),
    };
  });
  return {
    unit,
    examples: count,
    truths: truths.reduce((sum, own) => sum + own, 0),
    measures: measures as [PartMeasures, PartMeasures],
    f1Difference: f1Difference(first, second, { seed }),
    recallDifference: differences.map(({ shares: _, ...difference }) => difference),
  };
}

function checkAlike(first: number, second: number): void {
  if (first !== second) {
    throw new InputError(`the models read ${counted(first)} and ${counted(second)} examples from the data`, {
      hint: "only models that read the data in the same way can be compared",
    });
  }
  if (first === 0) throw new InputError("the data has no example whose labels are all known");
}

/** The same with answers to the same examples, in the same order. */
export function compareAnswers(first: readonly Answer[], second: readonly Answer[], seed: number): Comparison {
  checkAlike(first.length, second.length);
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

function measuresOf(answers: Answers): Measures {
  const { correct } = columnsOf(answers);
  return {
    accuracy: Array.from(correct, Number).reduce((sum, one) => sum + one, 0) / Math.max(1, correct.length),
    recalls: PRECISIONS.map((precision) => recallAtPrecision(answers, precision)),
    expectedCalibrationError: expectedCalibrationError(answers),
    brier: brier(answers),
    aurc: aurc(answers),
  };
}
