// Finds the order in which a cipher text is to be read, and with it a first key: readings that repeat most are tried with a few
// short walks through keys each; the best key then tells which of all readings reads best under it, and is walked on from there.

import { keyLoops } from "../../engine/key-choice.js";
import { windowCost } from "../../engine/keys.js";
import { generator } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { seemsOneToOne } from "./homophones.js";
import type { LanguageModel } from "./language.js";
import { LetterWalks, seedOf } from "./letter-walks.js";
import { readDeciphererOptions } from "./options.js";
import { type RankedReading, rankReadings, standsOut } from "./reading-search.js";
import { Substitution } from "./substitution.js";
import { searchTables } from "./walker.js";

export interface FoundReading extends RankedReading {
  /** Repeats of the text as it is written, in the same measure. */
  asWritten: number;
}

/** Longer texts are not tried: all readings of them would take long. */
const MOST_PLACES = 3000;

/** Readings that are walked, and walks for each. */
const MOST_TRIED = 16;
const WALKS = 3;

/** Steps of a walk for each symbol. */
const STEPS = { trade: 600, heatBath: 1500 };

/** Temperatures of walks, in nats: from nothing, and from a key that may be good. */
const COOLING = { trade: { hot: 6, cold: 1 }, heatBath: { hot: 3, cold: 1.2 } };
const GOING_ON = { hot: 2, cold: 1 };

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
  let best: Tried | undefined;
  for (const [r, one] of ranked.slice(0, MOST_TRIED).entries()) {
    for (const candidate of [one, backwards(one)]) {
      const walks = walksOf(candidate);
      const steps = STEPS[walks.kind] * walks.text.free.length;
      for (let w = 0; w < WALKS; w++) {
        const begin = walks.randomKey(generator(seed, r * WALKS + w));
        await walks.anneal(begin, seedOf(seed, r * WALKS + w), { ...COOLING[walks.kind], steps }, hooks);
        if (!best || walks.best < best.cost) best = triedOf(candidate, walks);
        if (await pausedAndStopped(hooks)) break;
      }
    }
  }
  for (let round = 0; best && round < ROUNDS; round++) {
    const walks = walksOf(best.ranked);
    const better = readBest(best, ranked, text, names, walks);
    if (better === best.ranked) break;
    const next = walksOf(better);
    const key = Int32Array.from(next.cipher.alphabet.all(), (name) => {
      return (best as Tried).key[walks.cipher.alphabet.indexOf(name)];
    });
    const steps = STEPS[next.kind] * next.text.free.length;
    await next.anneal(key, seedOf(seed, 1000 + round), { ...GOING_ON, steps }, hooks);
    if (next.best >= best.cost) break;
    best = triedOf(better, next);
  }
  return best && { ...best.ranked, asWritten };
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
