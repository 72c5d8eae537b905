// A cipher text with the tables of a language, ready to be walked: walks cool down (simulated annealing), and how freely they begin
// and end depends on how often symbols stand in the text.

import type { KeyLoops, KeyTables, KeyText, KeyWalk, Temperature } from "../../engine/keys.js";
import { BEST, beginWalk, keyText, keyWalk, temperatureOf } from "../../engine/keys.js";
import { generator, type RandomGenerator, uniform } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";

/** What searches know of a cipher: nothing but numbers, so that threads can be sent it. */
export interface SearchText {
  sequences: readonly Int32Array[];
  cipherCount: number;
  plainCount: number;
  /** [cipherCount][plainCount] 0 where a substitution is known to be impossible. */
  allowed: Uint8Array;
  /** Number of symbols in all sequences. */
  places: number;
  options: { oneToOne: boolean; seed: number };
}

/** Walks trade the readings of one-to-one keys, and draw those of homophonic keys anew. */
export type WalkKind = "trade" | "heatBath";

/** Temperatures, in nats, at the beginning and at the end of walks through keys of symbols that are frequent. */
const HEAT: Record<WalkKind, { hot: number; cold: number }> = {
  trade: { hot: 6, cold: 1 },
  heatBath: { hot: 5, cold: 1 },
};

/**
 * The temperatures for a text with so many places for each symbol. Homophonic keys begin to hold together below about 3 nats
 * if their symbols have five places each, and below 1.5 they change no more; with more places, all of that happens earlier.
 */
export function coolingOf(kind: WalkKind, placesEach: number): { hot: number; cold: number } {
  const { hot, cold } = HEAT[kind];
  if (kind === "trade") return { hot, cold };
  const share = Math.min(1, Math.max(0, (placesEach - 6) / 4));
  return { hot: 3 + (hot - 3) * share, cold: 1.5 + (cold - 1.5) * share };
}

/** The temperatures of a search of a text. */
export function coolingFor({ kind, cipher, text }: LetterWalks): { hot: number; cold: number } {
  return coolingOf(kind, cipher.places / Math.max(1, text.free.length));
}

/** Temperatures between hot and cold. */
const TEMPERATURES = 64;

/** Symbols of the text that are searched at most: enough to tell a key, and it stays quick. */
const MOST_SEARCHED = 3000;

/** Steps between two looks whether to stop. */
const STEPS_BETWEEN_PAUSES = 50_000;

/** A cipher text with the tables of a language, ready to be walked. */
export class LetterWalks<C extends SearchText = SearchText> {
  readonly walk: KeyWalk;
  readonly text: KeyText;
  readonly kind: WalkKind;
  private readonly temperatures = new Map<number, Temperature>();

  constructor(
    readonly cipher: C,
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
