// Solves a letter cipher: searches keys by tables of letters, takes the best ends on by their score as words, and draws keys in
// proportion to their likelihood, to tell how sure the readings are: one-to-one keys around each end, homophonic keys by chains that
// exchange them (key-ladder.ts); homophonic keys in doubt are improved first (slow-chains.ts).

import { belief, type Evidence } from "./belief.js";
import { scoreByChance } from "./chance.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { coolDown, KeyChain } from "./key-chain.js";
import { KeyLadder } from "./key-ladder.js";
import { KeyScore } from "./key-score.js";
import { agreement, type End, type Searched, searchLetters } from "./letter-search.js";
import { type LetterWalks, seedOf } from "./letter-walks.js";
import { improvedByWords } from "./slow-chains.js";
import type { Substitution } from "./substitution.js";
import { Walker } from "./walker.js";
import { wordScoreOf } from "./word-score.js";

export interface LetterSolution {
  /** [cipherCount] the best key as a whole. */
  key: Int32Array;
  score: number;
  /** [cipherCount][plainCount] share of the keys drawn that have a substitution; undefined if none were drawn. */
  shares?: Float64Array;
  /** Searches made. */
  tried: number;
  /** Searches that ended at the key. */
  times: number;
  /** What tells whether the key is right as a whole; undefined if no keys were drawn. */
  evidence?: Evidence;
}

/** More plain symbols than this are not searched: tables of pairs would not fit. */
export const MOST_LETTERS = 240;

/** Ends that are taken on, and how far their costs may be above the best, in nats. */
const MOST_ENDS = 6;

/**
 * Temperatures at which keys are drawn, in nats. Other texts are less likely than the language model of some books has them, so
 * keys are less sure than it says.
 */
const DRAWINGS = [1.5, 2.5];

/** Keys drawn around each end, and steps by letters from one to the next. */
const DRAWS = 200;
const STEPS_BETWEEN_DRAWS = 20;

/** How often keys are drawn anew because a better one came up. */
const MOST_ROUNDS = 4;

/** Two keys that read this share of the places alike are drawn around once. */
const SAME_END = 0.9;

/** An end that reads this share of the places like the key was an end at the key: words have since changed some letters. */
const SAME_ANSWER = 0.8;

/** Ends with less than this of the best one's weight are left out. */
const LEAST_WEIGHT = 1e-4;

/** What every part of a solution works with. */
interface Work {
  cipher: Substitution;
  /** Of the whole text. */
  walks: LetterWalks;
  scores: KeyScore;
  hooks: DecipherHooks;
}

export async function solveLetters(cipher: Substitution, hooks: DecipherHooks): Promise<LetterSolution> {
  const walker = new Walker(cipher, cipher.language.ngram);
  const searched = await searchLetters(cipher, walker, fewestSearches(cipher), hooks);
  const scores = new KeyScore(cipher, wordScoreOf(cipher.language));
  const work: Work = { cipher, walks: walker.whole, scores, hooks };
  const taken = await takeOn(work, searched);
  const timesOf = (key: Int32Array): number =>
    searched.ends
      .filter((end) => agreement(end.key, key, cipher) >= SAME_ANSWER)
      .reduce((sum, end) => sum + end.times, 0);
  const [{ key, score }] = taken;
  const solution: LetterSolution = { key, score, tried: searched.tried, times: timesOf(key) };
  const { oneToOne, refine } = cipher.options;
  if (!refine || hooks.shouldStop?.()) return solution;
  if (oneToOne) await draw(work, taken, solution);
  solution.times = timesOf(solution.key);
  solution.evidence = await evidenceOf(cipher, solution, searched.steps, hooks);
  if (!oneToOne) await drawHomophonic(work, solution);
  // Shares that nothing speaks for or against tell nothing.
  if (!solution.evidence) solution.shares = undefined;
  return solution;
}

/** A key of which more than this is expected to be right is taken for found, and one that is believed less than the other for lost. */
const FOUND = 0.92;
const LOST = 0.2;

/** Moves of a ladder, times places of the text. */
const LADDER_MOVES = 10e6;

/** Draws homophonic keys; if the key then is in doubt, it is improved, and keys are drawn again. */
async function drawHomophonic(work: Work, solution: LetterSolution): Promise<void> {
  const { cipher, walks, scores, hooks } = work;
  if (!solution.evidence) return;
  const believed = belief(solution.evidence);
  await drawByLadder(work, solution);
  if (!solution.shares || believed < LOST || believed * sureness(cipher, solution) >= FOUND) return;
  const chains = { most: 16, recurrences: 3, part: SLOW };
  const improved = await improvedByWords(walks, scores, solution.key, chains, hooks, (share, { key, score }) =>
    hooks.onWords?.(share, score, () => cipher.named(key)),
  );
  if (!improved) return;
  solution.key = improved.key;
  await drawByLadder(work, solution);
}

/** Draws keys by chains that exchange them, and takes the best key they meet. */
async function drawByLadder({ cipher, walks, scores, hooks }: Work, solution: LetterSolution): Promise<void> {
  const ladder = new KeyLadder(walks, scores, solution.key, seedOf(cipher.options.seed, LADDERS));
  const shares = await ladder.draw(LADDER_MOVES / cipher.places, hooks);
  if (!shares) return;
  solution.shares = shares;
  solution.key = ladder.best.bestKey;
  solution.score = ladder.best.bestScore;
}

/** Share of the places that the keys drawn read like the key; spaces that are known do not count. */
function sureness(cipher: Substitution, { key, shares }: LetterSolution): number {
  const { plainCount, frequency } = cipher;
  const space = cipher.fixedSpace();
  let places = 0;
  let sure = 0;
  for (let x = 0; x < key.length; x++) {
    if (x === space) continue;
    places += frequency[x];
    sure += frequency[x] * (shares as Float64Array)[x * plainCount + key[x]];
  }
  return places > 0 ? sure / places : 1;
}

/** Places below which a text is short. */
const SHORT = 110;

function isShort(cipher: Substitution): boolean {
  return cipher.places < SHORT;
}

/** Blocks of steps that a chain has to cool down in. */
function blocksOf(cipher: Substitution): number {
  return isShort(cipher) ? 600 : 150;
}

/** Short texts have many good ends, and which is best, words decide: these are sought at least. */
function fewestSearches(cipher: Substitution): number {
  return isShort(cipher) ? 12 : 3;
}

interface Taken {
  end: End;
  key: Int32Array;
  score: number;
}

/** Takes the ends of a search on by their score as words; the best first. */
async function takeOn({ cipher, walks, scores, hooks }: Work, { ends }: Searched): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (const [i, end] of ends.slice(0, isShort(cipher) ? MOST_ENDS : 2).entries()) {
    const chain = new KeyChain(walks, scores, end.key, seedOf(cipher.options.seed, CHAINS + i));
    if (!(await coolDown(chain, blocksOf(cipher), hooks)) && i > 0) break;
    taken.push({ end, key: chain.bestKey.slice(), score: chain.bestScore });
  }
  return taken.sort((a, b) => b.score - a.score);
}

/** What tells whether a key is right as a whole; undefined if it was stopped. */
async function evidenceOf(
  cipher: Substitution,
  { key, score, times, tried }: LetterSolution,
  steps: number,
  hooks: DecipherHooks,
): Promise<Evidence | undefined> {
  const words = wordScoreOf(cipher.language);
  const space = cipher.fixedSpace();
  const letters = cipher.places - (space >= 0 ? cipher.frequency[space] : 0);
  const chance = await scoreByChance(cipher, { steps, blocks: blocksOf(cipher) }, hooks);
  if (chance === undefined) return undefined;
  return {
    text: words && new KeyScore(cipher, words).asText(key, true) / letters,
    typical: words?.typical,
    times,
    tried,
    isSpaced: space >= 0,
    symbols: cipher.cipherCount - (space >= 0 ? 1 : 0),
    aboveChance: score - chance,
  };
}

/** Tells the random numbers of chains from those of walks. */
const CHAINS = 1 << 21;
const LADDERS = 3 << 21;
const SLOW = LADDERS + 1;

/**
 * Draws keys around each end at each temperature and gives the solution their shares. A better key that comes up on the way
 * takes the place of its end, and all is drawn again.
 */
async function draw({ cipher, walks, scores, hooks }: Work, taken: Taken[], solution: LetterSolution): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    taken.sort((a, b) => b.score - a.score);
    const apart = taken.filter(
      ({ key }, i) => !taken.slice(0, i).some((other) => agreement(other.key, key, cipher) >= SAME_END),
    );
    const shares = new Float64Array(cipher.allowed.length);
    for (const [t, temperature] of DRAWINGS.entries()) {
      const weights = apart.map(({ score }) => Math.exp((score - apart[0].score) / temperature));
      const drawn = apart.filter((_, i) => weights[i] >= LEAST_WEIGHT);
      const all = weights.slice(0, drawn.length).reduce((a, b) => a + b, 0);
      for (const [i, end] of drawn.entries()) {
        const seed = seedOf(cipher.options.seed, CHAINS + 1000 * (round + 1) + 100 * t + i);
        const chain = new KeyChain(walks, scores, end.key, seed);
        const weight = weights[i] / (all * DRAWS * DRAWINGS.length);
        for (let n = 0; n < DRAWS; n++) {
          chain.move(temperature, STEPS_BETWEEN_DRAWS);
          for (let x = 0; x < chain.key.length; x++) shares[x * cipher.plainCount + chain.key[x]] += weight;
          if (n % 20 === 19 && (await pausedAndStopped(hooks))) return;
        }
        if (chain.bestScore <= end.score) continue;
        end.score = chain.bestScore;
        end.key = chain.bestKey.slice();
      }
    }
    solution.shares = shares;
    const isBetter = taken.some(({ score }) => score > solution.score);
    const best = taken.reduce((a, b) => (b.score > a.score ? b : a));
    solution.key = best.key;
    solution.score = best.score;
    if (!isBetter) return;
  }
}
