// Made by scripts/option-types.mjs from the declarations in options.ts. Do not edit.

/** What can be chosen of a transducer. */
export interface TransducerOptions {
  /**
   * Passes over the pairs, at most: a whole number of at least 1.
   * @default 7
   */
  passes: number;
  /**
   * Seed of everything random: a whole number.
   * @default 1
   */
  seed: number;
  /**
   * Step size: a number above 0 and at most 100.
   * @default 0.2
   */
  rate: number;
  /**
   * Added to AdaGrad's sums of squares: the larger, the shorter the first steps: a number above 0.
   * @default 0.0001
   */
  delta: number;
  /**
   * Strength of L2 regularisation: a number of at least 0 and at most 1000000.
   * If not given: by the number of pairs; from 1,000 inputs on chosen on held-out pairs, with attributes 16.
   */
  l2: number;
  /**
   * Strength of L1 regularisation: a number of at least 0 and at most 1000000.
   * @default 0
   */
  l1: number;
  /**
   * Share of the inputs held out to choose the best pass and calibrate probabilities: a share from 0 to below 1.
   * If not given: a tenth, at most 2,000 inputs; of fewer than 1,000, each quarter in turn; none of fewer than 50.
   */
  heldOut: number;
  /**
   * Passes without improvement on the held-out part before training stops: a whole number of at least 0.
   * @default 3
   */
  patience: number;
  /**
   * Average the weights over about the later half of the passes.
   * @default true
   */
  average: boolean;
  /**
   * Randomly round gradient entries below this to 0 or ±this: a smaller model: a number of at least 0 and at most 1.
   * @default 0
   */
  truncate: number;
  /**
   * What the best pass is chosen by.
   * @default "accuracy"
   */
  select: "likelihood" | "accuracy";
  /**
   * When everything is chosen, learn from the held-out part, too.
   * @default true
   */
  refit: boolean;
  /**
   * What an input symbol is: a character, or a part of it.
   * If not given: chosen on held-out pairs where symbols are characters that can be taken apart.
   */
  input: "chars" | "codepoints" | "decomposed" | "tokens";
  /**
   * What an output symbol is.
   * If not given: chosen in the same way.
   */
  output: "chars" | "codepoints" | "decomposed" | "tokens";
  /**
   * Remember the training pairs: an input among them gets the answers it had.
   * @default true
   */
  lookup: boolean;
  /**
   * How contexts are chosen while learning: `rcms`, or one of the others that the paper compares.
   * @default "rcms"
   */
  strategy: "rcms" | "model" | "target" | "hybrid" | "forced";
  /**
   * Most output symbols for one input symbol: a whole number of at least 1 and at most 1000.
   * If not given: as many as let 999 of 1,000 pairs be aligned.
   */
  maxEmit: number;
  /**
   * Most output symbols before the first input symbol and after the last, which then are symbols of their own: a whole number of at least 0 and at most 1000.
   * If not given: with attributes: as many as a rough alignment needs; else 0, ends are no symbols.
   */
  edgeEmit: number;
  /**
   * Have weights for copying the input symbol, whichever it is.
   * If not given: where most output symbols are among those of their input.
   */
  copying: boolean;
  /**
   * How many moves back a decision looks; a move writes a symbol or goes to the next input symbol: a whole number of at least 0 and at most 1000.
   * @default 8
   */
  order: number;
  /**
   * Contexts to keep at each slot, beside `⋆`; 3..12: more than 3 only where in doubt: a whole number of at least 0 and at most 1000000, or a range of them.
   * @default 6
   */
  contexts: number | { least: number; most: number };
  /**
   * With a range of contexts: an output this probable is sure enough, and is not searched for again: a number of at least 0 and at most 1.
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
   * Leave out features seen fewer times in the rough alignment of the pairs: a whole number of at least 1.
   * If not given: 1, with attributes and from 5,000 inputs on 2.
   */
  minCount: number;
  /**
   * Let a network score what is written, in place of weights of windows and aligned pairs; `auto`: both kinds of members, or the kind that held-out inputs find clearly better.
   * @default "none"
   */
  encoder: "none" | "conv" | "auto";
  /**
   * Numbers of a layer of the network, rounded up to a multiple of four; 0: 256 if dense, 64 if conv: a whole number of at least 0 and at most 4096.
   * @default 0
   */
  encoderWidth: number;
  /**
   * Layers of the network; 0: 2 if dense, 3 if conv: a whole number of at least 0 and at most 64.
   * @default 0
   */
  encoderLayers: number;
  /**
   * Share of a layer's numbers that are left out at random while learning: a number of at least 0 and at most 0.9.
   * If not given: 0.2; of fewer than 1,000 inputs 0.3.
   */
  dropout: number;
  /**
   * Members: models that read from left to right and from right to left by turns, and decide together: a whole number of at least 1 and at most 100.
   * If not given: 2 up to 5,000 inputs, if some are held out and there is no model of words; else 1.
   */
  ensemble: number;
  /**
   * Let a model of the outputs' words help to choose; with a number, with that weight: a number of at least 0 and at most 10.
   * If not given: chosen where most outputs hold several words and some inputs are held out, else 0.
   */
  words: number | "chosen";
  /**
   * Graphones that a joint n-gram model looks back; it helps to choose among the best outputs: a whole number of at least 0 and at most 1000.
   * If not given: 6 if inputs are held out, else none.
   */
  jointGrams: number;
}
