// What held-out inputs decide when a transducer has been trained: the temperature, by which all scores are divided so that
// probabilities say how often outputs are right, and the powers of models of graphones and words that help to choose among
// candidates. While powers are fitted, these models do not know the held-out pairs; those that are kept do.

import { backend } from "../../engine/choice.js";
import type { Part } from "../../learn/held-out.js";
import type { TrainingHooks } from "../../learn/training.js";
import { minimise } from "../../util/minimise.js";
import { pause } from "../../util/pause.js";
import type { TransducerEngine } from "./engine.js";
import { type AlignedMoves, JointModel, type JointParts } from "./joint-model.js";
import type { TransducerLearner } from "./learner.js";
import { MOST_HELD_OUT, type TransducerOptions } from "./options.js";
import { answerOf, inputOf, markedInputOf, type PairCorpus } from "./pairs.js";
import { fitMass, fitPowers, type JudgedCandidate, logLoss, type Powers } from "./powers.js";
import { type Choosers, candidatesFor, logSum } from "./search.js";
import { countWords, type WordCounts, WordModel } from "./word-model.js";

/** Weights, what they were learned from, and what they are judged by. */
export interface JudgedWeights extends Part {
  weights: Float64Array;
}

/** Held-out inputs on which the temperature is chosen, at most. */
const TEMPERATURE_INPUTS = 2_000;

/**
 * The number by which to divide all scores so that the probabilities of the outputs written for held-out inputs best say
 * whether these are right (least log loss); 1 if nothing is held out. Found by golden-section search on its logarithm. The
 * outputs are those written without it: else it would pay to write nonsense and to be sure that it is wrong.
 */
export function chooseTemperature(learner: TransducerLearner, runs: readonly JudgedWeights[]): number {
  const scaled = backend().arrays.float64(runs[0]?.weights.length ?? 0);
  const judges = runs.map(({ weights, heldOut }) => {
    scaled.set(weights);
    const some = heldOut.slice(0, TEMPERATURE_INPUTS);
    return { weights, written: Array.from(some, (example) => ({ example, ...learner.written(example, scaled) })) };
  });
  if (judges.every(({ written }) => written.length === 0)) return 1;
  const loss = (logTemperature: number): number => {
    const factor = Math.exp(-logTemperature);
    // With as much as one input for leaving scores as they are: else, where no output is right, it would run to its limit.
    let sum = logTemperature ** 2 / 2;
    for (const { weights, written } of judges) {
      for (let e = 0; e < weights.length; e++) scaled[e] = weights[e] * factor;
      for (const { example, output, right } of written) {
        sum += logLoss(learner.logProbability(example, output, scaled), right);
      }
    }
    return sum;
  };
  const best = minimise(loss, Math.log(0.5), Math.log(4), 0.02);
  return loss(best) < loss(0) ? Math.exp(best) : 1; // there may be more than one valley
}

/** How firmly a model of words is believed to be worth its weight; of a joint model nothing is known before. */
const PRIOR_INPUTS = { words: 30, joint: 1 };

/** What chooses among candidates, beside a model of words, which is counted before. */
export interface Tuned {
  joint?: JointParts;
  powers: Powers;
}

/** A model of words that is to choose. */
export interface WordChoice {
  /** The symbol between words. */
  separator: number;
  /** Whether its weight is to be fitted; if not, its power is in this proportion to the transducer's own. */
  isOpen: boolean;
}

/**
 * The joint model of the best alignments of all pairs, if options ask for one, and the powers with which it and a model of
 * words choose; undefined if it was stopped. `learnsAll`: the joint model that is kept knows the held-out pairs, too.
 */
export async function tuneChoosers(
  engine: TransducerEngine,
  runs: readonly JudgedWeights[],
  corpus: PairCorpus,
  options: TransducerOptions,
  wordChoice: WordChoice | undefined,
  learnsAll: boolean,
  shouldStop: TrainingHooks["shouldStop"],
): Promise<Tuned | undefined> {
  const shift = engine.shape.symbolCount - 1;
  const isStopped = stopwatch(shouldStop);
  let aligned: AlignedMoves[] = [];
  const align = async (inputs: Int32Array, weights: Float64Array): Promise<boolean> => {
    for (const i of options.jointGrams > 0 ? inputs : []) {
      const input = inputOf(corpus, i);
      engine.forward(markedInputOf(corpus, i), weights);
      for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
        const moves = engine.bestMoves(answerOf(corpus, a));
        if (moves) aligned.push({ input, moves });
      }
      if (await isStopped()) return false;
    }
    return true;
  };
  const counted = (): JointModel | undefined =>
    options.jointGrams > 0 ? JointModel.count(aligned, options.jointGrams, shift) : undefined;
  const judged: JudgedInput[] = [];
  for (const { training, heldOut, weights } of runs) {
    aligned = [];
    if (!(await align(training, weights))) return undefined;
    const learned: Choosers = { joint: counted() };
    if (wordChoice) {
      const { separator } = wordChoice;
      learned.words = new WordModel(wordCountsOf(corpus, separator, training), separator, shift);
    }
    for (const i of heldOut.slice(0, MOST_HELD_OUT)) {
      engine.forward(markedInputOf(corpus, i), weights);
      judged.push(judge(engine, corpus, i, learned));
      if (await isStopped()) return undefined;
    }
  }
  // With those that were held out, the latest weights have aligned all pairs.
  const { heldOut, weights } = runs[runs.length - 1];
  if (learnsAll && !(await align(heldOut, weights))) return undefined;
  const powers = powersFrom(judged, wordChoice !== undefined, options.words, wordChoice?.isOpen ?? false);
  return { joint: counted()?.parts, powers };
}

/** Asks now and then, between examples, whether to stop. */
function stopwatch(shouldStop: TrainingHooks["shouldStop"]): () => Promise<boolean> {
  let paused = Date.now();
  return async () => {
    if (Date.now() - paused < 100) return false;
    await pause();
    paused = Date.now();
    return shouldStop?.() ?? false;
  };
}

/** What models think of the candidates of a held-out input. */
interface JudgedInput {
  candidates: { own: number; joint: number; words: number; right: boolean }[];
  /** Log of what the candidates have together. */
  together: number;
}

function judge(engine: TransducerEngine, corpus: PairCorpus, i: number, { joint, words }: Choosers): JudgedInput {
  const input = inputOf(corpus, i);
  const right = new Set<string>();
  for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) right.add(answerOf(corpus, a).join());
  const candidates = candidatesFor(engine, input, { joint, words });
  return {
    candidates: candidates.map(({ output, moves, log }) => ({
      own: log,
      joint: joint?.logProbability({ input, moves }) ?? 0,
      words: words?.logProbability(output) ?? 0,
      right: right.has(output.join()),
    })),
    together: logSum(candidates),
  };
}

/** A weight that is not open ties the power of the model of words to the transducer's own. */
function powersFrom(inputs: readonly JudgedInput[], words: boolean, weight: number, isOpen: boolean): Powers {
  const fitted = fitPowers(
    inputs.map(({ candidates }) =>
      candidates.map(
        (one): JudgedCandidate => ({
          logs: isOpen ? [one.own, one.joint, one.words] : [one.own + weight * one.words, one.joint],
          right: one.right,
        }),
      ),
    ),
    { powers: isOpen ? [1, 0, weight] : [1, 0], inputs: words ? PRIOR_INPUTS.words : PRIOR_INPUTS.joint },
  );
  const [own, jointPower, wordPower = own * weight] = fitted;
  // The temperature was fitted to the transducer alone; together with others, it is right more often than it thought.
  const mass = fitMass(
    inputs.map(({ candidates, together }) => ({ together, right: candidates.some(({ right }) => right) })),
  );
  return { own, joint: jointPower, words: wordPower, mass };
}

/** The words in the answers of all inputs, or of some. */
export function wordCountsOf(
  corpus: PairCorpus,
  separator: number,
  inputs: Iterable<number> = Array(corpus.inputCount).keys(),
): WordCounts {
  const outputs: { output: Int32Array; count: number }[] = [];
  for (const i of inputs) {
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      outputs.push({ output: answerOf(corpus, a), count: corpus.answerCount[a] });
    }
  }
  return countWords(outputs, separator);
}
