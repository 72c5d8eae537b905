// The probabilities of outputs by following only what matters, in a trellis that has had its backward pass. Contexts are then
// the states of a Markov chain that takes arc (c, y) with probability posterior(arc) / posterior(c), so
//   A(c, w) = probability that a path passes context c when it has written w
//           = sum over arcs (b, free) into c: A(b, w) P(arc)  +  sum over arcs (b, y) into c, w = vy: A(b, v) P(arc)
// is never less than what an output that begins with w gets through c: where it is far below a known lower bound of the
// whole, it may be left out. A path that writes the output gives such a bound. Outputs that begin alike share their A so far.

import { type Band, isWithin } from "./clamp.js";
import { grown, type Trellis } from "./trellis.js";

/** Parts below this share of the bound are left out; all of them together stay far below the digits that are shown. */
const NEGLIGIBLE = 1e-12;
/** An output whose bound is above this share of the first one's needs nothing that was left out for that one. */
const SPARE = 0.01;
/** With more numbers than this, those of earlier outputs are dropped. */
const MOST_KEPT = 1_000_000;

export class PrunedPass {
  private trellis!: Trellis;
  /** The symbol that writes nothing. */
  private free = 0;
  /** Parts below this are left out. */
  private least = Number.POSITIVE_INFINITY;

  // What was written so far, as a tree: node 0 is the empty w, and a child writes one symbol more.
  private nodes = 0;
  private nodeSymbol = new Int32Array(64);
  /** A child, or -1. */
  private nodeChild = new Int32Array(64);
  /** Another child of the same parent, or -1. */
  private nodeSibling = new Int32Array(64);
  /** Probability that w is all that is written. */
  private nodeEnd = new Float64Array(64);
  /** [nodes + 1] where the contexts of a node begin. */
  private start = new Int32Array(65);
  private contexts = new Int32Array(1024);
  /** A(c, w) / posterior(c) */
  private shares = new Float64Array(1024);
  /** [contextCount] A(c, w) while it is summed; zero outside. */
  private passing = new Float64Array(256);
  /** [contextCount / 32] a bit for each context that is passed: few are, and the others need not be looked at. */
  private isPassed = new Int32Array(8);

  /** Takes up a trellis. `free` is the symbol that writes nothing. */
  begin(trellis: Trellis, free: number): void {
    this.trellis = trellis;
    this.free = free;
    this.nodes = 0;
    this.least = Number.POSITIVE_INFINITY;
    if (this.passing.length >= trellis.contextCount) return;
    this.passing = grown(this.passing, trellis.contextCount);
    this.isPassed = grown(this.isPassed, (this.passing.length >> 5) + 1);
  }

  /**
   * Probability that a path writes this output. `bound` is the probability of one that does; `band` says how much may be
   * written at a slot.
   */
  probability(output: ArrayLike<number>, bound: number, band?: Band): number {
    const least = bound * NEGLIGIBLE;
    if (this.nodes === 0 || least < this.least || band || this.start[this.nodes] > MOST_KEPT) {
      this.least = least * SPARE;
      this.nodes = 0;
      this.addNode(-1, -1, 0, band);
    }
    let node = 0;
    for (let n = 0; n < output.length; n++) {
      let child = this.nodeChild[node];
      while (child >= 0 && this.nodeSymbol[child] !== output[n]) child = this.nodeSibling[child];
      node = child < 0 ? this.addNode(node, output[n], n + 1, band) : child;
    }
    return this.nodeEnd[node];
  }

  /** A node for what a parent has written and a symbol more, `length` in all; without a parent, that of the empty w. */
  private addNode(parent: number, symbol: number, length: number, band: Band | undefined): number {
    const { arcStart, arcTarget, arcPosterior, posterior, contextSlot, contextCount, slotStart } = this.trellis;
    const node = this.nodes++;
    this.makeRoom();
    const { passing, isPassed, contexts, shares, start, free, least } = this;
    const end = contextCount - 1;
    let count = start[node];
    if (parent < 0) {
      passing[slotStart[0]] = 1;
      isPassed[slotStart[0] >> 5] |= 1 << (slotStart[0] & 31);
    } else {
      for (let i = start[parent]; i < start[parent + 1]; i++) {
        const arc = arcStart[contexts[i]] + symbol;
        const target = arcTarget[arc];
        const part = shares[i] * arcPosterior[arc];
        if (target < 0 || part < least || (band && !isWithin(band, contextSlot[target], length))) continue;
        passing[target] += part;
        isPassed[target >> 5] |= 1 << (target & 31);
      }
    }
    // Arcs lead to later contexts, so what is passed is complete when its turn comes.
    for (let word = 0; word <= end >> 5; word++) {
      while (isPassed[word] !== 0) {
        const lowest = isPassed[word] & -isPassed[word];
        isPassed[word] ^= lowest;
        const c = (word << 5) + 31 - Math.clz32(lowest);
        if (c === end) break;
        const own = passing[c];
        passing[c] = 0;
        if (own < least) continue;
        const share = own / posterior[c];
        contexts[count] = c;
        shares[count++] = share;
        const arc = arcStart[c] + free;
        const target = arcTarget[arc];
        const part = share * arcPosterior[arc];
        if (target < 0 || part < least || (band && !isWithin(band, contextSlot[target], length))) continue;
        passing[target] += part;
        isPassed[target >> 5] |= 1 << (target & 31);
      }
    }
    this.nodeEnd[node] = passing[end];
    passing[end] = 0;
    start[node + 1] = count;
    this.nodeSymbol[node] = symbol;
    this.nodeChild[node] = -1;
    this.nodeSibling[node] = -1;
    if (parent >= 0) {
      this.nodeSibling[node] = this.nodeChild[parent];
      this.nodeChild[parent] = node;
    }
    return node;
  }

  /** For one more node, with every context. */
  private makeRoom(): void {
    const { nodes } = this;
    if (nodes > this.nodeSymbol.length) {
      this.nodeSymbol = grown(this.nodeSymbol, nodes);
      this.nodeChild = grown(this.nodeChild, nodes);
      this.nodeSibling = grown(this.nodeSibling, nodes);
      this.nodeEnd = grown(this.nodeEnd, nodes);
      this.start = grown(this.start, nodes + 1);
    }
    const numbers = this.start[nodes - 1] + this.trellis.contextCount;
    if (numbers > this.contexts.length) {
      this.contexts = grown(this.contexts, numbers);
      this.shares = grown(this.shares, numbers);
    }
  }
}
