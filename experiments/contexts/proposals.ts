// Which contexts to keep, if not the heaviest: a slot's contexts are chosen by forward mass times a value of what the context ends
// in, everything else stays as it is. The value of a symbol y, decided last before slot s, is what the inputs from s on say of it:
//   perfect       log of backward(s, y), of a wide pass
//   first order   the same of a model that remembers one symbol alone
//   learned       sum over k < 4 of log sum over z: p(s + k, z) exp(table_k[y][z]),   p: what attributes alone say of slot s + k
// with tables that maximise the likelihood of the right symbol under mass times value.

import type { Inference } from "#stargram/engine/inference.js";
import { bestPath, trellisLattice } from "#stargram/engine/lattice.js";
import type { Problem, RowSpace } from "#stargram/engine/problem.js";
import { expand } from "#stargram/engine/reference/expand.js";
import { group } from "#stargram/engine/reference/group.js";
import { merge } from "#stargram/engine/reference/merge.js";
import { scoreExpansions } from "#stargram/engine/reference/scores.js";
import { select } from "#stargram/engine/reference/select.js";
import { WorkSpace } from "#stargram/engine/reference/work-space.js";
import type { Trellis } from "#stargram/engine/trellis.js";

/** [slots][symbols] logarithm of the value of a symbol that was decided last before a slot. */
export type Values = Float64Array;

/** The forward pass of the reference kernel, but that contexts are chosen by mass times value. */
export class ValuedPass {
  private readonly work = new WorkSpace();
  /** [slots][symbols] masses of expansions by their symbol, of the pass made last. */
  masses: Float64Array = new Float64Array(0);

  /** The symbols of the best path. */
  best(problem: Problem, space: RowSpace, weights: Float64Array, inference: Inference, values?: Values): number[] {
    const { work } = this;
    const { slotCount, symbolCount } = problem.graph;
    this.masses = new Float64Array(slotCount * symbolCount);
    work.begin(problem, space, weights, inference);
    scoreExpansions(work, 0);
    for (let slot = 1; slot < slotCount; slot++) {
      expand(work, slot);
      group(work);
      const from = slot * symbolCount;
      this.weigh(this.masses.subarray(from, from + symbolCount), values?.subarray(from, from + symbolCount));
      select(work, slot, -1);
      merge(work, slot);
      scoreExpansions(work, slot);
    }
    work.trellis.end();
    return bestPath(trellisLattice(work.trellis))?.symbols ?? [];
  }

  /** Sums the masses of groups by symbol, and multiplies them by their values. */
  private weigh(masses: Float64Array, values: Values | undefined): void {
    const { groupCount, groupMass, groupExpansion, expansionSymbol } = this.work;
    let top = Number.NEGATIVE_INFINITY;
    for (let g = 0; g < groupCount; g++) {
      const symbol = expansionSymbol[groupExpansion[g]];
      masses[symbol] += groupMass[g];
      if (values && groupMass[g] > 0) top = Math.max(top, values[symbol]);
    }
    if (!values || top === Number.NEGATIVE_INFINITY) return;
    for (let g = 0; g < groupCount; g++) {
      groupMass[g] *= Math.exp(values[expansionSymbol[groupExpansion[g]]] - top);
    }
  }
}

/** What a trellis that has had its backward pass knows of what follows each symbol. */
export function followingOf(trellis: Trellis): Values {
  const { graph, slotStart, contextSymbol, contextLength, posterior, logForward, logPartition } = trellis;
  const { slotCount, symbolCount } = graph;
  const values = new Float64Array(slotCount * symbolCount).fill(Number.NEGATIVE_INFINITY);
  for (let slot = 1; slot < slotCount; slot++) {
    const after = new Float64Array(symbolCount);
    const before = new Float64Array(symbolCount);
    for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) {
      if (contextLength[c] === 0) continue;
      after[contextSymbol[c]] += posterior[c];
      before[contextSymbol[c]] += Math.exp(logForward[c] - logPartition);
    }
    for (let y = 0; y < symbolCount; y++) {
      if (before[y] > 0 && after[y] > 0) values[slot * symbolCount + y] = Math.log(after[y] / before[y]);
    }
  }
  return values;
}

/** How far ahead it looks, how flat attributes' probabilities are made, how much of a value counts, steps of AdaGrad. */
const LEARNED = { ahead: 4, flatness: 0.5, power: 0.5, rate: 0.1, offset: 1e-3 };
/** Less than this is nothing. */
const LITTLE = 1e-4;

/** The learned value: tables of what follows a symbol one, two, three and four decisions later. */
export class LearnedValues {
  /** [ahead][symbol][following] exp of the table, and its sums of squared gradients. */
  private readonly factors: Float64Array[];
  private readonly squares: Float64Array[];

  constructor(private readonly symbolCount: number) {
    const table = (value: number) => new Float64Array(symbolCount * symbolCount).fill(value);
    this.factors = Array.from({ length: LEARNED.ahead }, () => table(1));
    this.squares = Array.from({ length: LEARNED.ahead }, () => table(LEARNED.offset));
  }

  of(problem: Problem): Values {
    const { symbolCount } = this;
    const expected = this.expectedOf(problem);
    const values = new Float64Array(problem.graph.slotCount * symbolCount);
    for (let slot = 1; slot < problem.graph.slotCount - 1; slot++) {
      for (let y = 0; y < symbolCount; y++) {
        for (let k = 0; k < LEARNED.ahead; k++) {
          values[slot * symbolCount + y] += LEARNED.power * Math.log(this.sum(expected, slot, k, y));
        }
      }
    }
    return values;
  }

  /** A step for each decision of an example but the last; `masses` are those of a pass with these values. */
  learn(problem: Problem, truth: readonly number[], masses: Float64Array): void {
    const { symbolCount } = this;
    const expected = this.expectedOf(problem);
    const share = new Float64Array(symbolCount);
    for (let slot = 1; slot < truth.length; slot++) {
      let total = 0;
      for (let y = 0; y < symbolCount; y++) {
        share[y] = masses[slot * symbolCount + y];
        for (let k = 0; k < LEARNED.ahead; k++) share[y] *= this.sum(expected, slot, k, y);
        total += share[y];
      }
      for (let y = 0; y < symbolCount; y++) {
        const lacking = (y === truth[slot - 1] ? 1 : 0) - share[y] / total;
        if (Math.abs(lacking) > LITTLE) this.step(expected, slot, y, lacking);
      }
    }
  }

  private step(expected: Float64Array, slot: number, y: number, lacking: number): void {
    const { symbolCount } = this;
    for (let k = 0; k < LEARNED.ahead; k++) {
      const sum = this.sum(expected, slot, k, y);
      for (let z = 0; z < symbolCount; z++) {
        const p = expected[(slot + k) * symbolCount + z];
        if (p < LITTLE) continue;
        const entry = y * symbolCount + z;
        const gradient = (lacking * p * this.factors[k][entry]) / sum;
        this.squares[k][entry] += gradient ** 2;
        this.factors[k][entry] *= Math.exp((LEARNED.rate * gradient) / Math.sqrt(this.squares[k][entry]));
      }
    }
  }

  private sum(expected: Float64Array, slot: number, k: number, y: number): number {
    const { symbolCount } = this;
    const factors = this.factors[k];
    let sum = 0;
    for (let z = 0; z < symbolCount; z++) sum += expected[(slot + k) * symbolCount + z] * factors[y * symbolCount + z];
    return sum;
  }

  /** [slots + ahead][symbols] what attributes alone say of each slot; the end is certain, and goes on. */
  private expectedOf({ graph, slotScores }: Problem): Float64Array {
    const { symbolCount } = this;
    const length = graph.slotCount - 2;
    const expected = new Float64Array((length + 2 + LEARNED.ahead) * symbolCount);
    for (let slot = 0; slot < length + 2 + LEARNED.ahead; slot++) {
      const row = expected.subarray(slot * symbolCount, (slot + 1) * symbolCount);
      if (slot >= length) row[symbolCount - 1] = 1;
      else flattened(slotScores.subarray(slot * symbolCount, (slot + 1) * symbolCount - 1), row);
    }
    return expected;
  }
}

/** Probabilities by scores, made flatter. */
function flattened(scores: Float64Array, out: Float64Array): void {
  const top = scores.reduce((a, b) => Math.max(a, b));
  let total = 0;
  for (let y = 0; y < scores.length; y++) {
    out[y] = Math.exp(LEARNED.flatness * (scores[y] - top));
    total += out[y];
  }
  for (let y = 0; y < scores.length; y++) out[y] /= total;
}

/** [slots] as many contexts as fit the doubt that attributes alone leave about the symbol decided last: e to the entropy. */
export function predictedLimits({ graph, slotScores }: Problem, times: number, most: number): Int32Array {
  const { slotCount, symbolCount } = graph;
  const limits = new Int32Array(slotCount).fill(1);
  for (let slot = 1; slot < slotCount - 1; slot++) {
    const scores = slotScores.subarray((slot - 1) * symbolCount, slot * symbolCount - 1);
    const top = scores.reduce((a, b) => Math.max(a, b));
    let total = 0;
    let weighted = 0;
    for (const score of scores) {
      const p = Math.exp(score - top);
      total += p;
      weighted += p * (score - top);
    }
    const entropy = Math.log(total) - weighted / total;
    limits[slot] = Math.max(2, Math.min(most, Math.round(times * Math.exp(entropy))));
  }
  return limits;
}
