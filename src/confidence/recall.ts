// A threshold for reporting spans, with a guarantee of what is found: with probability `confidence` over the draw of the held-out
// sequences, on average over all sequences that have spans, at least a share `recall` of them is reported. For a threshold c
//   L = share of a sequence's true spans whose probability is below c (0 for a span that is no candidate)      recall(c) = 1 − E[L]
//
// Sequences are counted, not spans: spans of one sequence depend on each other, and how many it has is not bounded, while L lies
// between 0 and 1. "recall(c) < 1 − α" says that L has a mean above α; that is tested by betting as in clustered.ts, with one
// part for each sequence that is wrong by L. Thresholds are taken from the placing sequences, and tested from the least, with which
// most is found, upwards; the first that fails ends it, and the last one that passed is taken.

import { bettingTest, placingOrder } from "./clustered.js";

export interface RecallOptions {
  /** Share of the spans of a sequence to be found on average, above 0 and below 1. */
  recall: number;
  /** Default 0.95. */
  confidence?: number;
  /** Chooses the placing sequences. Default 1. */
  seed?: number;
}

/** A promise about what is found, with its evidence. */
export interface RecallGuarantee {
  recall: number;
  confidence: number;
  /** Report spans that are at least this probable. */
  threshold: number;
  /** Sequences with spans that placed thresholds, and those that tested them. */
  placing: number;
  tested: number;
  /** Of the tested sequences: true spans, and how many of them are reported. */
  spans: number;
  found: number;
}

const CANDIDATES = 40;

/** The threshold with its evidence; undefined if the promise cannot be made. `truths`: probabilities of true spans, [sequences][spans]. */
export function findRecallThreshold(
  truths: readonly ArrayLike<number>[],
  { recall, confidence = 0.95, seed = 1 }: RecallOptions,
): RecallGuarantee | undefined {
  for (const [name, value] of Object.entries({ recall, confidence })) {
    if (!(value > 0 && value < 1)) throw new RangeError(`the ${name} must be between 0 and 1, not ${value}`);
  }
  const filled = truths.filter(({ length }) => length > 0);
  const { placing, tested } = placingOrder(filled, seed);
  const alpha = 1 - recall;
  let passed: number | undefined;
  for (const threshold of cutOffs(placing)) {
    if (!bettingTest(lossesAt(placing, threshold), lossesAt(tested, threshold), alpha, confidence)) break;
    passed = threshold;
  }
  if (passed === undefined) return undefined;
  const threshold = passed;
  const spans = tested.reduce((sum, { length }) => sum + length, 0);
  const found = tested.reduce((sum, own) => sum + Array.from(own).filter((p) => p >= threshold).length, 0);
  return { recall, confidence, threshold, placing: placing.length, tested: tested.length, spans, found };
}

/** Probabilities of the placing sequences' true spans, ascending; those that are no candidates cannot be cut off. */
function cutOffs(placing: readonly ArrayLike<number>[]): number[] {
  const all = Float64Array.from(placing.flatMap((own) => Array.from(own)))
    .filter((p) => p > 0)
    .sort();
  const chosen: number[] = [];
  for (let c = 0; c < CANDIDATES; c++) {
    const threshold = all[Math.floor((c * all.length) / CANDIDATES)];
    if (threshold !== undefined && threshold !== chosen.at(-1)) chosen.push(threshold);
  }
  return chosen;
}

function lossesAt(sequences: readonly ArrayLike<number>[], threshold: number): Float64Array {
  return Float64Array.from(sequences, (own) => Array.from(own).filter((p) => p < threshold).length / own.length);
}
