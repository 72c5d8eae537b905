// Prediction on several threads: the lines of the input are cut between sequences into parts, threads predict for the
// parts as they come free, and what they print comes out in the order of the input. A few parts are under way at a time,
// so memory stays constant.

import { Worker } from "node:worker_threads";
import type { ConfidenceCounts } from "../confidence/drift.js";
import { LONGEST_SEQUENCE } from "../formats/limits.js";
import type { LineBlock } from "../formats/line-blocks.js";
import { readLineBlocks } from "../formats/lines.js";
import { watchWorker } from "../learn/watch-worker.js";
import type { Cutting, LearningTask, Predictor } from "../tasks/task.js";
import { InputError, type Place } from "../util/errors.js";
import { say, write } from "./output.js";
import { isByLine, type PredictAsked, predictInputs, writeBlank } from "./predicting.js";
import type { ReviewDesk } from "./review-desk.js";

/** What a thread is given when it starts. */
export interface PredictorData {
  path: string;
  asked: PredictAsked;
  /** The name of the input for errors. */
  file: string;
  isByLine: boolean;
}

/** What a thread found for a part. */
export interface Predicted {
  part: number;
  out: string;
  said: string[];
  answered: number;
  seen: number;
  sureness?: Pick<ConfidenceCounts, "counts" | "count" | "sum">;
  /** An input that could not be read; `out` is what came before it. */
  refused?: { reason: string; place: Place & { hint?: string } };
}

/** Parts that are read before the first of them is printed, for each thread. */
const AHEAD = 8;
/** Parts that a thread is given at a time: it has the next one before it asks. */
const GIVEN = 2;
/** Lines of a part, about: few enough that threads end together, many enough that handing over costs little. */
const PART_LINES = 300;

export async function predictOnThreads(
  task: LearningTask,
  model: Predictor,
  path: string,
  file: string,
  asked: PredictAsked,
  threads: number,
  desk: ReviewDesk,
): Promise<void> {
  const crew = new Predictors(threads);
  const written = new Set<string>();
  let isEmpty = true;
  let gap = 0; // blank lines that are printed when something else is
  let lines = 0;
  const onLines = (count: number): void => {
    lines += count;
  };
  const print = async ({ out, said, answered, seen, sureness, refused }: Predicted): Promise<void> => {
    if (out.trim() === "") gap += out.length;
    else {
      isEmpty = false;
      await writeBlank(gap);
      gap = 0;
      await write(out);
    }
    for (const line of said) {
      if (!written.has(line)) say(line);
      written.add(line);
    }
    desk.answered += answered;
    desk.seen += seen;
    if (sureness) desk.sureness?.join(sureness);
    if (refused) throw new InputError(refused.reason, refused.place);
  };
  const waiting: { blank: number; found: Promise<Predicted> }[] = [];
  const printNext = async (): Promise<void> => {
    const { blank, found } = waiting.shift() as (typeof waiting)[number];
    gap += blank;
    await print(await found);
  };
  try {
    for await (const { blank, block, rereading, isByLine: hasLines } of parts(file, task, model, asked, onLines)) {
      crew.start({ path, asked: { ...asked, rereading }, file, isByLine: hasLines });
      waiting.push({ blank, found: crew.predict(block) });
      if (waiting.length >= AHEAD * threads) await printNext();
    }
    while (waiting.length > 0) await printNext();
    if (!isEmpty) await writeBlank(gap);
    // Without anything to predict for, it is said what one thread would say.
    const blocks = lines > 0 ? [{ first: 1, lines: [""] }] : [];
    if (isEmpty) await predictInputs(task, model, { file, blocks }, asked, desk);
  } finally {
    // What is still under way when something was refused is not waited for.
    for (const { found } of waiting) found.catch(() => undefined);
    await crew.close();
  }
}

interface Part {
  block: LineBlock;
  /** Lines before it that are printed as blank ones. */
  blank: number;
  isByLine: boolean;
  rereading: PredictAsked["rereading"];
}

/** The input cut between examples, with how it is read: as it was said, or found out from the first lines. */
async function* parts(
  file: string,
  task: LearningTask,
  model: Predictor,
  asked: PredictAsked,
  onLines: (count: number) => void,
): AsyncGenerator<Part> {
  const { rereading: given } = asked;
  let cut: Cutting | undefined;
  let held: LineBlock = { first: 1, lines: [] };
  let blank = 0;
  /** Leaves out the blank lines at the beginning of what is held, after the lines that are done. */
  const drop = (done: number): void => {
    let from = done;
    while (from < held.lines.length && held.lines[from].trim() === "") from++;
    blank += from - done;
    held = { first: held.first + from, lines: held.lines.slice(from) };
  };
  const part = (lines: string[], { options, isByLine: hasLines }: Cutting): Part => {
    const isBeside = hasLines && isByLine(asked);
    const before = isBeside ? blank : 0;
    blank = 0;
    const block = { first: held.first, lines };
    return { block, blank: before, isByLine: isBeside, rereading: { ...given, ...options } };
  };
  for await (const { first, lines } of readLineBlocks(file)) {
    onLines(lines.length);
    if (held.lines.length === 0) held = { first, lines: [] };
    for (const line of lines) held.lines.push(line);
    drop(0);
    if (held.lines.length === 0) continue;
    cut ??= task.predicting.cutting(model, held, { ...asked.prediction, ...given }, file);
    for (let end = nextEnd(held.lines, cut.ends); end > 0; end = nextEnd(held.lines, cut.ends)) {
      yield part(held.lines.slice(0, end), cut);
      drop(end);
    }
    // Longer than any sequence may be: whoever reads it will say so.
    if (held.lines.length > 2 * LONGEST_SEQUENCE) break;
  }
  if (cut && (held.lines.length > 0 || blank > 0)) yield part(held.lines, cut);
}

/** Where a part ends: at the end of an input, `PART_LINES` on or the last there is; 0 if there is none. */
function nextEnd(lines: readonly string[], ends: (line: string) => boolean): number {
  for (let end = PART_LINES; end <= lines.length; end++) if (ends(lines[end - 1])) return end;
  for (let end = Math.min(PART_LINES, lines.length); end > 0; end--) if (ends(lines[end - 1])) return end;
  return 0;
}

/** Threads that predict for parts as they come free. */
class Predictors {
  private workers: { worker: Worker; parts: number }[] = [];
  private readonly open = new Map<number, { resolve(found: Predicted): void; reject(error: Error): void }>();
  private readonly queue: { part: number; block: LineBlock }[] = [];
  private next = 0;
  private failure: Error | undefined;

  constructor(private readonly threads: number) {}

  start(workerData: PredictorData): void {
    if (this.workers.length > 0) return;
    this.workers = Array.from({ length: this.threads }, () => {
      const own = { worker: new Worker(new URL("./predict-worker.js", import.meta.url), { workerData }), parts: 0 };
      own.worker.on("message", (found: Predicted) => {
        own.parts--;
        this.handOut();
        this.open.get(found.part)?.resolve(found);
        this.open.delete(found.part);
      });
      watchWorker(own.worker, (error) => {
        this.failure ??= error;
        for (const { reject } of this.open.values()) reject(this.failure);
      });
      return own;
    });
  }

  predict(block: LineBlock): Promise<Predicted> {
    const part = this.next++;
    this.queue.push({ part, block });
    const found = new Promise<Predicted>((resolve, reject) => this.open.set(part, { resolve, reject }));
    found.catch(() => undefined); // whoever waits for it hears of a failure, later perhaps
    if (this.failure) this.open.get(part)?.reject(this.failure);
    else this.handOut();
    return found;
  }

  /** Gives waiting parts to the threads that have the fewest. */
  private handOut(): void {
    while (this.queue.length > 0) {
      const free = this.workers.reduce((least, one) => (one.parts < least.parts ? one : least));
      if (free.parts >= GIVEN) return;
      free.parts++;
      free.worker.postMessage(this.queue.shift());
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map(({ worker }) => worker.terminate()));
  }
}
