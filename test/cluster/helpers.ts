// A Redis server of one's own on a free port, and workers that can be killed.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Whether there is a server to test with; without one, tests are skipped. */
export const hasRedis = spawnSync("redis-server", ["--version"]).error === undefined;
if (!hasRedis) console.warn("redis-server is not installed: tests of the queue are skipped");

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class TestRedis {
  readonly folder = mkdtempSync(join(tmpdir(), "stargram-redis-"));
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly keeps: boolean,
  ) {}

  static async start({ keeps = false } = {}): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), keeps);
    await redis.run();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    const keeping = this.keeps ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
    const words = ["--port", String(this.port), "--bind", "127.0.0.1", "--save", "", "--dir", this.folder, ...keeping];
    this.child = spawn("redis-server", words);
    let said = "";
    await new Promise<void>((resolve, reject) => {
      this.child?.stdout?.on("data", (text) => {
        said += text;
        if (said.includes("Ready to accept connections")) resolve();
      });
      this.child?.once("exit", () => reject(new Error(said)));
    });
  }

  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.run();
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const program = fileURLToPath(new URL("./worker.mjs", import.meta.url));

export class TestWorker {
  said = "";
  private constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => {
        this.said += text;
      });
    }
  }

  static async start(
    url: string,
    {
      log = "",
      lock = 30, // s; with less, a busy machine may have a job done twice
      poison = "",
      store = "",
      version = "",
    }: Partial<Record<"log" | "poison" | "store" | "version", string>> & { lock?: number } = {},
  ): Promise<TestWorker> {
    const env = { ...process.env, STARGRAM_TEST_LOG: log, STARGRAM_TEST_POISON: poison };
    const words = [program, url, String(lock), store, ...(version ? [version] : [])];
    const worker = new TestWorker(spawn(process.execPath, words, { env }));
    while (!worker.said.includes("ready")) {
      if (worker.child.exitCode !== null) throw new Error(worker.said);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return worker;
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> {
    if (!this.isOver) {
      const ended = once(this.child, "exit");
      this.child.kill(signal);
      await ended;
    }
    return this.child.exitCode;
  }
}

/** Workers, each of which is started again when it dies. */
export class Workers {
  private readonly all: TestWorker[] = [];
  private isOver = false;
  private readonly keeping: Promise<void>[] = [];
  deaths = 0;

  constructor(
    private readonly url: string,
    private readonly options: Parameters<typeof TestWorker.start>[1] = {},
  ) {}

  async start(count: number): Promise<this> {
    for (let i = 0; i < count; i++) {
      this.all.push(await TestWorker.start(this.url, this.options));
      this.keeping.push(this.keep(i));
    }
    return this;
  }

  private async keep(i: number): Promise<void> {
    while (!this.isOver) {
      if (this.all[i].isOver) {
        this.deaths++;
        this.all[i] = await TestWorker.start(this.url, this.options);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  get(i: number): TestWorker {
    return this.all[i];
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.keeping);
    await Promise.all(this.all.map((worker) => worker.end()));
  }
}

export function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
