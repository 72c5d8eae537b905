// Model files on disk, packed with gzip or not. Reading refuses what cannot be a model before it reads the whole of it.

import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { plainChunks } from "../formats/lines.js";
import { errorCode, type FileKind, messageOf } from "../formats/safe-file.js";
import { InputError } from "../util/errors.js";
import { readyModelFile } from "./ready.js";
import { checkModelHead, damaged, HEAD_BYTES, LENGTH_BYTES, sizeByHeader } from "./safetensors.js";

export { writeFileSafely } from "../formats/safe-file.js";

/** Whether the bytes that a file begins with are those of a file that Stargram wrote, whole or cut short. */
function isStargramHead(head: Uint8Array): boolean {
  try {
    checkModelHead(head, Number.POSITIVE_INFINITY);
  } catch {
    return false;
  }
  // Other programs write the same layout, without our metadata. Keys are ASCII whatever the rest is.
  return asciiOf(head).includes('"stargram.crc32":"');
}

function asciiOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

const checkpointMark = '"stargram.kind":"checkpoint"';

export const modelFile: FileKind = {
  name: "a Stargram model",
  headBytes: 1 << 20,
  isOurs: (head) => isStargramHead(head) && !asciiOf(head).includes(checkpointMark),
};

export const checkpointFile: FileKind = {
  name: "a training checkpoint",
  headBytes: 1 << 24, // the history of a long training stands before the kind
  isOurs: (head) => isStargramHead(head) && asciiOf(head).includes(checkpointMark),
};

/** 2 GiB, the most that Node reads in one go; trained models take some tens of megabytes. */
export const MAX_MODEL_BYTES = 2 ** 31 - 1;

/** The file of a model: that at the path or, where there is none, the one of that name that comes with the package. */
export function modelPath(path: string): string {
  return existsSync(path) ? path : (readyModelFile(path) ?? path);
}

/** The bytes of a model, given by its path or by the name under which it comes with the package. */
export async function readModelBytes(path: string): Promise<Uint8Array> {
  return readFileBytes(modelPath(path));
}

/**
 * The bytes of a model file, unpacked and in a buffer of their own, so that tensors can be views of it. A file is read in one
 * go: that takes less time than the decoding that follows, which nothing else can run beside either.
 */
async function readFileBytes(path: string): Promise<Uint8Array> {
  let file: number | undefined;
  try {
    const status = statSync(path);
    if (status.isDirectory()) throw new InputError("is a folder, not a model file", { file: path });
    if (status.isFIFO()) return await readStream(path);
    if (!status.isFile()) throw new InputError("is not a file", { file: path });
    if (status.size > MAX_MODEL_BYTES) throw tooLarge(path);

    file = openSync(path, "r");
    const head = new Uint8Array(Math.min(HEAD_BYTES, status.size));
    readInto(head, file);
    if (isPacked(head)) return await readStream(path);
    checkModelHead(head, status.size, path);
    const bytes = new Uint8Array(status.size);
    return bytes.subarray(0, readInto(bytes, file));
  } catch (error) {
    throw error instanceof InputError ? error : readError(error, path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Fills `bytes` from the start of the file and returns how many there were. */
function readInto(bytes: Uint8Array, file: number): number {
  let done = 0;
  while (done < bytes.length) {
    const more = readSync(file, bytes, done, bytes.length - done, done);
    if (more === 0) break;
    done += more;
  }
  return done;
}

/**
 * A pipe, or a file that is unpacked on the way. What is no model is refused as soon as its head is there, and what is longer
 * than its header says as soon as it is: a few kilobytes of gzip may stand for gigabytes.
 */
async function readStream(path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let headerEnd: number | undefined; // in bytes, once the head is there
  let most: number | undefined; // bytes in all, once the header is there
  for await (const chunk of plainChunks(path, path)) {
    chunks.push(chunk);
    length += chunk.length;
    if (headerEnd === undefined && length >= HEAD_BYTES) {
      headerEnd = LENGTH_BYTES + checkModelHead(joined(chunks, length), Number.POSITIVE_INFINITY, path);
    }
    if (most === undefined && headerEnd !== undefined && length >= headerEnd) {
      most = sizeByHeader(joined(chunks, length).subarray(LENGTH_BYTES, headerEnd), path);
    }
    if (length > MAX_MODEL_BYTES) throw tooLarge(path);
    if (most !== undefined && length > most)
      throw damaged(`bytes too many after its last tensor: ${length - most} or more`, path);
  }
  const bytes = joined(chunks, length);
  checkModelHead(bytes, length, path);
  return bytes;
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, done);
    done += chunk.length;
  }
  return bytes;
}

/** By the first bytes of gzip. */
function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function tooLarge(path: string): InputError {
  return new InputError("too large to be a Stargram model (more than 2 GiB)", { file: path });
}

function readError(cause: unknown, path: string): InputError {
  switch (errorCode(cause)) {
    case "ENOENT":
      return new InputError("there is no such file", { file: path, cause });
    case "ENOTDIR":
      return new InputError("there is no such file: part of its path is a file, not a folder", { file: path, cause });
    case "EISDIR":
      return new InputError("is a folder, not a model file", { file: path, cause });
    case "EACCES":
    case "EPERM":
      return new InputError("no permission to read the file", { file: path, cause });
    default:
      return new InputError(`the file cannot be read: ${messageOf(cause)}`, { file: path, cause });
  }
}
