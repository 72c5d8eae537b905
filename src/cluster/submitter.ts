// Whoever has work for others: puts blobs and jobs on the queue's server and waits for results. Whatever the server forgets or a
// worker leaves undone is noticed by looking: a job that is nowhere is submitted again, with its blobs.

import { InputError } from "../util/errors.js";
import { hashOf, type JobData, nameOf, SetAside } from "./job.js";
import {
  type BullEvents,
  type BullQueue,
  connectionTo,
  connectRedis,
  type RedisClient,
  withoutPassword,
} from "./redis.js";
import { type BlobStore, FolderStore, MissingBlob, RedisStore } from "./store.js";

/** What all who use a queue must agree on. */
export interface QueuePlace {
  url: string;
  /** A folder that all machines share, in place of the server's memory. */
  store?: string;
  /** Of the program and its kernel. */
  version: string;
}

/** How long blobs and results are kept when nobody asks for them. */
export const KEPT_SECONDS = 24 * 3600;
/** What a worker says that did not find a blob, or found other bytes: it is brought again. */
export const MISSED = "missing: ";
/** A job may be begun so often. */
export const TRIES = 3;
const LOOK_EVERY = 500; // ms
const PATIENCE = 5_000; // ms without a worker before that is said

export const keyPrefix = "stargram";

/** The queue of a version: workers of others see nothing of its jobs. */
export function queueName(version: string): string {
  return `jobs-${version.replace(/[^\w.-]+/g, "-")}`;
}

export function storeOf(client: RedisClient, { store }: QueuePlace): BlobStore {
  return store === undefined ? new RedisStore(client, keyPrefix, KEPT_SECONDS) : new FolderStore(store);
}

export function resultKey(name: string): string {
  return `${keyPrefix}:result:${name}`;
}

/** Bytes that jobs are given. */
export interface Blob {
  hash: string;
  bytes: Uint8Array;
}

export interface Work {
  kind: string;
  parameters: unknown;
  blobs: Record<string, Blob>;
  /** For people. */
  what: string;
  seconds?: number;
}

interface Waiting {
  data: JobData;
  blobs: Record<string, Blob>;
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
  /** Whether somebody is looking at it. */
  isLookedAt: boolean;
  /** How often workers did not find its blobs. */
  missed: number;
}

export interface QueueState {
  done: number;
  waiting: number;
  workers: number;
}

export class Submitter {
  private readonly waiting = new Map<string, Waiting>();
  /** Jobs of this run, and the blobs they were given. */
  private readonly names = new Set<string>();
  private readonly blobs = new Set<string>();
  private done = 0;
  private workers = 0;
  private readonly began = performance.now();
  private hasWarned = false;
  private readonly timer: NodeJS.Timeout;
  /** Told of what a person should hear. */
  onNotice: (text: string) => void = () => undefined;
  onProgress: (state: QueueState) => void = () => undefined;

  private constructor(
    private readonly place: QueuePlace,
    private readonly client: RedisClient,
    private readonly store: BlobStore,
    private readonly queue: BullQueue,
    private readonly events: BullEvents,
  ) {
    events.on("completed", ({ jobId }) => void this.look(jobId));
    events.on("failed", ({ jobId }) => void this.look(jobId));
    this.timer = setInterval(() => void this.lookAround(), LOOK_EVERY);
    let isAway = false;
    client.on("close", () => {
      if (!isAway && !this.isClosed)
        this.onNotice(`lost the connection to ${withoutPassword(place.url)}: waiting for it`);
      isAway = true;
    });
    client.on("ready", () => {
      if (isAway) this.onNotice(`${withoutPassword(place.url)} is back`);
      isAway = false;
    });
  }

  private isClosed = false;

  static async open(place: QueuePlace): Promise<Submitter> {
    const { bull, client } = await connectRedis(place.url);
    const name = queueName(place.version);
    const options = { connection: connectionTo(place.url), prefix: keyPrefix };
    const queue = new bull.Queue(name, options);
    const events = new bull.QueueEvents(name, options);
    for (const one of [queue, events]) one.on("error", () => undefined); // connections come back by themselves
    return new Submitter(place, client, storeOf(client, place), queue, events);
  }

  get state(): QueueState {
    return { done: this.done, waiting: this.waiting.size, workers: this.workers };
  }

  blob(bytes: Uint8Array): Blob {
    return { hash: hashOf(bytes), bytes };
  }

  /** Has a job done by somebody; throws SetAside if it was tried often enough, an InputError if what it was given is wrong. */
  run(work: Work): Promise<Uint8Array> {
    const result = this.submitted(work);
    result.catch(() => undefined); // whoever waits for it hears of it, later perhaps
    return result;
  }

  private async submitted({ kind, parameters, blobs, what, seconds = 3600 }: Work): Promise<Uint8Array> {
    const hashes = Object.fromEntries(Object.entries(blobs).map(([name, { hash }]) => [name, hash]));
    const data: JobData = { version: this.place.version, kind, parameters, blobs: hashes, what, seconds };
    const name = nameOf(data);
    for (const hash of Object.values(hashes)) this.blobs.add(hash);
    this.names.add(name);
    const result = new Promise<Uint8Array>((resolve, reject) => {
      this.waiting.set(name, { data, blobs, resolve, reject, isLookedAt: true, missed: 0 });
    });
    result.catch(() => undefined); // whoever waits for it hears of it, later perhaps
    try {
      if (!(await this.finish(name))) await this.submit(name, true);
    } catch (error) {
      this.failForGood(name, error);
    }
    const one = this.waiting.get(name);
    if (one) one.isLookedAt = false;
    return result;
  }

  /** Forgets what was done so far: nobody needs it again, nor the blobs that are not `kept`. */
  async forget(kept: readonly Blob[] = []): Promise<void> {
    const lasting = new Set(kept.map(({ hash }) => hash));
    const over = [...this.blobs].filter((hash) => !lasting.has(hash));
    for (const hash of over) this.blobs.delete(hash);
    const names = [...this.names];
    this.names.clear();
    await Promise.all([...over.map((hash) => this.store.remove(hash)), ...names.map((name) => this.forgetJob(name))]);
  }

  private async forgetJob(name: string): Promise<void> {
    const hash = await this.client.get(resultKey(name));
    if (hash !== null) await this.store.remove(hash);
    await this.client.del(resultKey(name));
    await this.queue
      .getJob(name)
      .then((job) => job?.remove())
      .catch(() => undefined); // a worker that has just written the result still has it: it ends by itself
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const { reject } of this.waiting.values()) reject(new Error("the queue is closed"));
    await Promise.all([this.queue.close(), this.events.close()]).catch(() => undefined);
    this.client.disconnect();
  }

  /** Puts a job and its blobs where workers find them. What failed in an earlier run is tried again. */
  private async submit(name: string, isNew: boolean): Promise<void> {
    const one = this.waiting.get(name);
    if (!one) return;
    for (const { hash, bytes } of Object.values(one.blobs)) await this.put(hash, bytes);
    const before = isNew ? await this.queue.getJob(name) : undefined;
    if (before && ["failed", "completed"].includes(await before.getState())) await before.remove();
    await this.queue.add(one.data.kind, one.data, {
      jobId: name,
      attempts: TRIES,
      backoff: { type: "fixed", delay: 100 }, // ms
      removeOnComplete: { age: KEPT_SECONDS },
      removeOnFail: { age: KEPT_SECONDS },
    });
  }

  /** Blobs that are being brought: jobs that share one wait for it. */
  private readonly bringing = new Map<string, Promise<void>>();

  private put(hash: string, bytes: Uint8Array): Promise<void> {
    const before = this.bringing.get(hash);
    if (before) return before;
    const put = this.bring(hash, bytes).finally(() => this.bringing.delete(hash));
    this.bringing.set(hash, put);
    return put;
  }

  private async bring(hash: string, bytes: Uint8Array): Promise<void> {
    try {
      await this.store.put(hash, bytes);
    } catch (error) {
      if (!/^OOM /.test((error as Error).message)) throw error;
      throw new InputError("the memory of the queue's server is full", {
        hint: "give it more memory (maxmemory), or use a shared folder with option `store`",
        cause: error,
      });
    }
  }

  /** Takes the result of a job, if it is there. */
  private async finish(name: string): Promise<boolean> {
    const hash = await this.client.get(resultKey(name));
    if (hash === null) return false;
    let bytes: Uint8Array;
    try {
      bytes = await this.store.get(hash);
    } catch (error) {
      // A result whose bytes are gone or changed is none.
      if (!(error instanceof MissingBlob || error instanceof InputError)) throw error;
      await this.client.del(resultKey(name));
      await this.store.remove(hash);
      return false;
    }
    const one = this.waiting.get(name);
    if (!one) return true; // taken already
    this.waiting.delete(name);
    this.done++;
    one.resolve(bytes);
    this.onProgress(this.state);
    return true;
  }

  private fail(name: string, error: Error): void {
    const one = this.waiting.get(name);
    this.waiting.delete(name);
    one?.reject(error);
  }

  /** What a user can mend ends a job; a server that is away, or a job that a worker has just taken, is looked at again. */
  private failForGood(name: string, error: unknown): void {
    if (error instanceof InputError) this.fail(name, error);
  }

  /** What has become of a job. */
  private async look(name: string): Promise<void> {
    const one = this.waiting.get(name);
    if (!one || one.isLookedAt || this.isClosed) return;
    one.isLookedAt = true;
    try {
      if (await this.finish(name)) return;
      const job = await this.queue.getJob(name);
      const state = job === undefined ? "unknown" : await job.getState();
      const reason = job?.failedReason ?? "";
      const isMissed = reason.startsWith(MISSED) && one.missed++ < 10;
      if (state === "failed" && !isMissed) this.fail(name, failureOf(one.data.what, reason));
      else if (["failed", "completed", "unknown"].includes(state)) {
        if (await this.finish(name)) return; // it was done between two looks
        await job?.remove();
        await this.submit(name, false);
      }
    } catch (error) {
      this.failForGood(name, error);
    } finally {
      one.isLookedAt = false;
    }
  }

  private isLooking = false;

  private async lookAround(): Promise<void> {
    if (this.isLooking || this.isClosed) return;
    this.isLooking = true;
    try {
      this.workers = await this.queue.getWorkersCount();
      await Promise.all([...this.waiting.keys()].map((name) => this.look(name)));
      if (this.workers > 0 || performance.now() - this.began < PATIENCE || this.hasWarned) return;
      this.hasWarned = true;
      this.onNotice(
        `no worker of version ${this.place.version} at ${withoutPassword(this.place.url)}; waiting for one`,
      );
    } catch {
      // The server is away: looked at again.
    } finally {
      this.isLooking = false;
      if (!this.isClosed) this.onProgress(this.state);
    }
  }
}

/** What a worker said of a job: an error of whoever submitted it, or of the job itself. */
function failureOf(what: string, reason: string): Error {
  if (reason.startsWith("{")) {
    try {
      const { reason: said, ...place } = JSON.parse(reason);
      return new InputError(String(said), place);
    } catch {
      // said below
    }
  }
  const isStalled = /stalled/.test(reason);
  return new SetAside(what, isStalled ? `it stopped ${TRIES} workers` : `tried ${TRIES} times: ${reason}`);
}
