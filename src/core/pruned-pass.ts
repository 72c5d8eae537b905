// The probability of a clamp by following only what matters, in a trellis that has had its backward pass. Contexts are then
// the states of a Markov chain that takes arc (c, y) with probability posterior(arc) / posterior(c), so
//   A(c, n) = probability that a path passes context c in clamp state n
// is never more than what the clamp can get through it: where it is far below a known lower bound of the whole, it may be
// left out. A path of the clamp gives such a bound.

import type { ClampTable } from "./clamped-pass.js";
import { grown, type Trellis } from "./trellis.js";

/** Parts below this share of the bound are left out; all of them together stay far below the digits that are shown. */
const NEGLIGIBLE = 1e-12;

export class PrunedPass {
  /** [contextCount][width] A(c, n); zero outside a call. */
  private passing = new Float64Array(1024);
  // Nodes (c, n) reached, in a list for each slot.
  private nodeContext = new Int32Array(256);
  private nodeState = new Int32Array(256);
  /** The next node of the same slot, or -1. */
  private nodeNext = new Int32Array(256);
  /** [slotCount] the first node, or -1. */
  private firstNode = new Int32Array(64);

  /** Probability that a path agrees with the clamp. `bound` is the probability of one that does. */
  probability(trellis: Trellis, table: ClampTable, bound: number): number {
    const { graph, slotStart, contextSlot, arcStart: contextArcs, arcTarget, arcMass, posterior } = trellis;
    const { arcStart, arcSymbol, arcNext, band } = table;
    const slots = graph.slotCount;
    const width = Math.min(band?.width ?? table.stateCount, table.stateCount);
    if (this.passing.length < trellis.contextCount * width) {
      this.passing = grown(this.passing, trellis.contextCount * width);
    }
    if (this.firstNode.length < slots) this.firstNode = grown(this.firstNode, slots);
    const { passing, firstNode } = this;
    firstNode.fill(-1, 0, slots);
    this.nodeContext[0] = slotStart[0];
    this.nodeState[0] = 0;
    this.nodeNext[0] = -1;
    firstNode[0] = 0;
    passing[slotStart[0] * width] = 1;
    let nodes = 1;
    const least = bound * NEGLIGIBLE;
    for (let slot = 0; slot < slots - 1; slot++) {
      for (let node = firstNode[slot]; node >= 0; node = this.nodeNext[node]) {
        const c = this.nodeContext[node];
        const n = this.nodeState[node];
        const own = passing[c * width + n - (band ? band.low[slot] : 0)];
        if (own < least) continue;
        const each = own / posterior[c];
        for (let a = arcStart[n]; a < arcStart[n + 1]; a++) {
          const arc = contextArcs[c] + arcSymbol[a];
          const target = arcTarget[arc];
          if (target < 0) continue;
          const part = each * arcMass[arc];
          if (part < least) continue;
          const next = contextSlot[target];
          const column = arcNext[a] - (band ? band.low[next] : 0);
          if (column < 0 || column >= width) continue;
          const place = target * width + column;
          if (passing[place] === 0) {
            if (nodes === this.nodeContext.length) this.growNodes();
            this.nodeContext[nodes] = target;
            this.nodeState[nodes] = arcNext[a];
            this.nodeNext[nodes] = firstNode[next];
            firstNode[next] = nodes++;
          }
          passing[place] += part;
        }
      }
    }
    const endLow = band ? band.low[slots - 1] : 0;
    const endColumn = table.end - endLow;
    const last = slotStart[slots] - 1;
    const total = endColumn >= 0 && endColumn < width ? passing[last * width + endColumn] : 0;
    for (let node = 0; node < nodes; node++) {
      const c = this.nodeContext[node];
      passing[c * width + this.nodeState[node] - (band ? band.low[contextSlot[c]] : 0)] = 0;
    }
    return total;
  }

  private growNodes(): void {
    const room = this.nodeContext.length + 1;
    this.nodeContext = grown(this.nodeContext, room);
    this.nodeState = grown(this.nodeState, room);
    this.nodeNext = grown(this.nodeNext, room);
  }
}
