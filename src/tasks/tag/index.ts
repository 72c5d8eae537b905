// Taggers alone, for programs that load no other models: `import { decodeTagger } from "stargram/tasks/tag"`.

import { decodeWith } from "../../model/kind.js";
import { taggerCodec } from "./codec.js";
import type { Tagger } from "./tagger.js";

export type { TaggingSequence } from "../../formats/sequence.js";
export type { TaggerPrediction } from "./prediction.js";
export { Tagger } from "./tagger.js";

/** The tagger that the bytes of a model file hold. */
export function decodeTagger(bytes: Uint8Array, file?: string): Tagger {
  return decodeWith(taggerCodec, bytes, file);
}
// Word classes from text, for `lexicon`
export { clusterWords, type WordClass } from "../../learn/cluster-words.js";
