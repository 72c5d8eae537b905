// Why a promise about tokens or spans cannot be made, and what it would take.

import { type Cluster, findClusteredThreshold } from "../confidence/clustered.js";
import { roundUp, type ThresholdOptions, whyNoThreshold } from "../confidence/threshold.js";
import type { Answer } from "../metrics/answers.js";
import { allOf } from "./judge.js";

/** Why a promise about parts cannot be made. */
export interface NoPartThreshold {
  /** Held-out sequences and parts in them, and the share of these that is right. */
  examples: number;
  parts: number;
  accuracy: number;
  /**
   * The most certain parts, one per sequence, cut off where the evidence for the promise is strongest: how many there are, and
   * how many are wrong.
   */
  surest: { answered: number; wrong: number };
  /**
   * Approximate number of held-out sequences needed, if the most certain parts stay as accurate; undefined if no number suffices.
   */
  examplesNeeded?: number;
  /** The highest of a few precisions that can be promised; missing if there is none. */
  possible?: number;
}

/** Promises that are tried where one cannot be kept. */
const LESS = [0.995, 0.99, 0.98, 0.97, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5];

export function whyNoParts(clusters: readonly Cluster[], options: ThresholdOptions): NoPartThreshold {
  const { confidence, correct } = allOf(clusters);
  const right = correct.reduce((sum, one) => sum + one, 0);
  const possible = LESS.filter((precision) => precision < options.precision).find(
    (precision) => confidence.length > 0 && findClusteredThreshold(clusters, { ...options, precision }),
  );
  const accuracy = confidence.length > 0 ? right / confidence.length : 0;
  return { examples: clusters.length, parts: confidence.length, accuracy, ...neededFor(clusters, options), possible };
}

/** What it would take with the surest part of each sequence, which is a promise about whole answers. */
function neededFor(
  clusters: readonly Cluster[],
  options: ThresholdOptions,
): Pick<NoPartThreshold, "surest" | "examplesNeeded"> {
  const surest = clusters.flatMap(({ confidence, correct }): Answer[] => {
    if (confidence.length === 0) return [];
    let best = 0;
    for (let part = 1; part < confidence.length; part++) if (confidence[part] > confidence[best]) best = part;
    return [{ confidence: confidence[best], correct: Boolean(correct[best]) }];
  });
  if (surest.length < 2) return { surest: { answered: 0, wrong: 0 } };
  const why = whyNoThreshold(surest, options);
  const filled = surest.length / clusters.length;
  // The test of parts places with a fifth, not a tenth.
  const needed = why.examplesNeeded === undefined ? undefined : roundUp((why.examplesNeeded * 1.125) / filled);
  return { surest: why.surest, ...(needed !== undefined && needed > clusters.length && { examplesNeeded: needed }) };
}
