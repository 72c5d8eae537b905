// Stargram's public API. Users need the first two groups; the others are for those who build on the engine.

// Everything that also runs in a browser: taggers, measures, the engine
export * from "./browser.js";
export { datasets, getDataset, type LocalDataset } from "./datasets/registry.js";
export type { TaggingFormat } from "./formats/detect.js";
// Data
export { joinSymbols, type PairLayout, splitSymbols } from "./formats/pair-lines.js";

export { type ReadPairsOptions, type ReadTaggingOptions, readPairs, readTagging } from "./formats/read.js";
export { type ReviewItem, readReview, saveReview } from "./formats/review.js";
// Threads
export { threadCrew } from "./learn/crew.js";
// Models in files
export { loadModel, saveModel } from "./workflows/disk.js";
