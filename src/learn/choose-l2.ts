// The L2 penalty, chosen by the data where it is not given: short trainings with several, judged on examples held out.

import { generator, shuffle } from "../util/random.js";
import { judgeAll, type Part, split } from "./held-out.js";
import type { Learner } from "./learner.js";
import { train } from "./train.js";
import type { TrainingHooks, TrainingOptions } from "./training.js";

/** Candidates for an L2 penalty that is to be chosen, of a tagger. */
const penalties = [0.01, 0.1, 1];
/** Fewer examples than this say nothing about it; then it is the one in the middle. */
const FEWEST_TO_CHOOSE = 100;
const MOST_TO_CHOOSE = 2000;
const PASSES_TO_CHOOSE = 3;

/**
 * The L2 penalty that a short training on part of the examples finds best, judged by accuracy on others. A penalty is the
 * strength of a prior on the weights, so what suits a part suits the whole. `part` says what to learn from and what to judge by.
 */
export async function chooseL2(
  learner: Learner,
  options: Omit<TrainingOptions, "l2">,
  shouldStop: TrainingHooks["shouldStop"] = undefined,
  candidates: readonly number[] = penalties,
  part?: Part,
): Promise<number> {
  if (learner.exampleCount < FEWEST_TO_CHOOSE) return candidates[1];
  const { training, heldOut } = part ?? split(learner.exampleCount, { ...options, heldOut: options.heldOut || 0.1 });
  const some = shuffle(training.slice(), generator(options.seed, 0)).slice(
    0,
    Math.min(MOST_TO_CHOOSE, training.length / 3),
  );
  const short: Learner = {
    table: learner.table,
    exampleCount: some.length,
    beginPass: (isFirst) => learner.beginPass?.(isFirst),
    learn: (example, weights, gradient) => learner.learn(some[example], weights, gradient),
    judge: (example, weights) => learner.judge(some[example], weights),
  };
  let best = candidates[0];
  let bestAccuracy = -1;
  for (const l2 of candidates) {
    const settings = { ...options, l2, heldOut: 0, passes: PASSES_TO_CHOOSE };
    const { weights, stopped } = await train(short, settings, { shouldStop });
    if (stopped) break;
    const { accuracy } = await judgeAll(learner, heldOut.slice(0, MOST_TO_CHOOSE), weights);
    if (accuracy <= bestAccuracy) continue;
    bestAccuracy = accuracy;
    best = l2;
  }
  return best;
}
