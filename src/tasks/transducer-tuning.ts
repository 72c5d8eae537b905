// What held-out inputs decide when a transducer has been trained: the temperature, by which all scores are divided so that
// probabilities say how often outputs are right, and the powers of a joint model that helps to choose among candidates.

import { minimise } from "../core/minimise.js";
import { backend } from "../kernel/choice.js";
import { pause, split, type TrainingHooks } from "../learn/train.js";
import { type AlignedMoves, fitPowers, JointModel, type JointParts, type JudgedCandidates } from "./joint-model.js";
import type { TransducerEngine, TransducerLearner } from "./transducer-learner.js";
import { MOST_HELD_OUT, type TransducerOptions } from "./transducer-options.js";
import { answerOf, inputOf, type PairCorpus } from "./transducer-pairs.js";
import { jointCandidates } from "./transducer-search.js";

/** Held-out inputs on which the temperature is chosen, at most. */
const TEMPERATURE_INPUTS = 2_000;

/** What a probability of exactly 0 or 1 that turns out wrong costs no more than. */
const LEAST_CHANCE = 1e-6;

/**
 * The number by which to divide all scores so that the probabilities of the outputs written for held-out inputs best say
 * whether these are right (least log loss); 1 if nothing is held out. Found by golden-section search on its logarithm. The
 * outputs are those written without it: else it would pay to write nonsense and to be sure that it is wrong.
 */
export function chooseTemperature(
  learner: TransducerLearner,
  weights: Float64Array,
  options: TransducerOptions,
): number {
  const { heldOut } = split(learner.exampleCount, options);
  const some = heldOut.slice(0, TEMPERATURE_INPUTS);
  if (some.length === 0) return 1;
  const scaled = backend().arrays.float64(weights.length);
  scaled.set(weights);
  const written = Array.from(some, (example) => ({ example, ...learner.written(example, scaled) }));
  const logLoss = (logTemperature: number): number => {
    const factor = Math.exp(-logTemperature);
    for (let e = 0; e < weights.length; e++) scaled[e] = weights[e] * factor;
    // With as much as one input for leaving scores as they are: else, where no output is right, it would run to its limit.
    let sum = logTemperature ** 2 / 2;
    for (const { example, output, right } of written) {
      const log = learner.logProbability(example, output, scaled);
      sum -= Math.log(Math.max(LEAST_CHANCE, right ? Math.exp(log) : -Math.expm1(log)));
    }
    return sum;
  };
  const best = minimise(logLoss, Math.log(0.5), Math.log(4), 0.02);
  return logLoss(best) < logLoss(0) ? Math.exp(best) : 1; // there may be more than one valley
}

/**
 * The joint model of the best alignments of all pairs, with powers fitted to held-out inputs while these are not counted;
 * undefined if it was stopped.
 */
export async function jointFor(
  engine: TransducerEngine,
  weights: Float64Array,
  corpus: PairCorpus,
  options: TransducerOptions,
  shouldStop: TrainingHooks["shouldStop"],
): Promise<JointParts | undefined> {
  const { training, heldOut } = split(corpus.inputCount, options);
  const shift = engine.shape.symbolCount - 1;
  const aligned: AlignedMoves[] = [];
  let paused = Date.now();
  const isStopped = async (): Promise<boolean> => {
    if (Date.now() - paused < 100) return false;
    await pause();
    paused = Date.now();
    return shouldStop?.() ?? false;
  };
  const align = async (inputs: Int32Array): Promise<boolean> => {
    for (const i of inputs) {
      const input = inputOf(corpus, i);
      engine.forward(input, weights);
      for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
        const moves = engine.bestMoves(answerOf(corpus, a));
        if (moves) aligned.push({ input, moves });
      }
      if (await isStopped()) return false;
    }
    return true;
  };
  if (!(await align(training))) return undefined;
  const learned = JointModel.count(aligned, options.jointGrams, shift);
  const judged: JudgedCandidates[] = [];
  for (const i of heldOut.slice(0, MOST_HELD_OUT)) {
    const input = inputOf(corpus, i);
    const right = new Set<string>();
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) right.add(answerOf(corpus, a).join());
    engine.forward(input, weights);
    judged.push(
      jointCandidates(engine, input).map(({ output, moves, log }) => ({
        own: log,
        joint: learned.logProbability({ input, moves }),
        right: right.has(output.join()),
      })),
    );
    if (await isStopped()) return undefined;
  }
  if (!(await align(heldOut))) return undefined;
  return JointModel.count(aligned, options.jointGrams, shift).with(fitPowers(judged)).parts;
}
