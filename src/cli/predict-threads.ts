// Prediction on several threads: parts of the input (predict-parts.ts) go to threads as these come free.

import { Worker } from "node:worker_threads";
import type { ByteBlock, LineBlock, Lines } from "../formats/line-blocks.js";
import { watchWorker } from "../learn/watch-worker.js";
import type { LearningTask, Predictor } from "../tasks/task.js";
import type { BytesReader, PredictedBytes } from "./predict-bytes.js";
import { type PartReader, type Predicted, predictInParts } from "./predict-parts.js";
import type { PredictAsked } from "./predicting.js";
import type { ReviewDesk } from "./review-desk.js";

/** What a thread is given when it starts. */
export interface PredictorData {
  path: string;
  /** How parts are read, as text or as bytes. */
  text?: PartReader;
  bytes?: BytesReader;
}

/** Parts that are read before the first of them is printed, for each thread. */
const AHEAD = 8;
/** Parts that a thread is given at a time: it has the next one before it asks. */
const GIVEN = 2;
/** Lines of a part, about: few enough that threads end together, many enough that handing over costs little. */
const PART_LINES = 300;

export async function predictOnThreads(
  task: LearningTask,
  model: Predictor,
  path: string,
  source: Lines & { file: string },
  asked: PredictAsked,
  threads: number,
  desk: ReviewDesk,
): Promise<void> {
  let text: PartReader | undefined;
  const crew = new PartThreads<LineBlock, Predicted>(threads, () => ({ path, text }));
  try {
    await predictInParts(task, model, source, asked, desk, {
      predict(reader, block) {
        text ??= reader; // the same for all
        return crew.work(block);
      },
      ahead: AHEAD * threads,
      lines: PART_LINES,
    });
  } finally {
    await crew.close();
  }
}

/** Threads that predict for parts as bytes. */
export function byteThreads(
  threads: number,
  path: string,
  reader: BytesReader,
): PartThreads<ByteBlock, PredictedBytes> {
  return new PartThreads(threads, () => ({ path, bytes: reader }) satisfies PredictorData);
}

/** Threads that work on parts as they come free. */
class PartThreads<Block, Found> {
  private workers: { worker: Worker; parts: number }[] = [];
  private readonly open = new Map<number, { resolve(found: Found): void; reject(error: Error): void }>();
  private readonly queue: { part: number; block: Block }[] = [];
  private next = 0;
  private failure: Error | undefined;

  constructor(
    private readonly threads: number,
    /** What they are told when the first part comes. */
    private readonly data: () => PredictorData,
  ) {}

  private start(): void {
    if (this.workers.length > 0) return;
    const workerData = this.data();
    this.workers = Array.from({ length: this.threads }, () => {
      const own = { worker: new Worker(new URL("./predict-worker.js", import.meta.url), { workerData }), parts: 0 };
      own.worker.on("message", ({ part, found }: { part: number; found: Found }) => {
        own.parts--;
        this.handOut();
        this.open.get(part)?.resolve(found);
        this.open.delete(part);
      });
      watchWorker(own.worker, (error) => {
        this.failure ??= error;
        for (const { reject } of this.open.values()) reject(this.failure);
      });
      return own;
    });
  }

  work(block: Block): Promise<Found> {
    this.start();
    const part = this.next++;
    this.queue.push({ part, block });
    const found = new Promise<Found>((resolve, reject) => this.open.set(part, { resolve, reject }));
    if (this.failure) this.open.get(part)?.reject(this.failure);
    else this.handOut();
    return found;
  }

  /** Gives waiting parts to the threads that have the fewest. */
  private handOut(): void {
    while (this.queue.length > 0) {
      const free = this.workers.reduce((least, one) => (one.parts < least.parts ? one : least));
      if (free.parts >= GIVEN) return;
      free.parts++;
      free.worker.postMessage(this.queue.shift());
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map(({ worker }) => worker.terminate()));
  }
}
