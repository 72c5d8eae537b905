// What held-out inputs decide when a transducer has been trained: the temperature, by which all scores are divided so that
// probabilities say how often outputs are right, and the powers of models of graphones and words that help to choose among
// candidates. While powers are fitted, these models do not know the held-out pairs; those that are kept do.

import { backend } from "../../engine/choice.js";
import { logAdd } from "../../engine/lattice.js";
import type { Part } from "../../learn/held-out.js";
import type { TrainingHooks } from "../../learn/training.js";
import { minimise } from "../../util/minimise.js";
import { pause } from "../../util/pause.js";
import type { NetworkParts } from "./encoder.js";
import { type AlignedMoves, JointModel, type JointParts } from "./joint-model.js";
import { chooseSet } from "./kinds.js";
import type { TransducerLearner } from "./learner.js";
import { Member } from "./member.js";
import { MOST_HELD_OUT, type TransducerOptions } from "./options.js";
import { answerOf, inputOf, type MarkedInput, markedInputOf, type PairCorpus } from "./pairs.js";
import {
  asShares,
  type CandidateLogs,
  chanceOfAny,
  fitPowers,
  type JudgedCandidate,
  logLoss,
  type Powers,
  restOf,
  weightOf,
} from "./powers.js";
import { outputsOf } from "./search.js";
import { countWords, type WordCounts, WordModel } from "./word-model.js";

/** Weights, what they were learned from, and what they are judged by. */
export interface JudgedRun extends Part {
  /** Whose rows the weights are of. */
  learner: TransducerLearner;
  weights: Float64Array;
  /** Of the network, if there is one. */
  network?: NetworkParts;
}

/** Held-out inputs on which the temperature is chosen, at most. */
const TEMPERATURE_INPUTS = 2_000;

/**
 * The number by which to divide all scores so that the probabilities of the outputs written for held-out inputs best say
 * whether these are right (least log loss); 1 if nothing is held out. Found by golden-section search on its logarithm. The
 * outputs are those written without it: else it would pay to write nonsense and to be sure that it is wrong.
 */
export function chooseTemperature(runs: readonly JudgedRun[]): number {
  const judges = runs.map(({ learner, weights, network, heldOut }) => {
    const scaled = backend().arrays.placed(weights.slice());
    if (network) learner.engine.encoder?.take(network);
    const some = heldOut.slice(0, TEMPERATURE_INPUTS);
    const written = Array.from(some, (example) => ({ example, ...learner.written(example, scaled) }));
    return { learner, weights, network, scaled, written };
  });
  if (judges.every(({ written }) => written.length === 0)) return 1;
  const loss = (logTemperature: number): number => {
    const factor = Math.exp(-logTemperature);
    // With as much as one input for leaving scores as they are: else, where no output is right, it would run to its limit.
    let sum = logTemperature ** 2 / 2;
    for (const { learner, weights, network, scaled, written } of judges) {
      if (network) learner.engine.encoder?.take({ ...network, scale: factor });
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
const OWN = { power: 1, inputs: 1 };
const WITH_JOINT = { own: { power: 0.6, inputs: 30 }, joint: { power: 0.4, inputs: 30 } };
/** Where one of them says little, the other must say more, or everything would be in doubt. Places are those of `powersFrom`. */
const TOGETHER = { models: [2, 3], sum: 1, inputs: 200 };
/** Triggers count as much as held-out inputs show. */
const TRIGGERS = { power: 0, inputs: 10 };
const WITH_WORDS = { own: { power: 1, inputs: 30 }, joint: { power: 0, inputs: 30 }, inputs: 30 };
/**
 * Of all other outputs, and of the offset of their weight. A power of 0.7: where pairs are few, a transducer is too sure that none of these
 * is right, in most of seven languages.
 */
const REST = { power: { power: 0.7, inputs: 10 }, offset: { power: 0, inputs: 2, isSigned: true } };

/** What chooses among candidates, beside a model of words, which is counted before. */
export interface Tuned {
  /** [members] if there are models of graphones. */
  joints: (JointParts | undefined)[];
  powers: Powers;
  /** The members that are kept, of several sets to choose from. */
  kept: readonly number[];
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
  isBackward: boolean;
  /** Of all members, those at the same place have learned from the same inputs. */
  runs: readonly JudgedRun[];
}

/**
 * The joint models of the best alignments of all pairs, if options ask for them, and the powers with which these and a model of
 * words choose; undefined if it was stopped. `learnsAll`: the joint models that are kept know the held-out pairs, too. `sets` of
 * members are there to choose from (kinds.ts).
 */
export async function tuneChoosers(
  members: readonly TrainedMember[],
  options: TransducerOptions,
  wordChoice: WordChoice | undefined,
  learnsAll: boolean,
  shouldStop: TrainingHooks["shouldStop"],
  sets: readonly (readonly number[])[] = [[...members.keys()]],
): Promise<Tuned | undefined> {
  const [{ runs }] = members;
  const { corpus, engine } = runs[0].learner;
  const shift = engine.shape.symbolCount - 1;
  const isStopped = stopwatch(shouldStop);
  const judged = sets.map((): JudgedInput[] => []);
  let aligned: AlignedMoves[][] = [];
  for (const [r, { training, heldOut }] of runs.entries()) {
    const learned: Member[] = [];
    aligned = [];
    for (const member of members) {
      const { learner, weights, network } = member.runs[r];
      if (network) learner.engine.encoder?.take(network);
      const own = await alignedBy(member.runs[r], training, options, isStopped);
      if (!own) return undefined;
      aligned.push(own);
      learned.push(new Member(learner.engine, weights, counted(own, options, shift), member.isBackward));
    }
    const words = wordChoice && wordModelOf(corpus, wordChoice.separator, shift, training);
    for (const i of heldOut.slice(0, MOST_HELD_OUT)) {
      for (const [s, set] of sets.entries()) {
        const some = set.map((m) => learned[m]);
        judged[s].push(judge(some, corpus, i, words));
      }
      if (await isStopped()) return undefined;
    }
  }
  // With those that were held out, the latest weights have aligned all pairs.
  const joints: Tuned["joints"] = [];
  for (const [m, member] of members.entries()) {
    const last = member.runs[runs.length - 1];
    const rest = learnsAll ? await alignedBy(last, last.heldOut, options, isStopped) : [];
    if (!rest) return undefined;
    joints.push(counted([...aligned[m], ...rest], options, shift)?.parts);
  }
  const powers = judged.map((inputs) => powersFrom(inputs, options, wordChoice));
  const best = chooseSet(judged.map((inputs, s) => inputs.map((input) => lossOf(input, powers[s]))));
  return { joints, powers: powers[best], kept: sets[best] };
}

/** The log loss of the probability that the candidate which would be chosen is right. */
function lossOf({ candidates, right, together }: JudgedInput, powers: Powers): number {
  const scores = candidates.map((one) => weightOf(one, powers));
  const best = scores.indexOf(Math.max(...scores));
  const share = scores[best] - scores.reduce((sum, score) => logAdd(sum, score));
  return logLoss(Math.min(0, chanceOfAny(candidates, together, powers) + share), right[best]);
}

/** The best alignments of some inputs' answers; undefined if it was stopped, none without models of graphones. */
async function alignedBy(
  { learner: { engine, corpus }, weights }: JudgedRun,
  inputs: Int32Array,
  { jointGrams }: TransducerOptions,
  isStopped: () => Promise<boolean>,
): Promise<AlignedMoves[] | undefined> {
  const aligned: AlignedMoves[] = [];
  // What is too improbable to be found otherwise is looked for in a trellis without posteriors.
  const bestMoves = (input: MarkedInput, answer: Int32Array): Int32Array | undefined => {
    if (engine.posteriors()) engine.forwardFrozen(input, weights);
    return engine.bestMoves(answer);
  };
  for (const i of jointGrams > 0 ? inputs : []) {
    const input = inputOf(corpus, i);
    const marked = markedInputOf(corpus, i);
    engine.forwardFrozen(marked, weights);
    engine.backward();
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      const answer = answerOf(corpus, a);
      const moves = engine.judged(answer, input.length)?.moves ?? bestMoves(marked, answer);
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

/** Asks whether to stop: at once, however little there is to do, then now and then between examples. */
function stopwatch(shouldStop: TrainingHooks["shouldStop"]): () => Promise<boolean> {
  let paused = 0;
  return async () => {
    if (Date.now() - paused < 100) return false;
    await pause();
    paused = Date.now();
    return shouldStop?.() ?? false;
  };
}

/** What models think of the candidates of a held-out input. */
interface JudgedInput {
  candidates: readonly CandidateLogs[];
  /** [candidates] */
  right: readonly boolean[];
  /** Log of what the candidates have together. */
  together: number;
}

function judge(members: readonly Member[], corpus: PairCorpus, i: number, words: WordModel | undefined): JudgedInput {
  const answers = new Set<string>();
  for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) answers.add(answerOf(corpus, a).join());
  const { candidates, together } = outputsOf(members, markedInputOf(corpus, i), words, 1);
  return {
    candidates: asShares(candidates),
    right: candidates.map(({ output }) => answers.has(output.join())),
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
  const prior = choice ? WITH_WORDS : jointGrams > 0 ? WITH_JOINT : { own: OWN, joint: { power: 0, inputs: 1 } };
  const wordsPrior = isOpen ? [{ power: weight, inputs: WITH_WORDS.inputs }] : [];
  const logsOf = ({ log, joint, triggers, words }: CandidateLogs): number[] =>
    isOpen ? [log, joint, triggers, words] : [log + weight * words, joint, triggers];
  const [power, offset, own, joint, triggers, words = own * weight] = fitPowers(
    inputs.map(({ candidates, right, together }): JudgedCandidate[] => [
      ...candidates.map((one, c) => ({ logs: [0, 0, ...logsOf(one)], right: right[c] })),
      { logs: [restOf(together), 1, ...(isOpen ? [0, 0, 0, 0] : [0, 0, 0])], right: !right.includes(true) },
    ]),
    [REST.power, REST.offset, prior.own, prior.joint, TRIGGERS, ...wordsPrior],
    prior === WITH_JOINT ? TOGETHER : undefined,
  );
  return { own, joint, triggers, words, rest: { power, offset }, mass: 1 };
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
