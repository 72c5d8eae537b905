// The transducer: learns from pairs of an input and an output of different lengths, with unknown alignment, to write
// outputs for new inputs, and says how sure it is. The probability of an output is summed over all its alignments.
//
//   const transducer = await Transducer.train([{ input: [..."photo"], output: ["F", "OW", "T", "OW"] }, …]);
//   const { output, probability } = transducer.predict([..."phone"], { alignment: true });

import { calibrated } from "../../confidence/calibration.js";
import { Alphabet } from "../../engine/alphabet.js";
import { releaseAll } from "../../engine/backend.js";
import { type Spent, searchWithin } from "../../engine/budget.js";
import { withContexts } from "../../engine/inference.js";
import { BEGIN, type Inference, type Trellis } from "../../engine/trellis.js";
import type { SymbolPair } from "../../formats/pair-lines.js";
import { budgetOptions } from "../../learn/options.js";
import type { Checkpoint, Pass, TrainingHooks } from "../../learn/training.js";
import type { KeptEncoder } from "../../model/encoder.js";
import { unlessAborted } from "../../util/abort.js";
import { checkAnswerOptions, checkNames, MOST_OUTPUTS } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { choice, type Range, readOptions, share, whole, wholeOrRange } from "../../util/options.js";
import type { Answered, Predictor } from "../task.js";
import { type AnswerOrCandidates, TrainedModel, type TrainedParts } from "../trained-model.js";
import { marksOf } from "./attributes.js";
import { END, START, slotStarts } from "./emits.js";
import { JointModel, type JointParts } from "./joint-model.js";
import { engineOf, logMean, Member, type MemberParts } from "./member.js";
import { Memory, mixed } from "./memory.js";
import { type GivenTransducerOptions, inferenceOf, MOST_CONTEXTS, shapeOf, type TransducerOptions } from "./options.js";
import { checkAttributes, checkSymbols, type MarkedInput, type PairCorpus } from "./pairs.js";
import { type Powers, plainPowers } from "./powers.js";
import type { TransducerRows } from "./rows.js";
import { type Found, findOutputs } from "./search.js";
import { beginnings, cut, joined, partsOf, relativesOf } from "./symbols.js";
import { type WordCounts, WordModel } from "./word-model.js";

/** What stands between words in outputs made of characters. */
export const SPACE = " ";

export interface TrainTransducerOptions extends GivenTransducerOptions, TrainingHooks {
  /**
   * A transducer to go on with: its symbols, features and weights, learning from more pairs. Options are its own, with
   * shorter steps, three passes and no L2 penalty, unless they are given; those that its features depend on stay.
   */
  from?: Transducer;
  /** Pairs for choosing settings, instead of a held-out part; they are never trained on. */
  dev?: Iterable<SymbolPair> | AsyncIterable<SymbolPair>;
  /** A checkpoint to continue from; data and options must be the same. */
  checkpoint?: Checkpoint;
  /** Called after each pass with the best transducer so far, not yet calibrated. */
  onPass?(transducer: Transducer, pass: number): void | Promise<void>;
  /** Anything to store with the model, such as how its input was read. */
  note?: Record<string, unknown>;
}

/** What is known of how a transducer was trained. */
export interface TransducerSummary {
  pairs: number;
  inputs: number;
  /** Pairs that had an alignment when they were last looked at. */
  alignedPairs: number;
  history: Pass[];
  bestPass: number;
  /** Scores were divided by this, so that probabilities say how often the outputs written for held-out inputs are right. */
  temperature: number;
  /** Training was stopped before its end. */
  stopped: boolean;
}

export interface TransducePredictOptions {
  /** What holds for the whole input, such as the form that is wanted, if the training pairs said so. */
  attributes?: readonly string[];
  /** Give the n most probable outputs, 1,000 at most. */
  nbest?: number;
  /** Give the best alignment of each output. */
  alignment?: boolean;
  /** Give the kept contexts of every slot with their probabilities. */
  contexts?: boolean;
  /** Choose contexts in another way than the model's own. */
  inference?: Partial<Pick<Inference, "mode" | "lightest" | "sure"> & { contexts: number | Range }>;
}

/** An input symbol and what was written for it; both are whole, also where the transducer takes characters apart. */
export interface AlignedSymbol {
  input: string;
  output: string[];
}

/** A slot: `written` symbols written for the input symbol at `position`, with what is remembered there. */
export interface TransducerSlot {
  position: number;
  /** Where the symbol is taken apart: which part of it, counted from 0. */
  part?: number;
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
  /** The cost of the search, if the number of contexts is a range. */
  spent?: Spent;
  /** The probability after the model's calibration map, if it has one and contexts were chosen in its own way. */
  calibratedProbability?: number;
  nbest?: TransducedOutput[];
  /** Slots that an output can pass through, in order; the heaviest context first. */
  slots?: TransducerSlot[];
  /** Input symbols that were never seen in training. */
  unknown: string[];
  /** Attributes that were never seen in training, if some were not. */
  unknownAttributes?: string[];
}

export interface TransducerAnswerOptions extends Omit<TransducePredictOptions, "inference"> {
  /** The precision that was promised by calibration. */
  precision: number;
  /** How many outputs to give where none is sure enough. Default 9. */
  candidates?: number;
}

/** An answer that keeps the promised precision, or candidates for a person to choose from. */
export type TransducerAnswer = AnswerOrCandidates<TransducerPrediction, TransducedOutput>;

/** The same with the prediction apart, as workflows take it. */
export type TransducerAnswered = Answered<TransducerPrediction, TransducedOutput>;

/** The parts of a transducer: what a model file holds. */
export interface TransducerParts extends TrainedParts<TransducerOptions, TransducerSummary> {
  inputSymbols: Alphabet;
  outputSymbols: Alphabet;
  /** Names of what holds for whole inputs, if pairs had attributes; see attributes.ts. */
  marks?: Alphabet;
  rows: TransducerRows;
  /** The network in place of some of the rows, if there is one. */
  encoder?: KeptEncoder;
  /** If option `words` is above 0. */
  wordCounts?: WordCounts;
  /** If option `jointGrams` is above 0 and training was not stopped; one that goes on keeps what it had. */
  joint?: JointParts;
  /** The members of an ensemble beside the first, which `rows`, `weights`, `encoder` and `joint` are of. */
  others?: readonly MemberParts[];
  /** The pairs that are remembered, with option `lookup`. */
  remembered?: PairCorpus;
  /** Of the models that choose; as long as none were fitted, those of option `words`. */
  powers?: Powers;
}

export class Transducer
  extends TrainedModel<TransducerOptions, TransducerSummary, TransducerRows>
  implements Predictor
{
  readonly kind = "transducer";
  readonly inputSymbols: Alphabet;
  readonly outputSymbols: Alphabet;
  readonly marks: Alphabet;
  /** One member, or several. */
  private readonly ensemble: readonly Member[];
  readonly words: WordModel | undefined;
  private readonly memory: Memory | undefined;
  /** With which these choose among candidates. */
  readonly powers: Powers;

  constructor(parts: TransducerParts) {
    const shape = shapeOf(parts.inputSymbols, parts.outputSymbols, parts.options);
    const inference = inferenceOf(parts.options);
    const marks = parts.marks ?? new Alphabet();
    const engine = engineOf(parts, shape, inference, marks.size);
    super(parts, engine);
    const joint = parts.joint && new JointModel(parts.joint, shape.symbolCount - 1);
    this.ensemble = [
      new Member(engine, this.weights, joint, false),
      ...(parts.others ?? []).map((other) => Member.of(other, shape, inference, marks.size)),
    ];
    this.inputSymbols = parts.inputSymbols;
    this.outputSymbols = parts.outputSymbols;
    this.marks = marks;
    this.powers = parts.powers ?? plainPowers(parts.options.words);
    const separator = this.outputSymbols.indexOf(SPACE);
    if (parts.remembered) this.memory = new Memory(parts.remembered);
    if (parts.wordCounts) this.words = new WordModel(parts.wordCounts, separator, this.outputSymbols.size);
  }

  /** What its members are made of: one, or those of an ensemble. */
  get members(): readonly MemberParts[] {
    return this.ensemble.map(({ parts }) => parts);
  }

  /** The model of graphones, of an ensemble that of the first member. */
  get joint(): JointModel | undefined {
    return this.ensemble[0].joint;
  }

  /** The training pairs as numbers, if they are remembered. */
  get remembered(): PairCorpus | undefined {
    return this.memory?.corpus;
  }

  /** Frees its kernel memory at once; it cannot be used afterwards. Otherwise this happens on garbage collection. */
  override dispose(): void {
    for (const { joint, engine } of this.ensemble) {
      releaseAll(joint?.parts, engine.arrays);
      engine.dispose();
    }
    super.dispose();
  }

  /** Learns from pairs. Pairs with the same input are several right answers for it. */
  static async train(
    pairs: Iterable<SymbolPair> | AsyncIterable<SymbolPair>,
    options: TrainTransducerOptions = {},
  ): Promise<Transducer> {
    // On demand: who only predicts does not load it.
    const { trainTransducer } = await import("./train.js");
    return unlessAborted(options.signal, () => trainTransducer(pairs, options));
  }

  /** The most probable output of an input, with its probability and whatever else is requested. */
  predict(input: readonly string[], options: TransducePredictOptions = {}): TransducerPrediction {
    checkPredictOptions(options);
    const { symbols, marks, places, unknown, penalty } = this.encode(input, options.attributes);
    const count = Math.max(1, options.nbest ?? 1);
    const { ensemble: members, words, powers } = this;
    const [first] = members;
    const inference = this.inferenceWith(options.inference);
    let known: ReturnType<Memory["judged"]> = [];
    let own: readonly Found[] = [];
    const spent = searchWithin(inference, (chosen) => {
      known = this.memory?.judged({ symbols, marks }, members, chosen) ?? [];
      own = findOutputs(members, { symbols, marks }, words, powers, count, chosen);
      return Math.exp(own[0].log);
    });
    const guessed = penalty === 0 ? own : own.map((one) => ({ ...one, log: one.log + penalty }));
    const found = mixed(guessed, known).slice(0, count);
    const outputs = distinct(found.map((one) => this.outputOf(one, input, places, options.alignment)));
    const prediction: TransducerPrediction = { ...outputs[0], logProbability: Math.min(0, found[0].log), unknown };
    if (inference.least !== undefined) prediction.spent = spent;
    const strange = (options.attributes ?? []).filter((name) => this.marks.indexOf(name) < 0);
    if (strange.length > 0) prediction.unknownAttributes = strange;
    if (options.nbest !== undefined) prediction.nbest = outputs;
    if (options.contexts) {
      first.engine.backward();
      prediction.slots = this.slotsOf(first.engine.kernel.trellis, places);
    }
    if (this.calibration && Object.keys(options.inference ?? {}).length === 0) {
      prediction.calibratedProbability = calibrated(this.calibration.map, prediction.probability);
    }
    return prediction;
  }

  /** Answers if that keeps the promised precision, and otherwise gives candidates for a person to choose from. */
  answer(input: readonly string[], options: TransducerAnswerOptions): TransducerAnswer {
    checkAnswerOptions(options, answerNames);
    const { precision, candidates = 9, ...asked } = options;
    const { alignment, attributes } = options;
    return this.answerIfSure(
      precision,
      () => this.predict(input, asked),
      () => this.predict(input, { nbest: candidates, alignment, attributes }).nbest,
    );
  }

  setSure(sure: number): void {
    this.options.sure = sure;
  }

  private inferenceWith(chosen?: TransducePredictOptions["inference"]): Inference {
    if (chosen === undefined) return withContexts(inferenceOf(this.options), this.options.contexts); // read before
    checkNames(chosen, ["mode", "contexts", "sure", "lightest"]);
    const { contexts = this.options.contexts, ...others } = chosen;
    const inference = withContexts({ ...inferenceOf(this.options), ...others }, contexts);
    const { mode, lightest, sure } = inference;
    const least = mode === "beam" || typeof contexts === "object" ? 1 : 0;
    readOptions(
      {
        mode: choice("", ["rcms", "beam", "exact"]),
        contexts: wholeOrRange("", { least, most: MOST_CONTEXTS, usual: least }),
        lightest: share(""),
        ...budgetOptions,
      },
      { mode, contexts, lightest, ...(sure === undefined ? {} : { sure }) },
    );
    return inference;
  }

  private outputOf({ output, moves, log }: Found, input: readonly string[], places: Places, aligns = false) {
    const symbols = output.map((symbol) => this.outputSymbols.nameOf(symbol));
    const made: TransducedOutput = {
      output: joined(symbols, this.options.output),
      probability: Math.min(1, Math.exp(log)),
    };
    if (aligns) made.alignment = this.alignmentOf(input, places, moves);
    return made;
  }

  private slotsOf(trellis: Trellis, places: Places): TransducerSlot[] {
    const starts = slotStarts(this.options, places.length);
    const positions = places.flatMap((_, j) => Array<number>(starts[j + 1] - starts[j]).fill(j));
    const nameOf = (move: number): string | null =>
      move === BEGIN ? "^" : move < this.outputSymbols.size ? this.outputSymbols.nameOf(move) : null;
    return positions.map((j, slot) => ({
      position: places[j],
      ...partAt(places, j),
      written: slot - starts[j],
      contexts: Array.from({ length: trellis.slotStart[slot + 1] - trellis.slotStart[slot] }, (_, i) => {
        const context = trellis.slotStart[slot] + i;
        return { suffix: trellis.suffix(context).map(nameOf), probability: trellis.posterior[context] };
      }).sort((a, b) => b.probability - a.probability),
    }));
  }

  /**
   * Log of the probability that an input has an output, summed over alignments, without models of graphones or words; of an
   * ensemble, the log of the mean. -Infinity if it cannot be written.
   */
  logLikelihood(input: readonly string[], output: readonly string[], attributes?: readonly string[]): number {
    const { symbols, marks, penalty } = this.encode(input, attributes);
    const answer = this.encodeOutput(output);
    if (!answer) return Number.NEGATIVE_INFINITY;
    const logs = this.ensemble.map((member) => {
      member.forward({ symbols, marks });
      return member.logProbability(answer);
    });
    return logMean(logs) + penalty;
  }

  /** The best alignment of a pair, or undefined if the output cannot be written for the input. */
  align(
    input: readonly string[],
    output: readonly string[],
    attributes?: readonly string[],
  ): AlignedSymbol[] | undefined {
    const { symbols, marks, places } = this.encode(input, attributes);
    const answer = this.encodeOutput(output);
    if (!answer) return undefined;
    const [first] = this.ensemble;
    first.forward({ symbols, marks });
    const moves = first.bestMoves(answer);
    return moves && this.alignmentOf(input, places, moves);
  }

  /** Of whole symbols: a character that is written for parts of several symbols belongs to the one at which it begins. */
  private alignmentOf(input: readonly string[], places: Places, moves: Iterable<number>): AlignedSymbol[] {
    const aligned: AlignedSymbol[] = input.map((symbol) => ({ input: symbol, output: [] }));
    const written: string[] = [];
    const positions: number[] = []; // [written]
    let j = 0;
    for (const move of moves) {
      if (move < this.outputSymbols.size) {
        written.push(this.outputSymbols.nameOf(move));
        positions.push(places[j]);
      } else j++;
    }
    const { output: kind } = this.options;
    const begin = beginnings(written, kind);
    joined(written, kind).forEach((symbol, c) => {
      aligned[positions[begin[c]]].output.push(symbol);
    });
    return aligned;
  }

  /** Whether an input symbol was seen in training, or all of its parts were. */
  knows(symbol: string): boolean {
    return partsOf(symbol, this.options.input).every((part) => this.inputSymbols.indexOf(part) >= 0);
  }

  /**
   * The numbers of an input's symbols. One that was never seen is read as a relative that was. If it has none, what it writes could
   * be any output symbol or nothing: `penalty` is the log of the probability to guess that.
   */
  private encode(input: readonly string[], attributes?: readonly string[]): Encoded {
    checkSymbols("input", input);
    checkAttributes(attributes);
    if (input.length === 0) throw new InputError("the input is empty");
    const unknown = new Set<string>();
    const symbols: number[] = [];
    const places: number[] = [];
    let penalty = 0;
    const addEdge = (name: string, place: number): void => {
      if (this.options.edgeEmit === 0) return;
      symbols.push(this.inputSymbols.indexOf(name));
      places.push(place);
    };
    addEdge(START, 0);
    input.forEach((name, place) => {
      for (const part of partsOf(name, this.options.input)) {
        const symbol = this.inputSymbols.indexOf(part);
        const read = symbol < 0 ? this.relativeOf(part) : symbol;
        if (symbol < 0) unknown.add(name);
        if (read < 0) penalty -= Math.log(this.outputSymbols.size + 1);
        symbols.push(read < 0 ? this.inputSymbols.size : read);
        places.push(place);
      }
    });
    addEdge(END, input.length - 1);
    const marks = Int32Array.from(marksOf(attributes, this.marks, false));
    return { symbols: Int32Array.from(symbols), marks, places, unknown: [...unknown], penalty };
  }

  /** The number of a symbol that was seen and is the same but for case or accents; -1 if there is none. */
  private relativeOf(symbol: string): number {
    for (const relative of relativesOf(symbol, this.inputSymbols)) {
      const found = this.inputSymbols.indexOf(relative);
      if (found >= 0) return found;
    }
    return -1;
  }

  private encodeOutput(output: readonly string[]): Int32Array | undefined {
    checkSymbols("output", output);
    const symbols = cut(output, this.options.output).map((name) => this.outputSymbols.indexOf(name));
    return symbols.includes(-1) ? undefined : Int32Array.from(symbols);
  }
}

/** Parts may be put together to the same characters in several ways: the most probable counts. */
function distinct(outputs: TransducedOutput[]): TransducedOutput[] {
  if (outputs.length === 1) return outputs;
  const seen = new Set<string>();
  return outputs.filter(({ output }) => {
    const key = JSON.stringify(output);
    return !seen.has(key) && seen.add(key);
  });
}

interface Encoded extends MarkedInput {
  places: Places;
  unknown: string[];
  penalty: number;
}

/** [parts] The place of the whole symbol that each part belongs to. */
type Places = readonly number[];

/** Which part of its symbol a part is, if the symbol has several. */
function partAt(places: Places, j: number): { part?: number } {
  const part = j - places.indexOf(places[j]);
  return part > 0 || places[j + 1] === places[j] ? { part } : {};
}

const predictNames = ["attributes", "nbest", "alignment", "contexts", "inference"] as const;
const answerNames = [...predictNames.filter((name) => name !== "inference"), ...(["precision", "candidates"] as const)];

const predictDeclared = { nbest: whole("outputs", { least: 0, most: MOST_OUTPUTS }) };

function checkPredictOptions(options: TransducePredictOptions): void {
  readOptions(predictDeclared, options, { others: predictNames });
}
