// Whether new inputs are like those that a model was calibrated on, as far as its confidences tell. Calibration keeps
// quantiles of them; new ones are counted between these, and the greatest difference between the two distributions
//   D = max |F_new − F_calibration|
// is compared with what chance gives once in a hundred times (Kolmogorov and Smirnov): 1.63 √(1/n + 1/m).

import { firstWhere } from "../util/search.js";

/** Confidences are kept as so many steps between quantiles. */
const STEPS = 20;
/** Of the distribution of √(nm / (n + m)) D, 1 % lies above this. */
const CRITICAL = 1.63;
/** Fewer inputs than this say nothing. */
const FEWEST = 30;

/** [STEPS - 1] the quantiles 1/20, 2/20, … of confidences. */
export function confidenceQuantiles(confidences: ArrayLike<number>): number[] {
  const sorted = Float64Array.from(confidences).sort();
  return Array.from({ length: STEPS - 1 }, (_, i) => sorted[Math.floor(((i + 1) / STEPS) * sorted.length)]);
}

/** Counts confidences between quantiles. */
export class ConfidenceCounts {
  /** [STEPS] those below the first quantile, from the first to the second, … */
  readonly counts: number[] = new Array(STEPS).fill(0);
  count = 0;
  sum = 0;

  constructor(private readonly quantiles: readonly number[]) {}

  add(confidence: number): void {
    const { quantiles, counts } = this;
    counts[firstWhere(0, quantiles.length, (i) => quantiles[i] > confidence)]++;
    this.count++;
    this.sum += confidence;
  }

  /** Takes in what another thread counted. */
  join(other: Pick<ConfidenceCounts, "counts" | "count" | "sum">): void {
    other.counts.forEach((count, i) => {
      this.counts[i] += count;
    });
    this.count += other.count;
    this.sum += other.sum;
  }
}

export interface Drift {
  /** The greatest difference between the distributions, and the one that chance exceeds once in a hundred times. */
  difference: number;
  expected: number;
  /** The mean confidence of the new inputs. */
  mean: number;
}

/** What is found, if new inputs depart from the `examples` that a model was calibrated on; undefined if they do not. */
export function driftOf(
  { counts, count, sum }: ConfidenceCounts,
  quantiles: readonly number[],
  examples: number,
): Drift | undefined {
  if (count < FEWEST || examples < FEWEST) return undefined;
  // [quantiles] share of the new ones below each quantile, and 1.
  let sofar = 0;
  const below = quantiles.map((_, i) => {
    sofar += counts[i];
    return sofar / count;
  });
  let difference = 0;
  quantiles.forEach((quantile, i) => {
    // At most (i + 1) / STEPS of the calibration's confidences are below the quantile, and at least as many no greater than it.
    const next = quantiles.findIndex((other) => other > quantile);
    const noGreater = next < 0 ? 1 : below[next]; // and perhaps some more
    difference = Math.max(difference, below[i] - (i + 1) / STEPS, (i + 1) / STEPS - noGreater);
  });
  const expected = CRITICAL * Math.sqrt(1 / count + 1 / examples);
  return difference > expected ? { difference, expected, mean: sum / count } : undefined;
}
