// Which models the page offers: those that come with it, those that `stargram explore` was given, and files opened here.

import type { ScriptName } from "./scripts.js";

/** The views, in the order of the navigation. */
export const views = ["read", "pronounce", "tag", "segment", "decipher", "compare", "trust", "learn"] as const;
export type View = (typeof views)[number];

/** Views that show models of one kind. */
export type ModelView = Exclude<View, "compare" | "trust" | "learn">;

export type ModelKind = "tagger" | "transducer" | "segmenter" | "language";

/** An entry of models/index.json. */
export interface BuiltInModel {
  id: string;
  name: string;
  /** The view that shows it. */
  view: ModelView;
  about: string;
  /** In models/, packed with gzip. */
  file: string;
  /** Packed. */
  bytes: number;
  /** In models/: inputs to look at. */
  examples?: string;
  /** In models/: inputs with their answers, none of which the model has learned from. */
  test?: { file: string; format: TestFormat };
}

/** Pictures of `digits` or `letters`; `sequences`: in any format of tagging data; `pairs`: input TAB output. */
export type TestFormat = ScriptName | "sequences" | "pairs";
