// The forward and backward pass of a trellis under a clamp, on flat arrays: what training does for every pair. With
//   a(c, n) = share of the forward mass of context c that comes from paths in clamp state n
// an arc from c to t carries share(arc) = mass(arc) / mass(t) of its target's forward mass, so
//   a(t, n') = sum over arcs (c, y) into t, with y leading from n to n': share(arc) * a(c, n)
// and no exponential is needed but one for each change of scale: a(c, n) is kept relative to the greatest a(., n) of its
// slot, so that outputs of any length stay in range. At the end, a = probability of the clamp.

import { nextSlot } from "./slots.js";
import { grown, type Trellis } from "./trellis.js";

/** A clamp whose rules are the same at every slot: state n may read symbol arcSymbol[i] and go to state arcNext[i]. */
export interface ClampTable {
  stateCount: number;
  /** [stateCount + 1] first arc of each state. */
  arcStart: Int32Array;
  arcSymbol: Int32Array;
  arcNext: Int32Array;
  /** The one state in which a path may end. */
  end: number;
  /** States to consider at each slot, for outputs so long that all of them would be too many. */
  band?: Band;
}

/** States low[slot] .. low[slot] + width - 1 are considered at a slot. */
export interface Band {
  /** [slotCount] */
  low: Int32Array;
  width: number;
}

/** Allows the paths that write exactly this output, however they move in between: `free` may be decided at any time. */
export function outputClamp(output: ArrayLike<number>, free: number): ClampTable {
  const length = output.length;
  const arcStart = Int32Array.from({ length: length + 2 }, (_, n) => Math.min(2 * n, 2 * length + 1));
  const arcSymbol = new Int32Array(2 * length + 1).fill(free);
  const arcNext = new Int32Array(2 * length + 1);
  for (let n = 0; n <= length; n++) {
    arcNext[2 * n] = n;
    if (n === length) break;
    arcSymbol[2 * n + 1] = output[n];
    arcNext[2 * n + 1] = n + 1;
  }
  return { stateCount: length + 1, arcStart, arcSymbol, arcNext, end: length };
}

export class ClampedPass {
  /** Log of the probability that a path agrees with the clamp; -Infinity if none does. */
  logProbability = Number.NEGATIVE_INFINITY;
  private trellis!: Trellis;
  private table!: ClampTable;
  /** States kept for each slot. */
  private width = 0;
  /** [slotCount] first of them. */
  private low = new Int32Array(64);
  /** [contextCount][width] a(c, n), relative to its scale; after the backward pass, posterior / a. */
  private share = new Float64Array(1024);
  /** [slotCount][width] log of the scale; -Infinity where no path is. */
  private scale = new Float64Array(256);
  /** [slotCount][width] 1 where some path leads on to the end and agrees with the clamp. */
  private open = new Uint8Array(256);
  /** [contexts of a slot] */
  private posterior = new Float64Array(64);

  /** Begins a pass at the first slot of a trellis, of which later slots need not be there yet. */
  begin(trellis: Trellis, table: ClampTable): void {
    this.trellis = trellis;
    this.table = table;
    const slots = trellis.graph.slotCount;
    if (this.low.length < slots) this.low = grown(this.low, slots);
    if (table.band) this.low.set(table.band.low);
    else this.low.fill(0, 0, slots);
    const width = Math.min(table.band?.width ?? table.stateCount, table.stateCount);
    this.width = width;
    if (this.scale.length < slots * width) this.scale = grown(this.scale, slots * width);
    this.scale.fill(Number.NEGATIVE_INFINITY, 0, slots * width);
    this.findOpen();
    this.room(trellis.slotStart[1]);
    this.share.fill(0, 0, trellis.slotStart[1] * width);
    this.share[0] = 1;
    this.scale[0] = 0;
  }

  /** Which states can still reach the end, from the last slot to the first: the others need not be followed. */
  private findOpen(): void {
    const { table, low, width } = this;
    const { graph } = this.trellis;
    const slots = graph.slotCount;
    if (this.open.length < slots * width) this.open = grown(this.open, slots * width);
    const { open } = this;
    open.fill(0, 0, slots * width);
    const end = table.end - low[slots - 1];
    if (end >= 0 && end < width) open[(slots - 1) * width + end] = 1;
    for (let slot = slots - 2; slot >= 0; slot--) {
      for (let m = 0; m < width && low[slot] + m < table.stateCount; m++) {
        const state = low[slot] + m;
        for (let a = table.arcStart[state]; a < table.arcStart[state + 1]; a++) {
          if (this.leadsOn(slot, a)) {
            open[slot * width + m] = 1;
            break;
          }
        }
      }
    }
  }

  /** Whether an arc of the clamp can be taken at a slot and leads to a state from which the end can be reached. */
  private leadsOn(slot: number, arc: number): boolean {
    const next = nextSlot(this.trellis.graph, slot, this.table.arcSymbol[arc]);
    if (next < 0) return false;
    const column = this.table.arcNext[arc] - this.low[next];
    return column >= 0 && column < this.width && this.open[next * this.width + column] === 1;
  }

  private room(contexts: number): void {
    const size = contexts * this.width;
    if (this.share.length < size) this.share = grown(this.share, size);
  }

  /** Carries the shares into a slot whose contexts and incoming arcs are known. Slots come in order. */
  enter(slot: number): void {
    const { trellis, table, low, width } = this;
    const { graph, slotStart, arcStart, arcTarget, arcMass, mass } = trellis;
    const from = slotStart[slot];
    const to = slotStart[slot + 1];
    this.room(to);
    const { share, scale } = this;
    share.fill(0, from * width, to * width);
    const slotScale = slot * width;
    for (let i = graph.incomingStart[slot]; i < graph.incomingStart[slot + 1]; i++) {
      const b = graph.incoming[i];
      const source = graph.branchSlot[b];
      const first = graph.branchFirst[b];
      const end = graph.branchEnd[b];
      for (let m = 0; m < width; m++) {
        const sourceScale = scale[source * width + m];
        if (sourceScale === Number.NEGATIVE_INFINITY) continue;
        const state = low[source] + m;
        for (let a = table.arcStart[state]; a < table.arcStart[state + 1]; a++) {
          const symbol = table.arcSymbol[a];
          if (symbol < first || symbol >= end) continue;
          const next = table.arcNext[a] - low[slot];
          if (next < 0 || next >= width || !this.open[slotScale + next]) continue;
          const factor = this.factor(slotScale + next, sourceScale, from, to, next);
          for (let c = slotStart[source]; c < slotStart[source + 1]; c++) {
            const part = share[c * width + m];
            if (part === 0) continue;
            const arc = arcStart[c] + symbol;
            const target = arcTarget[arc];
            if (target >= 0) share[target * width + next] += (part * factor * arcMass[arc]) / mass[target];
          }
        }
      }
    }
    for (let m = 0; m < width; m++) {
      if (scale[slotScale + m] === Number.NEGATIVE_INFINITY) continue;
      let top = 0;
      for (let c = from; c < to; c++) top = Math.max(top, share[c * width + m]);
      if (top === 0) scale[slotScale + m] = Number.NEGATIVE_INFINITY;
      else {
        scale[slotScale + m] += Math.log(top);
        for (let c = from; c < to; c++) share[c * width + m] /= top;
      }
    }
  }

  /** What shares of one scale count in that of a place; the place is raised to it if it is below. */
  private factor(place: number, sourceScale: number, from: number, to: number, column: number): number {
    const { scale, share, width } = this;
    if (scale[place] < sourceScale) {
      const lower = Math.exp(scale[place] - sourceScale);
      for (let c = from; c < to; c++) share[c * width + column] *= lower;
      scale[place] = sourceScale;
    }
    return Math.exp(sourceScale - scale[place]);
  }

  /**
   * Log of the share of a context's forward mass that comes from paths which agree with the clamp and may go on with a
   * symbol, and then to the end. The context's slot must have been entered.
   */
  logAllowed(context: number, symbol: number): number {
    const { share, scale, table, trellis, low, width } = this;
    const slot = trellis.contextSlot[context];
    let sum = 0;
    let sumScale = Number.NEGATIVE_INFINITY;
    for (let m = 0; m < width; m++) {
      const part = share[context * width + m];
      const partScale = scale[slot * width + m];
      if (part === 0 || partScale === Number.NEGATIVE_INFINITY) continue;
      const state = low[slot] + m;
      for (let a = table.arcStart[state]; a < table.arcStart[state + 1]; a++) {
        if (table.arcSymbol[a] !== symbol || !this.leadsOn(slot, a)) continue;
        if (partScale > sumScale) {
          sum = sum * Math.exp(sumScale - partScale) + part;
          sumScale = partScale;
        } else sum += part * Math.exp(partScale - sumScale);
      }
    }
    return sum === 0 ? Number.NEGATIVE_INFINITY : sumScale + Math.log(sum);
  }

  /** Ends the pass after the last slot was entered. */
  finish(): number {
    const { trellis, table, width } = this;
    const slot = trellis.graph.slotCount - 1;
    const last = trellis.slotStart[slot + 1] - 1;
    const column = table.end - this.low[slot];
    const found = last >= trellis.slotStart[slot] && column >= 0 && column < width;
    const share = found ? this.share[last * width + column] : 0;
    this.logProbability = share > 0 ? this.scale[slot * width + column] + Math.log(share) : Number.NEGATIVE_INFINITY;
    return this.logProbability;
  }

  /** The whole forward pass over a trellis that has not had its backward pass yet; returns the log-probability. */
  forward(trellis: Trellis, table: ClampTable): number {
    this.begin(trellis, table);
    for (let slot = 1; slot < trellis.graph.slotCount; slot++) this.enter(slot);
    return this.finish();
  }

  /**
   * Adds `weight` times the posterior probabilities of the arcs, given the clamp, to `arcs` (one number an arc of the
   * trellis). Needs a forward pass that found a path, and the trellis without its backward pass; can be called once.
   */
  addPosteriors(arcs: Float64Array, weight: number): void {
    const { trellis, table, share, scale, low, width } = this;
    const { graph, slotStart, arcStart, arcTarget, arcMass, mass } = trellis;
    const endSlot = graph.slotCount - 1;
    const last = slotStart[endSlot + 1] - 1;
    const column = table.end - low[endSlot];
    for (let c = slotStart[endSlot]; c <= last; c++) {
      for (let m = 0; m < width; m++) {
        share[c * width + m] = c === last && m === column ? 1 / share[c * width + m] : 0;
      }
    }
    for (let slot = endSlot - 1; slot >= 0; slot--) {
      const from = slotStart[slot];
      const to = slotStart[slot + 1];
      if (this.posterior.length < to - from) this.posterior = grown(this.posterior, to - from);
      const { posterior } = this;
      for (let m = 0; m < width; m++) {
        const ownScale = scale[slot * width + m];
        if (ownScale === Number.NEGATIVE_INFINITY) continue;
        posterior.fill(0, 0, to - from);
        const state = low[slot] + m;
        for (let a = table.arcStart[state]; a < table.arcStart[state + 1]; a++) {
          const symbol = table.arcSymbol[a];
          const next = nextSlot(graph, slot, symbol);
          if (next < 0) continue;
          const nextColumn = table.arcNext[a] - low[next];
          if (nextColumn < 0 || nextColumn >= width) continue;
          const nextScale = scale[next * width + nextColumn];
          if (nextScale === Number.NEGATIVE_INFINITY) continue;
          const factor = Math.exp(ownScale - nextScale);
          for (let c = from; c < to; c++) {
            const part = share[c * width + m];
            if (part === 0) continue;
            const arc = arcStart[c] + symbol;
            const target = arcTarget[arc];
            if (target < 0) continue;
            const probability = ((part * factor * arcMass[arc]) / mass[target]) * share[target * width + nextColumn];
            arcs[arc] += weight * probability;
            posterior[c - from] += probability;
          }
        }
        for (let c = from; c < to; c++) {
          const node = c * width + m;
          if (share[node] > 0) share[node] = posterior[c - from] / share[node];
        }
      }
    }
  }
}
