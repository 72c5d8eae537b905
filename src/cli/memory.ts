// `--memory` and `--scratch` of the commands that train: how much memory a training may take, and where on disk the rest goes.

import { totalmem } from "node:os";
import { dirname } from "node:path";
import { type Command, Option } from "commander";
import { checkScratch, scratchIn } from "../formats/scratch.js";
import type { MemorySizes, Scratch } from "../learn/scratch.js";
import { aKind, type LearningTask } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { bytesText } from "../util/text.js";

export interface MemoryFlags {
  memory?: number;
  scratch?: string;
}

/** Of the machine's memory, or of what the container may have. */
const USUAL_SHARE = 0.5;
/** A training takes about this much whatever the data. */
const LEAST = 300e6;

/** Where a task has no use for them, they are understood and refused with the reason. */
export function addMemoryOptions(command: Command, { learning }: LearningTask): Command {
  const memory = new Option(
    "--memory <size>",
    "approximate memory limit of training, such as 2GB; data beyond it is read from disk (default: half of the machine's)",
  ).argParser(memorySize);
  const scratch = new Option(
    "--scratch <folder>",
    "folder for data that does not fit into memory (default: that of the model)",
  );
  for (const option of [memory, scratch]) command.addOption(option.hideHelp(!learning.takesScratch));
  return command;
}

const units: Readonly<Record<string, number>> = { M: 1e6, G: 1e9, T: 1e12 };

/** Bytes of `2GB`, `1.5G`, `500MB`. */
export function memorySize(text: string): number {
  const match = /^(\d+(?:\.\d+)?) ?([MGT])B?$/i.exec(text.trim());
  const bytes = match ? Number(match[1]) * units[match[2].toUpperCase()] : Number.NaN;
  if (bytes >= LEAST) return bytes;
  throw new InputError(`--memory must be a size of at least ${bytesText(LEAST)}, such as 2GB, not \`${text}\``);
}

/** Room for a training; `saved` is the memory that one to be resumed had. */
export function scratchOf(
  task: LearningTask,
  flags: MemoryFlags,
  out: string | undefined,
  saved?: number,
): Scratch | undefined {
  const { memory, scratch } = flags;
  if (!task.learning.takesScratch) {
    if (memory === undefined && scratch === undefined) return undefined;
    const flag = memory === undefined ? "--scratch" : "--memory";
    throw new InputError(`${flag} cannot be used here: training ${aKind(task)} keeps all examples in memory`, {
      hint: `leave out ${flag}; if memory runs out, train on fewer examples`,
    });
  }
  if (scratch !== undefined) checkScratch(scratch);
  const folder = scratch ?? (out === undefined ? "." : dirname(out));
  return { ...scratchIn(folder, memory ?? saved ?? usualMemory()), sizes: givenSizes() };
}

/** Sizes for tests, in place of those that follow from the memory. */
function givenSizes(): Partial<MemorySizes> | undefined {
  const { STARGRAM_SIZES } = process.env;
  return STARGRAM_SIZES ? JSON.parse(STARGRAM_SIZES) : undefined;
}

function usualMemory(): number {
  return Math.max(LEAST, Math.floor(USUAL_SHARE * machineMemory()));
}

/** Bytes of the machine, or of what the container may have. */
export function machineMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory?.() || Number.POSITIVE_INFINITY);
}
