// The queue that a command was given: with its progress shown, and what was set aside.

import { SetAside } from "../../cluster/job.js";
import { Submitter, type Work } from "../../cluster/submitter.js";
import { backend } from "../../engine/choice.js";
import { plural } from "../../util/text.js";
import { CheckFailed, say } from "../output.js";
import { packageVersion } from "../version.js";
import type { QueueFlags } from "./flags.js";
import { QueueProgress } from "./progress.js";

/** Who works together must compute the same bits. */
export function clusterVersion(): string {
  return `${packageVersion()}-${backend().name}`;
}

export class CommandQueue {
  private readonly aside: SetAside[] = [];

  private constructor(
    readonly submitter: Submitter,
    private readonly progress: QueueProgress,
  ) {}

  static async open({ queue, store, quiet }: QueueFlags): Promise<CommandQueue> {
    const submitter = await Submitter.open({ url: queue as string, store, version: clusterVersion() });
    const progress = new QueueProgress(process.stderr.isTTY === true && !quiet);
    submitter.onNotice = (text) => {
      progress.end();
      say(text);
    };
    submitter.onProgress = (state) => progress.show(state);
    return new CommandQueue(submitter, progress);
  }

  /** Runs a shard; undefined if it was set aside, which `end` tells. */
  async run(work: Work): Promise<Uint8Array | undefined> {
    try {
      return await this.submitter.run(work);
    } catch (error) {
      if (!(error instanceof SetAside)) throw error;
      this.progress.end();
      say(error.message);
      this.aside.push(error);
      return undefined;
    }
  }

  /** The number of shards, where it is known. */
  expect(shards: number): void {
    this.progress.total = shards;
  }

  /** All is done: what it left at the server is removed. */
  async end(): Promise<void> {
    this.progress.end();
    await this.submitter.forget();
  }

  /** Fails if shards were set aside. */
  checkAside(): void {
    if (this.aside.length === 0) return;
    const named = this.aside.map(({ what }) => what).join(", ");
    throw new CheckFailed(`${plural(this.aside.length, "shard")} failed and skipped (${named}); the rest is done`);
  }

  async close(): Promise<void> {
    this.progress.end();
    await this.submitter.close();
  }
}

/** Runs with a queue that is closed afterwards; fails if shards were set aside. */
export async function withQueue<T>(flags: QueueFlags, run: (queue: CommandQueue) => Promise<T>): Promise<T> {
  const queue = await CommandQueue.open(flags);
  try {
    const result = await run(queue);
    await queue.end();
    queue.checkAside();
    return result;
  } catch (error) {
    // Where every shard is needed, one that is set aside ends it all.
    throw error instanceof SetAside ? new CheckFailed(error.message) : error;
  } finally {
    await queue.close();
  }
}
