// Draws with replacement (bootstrap), for two models alike: the interval of a difference between them, and how much can be
// answered at a precision under the weights of a draw. What depends on each other is drawn together.

import { generator, uniform } from "../util/random.js";
import type { AnswerColumns } from "./answers.js";

export interface Difference {
  /** The second model's value minus the first's, on the examples themselves. */
  difference: number;
  /** 95 % of the resampled differences lie between these. */
  low: number;
  high: number;
  pValue: number;
}

/** p = twice the smaller share of draws on either side of 0. */
export function bootstrap(
  count: number,
  differenceOf: (weights: Uint32Array) => number,
  { draws, seed }: { draws: number; seed: number },
): Difference {
  const weights = new Uint32Array(count).fill(1);
  const difference = differenceOf(weights);
  const random = generator(seed, 0);
  const differences = Float64Array.from({ length: draws }, () => {
    weights.fill(0);
    for (let i = 0; i < count; i++) weights[Math.floor(uniform(random) * count)]++;
    return differenceOf(weights);
  }).sort();
  const at = (share: number): number => differences[Math.min(draws - 1, Math.floor(share * draws))];
  const below = differences.filter((value) => value <= 0).length;
  const above = differences.filter((value) => value >= 0).length;
  // One is added to either count: so many draws cannot show a smaller p.
  const pValue = Math.min(1, (2 * (Math.min(below, above) + 1)) / (draws + 1));
  return { difference, low: at(0.025), high: at(0.975), pValue };
}

/** Answers in order of confidence, to find how many can be given at a precision under any weights in one walk. */
export class Ranked {
  private readonly confidence: Float64Array; // [answers] descending
  private readonly correct: Uint8Array; // [answers]
  private readonly owner: Uint32Array; // [answers] what a weight is of

  constructor(
    answers: AnswerColumns,
    private readonly precision: number,
    owner?: ArrayLike<number>,
  ) {
    const { confidence, correct } = answers;
    const order = Uint32Array.from(confidence, (_, i) => i).sort((a, b) => confidence[b] - confidence[a]);
    this.confidence = Float64Array.from(order, (i) => confidence[i]);
    this.correct = Uint8Array.from(order, (i) => (correct[i] ? 1 : 0));
    this.owner = owner ? Uint32Array.from(order, (i) => owner[i]) : order;
  }

  /** How many can be answered, of how many there are. */
  answered(weights: Uint32Array): { most: number; all: number } {
    const { confidence, correct, owner, precision } = this;
    let answered = 0;
    let right = 0;
    let most = 0;
    for (let i = 0; i < owner.length; i++) {
      const weight = weights[owner[i]];
      answered += weight;
      right += weight * correct[i];
      const tied = i + 1 < owner.length && confidence[i + 1] === confidence[i];
      if (!tied && right >= precision * answered) most = answered;
    }
    return { most, all: answered };
  }
}
