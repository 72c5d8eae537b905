// What a transducer's training needs before its first pass: the rows, decided by a rough alignment of the pairs; for `forced`,
// alignments imputed by a bigram model; the L2 penalty, where held-out pairs choose it.

import { backend } from "../../engine/choice.js";
import type { Inference } from "../../engine/trellis.js";
import { chooseL2 } from "../../learn/choose-l2.js";
import type { Part } from "../../learn/held-out.js";
import { trainingOptions } from "../../learn/options.js";
import { train } from "../../learn/train.js";
import type { TrainingHooks } from "../../learn/training.js";
import { declaredOf } from "../../util/options.js";
import { pause } from "../../util/pause.js";
import { generator, shuffle } from "../../util/random.js";
import { Aligner } from "./aligner.js";
import type { View } from "./classes.js";
import { TransducerEngine, type TransducerShape } from "./engine.js";
import { TransducerLearner } from "./learner.js";
import { FEW_INPUTS, FEWEST_TO_CHOOSE, rowOptionsOf, type TransducerOptions } from "./options.js";
import { answerOf, markedInputOf, type PairCorpus } from "./pairs.js";
import { type AlignedPair, TransducerFeatures, type TransducerRows } from "./rows.js";

/** Pairs on which the rough alignment is fitted, at most. */
const ALIGNER_INPUTS = 10_000;
const ALIGNER_PASSES = 8;
/** Alignments drawn for each pair, where these are few and many: rows for what is not certain. */
const SAMPLES = { few: 4, many: 1 };

/** Parts of the seed, beside those of training, which counts passes from 0. */
const ALIGNER_PART = -1;
const SAMPLE_PART = -2;

/** What a rough alignment of the pairs decides. */
export interface Prepared {
  /**
   * Rows for what occurs in the pairs of some inputs, or of all. Whatever is judged by inputs that it did not learn from must not
   * have rows of these: a weight of their own that was only ever pushed down would make it look worse than it is.
   */
  rowsOf(inputs?: Int32Array): TransducerRows;
  /** [answers] the moves that a first pass learns from; undefined where the alignment is in doubt. */
  moves: (Int32Array | undefined)[];
}

/** Draws alignments from a very small model, fitted to some of the pairs, for rows, and gives those that are hardly in doubt. */
export function prepare(
  corpus: PairCorpus,
  shape: TransducerShape,
  options: TransducerOptions,
  views: readonly View[],
  encoded = false,
): Prepared {
  const { symbolCount, boundary, copies } = shape;
  const aligner = new Aligner(boundary + 1, symbolCount, shape, options.copying ? copies : undefined);
  const inputs = Int32Array.from({ length: corpus.inputCount }, (_, i) => i);
  const some = shuffle(inputs, generator(options.seed, ALIGNER_PART)).slice(0, ALIGNER_INPUTS);
  aligner.fit(corpus, some, ALIGNER_PASSES);
  const samples = corpus.inputCount <= FEW_INPUTS ? SAMPLES.few : SAMPLES.many;
  const random = generator(options.seed, SAMPLE_PART);
  const aligned: AlignedPair[][] = []; // [inputs][alignments]
  const best: Prepared["moves"] = [];
  for (let i = 0; i < corpus.inputCount; i++) {
    const { symbols: input, marks } = markedInputOf(corpus, i);
    const own: AlignedPair[] = [];
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      best.push(aligner.certain(input, answerOf(corpus, a)));
      for (let s = 0; s < samples; s++) {
        const moves = aligner.sample(input, answerOf(corpus, a), random);
        if (moves) own.push({ input, marks, moves });
      }
    }
    aligned.push(own);
  }
  const makings = { samples, views, copying: options.copying, marked: corpus.marks.length > 0, encoded };
  let features: TransducerFeatures | undefined;
  const rowsOf = (some?: Int32Array): TransducerRows => {
    features ??= new TransducerFeatures({ ...makings, pairs: () => pairsOf(aligned, aligned.keys()) }, shape);
    return features.rows(some && (() => pairsOf(aligned, others(aligned.length, some))));
  };
  return { rowsOf, moves: best };
}

/** The numbers below `count` that are not among some. */
function others(count: number, some: Int32Array): number[] {
  const isAmong = new Uint8Array(count);
  for (const i of some) isAmong[i] = 1;
  return [...isAmong.keys()].filter((i) => !isAmong[i]);
}

function* pairsOf(aligned: readonly AlignedPair[][], inputs: Iterable<number>): Generator<AlignedPair> {
  for (const i of inputs) yield* aligned[i];
}

/** Passes of the model that imputes alignments for `forced`. */
const IMPUTING_PASSES = 3;

/** [answers] the best alignment of each pair under a bigram model of moves with exact inference; few or none if it was stopped. */
export async function imputeMoves(
  corpus: PairCorpus,
  shape: TransducerShape,
  options: TransducerOptions,
  shouldStop: TrainingHooks["shouldStop"],
): Promise<(Int32Array | undefined)[]> {
  // Rows take a while, in which no signal comes through.
  await pause();
  if (shouldStop?.()) return [];
  const bigram: TransducerOptions = { ...options, window: 0, outputGrams: 1, moveGrams: [1], order: 1 };
  const bigramShape = { ...shape, rowOptions: rowOptionsOf(bigram) };
  const rows = prepare(corpus, bigramShape, bigram, []).rowsOf();
  const inference: Inference = { mode: "exact", contexts: 0, order: 1, recombine: true, rows: "all" };
  const engine = new TransducerEngine(rows, bigramShape, inference);
  const learner = new TransducerLearner(corpus, engine, "rcms");
  const trained = await train(
    learner,
    { ...declaredOf(trainingOptions, options), passes: IMPUTING_PASSES, heldOut: 0 },
    { shouldStop },
  );
  const weights = backend().arrays.placed(trained.weights);
  const moves: (Int32Array | undefined)[] = [];
  let paused = Date.now();
  for (let i = 0; i < corpus.inputCount && !shouldStop?.(); i++) {
    if (Date.now() - paused > 100) {
      await pause();
      paused = Date.now();
    }
    engine.forward(markedInputOf(corpus, i), weights);
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      moves.push(engine.bestMoves(answerOf(corpus, a)));
    }
  }
  return moves;
}

/** Candidates for the L2 penalty. */
const penalties = [1, 4, 16];

/** The L2 penalty that is best on held-out pairs; that of the options if there are too few to tell. */
export async function penaltyFor(
  learner: TransducerLearner,
  chosen: TransducerOptions,
  shouldStop: TrainingHooks["shouldStop"],
  part: Part | undefined,
): Promise<number> {
  // With attributes, a short training says too little of the many features that follow; with a network, rows are few.
  const own = part ? part.training.length : learner.exampleCount;
  if (own < FEWEST_TO_CHOOSE || learner.corpus.marks.length > 0 || learner.encoder) return chosen.l2;
  return chooseL2(learner, declaredOf(trainingOptions, chosen), shouldStop, penalties, part);
}
