// Finds the order in which a cipher text is to be read, and with it a first key: readings that repeat most are tried with a few
// short walks through keys each, the best of these with longer ones, and the best of all are taken on by words; the best key then
// tells which of all readings reads best under it, and is taken on from there.

import { keyLoops } from "../../engine/key-choice.js";
import { type KeyTables, windowCost } from "../../engine/keys.js";
import { generator } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { seemsOneToOne } from "./homophones.js";
import { KeyScore } from "./key-score.js";
import type { Key } from "./known-key.js";
import type { LanguageModel } from "./language.js";
import { LetterWalks, seedOf } from "./letter-walks.js";
import { readDeciphererOptions } from "./options.js";
import { type RankedReading, rankReadings, standsOut } from "./reading-search.js";
import { improvedByWords } from "./slow-chains.js";
import { Substitution } from "./substitution.js";
import { searchTables } from "./walker.js";
import { type WordScore, wordScoreOf } from "./word-score.js";

export interface FoundReading extends RankedReading {
  /** Repeats of the text as it is written, in the same measure. */
  asWritten: number;
  /** The key that was found for it, by cipher symbol. */
  key: Key;
}

export interface ReadingOptions {
  seed?: number;
  oneToOne?: boolean;
  /** After each reading that was tried: how much of the walks is done. */
  onTrial?: (share: number) => void;
}

/** Longer texts are not tried: all readings of them would take long. */
const MOST_PLACES = 3000;

/** Readings that are walked at first, in both directions. */
const MOST_TRIED = 16;

/** Rounds of walks through keys: how many of the best readings are left, walks for each of them, and how much longer they are. */
const TRIALS = [
  { left: 2 * MOST_TRIED, walks: 3, longer: 1 },
  { left: 10, walks: 4, longer: 4 },
  { left: 4, walks: 4, longer: 16 },
];

/** Steps of the first walks for each symbol. */
const STEPS = { trade: 600, heatBath: 1500 };

/** Temperatures of walks, in nats: from nothing, and from a key that may be good. */
const COOLING = { trade: { hot: 6, cold: 1 }, heatBath: { hot: 3, cold: 1.2 } };
const GOING_ON = { hot: 2, cold: 1 };

/** Chains by words that a key is taken on with. */
const WORD_CHAINS = 2;

/** Tell the random numbers of keys that are taken on from those of walks. */
const BY_LETTERS = 1 << 20;
const BY_WORDS = 2 << 20;

/** How often all readings are looked at under the best key. */
const ROUNDS = 4;

interface Tried {
  ranked: RankedReading;
  key: Int32Array;
  cost: number;
}

/** `symbols`: a text without spaces, in lines of `width`; `language`: of letters without spaces. Undefined if none stands out. */
export async function findReading(
  symbols: readonly string[],
  width: number,
  language: LanguageModel,
  { seed = 1, oneToOne, onTrial, ...hooks }: DecipherHooks & ReadingOptions = {},
): Promise<FoundReading | undefined> {
  if (symbols.length > MOST_PLACES) return undefined;
  const names = [...new Set(symbols)];
  const numberOf = new Map(names.map((name, i) => [name, i]));
  const text = Int32Array.from(symbols, (symbol) => numberOf.get(symbol) as number);
  const { ranked, asWritten } = rankReadings(text, width, seed);
  if (!standsOut(ranked[0], asWritten)) return undefined;
  const settled = { ...readDeciphererOptions({ seed }), oneToOne: oneToOne ?? seemsOneToOne(language, [symbols]) };
  const inference = { mode: "rcms", contexts: 0, order: 0, recombine: true, rows: "all" } as const;
  const walksOf = ({ order }: Pick<RankedReading, "order">): LetterWalks<Substitution> => {
    const read = Array.from(order, (place) => symbols[place]);
    return new LetterWalks(new Substitution(language, settled, inference, [read], {}), tables, loops);
  };
  const loops = keyLoops();
  const tables = searchTables(language.ngram, settled.oneToOne, loops);
  let tried = ranked.slice(0, MOST_TRIED).flatMap((one) => [one, backwards(one)].map(untried));
  const all = TRIALS.reduce((sum, { left, walks, longer }) => sum + left * walks * longer, 0);
  let done = 0; // walks, by their lengths
  let number = 0;
  for (const { left, walks: count, longer } of TRIALS) {
    tried = tried.sort((a, b) => a.cost - b.cost).slice(0, left);
    for (const one of tried) {
      const walks = walksOf(one.ranked);
      const steps = STEPS[walks.kind] * longer * walks.text.free.length;
      for (let w = 0; w < count; w++, number++) {
        const begin = walks.randomKey(generator(seed, number));
        await walks.anneal(begin, seedOf(seed, number), { ...COOLING[walks.kind], steps }, hooks);
        if (walks.best < one.cost) Object.assign(one, { key: walks.walk.bestKey.slice(), cost: walks.best });
        if (await pausedAndStopped(hooks)) return undefined;
      }
      done += count * longer;
      onTrial?.(Math.min(1, done / all));
    }
  }
  const words = wordScoreOf(language);
  for (const one of tried) Object.assign(one, await improved(walksOf(one.ranked), one.key, words, hooks));
  let [best] = tried.sort((a, b) => a.cost - b.cost);
  for (let round = 0; round < ROUNDS; round++) {
    const { cipher } = walksOf(best.ranked);
    const better = readBest(best, ranked, text, names, cipher, tables);
    if (better === best.ranked) break;
    const walks = walksOf(better);
    const key = Int32Array.from(walks.cipher.alphabet.all(), (name) => best.key[cipher.alphabet.indexOf(name)]);
    const next = await improved(walks, key, words, hooks);
    if (next.cost >= best.cost) break;
    best = { ranked: better, ...next };
  }
  const key = Object.fromEntries(walksOf(best.ranked).cipher.named(best.key));
  return { ...best.ranked, asWritten, key };
}

/** A key taken on: homophonic ones by words, if words are known, others by letters; with what it then costs. */
async function improved(
  walks: LetterWalks<Substitution>,
  key: Int32Array,
  words: WordScore | undefined,
  hooks: DecipherHooks,
): Promise<Pick<Tried, "key" | "cost">> {
  const { cipher, kind } = walks;
  const { seed } = cipher.options;
  if (!words || kind === "trade") {
    await walks.anneal(
      key,
      seedOf(seed, BY_LETTERS),
      { ...GOING_ON, steps: STEPS[kind] * walks.text.free.length },
      hooks,
    );
    return { key: walks.walk.bestKey.slice(), cost: walks.best };
  }
  const chains = { most: WORD_CHAINS, recurrences: WORD_CHAINS, part: BY_WORDS };
  const scores = new KeyScore(cipher, words);
  const best = (await improvedByWords(walks, scores, key, chains, hooks)) ?? { key, score: scores.of(key) };
  return { key: best.key, cost: -best.score };
}

function untried(ranked: RankedReading): Tried {
  return { ranked, key: new Int32Array(0), cost: Number.POSITIVE_INFINITY };
}

function backwards({ reading, order, ...rest }: RankedReading): RankedReading {
  const isBack = reading.startsWith("back/");
  return { ...rest, reading: isBack ? reading.slice(5) : `back/${reading}`, order: order.slice().reverse() };
}

/** The reading that costs least by letters under the key of the best one, which is in the direction that it has. */
function readBest(
  best: Tried,
  ranked: readonly RankedReading[],
  text: Int32Array,
  names: readonly string[],
  cipher: Substitution,
  tables: KeyTables,
): RankedReading {
  const isBack = best.ranked.reading.startsWith("back/");
  const plainOf = Int32Array.from(names, (name) => best.key[cipher.alphabet.indexOf(name)]);
  const plain = new Int32Array(text.length + tables.order).fill(tables.events - 1);
  const costOf = (order: Int32Array): number => {
    const last = order.length - 1;
    let cost = 0;
    for (let i = 0; i <= last; i++) {
      plain[i + tables.order] = plainOf[text[order[isBack ? last - i : i]]];
      cost += windowCost(tables, plain, i + tables.order);
    }
    return cost;
  };
  const own = isBack ? backwards(best.ranked) : best.ranked;
  let least = costOf(own.order);
  let found = best.ranked;
  for (const one of ranked) {
    const cost = costOf(one.order);
    if (cost >= least) continue;
    least = cost;
    found = isBack ? backwards(one) : one;
  }
  return found;
}
