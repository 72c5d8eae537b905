// What runs in a browser: all of the public API but reading and writing files.

// Confidence
export type { Answer, AnswerColumns, Answers } from "./confidence/answers.js";
export { brier, expectedCalibrationError, reliabilityBins } from "./confidence/calibration.js";
export { chooseMap, fitIsotonic, fitTemperature } from "./confidence/calibration-map.js";
export { mcNemar, recallDifference } from "./confidence/compare.js";
export { plotsOf } from "./confidence/plots.js";
export { aurc, precisionRecallCurve, recallAtPrecision, riskCoverage } from "./confidence/precision-recall.js";
export { type Chunk, chunksOf, type TaggingReport, TaggingScore } from "./confidence/tagging.js";
export { findThreshold, type NoThreshold, type ThresholdOptions, whyNoThreshold } from "./confidence/threshold.js";
export { type TransductionReport, TransductionScore } from "./confidence/transduction.js";
// The engine
export { Alphabet } from "./core/alphabet.js";
export { type Calibration, type CalibrationMap, calibrated, type Guarantee } from "./core/calibration.js";
export { allowedClamp, type Clamp, clampTrellis } from "./core/clamp.js";
export { InputError } from "./core/errors.js";
export {
  bestPath,
  bestPaths,
  type Lattice,
  logPartition,
  type Path,
  posteriors,
  sampler,
  trellisLattice,
} from "./core/lattice.js";
export { type NgramModel, type NgramOptions, ngramModel, ngramScore } from "./core/ngram.js";
export type { Problem, RowFamily, RowSpace } from "./core/problem.js";
export { type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "./core/rows.js";
export { type Branch, chainGraph, type SlotGraph, slotGraph } from "./core/slots.js";
export { BEGIN, type Inference, type Trellis } from "./core/trellis.js";
export { ReferenceKernel } from "./kernel/reference.js";
export { SharedKernel, type SharedRows, shareRows } from "./kernel/shared.js";
export type { Checkpoint, Epoch, TrainingOptions, TrainingProgress } from "./learn/train.js";
export { type Learner, train } from "./learn/train.js";
// Models as bytes, errors, and what training reports
export { decodeModel, encodeModel, type Model } from "./model/model.js";
export { chunkingAttributes, columnAttributes, textAttributes } from "./tasks/attributes.js";
// Decipherment
export { type CipherKind, type CipherReading, type CipherText, readCipher } from "./tasks/cipher-text.js";
export {
  Decipherer,
  type DeciphererOptions,
  type DecipherHooks,
  type Decipherment,
  type DecipherPass,
  deciphererDefaults,
  type MappedSymbol,
  type Reading,
} from "./tasks/decipherer.js";
export { type Enciphered, type EncipherOptions, encipher, encipherDefaults } from "./tasks/encipher.js";
export { LanguageModel, type LanguageOptions, languageDefaults } from "./tasks/language.js";
export type { GivenLabel, TaggingSequence } from "./tasks/sequence.js";
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
} from "./tasks/tagger.js";
export type { FeatureFunction, FeatureSource } from "./tasks/tagger-features.js";
export { type TaggerOptions, taggerDefaults } from "./tasks/tagger-options.js";
export { CHUNKING_TEMPLATE, parseTemplate, type Template } from "./tasks/template.js";
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
} from "./tasks/transducer.js";
export type { Strategy } from "./tasks/transducer-learner.js";
export { type GivenTransducerOptions, type TransducerOptions, transducerDefaults } from "./tasks/transducer-options.js";
export type { SymbolPair } from "./tasks/transducer-pairs.js";
