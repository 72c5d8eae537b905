// A thread of em-threads.ts: counts the blocks it is told to.

import { parentPort, workerData } from "node:worker_threads";
import { BlockCounter } from "./em.js";
import type { ThreadData } from "./em-threads.js";

const { model, blocks, logEmission } = workerData as ThreadData;
const counter = new BlockCounter(model);

parentPort?.on("message", (block: number) => {
  const found = counter.count(blocks[block], logEmission);
  parentPort?.postMessage({ block, found }, [found.counts.buffer as ArrayBuffer]);
});
