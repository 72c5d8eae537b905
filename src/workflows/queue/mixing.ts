// Training by other machines: iterative parameter mixing (McDonald, Hall and Mann 2010). Examples are divided into shards, by the data
// alone. In a round every shard is learned from once, each beginning with the same weights; then the weights are mixed. A row r that
// shards s touched with c(s, r) examples becomes
//   w(r) = Σ q(s, r) w(s, r),   q(s, r) = c(s, r) / Σ c(s', r),
// and so do AdaGrad's sums of squares: a row that few shards know is not watered down by the others. What it saw is C' = Σ q c of its
// C = Σ c examples, so it owes the penalty of C' / C · N of the N steps of a round, of which the shards took Σ q n(s).
// Shards are mixed in their order: the same bits for any number of workers.

import type { JobBlobs, JobKind } from "../../cluster/job.js";
import { pack, unpack } from "../../cluster/pack.js";
import type { Blob, Submitter } from "../../cluster/submitter.js";
import type { RowTable } from "../../engine/rows.js";
import { AdaGrad, type AdaGradOptions } from "../../learn/adagrad.js";
import { Gradient } from "../../learn/gradient.js";
import type { Judged, Learner } from "../../learn/learner.js";
import type { Crew, CrewMaker, CrewWatch, PassDone } from "../../learn/training.js";
import { InputError } from "../../util/errors.js";

/** Examples of a shard, about, and the most shards, if nothing is said. */
const SHARD_EXAMPLES = 2_000;
const MOST_SHARDS = 32;
/** Examples that are judged together. */
const JUDGED = 500;

/** The library: modules of learners are named from here, since it lies elsewhere on other machines. */
const library = new URL("../../", import.meta.url);

/** The learner of a blob, with room to learn in. */
interface Revived {
  learner: Learner;
  gradient: Gradient;
  room?: AdaGrad;
}

async function revive(bytes: Uint8Array): Promise<Revived> {
  const { module, data } = unpack(bytes) as { module: string; data: unknown };
  if (!/^tasks\/[\w-]+\/[\w-]+\.js$/.test(module)) throw new InputError("this is not the module of a learner");
  const { revive: made } = (await import(new URL(module, library).href)) as { revive(data: unknown): Learner };
  const learner = made(data);
  return { learner, gradient: new Gradient(learner.table) };
}

interface ShardWork {
  /** In the order of the pass. */
  examples: Int32Array;
  isFirst: boolean;
}

/** What came of a shard: of rows that it touched, the others follow from the penalty alone. */
interface ShardResult {
  rows: Int32Array;
  /** [rows] examples that touched each. */
  counts: Int32Array;
  /** [entries of rows] */
  weights: Float64Array;
  squares: Float64Array;
  sums: Float64Array;
  /** [examples][2] log-likelihood and context length. */
  seen: Float64Array;
  /** [examples] the learner's tally, if it keeps one. */
  tally?: Int32Array;
}

export const mixKind: JobKind<AdaGradOptions> = {
  name: "mix",
  async run(options, blobs) {
    const revived = await blobs.made("learner", revive);
    const { weights, squares } = unpack(blobs.bytes("state")) as { weights: Float64Array; squares: Float64Array };
    return pack(learnShard(revived, options, weights, squares, unpack(blobs.bytes("shard")) as ShardWork));
  },
};

function learnShard(
  revived: Revived,
  options: AdaGradOptions,
  weights: Float64Array,
  squares: Float64Array,
  { examples, isFirst }: ShardWork,
): ShardResult {
  const { learner, gradient, room } = revived;
  const { table, tally } = learner;
  const adagrad = new AdaGrad(table, options, weights, room);
  revived.room = adagrad;
  adagrad.squares.set(squares);
  const counts = new Int32Array(adagrad.settled.length);
  const seen = new Float64Array(2 * examples.length);
  learner.beginPass?.(isFirst);
  examples.forEach((example, i) => {
    const one = learner.learn(example, adagrad.weights, gradient);
    seen[2 * i] = one.logLikelihood;
    seen[2 * i + 1] = one.contextLength;
    for (let t = 0; t < gradient.touchedCount; t++) counts[gradient.touched[t]]++;
    adagrad.update(gradient);
  });
  adagrad.settle();
  const rows = placesAbove(counts, 0);
  return {
    rows,
    counts: rows.map((row) => counts[row]),
    weights: entriesOf(table, rows, adagrad.weights),
    squares: entriesOf(table, rows, adagrad.squares),
    sums: entriesOf(table, rows, adagrad.sums),
    seen,
    tally: tally && examples.map((example) => tally[example]),
  };
}

/** Where numbers are above another. */
function placesAbove(numbers: Int32Array, least: number): Int32Array {
  const places = new Int32Array(numbers.length);
  let count = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i] > least) places[count++] = i;
  return places.slice(0, count);
}

/** The entries of some rows, one row after the other. Rows are short: copied by hand. */
function entriesOf({ start }: RowTable, rows: Int32Array, values: Float64Array): Float64Array {
  let size = 0;
  for (const row of rows) size += start[row + 1] - start[row];
  const found = new Float64Array(size);
  let at = 0;
  for (const row of rows) {
    for (let e = start[row]; e < start[row + 1]; e++) found[at++] = values[e];
  }
  return found;
}

export const judgeKind: JobKind<Record<string, never>> = {
  name: "judge",
  async run(_, blobs: JobBlobs) {
    const { learner } = await blobs.made("learner", revive);
    const weights = unpack(blobs.bytes("weights")) as Float64Array;
    const examples = unpack(blobs.bytes("examples")) as Int32Array;
    const judged = Array.from(examples, (example) => learner.judge(example, weights));
    return pack({ judged, tally: learner.tally && examples.map((example) => (learner.tally as Int32Array)[example]) });
  },
};

/** How many shards so many examples make. */
export function usualShards(examples: number): number {
  return Math.max(1, Math.min(MOST_SHARDS, Math.round(examples / SHARD_EXAMPLES)));
}

/** Trains by a queue; `shards` if their number is given. */
export function queueCrew(submitter: Submitter, shards: number | undefined): CrewMaker {
  return (learner, adagrad) => {
    const shared = learner.share?.();
    if (!shared || learner.hold) {
      throw new InputError("option `queue`: this training cannot be shared", {
        hint: "encoders, and data on disk, are trained on one machine",
      });
    }
    const module = shared.module.slice(library.href.length);
    return new QueueCrew(submitter, learner, adagrad, submitter.blob(pack({ module, data: shared.data })), shards);
  };
}

class QueueCrew implements Crew {
  private round = 0;

  constructor(
    private readonly submitter: Submitter,
    private readonly learner: Learner,
    private readonly adagrad: AdaGrad,
    private readonly blob: Blob,
    private readonly shards: number | undefined,
  ) {}

  /** A short training that chooses a penalty has as many shards as its examples are worth: cut into pieces, it would choose another. */
  private shardsOf(examples: number): number {
    const { exampleCount } = this.learner;
    return Math.max(1, Math.round(((this.shards ?? usualShards(exampleCount)) * examples) / exampleCount));
  }

  /** A round. One that is stopped has not been. */
  async learn(order: Int32Array, before: PassDone, watch: CrewWatch): Promise<PassDone> {
    const { submitter, adagrad, learner } = this;
    const round = ++this.round;
    const own = divided(order, this.shardsOf(order.length));
    adagrad.settle();
    const state = submitter.blob(pack({ weights: adagrad.weights, squares: adagrad.squares }));
    const results = own.map((examples, s) =>
      submitter.run({
        kind: mixKind.name,
        parameters: adagrad.options,
        blobs: { learner: this.blob, state, shard: submitter.blob(pack({ examples, isFirst: watch.isFirst })) },
        what: `round ${round}, shard ${s + 1} of ${own.length}`,
      }),
    );
    const found: ShardResult[] = [];
    const done = { ...before };
    for (const [s, result] of results.entries()) {
      const bytes = await unlessStopped(result, watch);
      if (!bytes) return before;
      const shard = unpack(bytes) as ShardResult;
      found.push(shard);
      done.examples += own[s].length;
      for (let i = 0; i < own[s].length; i++) {
        done.logLikelihood += shard.seen[2 * i];
        done.contextLength += shard.seen[2 * i + 1];
        if (shard.tally && learner.tally) learner.tally[own[s][i]] = shard.tally[i];
      }
      if (s + 1 < own.length) watch.onProgress({ ...done });
    }
    mix(
      learner.table,
      adagrad,
      found,
      own.map(({ length }) => length),
    );
    await submitter.forget([this.blob]);
    return done;
  }

  async judge(examples: Int32Array, weights: Float64Array): Promise<Judged[]> {
    const { submitter, learner } = this;
    const blob = submitter.blob(pack(weights));
    const results: { own: Int32Array; result: Promise<Uint8Array> }[] = [];
    for (let i = 0; i < examples.length; i += JUDGED) {
      const own = examples.slice(i, i + JUDGED);
      const blobs = { learner: this.blob, weights: blob, examples: submitter.blob(pack(own)) };
      const what = `held-out examples ${i + 1} to ${i + own.length}`;
      results.push({ own, result: submitter.run({ kind: judgeKind.name, parameters: {}, blobs, what }) });
    }
    const all: Judged[] = [];
    for (const { own, result } of results) {
      const { judged, tally } = unpack(await result) as { judged: Judged[]; tally?: Int32Array };
      all.push(...judged);
      own.forEach((example, i) => {
        if (tally && learner.tally) learner.tally[example] = tally[i];
      });
    }
    await submitter.forget([this.blob]);
    return all;
  }

  async close(): Promise<void> {
    await this.submitter.forget();
  }
}

/** Shards of examples, by their numbers: an example stays in its shard. */
function divided(examples: Int32Array, count: number): Int32Array[] {
  const shards = Array.from({ length: count }, (_, s) => examples.filter((example) => example % count === s));
  return shards.filter(({ length }) => length > 0);
}

/** Undefined if it was stopped first. */
async function unlessStopped(result: Promise<Uint8Array>, watch: CrewWatch): Promise<Uint8Array | undefined> {
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const tick = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), 200); // ms
    });
    const found = await Promise.race([result, tick]);
    clearTimeout(timer);
    if (found || watch.shouldStop()) return found;
  }
}

/** Puts the weights of shards together; `adagrad` is as they began. */
export function mix(table: RowTable, adagrad: AdaGrad, shards: readonly ShardResult[], steps: readonly number[]): void {
  const all = steps.reduce((sum, count) => sum + count, 0);
  const mixer = new RowMixer(table, adagrad, shards, steps, all);
  const { settled } = adagrad;
  for (let row = 0; row < settled.length; row++) {
    if (mixer.find(row)) mixer.mix(row);
    else mixer.rest(row);
    settled[row] = adagrad.step + all;
  }
  adagrad.step += all;
}

/** Mixes one row after the other. */
class RowMixer {
  /** [shards] where each has come to: in its rows, and in its entries. */
  private readonly rowAt: Int32Array;
  private readonly entryAt: Int32Array;
  /** The shards that touched the row at hand, and their share of the examples that did. */
  private readonly own: Int32Array;
  private readonly share: Float64Array;
  private ownCount = 0;
  private touches = 0;

  constructor(
    private readonly table: RowTable,
    private readonly adagrad: AdaGrad,
    private readonly shards: readonly ShardResult[],
    private readonly steps: readonly number[],
    private readonly all: number,
  ) {
    this.rowAt = new Int32Array(shards.length);
    this.entryAt = new Int32Array(shards.length);
    this.own = new Int32Array(shards.length);
    this.share = new Float64Array(shards.length);
  }

  /** Whether a shard has touched the row: then it is mixed next. */
  find(row: number): boolean {
    const { shards, rowAt, own } = this;
    this.ownCount = 0;
    this.touches = 0;
    for (let s = 0; s < shards.length; s++) {
      if (shards[s].rows[rowAt[s]] !== row) continue;
      own[this.ownCount++] = s;
      this.touches += shards[s].counts[rowAt[s]];
    }
    return this.ownCount > 0;
  }

  mix(row: number): void {
    const { shards, steps, all, own, ownCount, touches, share, rowAt, entryAt, adagrad } = this;
    const { weights, squares, sums, options } = adagrad;
    let seen = 0; // of the examples that touched the row, and of the steps of a round, what a mean of the shards has had
    let taken = 0;
    for (let i = 0; i < ownCount; i++) {
      const count = shards[own[i]].counts[rowAt[own[i]]];
      share[i] = count / touches;
      seen += (share[i] * count) / touches;
      taken += share[i] * steps[own[i]];
    }
    const from = this.table.start[row];
    const size = this.table.start[row + 1] - from;
    const owed = Math.max(0, seen * all - taken);
    for (let e = 0; e < size; e++) {
      let weight = 0;
      let square = 0;
      let average = 0;
      for (let i = 0; i < ownCount; i++) {
        const shard = shards[own[i]];
        const at = entryAt[own[i]] + e;
        weight += share[i] * shard.weights[at];
        square += share[i] * shard.squares[at];
        average += (share[i] / steps[own[i]]) * shard.sums[at];
      }
      squares[from + e] = square;
      sums[from + e] += all * average;
      weights[from + e] = shrunk(weight, owed * (options.rate / Math.sqrt(options.delta + square)), options);
    }
    for (let i = 0; i < ownCount; i++) {
      rowAt[own[i]]++;
      entryAt[own[i]] += size;
    }
  }

  /** A row that nobody touched owes the penalty of the round. */
  rest(row: number): void {
    const { weights, squares, sums, options } = this.adagrad;
    const { start } = this.table;
    for (let e = start[row]; e < start[row + 1]; e++) {
      if (weights[e] === 0) continue;
      sums[e] += this.all * weights[e];
      weights[e] = shrunk(weights[e], this.all * (options.rate / Math.sqrt(options.delta + squares[e])), options);
    }
  }
}

/** A weight after so many steps of the penalty alone, times their rate: as AdaGrad settles it. */
function shrunk(weight: number, rate: number, { l1, l2 }: AdaGradOptions): number {
  const shrink = rate * l1;
  const left = weight > shrink ? weight - shrink : weight < -shrink ? weight + shrink : 0;
  return left / (1 + rate * l2);
}
