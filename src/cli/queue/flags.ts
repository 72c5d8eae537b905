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
    .option(
      "--queue <url>",
      "distribute the work to `stargram worker`s through this Redis server, such as redis://host:6379",
    )
    .option("--store <folder>", "with --queue: a shared folder for models and data");
}

export interface ShardFlags extends QueueFlags {
  shards?: number;
}

/** Of commands that train: the same, and how the examples are divided. */
export function addShardOptions(command: Command): Command {
  return addQueueOptions(command).option(
    "--shards <n>",
    "with --queue: number of parts trained at a time (default: one per 4,000 examples, at most 32)",
    whole(1, 10_000),
  );
}
