// `stargram/engine`: for those who build a task. The engine with its fast kernel, learning, models of one's own kind,
// options, measures, and the contract of tasks. Runs in Node, browsers and workers. docs/building-a-task.md uses it.

// Confidence
export {
  type Calibration,
  type CalibrationMap,
  calibrated,
  type Guarantee,
  guaranteeFor,
} from "./confidence/calibration.js";
export { chooseMap } from "./confidence/calibration-map.js";
export { findThreshold, type NoThreshold, type ThresholdOptions, whyNoThreshold } from "./confidence/threshold.js";
// The engine
export * from "./engine/index.js";
// Lines and items that tasks read and write
export { type LineBlock, type Lines, linesOf } from "./formats/line-blocks.js";
export type { ReviewItem } from "./formats/review-item.js";
// Learning
export { chooseL2 } from "./learn/choose-l2.js";
export { type CipherModel, type Expectations, emissionsOf, LocalExpecter } from "./learn/em.js";
export { goOnOptions } from "./learn/go-on.js";
export { Gradient } from "./learn/gradient.js";
export type { Judged, Learner, Seen, SharedLearner } from "./learn/learner.js";
export { trainingOptions } from "./learn/options.js";
export { train } from "./learn/train.js";
export type { Checkpoint, Pass, Trained, TrainingHooks, TrainingOptions } from "./learn/training.js";
// Measures
export type { Answer, AnswerColumns, Answers } from "./metrics/answers.js";
export { brier, expectedCalibrationError, reliabilityBins } from "./metrics/calibration.js";
export { aurc, precisionRecallCurve, recallAtPrecision, riskCoverage } from "./metrics/precision-recall.js";
export { type Sureness, surenessOf } from "./metrics/sureness.js";
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
export { learningTask, type TaskParts } from "./tasks/learning-task.js";
export {
  type Answered,
  type Asked,
  addTask,
  type Evaluating,
  type InputUse,
  type Judgement,
  type Learning,
  type LearningOptions,
  type LearningTask,
  type Predicting,
  type PredictionAsked,
  type Predictor,
  type Reviewing,
  type Score,
  type ShownCase,
  type Task,
} from "./tasks/task.js";
// Options, declared once
export { InputError } from "./util/errors.js";
export {
  choice,
  type Declared,
  declaredOf,
  file,
  flag,
  numbers,
  type OptionsOf,
  readOptions,
  real,
  realOr,
  share,
  text,
  whole,
} from "./util/options.js";
export { generator, shuffle, uniform } from "./util/random.js";
