// Files that are replaced whole or not at all. Writing goes to a temporary file in the same folder that takes the place of
// the old one in a single step, so a crash, a full disk or Ctrl-C leaves the old content or the new, never half of each.
// A temporary file that a killed process left is removed by the next one that writes to its folder. What Stargram did not
// write is never replaced unless the user says so (`checkOverwrite`).

import { type Stats, unlinkSync } from "node:fs";
import {
  access,
  constants,
  type FileHandle,
  link,
  lstat,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { InputError } from "../util/errors.js";

/** A kind of file that Stargram writes, and how to know one by its content. */
export interface FileKind {
  /** With its article: `a Stargram model`. */
  name: string;
  /** `head`: the first `headBytes` bytes of a file of `size` bytes, or all of it if that is less. */
  isOurs(head: Uint8Array, size: number): boolean;
  headBytes: number;
}

export interface WriteOptions {
  /** If given, a file of another kind is not replaced. */
  kind?: FileKind;
  /** Replace whatever is there. */
  force?: boolean;
}

/**
 * The one answer to "may this be overwritten?": yes if nothing is there, if it is empty, if it is a file of the kind that is
 * to be written, or if the user forces it. Else an InputError. Devices and pipes hold nothing that could be lost.
 */
export async function checkOverwrite(path: string, kind: FileKind, force = false): Promise<void> {
  if (force) return;
  const existing = await statIfThere(path);
  if (!existing?.isFile() || existing.size === 0) return;
  const head = new Uint8Array(Math.min(kind.headBytes, existing.size));
  const file = await open(path, "r");
  let length: number;
  try {
    length = await readFully(file, head);
  } finally {
    await file.close();
  }
  if (kind.isOurs(head.subarray(0, length), existing.size)) return;
  throw new InputError(`a file exists here that is not ${kind.name}; it is unchanged`, {
    file: path,
    hint: "choose another name, or replace it with the option `force`",
  });
}

async function readFully(file: FileHandle, bytes: Uint8Array): Promise<number> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** Writes all of `bytes` to `path`, or leaves what was there as it was. A symbolic link keeps pointing where it did. */
export async function writeFileSafely(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
  try {
    if (options.kind) await checkOverwrite(path, options.kind, options.force);
    const target = await targetOf(path);
    const existing = await statIfThere(target);
    if (existing?.isDirectory()) throw new InputError("is a folder, not a file", { file: path });
    if (existing && !existing.isFile()) {
      await writeFile(target, bytes); // A device or a pipe (`/dev/stdout`) has no old content to keep.
      return;
    }
    // Replacing a file needs no right to write to it, so ask: whoever made it read-only meant to keep it.
    if (existing) await access(target, constants.W_OK);
    await replaceFile(target, bytes, existing);
  } catch (error) {
    throw error instanceof InputError ? error : writeError(error, path);
  }
}

async function replaceFile(target: string, bytes: Uint8Array, existing: Stats | undefined): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const temporary = await TemporaryFile.create(dirname(target));
    try {
      if (existing) await temporary.handle.chmod(existing.mode & 0o777);
      await temporary.handle.writeFile(bytes);
      return await temporary.replace(target);
    } catch (error) {
      // Another machine may have swept it from a shared folder; once more, then.
      const isSwept = errorCode(error) === "ENOENT" && (await statIfThere(dirname(target))) !== undefined;
      if (!isSwept || attempt > 1) throw error;
    } finally {
      await temporary.drop();
    }
  }
}

/** Removed if the process ends in good order before they have taken their places. */
const unfinished = new Set<string>();

function removeUnfinished(): void {
  for (const path of unfinished) {
    try {
      unlinkSync(path);
    } catch {
      // gone already
    }
  }
}

/** A file that is being written under a name of its own, until it takes its place. */
export class TemporaryFile {
  private constructor(
    private readonly path: string,
    readonly handle: FileHandle,
  ) {}

  /** `folder`: that of the file to be written, so that it can be moved there in one step. */
  static async create(folder: string): Promise<TemporaryFile> {
    await sweep(folder);
    // Loaded here: whoever only reads should not wait for it. Code that comes from the cache of the command cannot `import()` it.
    const { randomBytes } = process.getBuiltinModule("node:crypto");
    const path = join(folder, `.stargram-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
    const file = new TemporaryFile(path, await open(path, "wx"));
    if (unfinished.size === 0) process.on("exit", removeUnfinished);
    unfinished.add(path);
    return file;
  }

  /** Puts the file, which is then complete on the disk, in the place of whatever is at `target`. */
  async replace(target: string): Promise<void> {
    await this.handle.sync();
    await this.handle.close();
    await rename(this.path, target);
    this.forget();
    await syncFolder(dirname(target));
  }

  /** The same, but fails with `EEXIST` if there is anything at `target`. */
  async place(target: string): Promise<void> {
    await this.handle.sync();
    await this.handle.close();
    try {
      await link(this.path, target);
      await unlink(this.path);
    } catch (error) {
      if (errorCode(error) === "EEXIST") throw error;
      // A file system without links: between the look and the move somebody could be quicker, hardly ever.
      if (await lstat(target).catch(() => undefined)) throw Object.assign(new Error("file exists"), { code: "EEXIST" });
      await rename(this.path, target);
    }
    this.forget();
    await syncFolder(dirname(target));
  }

  /** Removes what has not taken its place. */
  async drop(): Promise<void> {
    if (!unfinished.has(this.path)) return;
    await this.handle.close().catch(() => undefined);
    await unlink(this.path).catch(() => undefined);
    this.forget();
  }

  private forget(): void {
    unfinished.delete(this.path);
    if (unfinished.size === 0) process.off("exit", removeUnfinished);
  }
}

const temporaryName = /^\.stargram-(?:(\d+)-)?[0-9a-f]{16}\.tmp$/;
/** A file that is being written changes all the time; one of a process that is gone is old after this, in ms. */
const abandonedAfter = 60_000;
/** Process numbers of other machines and containers say nothing here: what is as old as this is nobody's, in ms. */
const forgottenAfter = 24 * 3600_000;
const swept = new Set<string>();

/** Removes temporary files that processes left which were killed. Once for each folder: reading a large one takes time. */
async function sweep(folder: string): Promise<void> {
  const place = resolve(folder);
  if (swept.has(place)) return;
  swept.add(place);
  const names = await readdir(place).catch(() => []);
  for (const name of names) {
    const match = temporaryName.exec(name);
    if (!match) continue;
    const path = join(place, name);
    const status = await lstat(path).catch(() => undefined);
    if (!status?.isFile()) continue;
    const age = Date.now() - status.mtimeMs;
    const isAbandoned = match[1] !== undefined && age > abandonedAfter && !isRunning(Number(match[1]));
    if (isAbandoned || age > forgottenAfter) await unlink(path).catch(() => undefined);
  }
}

/** Whether there is a process of this number on this machine. */
export function isRunning(processNumber: number): boolean {
  if (!(processNumber > 0)) return false;
  try {
    process.kill(processNumber, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

const mostLinks = 40; // as many as Linux follows

/** Where a path leads through symbolic links, also when nothing is there yet. */
export async function targetOf(path: string): Promise<string> {
  let place = path;
  for (let links = 0; links <= mostLinks; links++) {
    const found = await lstat(place).catch(() => undefined);
    if (!found?.isSymbolicLink()) return found ? realpath(place) : place;
    place = resolve(await realpath(dirname(place)), await readlink(place));
  }
  throw new InputError("a symbolic link that points to itself", { file: path });
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

/** What the system said when a file could not be written, in plain words. */
export function writeError(cause: unknown, path: string): InputError {
  switch (errorCode(cause)) {
    case "ENOENT":
      return new InputError("its folder does not exist", { file: path, cause, hint: `create ${dirname(path)} first` });
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
