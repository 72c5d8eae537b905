// `--threads` and `--deterministic` of the commands that train.

import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { backend } from "../engine/choice.js";
import { threadCrew } from "../learn/crew.js";
import type { TrainingHooks } from "../learn/training.js";
import { InputError } from "../util/errors.js";
import { threadCount } from "./options.js";
import { say } from "./output.js";

export interface ThreadFlags {
  threads?: number;
  deterministic?: boolean;
}

export function addThreadOptions(command: Command): Command {
  return command
    .option(
      "--threads <n>",
      "number of training threads; with several, models differ slightly from run to run (default 1)",
      threadCount,
    )
    .option(
      "--deterministic",
      "same model, bit for bit, for any number of threads; somewhat slower; WebAssembly kernel only",
    );
}

/** The hook that trains on the threads asked for. One thread needs none, and gives the same model every time. */
export function crewOf(
  { threads = 1, deterministic = false }: ThreadFlags,
  quiet = false,
): Pick<TrainingHooks, "crew"> {
  if (threads === 1 && !deterministic) return {};
  if (backend().name === "wasm") {
    // Threads that do not wait for each other step along gradients that are out of date, the more so while they have no core.
    const most = deterministic ? threads : Math.min(threads, Math.max(1, availableParallelism()));
    if (most < threads && !quiet) say(`${threads} threads, but ${most} cores: training runs on ${most}`);
    return most === 1 && !deterministic ? {} : { crew: threadCrew(most, deterministic) };
  }
  if (deterministic) {
    throw new InputError("--deterministic needs the WebAssembly kernel: the reference kernel gives a different model", {
      hint: "leave out --deterministic, or use the WebAssembly kernel (without STARGRAM_KERNEL=js)",
    });
  }
  if (threads > 1 && !quiet) say("threads need the WebAssembly kernel: training runs on one");
  return {};
}
