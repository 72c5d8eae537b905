// The search for keys of a letter cipher: walks that cool down (simulated annealing) from random keys. Short ones first; where
// their best end does not come up again they get longer, as an end that several walks come to is the best there is, or as good
// as it. Homophonic keys draw the readings of their symbols anew, one-to-one keys trade them.

import type { KeyLoops, KeyTables, KeyText, KeyWalk, Temperature } from "../../engine/keys.js";
import { BEST, beginWalk, keyText, keyWalk, temperatureOf } from "../../engine/keys.js";
import { generator, type RandomGenerator, uniform } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import type { Substitution } from "./substitution.js";

/** Where walks ended: keys that read nearly all places alike count as one. */
export interface End {
  /** [cipherCount] the best of them. */
  key: Int32Array;
  /** What it costs, in nats. */
  cost: number;
  /** How many walks came here. */
  times: number;
}

export interface Searched {
  /** The best first. */
  ends: End[];
  /** Walks made. */
  tried: number;
  /** Whether the last of them had the greatest length, so that no more could be done. */
  exhausted: boolean;
}

/** How walks cool down and how long they are. */
interface Plan {
  /** Temperatures, in nats, at the beginning and at the end. */
  hot: number;
  cold: number;
  /** Steps of the first walks, and of the longest; for each symbol with a choice. */
  first: number;
  longest: number;
  /** Walks of each length; and of those that have this many steps for each symbol or more, from where on chance decides. */
  walks: number;
  settled: number;
  walksSettled: number;
  /** Steps of all walks together. */
  most: number;
}

const plans: Record<"trade" | "heatBath", Plan> = {
  trade: { hot: 6, cold: 1, first: 600, longest: 40_000, walks: 4, settled: 40_000, walksSettled: 4, most: 6_000_000 },
  heatBath: {
    hot: 5,
    cold: 1,
    first: 100,
    longest: 50_000,
    walks: 4,
    settled: 3_000,
    walksSettled: 16,
    most: 40_000_000,
  },
};

/**
 * The temperatures for a text with so many places for each symbol. Homophonic keys begin to hold together below about 3 nats
 * if their symbols have five places each, and below 1.5 they change no more; with more places, all of that happens earlier.
 */
function coolingOf(kind: "trade" | "heatBath", placesEach: number): { hot: number; cold: number } {
  const { hot, cold } = plans[kind];
  if (kind === "trade") return { hot, cold };
  const share = Math.min(1, Math.max(0, (placesEach - 6) / 4));
  return { hot: 3 + (hot - 3) * share, cold: 1.5 + (cold - 1.5) * share };
}

/** Temperatures between hot and cold. */
const TEMPERATURES = 64;

/** Two keys that read this share of the places alike are one end. */
const ALIKE = 0.9;

/** An end that so many walks came to is taken for the best. */
const RECURRENCES = 3;

/** Lengths after which, if no end has come up again, every other walk looks further back. */
const FURTHER_AFTER = 4;

/** Symbols of the text that are searched at most: enough to tell a key, and it stays quick. */
const MOST_SEARCHED = 3000;

/** Steps between two looks whether to stop. */
const STEPS_BETWEEN_PAUSES = 50_000;

/** Tells the random numbers of beginnings from those of walks. */
const BEGINNINGS = 1 << 20;

/** A cipher text with the tables of a language, ready to be walked. */
export class LetterWalks {
  readonly walk: KeyWalk;
  readonly text: KeyText;
  readonly kind: "trade" | "heatBath";
  private readonly temperatures = new Map<number, Temperature>();

  constructor(
    readonly cipher: Substitution,
    readonly tables: KeyTables,
    readonly loops: KeyLoops,
    mostPlaces = MOST_SEARCHED,
  ) {
    const { oneToOne } = cipher.options;
    this.kind = oneToOne ? "trade" : "heatBath";
    this.text = keyText(
      tables,
      firstOf(cipher.sequences, mostPlaces),
      cipher.cipherCount,
      { isHomophonic: !oneToOne, allowed: cipher.allowed },
      loops.arrays,
    );
    this.walk = keyWalk(this.text, loops.arrays);
  }

  /** The cost of the best key that the walk has met, in nats. */
  get best(): number {
    return this.walk.state[BEST] / this.tables.units;
  }

  /** Goes on walking at a temperature, in nats. */
  step(nats: number, steps: number): void {
    let temperature = this.temperatures.get(nats);
    if (!temperature) {
      temperature = temperatureOf(nats, this.tables.units, this.loops.arrays);
      this.temperatures.set(nats, temperature);
    }
    this.loops[this.kind](this.walk, temperature, steps);
  }

  /** Walks from a key while it cools down; false if it was stopped. */
  async anneal(
    key: Int32Array,
    seed: number,
    { hot, cold, steps }: { hot: number; cold: number; steps: number },
    hooks: DecipherHooks,
  ): Promise<boolean> {
    beginWalk(this.walk, key, seed);
    if (this.text.free.length === 0) return true;
    const each = Math.max(1, Math.ceil(steps / TEMPERATURES));
    let since = 0;
    for (let t = 0; t < TEMPERATURES; t++) {
      const nats = hot * (cold / hot) ** (t / (TEMPERATURES - 1));
      for (let left = each; left > 0; ) {
        const now = Math.min(left, STEPS_BETWEEN_PAUSES);
        this.step(nats, now);
        left -= now;
        since += now;
        if (since < STEPS_BETWEEN_PAUSES) continue;
        since = 0;
        if (await pausedAndStopped(hooks)) return false;
      }
    }
    return true;
  }

  /** [cipherCount] a key that is allowed, drawn blindly. */
  randomKey(random: RandomGenerator): Int32Array {
    const { cipherCount, plainCount, allowed } = this.cipher;
    const key = new Int32Array(cipherCount);
    const taken = new Uint8Array(plainCount);
    const choices = (x: number): number[] => {
      const own: number[] = [];
      for (let y = 0; y < plainCount; y++) if (allowed[x * plainCount + y]) own.push(y);
      return own;
    };
    const order = Array.from({ length: cipherCount }, (_, x) => x);
    // Those with one choice first: it must not be given away.
    order.sort((a, b) => Number(choices(a).length > 1) - Number(choices(b).length > 1) || a - b);
    for (const x of order) {
      const own = choices(x);
      const open = this.kind === "trade" ? own.filter((y) => !taken[y]) : own;
      const from = open.length > 0 ? open : own;
      key[x] = from[Math.floor(uniform(random) * from.length)];
      taken[key[x]] = 1;
    }
    return key;
  }
}

/** A step of a search beyond the walk itself, from the key it found: returns a better one and its cost. */
export type Polish = (key: Int32Array, seed: number) => Promise<{ key: Int32Array; cost: number }>;

/** What a search goes by. */
export interface SearchMeans {
  walks: LetterWalks;
  /** Walks that look further back and take longer: made when they are needed. */
  further?: () => LetterWalks;
  polish?: Polish;
  /** Walks that there are to be at least. */
  fewest: number;
}

export async function searchLetters(means: SearchMeans, hooks: DecipherHooks): Promise<Searched> {
  const { cipher, text, kind } = means.walks;
  const { polish, fewest } = means;
  const { seed, restarts, moves } = cipher.options;
  const plan = plans[kind];
  const free = Math.max(1, text.free.length);
  const cooling = coolingOf(kind, cipher.places / free);
  const ends: End[] = [];
  let length = plan.first * free;
  let ofLength = 0;
  let further: LetterWalks | undefined;
  let tried = 0;
  let steps = 0;
  for (;;) {
    tried++;
    const own = moves === undefined ? length : Math.max(free, moves);
    if (tried > FURTHER_AFTER * plan.walks && moves === undefined) further ??= means.further?.();
    const walks = further && tried % 2 === 0 ? further : means.walks;
    const begin = walks.randomKey(generator(seed, BEGINNINGS + tried));
    await walks.anneal(begin, seedOf(seed, tried), { ...cooling, steps: own }, hooks);
    steps += own;
    const found = polish
      ? await polish(walks.walk.bestKey.slice(), seedOf(seed, -tried))
      : { key: walks.walk.bestKey.slice(), cost: walks.best };
    note(ends, found, cipher);
    hooks.onSearch?.(tried, -found.cost, -ends[0].cost, () => cipher.named(ends[0].key));
    if (await pausedAndStopped(hooks)) break;
    if (restarts !== undefined && tried >= restarts) break;
    if (text.free.length === 0) break;
    if (tried >= fewest && ends[0].times >= RECURRENCES) break;
    if (restarts === undefined && steps >= plan.most) return { ends, tried, exhausted: true };
    ofLength++;
    if (moves !== undefined || ofLength < (length < plan.settled * free ? plan.walks : plan.walksSettled)) continue;
    length = Math.min(2 * length, plan.longest * free);
    ofLength = 0;
  }
  return { ends, tried, exhausted: false };
}

/** Puts an end among the others, the best first. */
function note(ends: End[], found: { key: Int32Array; cost: number }, cipher: Substitution): void {
  const same = ends.findIndex((end) => agreement(end.key, found.key, cipher) >= ALIKE);
  let { key, cost } = found;
  let times = 1;
  if (same >= 0) {
    const [old] = ends.splice(same, 1);
    times += old.times;
    if (old.cost <= cost) ({ key, cost } = old);
  }
  const place = ends.findIndex((end) => end.cost > cost);
  ends.splice(place < 0 ? ends.length : place, 0, { key, cost, times });
}

/** Share of the places that two keys read alike; spaces that are known do not count. */
export function agreement(a: Int32Array, b: Int32Array, cipher: Substitution): number {
  const { frequency } = cipher;
  const space = cipher.fixedSpace();
  let places = 0;
  let alike = 0;
  for (let x = 0; x < a.length; x++) {
    if (x === space) continue;
    places += frequency[x];
    if (a[x] === b[x]) alike += frequency[x];
  }
  return places > 0 ? alike / places : 1;
}

/** A seed of 32 bits for one walk. */
export function seedOf(seed: number, part: number): number {
  return generator(seed, part).next() | 0;
}

/** The first symbols of sequences, `most` in all. */
function firstOf(sequences: readonly Int32Array[], most: number): Int32Array[] {
  const part: Int32Array[] = [];
  let left = most;
  for (const sequence of sequences) {
    if (left <= 0) break;
    part.push(sequence.slice(0, left));
    left -= sequence.length;
  }
  return part;
}
