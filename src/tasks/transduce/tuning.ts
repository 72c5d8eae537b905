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
import { Member } from "./member.js";
import { MOST_HELD_OUT, type TransducerOptions } from "./options.js";
import { answerOf, inputOf, markedInputOf, type PairCorpus } from "./pairs.js";
import { fitMass, fitPowers, type JudgedCandidate, logLoss, type Powers } from "./powers.js";
import { outputsOf } from "./search.js";
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

/**
 * What is believed of powers before anything is seen, and how firmly. A model of words is worth its weight; a model of graphones
 * counts two thirds as much as the transducer, which was about the best in seven languages alike: with few held-out inputs, what
 * these say alone is often far from it.
 */
const PRIORS = {
  own: { powers: [1, 0], inputs: 1 },
  joint: { powers: [0.6, 0.4], inputs: 30 },
  words: { powers: [1, 0], inputs: 30 },
};

/** What chooses among candidates, beside a model of words, which is counted before. */
export interface Tuned {
  /** [members] if there are models of graphones. */
  joints: (JointParts | undefined)[];
  powers: Powers;
}

/** A model of words that is to choose. */
export interface WordChoice {
  /** The symbol between words. */
  separator: number;
  /** Whether its weight is to be fitted; if not, its power is in this proportion to the transducer's own. */
  isOpen: boolean;
}

/** A member to be, with the weights of each training that some inputs were held out from. */
export interface TrainedMember {
  engine: TransducerEngine;
  isBackward: boolean;
  /** The pairs in its direction. */
  corpus: PairCorpus;
  /** Of all members, those at the same place have learned from the same inputs. */
  runs: readonly JudgedWeights[];
}

/**
 * The joint models of the best alignments of all pairs, if options ask for them, and the powers with which these and a model of
 * words choose; undefined if it was stopped. `learnsAll`: the joint models that are kept know the held-out pairs, too.
 */
export async function tuneChoosers(
  members: readonly TrainedMember[],
  options: TransducerOptions,
  wordChoice: WordChoice | undefined,
  learnsAll: boolean,
  shouldStop: TrainingHooks["shouldStop"],
): Promise<Tuned | undefined> {
  const [{ corpus, engine, runs }] = members;
  const shift = engine.shape.symbolCount - 1;
  const isStopped = stopwatch(shouldStop);
  const judged: JudgedInput[] = [];
  let aligned: AlignedMoves[][] = [];
  for (const [r, { training, heldOut }] of runs.entries()) {
    const learned: Member[] = [];
    aligned = [];
    for (const member of members) {
      const { weights } = member.runs[r];
      const own = await alignedBy(member, training, weights, options, isStopped);
      if (!own) return undefined;
      aligned.push(own);
      learned.push(new Member(member.engine, weights, counted(own, options, shift), member.isBackward));
    }
    const words = wordChoice && wordModelOf(corpus, wordChoice.separator, shift, training);
    for (const i of heldOut.slice(0, MOST_HELD_OUT)) {
      judged.push(judge(learned, corpus, i, words));
      if (await isStopped()) return undefined;
    }
  }
  // With those that were held out, the latest weights have aligned all pairs.
  const joints: Tuned["joints"] = [];
  for (const [m, member] of members.entries()) {
    const { heldOut, weights } = member.runs[runs.length - 1];
    const rest = learnsAll ? await alignedBy(member, heldOut, weights, options, isStopped) : [];
    if (!rest) return undefined;
    joints.push(counted([...aligned[m], ...rest], options, shift)?.parts);
  }
  return { joints, powers: powersFrom(judged, options, wordChoice) };
}

/** The best alignments of some inputs' answers; undefined if it was stopped, none without models of graphones. */
async function alignedBy(
  { engine, corpus }: TrainedMember,
  inputs: Int32Array,
  weights: Float64Array,
  { jointGrams }: TransducerOptions,
  isStopped: () => Promise<boolean>,
): Promise<AlignedMoves[] | undefined> {
  const aligned: AlignedMoves[] = [];
  for (const i of jointGrams > 0 ? inputs : []) {
    const input = inputOf(corpus, i);
    engine.forward(markedInputOf(corpus, i), weights);
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      const moves = engine.bestMoves(answerOf(corpus, a));
      if (moves) aligned.push({ input, moves });
    }
    if (await isStopped()) return undefined;
  }
  return aligned;
}

function counted(aligned: AlignedMoves[], { jointGrams }: TransducerOptions, shift: number): JointModel | undefined {
  return jointGrams > 0 ? JointModel.count(aligned, jointGrams, shift) : undefined;
}

function wordModelOf(corpus: PairCorpus, separator: number, shift: number, inputs: Int32Array): WordModel {
  return new WordModel(wordCountsOf(corpus, separator, inputs), separator, shift);
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

function judge(members: readonly Member[], corpus: PairCorpus, i: number, words: WordModel | undefined): JudgedInput {
  const right = new Set<string>();
  for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) right.add(answerOf(corpus, a).join());
  const { candidates, together } = outputsOf(members, markedInputOf(corpus, i), words, 1);
  return {
    candidates: candidates.map(({ output, log, joint, words }) => ({
      own: log,
      joint,
      words,
      right: right.has(output.join()),
    })),
    together,
  };
}

/** A weight that is not open ties the power of the model of words to the transducer's own. */
function powersFrom(
  inputs: readonly JudgedInput[],
  { jointGrams, words: weight }: TransducerOptions,
  choice: WordChoice | undefined,
): Powers {
  const isOpen = choice?.isOpen ?? false;
  const prior = choice ? PRIORS.words : jointGrams > 0 ? PRIORS.joint : PRIORS.own;
  const fitted = fitPowers(
    inputs.map(({ candidates }) =>
      candidates.map(
        (one): JudgedCandidate => ({
          logs: isOpen ? [one.own, one.joint, one.words] : [one.own + weight * one.words, one.joint],
          right: one.right,
        }),
      ),
    ),
    isOpen ? { ...prior, powers: [...prior.powers, weight] } : prior,
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
