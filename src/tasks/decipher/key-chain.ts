// A walk through keys by their score as a whole, which takes time to compute. Steps are proposed by a walk with tables of
// letters, which are quick, and corrected: with C the cost of a key by letters and S its score, a key that steps by letters at
// temperature u have led to is taken with the probability
//   min(1, exp((S' - S) / t) exp((C' - C) / u)),
// so that keys come up in proportion to exp(S / t) (delayed acceptance). Cooling down, it finds the best key.

import { beginWalk, TOTAL } from "../../engine/keys.js";
import { generator, type RandomGenerator, uniform } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import type { KeyScore } from "./key-score.js";
import type { LetterWalks } from "./letter-walks.js";

/** Temperatures of chains that cool down, in nats. */
const COOLING = { hot: 3, cold: 0.4 };

/** Single steps are proposed by letters at least as freely as this: what words want may look bad by letters. */
const LEAST_PROPOSING = 3;

export class KeyChain {
  readonly key: Int32Array;
  readonly bestKey: Int32Array;
  score: number;
  bestScore: number;
  private readonly random: RandomGenerator;
  private letters: number; // cost by letters, in nats

  constructor(
    private readonly walks: LetterWalks,
    private readonly scores: KeyScore,
    start: Int32Array,
    seed: number,
  ) {
    this.key = start.slice();
    this.bestKey = start.slice();
    this.score = scores.of(start);
    this.bestScore = this.score;
    this.random = generator(seed, 0);
    beginWalk(walks.walk, start, this.random.next());
    this.letters = this.cost();
  }

  private cost(): number {
    return this.walks.walk.state[TOTAL] / this.walks.tables.units;
  }

  /** Goes on after another chain has walked. */
  resume(): void {
    beginWalk(this.walks.walk, this.key);
  }

  /** One step: homophonic keys change little at a time, and so go further. */
  step(temperature: number): void {
    this.move(temperature, 1, Math.max(temperature, LEAST_PROPOSING));
  }

  /** Proposes a key that is `steps` steps by letters away, at a temperature of their own. Returns what came of it. */
  move(temperature: number, steps: number, proposing = temperature): "moved" | "same" | "refused" {
    const { walks, key } = this;
    const { walk } = walks;
    walks.step(proposing, steps);
    if (same(walk.key, key)) return "same";
    const letters = this.cost();
    const score = this.scores.of(walk.key);
    const gain = (score - this.score) / temperature + (letters - this.letters) / proposing;
    if (gain < 0 && uniform(this.random) >= Math.exp(gain)) {
      beginWalk(walk, key);
      return "refused";
    }
    key.set(walk.key);
    this.letters = letters;
    this.score = score;
    if (score > this.bestScore) {
      this.bestScore = score;
      this.bestKey.set(key);
    }
    return "moved";
  }
}

function same(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lets a chain cool down in so many blocks of steps; false if it was stopped. */
export async function coolDown(chain: KeyChain, blocks: number, hooks: DecipherHooks): Promise<boolean> {
  let steps = Math.max(2, Math.floor(chain.key.length / 2));
  for (let block = 0; block < blocks; block++) {
    const temperature = COOLING.hot * (COOLING.cold / COOLING.hot) ** (Math.floor((block * 20) / blocks) / 20);
    // As many steps by letters as lead to another key, and no more: one that is far away is hardly ever taken.
    const came = chain.move(temperature, Math.round(steps));
    steps = came === "same" ? Math.min(400, steps * 1.2) : Math.max(1, steps * 0.9);
    if (block % 20 === 19 && (await pausedAndStopped(hooks))) return false;
  }
  return true;
}
