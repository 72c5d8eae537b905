// The model file: which kind of model it holds (`stargram.kind`), in which version of the layout (`stargram.version`), and
// a codec for each kind. Works on bytes alone, so it runs in a browser too; disk.ts reads and writes files.

import { InputError } from "../core/errors.js";
import { LanguageModel } from "../tasks/language.js";
import { Tagger } from "../tasks/tagger.js";
import { Transducer } from "../tasks/transducer.js";
import { decodeLanguage, encodeLanguage } from "./language-codec.js";
import type { FileParts } from "./parts.js";
import { decodeTensors, encodeTensors, type TensorFile } from "./safetensors.js";
import { decodeTagger, encodeTagger } from "./tagger-codec.js";
import { decodeTransducer, encodeTransducer } from "./transducer-codec.js";

/** Everything a model file can hold. */
export type Model = Tagger | Transducer | LanguageModel;

/** How one kind of model becomes the parts of a file and comes back. */
interface Codec<M extends Model> {
  kind: string;
  is(model: unknown): model is M;
  encode(model: M): FileParts;
  decode(content: TensorFile, file?: string): M;
}

const taggerCodec: Codec<Tagger> = {
  kind: "tagger",
  is: (model): model is Tagger => model instanceof Tagger,
  encode: encodeTagger,
  decode: decodeTagger,
};

const transducerCodec: Codec<Transducer> = {
  kind: "transducer",
  is: (model): model is Transducer => model instanceof Transducer,
  encode: encodeTransducer,
  decode: decodeTransducer,
};

const languageCodec: Codec<LanguageModel> = {
  kind: "language",
  is: (model): model is LanguageModel => model instanceof LanguageModel,
  encode: encodeLanguage,
  decode: decodeLanguage,
};

const codecs = [taggerCodec, transducerCodec, languageCodec] as readonly Codec<Model>[];

const VERSION = "1";

/** The bytes of a model file. The same model gives the same bytes. */
export function encodeModel(model: Model): Uint8Array {
  const codec = codecs.find((candidate) => candidate.is(model));
  if (!codec) throw new TypeError("not a model");
  return encodeKind(codec.kind, codec.encode(model));
}

/** The model that bytes hold; anything else is an InputError that names `file`. */
export function decodeModel(bytes: Uint8Array, file?: string): Model {
  const { kind, content } = decodeKind(bytes, file);
  const codec = codecs.find((candidate) => candidate.kind === kind);
  if (codec) return codec.decode(content, file);
  if (kind === "checkpoint") {
    throw new InputError("this is the checkpoint of an unfinished training, not a model", {
      file,
      hint: "go on with the training: stargram train … --resume",
    });
  }
  throw new InputError(`this Stargram does not know models of the kind \`${printable(kind)}\``, {
    file,
    hint: "update it: npm install stargram@latest",
  });
}

/** A file of any kind, models and checkpoints alike. */
export function encodeKind(kind: string, parts: FileParts): Uint8Array {
  const metadata = { ...parts.metadata, "stargram.kind": kind, "stargram.version": VERSION };
  return encodeTensors({ metadata, tensors: parts.tensors });
}

export function decodeKind(bytes: Uint8Array, file?: string): { kind: string; content: TensorFile } {
  const content = decodeTensors(bytes, file);
  const kind = content.metadata["stargram.kind"];
  const version = content.metadata["stargram.version"];
  if (kind === undefined || version === undefined || !/^[1-9]\d{0,8}$/.test(version)) {
    throw new InputError("not a Stargram model: it does not say which kind and version it is", { file });
  }
  if (version !== VERSION) {
    throw new InputError(
      `the file was written by a newer Stargram: its layout is version ${version}, this one reads version ${VERSION}`,
      { file, hint: "update Stargram: npm install stargram@latest" },
    );
  }
  return { kind, content };
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 40);
}
