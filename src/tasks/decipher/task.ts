// Deciphering as a task. Nothing is trained on examples: its models are language models, made from plain text, and the
// commands `decipher` and `encipher` do the rest.

import { InputError } from "../../util/errors.js";
import type { Task } from "../task.js";
import { languageCodec } from "./codec.js";
import { contents, contentsText } from "./contents.js";
import type { LanguageModel } from "./language.js";

export const decipherTask: Task<LanguageModel> = {
  name: "decipher",
  kind: "language",
  noun: "language model",
  codec: languageCodec,
  contents,
  contentsText,
  explorable({ options }) {
    if (options.level === "char") return { readsText: true };
    throw new InputError("this is a language model of words; the page solves letter ciphers only");
  },
};
