// Model files on disk. Writing goes to a temporary file in the same folder that takes the place of the old one in a
// single step, so a crash, a full disk or Ctrl-C leaves the old model or the new one, never half of each.
// Reading refuses what cannot be a model before it reads the whole of it.

import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { access, constants, type FileHandle, open, realpath, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../core/errors.js";
import { checkModelHead, HEAD_BYTES } from "./safetensors.js";

/** 2 GiB, the most that Node reads in one go; trained models take some tens of megabytes. */
export const MAX_MODEL_BYTES = 2 ** 31 - 1;

/** Writes all of `bytes` to `path`, or leaves what was there as it was. A symbolic link keeps pointing where it did. */
export async function writeFileSafely(path: string, bytes: Uint8Array): Promise<void> {
  let temporary: string | undefined;
  try {
    const target = await realpath(path).catch(() => path);
    const existing = await statIfThere(target);
    if (existing?.isDirectory()) throw new InputError("is a folder, not a file", { file: path });
    if (existing && !existing.isFile()) {
      await writeFile(target, bytes); // A device or a pipe (`/dev/stdout`) has no old content to keep.
      return;
    }
    // Replacing a file needs no right to write to it, so ask: whoever made it read-only meant to keep it.
    if (existing) await access(target, constants.W_OK);

    const folder = dirname(target);
    temporary = join(folder, `.stargram-${randomBytes(8).toString("hex")}.tmp`);
    const handle = await open(temporary, "wx");
    try {
      if (existing) await handle.chmod(existing.mode & 0o777);
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
    temporary = undefined;
    await syncFolder(folder);
  } catch (error) {
    throw error instanceof InputError ? error : writeError(error, path);
  } finally {
    if (temporary !== undefined) await unlink(temporary).catch(() => undefined);
  }
}

/** The bytes of a model file, in a buffer of their own, so that tensors can be views of it. */
export async function readModelBytes(path: string): Promise<Uint8Array> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    const status = await handle.stat();
    if (status.isDirectory()) throw new InputError("is a folder, not a model file", { file: path });
    if (status.isFIFO()) return await readPipe(handle, path);
    if (!status.isFile()) throw new InputError("is not a file", { file: path });
    if (status.size > MAX_MODEL_BYTES) throw tooLarge(path);

    const head = new Uint8Array(Math.min(HEAD_BYTES, status.size));
    await readInto(head, handle);
    checkModelHead(head, status.size, path);
    const bytes = new Uint8Array(status.size);
    return bytes.subarray(0, await readInto(bytes, handle));
  } catch (error) {
    throw error instanceof InputError ? error : readError(error, path);
  } finally {
    await handle?.close();
  }
}

/** Fills `bytes` from the start of the file and returns how many there were. */
async function readInto(bytes: Uint8Array, handle: FileHandle): Promise<number> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

async function readPipe(handle: FileHandle, path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_MODEL_BYTES) throw tooLarge(path);
  }
  const bytes = new Uint8Array(length);
  let done = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, done);
    done += chunk.length;
  }
  return bytes;
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes the new name last through a power cut. Some systems cannot open a folder: then the name is safe enough. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function tooLarge(path: string): InputError {
  return new InputError("too large to be a Stargram model (more than 2 GiB)", { file: path });
}

function readError(cause: unknown, path: string): InputError {
  switch (errorCode(cause)) {
    case "ENOENT":
      return new InputError("no such file", { file: path, cause });
    case "ENOTDIR":
      return new InputError("no such file: part of its path is a file, not a folder", { file: path, cause });
    case "EISDIR":
      return new InputError("is a folder, not a model file", { file: path, cause });
    case "EACCES":
    case "EPERM":
      return new InputError("no permission to read the file", { file: path, cause });
    default:
      return new InputError(`the file cannot be read: ${messageOf(cause)}`, { file: path, cause });
  }
}

function writeError(cause: unknown, path: string): InputError {
  switch (errorCode(cause)) {
    case "ENOENT":
      return new InputError("its folder does not exist", { file: path, cause, hint: `make ${dirname(path)} first` });
    case "ENOTDIR":
      return new InputError("part of its path is a file, not a folder", { file: path, cause });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new InputError("no permission to write here", { file: path, cause });
    case "ENOSPC":
    case "EDQUOT":
      return new InputError("no space left to write the file; what was there is unchanged", { file: path, cause });
    default:
      return new InputError(`the file cannot be written: ${messageOf(cause)}`, { file: path, cause });
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
