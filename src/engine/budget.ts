// A budget of contexts instead of a number: a first pass keeps few everywhere; where it leaves doubt about a decision, the slots
// around get more, and the pass is made again, until the answer is sure or there are as many as may be. What is sure is most
// of it, so that a wide search costs little more than a narrow one. A limit for each slot makes one model, in which inference
// is exact as in any other.

import { mixed } from "../util/bits.js";
import type { Arrays, BestOutput, FrozenRows, Kernel } from "./backend.js";
import type { DecisionCounter } from "./counter.js";
import { type Inference, longestSuffix, USUAL_SURE } from "./inference.js";
import type { Problem } from "./problem.js";

/** One pass of a search. */
export interface Round {
  /** Of the best output that it found. */
  probability: number;
  /** Contexts besides `⋆`, per decision. */
  contexts: number;
  /** [decisions] the limit at each decision, if it differs between decisions. */
  limits?: number[];
}

/** What a search took. */
export interface Spent {
  /** Forward passes. */
  passes: number;
  /** Contexts of all passes, besides `⋆`, per decision. */
  contexts: number;
  /** What each pass found, and where it had more contexts. */
  rounds: Round[];
}

/** What these rounds took together. */
function spentIn(rounds: Round[]): Spent {
  return { passes: rounds.length, contexts: rounds.reduce((sum, { contexts }) => sum + contexts, 0), rounds };
}

/** A decision with less than this is in doubt, where its output is. */
const SURE_DECISION = (1 + USUAL_SURE) / 2;
/** How many times the contexts that it had a slot in doubt gets. */
const TIMES = 6;
/** Learning needs no wider search than so many times the narrowest: it would cost much and gain nothing. */
const WIDEST_LEARNING = 8;

export class ContextBudget {
  /** [slotCount] how many contexts the slots kept in the last pass; undefined if it was the first. */
  limits: Int32Array | undefined;
  private rounds: Round[] = [];

  constructor(private readonly kernel: Kernel) {}

  /** What the last search took. */
  get spent(): Spent {
    return spentIn(this.rounds);
  }

  /** The best output of a chain, with as many contexts as it takes, from `Inference.least` to `Inference.contexts`. */
  bestOutput(problem: Problem, frozen: FrozenRows, inference: Inference, confidences = false): BestOutput | undefined {
    const { least = inference.contexts, contexts: most, sure = USUAL_SURE } = inference;
    const { kernel } = this;
    const first = { ...inference, contexts: least };
    this.limits = undefined;
    this.rounds = [];
    const output = kernel.bestOutput(problem, frozen, first, confidences);
    if (!output) return undefined;
    this.rounds.push({ probability: probability(output), contexts: least });
    if (probability(output) >= sure || least >= most) return output;
    let best = output.confidences ? output : (kernel.bestOutput(problem, frozen, first, true) as BestOutput);
    const limits = new Int32Array(problem.graph.slotCount).fill(least);
    while (probability(best) < sure && raise(limits, best.confidences as number[], longestSuffix(inference), most)) {
      const widest = limits.reduce((a, b) => Math.max(a, b));
      const wider = { ...problem, limits };
      const found = kernel.bestOutput(wider, frozen, { ...inference, contexts: widest }, true);
      best = found as BestOutput; // more contexts hold no fewer outputs
      this.limits = limits;
      const contexts = limits.subarray(1).reduce((a, b) => a + b, 0) / (limits.length - 1);
      this.rounds.push({ probability: probability(best), contexts, limits: Array.from(limits.subarray(0, -1)) });
    }
    return best;
  }
}

/** Expected decisions with as many contexts as they take: more than the fewest only around decisions that those leave in doubt. */
export class BudgetCounter implements DecisionCounter {
  private readonly narrow: DecisionCounter;
  private readonly wide: DecisionCounter;
  private latest: DecisionCounter;
  /** [slotCount] how many contexts the slots kept in the last pass; undefined if it was the first. */
  limits: Int32Array | undefined;
  /** [slotCount][symbolCount] of the latest pass. */
  private found: Float64Array;

  constructor(
    private readonly inference: Inference,
    private readonly arrays: Arrays,
    make: (inference: Inference) => DecisionCounter,
  ) {
    this.narrow = make({ ...inference, contexts: leastOf(inference) });
    this.wide = make(inference);
    this.latest = this.narrow;
    this.found = arrays.float64(1024);
  }

  count(problem: Problem, slotCounts: Float64Array, factor: number): number {
    const { slotCount, symbolCount } = problem.graph;
    const limits = new Int32Array(slotCount).fill(leastOf(this.inference));
    const size = slotCount * symbolCount;
    if (this.found.length < size) {
      this.arrays.release(this.found);
      this.found = this.arrays.float64(2 * size);
    }
    const { found } = this;
    const pass = (counter: DecisionCounter, given: Problem): number => {
      this.latest = counter;
      found.fill(0, 0, size);
      return counter.count(given, found, 1);
    };
    this.limits = undefined;
    let logPartition = pass(this.narrow, problem);
    const order = longestSuffix(this.inference);
    while (raise(limits, heaviest(found, slotCount, symbolCount), order, this.inference.contexts)) {
      this.limits = limits;
      logPartition = pass(this.wide, { ...problem, limits });
    }
    for (let i = 0; i < size; i++) slotCounts[i] += factor * found[i];
    return logPartition;
  }

  averageContextLength(): number {
    return this.latest.averageContextLength();
  }
}

function leastOf({ least, contexts }: Inference): number {
  return least ?? contexts;
}

/** [slots with decisions] the posterior probability of the most probable decision at each; 1 where there is none. */
function heaviest(posteriors: Float64Array, slotCount: number, symbolCount: number): number[] {
  return Array.from({ length: slotCount }, (_, slot) => {
    let most = 0;
    let sum = 0;
    for (let i = slot * symbolCount; i < (slot + 1) * symbolCount; i++) {
      most = Math.max(most, posteriors[i]);
      sum += posteriors[i];
    }
    return sum > 0 ? most / sum : 1;
  });
}

/**
 * How many contexts an example is learned with where there may be `least` to `contexts`: so many that one set of weights serves
 * few and many alike. Always the same for an example, whichever thread learns from it.
 */
export function learningInference(inference: Inference, example: number): Inference {
  const { least, contexts: most } = inference;
  if (least === undefined) return inference;
  const share = (mixed(example) >>> 0) / 2 ** 32;
  const widest = Math.min(most, WIDEST_LEARNING * least);
  return { ...inference, contexts: Math.round(least * (widest / least) ** share) };
}

/**
 * The same for a whole input at once, where it is searched in another way than for the best path of a chain: `search` gives the
 * probability of what it found.
 */
export function searchWithin(inference: Inference, search: (inference: Inference) => number): Spent {
  const { least = inference.contexts, contexts: most, sure = USUAL_SURE } = inference;
  const first = { probability: search({ ...inference, contexts: least }), contexts: least };
  if (first.probability >= sure || least >= most) return spentIn([first]);
  return spentIn([first, { probability: search(inference), contexts: most }]);
}

/**
 * How sure is to be sure enough for searches to take `mean` contexts for each decision, on average: the most that does, by searches
 * for which nothing was. A search goes on after a round if no output so far reached that.
 */
export function sureFor(searches: readonly Spent[], mean: number): { sure: number; contexts: number } {
  const rounds: { best: number; cost: number }[] = [];
  let total = 0;
  for (const { rounds: own } of searches) {
    total += own[0].contexts;
    for (let k = 1, best = 0; k < own.length; k++) {
      best = Math.max(best, own[k - 1].probability);
      rounds.push({ best, cost: own[k].contexts });
    }
  }
  rounds.sort((a, b) => a.best - b.best);
  for (let from = 0, to = 0; from < rounds.length; from = to) {
    // Rounds after equal probabilities are all made or none.
    let cost = 0;
    for (; to < rounds.length && rounds[to].best === rounds[from].best; to++) cost += rounds[to].cost;
    if (total + cost > mean * searches.length) return { sure: rounds[from].best, contexts: total / searches.length };
    total += cost;
  }
  return { sure: 1, contexts: total / searches.length };
}

function probability({ score, logPartition }: BestOutput): number {
  return Math.exp(score - logPartition);
}

/**
 * Raises the limits of slots around decisions that are in doubt: contexts remember `order` decisions, so that far from it a
 * decision can have been lost, or be missed. Whether any was raised.
 */
function raise(limits: Int32Array, confidences: readonly number[], order: number, most: number): boolean {
  const raised = limits.slice();
  const reach = Math.min(order, limits.length);
  let isRaised = false;
  for (let i = 0; i < confidences.length; i++) {
    if (confidences[i] >= SURE_DECISION) continue;
    for (let slot = Math.max(1, i - reach); slot < Math.min(limits.length, i + reach + 1); slot++) {
      const limit = Math.min(most, limits[slot] * TIMES);
      if (limit <= raised[slot]) continue;
      raised[slot] = limit;
      isRaised = true;
    }
  }
  limits.set(raised);
  return isRaised;
}
