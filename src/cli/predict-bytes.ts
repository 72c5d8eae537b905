// Prediction for a file: from bytes to bytes where a task can do that (`bytes`), by text otherwise. Bytes are begun with on this
// thread. If there are many, the rest goes to others in parts that hold whole inputs, and what they print comes out in the order
// of the input; a few parts are under way at a time, so memory stays constant.

import { availableParallelism } from "node:os";
import type { Readable } from "node:stream";
import { cutBytes, joinedBytes } from "../formats/byte-blocks.js";
import { LONGEST_SEQUENCE } from "../formats/limits.js";
import type { ByteBlock, LineBlock } from "../formats/line-blocks.js";
import { type CheckedBytes, decoded, readByteBlocks } from "../formats/lines.js";
import type { BytePredictor, InputUse, LearningTask, Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { writeBytes } from "./output.js";
import type { Refused } from "./predict-parts.js";
import { isPlain, type PredictAsked, predictInputs } from "./predicting.js";
import type { ReviewDesk } from "./review-desk.js";

/** How threads predict for parts. */
export interface BytesReader {
  use: InputUse;
  /** The name of the input for errors. */
  file: string | undefined;
  /** What the predictor that began says to those that go on. */
  settled: unknown;
}

/** What a thread found for a part: what is printed, and what could not be read after that. */
export interface PredictedBytes {
  bytes: Uint8Array;
  refused?: Refused;
}

/** Bytes after which threads are worth their starting: about a second of work. */
const ALONE = 1 << 20;
/** Parts that are read before the first of them is printed, for each thread. */
const AHEAD = 4;

export interface FilePrediction {
  task: LearningTask;
  model: Predictor;
  /** The file of the model, which threads load. */
  path: string;
  asked: PredictAsked;
  desk: ReviewDesk;
  /** Default: all cores from bytes to bytes, else one. */
  threads?: number;
  /** Bytes that are predicted for before threads start. */
  alone?: number;
}

/** Predicts for all inputs of a file or stream, and prints. */
export async function predictFile(source: string | Readable, given: FilePrediction): Promise<void> {
  const { task, model, asked, threads = availableParallelism(), alone = ALONE } = given;
  const file = typeof source === "string" ? source : undefined;
  const blocks = readByteBlocks(source);
  const first = await blocks.next();
  const use: InputUse = { answers: "ignored", asked: { ...asked.rereading, ...asked.prediction } };
  const quick = first.done || !isPlain(asked) ? undefined : task.predicting.bytes?.(model, first.value, use, file);
  if (!quick) return predictText(given, file, textOf(first, blocks));
  let read = 0;
  for (let block = first; !block.done; block = await blocks.next()) {
    const { value } = block;
    const settled = threads > 1 && read >= alone ? quick.settled() : undefined;
    const cut = settled === undefined ? -1 : quick.cut(value.bytes);
    if (cut >= 0) {
      const [own, rest] = cutBytes(value, cut);
      await writeTaken(quick, () => quick.takePart(own));
      return predictRest(quick, rest, blocks, { use, file, settled }, given.path, threads);
    }
    await writeTaken(quick, () => quick.take(value));
    read += value.bytes.length;
  }
  await writeTaken(quick, () => quick.end());
}

/** Does some work and prints what it gave, also if it ended with an error. */
async function writeTaken(quick: BytePredictor, work: () => void): Promise<void> {
  try {
    work();
  } finally {
    await writeBytes(quick.taken());
  }
}

/** Predicts for what is left, on threads. */
async function predictRest(
  quick: BytePredictor,
  begun: ByteBlock | undefined,
  blocks: AsyncIterable<ByteBlock>,
  reader: BytesReader,
  path: string,
  threads: number,
): Promise<void> {
  const { byteThreads } = await import("./predict-threads.js");
  const crew = byteThreads(threads, path, reader);
  const waiting: Promise<PredictedBytes>[] = [];
  const hand = (part: ByteBlock): void => {
    const found = crew.work(part);
    found.catch(() => undefined); // heard of when its turn comes
    waiting.push(found);
  };
  const printNext = async (): Promise<void> => {
    const { bytes, refused } = (await waiting.shift()) as PredictedBytes;
    await writeBytes(bytes);
    if (refused) throw new InputError(refused.reason, refused.place);
  };
  try {
    let held = begun;
    for await (const block of blocks) {
      held = joinedBytes(held, block);
      // Longer than any sequence may be: whoever reads it will say so.
      const cut = held.count > LONGEST_SEQUENCE + 1 ? held.bytes.length : quick.cut(held.bytes);
      if (cut < 0) continue;
      const [part, rest] = cutBytes(held, cut);
      hand(part);
      held = rest;
      if (waiting.length >= AHEAD * threads) await printNext();
    }
    if (held) hand(held);
    while (waiting.length > 0) await printNext();
  } finally {
    await crew.close();
  }
}

/** Predicts by text, on threads if they are asked for. */
async function predictText(
  { task, model, path, asked, desk, threads = 1 }: FilePrediction,
  file: string | undefined,
  blocks: AsyncIterable<LineBlock>,
): Promise<void> {
  if (threads === 1 || file === undefined) return predictInputs(task, model, { file, blocks }, asked, desk);
  const { predictOnThreads } = await import("./predict-threads.js");
  await predictOnThreads(task, model, path, { file, blocks }, asked, threads, desk);
}

/** Blocks of bytes of which the first was taken, as text. */
async function* textOf(
  first: IteratorResult<CheckedBytes, void>,
  rest: AsyncIterable<CheckedBytes>,
): AsyncGenerator<LineBlock> {
  if (first.done) return;
  yield decoded(first.value);
  for await (const block of rest) yield decoded(block);
}
