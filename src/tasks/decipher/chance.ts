// What a search finds where there is nothing to be found: the same symbols in a random order, which no key can read. A key of the
// text that scores no more than the best of these is one that chance would give.

import { generator, shuffle } from "../../util/random.js";
import type { DecipherHooks } from "./decipherment.js";
import { coolDown, KeyChain } from "./key-chain.js";
import { KeyScore } from "./key-score.js";
import { seedOf } from "./letter-walks.js";
import { Substitution } from "./substitution.js";
import { Walker } from "./walker.js";
import { wordScoreOf } from "./word-score.js";

/** Shuffled texts that are searched. */
const SHUFFLES = 2;

/** Tells the random numbers of shuffles from those of walks. */
const SHUFFLED = 1 << 22;

/**
 * The best score of a key of the shuffled text, found with a walk of as many steps as the search of the text itself had last, and a
 * chain of as many blocks. Undefined if it was stopped.
 */
export async function scoreByChance(
  cipher: Substitution,
  { steps, blocks }: { steps: number; blocks: number },
  hooks: DecipherHooks,
): Promise<number | undefined> {
  let best = Number.NEGATIVE_INFINITY;
  for (let n = 1; n <= SHUFFLES; n++) {
    const shuffled = shuffledOf(cipher, SHUFFLED + n);
    const walker = new Walker(shuffled, cipher.language.ngram);
    const { key } = await walker.walk({ number: SHUFFLED + n, steps, isFurther: false }, hooks);
    const scores = new KeyScore(shuffled, wordScoreOf(cipher.language));
    const chain = new KeyChain(walker.whole, scores, key, seedOf(cipher.options.seed, 2 * SHUFFLED + n));
    if (!(await coolDown(chain, blocks, hooks))) return undefined;
    best = Math.max(best, chain.bestScore);
  }
  return best;
}

/** The same symbols in another order; spaces that are known stay where they are. */
function shuffledOf(cipher: Substitution, part: number): Substitution {
  const { alphabet, sequences, options, language, model } = cipher;
  const space = cipher.fixedSpace();
  const letters = sequences.flatMap((sequence) => [...sequence].filter((x) => x !== space));
  shuffle(letters, generator(options.seed, part));
  let at = 0;
  const names = sequences.map((sequence) =>
    Array.from(sequence, (x) => alphabet.nameOf(x === space ? x : letters[at++])),
  );
  return new Substitution(language, options, model.inference, names, cipher.known);
}
