// `--queue` and `--store` of the commands whose work other machines can share.

import type { Command } from "commander";
import { whole } from "../options.js";

export interface QueueFlags {
  queue?: string;
  store?: string;
  quiet?: boolean;
}

export function addQueueOptions(command: Command): Command {
  return command
    .option("--queue <url>", "have the work done by `stargram worker`s at this Redis server, such as redis://host:6379")
    .option("--store <folder>", "with --queue: a folder that all machines share, for models and data");
}

export interface ShardFlags extends QueueFlags {
  shards?: number;
}

/** Of commands that train: the same, and how the examples are divided. */
export function addShardOptions(command: Command): Command {
  return addQueueOptions(command).option(
    "--shards <n>",
    "with --queue: parts of the examples that are learned from at a time (default: one for 2,000 examples, 32 at most)",
    whole(1, 10_000),
  );
}
