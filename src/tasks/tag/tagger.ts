// The tagger: learns to give every position of a sequence a label, and says how sure it is. Slots are positions, slot
// features are attributes, context rows are n-grams of labels.
//
//   const tagger = await Tagger.train(sequences, { order: 2 });
//   const { labels, probability } = tagger.predict({ columns: [["the"], ["dog"], ["barks"]] });

import { calibrated } from "../../confidence/calibration.js";
import type { Alphabet } from "../../engine/alphabet.js";
import type { BestOutput, FrozenRows } from "../../engine/backend.js";
import type { Spent } from "../../engine/budget.js";
import { type ClampedLattice, clampTrellis } from "../../engine/clamp.js";
import {
  bestPath,
  bestPathsFrom,
  type Path,
  type Posteriors,
  posteriors,
  sampler,
  trellisLattice,
} from "../../engine/lattice.js";
import { pathConfidences } from "../../engine/reference/passes.js";
import { type Inference, pathScore, type Trellis } from "../../engine/trellis.js";
import type { Tokenizer } from "../../formats/raw-text.js";
import type { GivenLabel, TaggingSequence } from "../../formats/sequence.js";
import type { Chosen } from "../../learn/choose.js";
import type { Checkpoint, Pass, TrainingHooks } from "../../learn/training.js";
import { areChunkLabels, type Chunk, chunksOf } from "../../metrics/tagging.js";
import { unlessAborted } from "../../util/abort.js";
import { checkAnswerOptions, checkNames } from "../../util/checks.js";
import { InputError, type Place } from "../../util/errors.js";
import { presentNames } from "../../util/options.js";
import { generator, uniform } from "../../util/random.js";
import type { Predictor } from "../task.js";
import { TrainedModel, type TrainedParts } from "../trained-model.js";
import { type AnswerPartsOptions, answerParts, type TaggerPartsAnswer } from "./answer-parts.js";
import { type Corpus, CorpusBuilder } from "./corpus.js";
import { type AttributeEncoder, keptEncoder } from "./encoder.js";
import {
  addSequence,
  type FeatureFunction,
  type FeatureSource,
  type GivenFeatures,
  joinedPieces,
  piecesOf,
  tablePieces,
} from "./features.js";
import { TaggerEngine } from "./learner.js";
import type { Lexicon } from "./lexicon.js";
import { addClampedMarginals, addMarginals, contextMasses, contextPosteriors } from "./marginals.js";
import { inferenceOf, readTaggerOptions, type TaggerOptions, taggerOptions } from "./options.js";
import type { Columns, PositionPieces } from "./pieces.js";
import { possibleChunks } from "./possible-spans.js";
import {
  type AnswerOptions,
  answerNames,
  checkPredictOptions,
  isPlain,
  type PredictOptions,
  type TaggedOutput,
  type TaggerAnswer,
  type TaggerPrediction,
} from "./prediction.js";
import { type Contribution, featuresOf, reasonsFor, symbolOf } from "./reasons.js";
import { attributeRows, type TaggerRows } from "./rows.js";
import { checkTokenizer, placeSpans, sequenceOf, sequencesOf, type TaggerGiven } from "./running-text.js";
import type { Translation } from "./scheme.js";
import { SpanFinder, type TaggedSpan } from "./spans.js";
import { type CompiledTemplate, compileTemplate } from "./template.js";
import { ValidOutputs } from "./valid.js";
import type { ValueMatrix, Values } from "./values.js";
import type { Vectors } from "./vectors.js";

/** The input of a training run besides plain option values. */
export interface TrainTaggerOptions extends Partial<TaggerOptions>, GivenFeatures, TrainingHooks {
  /** A tagger to start from: its weights are used where attribute and label are the same. */
  from?: Tagger;
  /**
   * Keep all that `from` knows, even if it is not in the data: for learning from only a few more examples. Options are
   * then its own, with shorter steps, three passes and no L2 penalty, unless they are given.
   */
  keep?: boolean;
  /** Labelled sequences for choosing settings, instead of a held-out part; they are never trained on. */
  dev?: Iterable<TaggingSequence> | AsyncIterable<TaggingSequence>;
  /** A checkpoint to continue from; data and options must be the same. */
  checkpoint?: Checkpoint;
  /** Anything to store with the model, such as how its input was read. */
  note?: Record<string, unknown>;
}

/** What is known of how a tagger was trained. */
export interface TaggerSummary {
  sequences: number;
  positions: number;
  history: Pass[];
  bestPass: number;
  /** Training was stopped before its end. */
  stopped: boolean;
  /** What was chosen by held-out sequences, and how that did. Files of earlier versions do not say. */
  chosen?: Chosen;
}

export class Tagger extends TrainedModel<TaggerOptions, TaggerSummary, TaggerRows> implements Predictor {
  readonly kind = "tagger";
  /** Those of the data and of answers. */
  readonly labels: Alphabet;
  /** What is decided: labels, or where these are learned in another scheme, those of that scheme. */
  readonly symbols: Alphabet;
  /** The scheme of labels that mark spans, if outputs are held to it, and the one that is learned in its place. */
  readonly translation: Translation | undefined;
  readonly attributes: Alphabet;
  readonly conjoined: Alphabet;
  readonly source: FeatureSource;
  readonly lexicons: readonly Lexicon[];
  /** The network that scores labels in place of weights of attributes, if there is one. */
  readonly encoder: AttributeEncoder | undefined;
  readonly vectors: Vectors | undefined;
  private readonly valid: ValidOutputs | undefined;
  private readonly engine: TaggerEngine;
  /** Made with the first prediction that has a use for them. */
  private frozen: FrozenRows | undefined;
  private finder: SpanFinder | undefined;
  /** Holds the sequence at hand as numbers. */
  private readonly builder: CorpusBuilder;
  private readonly template: CompiledTemplate | undefined;
  private features: FeatureFunction | undefined;

  constructor(parts: TaggerParts) {
    const { encoder } = parts;
    const engine = new TaggerEngine(
      parts.rows,
      inferenceOf(parts.options),
      parts.options.shortlist,
      encoder && ((backend) => keptEncoder(encoder, backend)),
    );
    super(parts, engine);
    this.engine = engine;
    this.encoder = encoder;
    this.labels = parts.labels;
    this.symbols = parts.symbols ?? parts.labels;
    this.translation = parts.translation;
    this.valid = parts.translation && new ValidOutputs(this.symbols, this.labels, parts.translation, engine.slots);
    if (this.valid) engine.slots.setRules(this.valid);
    this.attributes = parts.attributes;
    this.conjoined = parts.conjoined;
    this.source = parts.source;
    this.lexicons = parts.lexicons ?? [];
    this.vectors = parts.vectors;
    this.features = parts.features;
    this.template = parts.source.kind === "template" ? compileTemplate(parts.source.text) : undefined;
    this.builder = new CorpusBuilder(this.labels, this.attributes, this.conjoined, false, this.engine.arrays);
  }

  /** Learns from labelled sequences. Labels may be partly unknown. */
  static async train(
    sequences: Iterable<TaggingSequence> | AsyncIterable<TaggingSequence>,
    options: TrainTaggerOptions = {},
  ): Promise<Tagger> {
    // On demand: who only predicts does not load it.
    const { trainTagger } = await import("./train.js");
    return unlessAborted(options.signal, () => trainTagger(sequences, options));
  }

  /** Number of attributes that have an effect: those with a weight that is not zero, or seen by the network. A file keeps only these. */
  get attributeCount(): number {
    const { table } = this.rows;
    let count = 0;
    for (const [id, row] of attributeRows(this.rows, this.attributes.size).entries()) {
      if (this.encoder && this.encoder.inputs[id] >= 0) count++;
      else if (row >= 0 && this.weights.subarray(table.start[row], table.start[row + 1]).some((w) => w !== 0)) count++;
    }
    return count;
  }

  /** Sets the feature function of a loaded tagger, which a file cannot store. */
  setFeatures(features: FeatureFunction): void {
    this.features = features;
  }

  /**
   * The most probable labels of a sequence, with their probability and whatever else is requested. Tokens are enough,
   * `["the", "dog"]` or `{ tokens }`, or `{ text }`, which is taken as one sentence.
   */
  predict(given: TaggerGiven, options: PredictOptions = {}): TaggerPrediction {
    checkPredictOptions(options);
    const sequence = sequenceOf(given);
    const prediction = this.predictSequence(sequence, options);
    const { running } = sequence;
    if (!running) return prediction;
    if (prediction.spans) placeSpans(prediction.spans, running);
    return { ...prediction, tokens: running.tokens };
  }

  /** The same for each sentence of a text, whose tokens a tokenizer may find. */
  predictText(text: string, options: PredictOptions = {}, tokenizer?: Tokenizer): TaggerPrediction[] {
    if (tokenizer !== undefined) checkTokenizer(tokenizer);
    return Array.from(sequencesOf(text, tokenizer), (sequence) => this.predict(sequence, options));
  }

  private predictSequence(sequence: TaggingSequence, options: PredictOptions): TaggerPrediction {
    const { corpus, length } = this.encode(sequence, options.known);
    const inference = this.inferenceWith(options.inference);
    if (isPlain(options) && !this.valid) {
      const prediction = this.bestOutput(corpus, length, inference, options.confidences);
      if (options.spans) prediction.spans = this.spansOf(prediction.labels, corpus, inference);
      return this.calibrated(prediction, options);
    }
    const { slots } = this.engine;
    const isFree = !options.known && !this.valid;
    // With a budget of contexts, what is in doubt without further knowledge gets more.
    const path = isFree || inference.least !== undefined ? this.bestOf(corpus, inference) : undefined;
    const trellis = this.engine.forwardAgain(corpus, 0, this.weights, inference);
    const clamped = this.clampedLattice(corpus, trellis, options.known !== undefined);
    const lattice = clamped ?? trellisLattice(trellis);
    const found = clamped ? posteriors(clamped) : undefined;
    const logPartition = found ? found.logPartition : trellis.logPartition;
    const best = clamped ? bestPath(clamped) : path && { ...path, score: pathScore(trellis, path.symbols) };
    if (!best) throw noOutput(options.known !== undefined, sequence);
    const output = (path: Path): TaggedOutput => ({
      labels: this.labelsOf(path.symbols, length),
      probability: Math.min(1, Math.exp(path.score - logPartition)),
    });
    const prediction: TaggerPrediction = { ...output(best), logProbability: Math.min(0, best.score - logPartition) };
    if (inference.least !== undefined) prediction.spent = this.spent(length);
    if (options.spans && this.valid) {
      prediction.spans = this.spanFinder().findValid(
        trellis,
        this.valid,
        this.decided(best.symbols),
        prediction.labels,
      );
    } else if (options.spans && !clamped) prediction.spans = this.spanFinder().find(trellis, prediction.labels, slots);
    if (options.nbest) prediction.nbest = bestPathsFrom(lattice, best, options.nbest).map(output);
    if (options.samples) {
      const random = generator(options.seed ?? 1, 0);
      const draw = sampler(lattice);
      prediction.samples = Array.from({ length: options.samples }, () => {
        const path = draw(() => uniform(random));
        return output(path as Path).labels;
      });
    }
    if (options.marginals || options.confidences || options.contexts) {
      if (!clamped) this.engine.kernel.backward();
      this.addMarginals(prediction, { trellis, clamped, found, best, length }, options);
    }
    return this.calibrated(prediction, options);
  }

  /** Adds probabilities of labels and of contexts, as far as they are asked for. */
  private addMarginals(
    prediction: TaggerPrediction,
    { trellis, clamped, found, best, length }: Explored,
    { marginals, confidences, contexts }: PredictOptions,
  ): void {
    const { slots } = this.engine;
    const { labels, symbols } = this;
    if (confidences && !marginals && !clamped) {
      prediction.confidences = pathConfidences(trellis, best.symbols).slice(0, length);
    } else if (marginals || confidences) {
      const rows = Array.from({ length }, () => new Float64Array(labels.size));
      if (clamped && found) addClampedMarginals(rows, trellis, clamped, found.arc, slots, this.valid);
      else addMarginals(rows, trellis, slots);
      if (marginals) {
        prediction.marginals = rows.map((row) =>
          Object.fromEntries(Array.from(row, (p, y) => [labels.nameOf(y), Math.min(1, p)])),
        );
      }
      const decided = this.answered(best.symbols);
      prediction.confidences = rows.map((row, i) => Math.min(1, row[decided[i]]));
    }
    if (!contexts) return;
    const posterior = clamped && found ? contextPosteriors(trellis, clamped, found.node) : trellis.posterior;
    prediction.contexts = contextMasses(trellis, posterior, length, (slot, y) =>
      symbols.nameOf(slots.labelAt(slot, y)),
    );
  }

  /** The best output and its probability, and if asked for those of its labels: no trellis is made for these. */
  private bestOutput(corpus: Corpus, length: number, inference: Inference, confidences?: boolean): TaggerPrediction {
    const best = this.bestOf(corpus, inference, confidences);
    const logProbability = Math.min(0, best.score - best.logPartition);
    const labels = this.labelsOf(best.symbols, length);
    const prediction: TaggerPrediction = { labels, probability: Math.exp(logProbability), logProbability };
    if (inference.least !== undefined) prediction.spent = this.spent(length);
    if (confidences) prediction.confidences = best.confidences?.slice(0, length);
    return prediction;
  }

  /** What the latest best output took; the end is not a position. */
  private spent(length: number): Spent {
    const { rounds, ...sums } = this.engine.budget.spent;
    return { ...sums, rounds: rounds.map((round) => ({ ...round, limits: round.limits?.slice(0, length) })) };
  }

  private labelsOf(symbols: readonly number[], length: number): string[] {
    const answered = this.answered(symbols);
    const names = this.labels.all();
    const labels = Array<string>(length);
    for (let i = 0; i < length; i++) labels[i] = names[answered[i]];
    return labels;
  }

  /** What the symbols of a path stand for: learned labels, and the end. */
  private decided(path: readonly number[]): readonly number[] {
    return this.engine.slots.hasList ? path.map((symbol, slot) => this.engine.slots.labelAt(slot, symbol)) : path;
  }

  /** The labels of the data that the symbols of a path stand for. */
  private answered(path: readonly number[]): readonly number[] {
    const decided = this.decided(path);
    return this.valid?.translate(decided) ?? decided;
  }

  /** The trellis under the labels of the sequence, if they are known, and under their scheme, if outputs are held to it. */
  private clampedLattice(corpus: Corpus, trellis: Trellis, isKnown: boolean): ClampedLattice | undefined {
    if (this.valid) return clampTrellis(trellis, this.valid.clamp(trellis.graph, isKnown ? corpus : undefined));
    return isKnown ? this.engine.clampedLattice(corpus, 0, trellis) : undefined;
  }

  /** The spans of an output; without any, as most sentences of some texts are, no trellis is made. */
  private spansOf(labels: readonly string[], corpus: Corpus, inference: Inference): TaggedSpan[] {
    const finder = this.spanFinder();
    if (chunksOf(labels).length === 0) return [];
    return finder.find(this.engine.forwardAgain(corpus, 0, this.weights, inference), labels, this.engine.slots);
  }

  /**
   * All spans with at least this probability, the most probable first, in the best output or not: they may overlap. Probabilities
   * are exact.
   */
  possibleSpans(sequence: TaggingSequence, least = 0.01): TaggedSpan[] {
    const { valid, engine } = this;
    const finder = this.spanFinder();
    const { marginals = [] } = this.predict(sequence, { marginals: true });
    const chunks = possibleChunks(marginals, least);
    if (chunks.length === 0) return [];
    const { corpus } = this.encode(sequence);
    const trellis = engine.forward(corpus, 0, this.weights, engine.inference);
    const probabilityOf = (chunk: Chunk): number =>
      valid ? valid.spanProbability(trellis, chunk) : finder.probability(trellis, chunk, engine.slots);
    const spans = chunks.map((chunk): TaggedSpan => {
      const { type: label, start: from, end: to } = chunk;
      return { label, from, to, probability: probabilityOf(chunk) };
    });
    return spans.filter(({ probability }) => probability >= least).sort((a, b) => b.probability - a.probability);
  }

  /** Whether labels mark spans, such as B-PER, I-PER, O. */
  get marksSpans(): boolean {
    return areChunkLabels(this.labels.all());
  }

  private spanFinder(): SpanFinder {
    if (!this.marksSpans)
      throw new InputError("option `spans` needs labels such as B-PER, I-PER, O; the model has none");
    this.finder ??= new SpanFinder(this.labels.all());
    return this.finder;
  }

  /** The best output, the same whatever else is asked for: that is what all predictions begin with. */
  private bestOf(corpus: Corpus, inference: Inference, confidences?: boolean): BestOutput {
    this.frozen ??= this.engine.freeze(this.weights);
    // There is one: weights are finite, and nothing is ruled out.
    return this.engine.bestOutput(corpus, 0, this.frozen, inference, confidences) as BestOutput;
  }

  /** Adds what calibration makes of the probabilities, if it holds for what was asked. */
  private calibrated(prediction: TaggerPrediction, options: PredictOptions): TaggerPrediction {
    if (!this.calibration || options.known || Object.keys(options.inference ?? {}).length > 0) return prediction;
    const { map, positionMap, spanMap } = this.calibration;
    prediction.calibratedProbability = calibrated(map, prediction.probability);
    if (spanMap) {
      for (const span of prediction.spans ?? []) span.calibratedProbability = calibrated(spanMap, span.probability);
    }
    if (positionMap) prediction.calibratedConfidences = prediction.confidences?.map((p) => calibrated(positionMap, p));
    return prediction;
  }

  /** Answers if that keeps the promised precision, and otherwise gives candidates for a person to choose from. */
  answer(sequence: TaggerGiven, options: AnswerOptions): TaggerAnswer {
    checkAnswerOptions(options, answerNames);
    const { precision, candidates = 9, ...asked } = options;
    return this.answerIfSure(
      precision,
      () => this.predict(sequence, asked),
      () => this.predict(sequence, { nbest: candidates }).nbest,
    );
  }

  /** The same for single labels or spans: answers those that keep the precision promised for them. */
  answerParts(sequence: TaggerGiven, options: AnswerPartsOptions): TaggerPartsAnswer {
    return answerParts(this, sequenceOf(sequence), options, answerNames);
  }

  setSure(sure: number): void {
    this.options.sure = sure;
    this.engine.inference.sure = sure;
  }

  private inferenceWith(chosen?: PredictOptions["inference"]): Inference {
    if (chosen === undefined) return this.engine.inference;
    const named = presentNames(taggerOptions, chosen);
    checkNames(named, ["mode", "contexts", "sure", "order"]);
    return inferenceOf(readTaggerOptions({ ...this.options, ...named }));
  }

  /** Log-probability of the labels of a sequence (summed over unknown ones). */
  logLikelihood(sequence: TaggingSequence, options: Pick<PredictOptions, "inference"> = {}): number {
    checkNames(options, ["inference"]);
    if (!sequence?.labels) throw new InputError("the sequence has no labels", sequence ?? {});
    const { corpus } = this.encode(sequence, sequence.labels);
    const inference = this.inferenceWith(options.inference);
    const trellis = this.engine.forward(corpus, 0, this.weights, inference);
    if (this.valid) return this.valid.logLikelihood(corpus, trellis);
    return Math.min(0, this.engine.clampedLogPartition(corpus, 0, trellis) - trellis.logPartition);
  }

  /** The evidence for `label` at a position, given the best labels before it: strongest first. */
  explain(
    sequence: TaggingSequence,
    position: number,
    label?: string,
  ): { label: string; contributions: Contribution[] } {
    const { corpus, length } = this.encode(sequence);
    if (!(position >= 0 && position < length))
      throw new InputError(`the sequence has no position ${position}`, sequence);
    const trellis = this.engine.forward(corpus, 0, this.weights);
    const clamped = this.clampedLattice(corpus, trellis, false);
    const best = clamped ? bestPath(clamped) : this.bestOf(corpus, this.engine.inference);
    if (!best) throw noOutput(false, sequence);
    const { symbols } = best;
    let context = trellis.slotStart[0];
    for (let i = 0; i < position; i++) context = trellis.arcTarget[trellis.arcStart[context] + symbols[i]];
    const symbol = label === undefined ? this.engine.slots.labelAt(position, symbols[position]) : symbolOf(this, label);
    const encoded = this.engine.slots.encoded(position, symbol);
    const contributions = reasonsFor(this, symbol, { corpus, position, trellis, context, encoded });
    return { label: this.symbols.nameOf(symbol), contributions };
  }

  /** The features with the greatest weights, for and against a label. */
  strongest(label: string, count: number): Contribution[] {
    return featuresOf(this, symbolOf(this, label)).slice(0, count);
  }

  /**
   * Predicts for sequences whose values have numbers in place of text; undefined where text is needed, or more than the best
   * output: of own functions, lexicons of phrases and vectors, and where outputs are held to a scheme.
   */
  ofValues(values: Values, chosen?: PredictOptions["inference"]): ValueTagger | undefined {
    const { source, template, labels, attributes, conjoined, engine } = this;
    if (source.kind === "given" || source.kind === "function") return undefined;
    if (this.valid || this.vectors || this.lexicons.some(({ isTable }) => !isTable)) return undefined;
    const told = tablePieces(this.lexicons);
    const inference = this.inferenceWith(chosen);
    const builder = new CorpusBuilder(labels, attributes, conjoined, false, engine.arrays, values);
    return {
      pieces: (columns, place) => joinedPieces(piecesOf(columns, source, template, place), told, this.options.conjoin),
      forgetIfFull: () => builder.forgetIfFull(),
      predict: (matrix, pieces) => {
        engine.check();
        builder.clear();
        builder.addNumbered(matrix, pieces);
        const { symbols, confidences = [] } = this.bestOf(builder.lend(), inference, true);
        return { labels: this.answered(symbols), confidences };
      },
    };
  }

  private encode(sequence: TaggingSequence, labels?: readonly GivenLabel[]): { corpus: Corpus; length: number } {
    this.engine.check();
    const { builder, template, features, lexicons, vectors } = this;
    const wordNumber = vectors && ((word: string) => vectors.numberOf(word));
    const maker = { template, features, lexicons, wordNumber, conjoin: this.options.conjoin };
    builder.clear();
    const length = addSequence(builder, sequence, labels, this.source, maker);
    return { corpus: builder.lend(vectors), length };
  }
}

/** Predicts for sequences of values that have numbers. */
export interface ValueTagger {
  /** The pieces of sequences with such columns; `place` is where they begin. */
  pieces(columns: Columns, place: Place): PositionPieces;
  /** To be called between sequences: bounds what is remembered of values, which may all get new numbers. */
  forgetIfFull(): void;
  /** The labels of the best output, by number, and their probabilities; both may be longer than the sequence. */
  predict(matrix: ValueMatrix, pieces: PositionPieces): { labels: readonly number[]; confidences: readonly number[] };
}

/** A sequence after its forward pass. */
interface Explored {
  trellis: Trellis;
  /** Where labels are known or held to their scheme: what is left of the trellis, and its posteriors. */
  clamped?: ClampedLattice;
  found?: Posteriors;
  best: Path;
  length: number;
}

/** The parts of a tagger: what a model file holds. */
export interface TaggerParts extends TrainedParts<TaggerOptions, TaggerSummary> {
  labels: Alphabet;
  /** What is decided, where that is not labels. */
  symbols?: Alphabet;
  translation?: Translation;
  attributes: Alphabet;
  conjoined: Alphabet;
  rows: TaggerRows;
  source: FeatureSource;
  lexicons?: readonly Lexicon[];
  encoder?: AttributeEncoder;
  vectors?: Vectors;
  features?: FeatureFunction;
}

function noOutput(isKnown: boolean, sequence: TaggingSequence): InputError {
  if (isKnown) return new InputError("no output agrees with the known labels", sequence);
  return new InputError("no output follows the scheme of the labels", sequence);
}
