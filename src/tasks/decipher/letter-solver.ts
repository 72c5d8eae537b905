// Solves a letter cipher: searches keys by tables of letters, takes the best ends on by their score as words, and draws keys in
// proportion to their likelihood around each, to tell how sure the readings are.

import { keyLoops } from "../../engine/key-choice.js";
import type { KeyLoops, KeyTables } from "../../engine/keys.js";
import type { NgramModel } from "../../engine/ngram.js";
import { belief, mixWithChance } from "./belief.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { KeyChain } from "./key-chain.js";
import { KeyScore } from "./key-score.js";
import { keyTables, tableBytes } from "./key-tables.js";
import {
  agreement,
  type End,
  LetterWalks,
  type Polish,
  type Searched,
  searchLetters,
  seedOf,
} from "./letter-search.js";
import type { Substitution } from "./substitution.js";
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
}

/** Letters back that searches look, and those that ends are polished with; as far as tables fit. */
const SEARCH_ORDER = 3;
const FINE_ORDER = 4;
const MOST_BYTES = 96 << 20;

/** More plain symbols than this are not searched: tables of pairs would not fit. */
export const MOST_LETTERS = 240;

/** Ends that are taken on, and how far their costs may be above the best, in nats. */
const MOST_ENDS = 6;

/** Temperatures of chains, in nats. */
const CHAIN = { hot: 3, cold: 0.4 };

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

export async function solveLetters(cipher: Substitution, hooks: DecipherHooks): Promise<LetterSolution> {
  const loops = keyLoops();
  const { language, options } = cipher;
  const { ngram } = language;
  const { oneToOne } = options;
  const everything = Number.POSITIVE_INFINITY;
  const walksOf = (most: number, isTurned: boolean, places?: number): LetterWalks => {
    const order = orderFor(ngram, most, isTurned ? most + 1 : 1);
    return new LetterWalks(cipher, tablesOf(ngram, order, isTurned, loops), loops, places);
  };
  // Trading keys need no turned tables, and words tell their ends apart; of homophonic keys there are too many.
  const whole = walksOf(oneToOne ? SEARCH_ORDER : FINE_ORDER, false, everything);
  const polish: Polish | undefined = oneToOne
    ? undefined
    : async (key, seed) => {
        await whole.anneal(key, seed, { hot: 1.5, cold: 0.7, steps: 30 * whole.text.free.length }, hooks);
        return { key: whole.walk.bestKey.slice(), cost: whole.best };
      };
  const searched = await searchLetters(
    {
      walks: walksOf(SEARCH_ORDER, !oneToOne),
      further: () => walksOf(FINE_ORDER, !oneToOne),
      polish,
      fewest: fewestSearches(cipher),
    },
    hooks,
  );
  return takeOn(cipher, whole, searched, hooks);
}

/** Places below which a text is short. */
const SHORT = 110;

function isShort(cipher: Substitution): boolean {
  return cipher.places < SHORT;
}

/** Short texts have many good ends, and which is best, words decide: these are sought at least. */
function fewestSearches(cipher: Substitution): number {
  return isShort(cipher) ? 12 : 3;
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

interface Taken {
  end: End;
  key: Int32Array;
  score: number;
}

/** Takes the ends of a search on by their score as words. */
async function takeOn(
  cipher: Substitution,
  walks: LetterWalks,
  { ends, tried }: Searched,
  hooks: DecipherHooks,
): Promise<LetterSolution> {
  const { seed } = cipher.options;
  const words = wordScoreOf(cipher.language);
  const scores = new KeyScore(cipher, words);
  const timesOf = (key: Int32Array): number =>
    ends.filter((end) => agreement(end.key, key, cipher) >= SAME_ANSWER).reduce((sum, end) => sum + end.times, 0);
  const isShortText = isShort(cipher);
  const taken: Taken[] = [];
  for (const [i, end] of ends.slice(0, isShortText ? MOST_ENDS : 2).entries()) {
    const chain = new KeyChain(walks, scores, end.key, seedOf(seed, CHAINS + i));
    if (!(await coolDown(chain, cipher, isShortText ? 600 : 150, hooks)) && i > 0) break;
    taken.push({ end, key: chain.bestKey.slice(), score: chain.bestScore });
  }
  taken.sort((a, b) => b.score - a.score);
  const [best] = taken;
  const solution: LetterSolution = {
    key: best.key,
    score: best.score,
    tried,
    times: timesOf(best.key),
  };
  if (!cipher.options.refine || hooks.shouldStop?.()) return solution;
  await draw(cipher, walks, scores, taken, solution, hooks);
  solution.times = timesOf(solution.key);
  if (solution.shares) {
    const text = words && scores.asText(solution.key, true) / letterCount(cipher);
    const believed = belief({
      text,
      typical: words?.typical,
      times: solution.times,
      tried,
      isSpaced: cipher.fixedSpace() >= 0,
    });
    const frequency = Float64Array.from(cipher.language.ngram.unigram, Math.exp);
    mixWithChance(solution.shares, believed, frequency, cipher.allowed);
  }
  return solution;
}

/** Places that are not spaces. */
function letterCount(cipher: Substitution): number {
  const space = cipher.fixedSpace();
  return cipher.places - (space >= 0 ? cipher.frequency[space] : 0);
}

/** Tells the random numbers of chains from those of walks. */
const CHAINS = 1 << 21;

async function coolDown(
  chain: KeyChain,
  { cipherCount }: Substitution,
  blocks: number,
  hooks: DecipherHooks,
): Promise<boolean> {
  let steps = Math.max(2, Math.floor(cipherCount / 2));
  for (let block = 0; block < blocks; block++) {
    const temperature = CHAIN.hot * (CHAIN.cold / CHAIN.hot) ** (Math.floor((block * 20) / blocks) / 20);
    // As many steps by letters as lead to another key, and no more: one that is far away is hardly ever taken.
    const came = chain.move(temperature, Math.round(steps));
    steps = came === "same" ? Math.min(400, steps * 1.2) : Math.max(1, steps * 0.9);
    if (block % 20 === 19 && (await pausedAndStopped(hooks))) return false;
  }
  return true;
}

/**
 * Draws keys around each end at each temperature and gives the solution their shares. A better key that comes up on the way
 * takes the place of its end, and all is drawn again.
 */
async function draw(
  cipher: Substitution,
  walks: LetterWalks,
  scores: KeyScore,
  taken: Taken[],
  solution: LetterSolution,
  hooks: DecipherHooks,
): Promise<void> {
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
