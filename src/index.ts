// Stargram's public API. Users need the first two groups; the others are for those who build on the engine.

// Everything that also runs in a browser: taggers, measures, the engine
export * from "./browser.js";
export type { TaggingFormat } from "./data/detect.js";
// Data
export { joinSymbols, type PairLayout, splitSymbols } from "./data/pair-lines.js";
export { type ReadPairsOptions, readPairs } from "./data/pairs.js";
export { type ReadTaggingOptions, readTagging } from "./data/read.js";
export { datasets, getDataset, type LocalDataset } from "./data/registry.js";
export { type ReviewItem, readReview, saveReview } from "./data/review.js";
// Threads
export { threadCrew } from "./learn/crew.js";
// Models in files
export { loadModel, saveModel } from "./model/disk.js";
