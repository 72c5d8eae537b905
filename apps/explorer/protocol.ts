// What the page and its workers say to each other. The page sends a call with a number, and later perhaps a stop with the
// same number; the worker answers with any number of progress reports and then a result or a failure.

import type { CipherText } from "../../src/browser.js";
import type { Round } from "../../src/engine/budget.js";
import type { Pixels } from "../../src/formats/letters.js";
import type { Answer } from "../../src/metrics/answers.js";
import type { Reading } from "../../src/tasks/decipher/decipherment.js";
import type { Slip } from "../../src/tasks/decipher/slips.js";
import type { SegmentedOutput } from "../../src/tasks/segment/segmenter.js";
import type { PredictOptions, TaggedOutput } from "../../src/tasks/tag/prediction.js";
import type { TaggedSpan } from "../../src/tasks/tag/spans.js";
import type { Explorable } from "../../src/tasks/task.js";
import type { TransducedOutput, TransducerSlot } from "../../src/tasks/transduce/transducer.js";
import type { ModelKind, TestFormat } from "./catalogue.js";
import type { ScriptName } from "./scripts.js";

/** What can be learned from data in the page. */
export const learnTasks = ["tag", "transduce", "segment"] as const;
export type LearnTask = (typeof learnTasks)[number];

/** How contexts are chosen. */
export interface Choice {
  inference: "rcms" | "beam" | "exact";
  contexts: number;
  /** Where these leave doubt, up to so many. */
  most?: number;
  order?: number;
}

/** What is known of a model once a worker has it. */
export interface LoadedModel extends Explorable {
  id: string;
  kind: ModelKind;
  /** The model's own. */
  choice: Choice & { order: number };
  /** Tagger: columns of a token. */
  columns: number;
  /** Tagger of handwritten letters: what its attributes are made of. */
  pixels?: Pixels;
  /** Language model: whether the spaces between words are symbols. */
  spaces: boolean;
  /** Plain symbols or labels, in the order of the model. */
  symbols: string[];
}

export interface ContextView {
  suffix: string[];
  probability: number;
}

export interface ReadResult extends TaggedOutput {
  nbest: TaggedOutput[];
  /** [position][context], heaviest first; none unless they were asked for */
  contexts: ContextView[][];
  /** The passes it took, where there may be more contexts in doubt; else none. */
  rounds: Round[];
  /** [position] by label; none unless they were asked for */
  marginals: Record<string, number>[];
}

export interface TagResult extends TaggedOutput {
  nbest: TaggedOutput[];
  confidences: number[];
  marginals: Record<string, number>[];
  /** What the labels mark, if they do (B-PER I-PER O). */
  spans: TaggedSpan[];
  /** After the model's calibration map, if it has one. */
  calibrated?: number;
}

export interface ExplainResult {
  label: string;
  contributions: { feature: string; weight: number }[];
}

export interface SegmentResult extends SegmentedOutput {
  nbest: SegmentedOutput[];
  /** After the model's calibration map, if it has one. */
  calibrated?: number;
}

/** A model that was learned here. */
export interface LearnResult {
  /** Of its file. */
  bytes: ArrayBuffer;
  /** What came out of what, and how it was judged on what was held out. */
  text: string;
  judged?: string;
  warnings: string[];
  stopped: boolean;
}

export interface PronounceResult {
  nbest: TransducedOutput[];
  slots: TransducerSlot[];
  unknown: string[];
}

/** A piece of a cipher text: text that stays, or the place of a symbol. */
export type CipherPiece = string | { at: number; capital: boolean };

export interface CipherShape {
  kind: CipherText["kind"];
  /** Whether spaces between words are symbols. */
  spaces: boolean;
  /** Cipher symbols in the order of the text. */
  symbols: string[];
  pieces: CipherPiece[];
}

export type Key = [cipher: string, reading: Reading][];

export type DecipherProgress =
  | { stage: "search"; tried: number; score: number; best: number; key: Key }
  | { stage: "words"; share: number; best: number; key: Key }
  | { stage: "pass"; pass: number; logLikelihood: number; contextLength: number; key: Key };

export interface DecipherResult {
  /** With other readings, most probable first. */
  key: [cipher: string, reading: Reading & { others: Reading[]; count: number }][];
  /** Places where the writer probably meant another letter. */
  slips: Slip[];
  /** What to know before trusting it. */
  warnings: string[];
  stopped: boolean;
}

/** Stands where a position has no one true label. */
export const unknownLabel = "_";

/** An input of an evaluation with what the model made of it. */
export interface Judged extends Answer {
  input: string;
  /** Where the input is made of pictures of digits or letters: as hexadecimal pixels. */
  pictures?: { script: ScriptName; texts: string[] };
  output: string;
  truth: string;
}

export interface EvaluateResult {
  judged: Judged[];
  /** What to know before trusting it. */
  warnings: string[];
  stopped: boolean;
}

interface Named {
  model: string;
}

/** Every call: what it is given, what it reports on its way, and what it returns. */
export interface Calls {
  load: {
    params: { id: string; name: string; url?: string; bytes?: ArrayBuffer };
    progress: number;
    result: LoadedModel;
  };
  read: {
    params: Named & { attributes: string[][]; choice: Choice; whole: boolean };
    progress: never;
    result: ReadResult;
  };
  /** [sentence][word][column] */
  tag: { params: Named & { sentences: string[][][]; choice?: Choice }; progress: never; result: TagResult[] };
  explain: {
    params: Named & { columns: string[][]; position: number; label?: string };
    progress: never;
    result: ExplainResult;
  };
  segment: { params: Named & { text: string; choice?: Choice }; progress: never; result: SegmentResult };
  learn: {
    params: { task: LearnTask; text: string; file: string };
    /** `title` says what this training is for, where there are several. */
    progress: { title?: string; pass: number; passes: number; share: number };
    result: LearnResult;
  };
  pronounce: { params: Named & { text: string; choice?: Choice }; progress: never; result: PronounceResult };
  cipher: { params: { text: string; spaces?: boolean }; progress: never; result: CipherShape };
  decipher: {
    params: Named & {
      text: string;
      oneToOne: boolean;
      contexts: number;
      known: Record<string, string>;
      begin?: Record<string, string>;
    };
    progress: DecipherProgress;
    result: DecipherResult;
  };
  evaluate: {
    params: Named & { url?: string; text?: string; file?: string; format: TestFormat; choice?: Choice };
    progress: number;
    result: EvaluateResult;
  };
}

export type CallName = keyof Calls;

export type ToWorker =
  | { [Name in CallName]: { call: number; name: Name; params: Calls[Name]["params"] } }[CallName]
  | { stop: number };

/** `mine`: not the user's fault. */
export type Failure = { message: string; hint?: string; mine: boolean };

export type FromWorker =
  | { call: number; progress: unknown }
  | { call: number; result: unknown }
  | { call: number; failure: Failure };

export type Inference = NonNullable<PredictOptions["inference"]>;
