// `stargram worker`: does the work of commands with --queue, on this machine.

import { availableParallelism, freemem } from "node:os";
import type { Command } from "commander";
import { withoutPassword } from "../../cluster/redis.js";
import { QueueWorker } from "../../cluster/worker.js";
import { plural } from "../../util/text.js";
import { explain } from "../help.js";
import { interruption } from "../loopback.js";
import { needed, real, threadCount } from "../options.js";
import { say } from "../output.js";
import { clusterVersion } from "../queue/queue.js";
import { byteSize } from "../sizes.js";

interface WorkerFlags {
  queue?: string;
  store?: string;
  jobs: number;
  memory?: number;
  lock: number;
  quiet?: boolean;
}

const notes = `
  Workers and commands must have the same version and kernel. Needs the packages bullmq and ioredis.
  SIGTERM, Ctrl-C   takes no more jobs, and exits when its current jobs are done; again: exits at once
  --lock            a worker that dies or hangs loses its jobs after this time, and others do them again. A job that fails three times is skipped`;

export function register(program: Command): void {
  const command = program
    .command("worker")
    .summary("run jobs for commands with --queue")
    .description("Take jobs from a queue on a Redis server and run them until stopped.")
    .option("--queue <url>", "the Redis server, such as redis://host:6379")
    .option("--store <folder>", "the shared folder, if the command was given one")
    .option("--jobs <n>", "number of jobs at a time", threadCount, Math.min(64, availableParallelism()))
    .option(
      "--memory <size>",
      "maximum heap of a job, and size of the cache (default: half of the free memory)",
      byteSize(1e15),
    )
    .option(
      "--lock <s>",
      "seconds after which a worker that does not answer counts as dead",
      real(0.1, { most: 3600 }),
      30,
    )
    .option("--quiet", "print nothing about jobs")
    .action(work);
  explain(command, {
    notes,
    examples: [
      ["stargram worker --queue redis://server", "as many jobs at a time as cores"],
      [
        "stargram worker --queue redis://server --store /shared/stargram",
        "models and data are passed through a folder",
      ],
      ["stargram predict model.sg big.txt --queue redis://server", "work for the workers"],
    ],
  });
}

async function work({ queue, store, jobs, memory = freemem() / 2, lock, quiet }: WorkerFlags): Promise<void> {
  const url = needed(queue, "--queue URL");
  const interrupted = interruption();
  const worker = await QueueWorker.start({
    ...{ url, store, jobs, memory, lock },
    version: clusterVersion(),
    kinds: new URL("../queue/kinds.js", import.meta.url).href,
    onEvent: (text) => {
      if (!quiet) say(text);
    },
  });
  if (!quiet) say(`${plural(jobs, "job")} at a time from ${withoutPassword(url)}; press Ctrl-C to stop`);
  await interrupted;
  if (!quiet) say("stopping when the current jobs are done");
  await worker.close();
}
