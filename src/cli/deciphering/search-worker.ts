// A thread of search-threads.ts: makes the walks it is told to.

import { parentPort, workerData } from "node:worker_threads";
import { type PlannedWalk, Walker } from "../../tasks/decipher/walker.js";
import type { SearchData } from "./search-threads.js";

const { text, ngram } = workerData as SearchData;
const walker = new Walker(text, ngram);

parentPort?.on("message", async (planned: PlannedWalk) => {
  parentPort?.postMessage(await walker.walk(planned, {}));
});
