// Training by other machines: iterative parameter mixing (McDonald, Hall and Mann 2010). Examples are divided into shards, by the data
// alone. In a round every shard is learned from once, each beginning with the same weights; then the weights are mixed. A row r that
// shards s touched with c(s, r) examples becomes
//   w(r) = Σ q(s, r) w(s, r),   q(s, r) = c(s, r) / Σ c(s', r),
// and so do AdaGrad's sums of squares: a row that few shards know is not watered down by the others. What it saw is C' = Σ q c of its
// C = Σ c examples, so it owes the penalty of C' / C · N of the N steps of a round, of which the shards took Σ q n(s).
// Shards are mixed in their order: the same bits for any number of workers. What is one shard is learned where the command runs.

import type { JobBlobs, JobKind } from "../../cluster/job.js";
import { pack, unpack } from "../../cluster/pack.js";
import type { Blob, Submitter } from "../../cluster/submitter.js";
import { backend } from "../../engine/choice.js";
import type { RowTable } from "../../engine/rows.js";
import { AdaGrad, type AdaGradOptions } from "../../learn/adagrad.js";
import { Gradient } from "../../learn/gradient.js";
import type { Judged, Learner } from "../../learn/learner.js";
import type { Crew, CrewMaker, CrewWatch, PassDone } from "../../learn/training.js";
import { InputError } from "../../util/errors.js";
import { type Division, shardCount } from "./shards.js";
import {
  fromUpperHalf,
  rounded,
  roundedSquare,
  SLIGHT,
  spread,
  type Thin,
  ThinReader,
  ThinWriter,
  thinned,
} from "./thin.js";

/** Examples that are judged together. */
const JUDGED = 500;
/** What is judged in less time is not worth sending the weights again. */
const QUICK = 500; // ms

/** The library: modules of learners are named from here, since it lies elsewhere on other machines. */
const library = new URL("../../", import.meta.url);

/** The learner of a blob, with room to learn in. */
interface Revived {
  learner: Learner;
  gradient: Gradient;
  room?: { adagrad: AdaGrad; moved: ThinWriter };
  /** [entries] to judge with. */
  weights?: Float64Array;
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

/** What came of a shard. */
export interface ShardResult {
  /** [rows] examples that touched each; those that more touched are all the same. */
  counts: Uint16Array;
  /** Entries of these rows that were moved. */
  moved: Thin;
  /** [examples][2] log-likelihood and context length. */
  seen: Float64Array;
  /** [examples] the learner's tally, if it keeps one. */
  tally?: Int32Array;
}

export const mixKind: JobKind<AdaGradOptions> = {
  name: "mix",
  async run(options, blobs) {
    const revived = await blobs.made("learner", revive);
    const state = blobs.made("state", (bytes) => unpack(bytes, true) as Thin);
    return pack(learnShard(revived, options, state, unpack(blobs.bytes("shard")) as ShardWork));
  },
};

function learnShard(
  revived: Revived,
  options: AdaGradOptions,
  state: Thin,
  { examples, isFirst }: ShardWork,
): ShardResult {
  const { learner, gradient, room } = revived;
  const { table, tally } = learner;
  const adagrad = new AdaGrad(table, options, undefined, room?.adagrad);
  const moved = room?.moved ?? resultRoom(table);
  revived.room = { adagrad, moved };
  spread(state, adagrad.weights, adagrad.squares);
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
  // What nobody touched is left to the mixing.
  for (let row = 0; row < counts.length; row++) if (counts[row] === 0) adagrad.settled[row] = adagrad.step;
  adagrad.settle();
  return {
    counts: counted(counts),
    moved: movedOf(adagrad, state, counts, moved),
    seen,
    tally: tally && examples.map((example) => tally[example]),
  };
}

const MOST_COUNTED = 0xffff;

function counted(counts: Int32Array): Uint16Array {
  const few = new Uint16Array(counts.length);
  for (let row = 0; row < counts.length; row++) few[row] = Math.min(counts[row], MOST_COUNTED);
  return few;
}

function resultRoom({ symbols }: RowTable): ThinWriter {
  return new ThinWriter(symbols.length, { squares: true, averages: true });
}

/** The entries of rows with a count that are no longer as they were. */
export function movedOf(
  { table, weights, squares, sums, step, options }: AdaGrad,
  state: Thin,
  counts: Int32Array,
  room = resultRoom(table),
): Thin {
  const { start } = table;
  const before = new ThinReader(state);
  const moved = room.begin();
  for (let row = 0; row < counts.length; row++) {
    const end = start[row + 1];
    if (counts[row] === 0) {
      before.pass(start[row], end);
      continue;
    }
    for (let e = start[row]; e < end; e++) {
      const at = before.find(e);
      const square = at < 0 ? 0 : fromUpperHalf(state.squares[at]);
      const isMoved = Math.abs(weights[e] - (at < 0 ? 0 : state.weights[at])) >= SLIGHT;
      if (isMoved || squares[e] - square > LONGER * (options.delta + square)) {
        moved.tell(e, weights[e], squares[e], sums[e] / step);
      }
    }
  }
  return moved.done();
}

/** A sum of squares that has grown by less changes no step by more than half of that. */
const LONGER = 0.01;

function stateRoom({ symbols }: RowTable): ThinWriter {
  return new ThinWriter(symbols.length, { squares: true });
}

/** The weights and sums of squares with which a round begins, rounded to what shards are told of them. */
export function stateOf({ table, weights, squares, options }: AdaGrad, room = stateRoom(table)): Thin {
  const state = room.begin();
  for (let e = 0; e < weights.length; e++) {
    weights[e] = Math.abs(weights[e]) < SLIGHT ? 0 : Math.fround(weights[e]);
    squares[e] = squares[e] < LONGER * options.delta ? 0 : roundedSquare(squares[e]);
    if (weights[e] !== 0 || squares[e] !== 0) state.tell(e, weights[e], squares[e]);
  }
  return state.done();
}

export const judgeKind: JobKind<Record<string, never>> = {
  name: "judge",
  async run(_, blobs: JobBlobs) {
    const revived = await blobs.made("learner", revive);
    const { learner } = revived;
    revived.weights ??= backend().arrays.float64(learner.table.symbols.length);
    const { weights } = revived;
    spread(unpack(blobs.bytes("weights"), true) as Thin, weights);
    const examples = unpack(blobs.bytes("examples")) as Int32Array;
    const judged = Array.from(examples, (example) => learner.judge(example, weights));
    return pack({ judged, tally: learner.tally && examples.map((example) => (learner.tally as Int32Array)[example]) });
  },
};

/** Trains by a queue. */
export function queueCrew(submitter: Submitter, division: Division): CrewMaker {
  let sent: { learner: Learner; blob: Blob } | undefined;
  return (learner, adagrad) => {
    const shared = learner.share?.();
    if (!shared || learner.hold) {
      throw new InputError("option `queue`: this training cannot be shared", {
        hint: "encoders, and data on disk, are trained on one machine",
      });
    }
    const module = shared.module.slice(library.href.length);
    // Several trainings of one learner follow one another: it travels once.
    if (sent?.learner !== learner) sent = { learner, blob: submitter.blob(pack({ module, data: shared.data })) };
    return new QueueCrew(submitter, learner, adagrad, sent.blob, division);
  };
}

class QueueCrew implements Crew {
  private round = 0;
  private isShared = true;
  private readonly stateRoom: ThinWriter;
  /** Whether judging was slow before. */
  private isSlowToJudge = false;
  /** [entries] to judge with, here and elsewhere. */
  private rounded: Float64Array | undefined;
  private judgeRoom: ThinWriter | undefined;

  constructor(
    private readonly submitter: Submitter,
    private readonly learner: Learner,
    private readonly adagrad: AdaGrad,
    private readonly blob: Blob,
    private readonly division: Division,
  ) {
    this.stateRoom = stateRoom(learner.table);
  }

  /** A short training that chooses a penalty has as many shards as its examples are worth: cut into pieces, it would choose another. */
  private shardsOf(examples: number): number {
    const { exampleCount } = this.learner;
    return Math.max(1, Math.round((shardCount(exampleCount, this.division) * examples) / exampleCount));
  }

  /** A round. One that is stopped has not been. A single shard is left to the training: the same bits as without a queue. */
  async learn(order: Int32Array, before: PassDone, watch: CrewWatch): Promise<PassDone | undefined> {
    const { submitter, adagrad, learner } = this;
    const round = ++this.round;
    const own = divided(order, this.shardsOf(order.length));
    this.isShared = own.length > 1;
    if (!this.isShared) return undefined;
    adagrad.settle();
    const state = submitter.blob(pack(stateOf(adagrad, this.stateRoom)));
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
      const shard = unpack(bytes, true) as ShardResult;
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

  /** Judges by weights as they would arrive, so that it does not matter who does. */
  async judge(examples: Int32Array, weights: Float64Array): Promise<Judged[] | undefined> {
    if (!this.isShared) return undefined;
    const { learner } = this;
    this.rounded ??= backend().arrays.float64(weights.length);
    const arrived = rounded(weights, this.rounded);
    const all: Judged[] = [];
    const began = performance.now();
    while (!this.isSlowToJudge && all.length < examples.length) {
      all.push(learner.judge(examples[all.length], arrived));
      this.isSlowToJudge = performance.now() - began > QUICK;
    }
    return all.concat(await this.judgeByQueue(examples.subarray(all.length), weights));
  }

  private async judgeByQueue(examples: Int32Array, weights: Float64Array): Promise<Judged[]> {
    const { submitter, learner } = this;
    if (examples.length === 0) return [];
    this.judgeRoom ??= new ThinWriter(weights.length);
    const blob = submitter.blob(pack(thinned(weights, this.judgeRoom)));
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
    await this.submitter.forget([this.blob]);
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
  /** [shards] */
  private readonly moved: readonly ThinReader[];
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
    this.moved = shards.map(({ moved }) => new ThinReader(moved));
    this.own = new Int32Array(shards.length);
    this.share = new Float64Array(shards.length);
  }

  /** Whether a shard has touched the row: then it is mixed next. */
  find(row: number): boolean {
    const { shards, own } = this;
    this.ownCount = 0;
    this.touches = 0;
    for (let s = 0; s < shards.length; s++) {
      const count = shards[s].counts[row];
      if (count === 0) continue;
      own[this.ownCount++] = s;
      this.touches += count;
    }
    return this.ownCount > 0;
  }

  mix(row: number): void {
    const { shards, steps, all, own, ownCount, touches, share, moved, adagrad, table } = this;
    const { weights, squares, sums, options } = adagrad;
    let seen = 0; // of the examples that touched the row, and of the steps of a round, what a mean of the shards has had
    let taken = 0;
    for (let i = 0; i < ownCount; i++) {
      const count = shards[own[i]].counts[row];
      share[i] = count / touches;
      seen += (share[i] * count) / touches;
      taken += share[i] * steps[own[i]];
    }
    const owed = Math.max(0, seen * all - taken);
    const end = table.start[row + 1];
    for (let e = table.start[row]; e < end; e++) {
      const before = weights[e];
      const squareBefore = squares[e];
      let weight = before;
      let average = before;
      for (let i = 0; i < ownCount; i++) {
        const at = moved[own[i]].find(e);
        if (at < 0) continue;
        const one = shards[own[i]].moved;
        weight += share[i] * (one.weights[at] - before);
        average += share[i] * (one.averages[at] - before);
        squares[e] += share[i] * (fromUpperHalf(one.squares[at]) - squareBefore);
      }
      if (weight !== 0) weight = shrunk(weight, owed * (options.rate / Math.sqrt(options.delta + squares[e])), options);
      weights[e] = weight;
      sums[e] += all * average;
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
