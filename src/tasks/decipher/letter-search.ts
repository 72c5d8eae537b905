// The search for keys of a letter cipher: walks that cool down (simulated annealing) from random keys. Short ones first; where
// their best end does not come up again they get longer, as an end that several walks come to is the best there is, or as good
// as it. Homophonic keys draw the readings of their symbols anew, one-to-one keys trade them.

import type { NgramModel } from "../../engine/ngram.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { type SearchText, seedOf, type WalkKind } from "./letter-walks.js";
import type { Substitution } from "./substitution.js";
import type { PlannedWalk, Walker } from "./walker.js";

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
  /** Steps of the last of them. */
  steps: number;
}

/** How long walks are, and how many there are of each length. */
interface Plan {
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

const plans: Record<WalkKind, Plan> = {
  trade: { first: 600, longest: 40_000, walks: 4, settled: 40_000, walksSettled: 4, most: 6_000_000 },
  heatBath: {
    first: 100,
    longest: 50_000,
    walks: 4,
    settled: 3_000,
    walksSettled: 16,
    most: 40_000_000,
  },
};

/** Two keys that read this share of the places alike are one end. */
const ALIKE = 0.9;

/** An end that so many walks came to is taken for the best. */
const RECURRENCES = 3;

/** Lengths after which, if no end has come up again, every other walk looks further back. */
const FURTHER_AFTER = 4;

/** Walks that are made before threads are asked: starting them takes longer. */
const ALONE = 8;

/** How often it is looked whether to stop while threads walk, in milliseconds. */
const LOOK = 50;

/** Makes walks elsewhere, such as on several threads, and gives them back in the order in which they were asked for. */
export interface Searchers {
  /** Number of walks made at the same time. */
  count: number;
  walk(planned: PlannedWalk): Promise<FoundKey>;
  close(): Promise<void>;
}

export interface FoundKey {
  key: Int32Array;
  /** In nats. */
  cost: number;
}

export type MakeSearchers = (text: SearchText, ngram: NgramModel) => Searchers;

/** The walks of a search, one after the other, whatever they find: longer and longer, until all of them have had their steps. */
function* plannedWalks({ kind, free }: Walker, { moves, restarts }: Substitution["options"]): Generator<PlannedWalk> {
  const plan = plans[kind];
  let length = plan.first * free;
  let ofLength = 0;
  let steps = 0; // of all walks
  for (let number = 1; restarts !== undefined ? number <= restarts : steps < plan.most; number++) {
    const own = moves === undefined ? length : Math.max(free, moves);
    const isFurther = moves === undefined && number > FURTHER_AFTER * plan.walks && number % 2 === 0;
    yield { number, steps: own, isFurther };
    steps += own;
    ofLength++;
    if (moves !== undefined || ofLength < (length < plan.settled * free ? plan.walks : plan.walksSettled)) continue;
    length = Math.min(2 * length, plan.longest * free);
    ofLength = 0;
  }
}

/** Searches until an end has come up often enough; `fewest`: walks that there are to be at least. */
export async function searchLetters(
  cipher: Substitution,
  walker: Walker,
  fewest: number,
  hooks: DecipherHooks,
): Promise<Searched> {
  const ends: End[] = [];
  const candidate = hooks.candidate && cipher.keyGiven(hooks.candidate);
  if (candidate?.every((y) => y >= 0))
    note(ends, await walker.polished(candidate, seedOf(cipher.options.seed, 0), hooks), cipher);
  let last: PlannedWalk | undefined;
  for await (const { planned, found } of foundKeys(cipher, walker, hooks)) {
    last = planned;
    note(ends, found, cipher);
    hooks.onSearch?.(planned.number, -found.cost, -ends[0].cost, () => cipher.named(ends[0].key));
    if (await pausedAndStopped(hooks)) break;
    if (!walker.hasChoice) break;
    if (planned.number >= fewest && ends[0].times >= RECURRENCES) break;
  }
  return { ends, tried: last?.number ?? 0, steps: last?.steps ?? 0 };
}

/** What the walks of a search find, in their order: the first here, later ones on threads, if there are any, some ahead. */
async function* foundKeys(
  cipher: Substitution,
  walker: Walker,
  hooks: DecipherHooks,
): AsyncGenerator<{ planned: PlannedWalk; found: FoundKey }> {
  const plan = plannedWalks(walker, cipher.options);
  const ahead: { planned: PlannedWalk; found: Promise<FoundKey> }[] = [];
  let searchers: Searchers | undefined;
  try {
    for (const planned of plan) {
      if (planned.number <= ALONE || !hooks.searchers) {
        yield { planned, found: await walker.walk(planned, hooks) };
        continue;
      }
      searchers ??= hooks.searchers(searchText(cipher), cipher.language.ngram);
      const found = searchers.walk(planned);
      found.catch(() => {}); // told when its turn comes
      ahead.push({ planned, found });
      if (ahead.length < searchers.count) continue;
      const first = await inTime(ahead.shift(), hooks);
      if (!first) return;
      yield first;
    }
    while (ahead.length > 0) {
      const first = await inTime(ahead.shift(), hooks);
      if (!first) return;
      yield first;
    }
  } finally {
    await searchers?.close();
  }
}

/** Waits for a walk; undefined if the work is to stop before. */
async function inTime(
  one: { planned: PlannedWalk; found: Promise<FoundKey> } | undefined,
  hooks: DecipherHooks,
): Promise<{ planned: PlannedWalk; found: FoundKey } | undefined> {
  if (!one) return undefined;
  const late = Symbol();
  for (;;) {
    const timer = new Promise<typeof late>((resolve) => setTimeout(() => resolve(late), LOOK));
    const found = await Promise.race([one.found, timer]);
    if (found !== late) return { planned: one.planned, found };
    if (hooks.shouldStop?.()) return undefined;
  }
}

/** What threads need of a cipher. */
function searchText({ sequences, cipherCount, plainCount, allowed, options, places }: Substitution): SearchText {
  const { oneToOne, seed } = options;
  return { sequences, cipherCount, plainCount, allowed, options: { oneToOne, seed }, places };
}

/** Puts an end among the others, the best first. */
export function note(ends: End[], found: { key: Int32Array; cost: number }, cipher: Substitution): void {
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
