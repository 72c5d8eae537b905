// Training on several threads of Node, which share the kernel's memory. Two ways:
//   as they come     every thread takes the next few examples, learns from them and steps, without waiting for the others
//                    (Hogwild): fastest, and no two trainings are quite alike.
//   deterministic    examples come in batches; gradients of a batch are taken at the same weights, and then every row is
//                    stepped by one thread in the order of the examples. The same bits for any number of threads.

import { Worker } from "node:worker_threads";
import type { AdaGradArrays } from "../engine/backend.js";
import { backend } from "../engine/choice.js";
import type { RowTable } from "../engine/rows.js";
import type { KernelArrays } from "../engine/wasm/memory.js";
import type { WebAssemblyMemory } from "../engine/wasm/web-assembly.js";
import type { AdaGrad, AdaGradOptions } from "./adagrad.js";
import type { Judged, Learner, SharedLearner } from "./learner.js";
import { RUN_MULTIPLE } from "./order.js";
import type { Crew, CrewMaker, CrewWatch, PassDone } from "./training.js";
import { watchWorker } from "./watch-worker.js";

/** Places in the array by which threads agree. */
export const control = {
  /** The next example to take. */
  next: 0,
  /** 1 when all should stop. */
  stop: 1,
  /** Steps made so far. */
  step: 2,
  /** Threads that wait for the others, and how often all have met. */
  waiting: 3,
  meetings: 4,
  /** Deterministic: 1 when all stop after the batch at hand. */
  last: 5,
} as const;
const CONTROLS = 6;

/** Numbers of a thread in `done`: three, and room that keeps threads off each other's cache lines. */
export const DONE = 16;

/** Examples of a batch, in deterministic training. */
export const BATCH = RUN_MULTIPLE;

/** What a thread is given when it starts. */
export interface CrewData {
  memory: WebAssemblyMemory;
  learner: SharedLearner;
  table: RowTable;
  adagrad: AdaGradArrays;
  options: AdaGradOptions;
  control: Int32Array;
  /** [threads][DONE] examples done, their log-likelihood and context lengths. */
  done: Float64Array;
  thread: number;
  threads: number;
  deterministic: boolean;
  /** [BATCH][3] where the gradient of each example of the batch lies: addresses of rows and values, number of rows. */
  batch: Int32Array;
}

/** What a thread is told to do; `held` is what the learner has in memory of examples on disk. */
export type CrewOrder = { held?: unknown } & (
  | {
      kind: "learn";
      order: Int32Array;
      from: number;
      /** [order][2] log-likelihood and context length of each example, in deterministic training. */
      seen: Float64Array | undefined;
    }
  | { kind: "judge"; examples: Int32Array; weights: Float64Array }
);

const PROGRESS_MS = 100;

/** Threads for `train`. Undefined where they cannot share memory: with the reference kernel. */
export function threadCrew(threads: number, deterministic = false): CrewMaker {
  return (learner, adagrad) => {
    const { arrays, name } = backend();
    const shared = learner.share?.();
    if (!shared || name !== "wasm") return undefined;
    return new ThreadCrew(arrays as KernelArrays, shared, learner, adagrad, threads, deterministic);
  };
}

class ThreadCrew implements Crew {
  private readonly workers: Worker[];
  private readonly control: Int32Array;
  private readonly done: Float64Array;
  /** Kept for as long as threads use them. */
  private readonly held: unknown[] = [];
  private failure: Error | undefined;
  private fail: (error: Error) => void = () => {};

  constructor(
    private readonly arrays: KernelArrays,
    shared: SharedLearner,
    private readonly learner: Learner,
    private readonly adagrad: AdaGrad,
    threads: number,
    private readonly deterministic: boolean,
  ) {
    this.control = arrays.int32(CONTROLS);
    this.done = arrays.float64(DONE * threads);
    const { symbolCount, start, symbols } = learner.table;
    const { weights, squares, sums, settled, options } = adagrad;
    const data: Omit<CrewData, "thread"> = {
      memory: arrays.memory.memory,
      learner: shared,
      table: { symbolCount, start: arrays.placed(start), symbols: arrays.placed(symbols) },
      adagrad: { weights, squares, sums, settled },
      options,
      control: this.control,
      done: this.done,
      threads,
      deterministic,
      batch: arrays.int32(3 * BATCH),
    };
    this.held.push(data);
    this.workers = Array.from({ length: threads }, (_, thread) => {
      const worker = new Worker(new URL("./crew-worker.js", import.meta.url), { workerData: { ...data, thread } });
      watchWorker(worker, (error) => {
        this.failure ??= error;
        this.fail(this.failure);
      });
      return worker;
    });
  }

  async learn(order: Int32Array, before: PassDone, watch: CrewWatch): Promise<PassDone> {
    const { control: counters, done, adagrad, arrays } = this;
    const placed = arrays.placed(order);
    const seen = this.deterministic ? arrays.float64(2 * order.length) : undefined;
    const from = before.examples;
    counters.fill(0);
    counters[control.next] = from;
    counters[control.step] = adagrad.step;
    done.fill(0);
    const timer = setInterval(() => {
      watch.onProgress(this.soFar(before));
      if (watch.shouldStop()) Atomics.store(counters, control.stop, 1);
    }, PROGRESS_MS);
    try {
      await this.all({ kind: "learn", order: placed, from, seen });
    } finally {
      clearInterval(timer);
    }
    adagrad.step = counters[control.step];
    const result = this.soFar(before);
    if (!seen) return result;
    // Summed in the order of the examples, whoever learned from them and whenever.
    let { logLikelihood, contextLength } = before;
    for (let i = from; i < result.examples; i++) {
      logLikelihood += seen[2 * i];
      contextLength += seen[2 * i + 1];
    }
    return { examples: result.examples, logLikelihood, contextLength };
  }

  /** What is done of the pass: what was before, and what the threads have done since. */
  private soFar(before: PassDone): PassDone {
    const sum = { ...before };
    for (let i = 0; i < this.done.length; i += DONE) {
      sum.examples += this.done[i];
      sum.logLikelihood += this.done[i + 1];
      sum.contextLength += this.done[i + 2];
    }
    return sum;
  }

  async judge(examples: Int32Array, weights: Float64Array): Promise<Judged[]> {
    this.control.fill(0);
    const parts = (await this.all({
      kind: "judge",
      examples: this.arrays.placed(examples),
      weights: this.arrays.placed(weights),
    })) as Judged[][];
    // In the order of the examples, so that a sum does not depend on who judged what.
    const byExample = parts.flat() as (Judged & { index: number })[];
    return byExample.sort((a, b) => a.index - b.index);
  }

  /** Gives an order to every thread and waits for all answers. */
  private all(what: CrewOrder): Promise<unknown[]> {
    const order = { ...what, held: this.learner.held };
    this.held[1] = order;
    return new Promise((resolve, reject) => {
      const answers: unknown[] = [];
      this.fail = reject;
      if (this.failure) reject(this.failure);
      for (const worker of this.workers) {
        worker.once("message", (answer) => {
          answers.push(answer);
          if (answers.length === this.workers.length) resolve(answers);
        });
        worker.postMessage(order);
      }
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}
