// What people use, as far as it runs anywhere: in Node, in browsers and in workers. src/index.ts adds files and threads,
// src/engine-entry.ts is for those who build a task.

// Deciphering
export type { SymbolPair } from "./formats/pair-lines.js";
export type { ReviewItem } from "./formats/review-item.js";
export type { TaggingSequence } from "./formats/sequence.js";
export { plotsOf } from "./metrics/plots.js";
export { type CipherText, readCipher } from "./tasks/decipher/cipher-text.js";
export { Decipherer } from "./tasks/decipher/decipherer.js";
export type { Decipherment } from "./tasks/decipher/decipherment.js";
export { encipher } from "./tasks/decipher/encipher.js";
export { LanguageModel } from "./tasks/decipher/language.js";
export type { DeciphererOptions } from "./tasks/decipher/options.js";
export { warnings } from "./tasks/decipher/warnings.js";
// Segmenting
export type { SegmentedText } from "./tasks/segment/example.js";
export { Segmenter, type SegmenterPrediction } from "./tasks/segment/segmenter.js";
// Tagging
export type { FeatureFunction } from "./tasks/tag/features.js";
export type { TaggerOptions } from "./tasks/tag/options.js";
export type { TaggerAnswer, TaggerPrediction } from "./tasks/tag/prediction.js";
export { Tagger, type TrainTaggerOptions } from "./tasks/tag/tagger.js";
export type { Model } from "./tasks/task.js";
// Transduction
export type { TransducerOptions } from "./tasks/transduce/options.js";
export {
  type TrainTransducerOptions,
  Transducer,
  type TransducerAnswer,
  type TransducerPrediction,
} from "./tasks/transduce/transducer.js";
export { InputError } from "./util/errors.js";
// What can be done with any of them
export { answer, reviewItems } from "./workflows/answer.js";
export { type Calibrated, calibrate } from "./workflows/calibrate.js";
export { type Comparison, compare } from "./workflows/compare.js";
export { type Evaluation, evaluate } from "./workflows/evaluate.js";
export { decodeModel, encodeModel } from "./workflows/model.js";
