// Threads that end before their work is done: nobody may wait for them.

import type { Worker } from "node:worker_threads";
import { MachineError } from "../util/errors.js";

/** Tells of an error of a thread, and of its end, which is one as long as somebody waits. */
export function watchWorker(worker: Worker, fail: (error: Error) => void): void {
  worker.on("error", (error) => fail(error as Error));
  worker.on("exit", () => {
    fail(new MachineError("a thread stopped before its work was done", { hint: "try again with fewer threads" }));
  });
}
