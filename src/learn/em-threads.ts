// The counting of EM on several threads of Node. Threads take blocks as they come free; the counts are added in the order
// of the blocks, so the sums are those of one thread, bit for bit.

import { Worker } from "node:worker_threads";
import { addExpectations, blocksOf, type CipherModel, type Expectations, type Expecter, noExpectations } from "./em.js";
import { watchWorker } from "./watch-worker.js";

/** What a thread is given when it starts. */
export interface ThreadData {
  model: CipherModel;
  blocks: Int32Array[][];
  /** [cipherCount][plainCount] shared: the table of the pass at hand. */
  logEmission: Float64Array;
}

export class ThreadedExpecter implements Expecter {
  private readonly workers: Worker[];
  private readonly blockCount: number;
  private readonly logEmission: Float64Array;
  private failure: Error | undefined;
  private onFailure: (error: Error) => void = () => {};

  constructor(
    private readonly model: CipherModel,
    sequences: readonly Int32Array[],
    threads: number,
  ) {
    const blocks = blocksOf(sequences);
    this.blockCount = blocks.length;
    const bytes = model.cipherCount * model.plainCount * Float64Array.BYTES_PER_ELEMENT;
    this.logEmission = new Float64Array(new SharedArrayBuffer(bytes));
    const workerData: ThreadData = { model, blocks, logEmission: this.logEmission };
    this.workers = Array.from({ length: Math.max(1, Math.min(threads, blocks.length)) }, () => {
      const worker = new Worker(new URL("./em-worker.js", import.meta.url), { workerData });
      watchWorker(worker, (error) => {
        this.failure ??= error;
        this.onFailure(this.failure);
      });
      return worker;
    });
  }

  async expect(logEmission: Float64Array, shouldStop?: () => boolean): Promise<Expectations | undefined> {
    this.logEmission.set(logEmission);
    const sum = noExpectations(this.model);
    const waiting = new Map<number, Expectations>(); // counted before their turn
    let next = 0;
    let added = 0;
    return new Promise((resolve, reject) => {
      const finish = (result: Expectations | undefined): void => {
        for (const worker of this.workers) worker.removeAllListeners("message");
        resolve(result);
      };
      this.onFailure = reject;
      if (this.failure) reject(this.failure);
      for (const worker of this.workers) {
        worker.on("message", ({ block, found }: { block: number; found: Expectations }) => {
          waiting.set(block, found);
          for (let ready = waiting.get(added); ready; ready = waiting.get(added)) {
            addExpectations(sum, ready);
            waiting.delete(added++);
          }
          if (added === this.blockCount) finish(sum);
          else if (shouldStop?.()) finish(undefined);
          else if (next < this.blockCount) worker.postMessage(next++);
        });
      }
      for (const worker of this.workers) if (next < this.blockCount) worker.postMessage(next++);
      if (this.blockCount === 0) finish(sum);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}
