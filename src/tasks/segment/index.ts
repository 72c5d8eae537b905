// Segmenters alone, for programs that load no other models: `import { decodeSegmenter } from "stargram/tasks/segment"`.

import { decodeWith } from "../../model/kind.js";
import { segmenterCodec } from "./codec.js";
import type { Segmenter } from "./segmenter.js";

export type { SegmentedText } from "./example.js";
export { type Segment, Segmenter, type SegmenterPrediction } from "./segmenter.js";

/** The segmenter that the bytes of a model file hold. */
export function decodeSegmenter(bytes: Uint8Array, file?: string): Segmenter {
  return decodeWith(segmenterCodec, bytes, file);
}
