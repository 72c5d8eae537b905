// Models as files on disk.

import { readModelBytes, writeFileSafely } from "../model/file.js";
import { decodeModel, encodeModel, type Model } from "./model.js";

/** The model in a file. What is no whole and sound model is refused with an InputError. */
export async function loadModel(path: string): Promise<Model> {
  return decodeModel(await readModelBytes(path), path);
}

/** Writes a model; what was at `path` stays as it was if that fails. */
export async function saveModel(model: Model, path: string): Promise<void> {
  await writeFileSafely(path, encodeModel(model));
}
