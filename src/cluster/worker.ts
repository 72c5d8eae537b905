// Whoever does jobs for others: takes them from the queue, as many at a time as it has threads, fetches what they need, and puts
// results where the submitter finds them. While a thread computes, the lock on its job is renewed; a worker that dies or hangs
// loses it, and another does the job.

import { Worker as Thread } from "node:worker_threads";
import { InputError } from "../util/errors.js";
import { checkJob, hashOf, type JobData } from "./job.js";
import { type BullJob, type BullWorker, connectionTo, connectRedis, type RedisClient } from "./redis.js";
import { type BlobStore, CachedStore, MissingBlob } from "./store.js";
import { KEPT_SECONDS, keyPrefix, MISSED, type QueuePlace, queueName, resultKey, storeOf, TRIES } from "./submitter.js";

export interface WorkerOptions extends QueuePlace {
  /** Jobs at a time. */
  jobs: number;
  /** Bytes of blobs that are kept, and of the heap of each thread. */
  memory: number;
  /** Seconds after which a worker that does not renew its lock is taken for dead. */
  lock: number;
  /** Address of a module that exports `kinds`. */
  kinds: string;
  /** Told of what happens. */
  onEvent(text: string): void;
}

/** What a thread is told, and answers. */
export interface ToJobThread {
  kind: string;
  parameters: unknown;
  blobs: Record<string, { hash: string; bytes: Uint8Array }>;
}
export type FromJobThread = { result: Uint8Array } | { refused: object } | { failed: string };

/** How long a worker without jobs takes leave of a server. */
const GOODBYE = 2000; // ms

export class QueueWorker {
  private readonly idle: JobThread[] = [];
  private readonly threads = new Set<JobThread>();

  private constructor(
    private readonly options: WorkerOptions,
    private readonly client: RedisClient,
    private readonly store: BlobStore,
    private readonly refusal: new (message: string) => Error,
  ) {}

  private worker: BullWorker | undefined;

  static async start(options: WorkerOptions): Promise<QueueWorker> {
    const { bull, client } = await connectRedis(options.url);
    const store = new CachedStore(storeOf(client, options), options.memory);
    const own = new QueueWorker(options, client, store, bull.UnrecoverableError);
    const lock = Math.round(options.lock * 1000); // ms
    own.worker = new bull.Worker(queueName(options.version), (job) => own.process(job), {
      connection: connectionTo(options.url),
      prefix: keyPrefix,
      concurrency: options.jobs,
      lockDuration: lock,
      stalledInterval: lock,
      maxStalledCount: TRIES - 1,
      drainDelay: 2, // s
      removeOnComplete: { age: KEPT_SECONDS },
    });
    own.worker.on("error", () => undefined); // connections come back by themselves
    return own;
  }

  /** Takes no more jobs, and ends when those at hand are done. */
  async close(): Promise<void> {
    // BullMQ waits for a server that is away, for ever if need be: a worker that has nothing to end does not.
    await Promise.race([this.worker?.close(), this.idleFor(GOODBYE)]);
    await Promise.all([...this.threads].map((thread) => thread.end()));
    this.client.disconnect();
  }

  private active = 0;

  private async idleFor(milliseconds: number): Promise<void> {
    const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
    while (this.active > 0) await pause(50);
    await pause(milliseconds);
  }

  private async process(job: BullJob): Promise<string> {
    this.active++;
    try {
      return await this.perform(job);
    } finally {
      this.active--;
    }
  }

  private async perform(job: BullJob): Promise<string> {
    let data: JobData;
    try {
      data = checkJob(job.id, job.data, this.options.version);
    } catch (error) {
      throw new this.refusal((error as Error).message);
    }
    const name = job.id as string;
    const before = await this.client.get(resultKey(name));
    if (before !== null && (await this.store.has(before))) return before; // somebody was late
    const began = performance.now();
    const result = await this.compute(data);
    const hash = hashOf(result);
    await this.store.put(hash, result);
    // Whoever was first has said it: the result is the same.
    await this.client.set(resultKey(name), hash, "EX", KEPT_SECONDS, "NX");
    this.options.onEvent(`${data.kind}: ${data.what}, ${((performance.now() - began) / 1000).toFixed(1)} s`);
    return hash;
  }

  private async compute({ kind, parameters, blobs, seconds, what }: JobData): Promise<Uint8Array> {
    const names = Object.keys(blobs);
    const bytes = await Promise.all(names.map((name) => this.fetch(blobs[name])));
    const given = Object.fromEntries(names.map((name, i) => [name, { hash: blobs[name], bytes: bytes[i] }]));
    const thread = this.idle.pop() ?? this.thread();
    const answer = await thread.run({ kind, parameters, blobs: given }, seconds * 1000);
    if (thread.isOver) this.threads.delete(thread);
    else this.idle.push(thread);
    if ("result" in answer) return answer.result;
    if ("refused" in answer) throw new this.refusal(JSON.stringify(answer.refused));
    this.options.onEvent(`${kind}: ${what}: ${answer.failed}`);
    throw new Error(answer.failed);
  }

  /** Bytes that are not there, or are others, are asked for again: by a job that is over. */
  private async fetch(hash: string): Promise<Uint8Array> {
    try {
      return await this.store.get(hash);
    } catch (error) {
      if (error instanceof InputError) await this.store.remove(hash);
      else if (!(error instanceof MissingBlob)) throw error;
      throw new this.refusal(`${MISSED}${error.message}`);
    }
  }

  private thread(): JobThread {
    const thread = new JobThread(this.options.kinds, this.options.memory);
    this.threads.add(thread);
    return thread;
  }
}

/** A thread that does one job at a time. */
class JobThread {
  private readonly thread: Thread;
  private tell: (answer: FromJobThread) => void = () => undefined;
  private cause = "it ended";
  isOver = false;

  constructor(kinds: string, memory: number) {
    this.thread = new Thread(new URL("./job-thread.js", import.meta.url), {
      workerData: { kinds },
      resourceLimits: { maxOldGenerationSizeMb: Math.max(64, Math.floor(memory / 2 ** 20)) },
    });
    this.thread.on("message", (answer: FromJobThread) => this.tell(answer));
    this.thread.on("error", (error) => {
      this.cause = error instanceof InputError || error instanceof Error ? error.message : String(error);
    });
    this.thread.on("exit", () => {
      this.isOver = true;
      this.tell({ failed: `the thread of the job stopped: ${this.cause}` });
    });
  }

  run(work: ToJobThread, limit: number): Promise<FromJobThread> {
    return new Promise((resolve) => {
      // setTimeout ends at once where the number is too large for it.
      const timer = setTimeout(
        () => {
          this.cause = `it took longer than ${limit / 1000} s`;
          void this.thread.terminate();
        },
        Math.min(limit, 2 ** 31 - 1),
      );
      this.tell = (answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      this.thread.postMessage(work);
    });
  }

  async end(): Promise<void> {
    await this.thread.terminate();
  }
}
