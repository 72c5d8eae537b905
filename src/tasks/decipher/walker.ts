// What makes the walks of a search, here or on a thread: the tables of a language, made when they are needed, and a cipher text. A
// walk is a function of its number alone, whoever makes it.

import { keyLoops } from "../../engine/key-choice.js";
import type { KeyLoops, KeyTables } from "../../engine/keys.js";
import type { NgramModel } from "../../engine/ngram.js";
import { generator } from "../../util/random.js";
import type { DecipherHooks } from "./decipherment.js";
import { keyTables, tableBytes } from "./key-tables.js";
import type { FoundKey } from "./letter-search.js";
import { coolingFor, LetterWalks, type SearchText, seedOf, type WalkKind } from "./letter-walks.js";

/** One walk of a search: its number, from 1, its steps, and whether it looks further back, which takes longer. */
export interface PlannedWalk {
  number: number;
  steps: number;
  isFurther: boolean;
}

/** Letters back that searches look, and those that ends are polished with; as far as tables fit. */
const SEARCH_ORDER = 3;
const FINE_ORDER = 4;
const MOST_BYTES = 96 << 20;

/** How an end is polished: temperatures in nats, and steps for each symbol. */
const POLISH = { hot: 1.5, cold: 0.7, steps: 30 };

/** Tells the random numbers of beginnings from those of walks. */
const BEGINNINGS = 1 << 20;

export class Walker {
  /** By which searches walk; and the whole text, by which ends are polished and judged. */
  readonly walks: LetterWalks;
  readonly whole: LetterWalks;
  private further: LetterWalks | undefined;

  constructor(
    private readonly text: SearchText,
    private readonly ngram: NgramModel,
    private readonly loops: KeyLoops = keyLoops(),
  ) {
    const { oneToOne } = text.options;
    this.walks = this.walksOf(SEARCH_ORDER, !oneToOne);
    // Trading keys need no turned tables, and words tell their ends apart; of homophonic keys there are too many.
    this.whole = this.walksOf(oneToOne ? SEARCH_ORDER : FINE_ORDER, false, Number.POSITIVE_INFINITY);
  }

  get kind(): WalkKind {
    return this.walks.kind;
  }

  /** Symbols with a choice, at least 1. */
  get free(): number {
    return Math.max(1, this.walks.text.free.length);
  }

  get hasChoice(): boolean {
    return this.walks.text.free.length > 0;
  }

  private walksOf(most: number, isTurned: boolean, places?: number): LetterWalks {
    const order = orderFor(this.ngram, most, isTurned ? most + 1 : 1);
    return new LetterWalks(this.text, tablesOf(this.ngram, order, isTurned, this.loops), this.loops, places);
  }

  async walk({ number, steps, isFurther }: PlannedWalk, hooks: DecipherHooks): Promise<FoundKey> {
    const { seed, oneToOne } = this.text.options;
    if (isFurther) this.further ??= this.walksOf(FINE_ORDER, !oneToOne);
    const walks = (isFurther && this.further) || this.walks;
    const begin = walks.randomKey(generator(seed, BEGINNINGS + number));
    await walks.anneal(begin, seedOf(seed, number), { ...coolingFor(this.walks), steps }, hooks);
    const found = { key: walks.walk.bestKey.slice(), cost: walks.best };
    return oneToOne ? found : this.polished(found.key, seedOf(seed, -number), hooks);
  }

  /** The best key by all of the text that is near a key. */
  async polished(key: Int32Array, seed: number, hooks: DecipherHooks): Promise<FoundKey> {
    const polish = { ...POLISH, steps: POLISH.steps * this.whole.text.free.length };
    await this.whole.anneal(key, seed, polish, hooks);
    return { key: this.whole.walk.bestKey.slice(), cost: this.whole.best };
  }
}

/** The greatest order, up to `most`, whose tables fit. */
function orderFor({ symbolCount, options }: NgramModel, most: number, tables: number): number {
  let order = Math.min(most, options.order);
  while (order > 1 && tables * tableBytes(symbolCount, order) > MOST_BYTES) order--;
  return order;
}

/** The tables that searches begin with. */
export function searchTables(ngram: NgramModel, oneToOne: boolean, loops: KeyLoops): KeyTables {
  const order = orderFor(ngram, SEARCH_ORDER, oneToOne ? 1 : SEARCH_ORDER + 1);
  return tablesOf(ngram, order, !oneToOne, loops);
}

/** The tables that look furthest. */
export function fineTables(ngram: NgramModel, loops: KeyLoops): KeyTables {
  return tablesOf(ngram, orderFor(ngram, FINE_ORDER, 1), false, loops);
}

const made = new WeakMap<NgramModel, Map<string, KeyTables>>();

/** The tables of a language serve all its ciphers. */
function tablesOf(ngram: NgramModel, order: number, isTurned: boolean, loops: KeyLoops): KeyTables {
  const own = made.get(ngram) ?? new Map<string, KeyTables>();
  made.set(ngram, own);
  const name = `${order} ${isTurned} ${loops.name}`;
  const tables = own.get(name) ?? keyTables(ngram, order, isTurned, loops.arrays);
  own.set(name, tables);
  return tables;
}
