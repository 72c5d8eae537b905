// The decipherer: finds the substitution behind a cipher text with nothing but plain text of the same language. The hidden
// text follows the language model, every plain symbol is written as a cipher symbol by an unknown table, and EM finds the
// table. The key read from it is refined symbol by symbol. How much to trust each symbol is told by keys drawn in
// proportion to their likelihood: what they all agree on is sure, what they dispute is not.
//
//   const language = LanguageModel.fromText(lines, { level: "char" });
//   const { mapping, plain } = await new Decipherer(language, { oneToOne: true }).solve(readCipher(text, "char").sequences);

import type { Inference } from "../../engine/trellis.js";
import { type Expecter, LocalExpecter } from "../../learn/em.js";
import { areStrings, checkNames } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { climb } from "./climb.js";
import type { DecipherHooks, Decipherment, MappedSymbol } from "./decipherment.js";
import { searchFirstKey } from "./first-key.js";
import { SEARCH_SYMBOLS } from "./key-search.js";
import { BestKey, CANDIDATES } from "./key-walk.js";
import type { Key } from "./known-key.js";
import type { LanguageModel } from "./language.js";
import { type DeciphererOptions, type GivenDeciphererOptions, readDeciphererOptions } from "./options.js";
import { Substitution } from "./substitution.js";
import { likeness, unicityDistance } from "./unicity.js";

const solveNames: readonly (keyof DecipherHooks | "known")[] = [
  ...(["onPass", "onSearch", "begin", "shouldStop", "expecter"] as const),
  "known",
];

/** Exact inference keeps every context; more than this at each place would take all memory. */
const MOST_EXACT = 2000;

/** Beginnings to try by default: searches of keys, and walks from the key of EM. */
const RESTARTS = { searches: 60, walks: 2 };

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
      throw new InputError(`exact inference would keep ${all.toLocaleString("en")} contexts at every place`, {
        hint: 'choose 1 for option `order`, or "rcms" for option `mode`',
      });
    }
    this.inference = { mode, contexts, order, recombine: true, rows: "all" };
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
    const { known = {}, expecter: making, ...hooks } = given;
    const substitution = new Substitution(this.language, this.options, this.inference, cipher, known);
    const { model, sequences } = substitution;
    const expecter = making?.(model, sequences) ?? new LocalExpecter(model, sequences);
    try {
      return await solve(substitution, expecter, hooks);
    } finally {
      await expecter.close();
    }
  }
}

async function solve(cipher: Substitution, expecter: Expecter, hooks: DecipherHooks): Promise<Decipherment> {
  const { oneToOne, refine } = cipher.options;
  const searches = cipher.plainCount <= SEARCH_SYMBOLS && hooks.begin === undefined;
  const { restarts = searches ? RESTARTS.searches : RESTARTS.walks } = cipher.options;
  const first = searches && restarts > 0 ? await searchFirstKey(cipher, restarts, hooks) : undefined;
  const begin = first?.key ?? (hooks.begin && cipher.keyGiven(hooks.begin));
  // Without a beginning the counts are equal, so nothing is left to chance.
  const run = await climb(
    cipher,
    begin ? cipher.countsOfKey(begin) : Float64Array.from(cipher.allowed),
    expecter,
    hooks,
  );
  const best = new BestKey(cipher, cipher.keyOf(run.counts), run.counts);
  let walks = 0;
  if (refine) {
    // EM may have lost a good key that it was given, above all in short ciphers.
    if (first) best.improve(cipher.completed(first.key, run.counts));
    best.improve(best.key);
    if (first) {
      await best.settle(
        first.drawn.map((key) => cipher.completed(key, run.counts)),
        hooks,
      );
    } else if (!searches && !hooks.begin) walks = await best.shake(restarts, hooks);
  }
  const spaces = cipher.fixedSpace() >= 0 ? 1 : 0;
  const read = cipher.sequences.map((sequence) => sequence.map((x) => best.key[x]));
  return {
    ...readingOf(cipher, best, run.counts),
    logLikelihood: run.passes.map((pass) => pass.logLikelihood),
    contextLength: run.passes.map((pass) => pass.contextLength),
    likeness: likeness(cipher.language, read),
    unicity: unicityDistance(cipher.language, cipher.cipherCount - spaces, oneToOne),
    restarts: first ? first.tried : Math.max(1, walks),
    stopped: hooks.shouldStop?.() === true,
  };
}

/** The text under a key, and how sure each symbol of it is. */
function readingOf(
  cipher: Substitution,
  { key, confidence, shares }: BestKey,
  counts: Float64Array,
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
