// A thread of run.mjs: does some cases of one target, one after the other, and says which it is at.
import { parentPort, workerData } from "node:worker_threads";
import { diceOf } from "./mutate.mjs";
import { targetsOf } from "./targets.mjs";

/** @type {{ models: import("./targets.mjs").Models, name: string, seed: number, from: number, to: number, at: Int32Array }} */
const { models, name, seed, from, to, at } = workerData;

const target = targetsOf(models).find((one) => one.name === name);
if (!target) throw new Error(`no target ${name}`);
await target.prepare?.();
for (let number = from; number < to; number++) {
  Atomics.store(at, 0, number);
  const dice = diceOf(seed, number);
  const bytes = target.make(dice);
  try {
    await target.check(bytes, dice);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ number, bytes, error: text });
  }
}
await target.close?.();
parentPort?.postMessage("done");
