// The counting of EM by other machines. A shard is some blocks of sequences, which depend on the data alone; a worker counts its blocks
// one by one, and the counts are added block by block in the order of the data, so the sums are those of one thread, bit for bit.

import type { JobKind } from "../../cluster/job.js";
import { pack, unpack } from "../../cluster/pack.js";
import type { Blob, Submitter } from "../../cluster/submitter.js";
import {
  addExpectations,
  BlockCounter,
  blocksOf,
  type CipherModel,
  type Expectations,
  type Expecter,
  noExpectations,
} from "../../learn/em.js";

/** Blocks of a shard. */
const SHARD_BLOCKS = 4;

/** The counts of a block: rows of cipher symbols that stand in it, the others are 0. */
interface BlockCounts extends Omit<Expectations, "counts"> {
  /** [symbols] */
  symbols: Int32Array;
  /** [symbols][plainCount] */
  rows: Float64Array;
}

export const emKind: JobKind<Record<string, never>> = {
  name: "em",
  run(_, blobs) {
    const counter = blobs.made("model", (bytes) => new BlockCounter(unpack(bytes) as CipherModel));
    const blocks = blobs.made("blocks", (bytes) => unpack(bytes) as Int32Array[][]);
    const logEmission = unpack(blobs.bytes("emission")) as Float64Array;
    return pack(blocks.map((block) => sparse(counter.count(block, logEmission), block, counter.model.plainCount)));
  },
};

function sparse({ counts, ...found }: Expectations, block: readonly Int32Array[], plainCount: number): BlockCounts {
  const symbols = Int32Array.from(new Set(block.flatMap((sequence) => [...sequence]))).sort();
  const rows = new Float64Array(symbols.length * plainCount);
  symbols.forEach((symbol, i) => {
    rows.set(counts.subarray(symbol * plainCount, (symbol + 1) * plainCount), i * plainCount);
  });
  return { ...found, symbols, rows };
}

function dense({ symbols, rows, ...found }: BlockCounts, { cipherCount, plainCount }: CipherModel): Expectations {
  const counts = new Float64Array(cipherCount * plainCount);
  symbols.forEach((symbol, i) => {
    counts.set(rows.subarray(i * plainCount, (i + 1) * plainCount), symbol * plainCount);
  });
  return { ...found, counts };
}

export class QueuedExpecter implements Expecter {
  private readonly shards: { blocks: Blob; first: number; count: number }[] = [];
  private readonly modelBlob: Blob;
  private pass = 0;

  constructor(
    private readonly model: CipherModel,
    sequences: readonly Int32Array[],
    private readonly submitter: Submitter,
  ) {
    const { ngram, plainCount, cipherCount, inference } = model;
    this.modelBlob = submitter.blob(pack({ ngram: { ...ngram }, plainCount, cipherCount, inference }));
    const blocks = blocksOf(sequences);
    for (let i = 0; i < blocks.length; i += SHARD_BLOCKS) {
      const own = blocks.slice(i, i + SHARD_BLOCKS);
      this.shards.push({ blocks: submitter.blob(pack(own)), first: i, count: own.length });
    }
  }

  async expect(logEmission: Float64Array, shouldStop?: () => boolean): Promise<Expectations | undefined> {
    const pass = ++this.pass;
    const emission = this.submitter.blob(pack(logEmission));
    const results = this.shards.map(({ blocks, first, count }) =>
      this.submitter.run({
        kind: emKind.name,
        parameters: {},
        blobs: { model: this.modelBlob, blocks, emission },
        what: `pass ${pass}, blocks ${first + 1} to ${first + count}`,
      }),
    );
    const sum = noExpectations(this.model);
    for (const result of results) {
      const found = await result;
      for (const block of unpack(found) as BlockCounts[]) addExpectations(sum, dense(block, this.model));
      if (shouldStop?.()) return undefined;
    }
    // What one pass was told and has found is of no use to the next.
    await this.submitter.forget([this.modelBlob, ...this.shards.map(({ blocks }) => blocks)]);
    return sum;
  }

  async close(): Promise<void> {
    await this.submitter.forget();
  }
}
