// Made by scripts/option-types.mjs from the declarations in options.ts. Do not edit.

/** What can be chosen of a tagger. */
export interface TaggerOptions {
  /**
   * How many labels back a decision looks: a whole number of at least 0.
   * @default 2
   */
  order: number;
  /**
   * Contexts to keep at each position, besides `⋆`; 5..100: more than 5 only where uncertain: a whole number of at least 0, or a range of them.
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
   * What beam search learns from: decisions up to where the right output lags most, up to where it is lost, or all.
   * @default "violation"
   */
  beamTraining: "free" | "forced" | "early" | "violation";
  /**
   * Merge contexts that agree on the last `order` labels.
   * @default true
   */
  recombine: boolean;
  /**
   * Leave out attributes seen fewer times than this: a whole number of at least 1.
   * @default 1
   */
  minCount: number;
  /**
   * Give attributes weights also for labels they were not seen with, where these are likely.
   * @default true
   */
  unseen: boolean;
  /**
   * By how much right labels must score better than others while learning, for each wrong label of an output: a number of at least 0 and at most 100.
   * If not given: 1; 0 with an encoder, in a beam, or if nothing is held out.
   */
  margin: number;
  /**
   * Group the words of the data into classes by their neighbours and add attributes for these, if a template sees only whole words.
   * @default true
   */
  classes: boolean;
  /**
   * Scheme to learn labels such as B-PER in; answers use the scheme of the data.
   * If not given: bio for IOB1 data, otherwise that of the data.
   */
  scheme: "data" | "bio" | "bioes" | "bilou";
  /**
   * Never answer with labels that break their scheme, such as I-PER after O.
   * @default false
   */
  constrained: boolean;
  /**
   * Separator between parts of labels, such as `|` in NOUN|Case=Gen; `none`: no parts: text.
   * If not given: detected.
   */
  labelParts: string;
  /**
   * Maximum number of labels to consider at each position; 0: all labels: a whole number of at least 0.
   * If not given: 64 if labels have parts or there are more than 128, otherwise all.
   */
  shortlist: number;
  /**
   * Also combine every attribute with the previous label.
   * @default false
   */
  conjoin: boolean;
  /**
   * Use a neural network instead of weights: dense sees each position alone, conv also its neighbours.
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
   * @default 0.5
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
   * @default 2
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
   * Measure that chooses settings.
   * If not given: f1 if labels mark spans (B-NP, I-NP, O), otherwise accuracy.
   */
  select: "f1" | "accuracy" | "likelihood";
  /**
   * When all settings are chosen, train on the held-out part too.
   * @default true
   */
  refit: boolean;
}
