// `predict --queue`: parts of the input as jobs, printed in the order of the input.

import type { JobKind } from "../../cluster/job.js";
import { pack, unpack } from "../../cluster/pack.js";
import type { LineBlock } from "../../formats/line-blocks.js";
import { readLineBlocks } from "../../formats/lines.js";
import { readModelBytes } from "../../model/file.js";
import type { LearningTask, Predictor } from "../../tasks/task.js";
import { InputError } from "../../util/errors.js";
import { decodeModel, predictorOf } from "../../workflows/model.js";
import { type PartReader, type Predicted, predictInParts, predictPart } from "../predict-parts.js";
import type { PredictAsked } from "../predicting.js";
import type { ReviewDesk } from "../review-desk.js";
import type { QueueFlags } from "./flags.js";
import { withQueue } from "./queue.js";

/** Lines of a part: seconds of work for slow models, and for fast ones long enough that handing over costs little. */
const PART_LINES = 5_000;
/** Parts under way: enough for some hundred workers, and little memory. */
const AHEAD = 256;

export const predictKind: JobKind<PartReader & { path: string }> = {
  name: "predict",
  async run({ path, ...reader }, blobs) {
    const loaded = blobs.made("model", (bytes) => {
      const found = predictorOf(decodeModel(bytes, path), "predict", path);
      return { ...found, dispose: () => found.model.dispose?.() };
    });
    return pack(await predictPart(loaded, reader, unpack(blobs.bytes("lines")) as LineBlock));
  },
};

export async function predictOnQueue(
  task: LearningTask,
  model: Predictor,
  path: string,
  file: string,
  asked: PredictAsked,
  desk: ReviewDesk,
  flags: QueueFlags,
): Promise<void> {
  if (asked.prediction.text) {
    throw new InputError("--text reads its input as a whole: it cannot be used with --queue", {
      hint: "leave out --queue",
    });
  }
  await withQueue(flags, async (queue) => {
    const bytes = queue.submitter.blob(await readModelBytes(path));
    await predictInParts(task, model, { file, blocks: readLineBlocks(file) }, asked, desk, {
      ahead: AHEAD,
      lines: PART_LINES,
      isPatient: true,
      async predict(reader, block) {
        const result = await queue.run({
          kind: predictKind.name,
          parameters: { ...reader, path },
          blobs: { model: bytes, lines: queue.submitter.blob(pack(block)) },
          what: `lines ${block.first} to ${block.first + block.lines.length - 1}`,
        });
        return result && (unpack(result) as Predicted);
      },
    });
  });
}
