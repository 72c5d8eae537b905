// The segmenter: cuts a text into segments, such as words, or finds segments in it, such as names, and says how sure it is of
// each. A decision is a whole segment, so what counts for a word can be an attribute: that it is in a list, its length, its
// shape. Probabilities of segments are exact: those of all ways to cut the text that have this segment are summed.
//
//   const segmenter = await Segmenter.train([{ text: "我爱北京", segments: [{ start: 0, end: 1 }, …] }, …]);
//   for (const { start, end, probability } of segmenter.predict("我爱上海").segments) …

import { type Calibration, calibrated } from "../../confidence/calibration.js";
import { backend } from "../../engine/choice.js";
import { bestPaths, trellisLattice } from "../../engine/lattice.js";
import type { Trellis } from "../../engine/trellis.js";
import type { SymbolKind } from "../../formats/pair-lines.js";
import type { Checkpoint, Pass, TrainingHooks } from "../../learn/training.js";
import { MOST_OUTPUTS } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { presentNames, readOptions, whole } from "../../util/options.js";
import type { ChosenInference, Predictor } from "../task.js";
import { type AttributeParts, SegmentEncoder } from "./encoder.js";
import { goldOf, OUTSIDE, type PositionSegment, positionsOf, type SegmentedText, UNLABELLED } from "./example.js";
import { SegmenterEngine } from "./learner.js";
import { inferenceOf, readSegmenterOptions, type SegmenterOptions, segmenterOptions } from "./options.js";
import type { Positions } from "./positions.js";
import type { SegmenterRows } from "./rows.js";
import { longestSegment, symbolOf } from "./symbols.js";

export interface TrainSegmenterOptions extends Partial<SegmenterOptions>, TrainingHooks {
  /** What segments are made of: characters, or tokens between spaces. Default: tokens for columns, else characters. */
  input?: SymbolKind;
  /** Words or phrases, one per line: being in the list is an attribute of a segment. */
  lexicon?: string;
  /** A segmenter to go on with: its labels, attributes and weights; what it does not know is refused. */
  from?: Segmenter;
  /** A training to go on with; data and options must be the same. */
  checkpoint?: Checkpoint;
  /** Anything to be kept with the model, such as how its input was read. */
  note?: Record<string, unknown>;
}

/** A segment that was found, by UTF-16 units: it reads `text.slice(start, end)`. */
export interface FoundSegment {
  start: number;
  end: number;
  text: string;
  /** Absent where segments have no labels. */
  label?: string;
  /** Of exactly this segment, whatever stands around it. */
  probability: number;
}

export interface SegmentedOutput {
  segments: Omit<FoundSegment, "probability">[];
  /** Probability of the whole output. */
  probability: number;
}

export interface SegmenterPrediction extends SegmentedOutput {
  /** What was segmented; for columns, tokens with spaces between. */
  text: string;
  segments: FoundSegment[];
  logProbability: number;
  /** The probability after the model's calibration map, if it has one and contexts were chosen in its own way. */
  calibratedProbability?: number;
  nbest?: SegmentedOutput[];
  /** All segments, what lies outside among them, position by position. */
  cover: FoundSegment[];
}

export interface SegmentPredictOptions {
  /** Give the n most probable outputs, 1,000 at most. */
  nbest?: number;
  /** Choose contexts in another way than the model's own. */
  inference?: ChosenInference;
}

/** What is known of how a segmenter was trained. */
export interface SegmenterSummary {
  texts: number;
  segments: number;
  history: Pass[];
  bestPass: number;
  stopped: boolean;
}

/** The parts of a segmenter: what a model file holds. */
export interface SegmenterParts {
  attributes: AttributeParts;
  rows: SegmenterRows;
  weights: Float64Array;
  options: SegmenterOptions;
  summary: SegmenterSummary;
  note: Record<string, unknown>;
  calibration?: Calibration;
}

export class Segmenter implements Predictor {
  readonly kind = "segmenter";
  readonly attributes: AttributeParts;
  readonly rows: SegmenterRows;
  readonly weights: Float64Array;
  readonly options: SegmenterOptions;
  readonly summary: SegmenterSummary;
  readonly note: Record<string, unknown>;
  calibration: Calibration | undefined;
  private readonly engine: SegmenterEngine;
  /** Holds the text at hand as numbers. */
  private readonly encoder: SegmentEncoder;

  constructor(parts: SegmenterParts) {
    ({ attributes: this.attributes, options: this.options, summary: this.summary, note: this.note } = parts);
    this.calibration = parts.calibration;
    this.weights = backend().arrays.placed(parts.weights);
    this.engine = new SegmenterEngine(parts.rows, inferenceOf(parts.options));
    this.rows = this.engine.rows;
    const longest = longestSegment(parts.rows.symbols);
    this.encoder = new SegmentEncoder(parts.attributes, longest, false, backend().arrays);
  }

  /** Learns from texts with their segments. */
  static async train(
    texts: Iterable<SegmentedText> | AsyncIterable<SegmentedText>,
    options: TrainSegmenterOptions = {},
  ): Promise<Segmenter> {
    // On demand: who only predicts does not load it.
    const { trainSegmenter } = await import("./train.js");
    return trainSegmenter(texts, options);
  }

  /** The labels of segments; one that is empty where they have none. */
  get labels(): readonly string[] {
    return this.attributes.labels.all().filter((label) => label !== OUTSIDE);
  }

  /** The most probable segments of a text, with the probability of each and of all together. */
  predict(given: SegmentedText | string, options: SegmentPredictOptions = {}): SegmenterPrediction {
    readOptions({ nbest: whole("outputs", { least: 0, most: MOST_OUTPUTS }) }, options, { others: ["inference"] });
    const example = typeof given === "string" ? { text: given } : given;
    const positions = positionsOf(example, this.attributes.input);
    if (positions.columns.length === 0) {
      return { text: positions.text, segments: [], probability: 1, logProbability: 0, cover: [] };
    }
    const trellis = this.forward(positions, options.inference);
    const outputs: { symbols: readonly number[]; log: number }[] = [];
    for (const { symbols, score } of bestPaths(trellisLattice(trellis))) {
      outputs.push({ symbols, log: Math.min(0, score - trellis.logPartition) });
      if (outputs.length >= Math.max(1, options.nbest ?? 1)) break;
    }
    this.engine.kernel.backward();
    const [best] = outputs;
    const cover = this.segmentsOf(positions, best.symbols, trellis);
    const prediction: SegmenterPrediction = {
      text: positions.text,
      segments: cover.filter(({ label }) => label !== OUTSIDE),
      cover,
      probability: Math.exp(best.log),
      logProbability: best.log,
    };
    if (options.nbest !== undefined) {
      prediction.nbest = outputs.map(({ symbols, log }) => ({
        segments: this.segmentsOf(positions, symbols, trellis)
          .filter(({ label }) => label !== OUTSIDE)
          .map(({ probability: _, ...segment }) => segment),
        probability: Math.exp(log),
      }));
    }
    if (this.calibration && !options.inference) {
      prediction.calibratedProbability = calibrated(this.calibration.map, prediction.probability);
    }
    return prediction;
  }

  /** The forward pass of a text. */
  private forward(positions: Positions, chosen?: ChosenInference): Trellis {
    const { encoder, engine, weights } = this;
    encoder.clear();
    encoder.add(positions);
    if (chosen === undefined) return engine.forward(encoder.lend(), 0, weights);
    const named = presentNames(segmenterOptions, chosen);
    const inference = inferenceOf(readSegmenterOptions({ ...this.options, ...named }));
    return engine.forward(encoder.lend(), 0, weights, inference);
  }

  /** The segments of an output, what lies outside among them, with their probabilities after the backward pass. */
  private segmentsOf(positions: Positions, symbols: readonly number[], trellis: Trellis): FoundSegment[] {
    const { labelOf, lengthOf } = this.rows.symbols;
    const { text, start, end } = positions;
    const found: FoundSegment[] = [];
    let at = 0;
    for (const symbol of symbols) {
      if (at >= start.length) break;
      const label = this.attributes.labels.nameOf(labelOf[symbol]);
      const to = at + lengthOf[symbol];
      const from = start[at];
      const until = end[to - 1];
      const named = label === UNLABELLED ? {} : { label };
      const probability = Math.min(1, segmentProbability(trellis, at, symbol));
      found.push({ start: from, end: until, text: text.slice(from, until), ...named, probability });
      at = to;
    }
    return found;
  }

  /** Log-probability of the segments that a text has; -Infinity if it cannot be cut so. */
  logLikelihood(example: SegmentedText, options: Pick<SegmentPredictOptions, "inference"> = {}): number {
    const positions = positionsOf(example, this.attributes.input);
    const symbols = this.goldSymbols(example, positions);
    if (!symbols) return Number.NEGATIVE_INFINITY;
    if (positions.columns.length === 0) return 0;
    this.forward(positions, options.inference);
    return this.engine.logProbability(symbols);
  }

  private goldSymbols(example: SegmentedText, positions: Positions): number[] | undefined {
    const gold = rightSegments(example, positions);
    const symbols = gold.map(({ from, to, label }) => {
      const y = this.attributes.labels.indexOf(label);
      return y < 0 ? -1 : symbolOf(this.rows.symbols, y, to - from);
    });
    return symbols.includes(-1) ? undefined : symbols;
  }
}

function rightSegments(example: SegmentedText, positions: Positions): PositionSegment[] {
  const gold = goldOf(example, positions);
  if (gold) return gold;
  throw new InputError("the text has no segments", { file: example.file, line: example.line });
}

/** Sum over the contexts of a gap: the probability that a segment begins there that has this length and label. */
function segmentProbability(trellis: Trellis, gap: number, symbol: number): number {
  let sum = 0;
  for (let c = trellis.slotStart[gap]; c < trellis.slotStart[gap + 1]; c++) {
    sum += trellis.arcPosterior[trellis.arcStart[c] + symbol];
  }
  return sum;
}
