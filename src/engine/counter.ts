// Expected decisions under weights that stay as they are, by the kernel that costs least. Two can do it: the backend's own,
// which spends time on every symbol of every context, and the back-off kernel, which spends it on the entries that the
// rows of a context have, and once a slot on every symbol. With S symbols, B contexts a slot and T entries a context, the
// time of the latter is about
//   5 T / S + 4 / B
// times that of WebAssembly: fitted to 40 EM passes over letters (S = 27) and words (S = 60 to 1,200) of novels and of short
// sentences, orders 2 and 3, B from 10 to 200. For letters WebAssembly is 2 to 3 times as fast; with B = 60 and order 2 the
// two cross at 350 to 450 words.

import type { Kernel } from "./backend.js";
import { BackoffKernel } from "./backoff/kernel.js";
import { type BackoffRows, backoffRows } from "./backoff/rows.js";
import type { Inference } from "./inference.js";
import { isPlain, type Problem, type RowSpace } from "./problem.js";
import { nodeDepths } from "./rows.js";

/** Counts expected decisions. */
export interface DecisionCounter {
  /** Adds `factor` times the expected decisions to `slotCounts`, [slotCount][symbolCount], and returns the log-partition. */
  count(problem: Problem, slotCounts: Float64Array, factor: number): number;
  /** Average number of decisions remembered in the latest problem, weighted by forward mass. */
  averageContextLength(): number;
}

/** By the back-off kernel. */
export class BackoffCounter implements DecisionCounter {
  private readonly kernel = new BackoffKernel();
  private readonly rows: BackoffRows;

  constructor(
    space: RowSpace,
    weights: Float64Array,
    private readonly inference: Inference,
  ) {
    this.rows = backoffRows(space, weights);
  }

  count(problem: Problem, slotCounts: Float64Array, factor: number): number {
    return this.kernel.expectDecisions(problem, this.rows, this.inference, slotCounts, factor);
  }

  averageContextLength(): number {
    return this.kernel.averageContextLength();
  }
}

/** By a backend's own kernel. */
export class KernelCounter implements DecisionCounter {
  private contextLength = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly space: RowSpace,
    private readonly weights: Float64Array,
    private readonly inference: Inference,
  ) {}

  count(problem: Problem, slotCounts: Float64Array, factor: number): number {
    const { kernel } = this;
    const { logPartition } = kernel.forward(problem, this.space, this.weights, this.inference);
    this.contextLength = kernel.averageContextLength();
    if (logPartition > Number.NEGATIVE_INFINITY) {
      kernel.backward();
      kernel.addExpectations(undefined, slotCounts, factor);
    }
    return logPartition;
  }

  averageContextLength(): number {
    return this.contextLength;
  }
}

/** Whether the back-off kernel is the faster one beside WebAssembly. It depends on the model alone, so it is the same everywhere. */
export function prefersBackoff(space: RowSpace, { mode, contexts }: Inference): boolean {
  if (!isPlain(space)) return false;
  const { symbolCount } = space.table;
  const perSlot = mode === "exact" ? 0 : 4 / Math.max(1, contexts);
  return (5 * entriesMet(space)) / symbolCount + perSlot < 1;
}

/**
 * About how many entries the rows of a context have: of each depth, those of a row that is met as often as it has entries,
 *   sum over rows: entries² / sum over rows: entries.
 */
function entriesMet({ table, families }: RowSpace): number {
  const { tree } = families[0];
  const depths = nodeDepths(tree);
  const sums: number[] = [];
  const squares: number[] = [];
  for (let node = 1; node < depths.length; node++) {
    if (tree.row[node] < 0) continue;
    const entries = table.start[tree.row[node] + 1] - table.start[tree.row[node]];
    const depth = depths[node];
    sums[depth] = (sums[depth] ?? 0) + entries;
    squares[depth] = (squares[depth] ?? 0) + entries * entries;
  }
  return squares.reduce((total, square, depth) => total + (sums[depth] > 0 ? square / sums[depth] : 0), 0);
}
