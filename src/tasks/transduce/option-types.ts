// Made by scripts/option-types.mjs from the declarations in options.ts. Do not edit.

/** What can be chosen of a transducer. */
export interface TransducerOptions {
  /**
   * Maximum number of passes over the pairs: a whole number of at least 1.
   * @default 7
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
   * Strength of L2 regularisation: a number of at least 0 and at most 1000000.
   * If not given: chosen on held-out pairs; below 1,000 inputs by their number; with attributes 16.
   */
  l2: number;
  /**
   * Strength of L1 regularisation: a number of at least 0 and at most 1000000.
   * @default 0
   */
  l1: number;
  /**
   * Share of the inputs held out to choose the best pass and calibrate probabilities: a share from 0 to below 1.
   * If not given: a tenth, at most 2,000 inputs; below 1,000 inputs each quarter in turn, below 50 none.
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
   * @default "accuracy"
   */
  select: "likelihood" | "accuracy";
  /**
   * When all settings are chosen, train on the held-out part too.
   * @default true
   */
  refit: boolean;
  /**
   * What an input symbol is: a character, or a part of it.
   * If not given: chosen on held-out pairs if characters can be decomposed.
   */
  input: "chars" | "codepoints" | "decomposed" | "tokens";
  /**
   * What an output symbol is.
   * If not given: chosen in the same way.
   */
  output: "chars" | "codepoints" | "decomposed" | "tokens";
  /**
   * Store the training pairs: an input among them gets the answers it had.
   * @default true
   */
  lookup: boolean;
  /**
   * How contexts are chosen in training: `rcms`, or one of the others that the paper compares.
   * @default "rcms"
   */
  strategy: "rcms" | "model" | "target" | "hybrid" | "forced";
  /**
   * Maximum number of output symbols for one input symbol: a whole number of at least 1 and at most 1000.
   * If not given: enough to align 999 of 1,000 pairs.
   */
  maxEmit: number;
  /**
   * Maximum number of output symbols before the first input symbol and after the last: a whole number of at least 0 and at most 1000.
   * If not given: with attributes as many as a rough alignment needs, otherwise 0.
   */
  edgeEmit: number;
  /**
   * Add weights for copying the input symbol.
   * If not given: on if most output symbols occur in their input.
   */
  copying: boolean;
  /**
   * How many moves back a decision looks; a move writes a symbol or goes to the next input symbol: a whole number of at least 0 and at most 1000.
   * @default 8
   */
  order: number;
  /**
   * Contexts to keep at each slot, besides `⋆`; 3..12: more than 3 only where uncertain: a whole number of at least 0 and at most 1000000, or a range of them.
   * @default 6
   */
  contexts: number | { least: number; most: number };
  /**
   * With a range of contexts: do not search again if the output has at least this probability: a number of at least 0 and at most 1.
   * @default 0.95
   */
  sure: number;
  /**
   * Drop contexts with less than this share of their slot's heaviest: a share from 0 to below 1.
   * @default 0.01
   */
  lightest: number;
  /**
   * Input symbols to look at on either side: a whole number of at least 0 and at most 1000.
   * @default 4
   */
  window: number;
  /**
   * Written symbols that rows of outputs look back: a whole number of at least 0 and at most 1000.
   * @default 4
   */
  outputGrams: number;
  /**
   * Moves that rows of aligned pairs look back when they look at 0, 1, … further input symbols: a list of whole numbers of at least 0 and at most 1000.
   * @default [4,3,2]
   */
  moveGrams: readonly number[];
  /**
   * Leave out features seen fewer times than this in a rough alignment: a whole number of at least 1.
   * If not given: 1; 2 with attributes or with 5,000 inputs or more.
   */
  minCount: number;
  /**
   * Use a neural network instead of weights of windows and aligned pairs; `auto`: members of both kinds, or of the kind that is clearly better on held-out inputs.
   * If not given: `auto` up to 5,000 inputs if some are held out and there is no word model, otherwise `none`.
   */
  encoder: "none" | "conv" | "auto";
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
   * If not given: 0.2; below 1,000 inputs 0.3.
   */
  dropout: number;
  /**
   * Number of models that decide together, reading left to right and right to left in turn: a whole number of at least 1 and at most 100.
   * If not given: 3 up to 5,000 inputs if some are held out and there is no word model (2 without the encoder `auto`), otherwise 1 (2 with `auto`).
   */
  ensemble: number;
  /**
   * Use a model of the words in outputs; a number sets its weight: a number of at least 0 and at most 10.
   * If not given: chosen if most outputs have several words and some inputs are held out, otherwise 0.
   */
  words: number | "chosen";
  /**
   * How many graphones back the joint n-gram model looks; it helps to choose among the best outputs: a whole number of at least 0 and at most 1000.
   * If not given: 6 if inputs are held out, otherwise none.
   */
  jointGrams: number;
}
