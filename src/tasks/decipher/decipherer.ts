// The decipherer: finds the substitution behind a cipher text using only plain text of the same language. The hidden
// text follows the language model, every plain symbol is written as a cipher symbol by an unknown table, and EM finds the
// table. The key read from it is refined symbol by symbol. How much to trust each symbol is told by keys drawn in
// proportion to their likelihood: what they all agree on is sure, what they dispute is not.
//
//   const language = LanguageModel.fromText(lines, { level: "char" });
//   const { mapping, plain } = await new Decipherer(language, { oneToOne: true }).solve(readCipher(text, "char").sequences);

import { type Inference, withContexts } from "../../engine/inference.js";
import { type Expecter, LocalExpecter } from "../../learn/em.js";
import { stopOf, unlessAborted } from "../../util/abort.js";
import { areStrings, checkNames } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { belief, doubtRareSymbols, mixWithChance } from "./belief.js";
import { climb } from "./climb.js";
import type { DecipherHooks, Decipherment, DecipherPass, MappedSymbol } from "./decipherment.js";
import { seemsOneToOne } from "./homophones.js";
import type { KeyConfidence } from "./key-confidence.js";
import { BestKey, CANDIDATES, confidenceOf } from "./key-walk.js";
import type { Key } from "./known-key.js";
import type { LanguageModel } from "./language.js";
import { MOST_LETTERS, solveLetters } from "./letter-solver.js";
import { type DeciphererOptions, type GivenDeciphererOptions, readDeciphererOptions } from "./options.js";
import { solveSigns } from "./sign-solver.js";
import { findSlips, type Slip } from "./slips.js";
import { Substitution } from "./substitution.js";
import { likeness, unicityDistance } from "./unicity.js";
import { wordScoreOf } from "./word-score.js";

const solveNames: readonly (keyof DecipherHooks | "known")[] = [
  ...([
    "onPass",
    "onSearch",
    "onWords",
    "begin",
    "candidate",
    "shouldStop",
    "signal",
    "expecter",
    "searchers",
  ] as const),
  "known",
];

/** Exact inference keeps every context; more than this at each place would take all memory. */
const MOST_EXACT = 2000;

/** Walks from the key of EM by default. */
const RESTARTS = 2;

export class Decipherer {
  readonly options: DeciphererOptions;
  readonly inference: Inference;
  /** The one given, cut to the order. */
  readonly language: LanguageModel;

  constructor(language: LanguageModel, given: GivenDeciphererOptions = {}) {
    this.options = readDeciphererOptions(given);
    const most = language.options.order;
    const { order = most } = this.options;
    if (order > most) {
      throw new InputError(`option \`order\` is ${order}, but the language model looks only ${most} symbols back`);
    }
    const { mode, contexts } = this.options;
    const all = language.symbols.size ** order;
    if (mode === "exact" && all > MOST_EXACT) {
      throw new InputError(`exact inference would keep ${all.toLocaleString("en")} contexts at every position`, {
        hint: 'choose 1 for option `order`, or "rcms" for option `mode`',
      });
    }
    this.inference = withContexts({ mode, order, recombine: true, rows: "all" }, contexts);
    this.language = order < most ? language.withOrder(order) : language;
  }

  /** Finds the key of a cipher text. `known` gives plain symbols of cipher symbols. */
  async solve(
    cipher: readonly (readonly string[])[],
    given: DecipherHooks & { known?: Key } = {},
  ): Promise<Decipherment> {
    checkNames(given, solveNames);
    if (!Array.isArray(cipher) || !cipher.every(areStrings)) {
      throw new InputError("the cipher must be sequences of symbols", {
        hint: 'make them from text: readCipher(text, "char").sequences',
      });
    }
    const { known = {}, expecter: making, signal, ...others } = given;
    const hooks = { ...others, shouldStop: stopOf(signal, others.shouldStop) };
    const isLetters = this.language.options.level === "char";
    const hasSigns = isLetters && (this.options.nulls || this.options.nomenclator > 0);
    const { oneToOne = isLetters && !hasSigns && seemsOneToOne(this.language, cipher) } = this.options;
    const options = { ...this.options, oneToOne };
    const substitution = new Substitution(this.language, options, this.inference, cipher, known);
    if (hasSigns) return unlessAborted(signal, () => solveSigns(substitution, hooks));
    const { model, sequences } = substitution;
    const expecter = (): Expecter => making?.(model, sequences) ?? new LocalExpecter(model, sequences);
    return unlessAborted(signal, () => solve(substitution, expecter, hooks));
  }
}

async function solve(cipher: Substitution, expecter: () => Expecter, hooks: DecipherHooks): Promise<Decipherment> {
  const isSearched = cipher.language.options.level === "char" && cipher.plainCount <= MOST_LETTERS;
  const solution =
    isSearched && cipher.options.restarts !== 0 && hooks.begin === undefined
      ? await byLetters(cipher, hooks)
      : await byWords(cipher, expecter, hooks);
  const spaces = cipher.fixedSpace() >= 0 ? 1 : 0;
  const read = cipher.sequences.map((sequence) => sequence.map((x) => solution.found.key[x]));
  const reading = readingOf(cipher, solution.found);
  return {
    ...reading,
    slips: slipsOf(cipher, read, reading),
    logLikelihood: solution.passes.map((pass) => pass.logLikelihood),
    contextLength: solution.passes.map((pass) => pass.contextLength),
    likeness: likeness(cipher.language, read),
    unicity: unicityDistance(cipher.language, cipher.cipherCount - spaces, cipher.options.oneToOne),
    oneToOne: cipher.options.oneToOne,
    restarts: solution.tried,
    recurrences: solution.times,
    stopped: hooks.shouldStop?.() === true,
  };
}

/** A key with what is known of it. */
interface Found {
  /** [cipherCount] */
  key: Int32Array;
  /** [cipherCount][plainCount] share of the keys drawn that have a substitution; undefined if none were drawn. */
  shares?: Float64Array;
  /** [cipherCount][plainCount] as EM expects them, if it was asked. */
  counts?: Float64Array;
  confidence?: KeyConfidence;
}

interface Solved {
  found: Found;
  tried: number;
  times?: number;
  passes: readonly DecipherPass[];
}

/** Letters: keys are searched. */
async function byLetters(cipher: Substitution, hooks: DecipherHooks): Promise<Solved> {
  const { key, shares, tried, times, evidence } = await solveLetters(cipher, hooks);
  if (shares && evidence) {
    const frequency = Float64Array.from(cipher.language.ngram.unigram, Math.exp);
    mixWithChance(shares, belief(evidence), frequency, cipher.allowed);
  }
  return { found: { key, shares }, tried, times, passes: [] };
}

/** Words, and letters without searches or with a key to begin with: EM, and walks from its key. */
async function byWords(cipher: Substitution, expecter: () => Expecter, hooks: DecipherHooks): Promise<Solved> {
  const counter = expecter();
  try {
    const { refine, restarts = RESTARTS } = cipher.options;
    const begin = hooks.begin && cipher.keyGiven(hooks.begin);
    // Without a beginning the counts are equal, so nothing is left to chance.
    const start = begin ? cipher.countsOfKey(begin) : Float64Array.from(cipher.allowed);
    const { counts, passes } = await climb(cipher, start, counter, hooks);
    const best = new BestKey(cipher, cipher.keyOf(counts), counts);
    let walks = 0;
    if (refine) {
      best.improve(best.key);
      if (!begin) walks = await best.shake(restarts, hooks);
    }
    const { key, shares, confidence } = best;
    if (shares) {
      const frequency = Float64Array.from(cipher.language.ngram.unigram.subarray(0, cipher.plainCount), Math.exp);
      doubtRareSymbols(shares, key, cipher.frequency, frequency, cipher.allowed);
    }
    return { found: { key, shares, confidence, counts }, tried: Math.max(1, walks), passes };
  } finally {
    await counter.close();
  }
}

/** A key that is expected to be right to this share is sure enough to tell slips from its errors; so is a reading. */
const SURE = 0.9;

/** Slips at symbols that are sure: those that stand elsewhere, too. */
function slipsOf(
  cipher: Substitution,
  read: readonly Int32Array[],
  { mapping, expectedAccuracy = 0 }: Pick<Decipherment, "mapping" | "expectedAccuracy">,
): Slip[] {
  const words = cipher.language.options.level === "char" ? wordScoreOf(cipher.language) : undefined;
  if (!words || expectedAccuracy < SURE) return [];
  const sure = new Set(
    mapping.filter(({ probability, count }) => probability >= SURE && count > 1).map((m) => m.cipher),
  );
  const symbols = cipher.sequences.flatMap((sequence) => [...sequence]);
  return findSlips(read, cipher.language, words, (at) => sure.has(cipher.alphabet.nameOf(symbols[at])));
}

/** The text under a key, and how sure each symbol of it is. */
function readingOf(
  cipher: Substitution,
  { key, confidence = confidenceOf(cipher, key), shares, counts = Float64Array.from(cipher.allowed) }: Found,
): Pick<Decipherment, "mapping" | "plain" | "drawn" | "expectedAccuracy"> {
  const { cipherCount, plainCount, alphabet, frequency } = cipher;
  const { symbols } = cipher.language;
  const space = cipher.fixedSpace();
  let places = 0;
  let right = 0;
  const mapping = Array.from({ length: cipherCount }, (_, x): MappedSymbol => {
    const candidates = cipher.candidates(x, key[x], counts, CANDIDATES);
    const probabilities = shares
      ? Float64Array.from(candidates, (y) => shares[x * plainCount + y])
      : confidence.probabilities(x, candidates);
    const readings = Array.from(candidates, (y, i) => ({ plain: symbols.nameOf(y), probability: probabilities[i] }));
    const own = readings[candidates.indexOf(key[x])];
    if (x !== space) {
      places += frequency[x];
      right += frequency[x] * own.probability;
    }
    return {
      cipher: alphabet.nameOf(x),
      ...own,
      count: frequency[x],
      others: readings
        .filter((reading) => reading !== own && reading.probability >= 0.01)
        .sort((a, b) => b.probability - a.probability),
    };
  });
  return {
    mapping: mapping.sort((a, b) => b.count - a.count || (a.cipher < b.cipher ? -1 : 1)),
    plain: cipher.sequences.map((sequence) => Array.from(sequence, (x) => symbols.nameOf(key[x]))),
    drawn: shares !== undefined,
    expectedAccuracy: shares === undefined ? undefined : places > 0 ? right / places : 1,
  };
}
