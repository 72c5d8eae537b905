// Whether two models differ on the same examples.
//   accuracy              exact McNemar test: of the examples that one has right and the other wrong, each is as likely to
//                         be the better one; two-sided p = 2 · P(Binomial(b + c, 1/2) ≤ min(b, c))
//   recall at precision   paired bootstrap: examples are drawn with replacement, for both models alike; the interval of
//                         the difference, and p = twice the smaller share of draws on either side of 0

import { binomialCdf } from "../util/binomial.js";
import { type Answer, columnsOf } from "./answers.js";
import { bootstrap, type Difference, Ranked } from "./paired.js";

export interface McNemar {
  /** Examples that only the first model has right, and only the second. */
  onlyFirst: number;
  onlySecond: number;
  pValue: number;
}

export function mcNemar(first: readonly Answer[], second: readonly Answer[]): McNemar {
  checkPaired(first, second);
  let onlyFirst = 0;
  let onlySecond = 0;
  first.forEach((answer, i) => {
    if (answer.correct && !second[i].correct) onlyFirst++;
    if (!answer.correct && second[i].correct) onlySecond++;
  });
  const pValue = Math.min(1, 2 * binomialCdf(Math.min(onlyFirst, onlySecond), onlyFirst + onlySecond, 0.5));
  return { onlyFirst, onlySecond, pValue };
}

export interface BootstrapOptions {
  precision: number;
  /** Default 2000. */
  draws?: number;
  /** Default 1. */
  seed?: number;
}

/** Of recalls at a precision. */
export function recallDifference(
  first: readonly Answer[],
  second: readonly Answer[],
  { precision, draws = 2000, seed = 1 }: BootstrapOptions,
): Difference {
  checkPaired(first, second);
  const models = [first, second].map((answers) => new Ranked(columnsOf(answers), precision));
  const recalls = (weights: Uint32Array) =>
    models.map((model) => {
      const { most, all } = model.answered(weights);
      return most / Math.max(1, all);
    });
  return bootstrap(first.length, (weights) => differenceIn(recalls(weights)), { draws, seed });
}

function differenceIn([first, second]: readonly number[]): number {
  return second - first;
}

function checkPaired(first: readonly Answer[], second: readonly Answer[]): void {
  if (first.length !== second.length) throw new RangeError(`${first.length} answers against ${second.length}`);
}
