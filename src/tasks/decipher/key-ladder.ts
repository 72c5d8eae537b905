// Chains through keys at several temperatures that exchange their keys (parallel tempering): hot ones wander, cold ones improve what
// they are given. With S the scores of the keys at neighbouring temperatures t < u, these are exchanged with the probability
//   min(1, exp((1 / t - 1 / u) (S(u) - S(t)))),
// so that at every temperature keys still come up in proportion to exp(S / t), and none stays in the valley where it began.

import { generator, type RandomGenerator, uniform } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { KeyChain } from "./key-chain.js";
import type { KeyScore } from "./key-score.js";
import { type LetterWalks, seedOf } from "./letter-walks.js";

/** Temperatures, in nats: close enough for every third exchange to succeed, and above the last homophonic keys hold together no more. */
const TEMPERATURES = [0.8, 1.1, 1.4, 1.7, 2, 2.3, 2.6, 2.9];

/** Of keys at these temperatures shares are counted: other texts are less likely than the language model of some books has them. */
export const COUNTED = [1.4, 2.6];

/** Moves of a chain before an exchange, and how many rounds of exchanges there are at least, if moves suffice. */
const MOVES = { most: 100, least: 5 };
const ROUNDS = 40;

export class KeyLadder {
  /** [temperatures] */
  private readonly chains: KeyChain[];
  private readonly random: RandomGenerator;

  /** All chains begin at the same key. */
  constructor(
    private readonly walks: LetterWalks,
    scores: KeyScore,
    start: Int32Array,
    seed: number,
  ) {
    this.random = generator(seed, 0);
    this.chains = TEMPERATURES.map((_, i) => new KeyChain(walks, scores, start, seedOf(seed, i + 1)));
  }

  /** The chain that has met the best key. */
  get best(): KeyChain {
    return this.chains.reduce((a, b) => (b.bestScore > a.bestScore ? b : a));
  }

  /**
   * Makes so many moves. Returns the share of the keys met that have a substitution, [cipherCount][plainCount]; undefined if it
   * was stopped.
   */
  async draw(moves: number, hooks: DecipherHooks): Promise<Float64Array | undefined> {
    const { cipherCount, plainCount } = this.walks.cipher;
    const shares = new Float64Array(cipherCount * plainCount);
    const own = moves / TEMPERATURES.length;
    const each = Math.min(MOVES.most, Math.max(MOVES.least, Math.floor(own / ROUNDS)));
    const rounds = Math.max(1, Math.ceil(own / each));
    // The first rounds still know where the chains began.
    const skipped = Math.floor(rounds / 4);
    const weight = 1 / ((rounds - skipped) * COUNTED.length);
    for (let round = 0; round < rounds; round++) {
      for (const [i, temperature] of TEMPERATURES.entries()) {
        const chain = this.chains[i];
        chain.resume();
        for (let n = 0; n < each; n++) chain.step(temperature);
        if (round < skipped || !COUNTED.includes(temperature)) continue;
        for (let x = 0; x < cipherCount; x++) shares[x * plainCount + chain.key[x]] += weight;
      }
      this.exchange();
      if (await pausedAndStopped(hooks)) return undefined;
    }
    return shares;
  }

  private exchange(): void {
    const { chains, random } = this;
    for (let i = 0; i + 1 < chains.length; i++) {
      const gain = (1 / TEMPERATURES[i] - 1 / TEMPERATURES[i + 1]) * (chains[i + 1].score - chains[i].score);
      if (gain < 0 && uniform(random) >= Math.exp(gain)) continue;
      [chains[i], chains[i + 1]] = [chains[i + 1], chains[i]];
    }
  }
}
