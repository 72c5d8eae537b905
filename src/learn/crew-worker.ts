// A thread of crew.ts: learns from or judges the examples that are its own.

import { parentPort, workerData } from "node:worker_threads";
import { useBackend } from "../engine/choice.js";
import { wasmBackend } from "../engine/wasm/backend.js";
import { stepAlong } from "./adagrad.js";
import { BATCH, type CrewData, type CrewOrder, control, DONE } from "./crew.js";
import { Gradient } from "./gradient.js";
import type { Judged, Learner, Seen } from "./learner.js";

const data = workerData as CrewData;
const { table, adagrad, options, control: counters, done, thread, threads } = data;
const found = wasmBackend(data.memory);
if (!found) throw new Error("a thread cannot load the WebAssembly kernel");
const { arrays, loops } = found;
useBackend(found);
joinAll(data);

const module = (await import(data.learner.module)) as { revive(data: unknown): Learner };
const learner = module.revive(data.learner.data);
const gradient = new Gradient(table);

parentPort?.on("message", (order: CrewOrder) => {
  joinAll(order);
  if (order.held !== undefined) learner.take?.(order.held);
  if (order.kind === "judge") parentPort?.postMessage(judge(order.examples, order.weights));
  else {
    if (order.seen) learnInBatches(order.order, order.from, order.seen);
    else learnAsTheyCome(order.order);
    parentPort?.postMessage("done");
  }
});

/** Says of every array within that it lies in the shared memory. */
function joinAll(value: unknown): void {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof SharedArrayBuffer) arrays.memory.join(value);
  } else if (Array.isArray(value)) {
    // Lists of numbers have nothing to join, and may be long.
    if (typeof value[0] === "object") for (const item of value) joinAll(item);
  } else if (typeof value === "object" && value !== null && value !== data.memory) {
    for (const item of Object.values(value)) joinAll(item);
  }
}

function note(seen: Seen): void {
  done[DONE * thread]++;
  done[DONE * thread + 1] += seen.logLikelihood;
  done[DONE * thread + 2] += seen.contextLength;
}

/**
 * Examples that a thread takes at a time and steps for together: every step makes the other threads fetch the rows anew that
 * it wrote to, and stepping for each example learned no better on held-out data.
 */
const PORTION = 4;

function learnAsTheyCome(order: Int32Array): void {
  for (;;) {
    // Asked first: examples that are taken are also learned from, so those done are the first of the order.
    if (Atomics.load(counters, control.stop)) return;
    const first = Atomics.add(counters, control.next, PORTION);
    if (first >= order.length) return;
    const count = Math.min(PORTION, order.length - first);
    for (let i = first; i < first + count; i++) note(learner.learn(order[i], adagrad.weights, gradient));
    const step = Atomics.add(counters, control.step, count) + count;
    stepAlong(loops, adagrad, gradient, table, options, step);
  }
}

/** Gradients of the batch at hand, of the examples this thread learned from: rows and their values one after another. */
const stash = Array.from({ length: BATCH }, () => ({ rows: arrays.int32(64), values: arrays.float64(1024) }));

function learnInBatches(order: Int32Array, from: number, seen: Float64Array): void {
  const firstStep = Atomics.load(counters, control.step);
  for (let batch = from; batch < order.length; batch += BATCH) {
    const end = Math.min(batch + BATCH, order.length);
    // Whoever is free takes the next: who learns from an example does not matter to its gradient.
    for (;;) {
      const i = Atomics.add(counters, control.next, 1);
      if (i >= end) break;
      const one = learner.learn(order[i], adagrad.weights, gradient);
      seen[2 * i] = one.logLikelihood;
      seen[2 * i + 1] = one.contextLength;
      note(one);
      putAway(i - batch);
    }
    meet();
    for (let i = batch; i < end; i++) stepOwnRows(i - batch, firstStep + i - from + 1);
    // One thread decides for all whether this was the last batch.
    if (thread === 0) {
      counters[control.step] = firstStep + end - from;
      counters[control.next] = end;
      counters[control.last] = Atomics.load(counters, control.stop);
    }
    meet();
    if (counters[control.last]) return;
  }
}

/** Keeps the gradient for the steps that follow, and clears it. */
function putAway(place: number): void {
  const { start } = table;
  const { touched, touchedCount, values, isTouched } = gradient;
  let entries = 0;
  for (let i = 0; i < touchedCount; i++) entries += start[touched[i] + 1] - start[touched[i]];
  const kept = stash[place];
  if (kept.rows.length < touchedCount) kept.rows = arrays.int32(2 * touchedCount);
  if (kept.values.length < entries) kept.values = arrays.float64(2 * entries);
  const { rows, values: keptValues } = kept;
  let at = 0;
  for (let i = 0; i < touchedCount; i++) {
    const row = touched[i];
    const end = start[row + 1];
    rows[i] = row;
    isTouched[row] = 0;
    for (let e = start[row]; e < end; e++) {
      keptValues[at++] = values[e];
      values[e] = 0;
    }
  }
  gradient.touchedCount = 0;
  data.batch[3 * place] = rows.byteOffset;
  data.batch[3 * place + 1] = keptValues.byteOffset;
  data.batch[3 * place + 2] = touchedCount;
}

/** A step along the gradient of one example, of the rows that are this thread's. */
function stepOwnRows(place: number, step: number): void {
  const { start } = table;
  const { batch } = data;
  const { buffer } = arrays.memory;
  const count = batch[3 * place + 2];
  const rows = new Int32Array(buffer, batch[3 * place] >>> 0, count);
  let entries = 0;
  for (let i = 0; i < count; i++) entries += start[rows[i] + 1] - start[rows[i]];
  const kept = new Float64Array(buffer, batch[3 * place + 1] >>> 0, entries);
  const { values } = gradient;
  let at = 0;
  for (let i = 0; i < count; i++) {
    const row = rows[i];
    const first = start[row];
    const size = start[row + 1] - first;
    if (row % threads === thread) {
      gradient.touch(row);
      for (let e = 0; e < size; e++) values[first + e] = kept[at + e];
    }
    at += size;
  }
  stepAlong(loops, adagrad, gradient, table, options, step);
}

/** Looks at the others this often before it sleeps: most come within the time that waking up would take. */
const LOOKS = 4000;

/** Waits until all threads are here. */
function meet(): void {
  const meeting = Atomics.load(counters, control.meetings);
  if (Atomics.add(counters, control.waiting, 1) === threads - 1) {
    Atomics.store(counters, control.waiting, 0);
    Atomics.add(counters, control.meetings, 1);
    Atomics.notify(counters, control.meetings);
  } else {
    for (let look = 0; look < LOOKS; look++) if (Atomics.load(counters, control.meetings) !== meeting) return;
    while (Atomics.load(counters, control.meetings) === meeting) Atomics.wait(counters, control.meetings, meeting);
  }
}

function judge(examples: Int32Array, weights: Float64Array): (Judged & { index: number })[] {
  const judged: (Judged & { index: number })[] = [];
  for (;;) {
    const index = Atomics.add(counters, control.next, 1);
    if (index >= examples.length) return judged;
    judged.push({ index, ...learner.judge(examples[index], weights) });
  }
}
