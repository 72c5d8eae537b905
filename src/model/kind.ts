// What a file is: the kind of model it holds (`stargram.kind`), and the version of the layout (`stargram.version`).

import { InputError } from "../util/errors.js";
import type { FileParts } from "./parts.js";
import { decodeTensors, encodeTensors, type TensorFile } from "./safetensors.js";

/** Anything that a model file can hold. */
export interface Model {
  /** What it is, as files name it: `tagger`. */
  readonly kind: string;
}

/** How one kind of model becomes the parts of a file and comes back. */
export interface Codec<M extends Model = Model> {
  readonly kind: string;
  encode(model: M): FileParts;
  decode(content: TensorFile, file?: string): M;
}

/** Written by most. 2: *pass* where 1 has *epoch*, in options and summaries. */
const VERSION = 2;
/**
 * All versions up to it are read. 3: taggers with parts of labels, shortlists or lexicons; transducers with attributes or rows of
 * copies. 4: taggers with an encoder or vectors, ensembles of transducers. 5: transducers with an encoder. 6: an encoder in
 * any other.
 */
const LATEST = 6;

/** A file of any kind, models and checkpoints alike. */
export function encodeKind(kind: string, parts: FileParts): Uint8Array {
  const metadata = { ...parts.metadata, "stargram.kind": kind, "stargram.version": String(parts.version ?? VERSION) };
  return encodeTensors({ metadata, tensors: parts.tensors });
}

export function decodeKind(bytes: Uint8Array, file?: string): { kind: string; content: TensorFile } {
  const content = decodeTensors(bytes, file);
  const kind = content.metadata["stargram.kind"];
  const version = content.metadata["stargram.version"];
  if (kind === undefined || version === undefined || !/^[1-9]\d{0,8}$/.test(version)) {
    throw new InputError("not a Stargram model: it does not say which kind and version it is", { file });
  }
  if (Number(version) > LATEST) {
    throw new InputError(
      `the file was written by a newer Stargram: its layout is version ${version}, this one reads up to version ${LATEST}`,
      { file, hint: "update Stargram: npm install stargram@latest" },
    );
  }
  return { kind, content };
}

/** The bytes of a model of one kind. */
export function encodeWith<M extends Model>(codec: Codec<M>, model: M): Uint8Array {
  return encodeKind(codec.kind, codec.encode(model));
}

/** The model of one kind that bytes hold: for programs that know no other, and so load less. */
export function decodeWith<M extends Model>(codec: Codec<M>, bytes: Uint8Array, file?: string): M {
  const { kind, content } = decodeKind(bytes, file);
  if (kind === codec.kind) return codec.decode(content, file);
  throw new InputError(`this is a model of the kind \`${printable(kind)}\`, not \`${codec.kind}\``, { file });
}

/** A name from a file, so that it can be shown. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 40);
}
