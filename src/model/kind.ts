// What a file is: the kind of model it holds (`stargram.kind`), and the version of the layout (`stargram.version`).

import { InputError } from "../util/errors.js";
import type { FileParts } from "./parts.js";
import { decodeTensors, encodeTensors, type TensorFile } from "./safetensors.js";

/** Written; all versions up to it are read. 2: *pass* where 1 has *epoch*, in options and summaries. */
const VERSION = 2;

/** A file of any kind, models and checkpoints alike. */
export function encodeKind(kind: string, parts: FileParts): Uint8Array {
  const metadata = { ...parts.metadata, "stargram.kind": kind, "stargram.version": String(VERSION) };
  return encodeTensors({ metadata, tensors: parts.tensors });
}

export function decodeKind(bytes: Uint8Array, file?: string): { kind: string; content: TensorFile } {
  const content = decodeTensors(bytes, file);
  const kind = content.metadata["stargram.kind"];
  const version = content.metadata["stargram.version"];
  if (kind === undefined || version === undefined || !/^[1-9]\d{0,8}$/.test(version)) {
    throw new InputError("not a Stargram model: it does not say which kind and version it is", { file });
  }
  if (Number(version) > VERSION) {
    throw new InputError(
      `the file was written by a newer Stargram: its layout is version ${version}, this one reads up to version ${VERSION}`,
      { file, hint: "update Stargram: npm install stargram@latest" },
    );
  }
  return { kind, content };
}
