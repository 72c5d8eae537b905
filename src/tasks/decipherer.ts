// The decipherer: finds the substitution behind a cipher text with nothing but plain text of the same language. The hidden
// text follows the language model, every plain symbol is written as a cipher symbol by an unknown table, and EM finds the
// table. The key read from it is refined symbol by symbol, and says of each how much to trust it.
//
//   const language = LanguageModel.fromText(lines, { level: "char" });
//   const { mapping, plain } = await new Decipherer(language, { oneToOne: true }).solve(readCipher(text, "char").sequences);

import { Alphabet } from "../core/alphabet.js";
import { bestAssignment } from "../core/assignment.js";
import { InputError, unknownName } from "../core/errors.js";
import type { Inference } from "../core/trellis.js";
import { type CipherModel, type Expectations, type Expecter, emissionsOf, LocalExpecter } from "../learn/em.js";
import { KeyConfidence } from "../learn/key-confidence.js";
import { KeySearch, keySearchDefaults, SEARCH_SYMBOLS } from "../learn/key-search.js";
import { generator, uniform } from "../learn/random.js";
import { type LanguageModel, SPACE } from "./language.js";

export interface DeciphererOptions {
  /** Symbols back that a decision looks, at most the language model's order; -1 for all of it. */
  order: number;
  /** How many contexts each place keeps beside `⋆`. */
  contexts: number;
  inference: "rcms" | "beam" | "exact";
  /** Added to every expected count of a substitution. */
  smoothing: number;
  /** EM passes at most. */
  passes: number;
  /** EM ends when a pass gains less log-likelihood than this for each symbol. */
  tolerance: number;
  /** No two cipher symbols stand for the same plain symbol. */
  oneToOne: boolean;
  /**
   * Beginnings to try. With few plain symbols each is a search for a good key, which ends early when the best key has been
   * found three times; EM goes on from the best. With many, each is an EM of its own. -1: 60 and 1.
   */
  restarts: number;
  /** Changes of the key that each search tries. */
  moves: number;
  /**
   * After EM, give every symbol the reading that fits best with all others, until nothing changes. A key that was searched
   * for has been through this, and EM has since smoothed over what the writer got wrong: it stays.
   */
  refine: boolean;
  seed: number;
}

export const deciphererDefaults: DeciphererOptions = {
  order: -1,
  contexts: 60,
  inference: "rcms",
  smoothing: 0.01,
  passes: 20,
  tolerance: 1e-3,
  oneToOne: false,
  restarts: -1,
  moves: keySearchDefaults.moves,
  refine: true,
  seed: 1,
};

/** What is known after an EM pass. */
export interface DecipherPass {
  restart: number;
  pass: number;
  /** Of the whole cipher text, under the table that the pass began with. */
  logLikelihood: number;
  /** Average number of symbols remembered. */
  contextLength: number;
  /** Share of the cipher symbols whose best reading has a probability of at least 0.9. */
  settled: number;
  /** Sequences the beam lost altogether. */
  lost: number;
  /** The best key so far, by cipher symbol. */
  key(): Map<string, string>;
}

export interface DecipherHooks {
  onPass?: (pass: DecipherPass) => void;
  /** After each search for a first key. */
  onSearch?: (restart: number, score: number, best: number) => void;
  /** Asked often; true ends the work with the best key so far. */
  shouldStop?: () => boolean;
  /** Counts in another way, such as on several threads. */
  expecter?: (model: CipherModel, sequences: readonly Int32Array[]) => Expecter;
}

export interface Reading {
  plain: string;
  probability: number;
}

/** A cipher symbol and its reading. The probability holds if the rest of the key is right. */
export interface MappedSymbol extends Reading {
  cipher: string;
  /** Places where it stands. */
  count: number;
  /** Other readings with a probability of at least 0.01, most probable first. */
  others: Reading[];
}

export interface Decipherment {
  /** One entry a cipher symbol, the most frequent first. */
  mapping: MappedSymbol[];
  /** The text under the key, [sequence][position]. */
  plain: string[][];
  /** Of each pass of the EM that gave the key. */
  logLikelihood: number[];
  contextLength: number[];
  /** Beginnings tried. */
  restarts: number;
  /** Ended by `shouldStop`. */
  stopped: boolean;
}

/** Above this the table of substitutions takes too much memory. */
const MOST_SUBSTITUTIONS = 30_000_000;

/** Exact inference keeps every context; more than this at each place would take all memory. */
const MOST_EXACT = 2000;

/** A search for keys looks at so many symbols of the text at most: enough to tell a key, and it stays quick. */
const MOST_SEARCHED = 2000;

const SETTLED = 0.9;

/** Readings of a symbol that are weighed against each other: with more plain symbols, those EM expects most. */
const CANDIDATES = 500;

/** Rounds of refinement at most; three or four are usual. */
const ROUNDS = 10;

export class Decipherer {
  readonly options: DeciphererOptions;
  readonly inference: Inference;

  constructor(
    readonly language: LanguageModel,
    given: Partial<DeciphererOptions> = {},
  ) {
    this.options = readOptions(given);
    const most = language.options.order;
    const order = this.options.order < 0 ? most : this.options.order;
    if (order > most) {
      throw new InputError(`option \`order\` is ${order}, but the language model looks only ${most} symbols back`);
    }
    const { inference, contexts } = this.options;
    const all = language.symbols.size ** order;
    if (inference === "exact" && all > MOST_EXACT) {
      throw new InputError(`exact inference would keep ${all.toLocaleString("en")} contexts at every place`, {
        hint: "choose order 1, or inference rcms",
      });
    }
    this.inference = { mode: inference, contexts, order, recombine: true, rows: "all" };
  }

  /** Finds the key of a cipher text. `known` gives plain symbols of cipher symbols. */
  async solve(
    cipher: readonly (readonly string[])[],
    given: DecipherHooks & { known?: Readonly<Record<string, string>> } = {},
  ): Promise<Decipherment> {
    const task = new Task(this, cipher, given.known ?? {});
    const expecter = (given.expecter ?? ((model, sequences) => new LocalExpecter(model, sequences)))(
      task.model,
      task.sequences,
    );
    try {
      return await task.solve(expecter, given);
    } finally {
      await expecter.close();
    }
  }
}

/** One EM run. */
interface Run {
  counts: Float64Array;
  logEmission: Float64Array;
  passes: DecipherPass[];
  /** It began with a searched key. */
  searched: boolean;
}

/** One cipher text with all that belongs to it. */
class Task {
  readonly alphabet = new Alphabet();
  readonly sequences: Int32Array[];
  readonly model: CipherModel;
  /** [cipherCount] places of each symbol. */
  private readonly frequency: Float64Array;
  /** [cipherCount][plainCount] 0 where a substitution is known not to be. */
  private readonly allowed: Uint8Array;
  private readonly cipherCount: number;
  private readonly plainCount: number;
  private readonly options: DeciphererOptions;

  constructor(
    private readonly decipherer: Decipherer,
    cipher: readonly (readonly string[])[],
    known: Readonly<Record<string, string>>,
  ) {
    const { language, options, inference } = decipherer;
    this.options = options;
    this.sequences = cipher.map((sequence) => Int32Array.from(sequence, (symbol) => this.alphabet.add(symbol)));
    this.cipherCount = this.alphabet.size;
    this.plainCount = language.symbols.size;
    if (this.cipherCount === 0) throw new InputError("the cipher text is empty");
    if (this.cipherCount * this.plainCount > MOST_SUBSTITUTIONS) {
      throw new InputError(
        `${this.cipherCount} cipher symbols and ${this.plainCount} plain ones make too many substitutions`,
        { hint: "use fewer plain symbols: set `vocabulary` (--vocabulary 2000)" },
      );
    }
    if (options.oneToOne && this.cipherCount > this.plainCount) {
      throw new InputError(
        `the cipher has ${this.cipherCount} symbols and the plain text only ${this.plainCount}: it is not one-to-one`,
        { hint: "leave out `oneToOne` (--one-to-one), or give more plain text" },
      );
    }
    this.frequency = new Float64Array(this.cipherCount);
    for (const sequence of this.sequences) for (const x of sequence) this.frequency[x]++;
    this.allowed = this.allowedBy(known);
    const { plainCount, cipherCount } = this;
    this.model = { ngram: language.ngram, plainCount, cipherCount, inference };
  }

  /** What the known part of the key rules out. A space between words is a space. */
  private allowedBy(known: Readonly<Record<string, string>>): Uint8Array {
    const { cipherCount, plainCount, alphabet } = this;
    const { symbols, options: languageOptions } = this.decipherer.language;
    const allowed = new Uint8Array(cipherCount * plainCount).fill(1);
    const fix = (x: number, y: number, alone: boolean): void => {
      for (let other = 0; other < plainCount; other++) if (other !== y) allowed[x * plainCount + other] = 0;
      if (!alone) return;
      for (let other = 0; other < cipherCount; other++) if (other !== x) allowed[other * plainCount + y] = 0;
    };
    if (languageOptions.level === "char" && alphabet.indexOf(SPACE) >= 0) {
      const space = symbols.indexOf(SPACE);
      if (space < 0) {
        throw new InputError("the cipher text has spaces between words and the language model has none", {
          hint: "make the language model with spaces, or take the spaces out of the cipher text",
        });
      }
      fix(alphabet.indexOf(SPACE), space, true);
    }
    const owners = new Map<string, string>();
    for (const [cipher, plain] of Object.entries(known)) {
      const x = alphabet.indexOf(cipher);
      const y = symbols.indexOf(plain);
      if (x < 0) throw new InputError(`the key gives \`${cipher}\`, which the cipher text does not have`);
      if (y < 0) throw new InputError(`the key gives \`${cipher}=${plain}\`, but the plain text has no \`${plain}\``);
      const owner = owners.get(plain);
      if (this.options.oneToOne && owner !== undefined) {
        throw new InputError(`the key gives \`${plain}\` to both \`${owner}\` and \`${cipher}\`: it is not one-to-one`);
      }
      owners.set(plain, cipher);
      fix(x, y, this.options.oneToOne);
    }
    for (let x = 0; x < cipherCount; x++) {
      if (!allowed.subarray(x * plainCount, (x + 1) * plainCount).includes(1)) {
        throw new InputError(`the known part of the key leaves nothing for \`${alphabet.nameOf(x)}\``);
      }
    }
    return allowed;
  }

  async solve(expecter: Expecter, hooks: DecipherHooks): Promise<Decipherment> {
    const searches = this.plainCount <= SEARCH_SYMBOLS;
    const restarts = this.options.restarts >= 0 ? this.options.restarts : searches ? 60 : 1;
    const stop = hooks.shouldStop ?? (() => false);
    let best: Run | undefined;
    let tried = 1;
    let stopped = false;
    if (searches && restarts > 0) {
      const found = await this.searchKeys(restarts, hooks);
      tried = found.tried;
      best = { ...(await this.climb(this.countsOfKey(found.key), 1, expecter, hooks)), searched: true };
      stopped = stop();
    } else {
      for (tried = 0; tried < Math.max(1, restarts) && !stopped; ) {
        tried++;
        const run = await this.climb(this.firstCounts(tried), tried, expecter, hooks);
        if (!best || lastLikelihood(run) > lastLikelihood(best)) best = run;
        stopped = stop();
      }
    }
    return this.decipherment(best as Run, tried, stopped, stop);
  }

  /** The best of many annealed keys. */
  private async searchKeys(restarts: number, hooks: DecipherHooks): Promise<{ key: Int32Array; tried: number }> {
    const { oneToOne, moves, seed } = this.options;
    const search = new KeySearch(firstOf(this.sequences), this.cipherCount, this.plainCount, this.model.ngram);
    const pause = async (): Promise<boolean> => {
      await new Promise((resolve) => setTimeout(resolve, 0));
      return hooks.shouldStop?.() === true;
    };
    let key = new Int32Array(this.cipherCount);
    let best = Number.NEGATIVE_INFINITY;
    let times = 0;
    let tried = 0;
    while (tried < restarts && times < 3) {
      tried++;
      const found = await search.search(
        generator(seed, tried),
        { ...keySearchDefaults, moves, oneToOne },
        this.allowed,
        pause,
      );
      if (Math.abs(found.score - best) < 1e-6 * Math.abs(best)) times++;
      else if (found.score > best) {
        best = found.score;
        key = found.key as Int32Array<ArrayBuffer>;
        times = 1;
      }
      hooks.onSearch?.(tried, found.score, best);
      if (await pause()) break;
    }
    // What the part searched does not show is left open, for EM to find.
    for (let x = 0; x < key.length; x++) if (!search.shows(x)) key[x] = -1;
    return { key, tried };
  }

  /** Counts as if a key were nearly certain: EM may still think otherwise. */
  private countsOfKey(key: Int32Array): Float64Array {
    const { plainCount, frequency } = this;
    const counts = new Float64Array(this.allowed.length);
    for (let i = 0; i < counts.length; i++) {
      const x = Math.floor(i / plainCount);
      const share = key[x] === i - x * plainCount ? 0.9 : 0.1 / plainCount;
      if (this.allowed[i]) counts[i] = frequency[x] * share;
    }
    return counts;
  }

  /** The first EM begins with equal counts, so nothing is left to chance; the others with random ones. */
  private firstCounts(restart: number): Float64Array {
    const random = generator(this.options.seed, restart);
    return Float64Array.from(this.allowed, (allowed, i) => {
      const expected = this.frequency[Math.floor(i / this.plainCount)] / this.plainCount;
      return allowed * (restart === 1 ? 1 : expected * -Math.log(1 - uniform(random)));
    });
  }

  /** EM from the given counts until nothing is gained. */
  private async climb(start: Float64Array, restart: number, expecter: Expecter, hooks: DecipherHooks): Promise<Run> {
    const { cipherCount, plainCount, allowed } = this;
    const { smoothing, passes, tolerance } = this.options;
    const symbols = this.frequency.reduce((a, b) => a + b, 0);
    const run: Run = { counts: start, logEmission: this.emissions(start), passes: [], searched: false };
    for (let pass = 1; pass <= passes; pass++) {
      const found: Expectations | undefined = await expecter.expect(run.logEmission, hooks.shouldStop);
      if (!found) break;
      run.counts = found.counts;
      run.logEmission = emissionsOf(found.counts, cipherCount, plainCount, smoothing, allowed);
      const before = run.passes.at(-1)?.logLikelihood ?? Number.NEGATIVE_INFINITY;
      const report: DecipherPass = {
        restart,
        pass,
        logLikelihood: found.logLikelihood,
        contextLength: found.decisions > 0 ? found.contextLength / found.decisions : 0,
        settled: this.settled(found.counts),
        lost: found.lost,
        key: () => this.keyMap(found.counts),
      };
      run.passes.push(report);
      hooks.onPass?.(report);
      // A beam that still finds sequences it had lost gains, whatever the likelihood says.
      const lost = run.passes.at(-2)?.lost ?? found.lost;
      if (lost === found.lost && found.logLikelihood - before < tolerance * symbols) break;
    }
    return run;
  }

  private emissions(counts: Float64Array): Float64Array {
    // The first counts are a beginning, not an estimate: they need no more smoothing than keeps them above 0.
    return emissionsOf(counts, this.cipherCount, this.plainCount, 1e-9, this.allowed);
  }

  private settled(counts: Float64Array): number {
    let settled = 0;
    for (let x = 0; x < this.cipherCount; x++) {
      const row = counts.subarray(x * this.plainCount, (x + 1) * this.plainCount);
      let sum = 0;
      let top = 0;
      for (const count of row) {
        sum += count;
        if (count > top) top = count;
      }
      if (top >= SETTLED * sum && sum > 0) settled++;
    }
    return settled / this.cipherCount;
  }

  /** [cipherCount] the plain symbol of each cipher symbol. */
  private keyOf(counts: Float64Array): Int32Array {
    const { cipherCount, plainCount, allowed } = this;
    if (this.options.oneToOne) {
      // What is ruled out costs more than all counts together, and no more, so that sums stay exact enough.
      const worst = -1 - this.frequency.reduce((a, b) => a + b, 0);
      const values = counts.map((count, i) => (allowed[i] ? count : worst));
      return bestAssignment(values, cipherCount, plainCount);
    }
    return Int32Array.from({ length: cipherCount }, (_, x) => {
      let best = -1;
      for (let y = 0; y < plainCount; y++) {
        const i = x * plainCount + y;
        if (allowed[i] && (best < 0 || counts[i] > counts[x * plainCount + best])) best = y;
      }
      return best;
    });
  }

  private keyMap(counts: Float64Array): Map<string, string> {
    const { symbols } = this.decipherer.language;
    return new Map(Array.from(this.keyOf(counts), (y, x) => [this.alphabet.nameOf(x), symbols.nameOf(y)]));
  }

  /** The plain symbols that a cipher symbol may stand for, the one of the key among them. */
  private candidates(x: number, own: number, counts: Float64Array): Int32Array {
    const { plainCount, allowed } = this;
    const all: number[] = [];
    for (let y = 0; y < plainCount; y++) if (allowed[x * plainCount + y]) all.push(y);
    if (all.length <= CANDIDATES) return Int32Array.from(all);
    const expected = (y: number): number => (y === own ? Number.POSITIVE_INFINITY : counts[x * plainCount + y]);
    return Int32Array.from(all.sort((a, b) => expected(b) - expected(a)).slice(0, CANDIDATES));
  }

  private decipherment(run: Run, restarts: number, stopped: boolean, stop: () => boolean): Decipherment {
    const { cipherCount, plainCount, alphabet, frequency, allowed } = this;
    const { symbols } = this.decipherer.language;
    const { oneToOne, refine } = this.options;
    const key = this.keyOf(run.counts);
    const confidence = new KeyConfidence(this.model.ngram, this.sequences, key, plainCount, oneToOne, allowed);
    for (let round = 0; refine && !run.searched && round < ROUNDS && !stop(); round++) {
      if (confidence.improve((x) => this.candidates(x, key[x], run.counts)) === 0) break;
    }
    const mapping = Array.from({ length: cipherCount }, (_, x): MappedSymbol => {
      const candidates = this.candidates(x, key[x], run.counts);
      const probabilities = confidence.probabilities(x, candidates);
      const readings = Array.from(candidates, (y, i) => ({
        plain: symbols.nameOf(y),
        probability: probabilities[i],
      }));
      return {
        cipher: alphabet.nameOf(x),
        ...readings[candidates.indexOf(key[x])],
        count: frequency[x],
        others: readings
          .filter(({ probability }, i) => candidates[i] !== key[x] && probability >= 0.01)
          .sort((a, b) => b.probability - a.probability),
      };
    });
    return {
      mapping: mapping.sort((a, b) => b.count - a.count || (a.cipher < b.cipher ? -1 : 1)),
      plain: this.sequences.map((sequence) => Array.from(sequence, (x) => symbols.nameOf(key[x]))),
      logLikelihood: run.passes.map((pass) => pass.logLikelihood),
      contextLength: run.passes.map((pass) => pass.contextLength),
      restarts,
      stopped,
    };
  }
}

function lastLikelihood(run: Run): number {
  return run.passes.at(-1)?.logLikelihood ?? Number.NEGATIVE_INFINITY;
}

function readOptions(given: Partial<DeciphererOptions>): DeciphererOptions {
  const known = Object.keys(deciphererDefaults);
  for (const name of Object.keys(given)) if (!known.includes(name)) throw unknownName("option", name, known);
  const options = { ...deciphererDefaults };
  for (const name of known as (keyof DeciphererOptions)[]) {
    if (given[name] !== undefined) Object.assign(options, { [name]: given[name] });
  }
  const whole = (name: "order" | "contexts" | "passes" | "restarts" | "moves", least: number): void => {
    if (!Number.isInteger(options[name]) || options[name] < least) {
      throw new InputError(`option \`${name}\` must be a whole number of at least ${least}, not ${options[name]}`);
    }
  };
  whole("order", -1);
  whole("contexts", options.inference === "beam" ? 1 : 0);
  whole("passes", 1);
  whole("restarts", -1);
  whole("moves", 1);
  if (!(Number.isFinite(options.smoothing) && options.smoothing > 0)) {
    throw new InputError(`option \`smoothing\` must be a number above 0, not ${options.smoothing}`);
  }
  if (!(Number.isFinite(options.tolerance) && options.tolerance >= 0)) {
    throw new InputError(`option \`tolerance\` must be a number of at least 0, not ${options.tolerance}`);
  }
  if (!Number.isInteger(options.seed)) {
    throw new InputError(`option \`seed\` must be a whole number, not ${options.seed}`);
  }
  const modes = ["rcms", "beam", "exact"];
  if (!modes.includes(options.inference)) throw unknownName("inference setting", options.inference, modes);
  return options;
}

/** The first symbols of sequences, MOST_SEARCHED in all. */
function firstOf(sequences: readonly Int32Array[]): Int32Array[] {
  const part: Int32Array[] = [];
  let left = MOST_SEARCHED;
  for (const sequence of sequences) {
    if (left <= 0) break;
    part.push(sequence.slice(0, left));
    left -= sequence.length;
  }
  return part;
}
