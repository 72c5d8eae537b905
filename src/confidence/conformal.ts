// Sets of answers that contain the truth with a promised probability, whatever the model: split conformal prediction.
//
// Outputs are taken in the order of their probabilities. The score of a truth is the probability of all outputs up to and
// including it; a set holds the outputs whose score is at most q. With n held-out scores, exchangeable with the new one, the
// ⌈(n + 1) · coverage⌉-th smallest is a q with
//   P(truth in set) ≥ coverage          (Vovk, Gammerman and Shafer, 2005; scores as Romano, Sesia and Candès, 2020)
//
// Parts of a sequence depend on each other. For them q is chosen so that the share of a sequence's parts that are not covered
// is at most 1 − coverage in expectation (conformal risk control, Angelopoulos and others, 2024): with losses in [0, 1]
//   q = min { q : (Σ loss(q) + 1) / (n + 1) ≤ 1 − coverage }

/** The q for scores of whole outputs; Infinity if there are too few for the coverage, so that sets hold everything. */
export function coverageQuantile(scores: ArrayLike<number>, coverage: number): number {
  checkCoverage(coverage);
  const rank = Math.ceil((scores.length + 1) * coverage - 1e-9);
  if (rank > scores.length) return Number.POSITIVE_INFINITY;
  return Float64Array.from(scores).sort()[rank - 1];
}

/** The q for scores of parts, [sequences][parts]. */
export function partCoverageQuantile(scores: readonly ArrayLike<number>[], coverage: number): number {
  checkCoverage(coverage);
  const sequences = scores.filter(({ length }) => length > 0);
  const weighted = sequences.flatMap((parts) => Array.from(parts, (score) => ({ score, share: 1 / parts.length })));
  weighted.sort((a, b) => a.score - b.score);
  const allowed = (1 - coverage) * (sequences.length + 1) - 1;
  if (allowed < 0 || sequences.length === 0) return Number.POSITIVE_INFINITY;
  let uncovered = sequences.length;
  for (let i = 0; i < weighted.length; i++) {
    uncovered -= weighted[i].share;
    const isLastOfItsScore = i + 1 === weighted.length || weighted[i + 1].score > weighted[i].score;
    if (isLastOfItsScore && uncovered <= allowed + 1e-9) return weighted[i].score;
  }
  return Number.POSITIVE_INFINITY;
}

/** The outputs of a set: those whose probability, added to that of all more probable ones, is at most q. */
export function conformalSet<T extends { probability: number }>(outputs: readonly T[], q: number): T[] {
  const set: T[] = [];
  let sum = 0;
  for (const output of outputs) {
    sum += output.probability;
    if (sum > q + ROUNDING) break;
    set.push(output);
  }
  return set;
}

/** The score of a truth among outputs in the order of their probabilities; Infinity if it is not among them. */
export function conformalScore(probabilities: ArrayLike<number>, truth: number): number {
  if (truth < 0) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let i = 0; i <= truth; i++) sum += probabilities[i];
  return sum;
}

/** Sums of the same probabilities in the same order are the same; those of another machine may differ in the last digits. */
const ROUNDING = 1e-12;

function checkCoverage(coverage: number): void {
  if (!(coverage > 0 && coverage < 1)) throw new RangeError(`the coverage lies between 0 and 1, not ${coverage}`);
}
