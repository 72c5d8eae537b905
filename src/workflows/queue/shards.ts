// How many shards examples make.

/** Examples of a shard, about, if nothing is said. Fewer lose more by mixing than a machine spares. */
export const SHARD_EXAMPLES = 4_000;
/** The same for checkpoints that do not say it. */
export const OLD_SHARD_EXAMPLES = 2_000;
const MOST_SHARDS = 32;

/** How a training is divided. */
export interface Division {
  /** The number of shards, if it is given. */
  shards?: number;
  /** Examples of a shard, about, if it is not. */
  size: number;
}

export function shardCount(examples: number, { shards, size }: Division): number {
  return shards ?? Math.max(1, Math.min(MOST_SHARDS, Math.round(examples / size)));
}
