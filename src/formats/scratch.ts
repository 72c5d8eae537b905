// A scratch file: room on disk for one training. It loses its name as soon as it is open, where the system allows that, so it is gone
// when the program ends, also by Ctrl-C, an error or a kill. Elsewhere (Windows) it is removed when the program ends, and what a
// killed one left is removed by the next that writes a file in that folder (safe-file.ts).

import { randomBytes } from "node:crypto";
import { accessSync, closeSync, constants, openSync, readSync, statSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Scratch, ScratchFile } from "../learn/scratch.js";
import { InputError } from "../util/errors.js";
import { bytesText } from "../util/text.js";
import { errorCode, messageOf } from "./safe-file.js";

/** Room for trainings whose examples take more than `memory` bytes: files in a folder. */
export function scratchIn(folder: string, memory: number): Scratch {
  return { memory, open: () => new UnnamedFile(folder) };
}

/** Refuses a folder in which no file can be made. */
export function checkScratch(folder: string): void {
  try {
    if (!statSync(folder).isDirectory()) throw new InputError("this is a file, not a folder", { file: folder });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw error instanceof InputError ? error : scratchError(error, folder, 0);
  }
}

class UnnamedFile implements ScratchFile {
  size = 0;
  private readonly file: number;
  /** Undefined when it has no name any more. */
  private path: string | undefined;
  private isClosed = false;

  constructor(private readonly folder: string) {
    this.path = join(folder, `.stargram-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
    try {
      this.file = openSync(this.path, "wx+", 0o600);
    } catch (error) {
      throw scratchError(error, folder, 0);
    }
    this.dropName();
    if (this.path !== undefined) process.on("exit", this.dropName);
  }

  private readonly dropName = (): void => {
    if (this.path === undefined) return;
    try {
      unlinkSync(this.path);
      this.path = undefined;
    } catch {
      // An open file keeps its name here.
    }
  };

  append(bytes: Uint8Array): void {
    this.write(this.size, bytes);
    this.size += bytes.length;
  }

  write(at: number, bytes: Uint8Array): void {
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.file, bytes, done, bytes.length - done, at + done);
      }
    } catch (error) {
      throw scratchError(error, this.folder, this.size);
    }
  }

  read(at: number, into: Uint8Array): void {
    for (let done = 0; done < into.length; ) {
      const count = readSync(this.file, into, done, into.length - done, at + done);
      if (count === 0) throw new Error("the scratch file ends too soon");
      done += count;
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    closeSync(this.file);
    this.dropName();
    process.off("exit", this.dropName);
  }
}

/** What the system said when nothing could be written to a scratch folder, in plain words. */
function scratchError(cause: unknown, folder: string, written: number): InputError {
  const where = { file: folder, cause };
  const hint = "choose another folder with option `scratch`, or allow more memory with option `memory`";
  switch (errorCode(cause)) {
    case "ENOENT":
    case "ENOTDIR":
      return new InputError("the scratch folder does not exist", { ...where, hint });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new InputError("no permission to write to the scratch folder", { ...where, hint });
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new InputError(
        `no space left for data that does not fit into memory${written > 0 ? `, after ${bytesText(written)}` : ""}`,
        { ...where, hint },
      );
    default:
      return new InputError(`data that does not fit into memory cannot be written: ${messageOf(cause)}`, where);
  }
}
