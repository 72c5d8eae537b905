// BullMQ and ioredis, which are installed by those alone who use a queue: loaded when asked for, and what is used of them.

import { InputError } from "../util/errors.js";

/** What is used of an ioredis client. */
export interface RedisClient {
  connect(): Promise<void>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ...more: (string | number)[]): Promise<string | null>;
  del(...keys: string[]): Promise<number>;
  expire(key: string, seconds: number): Promise<number>;
  hget(key: string, field: string): Promise<string | null>;
  hgetBuffer(key: string, field: string): Promise<Buffer | null>;
  hset(key: string, field: string, value: string | Buffer): Promise<number>;
  disconnect(): void;
  on(event: "error" | "close" | "ready", act: (error: Error) => void): unknown;
}

/** A job as BullMQ has it. */
export interface BullJob {
  id?: string;
  data: unknown;
  failedReason?: string;
  getState(): Promise<string>;
  remove(): Promise<void>;
}

export interface BullQueue {
  add(name: string, data: unknown, options: object): Promise<BullJob>;
  getJob(id: string): Promise<BullJob | undefined>;
  getWorkersCount(): Promise<number>;
  on(event: "error", act: (error: Error) => void): unknown;
  close(): Promise<void>;
}

export interface BullEvents {
  on(event: "completed" | "failed", act: (told: { jobId: string }) => void): unknown;
  on(event: "error", act: (error: Error) => void): unknown;
  close(): Promise<void>;
}

export interface BullWorker {
  on(event: "error", act: (error: Error) => void): unknown;
  on(
    event: "active" | "completed" | "failed" | "stalled",
    act: (job: BullJob | string | undefined, ...more: unknown[]) => void,
  ): unknown;
  close(force?: boolean): Promise<void>;
}

interface Bull {
  Queue: new (name: string, options: object) => BullQueue;
  QueueEvents: new (name: string, options: object) => BullEvents;
  Worker: new (name: string, run: (job: BullJob) => Promise<unknown>, options: object) => BullWorker;
  UnrecoverableError: new (message: string) => Error;
}

/** The packages, or an error that says how to install them. */
export async function loadBull(): Promise<{ bull: Bull; Redis: new (url: string, options: object) => RedisClient }> {
  // Names in a variable: compilers and bundlers leave such imports alone.
  const [bullmq, ioredis]: [string, string] = ["bullmq", "ioredis"];
  try {
    const [bull, redis] = await Promise.all([import(bullmq), import(ioredis)]);
    return { bull, Redis: redis.Redis };
  } catch (cause) {
    throw new InputError("a queue needs the packages bullmq and ioredis, which are not installed", {
      hint: "npm install bullmq ioredis",
      cause,
    });
  }
}

/** A connection that waits for a server that restarts; one that is not there at all is refused. */
export async function connectRedis(url: string): Promise<{ bull: Bull; client: RedisClient; url: string }> {
  if (!/^rediss?:\/\/./.test(url)) {
    throw new InputError(`\`${withoutPassword(url)}\` is not the address of a Redis server`, {
      hint: "such as redis://localhost:6379",
    });
  }
  const { bull, Redis } = await loadBull();
  let isTrying = true;
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => (isTrying ? null : Math.min(100 * times, 2000)), // ms
  });
  let why = "";
  client.on("error", (error) => {
    why = error.message;
  });
  try {
    await client.connect();
    await client.get("stargram");
  } catch (cause) {
    client.disconnect();
    throw new InputError(`cannot use ${withoutPassword(url)}: ${why || (cause as Error).message}`, {
      hint: "is a Redis server running there?",
      cause,
    });
  }
  isTrying = false;
  return { bull, client, url };
}

/** What BullMQ makes its own connections of: they wait for a server that restarts. */
export function connectionTo(url: string): object {
  return { url, maxRetriesPerRequest: null, retryStrategy: (times: number) => Math.min(100 * times, 2000) }; // ms
}

/** An address as it may be shown. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//…@");
}
