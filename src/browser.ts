// What runs in a browser: all of the public API but reading and writing files.

export { type Calibration, type CalibrationMap, calibrated, type Guarantee } from "./confidence/calibration.js";
export { chooseMap, fitIsotonic, fitTemperature } from "./confidence/calibration-map.js";
export { findThreshold, type NoThreshold, type ThresholdOptions, whyNoThreshold } from "./confidence/threshold.js";
// The engine
export { Alphabet } from "./engine/alphabet.js";
export { allowedClamp, type Clamp, clampTrellis } from "./engine/clamp.js";
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
export type { SymbolPair } from "./formats/pair-lines.js";
export type { GivenLabel, TaggingSequence } from "./formats/sequence.js";
export type { Learner } from "./learn/learner.js";
export { train } from "./learn/train.js";
export type { Checkpoint, Pass, TrainingOptions, TrainingProgress } from "./learn/training.js";
// Confidence
export type { Answer, AnswerColumns, Answers } from "./metrics/answers.js";
export { brier, expectedCalibrationError, reliabilityBins } from "./metrics/calibration.js";
export { mcNemar, recallDifference } from "./metrics/compare.js";
export { plotsOf } from "./metrics/plots.js";
export { aurc, precisionRecallCurve, recallAtPrecision, riskCoverage } from "./metrics/precision-recall.js";
export { type Chunk, chunksOf, type TaggingReport, TaggingScore } from "./metrics/tagging.js";
export { type TransductionReport, TransductionScore } from "./metrics/transduction.js";
// Decipherment
export { type CipherKind, type CipherReading, type CipherText, readCipher } from "./tasks/decipher/cipher-text.js";
export { Decipherer } from "./tasks/decipher/decipherer.js";
export type {
  DecipherHooks,
  Decipherment,
  DecipherPass,
  MappedSymbol,
  Reading,
} from "./tasks/decipher/decipherment.js";
export { type Enciphered, type EncipherOptions, encipher, encipherDefaults } from "./tasks/decipher/encipher.js";
export { type Key, knownKey } from "./tasks/decipher/known-key.js";
export {
  type GivenLanguageOptions,
  LanguageModel,
  type LanguageOptions,
  languageDefaults,
} from "./tasks/decipher/language.js";
export { type DeciphererOptions, deciphererDefaults, type GivenDeciphererOptions } from "./tasks/decipher/options.js";
export { compareWithSolution, type Solution, solutionOfKey, solutionOfText } from "./tasks/decipher/solution.js";
export { warnings } from "./tasks/decipher/warnings.js";
export { chunkingAttributes, columnAttributes, textAttributes } from "./tasks/tag/attributes.js";
export type { FeatureFunction, FeatureSource } from "./tasks/tag/features.js";
export { type TaggerOptions, taggerDefaults } from "./tasks/tag/options.js";
// Tagging
export {
  type AnswerOptions,
  type ContextMass,
  type Contribution,
  type PredictOptions,
  type TaggedOutput,
  Tagger,
  type TaggerAnswer,
  type TaggerPrediction,
  type TaggerSummary,
  type TrainTaggerOptions,
} from "./tasks/tag/tagger.js";
export { CHUNKING_TEMPLATE, parseTemplate, type Template } from "./tasks/tag/template.js";
// Models as bytes, errors, and what training reports
export type { Model } from "./tasks/task.js";
export type { Strategy } from "./tasks/transduce/learner.js";
export { type GivenTransducerOptions, type TransducerOptions, transducerDefaults } from "./tasks/transduce/options.js";
// Transduction
export {
  type AlignedSymbol,
  type TrainTransducerOptions,
  type TransducedOutput,
  type TransducePredictOptions,
  Transducer,
  type TransducerAnswer,
  type TransducerAnswerOptions,
  type TransducerPrediction,
  type TransducerSlot,
  type TransducerSummary,
} from "./tasks/transduce/transducer.js";
export { InputError } from "./util/errors.js";
export { decodeModel, encodeModel } from "./workflows/model.js";
