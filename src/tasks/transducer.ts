// The transducer: learns from pairs of an input and an output of different lengths, whose alignment nobody knows, to write
// outputs for new inputs, and says how sure it is. The probability of an output is summed over all its alignments.
//
//   const transducer = await Transducer.train([{ input: [..."photo"], output: ["F", "OW", "T", "OW"] }, …]);
//   const { output, probability } = transducer.predict([..."phone"], { alignment: true });

import { Alphabet } from "../core/alphabet.js";
import { type Calibration, calibrated, type Guarantee, guaranteeFor } from "../core/calibration.js";
import { checkNames, OptionChecks } from "../core/checks.js";
import { type Clamp, clampTrellis } from "../core/clamp.js";
import { InputError } from "../core/errors.js";
import { bestPath, bestPaths, type Lattice, logAdd, type Path, trellisLattice } from "../core/lattice.js";
import { minimise } from "../core/minimise.js";
import { BEGIN, type Inference, type Trellis } from "../core/trellis.js";
import { backend } from "../kernel/choice.js";
import { goOnOptions } from "../learn/go-on.js";
import { checkTrainingOptions } from "../learn/limits.js";
import { generator, shuffle } from "../learn/random.js";
import {
  type Checkpoint,
  chooseL2,
  type Epoch,
  hookNames,
  hooksOf,
  pause,
  split,
  type Trained,
  type TrainingHooks,
  type TrainingOptions,
  train,
  trainingDefaults,
} from "../learn/train.js";
import { type AlignedMoves, fitPowers, JointModel, type JointParts, type JudgedCandidates } from "./joint-model.js";
import { SPACE } from "./language.js";
import { Aligner } from "./transducer-aligner.js";
import {
  LEAST_LOG,
  type Strategy,
  TransducerEngine,
  TransducerLearner,
  type TransducerShape,
} from "./transducer-learner.js";
import { answerOf, inputOf, type PairCorpus, PairCorpusBuilder, type SymbolPair } from "./transducer-pairs.js";
import { type AlignedPair, type TransducerRowOptions, type TransducerRows, transducerRows } from "./transducer-rows.js";
import { countWords, type WordCounts, WordModel } from "./word-model.js";

export interface TransducerOptions extends TrainingOptions {
  /** How many moves back a decision looks; a move writes a symbol or goes to the next input symbol. */
  order: number;
  /** How many contexts each slot keeps beside `⋆`. */
  contexts: number;
  /** Contexts with less than this share of their slot's heaviest are not kept. */
  lightest: number;
  /** Most symbols written for one input symbol. */
  maxEmit: number;
  /** How contexts are chosen while learning: `rcms`, or one of the others that the paper compares. */
  strategy: Strategy;
  /** Input symbols looked at on either side. */
  window: number;
  /** Written symbols that rows of outputs look back. */
  outputGrams: number;
  /** Moves that rows of aligned pairs look back when they look at 0, 1, … further input symbols. */
  moveGrams: readonly number[];
  /** Features seen fewer times in the rough alignment of the training pairs are left out. */
  minCount: number;
  /**
   * Weight of a model of the words in the training outputs when an output is chosen, for outputs with spaces between words:
   * candidates go by p(output | input) q(output)^words. 0 for none.
   */
  words: number;
  /**
   * Graphones (an input symbol with what is written for it) that a joint n-gram model looks back; it then helps to choose
   * among the most probable outputs, with a weight that held-out inputs decide. 0 for none.
   */
  jointGrams: number;
}

/** Options that the data decide where they are not given; see `chooseOptions`. */
const chosenNames = ["maxEmit", "minCount", "heldOut", "l2", "jointGrams"] as const;
type Chosen = (typeof chosenNames)[number];

export const transducerDefaults: Omit<TransducerOptions, Chosen> = {
  ...trainingDefaults,
  // Seven passes, as the last one is then averaged over four (see `train`); that outweighs a little over-fitting, which
  // shows in the likelihood and not in the outputs, and which the temperature mends.
  epochs: 7,
  patience: 3,
  select: "accuracy",
  order: 8,
  contexts: 6,
  lightest: 0.01,
  strategy: "rcms",
  window: 4,
  outputGrams: 4,
  moveGrams: [4, 3, 2],
  words: 0,
};

export interface TrainTransducerOptions extends Partial<TransducerOptions>, TrainingHooks {
  /**
   * A transducer to go on with: its symbols, features and weights, learning from more pairs. Options are its own, with
   * shorter steps, three passes and no L2 penalty, unless they are given; those that its features depend on stay.
   */
  from?: Transducer;
  /** A training to go on with; data and options must be the same. */
  checkpoint?: Checkpoint;
  /** Called after each pass with the best transducer so far, not yet calibrated. */
  onPass?(transducer: Transducer, epoch: number): void | Promise<void>;
  /** Anything to be kept with the model, such as how its input was read. */
  note?: Record<string, unknown>;
}

/** What is known of how a transducer was trained. */
export interface TransducerSummary {
  pairs: number;
  inputs: number;
  /** Pairs that had an alignment when they were last looked at. */
  alignedPairs: number;
  history: Epoch[];
  bestEpoch: number;
  /** Scores were divided by this, so that probabilities say how often the outputs written for held-out inputs are right. */
  temperature: number;
  /** Training was stopped before its end. */
  stopped: boolean;
}

export interface TransducePredictOptions {
  /** Give the n most probable outputs. */
  nbest?: number;
  /** Give the best alignment of each output. */
  alignment?: boolean;
  /** Give the kept contexts of every slot with their probabilities. */
  contexts?: boolean;
  /** Choose contexts in another way than the model's own. */
  inference?: Partial<Pick<Inference, "mode" | "contexts" | "lightest">>;
}

/** An input symbol and what was written for it. */
export interface AlignedSymbol {
  input: string;
  output: string[];
}

/** A slot: `written` symbols written for the input symbol at `position`, with what is remembered there. */
export interface TransducerSlot {
  position: number;
  written: number;
  contexts: {
    /** Moves remembered, latest last: symbols written, null for going on to the next input symbol, `^` for the beginning. Empty for `⋆`. */
    suffix: (string | null)[];
    probability: number;
  }[];
}

export interface TransducedOutput {
  output: string[];
  /**
   * Probability of the output, summed over its alignments. With a model of graphones or words, what the candidates have
   * together is shared out among them anew.
   */
  probability: number;
  alignment?: AlignedSymbol[];
}

export interface TransducerPrediction extends TransducedOutput {
  logProbability: number;
  /** The probability after the model's calibration map, if it has one and contexts were chosen in its own way. */
  calibratedProbability?: number;
  nbest?: TransducedOutput[];
  /** Slots that an output can pass through, in order; the heaviest context first. */
  slots?: TransducerSlot[];
  /** Input symbols that were never seen in training. */
  unknown: string[];
}

export interface TransducerAnswerOptions extends Omit<TransducePredictOptions, "inference"> {
  /** The precision that was promised by calibration. */
  precision: number;
  /** How many outputs to give where none is sure enough. Default 9. */
  candidates?: number;
}

/** An answer that keeps the promised precision, or what a person may choose from. */
export type TransducerAnswer =
  | ({ answered: true; guarantee: Guarantee } & TransducerPrediction)
  | { answered: false; guarantee: Guarantee; candidates: TransducedOutput[]; prediction: TransducerPrediction };

/** The parts of a transducer: what a model file holds. */
export interface TransducerParts {
  inputSymbols: Alphabet;
  outputSymbols: Alphabet;
  rows: TransducerRows;
  weights: Float64Array;
  options: TransducerOptions;
  summary: TransducerSummary;
  note: Record<string, unknown>;
  /** If option `words` is above 0. */
  wordCounts?: WordCounts;
  /** If option `jointGrams` is above 0 and training was not stopped; one that goes on keeps what it had. */
  joint?: JointParts;
  calibration?: Calibration;
}

/** Paths looked at for the outputs asked for: so many, and so many more for each. */
const PATHS = 32;
const PATHS_PER_OUTPUT = 16;

/** Where the best output is looked for. */
interface Search {
  /** Candidates at most, among which models of words and of graphones choose. */
  most: number;
  /** No candidate is so far below the most probable one, in logarithms. */
  within: number;
  /** Paths so far below the best, in logarithms, are not looked at. */
  reach: number;
  /** Nor are more paths than this. */
  paths: number;
}

const plainSearch: Search = { most: 1, within: Number.POSITIVE_INFINITY, reach: 7, paths: 48 };
/** A right answer further below is seldom brought up: 20 candidates gained no more on held-out words. */
const jointSearch: Search = { most: 5, within: 3, reach: 4, paths: 48 };
/** A model of words may lift an output a good deal. */
const wordSearch: Search = { most: 20, within: Number.POSITIVE_INFINITY, reach: 10, paths: 112 };

export class Transducer {
  readonly inputSymbols: Alphabet;
  readonly outputSymbols: Alphabet;
  readonly rows: TransducerRows;
  readonly weights: Float64Array;
  readonly options: TransducerOptions;
  readonly summary: TransducerSummary;
  readonly note: Record<string, unknown>;
  /** What was measured on held-out data, if it was. */
  calibration: Calibration | undefined;
  private readonly engine: TransducerEngine;
  readonly words: WordModel | undefined;
  readonly joint: JointModel | undefined;

  constructor(parts: TransducerParts) {
    this.inputSymbols = parts.inputSymbols;
    this.outputSymbols = parts.outputSymbols;
    this.weights = backend().arrays.placed(parts.weights);
    this.options = parts.options;
    this.summary = parts.summary;
    this.note = parts.note;
    this.calibration = parts.calibration;
    const shape = shapeOf(parts.inputSymbols, parts.outputSymbols, parts.options);
    this.engine = new TransducerEngine(parts.rows, shape, inferenceOf(parts.options));
    this.rows = this.engine.rows;
    const separator = this.outputSymbols.indexOf(SPACE);
    if (parts.joint) this.joint = new JointModel(parts.joint, this.outputSymbols.size);
    if (parts.wordCounts) this.words = new WordModel(parts.wordCounts, separator, this.outputSymbols.size);
  }

  /** Learns from pairs. Pairs with the same input are several right answers for it. */
  static async train(
    pairs: Iterable<SymbolPair> | AsyncIterable<SymbolPair>,
    given: TrainTransducerOptions = {},
  ): Promise<Transducer> {
    const hooks = readHooks(given);
    const { from } = given;
    const inputSymbols = new Alphabet(from?.inputSymbols.all());
    const outputSymbols = new Alphabet(from?.outputSymbols.all());
    const builder = new PairCorpusBuilder(inputSymbols, outputSymbols);
    for await (const pair of pairs) {
      if (pair.input.length === 0) throw new InputError("the input is empty", pair);
      if (from) checkSymbols(from, pair);
      builder.add(pair);
    }
    if (builder.inputCount === 0) throw new InputError("there are no pairs to learn from");
    const corpus = builder.build();
    const chosen = from ? keptOptions(from, given) : chooseOptions(corpus, given);
    const shape = shapeOf(inputSymbols, outputSymbols, chosen);
    const rows = from?.rows ?? makeRows(corpus, shape, chosen);
    const wordCounts = chosen.words > 0 ? (from?.words?.counts ?? wordCountsOf(corpus, outputSymbols)) : undefined;
    const engine = new TransducerEngine(rows, shape, inferenceOf(chosen));
    const imputed = chosen.strategy === "forced" ? await imputeMoves(corpus, shape, chosen) : undefined;
    const learner = new TransducerLearner(corpus, engine, chosen.strategy, imputed);
    let choseInHaste = false;
    const stopsChoosing = (): boolean => {
      choseInHaste ||= hooks.shouldStop?.() ?? false;
      return choseInHaste;
    };
    const l2 = given.checkpoint?.l2 ?? (await penaltyFor(learner, chosen, given, stopsChoosing));
    const options: TransducerOptions = { ...chosen, l2 };
    // One that goes on keeps the joint model it had: a few more pairs would make a worse one.
    const make = (trained: Trained, temperature: number, joint = from?.joint?.parts): Transducer =>
      new Transducer({
        inputSymbols,
        outputSymbols,
        rows,
        // What is saved is single precision; rounding here makes a saved and loaded transducer answer as this one.
        weights: trained.weights.map((weight) => Math.fround(weight / temperature)),
        options,
        summary: summaryOf(corpus, learner, trained, temperature),
        note: given.note ?? {},
        wordCounts,
        joint,
      });
    let passes = 0;
    const afterPass = async (soFar: Trained): Promise<void> => {
      if (soFar.history.length === passes) return;
      passes = soFar.history.length;
      await given.onPass?.(make(soFar, 1), passes);
    };
    const passHooks: TrainingHooks = {
      ...hooks,
      async onCheckpoint(checkpoint) {
        // A training stopped while its penalty was chosen has nothing to go on from: an undisturbed one might choose another.
        if (choseInHaste) return;
        const { best, bestEpoch, history } = checkpoint;
        await afterPass({ weights: best, bestEpoch, history, stopped: false });
        await hooks.onCheckpoint?.(checkpoint);
      },
    };
    const counts = !from && options.jointGrams > 0;
    const trained = await train(learner, options, passHooks, {
      start: from?.weights,
      checkpoint: given.checkpoint,
      more: counts,
    });
    await afterPass(trained);
    const temperature = chooseTemperature(learner, trained.weights, options);
    if (!counts || trained.stopped) return make(trained, temperature);
    const joint = await Transducer.jointFor(make(trained, temperature), corpus, options, hooks.shouldStop);
    return make({ ...trained, stopped: joint === undefined }, temperature, joint);
  }

  /** The most probable output of an input, with its probability and whatever else is asked for. */
  predict(input: readonly string[], options: TransducePredictOptions = {}): TransducerPrediction {
    if (options.nbest !== undefined) new OptionChecks(options).whole("nbest", 0);
    const { symbols, unknown } = this.encode(input);
    const count = Math.max(1, options.nbest ?? 1);
    const trellis = this.engine.forward(symbols, this.weights, {
      ...inferenceOf(this.options),
      ...options.inference,
    });
    const found = this.outputsOf(trellisLattice(trellis), symbols, count);
    const outputs = found.map(({ output, moves, log }) => {
      const made: TransducedOutput = {
        output: output.map((symbol) => this.outputSymbols.nameOf(symbol)),
        probability: Math.min(1, Math.exp(log)),
      };
      if (options.alignment) made.alignment = this.alignmentOf(input, moves);
      return made;
    });
    const prediction: TransducerPrediction = { ...outputs[0], logProbability: Math.min(0, found[0].log), unknown };
    if (options.nbest !== undefined) prediction.nbest = outputs;
    if (options.contexts) {
      this.engine.backward();
      prediction.slots = this.slotsOf(trellis, symbols.length);
    }
    if (this.calibration && Object.keys(options.inference ?? {}).length === 0) {
      prediction.calibratedProbability = calibrated(this.calibration.map, prediction.probability);
    }
    return prediction;
  }

  /** Answers if that keeps the promised precision, and otherwise gives candidates for a person to choose from. */
  answer(input: readonly string[], options: TransducerAnswerOptions): TransducerAnswer {
    const { precision, candidates = 9, ...asked } = options;
    const guarantee = guaranteeFor(this.calibration, precision);
    const prediction = this.predict(input, asked);
    if (prediction.probability >= guarantee.threshold) return { answered: true, guarantee, ...prediction };
    const { nbest = [] } = this.predict(input, { nbest: candidates, alignment: options.alignment });
    return { answered: false, guarantee, candidates: nbest, prediction };
  }

  /**
   * Distinct outputs, the most probable first: the best one, and as many as are asked for. They are those of the best paths,
   * but each probability is summed over all alignments. It stops when no output that is not yet seen can matter.
   */
  private outputsOf(lattice: Lattice, input: Int32Array, asked: number): readonly Found[] {
    const { candidates, found } = this.candidatesOf(lattice, input, asked, this.search);
    return this.chosen(candidates, asked === 1 ? candidates : found, input).slice(0, asked);
  }

  private candidatesOf(
    lattice: Lattice,
    input: Int32Array,
    asked: number,
    search: Search,
  ): { candidates: Found[]; found: Found[] } {
    const found: Found[] = [];
    const seen = new Set<string>();
    let left = 1;
    const best = this.engine.kernel.bestPath() as Path;
    const logOf = this.engine.pathOutputs(input.length, best);
    const add = (path: Path): void => {
      const output = path.symbols.filter((move) => move !== this.outputSymbols.size);
      const key = output.join();
      if (seen.has(key)) return;
      seen.add(key);
      const log = logOf(output, path);
      left -= Math.exp(log);
      found.push({ output, moves: path.symbols, log });
      found.sort((a, b) => b.log - a.log);
    };
    // Whether the first `count` outputs, as far as they are no further than `within` below the first, are surely found.
    // Outputs so improbable that numbers cannot tell what is left are taken as they come.
    const complete = (count: number, within: number): boolean => {
      const last = found.length >= count ? found[count - 1].log : Number.NEGATIVE_INFINITY;
      const least = Math.max(last, found[0].log - within);
      return least < LEAST_LOG ? found.length >= count : Math.exp(least) >= left;
    };
    // The candidates among which the best is chosen are the same, however many outputs are asked for.
    let candidates: Found[] | undefined;
    const choose = (): void => {
      candidates ??= found.slice(0, search.most).filter(({ log }) => log >= found[0].log - search.within);
    };
    // One best path is found much faster than the first of many, and is often all that is needed.
    add(best);
    if (complete(search.most, search.within)) choose();
    const least = best.score - search.reach;
    if (!candidates || (asked > 1 && !complete(asked, Number.POSITIVE_INFINITY))) {
      let paths = 0;
      for (const path of bestPaths(lattice, asked === 1 ? least : Number.NEGATIVE_INFINITY)) {
        if (path.score < least) choose();
        add(path);
        paths++;
        if (paths === search.paths || complete(search.most, search.within)) choose();
        if (!candidates) continue;
        if (asked === 1 || complete(asked, Number.POSITIVE_INFINITY)) break;
        if (paths >= PATHS + PATHS_PER_OUTPUT * asked) break;
      }
      choose();
    }
    return { candidates: candidates ?? [], found };
  }

  /** What a joint model is to choose among for an input, with what it thinks of each. */
  private judgedCandidates(
    input: Int32Array,
    joint: JointModel,
    isRight: (output: number[]) => boolean,
  ): JudgedCandidates {
    const lattice = trellisLattice(this.engine.forward(input, this.weights));
    return this.candidatesOf(lattice, input, 1, jointSearch).candidates.map(({ output, moves, log }) => ({
      own: log,
      joint: joint.logProbability({ input, moves }),
      right: isRight(output),
    }));
  }

  /**
   * The joint model of the best alignments of all pairs, with powers fitted to held-out inputs while these are not counted;
   * undefined if it was stopped.
   */
  private static async jointFor(
    transducer: Transducer,
    corpus: PairCorpus,
    options: TransducerOptions,
    shouldStop: TrainingHooks["shouldStop"],
  ): Promise<JointParts | undefined> {
    const { training, heldOut } = split(corpus.inputCount, options);
    const shift = transducer.outputSymbols.size;
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
        for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
          const moves = transducer.bestMoves(input, answerOf(corpus, a));
          if (moves) aligned.push({ input, moves: Int32Array.from(moves) });
        }
        if (await isStopped()) return false;
      }
      return true;
    };
    if (!(await align(training))) return undefined;
    const learned = JointModel.count(aligned, options.jointGrams, shift);
    const judged: JudgedCandidates[] = [];
    for (const i of heldOut.slice(0, MOST_HELD_OUT)) {
      const right = new Set<string>();
      for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) right.add(answerOf(corpus, a).join());
      judged.push(transducer.judgedCandidates(inputOf(corpus, i), learned, (output) => right.has(output.join())));
      if (await isStopped()) return undefined;
    }
    if (!(await align(heldOut))) return undefined;
    return JointModel.count(aligned, options.jointGrams, shift).with(fitPowers(judged)).parts;
  }

  private get search(): Search {
    return this.words ? wordSearch : this.joint ? jointSearch : plainSearch;
  }

  /**
   * With models that choose among candidates: shares out what these have together in proportion to
   *   p(output | input)^own q(alignment)^joint w(output)^words
   * and puts the best of them first. Other outputs follow by the same measure, as far as what is left for them allows.
   */
  private chosen(candidates: readonly Found[], found: readonly Found[], input: Int32Array): readonly Found[] {
    const { words, joint } = this;
    if ((!words && !joint) || found.length === 1) return found;
    const weighted = (one: Found): Found => {
      let { log } = one;
      if (joint) {
        const pair = { input, moves: one.moves };
        log = joint.parts.own * log + joint.parts.joint * joint.logProbability(pair);
      }
      if (words) log += this.options.words * words.logProbability(one.output);
      return { ...one, log };
    };
    const sum = (outputs: readonly Found[]): number =>
      outputs.reduce((total, { log }) => logAdd(total, log), Number.NEGATIVE_INFINITY);
    const byLog = (a: Found, b: Found): number => b.log - a.log;
    const times =
      (factor: number) =>
      (one: Found): Found => ({ ...one, log: one.log + factor });
    const own = candidates.map(weighted);
    const together = sum(candidates);
    const scale = together - sum(own);
    const others = found.filter((one) => !candidates.includes(one)).map(weighted);
    const left = Math.log(Math.max(0, -Math.expm1(Math.min(0, together))));
    const otherScale = others.length > 0 ? Math.min(scale, left - sum(others)) : 0;
    const [best, ...rest] = own.map(times(scale)).sort(byLog);
    const below = others.map(times(otherScale)).map((one) => ({ ...one, log: Math.min(one.log, best.log) }));
    return [best, ...[...rest, ...below].sort(byLog)];
  }

  private slotsOf(trellis: Trellis, length: number): TransducerSlot[] {
    const perPosition = this.options.maxEmit + 1;
    const nameOf = (move: number): string | null =>
      move === BEGIN ? "^" : move < this.outputSymbols.size ? this.outputSymbols.nameOf(move) : null;
    return Array.from({ length: length * perPosition }, (_, slot) => ({
      position: Math.floor(slot / perPosition),
      written: slot % perPosition,
      contexts: Array.from({ length: trellis.slotStart[slot + 1] - trellis.slotStart[slot] }, (_, i) => {
        const context = trellis.slotStart[slot] + i;
        return { suffix: trellis.suffix(context).map(nameOf), probability: trellis.posterior[context] };
      }).sort((a, b) => b.probability - a.probability),
    }));
  }

  /**
   * Log of the probability that an input has an output, summed over alignments, without models of graphones or words;
   * -Infinity if it cannot be written.
   */
  logLikelihood(input: readonly string[], output: readonly string[]): number {
    const { symbols } = this.encode(input);
    const answer = this.encodeOutput(output);
    if (!answer) return Number.NEGATIVE_INFINITY;
    this.engine.forward(symbols, this.weights);
    return Math.min(0, this.engine.logProbability(answer, symbols.length));
  }

  /** The best alignment of a pair, or undefined if the output cannot be written for the input. */
  align(input: readonly string[], output: readonly string[]): AlignedSymbol[] | undefined {
    const { symbols } = this.encode(input);
    const answer = this.encodeOutput(output);
    const moves = answer && this.bestMoves(symbols, answer);
    return moves && this.alignmentOf(input, moves);
  }

  /** The moves of the best alignment of a pair. */
  private bestMoves(input: Int32Array, output: Int32Array): readonly number[] | undefined {
    const trellis = this.engine.forward(input, this.weights);
    return bestPath(clampTrellis(trellis, writes(output, this.outputSymbols.size)))?.symbols;
  }

  private alignmentOf(input: readonly string[], moves: readonly number[]): AlignedSymbol[] {
    const aligned: AlignedSymbol[] = [];
    let output: string[] = [];
    for (const move of moves) {
      if (move < this.outputSymbols.size) output.push(this.outputSymbols.nameOf(move));
      else {
        aligned.push({ input: input[aligned.length], output });
        output = [];
      }
    }
    return aligned;
  }

  private encode(input: readonly string[]): { symbols: Int32Array; unknown: string[] } {
    if (input.length === 0) throw new InputError("the input is empty");
    const unknown = new Set<string>();
    const symbols = Int32Array.from(input, (name) => {
      const symbol = this.inputSymbols.indexOf(name);
      if (symbol >= 0) return symbol;
      unknown.add(name);
      return this.inputSymbols.size;
    });
    return { symbols, unknown: [...unknown] };
  }

  private encodeOutput(output: readonly string[]): Int32Array | undefined {
    const symbols = Int32Array.from(output, (name) => this.outputSymbols.indexOf(name));
    return symbols.includes(-1) ? undefined : symbols;
  }
}

interface Found {
  output: number[];
  /** Its best alignment. */
  moves: readonly number[];
  log: number;
}

/** The clamp that allows the alignments of one output. */
function writes(output: Int32Array, shift: number): Clamp {
  return {
    arcs(_slot, state, allow) {
      if (state < output.length) allow(output[state], state + 1);
      allow(shift, state);
    },
    ends: (state) => state === output.length,
  };
}

function shapeOf(inputs: Alphabet, outputs: Alphabet, options: TransducerOptions): TransducerShape {
  // Input symbols, then the one for all that are unknown, then the outside.
  return {
    symbolCount: outputs.size + 1,
    boundary: inputs.size + 1,
    maxEmit: options.maxEmit,
    rowOptions: rowOptionsOf(options),
  };
}

function rowOptionsOf({ window, outputGrams, moveGrams, minCount }: TransducerOptions): TransducerRowOptions {
  return {
    window,
    windowLength: Math.max(1, 2 * window - 1),
    skipLength: Math.min(3, window),
    outputGrams,
    moveGrams,
    minCount,
  };
}

function inferenceOf(options: TransducerOptions): Inference {
  const { contexts, order, lightest, strategy } = options;
  const mode = strategy === "rcms" ? "rcms" : "beam";
  return { mode, contexts, order, lightest: mode === "rcms" ? lightest : 0, recombine: true, rows: "all" };
}

function wordCountsOf(corpus: PairCorpus, outputSymbols: Alphabet): WordCounts {
  const separator = outputSymbols.indexOf(SPACE);
  if (separator < 0)
    throw new InputError("option `words` is for outputs with spaces between words, and there are none", {
      hint: "give outputs as characters, spaces among them (`--output chars`)",
    });
  return countWords(
    Array.from(corpus.answerCount, (count, a) => ({ output: answerOf(corpus, a), count })),
    separator,
  );
}

/** Pairs on which the rough alignment is fitted, at most. */
const ALIGNER_INPUTS = 10_000;
const ALIGNER_PASSES = 8;
/** Up to this many inputs, four alignments of each pair are drawn instead of one: rows for what is not certain. */
const FEW_INPUTS = 5_000;

function makeRows(corpus: PairCorpus, shape: TransducerShape, options: TransducerOptions): TransducerRows {
  const { symbolCount, boundary, maxEmit } = shape;
  const aligner = new Aligner(boundary + 1, symbolCount, maxEmit);
  const inputs = Int32Array.from({ length: corpus.inputCount }, (_, i) => i);
  const some = shuffle(inputs, generator(options.seed, ALIGNER_PART)).slice(0, ALIGNER_INPUTS);
  aligner.fit(corpus, some, ALIGNER_PASSES);
  const samples = corpus.inputCount <= FEW_INPUTS ? 4 : 1;
  const random = generator(options.seed, SAMPLE_PART);
  const aligned: AlignedPair[] = [];
  for (let i = 0; i < corpus.inputCount; i++) {
    const input = inputOf(corpus, i);
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      for (let s = 0; s < samples; s++) {
        const moves = aligner.sample(input, answerOf(corpus, a), random);
        if (moves) aligned.push({ input, moves });
      }
    }
  }
  return transducerRows(() => aligned, symbolCount, boundary, shape.rowOptions, samples);
}

/** Parts of the seed, beside those of training, which counts passes from 0. */
const ALIGNER_PART = -1;
const SAMPLE_PART = -2;

/** Passes of the model that imputes alignments for `forced`. */
const IMPUTING_PASSES = 3;

/** [answers] the best alignment of each pair under a bigram model of moves with exact inference. */
async function imputeMoves(
  corpus: PairCorpus,
  shape: TransducerShape,
  options: TransducerOptions,
): Promise<(Int32Array | undefined)[]> {
  const bigram: TransducerOptions = { ...options, window: 0, outputGrams: 1, moveGrams: [1], order: 1 };
  const bigramShape = { ...shape, rowOptions: rowOptionsOf(bigram) };
  const rows = makeRows(corpus, bigramShape, bigram);
  const inference: Inference = { mode: "exact", contexts: 0, order: 1, recombine: true, rows: "all" };
  const engine = new TransducerEngine(rows, bigramShape, inference);
  const learner = new TransducerLearner(corpus, engine, "rcms");
  const trained = await train(learner, { ...options, epochs: IMPUTING_PASSES, heldOut: 0 });
  const weights = backend().arrays.placed(trained.weights);
  const moves: (Int32Array | undefined)[] = [];
  for (let i = 0; i < corpus.inputCount; i++) {
    const trellis = engine.forward(inputOf(corpus, i), weights);
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      const path = bestPath(clampTrellis(trellis, writes(answerOf(corpus, a), shape.symbolCount - 1)));
      moves.push(path ? Int32Array.from(path.symbols) : undefined);
    }
  }
  return moves;
}

/** Held-out inputs on which the temperature is chosen, at most. */
const TEMPERATURE_INPUTS = 2_000;

/** What a probability of exactly 0 or 1 that turns out wrong costs no more than. */
const LEAST_CHANCE = 1e-6;

/**
 * The number by which to divide all scores so that the probabilities of the outputs written for held-out inputs best say
 * whether these are right (least log loss); 1 if nothing is held out. Found by golden-section search on its logarithm.
 */
function chooseTemperature(learner: TransducerLearner, weights: Float64Array, options: TransducerOptions): number {
  const { heldOut } = split(learner.exampleCount, options);
  const some = heldOut.slice(0, TEMPERATURE_INPUTS);
  if (some.length === 0) return 1;
  const scaled = backend().arrays.float64(weights.length);
  const logLoss = (logTemperature: number): number => {
    const factor = Math.exp(-logTemperature);
    for (let e = 0; e < weights.length; e++) scaled[e] = weights[e] * factor;
    let sum = 0;
    for (const example of some) {
      const { log, right } = learner.sureness(example, scaled);
      sum -= Math.log(Math.max(LEAST_CHANCE, right ? Math.exp(log) : -Math.expm1(log)));
    }
    return sum;
  };
  return Math.exp(minimise(logLoss, Math.log(0.5), Math.log(4), 0.02));
}

function summaryOf(
  corpus: PairCorpus,
  learner: TransducerLearner,
  trained: Trained,
  temperature: number,
): TransducerSummary {
  let pairs = 0;
  for (const count of corpus.answerCount) pairs += count;
  return {
    pairs,
    inputs: corpus.inputCount,
    alignedPairs: learner.alignedPairs(),
    history: trained.history,
    bestEpoch: trained.bestEpoch,
    temperature,
    stopped: trained.stopped,
  };
}

const otherNames = ["from", "checkpoint", "onPass", "note"] as const;

function readHooks(given: TrainTransducerOptions): TrainingHooks {
  const known = [...Object.keys(transducerDefaults), ...chosenNames, ...hookNames, ...otherNames];
  checkNames(given, known);
  return hooksOf(given);
}

/** Inputs held out, at most: more would not choose better and would be missed in training. */
const MOST_HELD_OUT = 2_000;
/** Graphones that a joint model looks back: more gained nothing on held-out words of the CMU dictionary. */
const JOINT_GRAMS = 6;

/**
 * Fills in what was not given. `maxEmit` lets at least 999 of 1,000 pairs be aligned; `minCount` leaves out features seen
 * once where there is much data; `heldOut` is a tenth of the inputs, at most 2,000; `l2` is 4, less with few inputs, and
 * with many what is best on held-out pairs; with many, too, a joint model looks six graphones back, unless a model of words
 * chooses.
 */
export function chooseOptions(corpus: PairCorpus, given: TrainTransducerOptions): TransducerOptions {
  const options: TransducerOptions = {
    ...transducerDefaults,
    maxEmit: neededEmit(corpus),
    minCount: corpus.inputCount > FEW_INPUTS ? 2 : 1,
    heldOut: Math.min(0.1, MOST_HELD_OUT / corpus.inputCount),
    l2: 4 * Math.min(1, corpus.inputCount / 500),
    jointGrams: 0,
  };
  for (const name of Object.keys(options) as (keyof TransducerOptions)[]) {
    if (given[name] !== undefined) Object.assign(options, { [name]: given[name] });
  }
  const canJudge = options.heldOut > 0 && corpus.inputCount >= FEWEST_TO_CHOOSE;
  const isPlain = options.strategy === "rcms" && options.words === 0;
  if (given.jointGrams === undefined && isPlain && canJudge) options.jointGrams = JOINT_GRAMS;
  checkTransducerOptions(options);
  const mostEmit = mostWritten(corpus);
  if (options.maxEmit > mostEmit) {
    throw new InputError(`option \`maxEmit\` may be at most ${mostEmit} with so many different output symbols`);
  }
  if (options.jointGrams > 0 && options.heldOut === 0) {
    throw new InputError(
      "option `jointGrams` needs inputs held out, which decide how much the model of graphones counts",
    );
  }
  return options;
}

/** Options that may be others when a training goes on; the features depend on the rest. */
const goingOnNames = [
  ...(["epochs", "seed", "rate", "delta", "l2", "l1", "heldOut", "patience", "average", "select"] as const),
  ...(["contexts", "lightest", "strategy"] as const),
];

function keptOptions(from: Transducer, given: TrainTransducerOptions): TransducerOptions {
  const options: TransducerOptions = { ...goOnOptions(from.options), l2: 0 };
  for (const name of Object.keys(options) as (keyof TransducerOptions)[]) {
    if (given[name] === undefined) continue;
    if (!(goingOnNames as readonly string[]).includes(name)) {
      throw new InputError(`option \`${name}\` cannot change when a training goes on from a model`);
    }
    Object.assign(options, { [name]: given[name] });
  }
  checkTransducerOptions(options);
  return options;
}

/** Candidates for the L2 penalty, and the number of inputs from which on they are tried. */
const penalties = [1, 4, 16];
const FEWEST_TO_CHOOSE = 1_000;

/** The L2 penalty that was given, or the best on held-out pairs if there are enough to tell. */
async function penaltyFor(
  learner: TransducerLearner,
  chosen: TransducerOptions,
  given: TrainTransducerOptions,
  shouldStop: TrainingHooks["shouldStop"],
): Promise<number> {
  if (given.l2 !== undefined || given.from || learner.exampleCount < FEWEST_TO_CHOOSE) return chosen.l2;
  return chooseL2(learner, chosen, shouldStop, penalties);
}

/** Refuses a pair with symbols that a transducer has no features for. */
function checkSymbols(from: Transducer, pair: SymbolPair): void {
  const isNew = (known: Alphabet) => (symbol: string) => known.indexOf(symbol) < 0;
  const found = pair.input.find(isNew(from.inputSymbols)) ?? pair.output.find(isNew(from.outputSymbols));
  if (found === undefined) return;
  throw new InputError(`the model does not know the symbol ${JSON.stringify(found)}`, {
    ...pair,
    hint: "train anew on all pairs to learn new symbols",
  });
}

/** The least number of symbols per input symbol, at least 2, that lets 999 of 1,000 pairs be aligned, if it may be so large. */
function neededEmit(corpus: PairCorpus): number {
  const needed: number[] = [];
  for (let i = 0; i < corpus.inputCount; i++) {
    const length = corpus.inputStart[i + 1] - corpus.inputStart[i];
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      needed.push(Math.ceil((corpus.outputStart[a + 1] - corpus.outputStart[a]) / length));
    }
  }
  needed.sort((a, b) => a - b);
  return Math.min(mostWritten(corpus), Math.max(2, needed[Math.ceil(needed.length * 0.999) - 1]));
}

/**
 * So many symbols may be written for one input symbol that before anything is learned, when all are equally probable, the mass
 * of writing none is still a number beside the mass of writing them all.
 */
function mostWritten(corpus: PairCorpus): number {
  const symbols = corpus.outputs.reduce((most, symbol) => Math.max(most, symbol), 1) + 1;
  return Math.min(FURTHEST, Math.floor(-LEAST_LOG / Math.log(symbols)));
}

/** Weight of a model of words, at most. */
export const MOST_WORDS = 10;
/** How far anything may look, and how much may be written for one symbol: what a model file may ask for, too. */
export const FURTHEST = 1_000;
export const MOST_CONTEXTS = 1_000_000;
export const MOST_MOVE_GRAMS = 100;

/** Refuses options out of range, by name. */
export function checkTransducerOptions(options: TransducerOptions): void {
  checkTrainingOptions(options);
  const checks = new OptionChecks(options);
  checks.whole("order", 0, FURTHEST);
  checks.whole("contexts", options.strategy === "rcms" ? 0 : 1, MOST_CONTEXTS);
  checks.whole("minCount", 1);
  checks.whole("maxEmit", 1, FURTHEST);
  checks.whole("window", 0, FURTHEST);
  checks.whole("outputGrams", 0, FURTHEST);
  if (options.moveGrams.length > MOST_MOVE_GRAMS) {
    throw new InputError(`option \`moveGrams\` must hold at most ${MOST_MOVE_GRAMS} numbers`);
  }
  for (const grams of options.moveGrams) {
    if (!Number.isInteger(grams) || grams < 0 || grams > FURTHEST) {
      throw new InputError(
        `option \`moveGrams\` must hold whole numbers of at least 0 and at most ${FURTHEST}, not ${grams}`,
      );
    }
  }
  checks.share("lightest");
  checks.between("words", 0, MOST_WORDS);
  checks.whole("jointGrams", 0, FURTHEST);
  checks.oneOf("strategy", strategies);
}

export const strategies: readonly Strategy[] = ["rcms", "model", "target", "hybrid", "forced"];
