// Improves a homophonic key by its score as words. By letters, a wrong key of a text with slips may be likelier than the right one, so
// chains that follow words must get away from where the search by letters ended: they begin warm, change one symbol at a time and cool
// down slowly, one chain after the other, until several have nothing better to offer than the best key.

import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { KeyChain } from "./key-chain.js";
import type { KeyScore } from "./key-score.js";
import { type LetterWalks, seedOf } from "./letter-walks.js";

/** Temperatures, in nats, and how many there are between them: above the first, homophonic keys fall apart. */
const COOLING = { hot: 2.6, cold: 1, temperatures: 40 };

/** Steps of a chain for each symbol; in a long text fewer, so that steps times places are no more than this. */
const STEPS = 1600;
const MOST_PLACES = 32e6;

const STEPS_BETWEEN_PAUSES = 500;

/** Two keys that score so nearly alike, in nats, are one. */
const SAME_SCORE = 1e-6;

export interface SlowChains {
  /** Chains at most, and how many of them must come to the best key or find none better. */
  most: number;
  recurrences: number;
  /** Tells the random numbers of the chains from others. */
  part: number;
}

export interface ScoredKey {
  key: Int32Array;
  score: number;
}

/** The best key that chains come to from one; undefined if it was stopped. `onChain` hears the best so far before each chain. */
export async function improvedByWords(
  walks: LetterWalks,
  scores: KeyScore,
  start: Int32Array,
  { most, recurrences, part }: SlowChains,
  hooks: DecipherHooks,
  onChain?: (share: number, best: ScoredKey) => void,
): Promise<ScoredKey | undefined> {
  const { cipher } = walks;
  let best: ScoredKey = { key: start, score: scores.of(start) };
  for (let n = 0, times = 0; n < most && times < recurrences; n++) {
    onChain?.(n / most, best);
    const chain = new KeyChain(walks, scores, start, seedOf(cipher.options.seed, part + n));
    if (!(await coolSlowly(chain, Math.min(STEPS * cipher.cipherCount, MOST_PLACES / cipher.places), hooks)))
      return undefined;
    const { bestKey: key, bestScore: score } = chain;
    if (score > best.score + SAME_SCORE) {
      best = { key, score };
      times = 1;
    } else if (score > best.score - SAME_SCORE) times++;
  }
  return best;
}

/** False if it was stopped. */
async function coolSlowly(chain: KeyChain, steps: number, hooks: DecipherHooks): Promise<boolean> {
  const { hot, cold, temperatures } = COOLING;
  for (let i = 0; i < temperatures; i++) {
    const temperature = hot * (cold / hot) ** (i / (temperatures - 1));
    for (let n = 0; n < steps / temperatures; n++) {
      chain.step(temperature);
      if (n % STEPS_BETWEEN_PAUSES === 0 && (await pausedAndStopped(hooks))) return false;
    }
  }
  return true;
}
