// A key made better, and how sure it is. Every symbol is given the reading that fits best with all others, until nothing
// changes; walks through the keys draw readings anew, symbol by symbol, and count what the keys on the way have.

import { generator } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { KeyConfidence } from "./key-confidence.js";
import type { Substitution } from "./substitution.js";

/**
 * Temperatures of the walk from a key, one for each round through its symbols; the second half is counted. Words stay warm:
 * a language model of words is surer of what it has seen than it should be.
 */
const shaken = Array.from({ length: 20 }, (_, round) => Math.max(2, 8 ** (1 - round / 10))); // from the key of EM

/** Places of a symbol that a round of a walk looks at in full; more frequent ones, which are surer, have fewer rounds. */
const PLACES_A_ROUND = 20;

/** Readings of a symbol that a walk chooses from: with more plain symbols, those EM expects most. */
const WALK_CANDIDATES = 100;

/** Tells the random numbers of walks from those of searches. */
const WALKS = 1 << 20;

/** Readings of a symbol that are weighed against each other: with more plain symbols, those EM expects most. */
export const CANDIDATES = 500;

/** Rounds of refinement at most; three or four are usual. */
const ROUNDS = 10;

export function confidenceOf(cipher: Substitution, key: Int32Array): KeyConfidence {
  const { plainCount, allowed, sequences, options, model } = cipher;
  return new KeyConfidence(model.ngram, sequences, key, plainCount, options.oneToOne, allowed);
}

/** The best key so far. */
export class BestKey {
  confidence: KeyConfidence;
  /** [cipherCount][plainCount] share of the keys drawn that have a substitution; undefined if there are none. */
  shares?: Float64Array;

  constructor(
    private readonly cipher: Substitution,
    /** [cipherCount] */
    public key: Int32Array,
    /** [cipherCount][plainCount] as EM expects them. */
    private readonly counts: Float64Array,
  ) {
    this.confidence = confidenceOf(this.cipher, key);
  }

  /** Takes another key, each symbol given the reading that fits best, if it explains the text better. */
  improve(start: Int32Array): void {
    const key = start.slice();
    const confidence = confidenceOf(this.cipher, key);
    for (let round = 0; round < ROUNDS; round++) {
      const changed = confidence.improve((x) => this.cipher.candidates(x, key[x], this.counts, CANDIDATES));
      if (changed === 0) break;
    }
    if (confidence.total() <= this.confidence.total()) return;
    this.key = key;
    this.confidence = confidence;
  }

  /** Shakes the key and lets it settle, several times. Returns how often. */
  async shake(times: number, hooks: DecipherHooks): Promise<number> {
    const { key } = this;
    return this.walk(
      Array.from({ length: times }, () => key),
      hooks,
      (walks, score) => hooks.onSearch?.(walks, score, this.confidence.total(), () => this.cipher.named(this.key)),
    );
  }

  /**
   * Walks through the keys from each start, drawing the readings of the symbols anew in rounds. Counts what the keys on the
   * way have; where a walk ends is tried as the key, as searches look less far back than the score of the key does.
   * Returns how many walks there were.
   */
  private async walk(
    starts: readonly Int32Array[],
    hooks: DecipherHooks,
    onWalk?: (walks: number, score: number) => void,
  ): Promise<number> {
    const { plainCount, cipherCount, frequency, options } = this.cipher;
    const shares = new Float64Array(cipherCount * plainCount);
    const tried = new Set([this.key.join()]);
    let counted = 0;
    let walks = 0;
    for (const start of starts) {
      const random = generator(options.seed, WALKS + walks);
      const key = start.slice();
      const walker = confidenceOf(this.cipher, key);
      const candidates = Array.from(key, (y, x) => this.cipher.candidates(x, y, this.counts, WALK_CANDIDATES));
      for (let round = 0; round < shaken.length; round++) {
        if (await pausedAndStopped(hooks)) return walks;
        for (let x = 0; x < cipherCount; x++) {
          if (round % Math.ceil(frequency[x] / PLACES_A_ROUND) !== 0 || candidates[x].length < 2) continue;
          walker.redraw(x, candidates[x], shaken[round], random);
        }
        if (2 * round < shaken.length) continue;
        counted++;
        key.forEach((y, x) => {
          shares[x * plainCount + y]++;
        });
      }
      walks++;
      const end = key.join();
      if (!tried.has(end)) this.improve(key);
      tried.add(end);
      onWalk?.(walks, walker.total());
      this.shares = shares.map((share) => share / counted);
    }
    return walks;
  }
}
