// Made by scripts/option-types.mjs from the declarations in options.ts. Do not edit.

/** What can be chosen of a tagger. */
export interface TaggerOptions {
  /**
   * How many labels back a decision looks: a whole number of at least 0.
   * @default 2
   */
  order: number;
  /**
   * Contexts to keep at each position, beside `⋆`; 5..100: more than 5 only where in doubt: a whole number of at least 0, or a range of them.
   * @default 20
   */
  contexts: number | { least: number; most: number };
  /**
   * With a range of contexts: an output this probable is sure enough, and is not searched for again: a number of at least 0 and at most 1.
   * @default 0.95
   */
  sure: number;
  /**
   * Weights of a context: of its longest suffix alone, as in the paper, or of all.
   * @default "all"
   */
  rows: "longest" | "all";
  /**
   * How contexts are chosen.
   * @default "rcms"
   */
  mode: "rcms" | "beam" | "exact";
  /**
   * What beam search learns from: decisions up to the right output's greatest lag, or to its loss, or all.
   * @default "violation"
   */
  beamTraining: "free" | "forced" | "early" | "violation";
  /**
   * Make contexts that agree on the last `order` labels one.
   * @default true
   */
  recombine: boolean;
  /**
   * Leave out attributes seen fewer times: a whole number of at least 1.
   * @default 1
   */
  minCount: number;
  /**
   * Scheme in which labels such as B-PER are learned; answers have that of the data.
   * If not given: bio for data in IOB1, else as it is.
   */
  scheme: "data" | "bio" | "bioes" | "bilou";
  /**
   * Never answer with labels that break their scheme, such as I-PER after O.
   * @default false
   */
  constrained: boolean;
  /**
   * What stands between the parts of composed labels, as `|` in NOUN|Case=Gen; `none`: they have no parts: text.
   * If not given: found in the labels, if they are plainly composed.
   */
  labelParts: string;
  /**
   * Labels to consider at each position, at most: the best by its attributes alone; 0: all labels: a whole number of at least 0.
   * If not given: 64 of composed labels, or of more than 128; else all.
   */
  shortlist: number;
  /**
   * Conjoin every attribute with the previous label too (there without its value).
   * @default false
   */
  conjoin: boolean;
  /**
   * Let a network score the labels, in place of weights of attributes: of each position by itself, or with its neighbours.
   * @default "none"
   */
  encoder: "none" | "dense" | "conv";
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
   * @default 0.4
   */
  dropout: number;
  /**
   * Passes over the examples, at most: a whole number of at least 1.
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
   * @default 0.5
   */
  rate: number;
  /**
   * Added to AdaGrad's sums of squares: the larger, the shorter the first steps: a number above 0.
   * @default 0.0001
   */
  delta: number;
  /**
   * Strength of L2 regularisation: (l2 / 2) · |weights|² is taken from the log-likelihood: a number of at least 0 and at most 1000000.
   * If not given: chosen on held-out data.
   */
  l2: number;
  /**
   * Strength of L1 regularisation: a number of at least 0 and at most 1000000.
   * @default 0
   */
  l1: number;
  /**
   * Share held out to choose by; 0 for none: a share from 0 to below 1.
   * If not given: a tenth or, of few examples, up to a fifth; of fewer than 500, each fifth in turn (cross-validation).
   */
  heldOut: number;
  /**
   * Passes without improvement on the held-out part before training stops: a whole number of at least 0.
   * @default 2
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
   * What is chosen by.
   * If not given: f1 where labels mark spans (B-NP, I-NP, O), else accuracy.
   */
  select: "f1" | "accuracy" | "likelihood";
  /**
   * When everything is chosen, learn from the held-out part, too.
   * @default true
   */
  refit: boolean;
}
