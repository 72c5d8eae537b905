// A thread of predict-threads.ts: predicts for the parts it is given, one after another.

import { parentPort, workerData } from "node:worker_threads";
import type { LineBlock } from "../formats/line-blocks.js";
import { InputError } from "../util/errors.js";
import { loadModel } from "../workflows/disk.js";
import { predictorOf } from "../workflows/model.js";
import { collectOutput, takeOutput } from "./output.js";
import type { Predicted, PredictorData } from "./predict-threads.js";
import { predictInputs } from "./predicting.js";
import { ReviewDesk } from "./review-desk.js";

const { path, asked, file, isByLine } = workerData as PredictorData;
const loaded = loadModel(path).then((model) => predictorOf(model, "predict", path));
collectOutput();

let before: Promise<void> = Promise.resolve();

parentPort?.on("message", ({ part, block }: { part: number; block: LineBlock }) => {
  before = before.then(() => predictPart(part, block));
});

async function predictPart(part: number, block: LineBlock): Promise<void> {
  let desk = await ReviewDesk.open(undefined);
  let refused: Predicted["refused"];
  try {
    const { task, model } = await loaded;
    desk = await ReviewDesk.open(undefined, model.calibration);
    await predictInputs(task, model, { file, blocks: [block] }, asked, desk, { isByLine });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { reason, file: at, line, column, hint } = error;
    refused = { reason, place: { file: at, line, column, hint } };
  }
  const { answered, seen, sureness } = desk;
  const counted = sureness && { counts: sureness.counts, count: sureness.count, sum: sureness.sum };
  parentPort?.postMessage({ part, ...takeOutput(), answered, seen, sureness: counted, refused } satisfies Predicted);
}
