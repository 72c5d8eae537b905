// Deciphering alone: `import { Decipherer, decodeLanguage } from "stargram/tasks/decipher"`.

import { decodeWith } from "../../model/kind.js";
import { languageCodec } from "./codec.js";
import type { LanguageModel } from "./language.js";

export { readCipher } from "./cipher-text.js";
export { Decipherer } from "./decipherer.js";
export { LanguageModel } from "./language.js";
export { warnings } from "./warnings.js";

/** The language model that the bytes of a model file hold. */
export function decodeLanguage(bytes: Uint8Array, file?: string): LanguageModel {
  return decodeWith(languageCodec, bytes, file);
}
