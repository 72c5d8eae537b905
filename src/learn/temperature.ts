// The temperature T: weights are divided by it, so that probabilities say how often outputs are right. It is chosen on outputs
// that were not learned from, by least log loss
//   loss(T) = Σ over outputs of −(1 − ε) log p_T − ε log(1 − p_T) where they are right; where they are wrong, p_T is 1 − p_T
// with ε = 1 / (n + 2) for n outputs that are right (wrong): of a few that are all right no probability of 1 follows (Platt,
// Probabilistic outputs for support vector machines, 1999). It is looked up at a few temperatures, and a parabola laid through the
// least: at all of them where the losses of several models are to be added, else from T = 1 in the direction in which it falls.

import { backend } from "../engine/choice.js";
import { pause } from "../util/pause.js";
import { LEAST_PROBABILITY, type Learner } from "./learner.js";
import { heldOnes } from "./order.js";

const LEAST = -0.8;
const STEP = 0.2;
/** Logarithms of the temperatures that may be looked at. */
const logs: readonly number[] = Array.from({ length: 11 }, (_, i) => LEAST + STEP * i);
/** Examples by which it is chosen, at most. */
const MOST_JUDGES = 2000;

/** What is lost at each temperature; infinite where it was not looked at. */
export interface TemperatureLosses {
  /** Log loss of outputs; empty if the learner says nothing of it. */
  outputs: number[];
  /** −log-likelihood of what is right. */
  likelihood: number[];
}

/** The losses of examples: at all temperatures, or at those around the one at which outputs, or likelihood, lose least. Undefined if it was stopped. */
export async function temperatureLosses(
  learner: Learner,
  examples: Int32Array,
  weights: Float64Array,
  { around, shouldStop }: { around?: keyof TemperatureLosses; shouldStop?: () => boolean },
): Promise<TemperatureLosses | undefined> {
  // Likelihoods are compared with one another, as passes are: that takes no more care than learning does.
  const scaled = backend().arrays.float64(weights.length);
  const losses: TemperatureLosses = { outputs: unknown(), likelihood: unknown() };
  let paused = Date.now();
  /** False if it was stopped or is not known. */
  const look = async (n: number): Promise<boolean> => {
    const factor = Math.exp(-logs[n]);
    for (let e = 0; e < weights.length; e++) scaled[e] = weights[e] * factor;
    if (learner.encoder) learner.encoder.scale = factor;
    const sums = { right: nothingLost(), wrong: nothingLost() };
    let likelihood = 0;
    for (const example of heldOnes(learner, examples.subarray(0, MOST_JUDGES))) {
      const { logLoss, logLikelihood, right } = learner.judge(example, scaled, around !== "likelihood");
      if (logLoss === undefined) {
        losses.outputs.length = 0;
        return false;
      }
      likelihood += logLikelihood;
      const sum = right ? sums.right : sums.wrong;
      sum.count++;
      sum.loss += logLoss;
      sum.otherLoss -= Math.log(Math.max(LEAST_PROBABILITY, -Math.expm1(-logLoss)));
      if (Date.now() - paused < 100) continue;
      await pause();
      paused = Date.now();
      if (shouldStop?.()) return false;
    }
    losses.outputs[n] = smoothed(sums.right) + smoothed(sums.wrong);
    losses.likelihood[n] = -likelihood;
    return true;
  };
  const wanted = around ? aroundLeast(losses[around]) : logs.keys();
  try {
    for (const n of wanted) if (!(await look(n))) return losses.outputs.length === 0 ? losses : undefined;
    return losses;
  } finally {
    if (learner.encoder) learner.encoder.scale = 1;
  }
}

function unknown(): number[] {
  return logs.map(() => Number.POSITIVE_INFINITY);
}

/** Which temperature to look at next, until those beside the least are known: down from T = 1, then up if that was no better. */
function* aroundLeast(losses: readonly number[]): Generator<number> {
  const first = logs.findIndex((log) => Math.abs(log) < STEP / 2);
  yield first;
  for (const direction of [-1, 1]) {
    for (let n = first + direction; n >= 0 && n < logs.length; n += direction) {
      yield n;
      if (losses[n] >= losses[n - direction]) break;
    }
    if (losses[first - 1] < losses[first]) return;
  }
}

interface Lost {
  count: number;
  /** −log of the probability of what came true, and of what did not. */
  loss: number;
  otherLoss: number;
}

function nothingLost(): Lost {
  return { count: 0, loss: 0, otherLoss: 0 };
}

function smoothed({ count, loss, otherLoss }: Lost): number {
  const share = 1 / (count + 2);
  return (1 - share) * loss + share * otherLoss;
}

/** The temperature of least loss; 1 if no losses are known. */
export function bestTemperature(losses: readonly number[]): number {
  return losses.length === logs.length ? Math.exp(leastOf(losses).log) : 1;
}

/** The loss at that temperature. */
export function leastLoss(losses: readonly number[]): number {
  return leastOf(losses).loss;
}

/** Where a parabola through the least loss and those beside it is least, and how much is lost there. */
function leastOf(losses: readonly number[]): { log: number; loss: number } {
  const least = Math.max(0, losses.indexOf(Math.min(...losses)));
  if (least === 0 || least === logs.length - 1) return { log: logs[least], loss: losses[least] };
  const [before, at, after] = losses.slice(least - 1, least + 2);
  const bend = before - 2 * at + after;
  // Where two are equally good, one beside them may not have been looked at.
  if (!(bend > 0 && bend < Number.POSITIVE_INFINITY)) return { log: logs[least], loss: at };
  const shift = (before - after) / (2 * bend);
  return { log: logs[least] + STEP * shift, loss: at - (shift * (before - after)) / 4 };
}
