// What a model says to cases, found by other machines; whoever evaluates counts it in the order of the cases.

import type { JobKind } from "../../cluster/job.js";
import { pack, unpack } from "../../cluster/pack.js";
import type { Blob, Submitter, Work } from "../../cluster/submitter.js";
import type { Asked } from "../../tasks/task.js";
import type { CaseFinder } from "../evaluate.js";
import { decodeModel, predictorOf } from "../model.js";

/** Cases of a shard, and shards under way. */
const SHARD_CASES = 500;
const AHEAD = 256;

export const evaluateKind: JobKind<{ asked: Asked }> = {
  name: "evaluate",
  run({ asked }, blobs) {
    const { task, model } = blobs.made("model", (bytes) => {
      const found = predictorOf(decodeModel(bytes), "evaluate");
      return { ...found, dispose: () => found.model.dispose?.() };
    });
    const score = task.evaluating.score(model, asked);
    const cases = unpack(blobs.bytes("cases")) as unknown[];
    return pack(cases.map((one) => score.find?.(one) ?? null));
  },
};

/** `run` gives undefined for a shard that was set aside. */
export function queueFinder(
  submitter: Submitter,
  run: (work: Work) => Promise<Uint8Array | undefined>,
  model: Blob,
  asked: Asked,
): CaseFinder {
  let first = 1;
  return {
    size: SHARD_CASES,
    ahead: AHEAD,
    async find(cases) {
      const what = `cases ${first} to ${first + cases.length - 1}`;
      first += cases.length;
      const blobs = { model, cases: submitter.blob(pack(cases)) };
      const found = await run({ kind: evaluateKind.name, parameters: { asked }, blobs, what });
      return found && (unpack(found) as unknown[]);
    },
  };
}
