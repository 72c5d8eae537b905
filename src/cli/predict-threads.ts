// Prediction on several threads: the lines of the input are cut between sequences into parts, threads predict for the
// parts as they come free, and what they print comes out in the order of the input. A few parts are under way at a time,
// so memory stays constant.

import { Worker } from "node:worker_threads";
import { InputError, type Place } from "../core/errors.js";
import { detectFormat, type TaggingFormat } from "../data/detect.js";
import { type LineBlock, readLineBlocks } from "../data/lines.js";
import type { Model } from "../model/model.js";
import { Transducer } from "../tasks/transducer.js";
import type { PredictFlags } from "./commands/predict.js";
import { inputNoteOf, taggerOf } from "./input.js";
import { say, write } from "./output.js";
import type { ReviewDesk } from "./review-desk.js";

/** What a thread is given when it starts. */
export interface PredictorData {
  path: string;
  flags: PredictFlags;
  /** The name of the input for errors. */
  file: string;
}

/** What a thread found for a part. */
export interface Predicted {
  part: number;
  out: string;
  said: string[];
  answered: number;
  seen: number;
  /** An input that could not be read; `out` is what came before it. */
  refused?: { reason: string; place: Place & { hint?: string } };
}

/** Parts under way for each thread. */
const AHEAD = 3;

export async function predictOnThreads(
  model: Model,
  path: string,
  file: string,
  flags: PredictFlags,
  desk: ReviewDesk,
): Promise<void> {
  const crew = new Predictors(flags.threads);
  const written = new Set<string>();
  let isEmpty = true;
  const print = async ({ out, said, answered, seen, refused }: Predicted): Promise<void> => {
    await write(out);
    if (out !== "") isEmpty = false;
    for (const line of said) {
      if (!written.has(line)) say(line);
      written.add(line);
    }
    desk.answered += answered;
    desk.seen += seen;
    if (refused) throw new InputError(refused.reason, refused.place);
  };
  const waiting: Promise<Predicted>[] = [];
  try {
    for await (const { block, format } of parts(file, model, path, flags)) {
      crew.start({ path, flags: { ...flags, format: format ?? flags.format }, file });
      waiting.push(crew.predict(block));
      if (waiting.length >= AHEAD * flags.threads) await print(await (waiting.shift() as Promise<Predicted>));
    }
    for (const result of waiting.splice(0)) await print(await result);
    if (isEmpty) throw new InputError(model instanceof Transducer ? "no inputs" : "no sequences", { file });
  } finally {
    // What is still under way when something was refused is not waited for.
    for (const result of waiting) result.catch(() => undefined);
    await crew.close();
  }
}

/** The input cut between sequences; for taggers with its format, given or guessed. */
async function* parts(
  file: string,
  model: Model,
  path: string,
  flags: PredictFlags,
): AsyncGenerator<{ block: LineBlock; format?: TaggingFormat }> {
  const tagger = model instanceof Transducer ? undefined : taggerOf(model, path);
  let format = flags.format ?? (tagger && inputNoteOf(tagger).format);
  let held: LineBlock = { first: 1, lines: [] };
  for await (const { first, lines } of readLineBlocks(file)) {
    if (held.lines.length === 0) held = { first, lines: [] };
    for (const line of lines) held.lines.push(line);
    if (held.lines.every((line) => line.trim() === "")) continue;
    if (tagger) format ??= detectFormat(held.lines, file);
    const end = lastEnd(held.lines, format);
    if (end === 0) continue;
    yield { block: { first: held.first, lines: held.lines.slice(0, end) }, format };
    held = { first: held.first + end, lines: held.lines.slice(end) };
  }
  if (held.lines.some((line) => line.trim() !== "")) yield { block: held, format };
}

/** How many of the lines end with the end of a sequence. */
function lastEnd(lines: readonly string[], format: TaggingFormat | undefined): number {
  const ends = (line: string): boolean => {
    if (format === "columns" || format === "crfsuite") return line.trim() === "";
    if (format === "letters") return line.split("\t", 3)[2] === "-1";
    return true;
  };
  let end = lines.length;
  while (end > 0 && !ends(lines[end - 1])) end--;
  return end;
}

/** Threads that predict for parts as they are given. */
class Predictors {
  private workers: Worker[] = [];
  private readonly open = new Map<number, { resolve(found: Predicted): void; reject(error: Error): void }>();
  private next = 0;

  constructor(private readonly threads: number) {}

  start(workerData: PredictorData): void {
    if (this.workers.length > 0) return;
    this.workers = Array.from({ length: this.threads }, () => {
      const worker = new Worker(new URL("./predict-worker.js", import.meta.url), { workerData });
      worker.on("message", (found: Predicted) => {
        this.open.get(found.part)?.resolve(found);
        this.open.delete(found.part);
      });
      worker.on("error", (error) => {
        for (const { reject } of this.open.values()) reject(error as Error);
      });
      return worker;
    });
  }

  predict(block: LineBlock): Promise<Predicted> {
    const part = this.next++;
    return new Promise((resolve, reject) => {
      this.open.set(part, { resolve, reject });
      this.workers[part % this.threads].postMessage({ part, block });
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}
