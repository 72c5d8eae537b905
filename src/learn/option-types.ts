// Made by scripts/option-types.mjs from the declarations in options.ts. Do not edit.

/** What can be chosen of every training. */
export interface TrainingOptions {
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
   * Share of the examples held out to choose the best pass; 0 for none: a share from 0 to below 1.
   * @default 0.1
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
   * Measure that chooses the best pass.
   * @default "likelihood"
   */
  select: "likelihood" | "accuracy" | "f1";
}
