// The decipherer: finds the substitution behind a cipher text with nothing but plain text of the same language. The hidden
// text follows the language model, every plain symbol is written as a cipher symbol by an unknown table, and EM finds the
// table. The key read from it is refined symbol by symbol. How much to trust each symbol is told by keys drawn in
// proportion to their likelihood: what they all agree on is sure, what they dispute is not.
//
//   const language = LanguageModel.fromText(lines, { level: "char" });
//   const { mapping, plain } = await new Decipherer(language, { oneToOne: true }).solve(readCipher(text, "char").sequences);

import { Alphabet } from "../../engine/alphabet.js";
import type { Inference } from "../../engine/trellis.js";
import { type CipherModel, type Expectations, type Expecter, emissionsOf, LocalExpecter } from "../../learn/em.js";
import { bestAssignment } from "../../util/assignment.js";
import { areStrings, checkNames, OptionChecks } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { generator } from "../../util/random.js";
import { KeyConfidence } from "./key-confidence.js";
import { KeySearch, keySampleDefaults, keySearchDefaults, SEARCH_SYMBOLS } from "./key-search.js";
import { type LanguageModel, SPACE } from "./language.js";
import { likeness, unicityDistance } from "./unicity.js";

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
   * found three times; EM goes on from the best. With many, EM comes first, and each is a walk that shakes its key and
   * lets it settle again, to something better or not. -1: 60 and 2. 0: EM alone, and probabilities that hold if the rest of
   * the key is right.
   */
  restarts: number;
  /** Changes of the key that each search tries. */
  moves: number;
  /** After EM, give every symbol the reading that fits best with all others, until nothing changes. False: EM's own key. */
  refine: boolean;
  /**
   * The spaces between words, if the language has them. `known`: they stand in the cipher text. `enciphered`: a cipher symbol
   * stands for them. `found`: as in the cipher text, which must have some.
   */
  spaces: "found" | "known" | "enciphered";
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
  spaces: "found",
  seed: 1,
};

/** What is known after an EM pass. */
export interface DecipherPass {
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
  /** The same, each with the share of its places where EM expects it. */
  readings(): Map<string, Reading>;
}

export interface DecipherHooks {
  onPass?: (pass: DecipherPass) => void;
  /** After each search for a key or walk from it; `key` gives the best one so far, by cipher symbol. */
  onSearch?: (restart: number, score: number, best: number, key: () => Map<string, string>) => void;
  /** A key to begin with, by cipher symbol, in place of a search. */
  begin?: Readonly<Record<string, string>>;
  /** Asked often; true ends the work with the best key so far. */
  shouldStop?: () => boolean;
  /** Counts in another way, such as on several threads. */
  expecter?: (model: CipherModel, sequences: readonly Int32Array[]) => Expecter;
}

const solveNames: readonly (keyof DecipherHooks | "known")[] = [
  ...(["onPass", "onSearch", "begin", "shouldStop", "expecter"] as const),
  "known",
];

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
  /**
   * Whether the probabilities are shares among keys that were drawn. If not (without restarts or refinement, with a key to
   * begin with, or stopped early), each holds only if the rest of the key is right, and says nothing about the key.
   */
  drawn: boolean;
  /** Share of the text that is right, as keys that were drawn expect; spaces that are known do not count. */
  expectedAccuracy: number | undefined;
  /**
   * How much the text reads as language, by the bits its symbols take: 1 as text of the language model's own, 0 as symbols
   * drawn blindly. Low: another language, another kind of cipher, or a wrong key.
   */
  likeness: number;
  /** Places of cipher text that it takes to tell a key of so many symbols, about (see `unicityDistance`). */
  unicity: number;
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

/** Moves to draw keys, as many times those of one search. */
const DRAWING = 3;

/**
 * Temperatures of the walk from a key, one for each round through its symbols; the second half is counted. Words stay warm:
 * a language model of words is surer of what it has seen than it should be.
 */
const settling = [1, 1, 1, 1]; // from a key that was drawn
const shaken = Array.from({ length: 20 }, (_, round) => Math.max(2, 8 ** (1 - round / 10))); // from the key of EM

/** Places of a symbol that a round of a walk looks at in full; more frequent ones, which are surer, have fewer rounds. */
const PLACES_A_ROUND = 20;

/** Readings of a symbol that a walk chooses from: with more plain symbols, those EM expects most. */
const WALK_CANDIDATES = 100;

/** Tells the random numbers of walks from those of searches. */
const WALKS = 1 << 20;

const SETTLED = 0.9;

/** Readings of a symbol that are weighed against each other: with more plain symbols, those EM expects most. */
const CANDIDATES = 500;

/** Rounds of refinement at most; three or four are usual. */
const ROUNDS = 10;

export class Decipherer {
  readonly options: DeciphererOptions;
  readonly inference: Inference;
  /** The one given, cut to the order. */
  readonly language: LanguageModel;

  constructor(language: LanguageModel, given: Partial<DeciphererOptions> = {}) {
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
    this.language = order < most ? language.withOrder(order) : language;
  }

  /** Finds the key of a cipher text. `known` gives plain symbols of cipher symbols. */
  async solve(
    cipher: readonly (readonly string[])[],
    given: DecipherHooks & { known?: Readonly<Record<string, string>> } = {},
  ): Promise<Decipherment> {
    checkNames(given, solveNames);
    if (!Array.isArray(cipher) || !cipher.every(areStrings)) {
      throw new InputError("the cipher must be sequences of symbols", {
        hint: 'make them from text: readCipher(text, "char").sequences',
      });
    }
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
}

/** What the search for keys found. */
interface Searched {
  /** [cipherCount] the best key; -1 for symbols that the part searched does not show. */
  key: Int32Array;
  /** Searches made. */
  tried: number;
  /** The same of keys drawn in proportion to their likelihood. */
  drawn: Int32Array[];
}

/** What is known of the key after everything. */
interface Found {
  /** [cipherCount] */
  key: Int32Array;
  confidence: KeyConfidence;
  /** [cipherCount][plainCount] share of the keys drawn that have a substitution; undefined if there are none. */
  shares?: Float64Array;
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
        { hint: "keep fewer plain words, such as --vocabulary 2000" },
      );
    }
    if (options.oneToOne && this.cipherCount > this.plainCount) {
      throw new InputError(
        `the cipher has ${this.cipherCount} symbols and the plain text only ${this.plainCount}: it is not one-to-one`,
        { hint: "let cipher symbols share a reading (no --one-to-one), or give more plain text" },
      );
    }
    this.frequency = new Float64Array(this.cipherCount);
    for (const sequence of this.sequences) for (const x of sequence) this.frequency[x]++;
    this.allowed = this.allowedBy(known);
    const { plainCount, cipherCount } = this;
    this.model = { ngram: language.ngram, plainCount, cipherCount, inference };
  }

  /** The cipher symbol of spaces that are known, or -1. */
  private fixedSpace(): number {
    return this.decipherer.language.options.level === "char" ? this.alphabet.indexOf(SPACE) : -1;
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
    const space = symbols.indexOf(SPACE);
    const { spaces } = this.options;
    if (languageOptions.level === "char" && alphabet.indexOf(SPACE) >= 0) {
      if (space < 0) {
        throw new InputError("the cipher text has spaces between words and the language model has none", {
          hint: "make the language model with spaces, or take the spaces of the cipher text for unknown (--spaces unknown)",
        });
      }
      fix(alphabet.indexOf(SPACE), space, true);
    } else if (languageOptions.level === "char" && space >= 0 && spaces !== "enciphered") {
      if (spaces === "found") {
        throw new InputError("the language model has spaces between words and the cipher text has none", {
          hint: "make the language model without spaces, or say whether spaces are known or enciphered (--spaces)",
        });
      }
      for (let x = 0; x < cipherCount; x++) allowed[x * plainCount + space] = 0;
    }
    const owners = new Map<string, string>();
    for (const [cipher, plain] of Object.entries(known)) {
      const x = alphabet.indexOf(cipher);
      const y = symbols.indexOf(plain);
      if (x < 0) throw new InputError(`the key gives \`${cipher}\`, which the cipher text does not have`);
      if (y < 0) {
        // With words, `I` and `i` are two.
        const near = symbols.all().find((other) => other.toLowerCase() === plain.toLowerCase());
        throw new InputError(`the key gives \`${cipher}=${plain}\`, but the plain text has no \`${plain}\``, {
          hint: near === undefined ? undefined : `it has \`${near}\``,
        });
      }
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
    const { oneToOne, refine } = this.options;
    const searches = this.plainCount <= SEARCH_SYMBOLS && hooks.begin === undefined;
    const restarts = this.options.restarts >= 0 ? this.options.restarts : searches ? 60 : 2;
    const searched = searches && restarts > 0 ? await this.searchKeys(restarts, hooks) : undefined;
    const begin = searched?.key ?? (hooks.begin && this.keyGiven(hooks.begin));
    // Without a beginning the counts are equal, so nothing is left to chance.
    const run = await this.climb(begin ? this.countsOfKey(begin) : Float64Array.from(this.allowed), expecter, hooks);
    const found = this.found(this.keyOf(run.counts));
    let walks = 0;
    if (refine) {
      // EM may have lost a good key that it was given, above all in short ciphers.
      if (searched) this.improve(found, this.keyOf(this.preferring(searched.key, run.counts)), run);
      this.improve(found, found.key, run);
      const starts = searched
        ? searched.drawn.map((key) => this.keyOf(this.preferring(key, run.counts)))
        : Array.from({ length: searches || hooks.begin ? 0 : restarts }, () => found.key);
      walks = await this.walk(found, starts, searched ? settling : shaken, run, hooks);
    }
    const { language } = this.decipherer;
    const spaces = this.fixedSpace() >= 0 ? 1 : 0;
    const read = this.sequences.map((sequence) => sequence.map((x) => found.key[x]));
    return {
      ...this.reading(found, run),
      logLikelihood: run.passes.map((pass) => pass.logLikelihood),
      contextLength: run.passes.map((pass) => pass.contextLength),
      likeness: likeness(language, read),
      unicity: unicityDistance(language, this.cipherCount - spaces, oneToOne),
      restarts: searched ? searched.tried : Math.max(1, walks),
      stopped: hooks.shouldStop?.() === true,
    };
  }

  /** The best of many annealed keys, and others as likely as they are. */
  private async searchKeys(restarts: number, hooks: DecipherHooks): Promise<Searched> {
    const { oneToOne, moves, seed } = this.options;
    const search = new KeySearch(firstOf(this.sequences), this.cipherCount, this.plainCount, this.model.ngram);
    const pause = (): Promise<boolean> => pausedAndStopped(hooks);
    const ends: { key: Int32Array; score: number }[] = []; // different ones, the best first
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
      const same = ends.findIndex(({ score }) => Math.abs(found.score - score) < 1e-6 * Math.abs(score));
      if (same < 0) {
        const place = ends.findIndex(({ score }) => score < found.score);
        ends.splice(place < 0 ? ends.length : place, 0, found);
        if (ends[0] === found) times = 1;
      } else if (same === 0) times++;
      hooks.onSearch?.(tried, found.score, ends[0].score, () => this.named(ends[0].key));
      if (await pause()) break;
    }
    const drawn = await search.sample(
      ends.map((end) => end.key),
      generator(seed, 0),
      { ...keySampleDefaults, moves: DRAWING * moves, oneToOne },
      this.allowed,
      pause,
    );
    // What the part searched does not show is left open, for EM to find.
    const shown = (key: Int32Array): Int32Array => key.map((y, x) => (search.shows(x) ? y : -1));
    return { key: shown(ends[0].key), tried, drawn: drawn.map(shown) };
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

  /** EM from the given counts until nothing is gained. */
  private async climb(start: Float64Array, expecter: Expecter, hooks: DecipherHooks): Promise<Run> {
    const { cipherCount, plainCount, allowed } = this;
    const { smoothing, passes, tolerance } = this.options;
    const symbols = this.frequency.reduce((a, b) => a + b, 0);
    const run: Run = { counts: start, logEmission: this.emissions(start), passes: [] };
    for (let pass = 1; pass <= passes; pass++) {
      const found: Expectations | undefined = await expecter.expect(run.logEmission, hooks.shouldStop);
      if (!found) break;
      run.counts = found.counts;
      run.logEmission = emissionsOf(found.counts, cipherCount, plainCount, smoothing, allowed);
      const before = run.passes.at(-1)?.logLikelihood ?? Number.NEGATIVE_INFINITY;
      const report: DecipherPass = {
        pass,
        logLikelihood: found.logLikelihood,
        contextLength: found.decisions > 0 ? found.contextLength / found.decisions : 0,
        settled: this.settled(found.counts),
        lost: found.lost,
        key: () => this.named(this.keyOf(found.counts)),
        readings: () => this.readings(found.counts),
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

  /** Counts that give the plain symbols of a key where it has any. */
  private preferring(key: Int32Array, counts: Float64Array): Float64Array {
    const most = 1 + this.frequency.reduce((a, b) => a + b, 0);
    const raised = counts.slice();
    key.forEach((y, x) => {
      if (y >= 0) raised[x * this.plainCount + y] += most;
    });
    return raised;
  }

  private named(key: Int32Array): Map<string, string> {
    const { symbols } = this.decipherer.language;
    return new Map(Array.from(key, (y, x) => [this.alphabet.nameOf(x), symbols.nameOf(y)]));
  }

  private readings(counts: Float64Array): Map<string, Reading> {
    const { symbols } = this.decipherer.language;
    return new Map(
      Array.from(this.keyOf(counts), (y, x) => {
        const row = counts.subarray(x * this.plainCount, (x + 1) * this.plainCount);
        const sum = row.reduce((a, b) => a + b, 0);
        return [this.alphabet.nameOf(x), { plain: symbols.nameOf(y), probability: sum > 0 ? row[y] / sum : 0 }];
      }),
    );
  }

  /** [cipherCount] a key as the user gives it; -1 where it says nothing. */
  private keyGiven(given: Readonly<Record<string, string>>): Int32Array {
    const { symbols } = this.decipherer.language;
    const key = new Int32Array(this.cipherCount).fill(-1);
    for (const [cipher, plain] of Object.entries(given)) {
      const x = this.alphabet.indexOf(cipher);
      if (x >= 0) key[x] = symbols.indexOf(plain);
    }
    return key;
  }

  /** The plain symbols that a cipher symbol may stand for, the one of the key among them. */
  private candidates(x: number, own: number, counts: Float64Array, most: number): Int32Array {
    const { plainCount, allowed } = this;
    const all: number[] = [];
    for (let y = 0; y < plainCount; y++) if (allowed[x * plainCount + y]) all.push(y);
    if (all.length <= most) return Int32Array.from(all);
    const expected = (y: number): number => (y === own ? Number.POSITIVE_INFINITY : counts[x * plainCount + y]);
    return Int32Array.from(all.sort((a, b) => expected(b) - expected(a)).slice(0, most));
  }

  private found(key: Int32Array): Found {
    const { plainCount, allowed, sequences } = this;
    const { oneToOne } = this.options;
    return { key, confidence: new KeyConfidence(this.model.ngram, sequences, key, plainCount, oneToOne, allowed) };
  }

  /** Takes another key for the one found, each symbol given the reading that fits best, if it explains the text better. */
  private improve(found: Found, start: Int32Array, run: Run): void {
    const other = this.found(start.slice());
    for (let round = 0; round < ROUNDS; round++) {
      const changed = other.confidence.improve((x) => this.candidates(x, other.key[x], run.counts, CANDIDATES));
      if (changed === 0) break;
    }
    if (other.confidence.total() > found.confidence.total()) Object.assign(found, other);
  }

  /**
   * Walks through the keys from each start, drawing the readings of the symbols anew in rounds. Counts what the keys on the
   * way have; where a walk ends is tried as the key, as searches look less far back than the score of the key does.
   * Returns how many walks there were.
   */
  private async walk(
    found: Found,
    starts: readonly Int32Array[],
    temperatures: readonly number[],
    run: Run,
    hooks: DecipherHooks,
  ): Promise<number> {
    const { plainCount, cipherCount, frequency } = this;
    const shares = new Float64Array(cipherCount * plainCount);
    const tried = new Set([found.key.join()]);
    let counted = 0;
    let walks = 0;
    for (const start of starts) {
      const random = generator(this.options.seed, WALKS + walks);
      const walker = this.found(start.slice());
      const candidates = Array.from(walker.key, (y, x) => this.candidates(x, y, run.counts, WALK_CANDIDATES));
      for (let round = 0; round < temperatures.length; round++) {
        if (await pausedAndStopped(hooks)) return walks;
        for (let x = 0; x < cipherCount; x++) {
          if (round % Math.ceil(frequency[x] / PLACES_A_ROUND) !== 0 || candidates[x].length < 2) continue;
          walker.confidence.redraw(x, candidates[x], temperatures[round], random);
        }
        if (2 * round < temperatures.length) continue;
        counted++;
        walker.key.forEach((y, x) => {
          shares[x * plainCount + y]++;
        });
      }
      walks++;
      const end = walker.key.join();
      if (!tried.has(end)) this.improve(found, walker.key, run);
      tried.add(end);
      if (temperatures === shaken) {
        const best = found.confidence.total();
        hooks.onSearch?.(walks, walker.confidence.total(), best, () => this.named(found.key));
      }
      found.shares = shares.map((share) => share / counted);
    }
    return walks;
  }

  /** The text under a key, and how sure each symbol of it is. */
  private reading(found: Found, run: Run): Pick<Decipherment, "mapping" | "plain" | "drawn" | "expectedAccuracy"> {
    const { cipherCount, plainCount, alphabet, frequency } = this;
    const { symbols } = this.decipherer.language;
    const { key, confidence, shares } = found;
    const space = this.fixedSpace();
    let places = 0;
    let right = 0;
    const mapping = Array.from({ length: cipherCount }, (_, x): MappedSymbol => {
      const candidates = this.candidates(x, key[x], run.counts, CANDIDATES);
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
      plain: this.sequences.map((sequence) => Array.from(sequence, (x) => symbols.nameOf(key[x]))),
      drawn: shares !== undefined,
      expectedAccuracy: shares === undefined ? undefined : places > 0 ? right / places : 1,
    };
  }
}

/** Lets the program breathe; whether it is to stop. */
async function pausedAndStopped(hooks: DecipherHooks): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  return hooks.shouldStop?.() === true;
}

function readOptions(given: Partial<DeciphererOptions>): DeciphererOptions {
  const known = Object.keys(deciphererDefaults);
  checkNames(given, known);
  const options = { ...deciphererDefaults };
  for (const name of known as (keyof DeciphererOptions)[]) {
    if (given[name] !== undefined) Object.assign(options, { [name]: given[name] });
  }
  const checks = new OptionChecks(options);
  checks.whole("order", -1);
  checks.whole("contexts", options.inference === "beam" ? 1 : 0);
  checks.whole("passes", 1);
  checks.whole("restarts", -1);
  checks.whole("moves", 1);
  checks.whole("seed");
  checks.oneOf("spaces", ["found", "known", "enciphered"]);
  checks.oneOf("inference", ["rcms", "beam", "exact"]);
  if (!(Number.isFinite(options.smoothing) && options.smoothing > 0)) {
    throw new InputError(`option \`smoothing\` must be a number above 0, not ${options.smoothing}`);
  }
  if (!(Number.isFinite(options.tolerance) && options.tolerance >= 0)) {
    throw new InputError(`option \`tolerance\` must be a number of at least 0, not ${options.tolerance}`);
  }
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
