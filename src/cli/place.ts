// Checks of the place a model is to be written to, made before hours of training rather than after.

import type { Stats } from "node:fs";
import { access, constants, open, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { checkModelHead, HEAD_BYTES } from "../model/safetensors.js";
import { InputError } from "../util/errors.js";

/** Refuses a path for a model that cannot be written, is one of the inputs, or holds something that is no model. */
export async function checkOutput(path: string, inputs: readonly string[]): Promise<{ isFile: boolean }> {
  const place = await checkPlace(path, inputs);
  if (place.size !== undefined) await checkIsModel(path, place.size);
  return { isFile: place.isFile };
}

/** Refuses a path that cannot be written or is one of the inputs. `size`: of the file that is there, if one is. */
export async function checkPlace(path: string, inputs: readonly string[]): Promise<{ isFile: boolean; size?: number }> {
  if (path === "") throw new InputError("the name of the file to write is empty");
  const existing = await statOf(path);
  if (!existing) {
    await checkFolder(path);
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
  await checkFolder(target);
  return { isFile: true, size: existing.size };
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new InputError("part of its path is a file, or may not be read", { file: path, cause: error });
  }
}

async function checkFolder(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  const found = await statOf(folder);
  if (!found) throw new InputError("its folder does not exist", { file: path, hint: `make ${folder} first` });
  await access(folder, constants.W_OK | constants.X_OK).catch((cause) => {
    throw new InputError("no permission to write to its folder", { file: path, cause });
  });
}

/** Whoever names a file that is no model by mistake would lose it. */
async function checkIsModel(path: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  const handle = await open(path, "r");
  try {
    const head = new Uint8Array(Math.min(HEAD_BYTES, bytes));
    await handle.read(head, 0, head.length, 0);
    checkModelHead(head, bytes, path);
  } catch (cause) {
    throw new InputError("there is a file that is no Stargram model; it will not be replaced", {
      file: path,
      hint: "give --out another name, or remove the file",
      cause,
    });
  } finally {
    await handle.close();
  }
}
