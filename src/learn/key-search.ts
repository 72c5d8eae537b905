// A first key for short ciphers, by simulated annealing: EM alone climbs to the nearest hilltop, and in a short letter
// cipher there are many. A key gives every cipher symbol one plain symbol; its score is the log-likelihood of the cipher
// text when that key is true and the emission table is the best one for it,
//   sum over places: log P(y | the symbols before)  +  sum over x: n(x) log(n(x) / N(key(x))),
// with n(x) places of x and N(y) places that the key gives y. The second sum keeps a key from writing "the" everywhere.

import { type NgramModel, ngramScore } from "../core/ngram.js";
import { BEGIN } from "../core/trellis.js";
import { type RandomGenerator, uniform } from "./random.js";

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

/** log P(y | three events before) for all of them; `plainCount` as an event is what comes before the text begins. */
export function scoreTable(model: NgramModel, plainCount: number): Float32Array {
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
        for (let y = 0; y < symbols; y++) table[at++] = ngramScore(model, before, y);
      }
    }
  }
  return table;
}

/** Moves between two looks whether to stop. */
const MOVES_BETWEEN_PAUSES = 4096;

/** Searches keys of one cipher text; built once for all restarts. */
export class KeySearch {
  private readonly events: number;
  private readonly symbols: number;
  /** The cipher text with what surrounds it: three begins before each sequence, and the end after it if there is one. */
  private readonly text: Int32Array; // cipher symbol, or cipherCount for a begin, cipherCount + 1 for an end
  private readonly placeStart: Int32Array; // [cipherCount + 1]
  /** Places whose score depends on a cipher symbol, by symbol. */
  private readonly places: Int32Array;
  private readonly score: Float64Array; // [text] score of each place under the key
  private readonly trial: Float64Array;
  private readonly stamp: Int32Array;
  private stampCount = 0;
  private readonly frequency: Float64Array; // [cipherCount] n(x)
  /** [cipherCount + 2] plain symbol of each; then those of begin and end. */
  private readonly key: Int32Array;

  constructor(
    sequences: readonly Int32Array[],
    private readonly cipherCount: number,
    private readonly plainCount: number,
    model: NgramModel,
    private readonly table = scoreTable(model, plainCount),
  ) {
    this.events = plainCount + 1;
    this.symbols = model.symbolCount;
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
    this.score = new Float64Array(text.length);
    this.trial = new Float64Array(text.length);
    this.stamp = new Int32Array(text.length);
    this.key = new Int32Array(cipherCount + 2);
    this.key[begin] = plainCount;
    this.key[begin + 1] = plainCount;
  }

  private placeScore(i: number): number {
    const { text, key, events, symbols, table } = this;
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
    const { cipherCount, plainCount, key, frequency, text } = this;
    const choices: Int32Array[] = Array.from({ length: cipherCount }, (_, x) =>
      Int32Array.from({ length: plainCount }, (_, y) => y).filter((y) => !allowed || allowed[x * plainCount + y]),
    );
    const free = Int32Array.from({ length: cipherCount }, (_, x) => x).filter((x) => choices[x].length > 1);
    const pick = (items: Int32Array): number => items[Math.floor(uniform(random) * items.length)];
    const owner = new Int32Array(plainCount).fill(-1); // used if one-to-one
    for (let x = 0; x < cipherCount; x++) if (choices[x].length === 1) owner[choices[x][0]] = x;
    for (let x = 0; x < cipherCount; x++) {
      let open = choices[x];
      if (options.oneToOne && open.length > 1) open = open.filter((y) => owner[y] < 0);
      key[x] = pick(open.length > 0 ? open : choices[x]);
      owner[key[x]] = x;
    }
    const written = new Float64Array(plainCount); // N(y)
    for (let x = 0; x < cipherCount; x++) written[key[x]] += frequency[x];
    let total = 0;
    for (let i = 0; i < text.length; i++) {
      if (text[i] === cipherCount) continue;
      this.score[i] = this.placeScore(i);
      total += this.score[i];
    }
    for (let x = 0; x < cipherCount; x++) total += logPower(frequency[x]);
    for (const count of written) total -= logPower(count);
    let best = total;
    const bestKey = key.slice(0, cipherCount);
    if (free.length === 0) return { key: bestKey, score: best };
    const cooling = (options.cold / options.hot) ** (1 / options.moves);
    let temperature = options.hot;
    for (let move = 0; move < options.moves; move++, temperature *= cooling) {
      if (move % MOVES_BETWEEN_PAUSES === 0 && (await pause?.())) break;
      const x = pick(free);
      const from = key[x];
      const to = pick(choices[x]);
      if (to === from) continue;
      let other = -1;
      if (options.oneToOne) {
        other = owner[to];
        if (other >= 0 && (choices[other].length === 1 || (allowed && !allowed[other * plainCount + from]))) continue;
      }
      let change = 0;
      if (!options.oneToOne) {
        const n = frequency[x];
        change += logPower(written[from]) + logPower(written[to]);
        change -= logPower(written[from] - n) + logPower(written[to] + n);
      }
      key[x] = to;
      if (other >= 0) key[other] = from;
      this.stampCount++;
      change += this.tryPlaces(x);
      if (other >= 0) change += this.tryPlaces(other);
      if (change >= 0 || uniform(random) < Math.exp(change / temperature)) {
        this.keepPlaces(x);
        if (other >= 0) this.keepPlaces(other);
        written[from] -= frequency[x];
        written[to] += frequency[x];
        if (other >= 0) {
          written[to] -= frequency[other];
          written[from] += frequency[other];
        }
        owner[to] = x;
        owner[from] = other;
        total += change;
        if (total > best) {
          best = total;
          bestKey.set(key.subarray(0, cipherCount));
        }
      } else {
        key[x] = from;
        if (other >= 0) key[other] = to;
      }
    }
    return { key: bestKey, score: best };
  }

  /** Scores the places that depend on a symbol under the changed key; returns how much they change. */
  private tryPlaces(x: number): number {
    const { places, placeStart, stamp, stampCount, score, trial } = this;
    let change = 0;
    for (let p = placeStart[x]; p < placeStart[x + 1]; p++) {
      const i = places[p];
      if (stamp[i] === stampCount) continue;
      stamp[i] = stampCount;
      trial[i] = this.placeScore(i);
      change += trial[i] - score[i];
    }
    return change;
  }

  private keepPlaces(x: number): void {
    const { places, placeStart, score, trial } = this;
    for (let p = placeStart[x]; p < placeStart[x + 1]; p++) score[places[p]] = trial[places[p]];
  }
}

/** n log n */
function logPower(n: number): number {
  return n > 0 ? n * Math.log(n) : 0;
}
