// The threads that predict for the server. What requests ask for waits in one queue; a thread that is free takes a batch of it,
// so that a message between threads serves many small requests. A thread that dies, or that works on a batch for longer than a
// request may take, is replaced, and what else it had is given to others: an input that is too much is tried once more by itself.

import { Worker } from "node:worker_threads";
import { InputError } from "../../util/errors.js";
import type { FromThread, ModelBytes, Outcome, ToThread, Work } from "./work.js";

/** Work that took longer than a request may. */
export class TookTooLong extends Error {}

/** Requests of a batch, and lines of all of them: few enough that a batch does not keep others waiting. */
const BATCH_REQUESTS = 64;
const BATCH_LINES = 500;
const LOOK_EVERY = 100; // ms

export interface Loaded {
  kind: string;
  contents: Record<string, unknown>;
}

interface Waiting {
  work: Work;
  until: number; // ms
  tries: number;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
  isOver: boolean;
}

interface Thread {
  worker: Worker;
  batch: Waiting[];
  since: number; // ms
  /** Models that it was asked to load and has not told of. */
  loading: Map<number, { resolve(loaded: Loaded): void; reject(error: Error): void }>;
}

export interface PoolCounts {
  batches: number;
  batched: number;
  replaced: number;
}

export class Pool {
  private threads: Thread[] = [];
  private queue: Waiting[] = [];
  private readonly models = new Map<number, ModelBytes>();
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;
  readonly counts: PoolCounts = { batches: 0, batched: 0, replaced: 0 };

  constructor(
    size: number,
    private readonly limit: number, // ms
  ) {
    this.threads = Array.from({ length: size }, () => this.thread());
    this.timer = setInterval(() => this.lookAtClock(), LOOK_EVERY).unref();
  }

  /** Work that no thread has yet. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Loads a model on all threads; one that is refused is on none. */
  async load(model: ModelBytes): Promise<Loaded> {
    const loaded = this.threads.map((thread) => this.loadOn(thread, model));
    this.models.set(model.number, model);
    try {
      return (await Promise.all(loaded))[0];
    } catch (error) {
      this.drop(model.number);
      throw error;
    }
  }

  /** Forgets a model for which no more work will come; what was given before is done first. */
  drop(number: number): void {
    this.models.delete(number);
    for (const { worker } of this.threads) worker.postMessage({ drop: number } satisfies ToThread);
  }

  predict(work: Work): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.queue.push({ work, until: performance.now() + this.limit, tries: 0, resolve, reject, isOver: false });
      // What comes in the same turn goes out together.
      if (this.queue.length === 1) setImmediate(() => this.handOut());
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }

  private thread(): Thread {
    const worker = new Worker(new URL("./thread.js", import.meta.url));
    const thread: Thread = { worker, batch: [], since: 0, loading: new Map() };
    worker.on("message", (message: FromThread) => this.hear(thread, message));
    let cause = "";
    worker.on("error", (error) => {
      cause = error instanceof Error ? error.message : String(error);
    });
    worker.on("exit", () => this.replace(thread, cause));
    for (const model of this.models.values()) this.loadOn(thread, model).catch(() => undefined);
    return thread;
  }

  private loadOn(thread: Thread, model: ModelBytes): Promise<Loaded> {
    thread.worker.postMessage({ load: model } satisfies ToThread);
    return new Promise((resolve, reject) => thread.loading.set(model.number, { resolve, reject }));
  }

  private hear(thread: Thread, message: FromThread): void {
    if ("outcomes" in message) {
      const { batch } = thread;
      thread.batch = [];
      batch.forEach((one, i) => {
        one.isOver = true;
        one.resolve(message.outcomes[i]);
      });
      this.handOut();
      return;
    }
    const number = "loaded" in message ? message.loaded : message.refused;
    const asked = thread.loading.get(number);
    thread.loading.delete(number);
    if ("loaded" in message) asked?.resolve(message);
    else asked?.reject(new InputError(message.reason, { hint: message.hint }));
  }

  private handOut(): void {
    for (const thread of this.threads) {
      if (thread.batch.length > 0) continue;
      const batch = this.nextBatch();
      if (batch.length === 0) return;
      thread.batch = batch;
      thread.since = performance.now();
      this.counts.batches++;
      this.counts.batched += batch.length;
      thread.worker.postMessage({ batch: batch.map(({ work }) => work) } satisfies ToThread);
    }
  }

  /** As much as a batch may hold; what was tried before goes alone. */
  private nextBatch(): Waiting[] {
    this.queue = this.queue.filter(({ isOver }) => !isOver);
    let count = 0;
    for (let lines = 0; count < Math.min(BATCH_REQUESTS, this.queue.length); count++) {
      const { work, tries } = this.queue[count];
      lines += work.lines.lines.length;
      if (count > 0 && (lines > BATCH_LINES || tries > 0 || this.queue[0].tries > 0)) break;
    }
    return this.queue.splice(0, count);
  }

  private lookAtClock(): void {
    const now = performance.now();
    for (const one of [...this.queue, ...this.threads.flatMap(({ batch }) => batch)]) {
      if (one.isOver || one.until > now) continue;
      one.isOver = true;
      one.reject(new TookTooLong());
    }
    for (const { worker, batch, since } of this.threads) {
      if (batch.length > 0 && now - since > this.limit) void worker.terminate();
    }
    if (this.queue.length > 0) this.handOut();
  }

  /** Another thread for one that has ended. Work that it had is done again, unless it ended on it before. */
  private replace(thread: Thread, cause: string): void {
    if (this.isClosed) return;
    this.counts.replaced++;
    for (const { reject } of thread.loading.values()) reject(new Error(`a thread stopped: ${cause}`));
    const again = thread.batch.filter(({ isOver }) => !isOver);
    for (const one of again) {
      if (++one.tries > 1) {
        one.isOver = true;
        one.reject(new Error("this request stopped a thread twice"));
      } else this.queue.unshift(one);
    }
    const next = this.thread();
    this.threads = this.threads.map((one) => (one === thread ? next : one));
    this.handOut();
  }
}
