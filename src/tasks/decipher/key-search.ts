// A first key for short ciphers, by simulated annealing: EM alone climbs to the nearest hilltop, and in a short letter
// cipher there are many. A key gives every cipher symbol one plain symbol; its score is the log-likelihood of the cipher
// text when that key is true and the emission table is the best one for it,
//   sum over places: forgiving(log P(y | the symbols before))  +  sum over x: n(x) log(n(x) / N(key(x))),
// with n(x) places of x and N(y) places that the key gives y. The second sum keeps a key from writing "the" everywhere.
// Keys drawn in proportion to exp(score) say how sure each part of a key is.

import { type NgramModel, ngramScore } from "../../engine/ngram.js";
import { BEGIN } from "../../engine/trellis.js";
import { type RandomGenerator, uniform } from "../../util/random.js";

export interface KeySearchOptions {
  /** Changes tried. */
  moves: number;
  /** Temperatures, in units of log-likelihood: at the start, and at the end. */
  hot: number;
  cold: number;
  /** No two cipher symbols share a plain symbol. */
  oneToOne: boolean;
}

export const keySearchDefaults: KeySearchOptions = { moves: 200_000, hot: 12, cold: 1, oneToOne: false };

/** Events back that the search looks: a table of all n-grams must fit into memory. */
export const SEARCH_ORDER = 3;

/** More plain symbols than this, and the table does not fit. */
export const SEARCH_SYMBOLS = 45;

/** Share of places where anything may stand: slips of the writer, and what the language model has never met. */
const SLIPS = 0.05;

/** A log-probability of the language model, when at some places any of `symbolCount` symbols is as likely as another. */
export function forgiving(logProbability: number, symbolCount: number): number {
  return Math.log((1 - SLIPS) * Math.exp(logProbability) + SLIPS / symbolCount);
}

/** Score of y after three events, for all of them; `plainCount` as an event is what comes before the text begins. */
function scoreTable(model: NgramModel, plainCount: number): Float32Array {
  const made = tables.get(model);
  if (made) return made;
  const events = plainCount + 1;
  const symbols = model.symbolCount;
  const table = new Float32Array(events ** SEARCH_ORDER * symbols);
  const { ends } = model.options;
  let at = 0;
  for (let c = 0; c < events; c++) {
    for (let b = 0; b < events; b++) {
      for (let a = 0; a < events; a++) {
        // Nothing stands before the beginning, so what is further back than it does not count.
        const before: number[] = [];
        for (const event of [a, b, c]) {
          if (event < plainCount) before.unshift(event);
          else {
            if (ends) before.unshift(BEGIN);
            break;
          }
        }
        for (let y = 0; y < symbols; y++) table[at++] = forgiving(ngramScore(model, before, y), symbols);
      }
    }
  }
  tables.set(model, table);
  return table;
}

/** The tables of models in use: one serves all ciphers of a language. */
const tables = new WeakMap<NgramModel, Float32Array>();

/** Moves between two looks whether to stop. */
const MOVES_BETWEEN_PAUSES = 4096;

export interface KeySampleOptions {
  /** Moves of all walkers together. */
  moves: number;
  /** Walkers, each at a temperature of its own, from 1 to `hot` in equal ratios. */
  walkers: number;
  hot: number;
  /** Keys to draw. */
  keys: number;
  oneToOne: boolean;
}

export const keySampleDefaults: KeySampleOptions = {
  moves: 600_000,
  walkers: 10,
  hot: 8,
  keys: 20,
  oneToOne: false,
};

/** Where a walk through the keys is. */
interface Walker {
  /** [cipherCount + 2] plain symbol of each; then those of begin and end. */
  key: Int32Array;
  score: Float64Array; // [text] score of each place under the key
  written: Float64Array; // [plainCount] N(y)
  owner: Int32Array; // [plainCount] the cipher symbol that has it, or -1; used if one-to-one
  total: number;
}

/** What a walk may change. */
interface Freedom {
  /** [cipherCount] plain symbols that each may have. */
  choices: Int32Array[];
  /** Cipher symbols with more than one. */
  free: Int32Array;
  allowed?: Uint8Array;
  oneToOne: boolean;
}

/** Searches keys of one cipher text; built once for all restarts. */
export class KeySearch {
  private readonly events: number;
  private readonly symbols: number;
  /** The cipher text with what surrounds it: three begins before each sequence, and the end after it if there is one. */
  private readonly text: Int32Array; // cipher symbol, or cipherCount for a begin, cipherCount + 1 for an end
  private readonly placeStart: Int32Array; // [cipherCount + 1]
  /** Places whose score depends on a cipher symbol, by symbol. */
  private readonly places: Int32Array;
  private readonly trial: Float64Array; // [text] scores under a changed key
  private readonly stamp: Int32Array;
  private stampCount = 0;
  private readonly frequency: Float64Array; // [cipherCount] n(x)
  private readonly table: Float32Array;

  constructor(
    sequences: readonly Int32Array[],
    private readonly cipherCount: number,
    private readonly plainCount: number,
    model: NgramModel,
  ) {
    this.events = plainCount + 1;
    this.symbols = model.symbolCount;
    this.table = scoreTable(model, plainCount);
    const begin = cipherCount;
    const text: number[] = [];
    for (const sequence of sequences) {
      for (let i = 0; i < SEARCH_ORDER; i++) text.push(begin);
      for (const x of sequence) text.push(x);
      if (model.options.ends) text.push(begin + 1);
    }
    this.text = Int32Array.from(text);
    this.frequency = new Float64Array(cipherCount);
    const dependent: number[][] = Array.from({ length: cipherCount }, () => []);
    text.forEach((x, i) => {
      if (x >= cipherCount) return;
      this.frequency[x]++;
      for (let j = i; j <= i + SEARCH_ORDER && j < text.length && text[j] !== begin; j++) {
        if (dependent[x].at(-1) !== j && !dependent[x].includes(j, Math.max(0, dependent[x].length - 4))) {
          dependent[x].push(j);
        }
      }
    });
    this.placeStart = new Int32Array(cipherCount + 1);
    for (let x = 0; x < cipherCount; x++) this.placeStart[x + 1] = this.placeStart[x] + dependent[x].length;
    this.places = Int32Array.from(dependent.flat());
    this.trial = new Float64Array(text.length);
    this.stamp = new Int32Array(text.length);
  }

  private placeScore(key: Int32Array, i: number): number {
    const { text, events, symbols, table } = this;
    const before = (key[text[i - 3]] * events + key[text[i - 2]]) * events + key[text[i - 1]];
    return table[before * symbols + key[text[i]]];
  }

  /** Whether a cipher symbol stands in the text, so that its place in the key means something. */
  shows(symbol: number): boolean {
    return this.frequency[symbol] > 0;
  }

  /**
   * A good key, [cipherCount]. `allowed`, [cipherCount][plainCount], says which plain symbols each may have; a symbol with
   * only one keeps it. `pause` is awaited now and then; if it says true, the best key so far is the answer.
   */
  async search(
    random: RandomGenerator,
    options: KeySearchOptions,
    allowed?: Uint8Array,
    pause?: () => Promise<boolean>,
  ): Promise<{ key: Int32Array; score: number }> {
    const freedom = this.freedom(options.oneToOne, allowed);
    const walker = this.walkerAt(this.randomKey(freedom, random));
    let best = walker.total;
    const bestKey = walker.key.slice(0, this.cipherCount);
    if (freedom.free.length === 0) return { key: bestKey, score: best };
    const cooling = (options.cold / options.hot) ** (1 / options.moves);
    let temperature = options.hot;
    for (let move = 0; move < options.moves; move++, temperature *= cooling) {
      if (move % MOVES_BETWEEN_PAUSES === 0 && (await pause?.())) break;
      if (this.move(walker, freedom, temperature, random) && walker.total > best) {
        best = walker.total;
        bestKey.set(walker.key.subarray(0, this.cipherCount));
      }
    }
    return { key: bestKey, score: best };
  }

  /**
   * Keys drawn in proportion to the likelihood exp(score) that they give the text, [keys][cipherCount]: how often a cipher
   * symbol has a plain one among them is its probability, whatever the rest of the key may be. Walkers at several
   * temperatures trade places (replica exchange): the hot ones cross from one good key to another where the cold one would
   * be caught. They begin at the keys given, the best first. `pause` may end it early, with fewer keys or none.
   */
  async sample(
    keys: readonly Int32Array[],
    random: RandomGenerator,
    options: KeySampleOptions,
    allowed?: Uint8Array,
    pause?: () => Promise<boolean>,
  ): Promise<Int32Array[]> {
    const freedom = this.freedom(options.oneToOne, allowed);
    const walkers = Array.from({ length: options.walkers }, (_, w) =>
      this.walkerAt(keys[w] ?? this.randomKey(freedom, random)),
    );
    const temperatures = walkers.map((_, w) => options.hot ** (w / Math.max(1, walkers.length - 1)));
    const drawn: Int32Array[] = [];
    const draw = (): void => void drawn.push(walkers[0].key.slice(0, this.cipherCount));
    if (freedom.free.length === 0) draw();
    const stride = 2 * freedom.free.length;
    const rounds = stride > 0 ? Math.max(2 * options.keys, Math.ceil(options.moves / (stride * walkers.length))) : 0;
    const warming = Math.floor(rounds / 5); // rounds that forget where the walk began
    let moves = 0;
    for (let round = 1; round <= rounds; round++) {
      for (let w = 0; w < walkers.length; w++) {
        for (let m = 0; m < stride; m++) {
          if (moves++ % MOVES_BETWEEN_PAUSES === 0 && (await pause?.())) return drawn;
          this.move(walkers[w], freedom, temperatures[w], random);
        }
      }
      for (let w = round % 2; w + 1 < walkers.length; w += 2) {
        const gain = (1 / temperatures[w] - 1 / temperatures[w + 1]) * (walkers[w + 1].total - walkers[w].total);
        if (gain < 0 && uniform(random) >= Math.exp(gain)) continue;
        [walkers[w], walkers[w + 1]] = [walkers[w + 1], walkers[w]];
      }
      if (round - warming >= ((drawn.length + 1) * (rounds - warming)) / options.keys) draw();
    }
    return drawn;
  }

  private freedom(oneToOne: boolean, allowed?: Uint8Array): Freedom {
    const { cipherCount, plainCount } = this;
    const choices: Int32Array[] = Array.from({ length: cipherCount }, (_, x) =>
      Int32Array.from({ length: plainCount }, (_, y) => y).filter((y) => !allowed || allowed[x * plainCount + y]),
    );
    const free = Int32Array.from({ length: cipherCount }, (_, x) => x).filter((x) => choices[x].length > 1);
    return { choices, free, allowed, oneToOne };
  }

  private randomKey({ choices, oneToOne }: Freedom, random: RandomGenerator): Int32Array {
    const key = new Int32Array(this.cipherCount);
    const taken = new Uint8Array(this.plainCount);
    for (const own of choices) if (own.length === 1) taken[own[0]] = 1;
    choices.forEach((own, x) => {
      const open = oneToOne && own.length > 1 ? own.filter((y) => !taken[y]) : own;
      key[x] = pick(open.length > 0 ? open : own, random);
      taken[key[x]] = 1;
    });
    return key;
  }

  private walkerAt(start: Int32Array): Walker {
    const { cipherCount, plainCount, frequency, text } = this;
    const key = new Int32Array(cipherCount + 2).fill(plainCount);
    key.set(start);
    const score = new Float64Array(text.length);
    const written = new Float64Array(plainCount);
    const owner = new Int32Array(plainCount).fill(-1);
    let total = 0;
    for (let x = 0; x < cipherCount; x++) {
      written[key[x]] += frequency[x];
      owner[key[x]] = x;
      total += logPower(frequency[x]);
    }
    for (let i = 0; i < text.length; i++) {
      if (text[i] === cipherCount) continue;
      score[i] = this.placeScore(key, i);
      total += score[i];
    }
    for (const count of written) total -= logPower(count);
    return { key, score, written, owner, total };
  }

  /** One step of Metropolis: a random change, kept if it gains or else with the probability exp(loss / temperature). */
  private move(walker: Walker, freedom: Freedom, temperature: number, random: RandomGenerator): boolean {
    const { plainCount, frequency } = this;
    const { key, written, owner } = walker;
    const { choices, allowed, oneToOne } = freedom;
    const x = pick(freedom.free, random);
    const from = key[x];
    const to = pick(choices[x], random);
    if (to === from) return false;
    const other = oneToOne ? owner[to] : -1;
    if (other >= 0 && (choices[other].length === 1 || (allowed && !allowed[other * plainCount + from]))) return false;
    let change = 0;
    if (!oneToOne) {
      const n = frequency[x];
      change += logPower(written[from]) + logPower(written[to]);
      change -= logPower(written[from] - n) + logPower(written[to] + n);
    }
    key[x] = to;
    if (other >= 0) key[other] = from;
    this.stampCount++;
    change += this.tryPlaces(walker, x);
    if (other >= 0) change += this.tryPlaces(walker, other);
    if (change < 0 && uniform(random) >= Math.exp(change / temperature)) {
      key[x] = from;
      if (other >= 0) key[other] = to;
      return false;
    }
    this.keepPlaces(walker, x);
    written[from] -= frequency[x];
    written[to] += frequency[x];
    if (other >= 0) {
      this.keepPlaces(walker, other);
      written[to] -= frequency[other];
      written[from] += frequency[other];
    }
    owner[to] = x;
    owner[from] = other;
    walker.total += change;
    return true;
  }

  /** Scores the places that depend on a symbol under the changed key; returns how much they change. */
  private tryPlaces({ key, score }: Walker, x: number): number {
    const { places, placeStart, stamp, stampCount, trial } = this;
    let change = 0;
    for (let p = placeStart[x]; p < placeStart[x + 1]; p++) {
      const i = places[p];
      if (stamp[i] === stampCount) continue;
      stamp[i] = stampCount;
      trial[i] = this.placeScore(key, i);
      change += trial[i] - score[i];
    }
    return change;
  }

  private keepPlaces({ score }: Walker, x: number): void {
    const { places, placeStart, trial } = this;
    for (let p = placeStart[x]; p < placeStart[x + 1]; p++) score[places[p]] = trial[places[p]];
  }
}

function pick(items: Int32Array, random: RandomGenerator): number {
  return items[Math.floor(uniform(random) * items.length)];
}

/** n log n */
function logPower(n: number): number {
  return n > 0 ? n * Math.log(n) : 0;
}
