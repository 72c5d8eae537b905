// Lines with their numbers from a file, standard input (`-`) or any stream: gzip unpacked when the first bytes say so, UTF-8
// strictly, a byte order mark dropped, lines ended by LF or CRLF, the last one with or without. Whole chunks are cut at
// once, so a line costs little; memory is that of a chunk and the longest line.

import { isUtf8 } from "node:buffer";
import { closeSync, createReadStream, openSync, read, readSync, statSync } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGunzip } from "node:zlib";
import { InputError } from "../util/errors.js";
import { lineCount } from "./byte-blocks.js";
import { LONGEST_LINE } from "./limits.js";
import type { ByteBlock, ByteStream, LineBlock, LineOptions, LineSource, Lines } from "./line-blocks.js";

const chunkBytes = 1 << 16;

const newline = 0x0a;
const carriageReturn = 0x0d;

/** The lines of a source, named after it. */
export function openLines(source: LineSource, options: LineOptions = {}): Lines {
  const file = options.file ?? (typeof source === "string" ? source : undefined);
  return { file, blocks: readLineBlocks(source, { file }) };
}

/** The lines of a source, a block at a time. */
export async function* readLineBlocks(source: LineSource, options: LineOptions = {}): AsyncGenerator<LineBlock> {
  if (typeof source === "object" && "lines" in source) yield source;
  else for await (const block of readByteBlocks(source, options)) yield decoded(block);
}

/** Lines as bytes, as they were read. */
export interface CheckedBytes extends ByteBlock {
  bytes: Buffer;
}

/** The same as bytes. */
export async function* readByteBlocks(
  source: string | ByteStream,
  options: LineOptions = {},
): AsyncGenerator<CheckedBytes> {
  const file = options.file ?? (typeof source === "string" ? source : undefined);
  let first = 1;
  let started = false;
  let pending: Buffer[] = []; // what follows the last newline so far
  let pendingBytes = 0;
  const takeBlock = (isLast = false) => {
    let bytes = pending.length === 1 ? pending[0] : Buffer.concat(pending, pendingBytes);
    if (!started && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
    started = true;
    checkText(bytes, first, file);
    const block = { first, count: lineCount(bytes), bytes, isLast };
    first += block.count;
    return block;
  };
  for await (const chunk of plainChunks(source, file)) {
    const end = chunk.lastIndexOf(newline);
    if (end >= 0) {
      pending.push(chunk.subarray(0, end));
      pendingBytes += end;
      yield takeBlock();
      pending = [];
      pendingBytes = 0;
    }
    if (end + 1 < chunk.length) {
      pending.push(chunk.subarray(end + 1));
      pendingBytes += chunk.length - end - 1;
    }
    if (pendingBytes > LONGEST_LINE) {
      throw new InputError(`the line is longer than ${LONGEST_LINE >> 20} MiB, the limit`, {
        file,
        line: first,
        hint: "is this a text file? Its lines end with LF or CRLF",
      });
    }
  }
  if (pendingBytes > 0) {
    const block = takeBlock(true);
    if (block.first > 1 || block.count > 1 || lineOf(block.bytes) !== "") yield block;
  }
}

/** Cuts a block into lines. */
export function decoded({ first, bytes, isLast }: CheckedBytes): LineBlock {
  const lines: string[] = [];
  const hasReturns = bytes.includes(carriageReturn);
  const ends: string[] | undefined = hasReturns || isLast ? [] : undefined;
  // Decoded line by line: a token cut from one text of the whole block would keep the block in memory.
  for (let begin = 0; begin <= bytes.length; ) {
    let end = bytes.indexOf(newline, begin);
    if (end < 0) end = bytes.length;
    lines.push(lineOf(bytes, begin, end));
    ends?.push(`${bytes[end - 1] === carriageReturn ? "\r" : ""}${isLast && end === bytes.length ? "" : "\n"}`);
    begin = end + 1;
  }
  return ends ? { first, lines, ends } : { first, lines };
}

/** The text of a line, without the carriage return at its end. */
function lineOf(bytes: Buffer, begin = 0, end = bytes.length): string {
  return bytes.toString("utf8", begin, end > begin && bytes[end - 1] === carriageReturn ? end - 1 : end);
}

/** Refuses what is not UTF-8, zero bytes, and carriage returns other than before a newline or the end. */
function checkText(bytes: Buffer, first: number, file: string | undefined): void {
  if (!isUtf8(bytes) || bytes.includes(0)) throw notText(bytes, first, file);
  for (let at = bytes.indexOf(carriageReturn); at >= 0; at = bytes.indexOf(carriageReturn, at + 1)) {
    if (at + 1 === bytes.length || bytes[at + 1] === newline) continue;
    const before = bytes.subarray(0, at);
    const begin = before.lastIndexOf(newline) + 1;
    throw new InputError("a carriage return inside the line", {
      file,
      line: first + lineCount(before) - 1,
      column: before.toString("utf8", begin).length + 1,
      hint: "end lines with LF or CRLF",
    });
  }
}

function notText(bytes: Buffer, first: number, file: string | undefined): InputError {
  const wide = bytes.includes(0) || (first === 1 && (bytes[0] | 1) === 0xff && (bytes[1] | 1) === 0xff);
  const hint = wide
    ? "is it UTF-16 or a binary file? Save it as UTF-8 text"
    : `save it as UTF-8 text; if it is Latin-1: iconv -f latin1 -t utf-8 ${file === undefined || file === "-" ? "FILE" : file} > FILE.utf8`;
  let begin = 0;
  for (let line = first; ; line++) {
    const next = bytes.indexOf(newline, begin);
    const part = bytes.subarray(begin, next < 0 ? bytes.length : next);
    if (!isUtf8(part)) return new InputError("the text is not valid UTF-8", { file, line, hint });
    if (part.includes(0)) return new InputError("a zero byte in the text", { file, line, hint });
    begin = next + 1;
  }
}

/** The bytes of a source, unpacked if they are gzip. */
export async function* plainChunks(source: string | ByteStream, file: string | undefined): AsyncGenerator<Buffer> {
  const raw = rawChunks(source, file);
  try {
    let head: Buffer = Buffer.alloc(0);
    while (head.length < 2) {
      const next = await raw.next();
      if (next.done) break;
      head = Buffer.concat([head, next.value]);
    }
    if (head[0] === 0x1f && head[1] === 0x8b) yield* unpacked(head, raw, file);
    else {
      if (head.length > 0) yield head;
      yield* raw;
    }
  } finally {
    await raw.return(undefined);
  }
}

async function* unpacked(head: Buffer, rest: AsyncGenerator<Buffer>, file: string | undefined): AsyncGenerator<Buffer> {
  async function* packed() {
    yield head;
    yield* rest;
  }
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  // The iteration below receives every error; the pipeline only has to pass it on.
  pipeline(Readable.from(packed(), { objectMode: false }), gunzip, () => {});
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof InputError) throw error;
    const cut = (error as NodeJS.ErrnoException).code === "Z_BUF_ERROR";
    throw new InputError(cut ? "the gzip file is truncated" : "the gzip file is damaged", {
      file,
      hint: "download or compress it again",
      cause: error,
    });
  }
}

async function* rawChunks(source: string | ByteStream, file: string | undefined): AsyncGenerator<Buffer> {
  try {
    if (typeof source === "string" && source !== "-" && statSync(source).isFile()) {
      yield* fileChunks(source);
      return;
    }
    const stream =
      typeof source !== "string"
        ? source
        : source === "-"
          ? process.stdin
          : createReadStream(source, { highWaterMark: chunkBytes });
    for await (const chunk of stream) yield bufferOf(chunk);
  } catch (error) {
    throw error instanceof InputError ? error : fileError(error, file);
  }
}

/** The same bytes with what a buffer can do. */
function bufferOf(chunk: string | Uint8Array): Buffer {
  if (typeof chunk === "string") return Buffer.from(chunk);
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

const readChunk = promisify(read);

/** A file's bytes. The first are read at once: setting up a stream takes longer than reading a short file. */
async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  const file = openSync(path, "r");
  try {
    let chunk = Buffer.allocUnsafeSlow(chunkBytes);
    let length = readSync(file, chunk, 0, chunkBytes, null);
    while (length > 0) {
      yield chunk.subarray(0, length);
      chunk = Buffer.allocUnsafeSlow(chunkBytes);
      length = (await readChunk(file, chunk, 0, chunkBytes, null)).bytesRead;
    }
  } finally {
    closeSync(file);
  }
}

const fileReasons: Record<string, string> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "this is a folder, not a file",
  EACCES: "no permission to read the file",
  EPERM: "no permission to read the file",
};

/** What the operating system said about a file, in plain words. */
export function fileError(error: unknown, file: string | undefined): InputError {
  if (file === "") return new InputError("the name of a file is empty", { cause: error });
  const { code, message } = error as NodeJS.ErrnoException;
  return new InputError(fileReasons[code ?? ""] ?? `the file cannot be read (${code ?? message})`, {
    file,
    cause: error,
  });
}
