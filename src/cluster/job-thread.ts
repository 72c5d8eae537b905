// A thread of a worker: does one job after another.

import { parentPort, workerData } from "node:worker_threads";
import { InputError } from "../util/errors.js";
import type { JobBlobs, JobKind } from "./job.js";
import type { FromJobThread, ToJobThread } from "./worker.js";

const { kinds } = (await import((workerData as { kinds: string }).kinds)) as { kinds: readonly JobKind<never>[] };

/** What was made of blobs last. A model may be large: few are kept. */
const made = new Map<string, unknown>();
const MOST_MADE = 4;

function blobsOf(given: ToJobThread["blobs"]): JobBlobs {
  const one = (name: string) => {
    if (!Object.hasOwn(given, name)) throw new Error(`the job has no blob ${name}`);
    return given[name];
  };
  return {
    bytes: (name) => one(name).bytes,
    made(name, make) {
      const { hash, bytes } = one(name);
      const key = `${name} ${hash}`;
      const value = made.has(key) ? made.get(key) : make(bytes);
      made.delete(key);
      made.set(key, value);
      for (const [old, was] of made) {
        if (made.size <= MOST_MADE) break;
        made.delete(old);
        (was as { dispose?(): void } | undefined)?.dispose?.();
      }
      return value as never;
    },
  };
}

parentPort?.on("message", async ({ kind, parameters, blobs }: ToJobThread) => {
  let answer: FromJobThread;
  try {
    const known = kinds.find(({ name }) => name === kind);
    if (!known) throw new InputError(`this worker does not know jobs of the kind \`${kind}\``);
    answer = { result: await known.run(parameters as never, blobsOf(blobs)) };
  } catch (error) {
    if (error instanceof InputError) {
      const { reason, file, line, column, hint } = error;
      answer = { refused: { reason, file, line, column, hint } };
    } else answer = { failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
  // Bytes that a job made for itself are handed over, not copied.
  const own = "result" in answer && isWhole(answer.result) ? [answer.result.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answer, own);
});

function isWhole({ buffer, byteLength }: Uint8Array): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
}
