// Whether two models differ on the same examples.
//   accuracy              exact McNemar test: of the examples that one has right and the other wrong, each is as likely to
//                         be the better one; two-sided p = 2 · P(Binomial(b + c, 1/2) ≤ min(b, c))
//   recall at precision   paired bootstrap: examples are drawn with replacement, for both models alike; the interval of
//                         the difference, and p = twice the smaller share of draws on either side of 0

import { binomialCdf } from "../util/binomial.js";
import { generator, uniform } from "../util/random.js";
import type { Answer } from "./answers.js";

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

export interface RecallDifference {
  /** Recall of the second model less that of the first, on the examples themselves. */
  difference: number;
  /** 95 % of the draws lie between these. */
  low: number;
  high: number;
  pValue: number;
}

export interface BootstrapOptions {
  precision: number;
  /** Default 2000. */
  draws?: number;
  /** Default 1. */
  seed?: number;
}

export function recallDifference(
  first: readonly Answer[],
  second: readonly Answer[],
  { precision, draws = 2000, seed = 1 }: BootstrapOptions,
): RecallDifference {
  checkPaired(first, second);
  const count = first.length;
  const models = [first, second].map((answers) => new Ranked(answers, precision));
  const weights = new Uint32Array(count);
  const differenceOf = (): number => models[1].recall(weights) - models[0].recall(weights);
  weights.fill(1);
  const difference = differenceOf();
  const random = generator(seed, 0);
  const differences = Float64Array.from({ length: draws }, () => {
    weights.fill(0);
    for (let i = 0; i < count; i++) weights[Math.floor(uniform(random) * count)]++;
    return differenceOf();
  }).sort();
  const at = (share: number): number => differences[Math.min(draws - 1, Math.floor(share * draws))];
  const below = differences.filter((value) => value <= 0).length;
  const above = differences.filter((value) => value >= 0).length;
  // One is added to either count: so many draws cannot show a smaller p.
  const pValue = Math.min(1, (2 * (Math.min(below, above) + 1)) / (draws + 1));
  return { difference, low: at(0.025), high: at(0.975), pValue };
}

/** Answers in order of confidence, to find the recall under any weights in one walk. */
class Ranked {
  private readonly order: Uint32Array;

  constructor(
    private readonly answers: readonly Answer[],
    private readonly precision: number,
  ) {
    this.order = Uint32Array.from(answers, (_, i) => i).sort((a, b) => answers[b].confidence - answers[a].confidence);
  }

  recall(weights: Uint32Array): number {
    const { answers, order, precision } = this;
    let answered = 0;
    let correct = 0;
    let best = 0;
    for (let i = 0; i < order.length; i++) {
      const { confidence, correct: right } = answers[order[i]];
      answered += weights[order[i]];
      if (right) correct += weights[order[i]];
      const tied = i + 1 < order.length && answers[order[i + 1]].confidence === confidence;
      if (!tied && correct >= precision * answered) best = answered;
    }
    return best / Math.max(1, answered);
  }
}

function checkPaired(first: readonly Answer[], second: readonly Answer[]): void {
  if (first.length !== second.length) throw new RangeError(`${first.length} answers against ${second.length}`);
}
