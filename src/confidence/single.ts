// Where at most one part of each sequence is answered, answers are independent, and the exact binomial test applies: the
// hypothesis "more than a share α is wrong" is rejected at level δ if P(Binomial(answered, α) ≤ wrong) ≤ δ. It needs half as many
// sequences as a bet where a few answers are wrong (and as many where none is).

import { binomialCdf } from "../util/binomial.js";
import { firstWhere } from "../util/search.js";

/** Whether so few wrong answers reject the hypothesis. */
export function passesSingly(answered: number, wrong: number, alpha: number, delta: number): boolean {
  return answered > 0 && binomialCdf(wrong, answered, alpha) <= delta;
}

/**
 * The probability that a test passes with `times` as many answers as these, if they go wrong as often. Wrong answers may be fractions
 * here; half a wrong one more than seen is reckoned with.
 */
export function chanceSingly(answered: number, wrong: number, times: number, alpha: number, delta: number): number {
  const expected = Math.round(times * answered);
  const allowed = firstWhere(0, expected, (k) => !passesSingly(expected, k, alpha, delta)) - 1;
  return allowed < 0 ? 0 : binomialCdf(allowed, expected, Math.min(1, (wrong + 0.5) / (answered + 1)));
}
