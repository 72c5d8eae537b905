// The forward and backward pass of a trellis under a clamp, without a lattice: what training does for every example. With
//   a(c, n) = share of the forward mass of context c that comes from paths in clamp state n
// an arc from c to t carries share(arc) = mass(arc) / mass(t) of its target's forward mass, so
//   a(t, n') = sum over arcs (c, y) into t, with y leading from n to n': share(arc) * a(c, n)
//   b(c, n)  = sum over arcs (c, y) from c, with y leading from n to n': share(arc) * b(t, n')
// and the posterior of an arc is a(c, n) * share(arc) * b(t, n'). No exponential is needed but where the a(., n) of a slot
// have become so small that they are kept on a scale of their own. At the end, a = probability of the clamp.

import type { Clamp } from "./clamp.js";
import { nextSlot } from "./slots.js";
import { grown, type Trellis } from "./trellis.js";

/** Shares below this are kept on a larger scale. */
const SMALL = 1e-60;

export class ClampedPass {
  /** Log of the probability that a path agrees with the clamp; -Infinity if none does. */
  logProbability = Number.NEGATIVE_INFINITY;
  private trellis!: Trellis;
  private clamp!: Clamp;
  /** States kept for each slot. */
  private width = 0;
  /** [slotCount] first of them. */
  private low = new Int32Array(64);
  /** [contextCount][width] a(c, n), relative to its scale; for slots that `addPosteriors` has been through, b(c, n). */
  private share = new Float64Array(1024);
  /** [slotCount][width] log of the scale; -Infinity where no path is. */
  private scale = new Float64Array(256);
  /** [slotCount][width] 1 where some path leads on to the end and agrees with the clamp. */
  private open = new Uint8Array(256);
  /** [contexts of a slot][width] b(c, n) while they are summed. */
  private sums = new Float64Array(256);

  // The steps of the clamp along one branch: from a column of its slot, by a symbol, to a column of the next slot.
  private stepCount = 0;
  private stepColumn = new Int32Array(64);
  private stepSymbol = new Int32Array(64);
  private stepNext = new Int32Array(64);
  /** What shares of the column's scale count in that of the next column. */
  private stepFactor = new Float64Array(64);

  /** Begins a pass at the first slot of a trellis; later slots need not exist yet. */
  begin(trellis: Trellis, clamp: Clamp): void {
    this.trellis = trellis;
    this.clamp = clamp;
    const slots = trellis.graph.slotCount;
    if (this.low.length < slots) this.low = grown(this.low, slots);
    if (clamp.band) this.low.set(clamp.band.low);
    else this.low.fill(0, 0, slots);
    const width = Math.min(clamp.band?.width ?? clamp.stateCount, clamp.stateCount);
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
    const { clamp, low, width } = this;
    const { arcStart, arcSymbol, arcNext, stateCount } = clamp;
    const { graph } = this.trellis;
    const slots = graph.slotCount;
    if (this.open.length < slots * width) this.open = grown(this.open, slots * width);
    const { open } = this;
    open.fill(0, 0, slots * width);
    const end = clamp.end - low[slots - 1];
    if (end >= 0 && end < width) open[(slots - 1) * width + end] = 1;
    for (let slot = slots - 2; slot >= 0; slot--) {
      const states = Math.min(width, stateCount - low[slot]);
      for (let b = graph.branchStart[slot]; b < graph.branchStart[slot + 1]; b++) {
        const first = graph.branchFirst[b];
        const last = graph.branchEnd[b];
        const nextLow = low[graph.branchNext[b]];
        const next = graph.branchNext[b] * width;
        for (let m = 0; m < states; m++) {
          const state = low[slot] + m;
          for (let a = arcStart[state]; a < arcStart[state + 1]; a++) {
            if (arcSymbol[a] < first || arcSymbol[a] >= last) continue;
            const column = arcNext[a] - nextLow;
            if (column >= 0 && column < width && open[next + column]) open[slot * width + m] = 1;
          }
        }
      }
    }
  }

  private room(contexts: number): void {
    const size = contexts * this.width;
    if (this.share.length < size) this.share = grown(this.share, size);
  }

  /** Lists the steps along a branch, from columns where a path is to columns from which the end can be reached. */
  private listSteps(branch: number): void {
    const { clamp, low, width, scale, open } = this;
    const { arcStart, arcSymbol, arcNext } = clamp;
    const { graph } = this.trellis;
    const slot = graph.branchSlot[branch];
    const first = graph.branchFirst[branch];
    const end = graph.branchEnd[branch];
    const nextSlot = graph.branchNext[branch];
    let count = 0;
    for (let m = 0; m < width; m++) {
      if (scale[slot * width + m] === Number.NEGATIVE_INFINITY) continue;
      const state = low[slot] + m;
      for (let a = arcStart[state]; a < arcStart[state + 1]; a++) {
        const symbol = arcSymbol[a];
        if (symbol < first || symbol >= end) continue;
        const next = arcNext[a] - low[nextSlot];
        if (next < 0 || next >= width || !open[nextSlot * width + next]) continue;
        if (count === this.stepColumn.length) this.growSteps();
        this.stepColumn[count] = m;
        this.stepSymbol[count] = symbol;
        this.stepNext[count++] = next;
      }
    }
    this.stepCount = count;
  }

  private growSteps(): void {
    const room = this.stepColumn.length + 1;
    this.stepColumn = grown(this.stepColumn, room);
    this.stepSymbol = grown(this.stepSymbol, room);
    this.stepNext = grown(this.stepNext, room);
    this.stepFactor = grown(this.stepFactor, room);
  }

  /** Carries the shares into a slot whose contexts and incoming arcs are known. Slots come in order. */
  enter(slot: number): void {
    const { trellis, width } = this;
    const { graph, slotStart, arcStart, arcTarget, arcMass, mass } = trellis;
    const from = slotStart[slot];
    const to = slotStart[slot + 1];
    this.room(to);
    const { share } = this;
    share.fill(0, from * width, to * width);
    for (let i = graph.incomingStart[slot]; i < graph.incomingStart[slot + 1]; i++) {
      const branch = graph.incoming[i];
      const source = graph.branchSlot[branch];
      this.listSteps(branch);
      this.raiseScales(source, slot);
      const { stepCount, stepColumn, stepSymbol, stepNext, stepFactor } = this;
      for (let c = slotStart[source]; c < slotStart[source + 1]; c++) {
        const own = c * width;
        for (let s = 0; s < stepCount; s++) {
          const part = share[own + stepColumn[s]];
          if (part === 0) continue;
          const arc = arcStart[c] + stepSymbol[s];
          const target = arcTarget[arc];
          if (target >= 0) share[target * width + stepNext[s]] += (part * stepFactor[s] * arcMass[arc]) / mass[target];
        }
      }
    }
    this.rescale(slot);
  }

  /** Raises the scales of a slot to those of the steps into it, and finds the factors of these. */
  private raiseScales(source: number, slot: number): void {
    const { scale, share, width, stepCount, stepColumn, stepNext, stepFactor } = this;
    const { slotStart } = this.trellis;
    for (let s = 0; s < stepCount; s++) {
      const place = slot * width + stepNext[s];
      const before = scale[place];
      const raised = scale[source * width + stepColumn[s]];
      if (before >= raised) continue;
      scale[place] = raised;
      if (before === Number.NEGATIVE_INFINITY) continue;
      const lower = Math.exp(before - raised);
      for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) share[c * width + stepNext[s]] *= lower;
    }
    for (let s = 0; s < stepCount; s++) stepFactor[s] = this.factor(source, s, slot);
  }

  private factor(source: number, step: number, slot: number): number {
    const { scale, width } = this;
    const difference = scale[source * width + this.stepColumn[step]] - scale[slot * width + this.stepNext[step]];
    return difference === 0 ? 1 : Math.exp(difference);
  }

  /** Gives columns of a slot whose shares are all small a scale on which they are not. */
  private rescale(slot: number): void {
    const { scale, share, width } = this;
    const from = this.trellis.slotStart[slot];
    const to = this.trellis.slotStart[slot + 1];
    for (let m = 0; m < width; m++) {
      if (scale[slot * width + m] === Number.NEGATIVE_INFINITY) continue;
      let top = 0;
      for (let c = from; c < to && top < SMALL; c++) if (share[c * width + m] > top) top = share[c * width + m];
      if (top >= SMALL) continue;
      if (top === 0) scale[slot * width + m] = Number.NEGATIVE_INFINITY;
      else {
        scale[slot * width + m] += Math.log(top);
        for (let c = from; c < to; c++) share[c * width + m] /= top;
      }
    }
  }

  /**
   * Log of the share of a context's forward mass that comes from paths which agree with the clamp and can continue with a symbol
   * and reach the end. The context's slot must have been entered.
   */
  logAllowed(context: number, symbol: number): number {
    const { share, scale, open, clamp, trellis, low, width } = this;
    const slot = trellis.contextSlot[context];
    const next = nextSlot(trellis.graph, slot, symbol);
    if (next < 0) return Number.NEGATIVE_INFINITY;
    let sum = 0;
    let sumScale = Number.NEGATIVE_INFINITY;
    for (let m = 0; m < width; m++) {
      const part = share[context * width + m];
      const partScale = scale[slot * width + m];
      if (part === 0 || partScale === Number.NEGATIVE_INFINITY) continue;
      const state = low[slot] + m;
      for (let a = clamp.arcStart[state]; a < clamp.arcStart[state + 1]; a++) {
        if (clamp.arcSymbol[a] !== symbol) continue;
        const column = clamp.arcNext[a] - low[next];
        if (column < 0 || column >= width || !open[next * width + column]) continue;
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
    const { trellis, clamp, width } = this;
    const slot = trellis.graph.slotCount - 1;
    const last = trellis.slotStart[slot + 1] - 1;
    const column = clamp.end - this.low[slot];
    const found = last >= trellis.slotStart[slot] && column >= 0 && column < width;
    const share = found ? this.share[last * width + column] : 0;
    this.logProbability = share > 0 ? this.scale[slot * width + column] + Math.log(share) : Number.NEGATIVE_INFINITY;
    return this.logProbability;
  }

  /** The whole forward pass over a trellis before its backward pass; returns the log-probability. */
  forward(trellis: Trellis, clamp: Clamp): number {
    this.begin(trellis, clamp);
    for (let slot = 1; slot < trellis.graph.slotCount; slot++) this.enter(slot);
    return this.finish();
  }

  /**
   * Adds `weight` times the posterior probabilities of the arcs, given the clamp, to `arcs` (one number per arc of the trellis).
   * Needs a forward pass that found a path, and the trellis before its backward pass; can be called once.
   */
  addPosteriors(arcs: Float64Array, weight: number): void {
    const { trellis, clamp, low, width } = this;
    const { graph, slotStart } = trellis;
    // From the end to the start, b takes the place of a.
    const onward = this.share;
    const endSlot = graph.slotCount - 1;
    const last = slotStart[endSlot + 1] - 1;
    const column = clamp.end - low[endSlot];
    const total = onward[last * width + column];
    onward.fill(0, slotStart[endSlot] * width, (last + 1) * width);
    onward[last * width + column] = 1 / total;
    for (let slot = endSlot - 1; slot >= 0; slot--) {
      const size = (slotStart[slot + 1] - slotStart[slot]) * width;
      if (this.sums.length < size) this.sums = grown(this.sums, size);
      this.sums.fill(0, 0, size);
      for (let branch = graph.branchStart[slot]; branch < graph.branchStart[slot + 1]; branch++) {
        this.leave(branch, arcs, weight);
      }
      onward.set(this.sums.subarray(0, size), slotStart[slot] * width);
    }
  }

  /** Adds what the arcs of one branch carry to `arcs`, and sums b(c, n) for the contexts of its slot. */
  private leave(branch: number, arcs: Float64Array, weight: number): void {
    this.listSteps(branch);
    const { trellis, share, sums, width, stepCount, stepColumn, stepSymbol, stepNext, stepFactor } = this;
    const { graph, slotStart, arcStart, arcTarget, arcMass, mass } = trellis;
    const slot = graph.branchSlot[branch];
    for (let s = 0; s < stepCount; s++) stepFactor[s] = this.factor(slot, s, graph.branchNext[branch]);
    for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) {
      const own = c * width;
      const ownSums = (c - slotStart[slot]) * width;
      for (let s = 0; s < stepCount; s++) {
        const part = share[own + stepColumn[s]];
        if (part === 0) continue;
        const arc = arcStart[c] + stepSymbol[s];
        const target = arcTarget[arc];
        if (target < 0) continue;
        const onward = share[target * width + stepNext[s]];
        if (onward === 0) continue;
        const through = ((stepFactor[s] * arcMass[arc]) / mass[target]) * onward;
        arcs[arc] += weight * part * through;
        sums[ownSums + stepColumn[s]] += through;
      }
    }
  }
}
