// What a tagger can be asked for, and what it gives.

import type { Spent } from "../../engine/budget.js";
import type { RawToken } from "../../formats/raw-text.js";
import type { GivenLabel } from "../../formats/sequence.js";
import { MOST_OUTPUTS } from "../../util/checks.js";
import { readOptions, whole } from "../../util/options.js";
import type { Answered } from "../task.js";
import type { AnswerOrCandidates } from "../trained-model.js";
import type { TaggerOptions } from "./options.js";
import type { TaggedSpan } from "./spans.js";

export interface PredictOptions {
  /** Give the n most probable outputs, 1,000 at most. */
  nbest?: number;
  /** Give the probability of every label at every position. */
  marginals?: boolean;
  /** Give the probability of each label of the best output at its position. */
  confidences?: boolean;
  /** Give the spans that the labels of the best output mark (B-PER I-PER O), with their probabilities; not with `known`. */
  spans?: boolean;
  /** Give this many outputs drawn with their probabilities, from `seed`. */
  samples?: number;
  seed?: number;
  /** Give the kept contexts of every position with their probabilities. */
  contexts?: boolean;
  /** Labels that are already known: only outputs that agree with them are considered. */
  known?: readonly GivenLabel[];
  /** Choose contexts in another way than the model's own. */
  inference?: Partial<Pick<TaggerOptions, "mode" | "contexts" | "sure" | "order">>;
}

export interface TaggedOutput {
  labels: string[];
  /** Probability of the whole output. */
  probability: number;
}

export interface ContextMass {
  /** Labels remembered, latest last; `^` is the beginning. Empty for `⋆`. */
  suffix: string[];
  probability: number;
}

export interface TaggerPrediction extends TaggedOutput {
  logProbability: number;
  /** The cost of the search, if the number of contexts is a range. */
  spent?: Spent;
  /** The probability after the model's calibration map, if it has one and nothing was asked for that the map does not hold for. */
  calibratedProbability?: number;
  /** Probability of each label at its position, if they or marginals are asked for. */
  confidences?: number[];
  /** The same after the calibration map for positions. */
  calibratedConfidences?: number[];
  marginals?: Record<string, number>[];
  spans?: TaggedSpan[];
  /** Of running text: its tokens, with their places by UTF-16 units. */
  tokens?: readonly RawToken[];
  nbest?: TaggedOutput[];
  samples?: string[][];
  /** [position][context] */
  contexts?: ContextMass[][];
}

export interface AnswerOptions extends Omit<PredictOptions, "known" | "inference"> {
  /** The precision that was promised by calibration. */
  precision: number;
  /** How many outputs to give where none is sure enough. Default 9. */
  candidates?: number;
}

/** An answer that keeps the promised precision, or candidates for a person to choose from. */
export type TaggerAnswer = AnswerOrCandidates<TaggerPrediction, TaggedOutput>;

/** The same with the prediction apart, as workflows take it. */
export type TaggerAnswered = Answered<TaggerPrediction, TaggedOutput>;

export const predictNames: readonly (keyof PredictOptions)[] = [
  "nbest",
  "marginals",
  "confidences",
  "spans",
  "samples",
  "seed",
  "contexts",
  "known",
  "inference",
];

export const answerNames = [
  ...predictNames.filter((name) => name !== "known" && name !== "inference"),
  ...(["precision", "candidates"] as const),
];

/** Whether nothing is asked for but the best output, its probability and those of its labels. */
export function isPlain({ nbest, marginals, samples, contexts, known }: PredictOptions): boolean {
  return !(nbest || marginals || samples || contexts || known);
}

const countOptions = {
  nbest: whole("outputs", { least: 0, most: MOST_OUTPUTS }),
  samples: whole("samples", { least: 0 }),
};

export function checkPredictOptions(options: PredictOptions): void {
  readOptions(countOptions, options, { others: predictNames });
}
