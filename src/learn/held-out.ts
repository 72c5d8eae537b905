// The held-out part: which examples it is, and how weights are judged by it.

import { backend } from "../engine/choice.js";
import { pause } from "../util/pause.js";
import { generator, shuffle } from "../util/random.js";
import { addJudged, type Learner, nothingJudged } from "./learner.js";
import type { Crew, Pass } from "./training.js";

/** Examples to learn from and examples held out; with fewer than ten examples nothing is held out. */
export function split(
  exampleCount: number,
  options: { heldOut: number; seed: number },
): { training: Int32Array; heldOut: Int32Array } {
  const order = Int32Array.from({ length: exampleCount }, (_, i) => i);
  const count = exampleCount < 10 ? 0 : Math.floor(exampleCount * options.heldOut);
  if (count === 0) return { training: order, heldOut: new Int32Array(0) };
  shuffle(order, generator(options.seed, 0));
  return { training: order.slice(count).sort(), heldOut: order.slice(0, count).sort() };
}

/** How weights do on examples. */
export async function judgeAll(
  learner: Learner,
  examples: Int32Array,
  given: Float64Array,
  crew?: Crew,
): Promise<NonNullable<Pass["heldOut"]>> {
  const weights = backend().arrays.placed(given);
  const sum = crew ? await crew.judge(examples, weights) : nothingJudged();
  let paused = Date.now();
  for (const example of crew ? [] : examples) {
    addJudged(sum, learner.judge(example, weights));
    if (Date.now() - paused > 100) {
      await pause();
      paused = Date.now();
    }
  }
  return {
    logLikelihood: meanLogLikelihood(sum.logLikelihood, learner, examples),
    // An output that is longer than the right one may have more errors than that has symbols.
    accuracy: Math.max(0, 1 - sum.errors / Math.max(1, sum.decisions)),
    exact: sum.right / examples.length,
  };
}

/** For each example that has a log-likelihood; undefined if none has. */
export function meanLogLikelihood(sum: number, { tally }: Learner, examples: Int32Array): number | undefined {
  const known = tally ? examples.reduce((count, example) => count + (tally[example] > 0 ? 1 : 0), 0) : examples.length;
  return known > 0 ? sum / known : undefined;
}
