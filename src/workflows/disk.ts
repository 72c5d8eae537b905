// Models as files on disk.

import { modelFile, readModelBytes, writeFileSafely } from "../model/file.js";
import type { Model } from "../tasks/task.js";
import { decodeModel, encodeModel } from "./model.js";

/** The model in a file. What is no whole and sound model is refused with an InputError. */
export async function loadModel(path: string): Promise<Model> {
  return decodeModel(await readModelBytes(path), path);
}

/**
 * Writes a model; what was at `path` stays as it was if that fails. A file that is not a Stargram model is replaced only with
 * `force`.
 */
export async function saveModel(model: Model, path: string, { force }: { force?: boolean } = {}): Promise<void> {
  await writeFileSafely(path, encodeModel(model), { kind: modelFile, force });
}
