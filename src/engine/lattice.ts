// A lattice: nodes in topological order with scored, labelled arcs; node 0 is the start, the last node the end. A trellis
// is one (its nodes are contexts), and so is a trellis under a clamp. One recursion over it gives each answer:
//   logPartition   log of the sum over paths of exp(score)          bestPath   the path with the greatest score
//   posteriors     probabilities of nodes and arcs                  bestPaths  the n best, in order, lazily
//   samplePath     a path drawn with its probability

import type { Trellis } from "./trellis.js";

export interface Lattice {
  nodeCount: number;
  /** [nodeCount + 1] */
  arcStart: Int32Array;
  /** [arcs] node, or -1 where there is no arc. */
  arcTarget: Int32Array;
  /** [arcs] */
  arcScore: Float64Array;
  /** [arcs]; absent where the symbol of an arc is its place among its node's arcs. */
  arcSymbol?: Int32Array;
}

export interface Path {
  /** The decisions, in order. */
  symbols: number[];
  /** Sum of the scores. */
  score: number;
}

/** Expected counts of a lattice: probabilities of its nodes and arcs. */
export interface Posteriors {
  logPartition: number;
  /** [nodeCount] */
  node: Float64Array;
  /** [arcs] */
  arc: Float64Array;
}

/** The lattice of a forward pass. It shares the trellis's arrays and holds until the next pass. */
export function trellisLattice(trellis: Trellis): Lattice {
  return {
    nodeCount: trellis.contextCount,
    arcStart: trellis.arcStart,
    arcTarget: trellis.arcTarget,
    arcScore: trellis.arcScore,
  };
}

function symbolOf(lattice: Lattice, node: number, arc: number): number {
  return lattice.arcSymbol ? lattice.arcSymbol[arc] : arc - lattice.arcStart[node];
}

/** log(exp(a) + exp(b)) */
export function logAdd(a: number, b: number): number {
  if (a === Number.NEGATIVE_INFINITY) return b;
  if (b === Number.NEGATIVE_INFINITY) return a;
  return a > b ? a + Math.log1p(Math.exp(b - a)) : b + Math.log1p(Math.exp(a - b));
}

/** [nodeCount] log of the sum over paths from each node to the end. */
function logBackward(lattice: Lattice): Float64Array {
  const { nodeCount, arcStart, arcTarget, arcScore } = lattice;
  const log = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  if (nodeCount > 0) log[nodeCount - 1] = 0;
  for (let node = nodeCount - 2; node >= 0; node--) {
    const end = arcStart[node + 1];
    let top = Number.NEGATIVE_INFINITY;
    for (let arc = arcStart[node]; arc < end; arc++) {
      if (arcTarget[arc] >= 0) top = Math.max(top, arcScore[arc] + log[arcTarget[arc]]);
    }
    if (top === Number.NEGATIVE_INFINITY) continue;
    let sum = 0;
    for (let arc = arcStart[node]; arc < end; arc++) {
      if (arcTarget[arc] >= 0) sum += Math.exp(arcScore[arc] + log[arcTarget[arc]] - top);
    }
    log[node] = top + Math.log(sum);
  }
  return log;
}

/** Log of the sum of exp(score) over all paths; -Infinity if there is none. */
export function logPartition(lattice: Lattice): number {
  return lattice.nodeCount === 0 ? Number.NEGATIVE_INFINITY : logBackward(lattice)[0];
}

/** Probabilities of nodes and arcs when a path is drawn in proportion to exp(score). */
export function posteriors(lattice: Lattice): Posteriors {
  const { nodeCount, arcStart, arcTarget, arcScore } = lattice;
  const log = logBackward(lattice);
  const node = new Float64Array(nodeCount);
  const arc = new Float64Array(nodeCount === 0 ? 0 : arcStart[nodeCount]);
  const total = nodeCount === 0 ? Number.NEGATIVE_INFINITY : log[0];
  if (total > Number.NEGATIVE_INFINITY) node[0] = 1;
  for (let n = 0; n < nodeCount; n++) {
    if (node[n] === 0) continue;
    for (let a = arcStart[n]; a < arcStart[n + 1]; a++) {
      const target = arcTarget[a];
      if (target < 0) continue;
      arc[a] = node[n] * Math.exp(arcScore[a] + log[target] - log[n]);
      node[target] += arc[a];
    }
  }
  return { logPartition: total, node, arc };
}

/** The best path, or undefined if there is none. Among equals, the one with the smaller symbol where they first part, from the end. */
export function bestPath(lattice: Lattice): Path | undefined {
  const { nodeCount, arcStart, arcTarget, arcScore } = lattice;
  if (nodeCount === 0) return undefined;
  const best = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  const fromArc = new Int32Array(nodeCount).fill(-1);
  const fromNode = new Int32Array(nodeCount).fill(-1);
  best[0] = 0;
  for (let node = 0; node < nodeCount; node++) {
    const base = best[node];
    if (base === Number.NEGATIVE_INFINITY) continue;
    const end = arcStart[node + 1];
    for (let arc = arcStart[node]; arc < end; arc++) {
      const target = arcTarget[arc];
      if (target < 0) continue;
      const score = base + arcScore[arc];
      if (score > best[target]) {
        best[target] = score;
        fromArc[target] = arc;
        fromNode[target] = node;
      }
    }
  }
  if (best[nodeCount - 1] === Number.NEGATIVE_INFINITY) return undefined;
  const symbols: number[] = [];
  for (let node = nodeCount - 1; fromArc[node] >= 0; node = fromNode[node]) {
    symbols.push(symbolOf(lattice, fromNode[node], fromArc[node]));
  }
  return { symbols: symbols.reverse(), score: best[nodeCount - 1] };
}

/**
 * All paths from the best down, one at a time: best-first search with the exact best completion of every node as its
 * bound, so a path that leaves the queue is the next best. Distinct paths, not distinct outputs of a transducer. Paths
 * with a score below `least` are left out, which saves most of the work where few are wanted; the lattice's posteriors, if
 * they are known, save more of it.
 */
export function* bestPaths(
  lattice: Lattice,
  least = Number.NEGATIVE_INFINITY,
  known?: Posteriors,
): Generator<Path, void, undefined> {
  const { nodeCount, arcStart, arcTarget, arcScore } = lattice;
  if (nodeCount === 0) return;
  // A path is no more probable than any node or arc on it; a little less than that, for rounding.
  const rarest = known ? Math.exp(least - known.logPartition - 1e-6) : 0;
  const arcProbability = known?.arc;
  const rest = bestCompletions(lattice, known, rarest);
  if (rest[0] === Number.NEGATIVE_INFINITY || rest[0] < least) return;
  // A path follows the best arcs to the end. At each node that it passes, the arc next best to the one it takes opens another
  // path, which leaves it there; that one, when its turn comes, opens the one after. They wait in a binary heap by score.
  const ranked: (number[] | undefined)[] = [];
  const boundOf = (arc: number): number => arcScore[arc] + rest[arcTarget[arc]];
  // No arc is taken that costs more than the best path may lose; a little more than that, for rounding.
  const loss = rest[0] - least + 1e-6;
  const rank = (node: number): number[] => {
    const arcs: number[] = [];
    for (let arc = arcStart[node]; arc < arcStart[node + 1]; arc++) {
      if ((arcProbability && arcProbability[arc] < rarest) || arcTarget[arc] < 0) continue;
      if (rest[arcTarget[arc]] > Number.NEGATIVE_INFINITY && boundOf(arc) >= rest[node] - loss) arcs.push(arc);
    }
    // Few arcs are left, so they are put in order one by one.
    for (let i = 1; i < arcs.length; i++) {
      const arc = arcs[i];
      const bound = boundOf(arc);
      let place = i;
      for (; place > 0 && boundOf(arcs[place - 1]) < bound; place--) arcs[place] = arcs[place - 1];
      arcs[place] = arc;
    }
    return arcs;
  };
  let order = 0;
  const waiting: Branching[] = [{ path: [], common: 0, node: 0, choice: 0, done: 0, bound: rest[0], order }];
  while (waiting.length > 0) {
    let { path, common, node, choice, done } = popBest(waiting);
    const symbols = path.slice(0, common);
    while (node !== nodeCount - 1) {
      ranked[node] ??= rank(node);
      const arcs = ranked[node] as number[];
      if (choice + 1 < arcs.length) {
        const other = arcs[choice + 1];
        const bound = done + arcScore[other] + rest[arcTarget[other]];
        if (bound >= least) {
          const common = symbols.length;
          pushBranching(waiting, { path: symbols, common, node, choice: choice + 1, done, bound, order: ++order });
        }
      }
      const arc = arcs[choice];
      symbols.push(symbolOf(lattice, node, arc));
      done += arcScore[arc];
      node = arcTarget[arc];
      choice = 0;
    }
    yield { symbols: symbols.slice(), score: done }; // a copy: paths still to come begin as this one does
  }
}

/**
 * The `count` best paths, of which `best` is the first: where others are as good, which one comes first is a matter of rounding,
 * and it should be the one that is given where no others are asked for.
 */
export function bestPathsFrom(lattice: Lattice, best: Path, count: number): Path[] {
  const paths = [best];
  for (const path of bestPaths(lattice)) {
    if (paths.length >= count) break;
    if (path.symbols.some((symbol, i) => symbol !== best.symbols[i])) {
      // None above the one before it, where these are sums of the same numbers in another order.
      paths.push({ ...path, score: Math.min(path.score, paths[paths.length - 1].score) });
    }
  }
  return paths;
}

/** [nodeCount] best score from each node to the end, by nodes and arcs that are not rarer than `rarest`. */
function bestCompletions(lattice: Lattice, known: Posteriors | undefined, rarest: number): Float64Array {
  const { nodeCount, arcStart, arcTarget, arcScore } = lattice;
  const rest = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  rest[nodeCount - 1] = 0;
  for (let node = nodeCount - 2; node >= 0; node--) {
    if (known && known.node[node] < rarest) continue;
    let best = Number.NEGATIVE_INFINITY;
    for (let arc = arcStart[node]; arc < arcStart[node + 1]; arc++) {
      if ((known && known.arc[arc] < rarest) || arcTarget[arc] < 0) continue;
      const score = arcScore[arc] + rest[arcTarget[arc]];
      if (score > best) best = score;
    }
    rest[node] = best;
  }
  return rest;
}

/** A path that leaves another one. */
interface Branching {
  /** The decisions of that one, and with how many of them it begins. */
  path: readonly number[];
  common: number;
  /** Where it leaves it, and by which of the node's arcs, from the best on. */
  node: number;
  choice: number;
  /** The score so far, and that of the whole path. */
  done: number;
  bound: number;
  /** Of equals the one that was opened first comes first, whatever `least` leaves out. */
  order: number;
}

function isBefore(a: Branching, b: Branching): boolean {
  return a.bound > b.bound || (a.bound === b.bound && a.order < b.order);
}

function pushBranching(heap: Branching[], item: Branching): void {
  let i = heap.length;
  heap.push(item);
  while (i > 0) {
    const up = (i - 1) >> 1;
    if (!isBefore(item, heap[up])) break;
    heap[i] = heap[up];
    i = up;
  }
  heap[i] = item;
}

function popBest(heap: Branching[]): Branching {
  const best = heap[0];
  const last = heap.pop() as Branching;
  if (heap.length > 0) {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
  }
  return best;
}

/** Draws a path with its probability; `random` gives numbers in [0, 1). */
export function samplePath(lattice: Lattice, random: () => number): Path | undefined {
  return sampler(lattice)(random);
}

/** The same for many draws: the backward sums are computed once. */
export function sampler(lattice: Lattice): (random: () => number) => Path | undefined {
  const { nodeCount, arcStart, arcTarget, arcScore } = lattice;
  const log = logBackward(lattice);
  return (random) => {
    if (nodeCount === 0 || log[0] === Number.NEGATIVE_INFINITY) return undefined;
    const symbols: number[] = [];
    let score = 0;
    let node = 0;
    while (node !== nodeCount - 1) {
      let left = random();
      let taken = -1;
      for (let arc = arcStart[node]; arc < arcStart[node + 1]; arc++) {
        const target = arcTarget[arc];
        if (target < 0) continue;
        const probability = Math.exp(arcScore[arc] + log[target] - log[node]);
        if (probability === 0) continue;
        taken = arc;
        left -= probability;
        if (left < 0) break;
      }
      symbols.push(symbolOf(lattice, node, taken));
      score += arcScore[taken];
      node = arcTarget[taken];
    }
    return { symbols, score };
  };
}
