// Data from files, standard input or streams, one example at a time, in constant memory.

import type { LineOptions, LineSource } from "./line-blocks.js";
import { openLines } from "./lines.js";
import type { SymbolPair } from "./pair-lines.js";
import { type ParsePairsOptions, parsePairs } from "./pairs.js";
import type { TaggingSequence } from "./sequence.js";
import { type ParseTaggingOptions, parseTagging } from "./tagging.js";

export interface ReadTaggingOptions extends ParseTaggingOptions, LineOptions {}
export interface ReadPairsOptions extends ParsePairsOptions, LineOptions {}

/** The sequences of a source: a path, `-` for standard input, or a stream of bytes. */
export function readTagging(source: LineSource, options: ReadTaggingOptions): AsyncGenerator<TaggingSequence> {
  return parseTagging(openLines(source, options), options);
}

/** The pairs of a source: a path, `-` for standard input, or a stream of bytes. */
export function readPairs(source: LineSource, options: ReadPairsOptions = {}): AsyncGenerator<SymbolPair> {
  return parsePairs(openLines(source, options), options);
}
