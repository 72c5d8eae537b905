// A thread of predict-threads.ts: predicts for the parts it is given, one after another, as text or as bytes.

import { parentPort, workerData } from "node:worker_threads";
import type { ByteBlock, LineBlock } from "../formats/line-blocks.js";
import type { BytePredictor } from "../tasks/task.js";
import { loadModel } from "../workflows/disk.js";
import { predictorOf } from "../workflows/model.js";
import type { BytesReader, PredictedBytes } from "./predict-bytes.js";
import { type PartReader, type Predicted, predictPart, type Refused, refusedBy } from "./predict-parts.js";
import type { PredictorData } from "./predict-threads.js";

const { path, text, bytes } = workerData as PredictorData;
const loaded = loadModel(path).then((model) => predictorOf(model, "predict", path));
/** Kept from part to part, for what it remembers. */
let quick: BytePredictor | undefined;

let before: Promise<void> = Promise.resolve();

parentPort?.on("message", ({ part, block }: { part: number; block: LineBlock | ByteBlock }) => {
  before = before.then(async () => {
    parentPort?.postMessage({ part, found: await predict(block) });
  });
});

async function predict(block: LineBlock | ByteBlock): Promise<Predicted | PredictedBytes> {
  if ("bytes" in block) return predictBytes(block, bytes as BytesReader);
  return predictPart(await loaded, text as PartReader, block);
}

async function predictBytes(block: ByteBlock, { use, file, settled }: BytesReader): Promise<PredictedBytes> {
  const { task, model } = await loaded;
  quick ??= task.predicting.bytes?.(model, block, use, file, settled) as BytePredictor;
  let refused: Refused | undefined;
  try {
    quick.takePart(block);
  } catch (error) {
    refused = refusedBy(error);
  }
  return { bytes: quick.taken(), refused };
}
