// What a decipherment gives, and what it tells on its way.

import type { CipherModel, Expecter } from "../../learn/em.js";
import { pause } from "../../util/pause.js";
import type { MakeSearchers } from "./letter-search.js";
import type { ShiftKind } from "./shifts.js";
import type { Slip } from "./slips.js";

/** What is known after an EM pass. */
export interface DecipherPass {
  pass: number;
  /** Of the whole cipher text, under the table that the pass began with. */
  logLikelihood: number;
  /** Average number of symbols remembered. */
  contextLength: number;
  /** Share of the cipher symbols whose best reading has a probability of at least 0.9. */
  settled: number;
  /** Sequences that the beam lost completely. */
  lost: number;
  /** The best key so far, by cipher symbol. */
  key(): Map<string, string>;
  /** The same, each with the share of its places where EM expects it. */
  readings(): Map<string, Reading>;
}

export interface DecipherHooks {
  onPass?: (pass: DecipherPass) => void;
  /** After each search for a key or walk from it; `key` gives the best one so far, by cipher symbol. */
  onSearch?: (restart: number, score: number, best: number, key: () => Map<string, string>) => void;
  /** Letters: while a key in doubt is improved by its score as words; at least `share` of that is done. */
  onWords?: (share: number, best: number, key: () => Map<string, string>) => void;
  /** A key to start with, by cipher symbol, instead of a search. */
  begin?: Readonly<Record<string, string>>;
  /** Letters: a key, by cipher symbol, that is taken on beside those that searches find. */
  candidate?: Readonly<Record<string, string>>;
  /** Asked often; true ends the work with the best key so far. */
  shouldStop?: () => boolean;
  /** Stops in the same way when it is aborted, but without a result: `solve` rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Counts elsewhere, such as on several threads. */
  expecter?: (model: CipherModel, sequences: readonly Int32Array[]) => Expecter;
  /** Letters: searches elsewhere, such as on several threads; the result is the same. */
  searchers?: MakeSearchers;
}
export interface Reading {
  plain: string;
  probability: number;
}

/**
 * A cipher symbol and its reading. The key is the best as a whole: on its own, a symbol in doubt may have a likelier reading
 * among the others.
 */
export interface MappedSymbol extends Reading {
  cipher: string;
  /** Positions where it occurs. */
  count: number;
  /** Other readings with a probability of at least 0.01, most probable first. */
  others: Reading[];
}

export interface Decipherment {
  /** One entry per cipher symbol, the most frequent first. */
  mapping: MappedSymbol[];
  /** The text under the key, [sequence][position]. */
  plain: string[][];
  /** Letters: places where the writer probably meant a letter other than the key gives, if the key itself is certain. */
  slips: Slip[];
  /** For each pass of the EM that gave the key. */
  logLikelihood: number[];
  contextLength: number[];
  /**
   * Whether the probabilities are shares among sampled keys. If not (without restarts or refinement, with a key to start with, or
   * stopped early), each holds only if the rest of the key is right, and says nothing about the key as a whole.
   */
  drawn: boolean;
  /** Expected share of the text that is right, over the sampled keys; known spaces do not count. */
  expectedAccuracy: number | undefined;
  /**
   * How much the text reads like the language, by the bits its symbols take: 1 like the language model's own text, 0 like
   * random symbols. Low: another language, another kind of cipher, or a wrong key.
   */
  likeness: number;
  /** Approximate length of cipher text needed to determine a key of this many symbols (see `unicityDistance`). */
  unicity: number;
  /** Whether keys were one-to-one: no two cipher symbols for the same plain symbol. */
  oneToOne: boolean;
  /** Number of starting points tried. */
  restarts: number;
  /** How many of them ended at this key: a key that was found only once may not be the best. */
  recurrences?: number;
  /** How the text is read, if it is read by shifting letters in the alphabet. If the cipher has a key word, `mapping` is empty. */
  shift?: { kind: ShiftKind; key: string };
  /** Whether `shouldStop` ended the search. */
  stopped: boolean;
}

/** Lets the program breathe; whether it is to stop. */
export async function pausedAndStopped(hooks: DecipherHooks): Promise<boolean> {
  await pause();
  return hooks.shouldStop?.() === true;
}
