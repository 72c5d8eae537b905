// The model file: which kind of model it holds (`stargram.kind`), in which version of the layout (`stargram.version`), and
// a codec for each kind. Works on bytes alone, so it runs in a browser too; disk.ts reads and writes files.

import { decodeKind, encodeKind } from "../model/kind.js";
import type { FileParts } from "../model/parts.js";
import type { TensorFile } from "../model/safetensors.js";
import { decodeLanguage, encodeLanguage } from "../tasks/decipher/codec.js";
import { LanguageModel } from "../tasks/decipher/language.js";
import { decodeTagger, encodeTagger } from "../tasks/tag/codec.js";
import { Tagger } from "../tasks/tag/tagger.js";
import { decodeTransducer, encodeTransducer } from "../tasks/transduce/codec.js";
import { Transducer } from "../tasks/transduce/transducer.js";
import { InputError } from "../util/errors.js";

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

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 40);
}
