// Made by scripts/option-types.mjs from the declarations in options.ts. Do not edit.

/** What can be chosen of a segmenter. */
export interface SegmenterOptions {
  /**
   * How many segments back a decision looks: a whole number of at least 0 and at most 1000.
   * If not given: 2 if segments have labels, otherwise 0.
   */
  order: number;
  /**
   * Contexts to keep at each gap, besides `⋆`; 5..100: more than 5 only where uncertain: a whole number of at least 0 and at most 1000000, or a range of them.
   * @default 20
   */
  contexts: number | { least: number; most: number };
  /**
   * With a range of contexts: do not search again if the output has at least this probability: a number of at least 0 and at most 1.
   * @default 0.95
   */
  sure: number;
  /**
   * Which suffixes of a context have weights: only the longest, as in the paper, or all.
   * @default "all"
   */
  rows: "longest" | "all";
  /**
   * How contexts are chosen.
   * @default "rcms"
   */
  mode: "rcms" | "beam" | "exact";
  /**
   * How beam search learns: with the right output kept in the beam or not.
   * @default "free"
   */
  beamTraining: "free" | "forced";
  /**
   * Leave out attributes seen fewer times than this: a whole number of at least 1.
   * @default 1
   */
  minCount: number;
  /**
   * Use a neural network instead of weights of positions: dense sees each alone, conv also its neighbours.
   * @default "none"
   */
  encoder: "none" | "dense" | "conv";
  /**
   * Width of a layer, rounded up to a multiple of four; 0: 256 if dense, 64 if conv: a whole number of at least 0 and at most 4096.
   * @default 0
   */
  encoderWidth: number;
  /**
   * Number of layers; 0: 2 if dense, 3 if conv: a whole number of at least 0 and at most 64.
   * @default 0
   */
  encoderLayers: number;
  /**
   * Share of a layer that is dropped at random in training: a number of at least 0 and at most 0.9.
   * @default 0.4
   */
  dropout: number;
  /**
   * Maximum number of passes over the examples: a whole number of at least 1.
   * @default 20
   */
  passes: number;
  /**
   * Random seed: a whole number.
   * @default 1
   */
  seed: number;
  /**
   * Step size: a number above 0 and at most 100.
   * @default 0.2
   */
  rate: number;
  /**
   * Added to AdaGrad's sums of squares: larger values make the first steps smaller: a number above 0.
   * @default 0.0001
   */
  delta: number;
  /**
   * Strength of L2 regularisation: (l2 / 2) · |weights|² is subtracted from the log-likelihood: a number of at least 0 and at most 1000000.
   * If not given: chosen on held-out data.
   */
  l2: number;
  /**
   * Strength of L1 regularisation: a number of at least 0 and at most 1000000.
   * @default 0
   */
  l1: number;
  /**
   * Share of the examples held out to choose settings; 0 for none: a share from 0 to below 1.
   * If not given: a tenth, up to a fifth of few examples; below 500 examples, cross-validation.
   */
  heldOut: number;
  /**
   * Passes without improvement on the held-out part before training stops: a whole number of at least 0.
   * @default 3
   */
  patience: number;
  /**
   * Average the weights over about the second half of the passes.
   * @default true
   */
  average: boolean;
  /**
   * Randomly round gradient entries below this to 0 or ±this (smaller model): a number of at least 0 and at most 1.
   * @default 0
   */
  truncate: number;
  /**
   * Measure that chooses settings; the accuracy of segments is their F1.
   * @default "likelihood"
   */
  select: "accuracy" | "likelihood";
  /**
   * When all settings are chosen, train on the held-out part too.
   * @default true
   */
  refit: boolean;
}
