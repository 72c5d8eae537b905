// What people use: `import { Tagger } from "stargram"`. In browsers the same entry is src/browser.ts.

export * from "./browser.js";
// Files
export { readPairs, readTagging } from "./formats/read.js";
export { readReview, saveReview } from "./formats/review.js";
export { scratchIn } from "./formats/scratch.js";
// Threads
export { threadCrew } from "./learn/crew.js";
export { loadModel, saveModel } from "./workflows/disk.js";
