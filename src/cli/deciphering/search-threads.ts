// Searches for keys on several threads of Node. A walk is a function of its number, and what threads find is looked at in the order
// of the walks, so the result is that of one thread.

import { Worker } from "node:worker_threads";
import type { NgramModel } from "../../engine/ngram.js";
import { watchWorker } from "../../learn/watch-worker.js";
import type { FoundKey, Searchers } from "../../tasks/decipher/letter-search.js";
import type { SearchText } from "../../tasks/decipher/letter-walks.js";
import type { PlannedWalk } from "../../tasks/decipher/walker.js";

/** What a thread is given when it starts. */
export interface SearchData {
  text: SearchText;
  ngram: NgramModel;
}

interface Job {
  planned: PlannedWalk;
  resolve(found: FoundKey): void;
  reject(error: Error): void;
}

export class SearchThreads implements Searchers {
  private readonly waiting: Job[] = [];
  private readonly working = new Map<Worker, Job>();
  private readonly idle: Worker[];
  private readonly workers: Worker[];
  private failure: Error | undefined;

  constructor(
    text: SearchText,
    ngram: NgramModel,
    readonly count: number,
  ) {
    const workerData: SearchData = { text, ngram };
    this.workers = Array.from({ length: count }, () => {
      const worker = new Worker(new URL("./search-worker.js", import.meta.url), { workerData });
      worker.on("message", (found: FoundKey) => {
        this.working.get(worker)?.resolve(found);
        this.working.delete(worker);
        this.idle.push(worker);
        this.assign();
      });
      watchWorker(worker, (error) => {
        this.failure ??= error;
        for (const job of [...this.working.values(), ...this.waiting]) job.reject(this.failure);
      });
      return worker;
    });
    this.idle = [...this.workers];
  }

  walk(planned: PlannedWalk): Promise<FoundKey> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.waiting.push({ planned, resolve, reject });
      this.assign();
    });
  }

  private assign(): void {
    while (this.idle.length > 0 && this.waiting.length > 0) {
      const worker = this.idle.shift() as Worker;
      const job = this.waiting.shift() as Job;
      this.working.set(worker, job);
      worker.postMessage(job.planned);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}
