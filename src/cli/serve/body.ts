// The bodies of requests: as a whole, within limits of size and time, or line by line as they come.

import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { joinedBlocks, type LineBlock } from "../../formats/line-blocks.js";
import { readLineBlocks } from "../../formats/lines.js";
import { Refused } from "../loopback.js";

export interface BodyLimits {
  /** Bytes of a body that is read as a whole, and of a line of one that is not. */
  bytes: number;
  /** For a whole body, and between two pieces of one that is read line by line. */
  milliseconds: number;
}

/** All of a body. */
export async function wholeBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limits.bytes) throw tooLong(limits);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const [pieces, stop] = stoppable(request);
  const slow = setTimeout(() => stop(tooSlow(limits)), limits.milliseconds);
  try {
    for await (const chunk of pieces) {
      bytes += chunk.length;
      if (bytes > limits.bytes) throw tooLong(limits);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(slow);
  }
  return Buffer.concat(chunks);
}

/** The lines of a text in one block. Bytes that are packed are refused: unpacked they might be of any size. */
export async function linesOf(bytes: Buffer): Promise<LineBlock> {
  refusePacked(bytes);
  let all: LineBlock = { first: 1, lines: [] };
  for await (const block of readLineBlocks(Readable.from([bytes]))) all = joinedBlocks(all, block);
  return all;
}

/** The lines of a body as they come, some at a time. */
export async function* lineBlocks(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<LineBlock> {
  try {
    yield* readLineBlocks(Readable.from(checked(request, limits)));
  } catch (error) {
    // Whoever reads lines takes what stops it for trouble with a file.
    const { cause } = error as Error;
    throw cause instanceof Refused ? cause : error;
  }
}

async function* checked(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<Buffer> {
  const [chunks, stop] = stoppable(request);
  const watch = () => setTimeout(() => stop(tooSlow(limits)), limits.milliseconds);
  let slow = watch();
  let sinceLine = 0; // bytes
  let isFirst = true;
  try {
    for await (const chunk of chunks) {
      if (isFirst) refusePacked(chunk);
      isFirst = false;
      const end = chunk.lastIndexOf(10);
      sinceLine = end < 0 ? sinceLine + chunk.length : chunk.length - end - 1;
      if (sinceLine > limits.bytes) throw tooLong(limits, "a line");
      // While nothing is asked for, nobody waits for the client.
      clearTimeout(slow);
      yield chunk;
      slow = watch();
    }
  } finally {
    clearTimeout(slow);
  }
}

function refusePacked(bytes: Buffer): void {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new Refused(415, "send text, not gzip");
}

/** What comes of a request, until it is over or stopped: the connection stays, so that the client can be told why. */
function stoppable(request: IncomingMessage): [AsyncIterable<Buffer>, (why: Refused) => void] {
  let stop: (why: Refused) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  stopped.catch(() => undefined);
  async function* chunks(): AsyncGenerator<Buffer> {
    const all = request.iterator({ destroyOnReturn: false });
    for (;;) {
      const next = await Promise.race([all.next(), stopped]);
      if (next.done) return;
      yield next.value as Buffer;
    }
  }
  return [chunks(), stop];
}

function tooLong({ bytes }: BodyLimits, what = "the body"): Refused {
  return new Refused(413, `${what} is longer than ${bytes} bytes, the limit (--max-body)`);
}

function tooSlow({ milliseconds }: BodyLimits): Refused {
  return new Refused(408, `the body did not arrive within ${milliseconds / 1000} s (--time-limit)`);
}

/** Writes a piece of an answer, and waits while the client does not read; one that never does is left. */
export async function writePiece(response: ServerResponse, text: string, milliseconds: number): Promise<void> {
  if (response.destroyed) throw new Refused(499, "the client has gone");
  if (response.write(text)) return;
  await new Promise<void>((resolve, reject) => {
    const end = (act: () => void) => () => {
      clearTimeout(slow);
      response.off("drain", drained).off("close", closed);
      act();
    };
    const drained = end(resolve);
    const closed = end(() => reject(new Refused(499, "the client has gone")));
    const slow = setTimeout(() => response.destroy(), milliseconds);
    response.once("drain", drained).once("close", closed);
  });
}
