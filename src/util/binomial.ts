// Exact binomial probabilities and bounds.
//   P(X ≤ k) = I_{1−q}(n − k, k + 1)   for X ~ Binomial(n, q), with I the regularised incomplete beta function
//   Clopper and Pearson: the upper bound of q at level 1 − α is the q at which P(X ≤ k) = α

import { bisect, firstWhere } from "./search.js";

/** Log of the gamma function, x > 0: shifted up to where four terms of Stirling's series leave less than 1e-13. */
function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 16; z++) shift += Math.log(z);
  const series = 1 / (12 * z) - 1 / (360 * z ** 3) + 1 / (1260 * z ** 5) - 1 / (1680 * z ** 7);
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift;
}

/** I_x(a, b) by its continued fraction (modified Lentz), on the side where that converges fast. */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  const tiny = 1e-300;
  const safe = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  // Needs about √max(a, b) terms.
  for (let m = 1; m < 10_000 + Math.max(a, b); m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    const step = d * c;
    fraction *= step;
    if (Math.abs(step - 1) < 1e-14) break;
  }
  return (front * fraction) / a;
}

/** P(X ≤ k) for X ~ Binomial(n, q). */
export function binomialCdf(k: number, n: number, q: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(n - k, k + 1, 1 - q);
}

/** The greatest q that k events in n trials leave possible: P(X ≤ k) = alpha. 1 if there are no trials. */
export function upperBound(k: number, n: number, alpha: number): number {
  if (k >= n) return 1;
  return bisect(k / n, 1, 60, (q) => binomialCdf(k, n, q) <= alpha);
}

/** The least q that k events in n trials leave possible: P(X ≥ k) = alpha. */
export function lowerBound(k: number, n: number, alpha: number): number {
  return 1 - upperBound(n - k, n, alpha);
}

/** Least number of trials in which at most `k` events show, at level 1 − alpha, that the rate is below `rate`. */
export function trialsNeeded(k: number, rate: number, alpha: number): number {
  let high = Math.max(1, k + 1);
  while (binomialCdf(k, high, rate) > alpha) high *= 2;
  return firstWhere(Math.floor(high / 2) + 1, high, (n) => binomialCdf(k, n, rate) <= alpha);
}
