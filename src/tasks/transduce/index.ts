// Transducers alone, for programs that load no other models: `import { decodeTransducer } from "stargram/tasks/transduce"`.

import { decodeWith } from "../../model/kind.js";
import { transducerCodec } from "./codec.js";
import type { Transducer } from "./transducer.js";

export type { SymbolPair } from "../../formats/pair-lines.js";
export { Transducer, type TransducerPrediction } from "./transducer.js";

/** The transducer that the bytes of a model file hold. */
export function decodeTransducer(bytes: Uint8Array, file?: string): Transducer {
  return decodeWith(transducerCodec, bytes, file);
}
