// What the server and its threads say to each other.
//   load, drop     models, by a number that the server gives them
//   batch          requests, or blocks of them, to predict for; the answers come back together

import type { LineBlock } from "../../formats/line-blocks.js";
import type { PredictAsked } from "../predicting.js";

/** Lines to predict for. */
export interface Work {
  /** The number of the model. */
  model: number;
  asked: PredictAsked;
  /**
   * `document`: a text as `predict` reads it from a file. `values`: a JSON value on every line, each of them one input: a
   * string holds the text of it, an object is a line of JSON Lines.
   */
  form: "document" | "values";
  lines: LineBlock;
}

/** What came of it. */
export interface Outcome {
  /** What `predict` prints. */
  out: string;
  /** What `predict` says to standard error. */
  said: string[];
  /** How many predictions. */
  count: number;
  /** What is wrong with the input. */
  refused?: Refusal;
  /** A fault of ours. */
  fault?: string;
}

export interface Refusal {
  reason: string;
  line?: number;
  column?: number;
  hint?: string;
}

/** A model as threads are given it: one copy of the bytes for all. */
export interface ModelBytes {
  number: number;
  /** As the user calls it, for errors. */
  path: string;
  bytes: Uint8Array;
}

export type ToThread = { load: ModelBytes } | { drop: number } | { batch: Work[] };

export type FromThread =
  | { loaded: number; kind: string; contents: Record<string, unknown> }
  | { refused: number; reason: string; hint?: string }
  | { outcomes: Outcome[] };
