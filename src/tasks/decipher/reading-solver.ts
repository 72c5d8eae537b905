// Finds the order in which a cipher text is to be read, and with it a first key: readings that repeat most are tried with a few
// short walks through keys each; the best key then tells which of all readings reads best under it, and is walked on from there.

import { keyLoops } from "../../engine/key-choice.js";
import { windowCost } from "../../engine/keys.js";
import { generator } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { seemsOneToOne } from "./homophones.js";
import { coolSlowly, KeyChain, slowSteps } from "./key-chain.js";
import { KeyScore } from "./key-score.js";
import type { Key } from "./known-key.js";
import type { LanguageModel } from "./language.js";
import { LetterWalks, seedOf } from "./letter-walks.js";
import { readDeciphererOptions } from "./options.js";
import { type RankedReading, rankReadings, standsOut } from "./reading-search.js";
import { Substitution } from "./substitution.js";
import { searchTables } from "./walker.js";
import { wordScoreOf } from "./word-score.js";

export interface FoundReading extends RankedReading {
  /** Repeats of the text as it is written, in the same measure. */
  asWritten: number;
  /** The key that was found for it, by cipher symbol. */
  key: Key;
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

/** Chains by words that the best key is taken on with. */
const WORD_CHAINS = 3;

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
  { seed = 1, oneToOne, ...hooks }: DecipherHooks & { seed?: number; oneToOne?: boolean } = {},
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
  for (const [t, { left, walks: count, longer }] of TRIALS.entries()) {
    tried = tried.sort((a, b) => a.cost - b.cost).slice(0, left);
    for (const [r, one] of tried.entries()) {
      const walks = walksOf(one.ranked);
      const steps = STEPS[walks.kind] * longer * walks.text.free.length;
      for (let w = 0; w < count; w++) {
        const number = (t * 2 * MOST_TRIED + r) * 4 + w;
        const begin = walks.randomKey(generator(seed, number));
        await walks.anneal(begin, seedOf(seed, number), { ...COOLING[walks.kind], steps }, hooks);
        if (walks.best < one.cost) Object.assign(one, triedOf(one.ranked, walks));
        if (await pausedAndStopped(hooks)) return undefined;
      }
    }
  }
  let [best] = tried.sort((a, b) => a.cost - b.cost);
  for (let round = 0; round < ROUNDS; round++) {
    const walks = walksOf(best.ranked);
    const better = readBest(best, ranked, text, names, walks);
    if (better === best.ranked) break;
    const next = walksOf(better);
    const key = Int32Array.from(next.cipher.alphabet.all(), (name) => {
      return best.key[walks.cipher.alphabet.indexOf(name)];
    });
    const steps = STEPS[next.kind] * next.text.free.length;
    await next.anneal(key, seedOf(seed, 1000 + round), { ...GOING_ON, steps }, hooks);
    if (next.best >= best.cost) break;
    best = triedOf(better, next);
  }
  const walks = walksOf(best.ranked);
  const { alphabet } = walks.cipher;
  best.key = await keyByWords(walks, best.key, hooks);
  const key = Object.fromEntries(alphabet.all().map((name, x) => [name, language.symbols.nameOf(best.key[x])]));
  return { ...readBest(best, ranked, text, names, walks), asWritten, key };
}

/** The key taken on by its score as words, if it is homophonic and words are known. */
async function keyByWords(
  walks: LetterWalks<Substitution>,
  key: Int32Array,
  hooks: DecipherHooks,
): Promise<Int32Array> {
  const { cipher } = walks;
  const words = wordScoreOf(cipher.language);
  if (!words || walks.kind === "trade") return key;
  const scores = new KeyScore(cipher, words);
  let best: KeyChain | undefined;
  for (let n = 0; n < WORD_CHAINS; n++) {
    const chain = new KeyChain(walks, scores, key, seedOf(cipher.options.seed, 2000 + n));
    if (!(await coolSlowly(chain, slowSteps(cipher), hooks))) break;
    if (!best || chain.bestScore > best.bestScore) best = chain;
  }
  return best?.bestKey ?? key;
}

function untried(ranked: RankedReading): Tried {
  return { ranked, key: new Int32Array(0), cost: Number.POSITIVE_INFINITY };
}

function triedOf(ranked: RankedReading, walks: LetterWalks): Tried {
  return { ranked, key: walks.walk.bestKey.slice(), cost: walks.best };
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
  { cipher, tables }: LetterWalks<Substitution>,
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
