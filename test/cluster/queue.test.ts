// Jobs on a real Redis server, with workers that are real processes: whatever dies, hangs, restarts or lies, every job has its result
// once, or is set aside by name.

import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { hashOf, SetAside } from "../../src/cluster/job.js";
import { connectRedis } from "../../src/cluster/redis.js";
import { queueName, resultKey, Submitter } from "../../src/cluster/submitter.js";
import { InputError } from "../../src/util/errors.js";
import { Folder, until } from "../cli/helpers.js";
import { hasRedis, linesOf, TestRedis, TestWorker, Workers } from "./helpers.js";

const version = `${createRequire(import.meta.url)("../../package.json").version}-wasm`;
const open: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.end();
});

async function redisServer(options = {}): Promise<TestRedis> {
  const redis = await TestRedis.start(options);
  open.push(redis);
  return redis;
}

async function submitterAt(url: string, more: { store?: string } = {}): Promise<Submitter> {
  const submitter = await Submitter.open({ url, version, ...more });
  open.push({ end: () => submitter.close() });
  return submitter;
}

async function worker(...given: Parameters<typeof TestWorker.start>): Promise<TestWorker> {
  const started = await TestWorker.start(...given);
  open.push({ end: () => started.end() });
  return started;
}

async function workers(count: number, ...given: ConstructorParameters<typeof Workers>): Promise<Workers> {
  const started = await new Workers(...given).start(count);
  open.push(started);
  return started;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function double(submitter: Submitter, input: string, ms = 0): Promise<string> {
  const blobs = { input: submitter.blob(new TextEncoder().encode(input)) };
  return submitter.run({ kind: "double", parameters: { ms }, blobs, what: input }).then(text);
}

function misbehave(submitter: Submitter, how: string, seconds?: number): Promise<Uint8Array> {
  return submitter.run({ kind: "misbehave", parameters: { how }, blobs: {}, what: `shard ${how}`, seconds });
}

function logIn(redis: TestRedis): string {
  return join(redis.folder, "log");
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `input-${i}`);
const doubled = (inputs: string[]) => inputs.map((input) => input.repeat(2));

describe.skipIf(!hasRedis)("jobs", { timeout: 240_000 }, () => {
  test("are done by several workers, each once, through the server and through a folder", async () => {
    const redis = await redisServer();
    const folder = new Folder();
    open.push({ end: async () => folder.remove() });
    for (const store of [undefined, folder.path]) {
      const log = logIn(redis) + (store ? "-folder" : "");
      const crew = await workers(3, redis.url, { log, store });
      const submitter = await submitterAt(redis.url, { store });
      const inputs = names(20).map((name) => `${name}${store ? " in a folder" : ""}`);
      expect(await Promise.all(inputs.map((one) => double(submitter, one)))).toEqual(doubled(inputs));
      expect(linesOf(log).sort()).toEqual(inputs.map((one) => `double ${one}`).sort());
      // A blob of several pieces.
      const large = "0123456789".repeat(300_000);
      expect((await double(submitter, large)) === large.repeat(2)).toBe(true);
      // The same work again is not done again, until it is forgotten.
      const before = linesOf(log).length;
      expect(await double(await submitterAt(redis.url, { store }), inputs[0])).toBe(inputs[0].repeat(2));
      expect(linesOf(log).length).toBe(before);
      await submitter.forget();
      await double(submitter, inputs[0]);
      expect(linesOf(log).length).toBe(before + 1);
      await crew.end();
    }
  });

  test("can be forgotten while a worker has one of them", async () => {
    const redis = await redisServer();
    const log = logIn(redis);
    await workers(1, redis.url, { log });
    const submitter = await submitterAt(redis.url);
    const result = double(submitter, "long", 1000);
    await until(() => linesOf(log).length > 0);
    await submitter.forget();
    expect(await result).toBe("longlong");
  });

  test("of a worker that is killed at any moment are done by others, and counted once", async () => {
    const redis = await redisServer();
    const log = logIn(redis);
    const crew = await workers(3, redis.url, { log, lock: 2 });
    const submitter = await submitterAt(redis.url);
    const inputs = names(24);
    const results = Promise.all(inputs.map((input, i) => double(submitter, input, 40 + 10 * (i % 5))));
    // Fetching, computing, handing over: whatever they are at when some jobs are begun. Each dies once.
    for (const i of [0, 1, 2]) {
      await until(() => linesOf(log).length > 4 * i);
      await pause(37 * i);
      crew.get(i).signal("SIGKILL");
    }
    expect(await results).toEqual(doubled(inputs));
    await until(() => crew.deaths === 3);
    expect(submitter.state).toMatchObject({ done: inputs.length, waiting: 0 });
  });

  test("of a worker that was stopped beyond its lock are done by another; its late result changes nothing", async () => {
    const redis = await redisServer();
    const log = logIn(redis);
    const stopped = await worker(redis.url, { log, lock: 1 });
    const submitter = await submitterAt(redis.url);
    // Long enough for a busy machine to stop the worker in the middle of it.
    const result = double(submitter, "late", 2000);
    await until(() => linesOf(log).length === 1);
    stopped.signal("SIGSTOP");
    await worker(redis.url, { log, lock: 1 });
    expect(await result).toBe("latelate");
    const runs = linesOf(log).length;
    expect(runs).toBeGreaterThan(1);
    stopped.signal("SIGCONT");
    await pause(500);
    expect(submitter.state).toMatchObject({ done: 1, waiting: 0 });
    expect(await double(submitter, "late", 2000)).toBe("latelate");
    expect(linesOf(log).length).toBe(runs);
  });

  test.each([true, false])("go on when the server restarts (what it had is kept: %s)", async (keeps) => {
    const redis = await redisServer({ keeps });
    await workers(2, redis.url, { log: logIn(redis), lock: 1 });
    const submitter = await submitterAt(redis.url);
    const notices: string[] = [];
    submitter.onNotice = (notice) => notices.push(notice);
    const inputs = names(16);
    const results = Promise.all(inputs.map((input) => double(submitter, input, 60)));
    await until(() => submitter.state.done >= 4);
    await redis.restart();
    expect(await results).toEqual(doubled(inputs));
    expect(submitter.state.done).toBe(inputs.length);
    expect(notices.join(" ")).toMatch(/lost the connection.*waiting.*is back/);
  });

  test("of a submitter that dies are there for the next", async () => {
    const redis = await redisServer();
    const log = logIn(redis);
    await workers(1, redis.url, { log });
    const first = await Submitter.open({ url: redis.url, version });
    const inputs = names(10);
    const lost = inputs.map((input) => double(first, input, 30));
    for (const one of lost) one.catch(() => undefined);
    await until(() => first.state.done >= 4);
    await first.close(); // as good as dead: nothing is cleaned up
    const second = await submitterAt(redis.url);
    expect(await Promise.all(inputs.map((input) => double(second, input, 30)))).toEqual(doubled(inputs));
    expect(linesOf(log).length).toBe(inputs.length); // none was done twice
  });

  test("that kill, break or hang are set aside after three tries; the rest is done", async () => {
    const redis = await redisServer();
    const log = logIn(redis);
    await workers(2, redis.url, { log, lock: 1 });
    const submitter = await submitterAt(redis.url);
    const inputs = names(6);
    const rest = Promise.all(inputs.map((input) => double(submitter, input)));
    const failed = await Promise.all(
      [misbehave(submitter, "die"), misbehave(submitter, "throw"), misbehave(submitter, "hang", 0.3)].map((one) =>
        one.then(
          () => undefined,
          (error) => error,
        ),
      ),
    );
    expect(failed.map((error) => [error instanceof SetAside, error.message])).toEqual([
      [true, "shard die failed and skipped: it stopped 3 workers"],
      [true, "shard throw failed and skipped: tried 3 times: Error: something broke"],
      [true, expect.stringMatching(/shard hang failed and skipped: tried 3 times: .*it took longer than 0\.3 s/)],
    ]);
    expect(await rest).toEqual(doubled(inputs));
    const times = (how: string) => linesOf(log).filter((line) => line === `misbehave ${how}`).length;
    // A worker that had no time to renew its lock, on a machine that hangs, has had its try: so it may be one run less than tries.
    for (const how of ["die", "throw", "hang"]) expect([2, 3]).toContain(times(how));
  });

  test("whose input is wrong are not tried again, and the submitter hears why", async () => {
    const redis = await redisServer();
    const log = logIn(redis);
    await worker(redis.url, { log });
    const submitter = await submitterAt(redis.url);
    const error = await misbehave(submitter, "refuse").catch((one) => one);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ message: "x.txt:3: this is wrong", hint: "mend it" });
    expect(linesOf(log)).toEqual(["misbehave refuse"]);
    const unknown = submitter.run({ kind: "nonsense", parameters: {}, blobs: {}, what: "nothing" });
    await expect(unknown).rejects.toThrow(/does not know jobs of the kind `nonsense`/);
  });

  test("a worker drains on SIGTERM: what it has begun it ends, and takes no more", async () => {
    const redis = await redisServer();
    const log = logIn(redis);
    const first = await worker(redis.url, { log });
    const submitter = await submitterAt(redis.url);
    const [one, two] = [double(submitter, "one", 300), double(submitter, "two", 0)];
    await until(() => linesOf(log).length === 1);
    expect(await first.end("SIGTERM")).toBe(0);
    expect(await one).toBe("oneone");
    expect(linesOf(log)).toEqual(["double one"]);
    await worker(redis.url, { log });
    expect(await two).toBe("twotwo");
  });
});

test.skipIf(!hasRedis)("a worker ends on SIGTERM though the server is away", { timeout: 240_000 }, async () => {
  const redis = await redisServer();
  const one = await worker(redis.url);
  await redis.kill();
  expect(await one.end("SIGTERM")).toBe(0);
});

describe.skipIf(!hasRedis)("what is refused", { timeout: 240_000 }, () => {
  test("jobs of others, of another version, of another name, and bytes of another hash", async () => {
    const redis = await redisServer();
    const log = logIn(redis);
    await worker(redis.url, { log });
    const submitter = await submitterAt(redis.url);
    const { bull, client } = await connectRedis(redis.url);
    open.push({ end: async () => client.disconnect() });
    const queue = new bull.Queue(queueName(version), {
      connection: { url: redis.url, port: redis.port },
      prefix: "stargram",
    });
    open.push({ end: () => queue.close() });
    const data = { version, kind: "double", parameters: {}, blobs: {}, what: "", seconds: 9 };
    const cases: [object, RegExp][] = [
      [{ something: 1 }, /not a Stargram job/],
      [{ ...data, version: "9.9.9-wasm" }, /this job is from 9\.9\.9-wasm/],
      [data, /does not match its contents/],
    ];
    for (const [given, reason] of cases) {
      const { id = "" } = await queue.add("x", given, { attempts: 3 });
      await until(async () => (await (await queue.getJob(id))?.getState()) === "failed");
      expect((await queue.getJob(id))?.failedReason).toMatch(reason);
    }
    expect(linesOf(log)).toEqual([]);
    // Bytes that were changed at the server are brought again.
    const key = `stargram:blob:${hashOf(new TextEncoder().encode("changed"))}`;
    await client.hset(key, "0", "other bytes");
    await client.hset(key, "size", "11");
    expect(await double(submitter, "changed")).toBe("changedchanged");
    // A result that was changed is none.
    const result = `stargram:blob:${hashOf(new TextEncoder().encode("changedchanged"))}`;
    await client.hset(result, "0", "changedchangeX");
    expect(await double(submitter, "changed")).toBe("changedchanged");
    expect(linesOf(log).length).toBe(2);
    expect(await client.get(resultKey("j0"))).toBe(null);
  });

  test("a worker of another version takes nothing, and it is said that there is none", async () => {
    const redis = await redisServer();
    await worker(redis.url, { version: "0.0.9-wasm" });
    const submitter = await submitterAt(redis.url);
    const notices: string[] = [];
    submitter.onNotice = (notice) => notices.push(notice);
    const result = double(submitter, "x");
    await until(() => notices.length > 0);
    expect(notices[0]).toMatch(/no worker of version .*-wasm/);
    await worker(redis.url);
    expect(await result).toBe("xx");
  });

  test("addresses where no server is", async () => {
    await expect(Submitter.open({ url: "redis://127.0.0.1:1", version })).rejects.toThrow(
      /cannot use redis:\/\/127.0.0.1:1/,
    );
    await expect(Submitter.open({ url: "http://x", version })).rejects.toThrow(/not the address of a Redis server/);
    await expect(Submitter.open({ url: "redis://:secret@127.0.0.1:1", version })).rejects.toThrow(/redis:\/\/…@127/);
  });
});
