// The segmenter: learns to cut texts into segments, with labels or without, and says how sure it is of each. Slots are the gaps
// between characters or tokens, a decision is a segment (length and label): a semi-Markov model.
//
//   const segmenter = await Segmenter.train([{ text: "北京在哪里", segments: [{ start: 0, end: 2 }, …] }, …]);
//   const { segments, probability } = segmenter.predict("我在北京");

import {
  answeredBy,
  calibrated,
  type Guarantee,
  guaranteeFor,
  partGuaranteeFor,
} from "../../confidence/calibration.js";
import { type Spent, searchWithin } from "../../engine/budget.js";
import { bestPathsFrom, type Path, trellisLattice } from "../../engine/lattice.js";
import { nextSlot } from "../../engine/slots.js";
import { BEGIN, type Inference, type Trellis } from "../../engine/trellis.js";
import type { Chosen } from "../../learn/choose.js";
import type { Checkpoint, Pass, TrainingHooks } from "../../learn/training.js";
import { unlessAborted } from "../../util/abort.js";
import { checkAnswerOptions, checkNames, MOST_OUTPUTS } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { readOptions, whole } from "../../util/options.js";
import { type AttributeEncoder, keptEncoder } from "../tag/encoder.js";
import type { Answered, PartsAnswered, Predictor } from "../task.js";
import { TrainedModel, type TrainedParts } from "../trained-model.js";
import { type AttributeParts, SegmentCorpusBuilder } from "./corpus.js";
import { goldOf, OUTSIDE, positionsOf, type SegmentedText, UNLABELLED } from "./example.js";
import { SegmenterEngine } from "./learner.js";
import { inferenceOf, readSegmenterOptions, type SegmenterOptions } from "./options.js";
import type { Positions } from "./positions.js";
import type { SegmenterRows } from "./rows.js";
import { longestSegment, symbolOf } from "./symbols.js";

/** The input of a training run besides plain option values. */
export interface TrainSegmenterOptions extends Partial<SegmenterOptions>, TrainingHooks {
  /** What segments are made of. Default: tokens if the examples have columns, else characters. */
  input?: "chars" | "tokens";
  /** Words or phrases, one per line: whether a segment is among them becomes an attribute. */
  lexicon?: string;
  /** The file of the lexicon, named in errors. */
  lexiconFile?: string;
  /** A segmenter to start from: its weights are used for the same attributes and labels. */
  from?: Segmenter;
  /**
   * Keep all that `from` knows, even if it is not in the data: for learning from only a few more examples. Options are
   * then its own, with shorter steps, three passes and no L2 penalty, unless they are given.
   */
  keep?: boolean;
  /** A checkpoint to continue from; data and options must be the same. */
  checkpoint?: Checkpoint;
  /** Anything to store with the model, such as how its input was read. */
  note?: Record<string, unknown>;
}

/** What is known of how a segmenter was trained. */
export interface SegmenterSummary {
  texts: number;
  positions: number;
  segments: number;
  history: Pass[];
  bestPass: number;
  /** Whether training was stopped early. */
  stopped: boolean;
  /** What was chosen on held-out texts, and the result. Missing in files of earlier versions. */
  chosen?: Chosen;
}

export interface SegmentOptions {
  /** Give the n most probable outputs, 1,000 at most. */
  nbest?: number;
  /** Give every segment with a probability of at least 0.001, in the best output or not. */
  marginals?: boolean;
  /** Give the kept contexts of every gap with their probabilities. */
  contexts?: boolean;
  /** Choose contexts in another way than the model's own. */
  inference?: Partial<Pick<SegmenterOptions, "mode" | "contexts" | "sure">>;
}

/** A segment, by UTF-16 units: `text` is `text.slice(start, end)` of the whole. */
export interface Segment {
  start: number;
  end: number;
  text: string;
  /** Absent where segments have no labels. */
  label?: string;
  /** Sum of the probabilities of all outputs that have exactly this segment. */
  probability: number;
  /** The same after the model's calibration map for segments, if it has one. */
  calibratedProbability?: number;
}

export interface SegmentedOutput {
  /** In order; text outside all segments is not included. */
  segments: Segment[];
  /** Probability of the whole output. */
  probability: number;
}

export interface SegmenterPrediction extends SegmentedOutput {
  /** What offsets count in: the text, or tokens with spaces between. */
  text: string;
  logProbability: number;
  /** The cost of the search, if the number of contexts is a range. */
  spent?: Spent;
  /** The probability after the model's calibration map, if it has one. */
  calibratedProbability?: number;
  /** [tokens] of columns: labels `B-TYPE`, `I-TYPE`, `O` of the segments. */
  labels?: string[];
  /** [tokens] the probability of the segment that a token lies in, or that it lies outside. */
  confidences?: number[];
  nbest?: SegmentedOutput[];
  marginals?: Segment[];
  /** [gap][context] */
  contexts?: SegmentContext[][];
}

export interface SegmentContext {
  /** Segments remembered, latest last, as `LABEL/length`; `^` is the beginning. Empty for `⋆`. */
  suffix: string[];
  probability: number;
}

export interface SegmentAnswerOptions extends Omit<SegmentOptions, "inference"> {
  /** The precision that was promised by calibration. */
  precision: number;
  /** How many outputs to give if none is certain enough. Default 9. */
  candidates?: number;
}

/** An answer that keeps the promised precision, or candidates for a person to choose from. */
export type SegmenterAnswer = Answered<SegmenterPrediction, SegmentedOutput> & { guarantee: Guarantee };

/** The parts of a segmenter: what a model file holds. */
export interface SegmenterParts extends TrainedParts<SegmenterOptions, SegmenterSummary> {
  parts: AttributeParts;
  rows: SegmenterRows;
  /** A network that scores roles of positions in place of weights of their attributes. */
  encoder?: AttributeEncoder;
}

/** Segments less probable than this are not listed. */
const LEAST_MARGINAL = 1e-3;

export class Segmenter extends TrainedModel<SegmenterOptions, SegmenterSummary, SegmenterRows> implements Predictor {
  readonly kind = "segmenter";
  readonly parts: AttributeParts;
  readonly encoder: AttributeEncoder | undefined;
  private readonly engine: SegmenterEngine;
  /** Holds the text at hand as numbers. */
  private readonly builder: SegmentCorpusBuilder;

  constructor(given: SegmenterParts) {
    const { encoder } = given;
    const engine = new SegmenterEngine(
      given.rows,
      inferenceOf(given.options),
      encoder && ((backend) => keptEncoder(encoder, backend)),
    );
    super(given, engine);
    this.engine = engine;
    this.parts = given.parts;
    this.encoder = encoder;
    this.builder = new SegmentCorpusBuilder(this.parts, longestSegment(given.rows.symbols), false, this.engine.arrays);
  }

  /** Learns from texts with their segments. */
  static async train(
    examples: Iterable<SegmentedText> | AsyncIterable<SegmentedText>,
    options: TrainSegmenterOptions = {},
  ): Promise<Segmenter> {
    const { trainSegmenter } = await import("./train.js");
    return unlessAborted(options.signal, () => trainSegmenter(examples, options));
  }

  /** The labels of segments, without the one of what lies outside; `` is that of segments without labels. */
  get labels(): string[] {
    return this.parts.labels.all().filter((label) => label !== OUTSIDE);
  }

  /** Whether segments have labels. */
  get isLabelled(): boolean {
    return this.labels.some((label) => label !== UNLABELLED);
  }

  /** The places of the most probable segments of a text, in UTF-16 units. */
  cut(text: string): SegmenterPrediction["segments"] {
    if (this.parts.input === "tokens") {
      throw new InputError("this segmenter groups tokens; to split text, use one trained on characters");
    }
    return this.predict(text).segments;
  }

  /** The most probable segments of a text, each with its probability, and whatever else is requested. */
  predict(given: SegmentedText | string, options: SegmentOptions = {}): SegmenterPrediction {
    const example = typeof given === "string" ? { text: given } : given;
    readOptions(countOptions, options, { others: predictNames });
    const positions = positionsOf(example, this.parts.input);
    const { text } = positions;
    if (positions.columns.length === 0) return { text, segments: [], probability: 1, logProbability: 0 };
    const { kernel } = this.engine;
    const inference = this.inferenceWith(options.inference);
    let best!: Path;
    const spent = searchWithin(inference, (chosen) => {
      this.forward(positions, chosen);
      // There is one: weights are finite, and segments of one position are always possible.
      best = kernel.bestPath() as Path;
      return Math.exp(best.score - kernel.trellis.logPartition);
    });
    const { trellis } = kernel;
    kernel.backward();
    const logProbability = Math.min(0, best.score - trellis.logPartition);
    const symbols = best.symbols;
    const prediction: SegmenterPrediction = {
      text,
      segments: this.segmentsOf(symbols, positions, trellis),
      probability: Math.exp(logProbability),
      logProbability,
    };
    if (inference.least !== undefined) prediction.spent = spent;
    if (example.columns) Object.assign(prediction, this.tokenLabels(symbols, trellis));
    if (options.nbest) prediction.nbest = this.firstOutputs(best, options.nbest, positions, trellis);
    if (options.marginals) prediction.marginals = this.allSegments(positions, trellis);
    if (options.contexts) prediction.contexts = this.contextsOf(positions, trellis);
    if (Object.keys(options.inference ?? {}).length === 0) this.calibrate(prediction);
    return prediction;
  }

  /** Answers if that keeps the promised precision, and otherwise gives candidates for a person to choose from. */
  answer(example: SegmentedText | string, options: SegmentAnswerOptions): SegmenterAnswer {
    checkAnswerOptions(options, answerNames);
    const { precision, candidates = 9, ...asked } = options;
    const guarantee = guaranteeFor(this.calibration, precision);
    const prediction = this.predict(example, asked);
    if (prediction.probability >= guarantee.threshold) return { answered: true, guarantee, prediction, candidates: [] };
    const { nbest = [] } = this.predict(example, { nbest: candidates });
    return { answered: false, guarantee, prediction, candidates: nbest };
  }

  /** The same for single segments: answers those that keep the precision promised for spans. */
  answerParts(
    example: SegmentedText | string,
    { precision, candidates = 9 }: SegmentAnswerOptions & { unit?: "span" | "token" },
  ): PartsAnswered<SegmenterPrediction, SegmentedOutput> {
    const guarantee = partGuaranteeFor(this.calibration, precision, "span");
    const prediction = this.predict(example);
    const sureness = prediction.segments.map(({ probability }) => probability);
    const groups = prediction.segments.map(({ label }) => label ?? UNLABELLED);
    const sure = new Set(answeredBy(guarantee, sureness, groups));
    const answered = sureness.map((_, part) => sure.has(part));
    const { nbest = [] } = sure.size < answered.length ? this.predict(example, { nbest: candidates }) : {};
    return { unit: "span", prediction, answered, candidates: nbest };
  }

  /** Log-probability of the segments that a text has; -Infinity for a label that is not known or a segment that is too long. */
  logLikelihood(example: SegmentedText, options: Pick<SegmentOptions, "inference"> = {}): number {
    checkNames(options, ["inference"]);
    const positions = positionsOf(example, this.parts.input);
    const gold = goldOf(example, positions);
    if (!gold) throw new InputError("the text has no segments", { file: example.file, line: example.line });
    if (gold.length === 0) return 0;
    const { labels } = this.parts;
    const symbols = gold.map(({ from, to, label }) => {
      const y = labels.indexOf(label);
      return y < 0 ? -1 : symbolOf(this.rows.symbols, y, to - from);
    });
    if (symbols.includes(-1)) return Number.NEGATIVE_INFINITY;
    this.forward(positions, this.inferenceWith(options.inference));
    return this.engine.logProbability(symbols);
  }

  private forward(positions: Positions, inference: Inference): Trellis {
    this.engine.check();
    this.builder.clear();
    this.builder.add(positions);
    return this.engine.forward(this.builder.lend(), 0, this.weights, inference);
  }

  setSure(sure: number): void {
    this.options.sure = sure;
    this.engine.inference.sure = sure;
  }

  private inferenceWith(chosen?: SegmentOptions["inference"]): Inference {
    if (chosen === undefined) return this.engine.inference;
    checkNames(chosen, ["mode", "contexts", "sure"]);
    return inferenceOf({
      ...this.options,
      ...readSegmenterOptions({ ...this.options, ...chosen }),
      order: this.options.order,
    });
  }

  /** Adds what calibration makes of the probabilities. */
  private calibrate(prediction: SegmenterPrediction): void {
    if (!this.calibration) return;
    const { map, spanMap } = this.calibration;
    prediction.calibratedProbability = calibrated(map, prediction.probability);
    if (!spanMap) return;
    for (const segment of [...prediction.segments, ...(prediction.marginals ?? [])]) {
      segment.calibratedProbability = calibrated(spanMap, segment.probability);
    }
  }

  /** The segments of a path that do not lie outside. */
  private segmentsOf(symbols: readonly number[], positions: Positions, trellis: Trellis): Segment[] {
    const segments: Segment[] = [];
    let at = 0;
    for (const symbol of symbols) {
      const segment = this.segment(at, symbol, positions, trellis);
      if (segment) segments.push(segment);
      at += this.rows.symbols.lengthOf[symbol];
    }
    return segments;
  }

  /** The segment of a decision at a gap; undefined if it lies outside. */
  private segment(gap: number, symbol: number, { text, start, end }: Positions, trellis: Trellis): Segment | undefined {
    const { labelOf, lengthOf } = this.rows.symbols;
    const label = this.parts.labels.nameOf(labelOf[symbol]);
    if (label === OUTSIDE) return undefined;
    const from = start[gap];
    const to = end[gap + lengthOf[symbol] - 1];
    const probability = decisionProbability(trellis, gap, symbol);
    const labelled = label === UNLABELLED ? {} : { label };
    return { start: from, end: to, text: text.slice(from, to), ...labelled, probability };
  }

  private tokenLabels(symbols: readonly number[], trellis: Trellis): { labels: string[]; confidences: number[] } {
    const { labelOf, lengthOf } = this.rows.symbols;
    const labels: string[] = [];
    const confidences: number[] = [];
    for (const symbol of symbols) {
      const label = this.parts.labels.nameOf(labelOf[symbol]);
      const probability = decisionProbability(trellis, labels.length, symbol);
      const type = label === UNLABELLED ? "" : `-${label}`;
      for (let i = 0; i < lengthOf[symbol]; i++) {
        labels.push(label === OUTSIDE ? OUTSIDE : `${i === 0 ? "B" : "I"}${type}`);
        confidences.push(probability);
      }
    }
    return { labels, confidences };
  }

  private firstOutputs(best: Path, count: number, positions: Positions, trellis: Trellis): SegmentedOutput[] {
    const outputs: SegmentedOutput[] = [];
    for (const { symbols, score } of bestPathsFrom(trellisLattice(trellis), best, count)) {
      const probability = Math.min(1, Math.exp(score - trellis.logPartition));
      outputs.push({ segments: this.segmentsOf(symbols, positions, trellis), probability });
    }
    return outputs;
  }

  private allSegments(positions: Positions, trellis: Trellis): Segment[] {
    const segments: Segment[] = [];
    const symbolCount = this.rows.symbols.labelOf.length;
    for (let gap = 0; gap < positions.columns.length; gap++) {
      for (let symbol = 0; symbol < symbolCount; symbol++) {
        if (nextSlot(trellis.graph, gap, symbol) < 0) continue;
        const segment = this.segment(gap, symbol, positions, trellis);
        if (segment && segment.probability >= LEAST_MARGINAL) segments.push(segment);
      }
    }
    return segments;
  }

  private contextsOf({ columns }: Positions, trellis: Trellis): SegmentContext[][] {
    const { labelOf, lengthOf } = this.rows.symbols;
    const { labels } = this.parts;
    const nameOf = (symbol: number): string =>
      symbol === BEGIN ? "^" : `${labels.nameOf(labelOf[symbol])}/${lengthOf[symbol]}`;
    return columns.map((_, gap) => {
      const contexts: SegmentContext[] = [];
      for (let c = trellis.slotStart[gap]; c < trellis.slotStart[gap + 1]; c++) {
        contexts.push({ suffix: trellis.suffix(c).map(nameOf), probability: trellis.posterior[c] });
      }
      return contexts.sort((a, b) => b.probability - a.probability);
    });
  }
}

/** P(segment) = Σ over the contexts c at the gap where it begins: posterior(c, symbol). Needs the backward pass. */
function decisionProbability({ slotStart, arcStart, arcPosterior }: Trellis, gap: number, symbol: number): number {
  let sum = 0;
  for (let c = slotStart[gap]; c < slotStart[gap + 1]; c++) sum += arcPosterior[arcStart[c] + symbol];
  return Math.min(1, sum);
}

const predictNames: readonly (keyof SegmentOptions)[] = ["nbest", "marginals", "contexts", "inference"];

const answerNames = ["nbest", "marginals", "contexts", "precision", "candidates"] as const;

const countOptions = { nbest: whole("outputs", { least: 0, most: MOST_OUTPUTS }) };
