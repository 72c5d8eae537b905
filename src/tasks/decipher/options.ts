// Options of the decipherer, declared once.

import {
  choice,
  defaultsOf,
  flag,
  type GivenOptions,
  type OptionsOf,
  readOptions,
  real,
  whole,
  wholeOrRange,
} from "../../util/options.js";
import { spacesChoices } from "./cipher-text.js";

export const deciphererOptions = {
  /** How many symbols back a decision looks, at most the language model's order. */
  order: whole("how many symbols back the language model looks", { least: 0, otherwise: "as far as it can" }),
  /** How many contexts each position keeps besides `⋆`. */
  contexts: wholeOrRange("contexts to keep at each position; 10..60: more than 10 only where uncertain", {
    least: 0,
    usual: 60,
  }),
  mode: choice("how contexts are chosen", ["rcms", "beam", "exact"], {
    value: "mode",
    usual: "rcms",
    aliases: ["inference"],
  }),
  /** Added to every expected count of a substitution. */
  smoothing: real("smoothing added to counts of substitutions", { least: 0, above: true, usual: 0.01 }),
  /** Maximum number of EM passes. */
  passes: whole("maximum number of EM passes", { least: 1, usual: 20 }),
  /** EM ends when a pass improves the log-likelihood per symbol by less than this. */
  tolerance: real("stop EM when a pass gains less log-likelihood per symbol than this", { least: 0, usual: 1e-3 }),
  /**
   * No two cipher symbols stand for the same plain symbol. Default: detected. It is assumed if letters are enciphered, there are
   * no more cipher symbols than letters, and their frequencies are as uneven.
   */
  oneToOne: flag("no two cipher symbols stand for the same plain symbol", {
    otherwise: "detected for letters, off for words",
    off: "several cipher symbols may stand for one plain symbol",
  }),
  /**
   * Number of restarts. Letters: each is a search for a good key; by default they continue, each longer than the last, until the
   * best key was found three times or searches have become long. Words: EM runs first; each restart perturbs its key and improves
   * it again. 0: only EM, with probabilities that hold if the rest of the key is right.
   */
  restarts: whole("number of restarts", {
    least: 0,
    otherwise: "letters: until the best key recurs; words: 2",
  }),
  /** Changes of the key that each search tries: a new reading for one symbol, or two readings swapped. */
  moves: whole("changes of the key that each search tries", {
    least: 1,
    otherwise: "few at first, more while searches disagree",
  }),
  /** After EM, give every symbol the reading that fits best with all others, until nothing changes. False: keep EM's key. */
  refine: flag("refine the key symbol by symbol after EM", {
    usual: true,
    off: "do not refine the key symbol by symbol after EM",
  }),
  /** Letters: signs may be nulls, which stand for nothing. For texts without spaces. */
  nulls: flag("letters: some signs may stand for nothing", { usual: false }),
  /**
   * Letters: signs may also stand for whole words, one of this many most frequent words of the plain text. For texts without
   * spaces.
   */
  nomenclator: whole("letters: some signs may stand for one of this many most frequent words, such as 200", {
    least: 0,
    most: 2000,
    usual: 0,
  }),
  /**
   * Spaces between words. `known`: the cipher text has them. `unknown`: spaces in the cipher text mean nothing. `enciphered`: a
   * cipher symbol stands for them. Default: `known` if the cipher text has spaces, otherwise `unknown`.
   */
  spaces: choice("letters: role of spaces", spacesChoices, { otherwise: "detected" }),
  seed: whole("random seed", { usual: 1 }),
};

export type DeciphererOptions = OptionsOf<typeof deciphererOptions>;
/** Options of which none is open. */
export type SettledOptions = DeciphererOptions & { oneToOne: boolean };
export type GivenDeciphererOptions = GivenOptions<typeof deciphererOptions>;

export const deciphererDefaults = defaultsOf(deciphererOptions);

export function readDeciphererOptions(given: GivenDeciphererOptions): DeciphererOptions {
  // Values of before that said: nothing is said.
  const open = { order: -1, restarts: -1, spaces: "found" };
  const said = Object.entries(given).filter(([name, value]) => open[name as keyof typeof open] !== value);
  const options = readOptions(deciphererOptions, Object.fromEntries(said));
  if (options.mode === "beam" || typeof options.contexts === "object") {
    readOptions({ contexts: wholeOrRange("", { least: 1, usual: 1 }) }, { contexts: options.contexts });
  }
  return options;
}
