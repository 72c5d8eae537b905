// A reader as a file: rows and weights as arrays, all else as JSON.

import {
  BEGIN,
  type Codec,
  emptyParts,
  PartsReader,
  putTable,
  putTrained,
  putTree,
  readTrained,
} from "stargram/engine";
import { END, symbolCount } from "./code.js";
import { rowSpace } from "./learner.js";
import { MorseReader, morseOptions } from "./reader.js";

export const morseCodec: Codec<MorseReader> = {
  kind: "morse",

  encode(model) {
    const parts = emptyParts();
    putTrained(parts, model);
    putTable(parts, "rows", model.space.table);
    putTree(parts, "ngrams", model.space.families[0].tree);
    parts.tensors.weights = { data: Float32Array.from(model.weights) };
    return parts;
  },

  decode(content, file) {
    const reader = new PartsReader(content, file);
    const trained = readTrained(reader, morseOptions);
    const { order } = trained.options;
    const table = reader.table("rows", symbolCount);
    const rows = { from: 0, to: table.start.length - 1, needed: true };
    // Below the root and its descendants stand letters or the beginning, `order` of them at most.
    const tree = reader.tree("ngrams", rows, (depth) => (depth < order ? [BEGIN, END] : undefined));
    const weights = reader.floats("weights", table.symbols.length);
    return new MorseReader({ ...trained, space: rowSpace(table, tree, order), weights });
  },
};
