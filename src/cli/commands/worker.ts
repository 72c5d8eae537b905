// `stargram worker`: does the work of commands with --queue, on this machine.

import { availableParallelism, freemem } from "node:os";
import type { Command } from "commander";
import { withoutPassword } from "../../cluster/redis.js";
import { QueueWorker } from "../../cluster/worker.js";
import { plural } from "../../util/text.js";
import { interruption } from "../loopback.js";
import { examples, needed, real, threadCount } from "../options.js";
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
  Workers and commands must be of the same version, with the same kernel. Needs the packages bullmq and ioredis.
  SIGTERM, Ctrl-C   takes no more jobs, and ends when those at hand are done; once more: ends at once
  --lock            a worker that dies or hangs loses its jobs after this time, and others do them again. A job that was tried
                    three times is set aside`;

export function register(program: Command): void {
  program
    .command("worker")
    .summary("do the work of commands with --queue")
    .description("Take jobs from a queue on a Redis server and do them, until stopped.")
    .option("--queue <url>", "the Redis server, such as redis://host:6379")
    .option("--store <folder>", "the folder that all machines share, if the command was given one")
    .option("--jobs <n>", "jobs at a time", threadCount, Math.min(64, availableParallelism()))
    .option(
      "--memory <size>",
      "most memory of the heap of a job, and for what is kept (default: half of what is free)",
      byteSize(1e15),
    )
    .option(
      "--lock <s>",
      "seconds after which a worker that does not answer is taken for dead",
      real(0.1, { most: 3600 }),
      30,
    )
    .option("--quiet", "say nothing about jobs")
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram worker --queue redis://server", "as many jobs at a time as there are cores"],
        ["stargram worker --queue redis://server --store /shared/stargram", "models and data travel through a folder"],
        ["stargram predict model.sg big.txt --queue redis://server", "what the workers then do"],
      ),
    )
    .action(work);
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
  if (!quiet) say(`${plural(jobs, "job")} at a time from ${withoutPassword(url)}; Ctrl-C ends it`);
  await interrupted;
  if (!quiet) say("stopping when the jobs at hand are done");
  await worker.close();
}
