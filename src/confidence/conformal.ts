// Sets of answers that contain the truth with a promised probability, whatever the model: split conformal prediction.
//
// An input has these outcomes: its N most probable outputs, and "any other output" with the probability that they leave. A set
// holds the outcomes whose probability is at least τ. With n held-out examples, exchangeable with the new one, let τ be the
// ⌊(n + 1)(1 − coverage)⌋-th smallest probability of an outcome that holds the truth. Then
//   P(truth in set) ≥ coverage          (Vovk, Gammerman and Shafer, 2005)
// and no other sets that cover as much are smaller on average, if the probabilities are right (Sadinle, Lei and Wasserman, 2019).
//
// Parts of a sequence depend on each other, so sequences are counted, not parts. τ is chosen such that the share of a sequence's
// parts that are not covered is at most 1 − coverage in expectation (conformal risk control, Angelopoulos and others, 2024):
//   τ = max { τ : (Σ loss(τ) + 1) / (n + 1) ≤ 1 − coverage },   loss = share of parts whose truth is less probable than τ

/** What an input may turn out to be, and what it was. */
export interface Outcomes {
  /** Of the most probable outputs, descending; they need not sum to 1. */
  probabilities: ArrayLike<number>;
  /** The probability of the outcome that contains the truth. */
  truth: number;
}

/** A promise that sets contain the truth, with its evidence. */
export interface CoverageGuarantee {
  unit: "sequence" | "token";
  /** A lower bound of the probability that a set contains the truth. */
  coverage: number;
  /** A set holds the outcomes that are at least this probable. */
  threshold: number;
  /** How many of the most probable outputs are outcomes of their own. */
  outputs: number;
  /** Held-out examples that it was found on. */
  examples: number;
}

/** The outcomes of whole outputs: the first ones, and any other. `truth` is the place of the right one, -1 for any other. */
export function outcomesOf(probabilities: readonly number[], truth: number): Outcomes {
  return { probabilities, truth: truth < 0 ? restOf(probabilities) : probabilities[truth] };
}

/** What some probabilities leave to all others. */
export function restOf(probabilities: ArrayLike<number>): number {
  let rest = 1;
  for (let i = 0; i < probabilities.length; i++) rest -= probabilities[i];
  return Math.max(0, rest);
}

/** τ for probabilities of the truth; 0 if there are too few examples for the coverage, so that sets hold everything. */
export function coverageThreshold(truths: ArrayLike<number>, coverage: number): number {
  checkCoverage(coverage);
  const rank = Math.floor((truths.length + 1) * (1 - coverage) + ROUNDING);
  return rank < 1 ? 0 : Float64Array.from(truths).sort()[rank - 1];
}

/** τ for probabilities of the truth of parts, [sequences][parts]. */
export function partCoverageThreshold(truths: readonly ArrayLike<number>[], coverage: number): number {
  checkCoverage(coverage);
  const sequences = truths.filter(({ length }) => length > 0);
  const allowed = (1 - coverage) * (sequences.length + 1) - 1;
  if (allowed < -ROUNDING) return 0;
  const weighted = sequences.flatMap((parts) => Array.from(parts, (truth) => ({ truth, share: 1 / parts.length })));
  weighted.sort((a, b) => a.truth - b.truth);
  let threshold = 0;
  let uncovered = 0; // Σ of shares below the truth looked at
  for (let i = 0; i < weighted.length; ) {
    if (uncovered > allowed + ROUNDING) break;
    threshold = weighted[i].truth;
    // All of the same probability are covered or none is.
    for (; i < weighted.length && weighted[i].truth === threshold; i++) uncovered += weighted[i].share;
  }
  return threshold;
}

/** The set of some outputs, the most probable first, and whether any other output is in it too. It holds at least the best one. */
export function coveredSet<T extends { probability: number }>(
  outputs: readonly T[],
  threshold: number,
): { set: T[]; other: boolean } {
  const set = outputs.filter(({ probability }, rank) => rank === 0 || isCovered(probability, threshold));
  return { set, other: isCovered(restOf(outputs.map(({ probability }) => probability)), threshold) };
}

/** Whether an outcome of this probability is in a set. */
export function isCovered(probability: number, threshold: number): boolean {
  return probability >= threshold * (1 - RELATIVE);
}

/** Sums of shares are not exact. */
const ROUNDING = 1e-9;
/** The same output may differ in the last digits on another machine; it is better in a set than out of it. */
const RELATIVE = 1e-9;

function checkCoverage(coverage: number): void {
  if (!(coverage > 0 && coverage < 1)) throw new RangeError(`the coverage must be between 0 and 1, not ${coverage}`);
}
