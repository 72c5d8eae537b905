// `stargram/engine`: for those who build a task. The engine with its fast kernel, learning, models of one's own kind,
// options, measures, and the contract of tasks. Runs in Node, browsers and workers.

// Confidence
export { type Calibration, type CalibrationMap, calibrated, type Guarantee } from "./confidence/calibration.js";
export { chooseMap, fitIsotonic, fitTemperature } from "./confidence/calibration-map.js";
export { findThreshold, type NoThreshold, type ThresholdOptions, whyNoThreshold } from "./confidence/threshold.js";
// The engine
export { Alphabet } from "./engine/alphabet.js";
export type { Backend, Kernel } from "./engine/backend.js";
export { backend } from "./engine/choice.js";
export { allowedClamp, type Clamp, clampTrellis } from "./engine/clamp.js";
export { ClampedGradient } from "./engine/clamped-gradient.js";
export {
  bestPath,
  bestPaths,
  type Lattice,
  logPartition,
  type Path,
  posteriors,
  sampler,
  trellisLattice,
} from "./engine/lattice.js";
export { type NgramModel, type NgramOptions, ngramModel, ngramScore } from "./engine/ngram.js";
export type { Problem, RowFamily, RowSpace } from "./engine/problem.js";
export { ReferenceKernel } from "./engine/reference/kernel.js";
export { type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "./engine/rows.js";
export { type Branch, chainGraph, type SlotGraph, slotGraph } from "./engine/slots.js";
export { BEGIN, type Inference, type Trellis } from "./engine/trellis.js";
// Lines and items that tasks read and write
export { type LineBlock, type Lines, linesOf } from "./formats/line-blocks.js";
export type { ReviewItem } from "./formats/review-item.js";
// Learning
export { chooseL2 } from "./learn/choose-l2.js";
export { type CipherModel, type Expectations, emissionsOf, LocalExpecter } from "./learn/em.js";
export { Gradient } from "./learn/gradient.js";
export type { Judged, Learner, Seen } from "./learn/learner.js";
export { trainingOptions } from "./learn/options.js";
export { train } from "./learn/train.js";
export type { Checkpoint, Pass, Trained, TrainingHooks, TrainingOptions } from "./learn/training.js";
// Measures
export type { Answer, AnswerColumns, Answers } from "./metrics/answers.js";
export { brier, expectedCalibrationError, reliabilityBins } from "./metrics/calibration.js";
export { mcNemar, recallDifference } from "./metrics/compare.js";
export { aurc, precisionRecallCurve, recallAtPrecision, riskCoverage } from "./metrics/precision-recall.js";
export { chunksOf, TaggingScore } from "./metrics/tagging.js";
export { TransductionScore } from "./metrics/transduction.js";
// Models of one's own kind
export { type Codec, decodeWith, encodeWith, type Model } from "./model/kind.js";
export {
  emptyParts,
  type FileParts,
  PartsReader,
  putJson,
  putStrings,
  putTable,
  putTree,
} from "./model/parts.js";
export type { TensorFile } from "./model/safetensors.js";
export { putTrained, readTrained } from "./model/trained.js";
// The contract
export { learningTask } from "./tasks/learning-task.js";
export {
  addTask,
  type LearningTask,
  type PredictionAsked,
  type Predictor,
  type Task,
} from "./tasks/task.js";
// Options, declared once
export { InputError } from "./util/errors.js";
export {
  choice,
  type Declared,
  declaredOf,
  flag,
  numbers,
  type OptionsOf,
  readOptions,
  real,
  share,
  text,
  whole,
} from "./util/options.js";
export { generator, shuffle, uniform } from "./util/random.js";
