// Checks of the place a model is to be written to, made before hours of training rather than after.

import type { Stats } from "node:fs";
import { access, constants, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { checkOverwrite, type FileKind, targetOf } from "../formats/safe-file.js";
import { modelFile } from "../model/file.js";
import { InputError } from "../util/errors.js";

/** Refuses a path for a model that cannot be written, is one of the inputs, or holds something that is no model. */
export function checkOutput(path: string, inputs: readonly string[], force = false): Promise<{ isFile: boolean }> {
  return checkPlace(path, inputs, modelFile, force);
}

/** Refuses a path that cannot be written, is one of the inputs, or holds a file of another kind that would be lost. */
export async function checkPlace(
  path: string,
  inputs: readonly string[],
  kind: FileKind,
  force = false,
): Promise<{ isFile: boolean }> {
  if (path === "") throw new InputError("the name of the file to write is empty");
  const existing = await statOf(path);
  if (!existing) {
    await checkFolder(await targetOf(path), path); // a symbolic link may lead to nothing yet
    return { isFile: true };
  }
  if (existing.isDirectory()) throw new InputError("is a folder, not a file", { file: path });
  await access(path, constants.W_OK).catch((cause) => {
    throw new InputError("no permission to write here", { file: path, cause });
  });
  if (!existing.isFile()) return { isFile: false };
  const target = await realpath(path);
  for (const input of inputs) {
    if (input !== "-" && (await realpath(input).catch(() => undefined)) === target) {
      throw new InputError("this would replace the data", { file: path, hint: "give the output another name" });
    }
  }
  await checkFolder(target, path);
  await checkOverwrite(path, kind, force);
  return { isFile: true };
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new InputError("part of its path is a file, or may not be read", { file: path, cause: error });
  }
}

/** Refuses `target` if nothing can be made in its folder; the user calls it `path`. */
async function checkFolder(target: string, path: string): Promise<void> {
  const folder = dirname(resolve(target));
  const found = await statOf(folder);
  if (!found) throw new InputError("its folder does not exist", { file: path, hint: `create ${folder} first` });
  await access(folder, constants.W_OK | constants.X_OK).catch((cause) => {
    throw new InputError("no permission to write to its folder", { file: path, cause });
  });
}
