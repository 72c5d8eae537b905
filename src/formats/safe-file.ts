// Files that are replaced whole or not at all. Writing goes to a temporary file in the same folder that takes the place of
// the old one in a single step, so a crash, a full disk or Ctrl-C leaves the old content or the new, never half of each.

import type { Stats } from "node:fs";
import { access, constants, open, realpath, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../util/errors.js";

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
    // Loaded here: whoever only reads should not wait for it.
    const { randomBytes } = await import("node:crypto");
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

/** What the system calls an error, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
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

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
