// The trellis: slots with their context sets, scores and arcs, as a forward pass leaves them. An arc is one expansion of
// one kept context: context c and symbol y have arc arcStart[c] + y. All arrays only grow, so that a trellis used for
// many sequences stops allocating soon. The backward pass turns masses into posteriors, in the same memory: before it
// there are masses and no posteriors of arcs, after it the other way round, and what is not there is an empty array.

import type { Inference } from "./inference.js";
import type { SlotGraph } from "./slots.js";

export type { Inference } from "./inference.js";

/** The event before the first decision. */
export const BEGIN = -1;

const NOTHING: Float64Array = new Float64Array(0);

export class Trellis {
  graph!: SlotGraph;
  /** [slotCount + 1] first context of each slot. Within a slot contexts are sorted by their latest decision, then the one before, `⋆` last. */
  slotStart: Int32Array = new Int32Array(16);

  // One entry for each context.
  /** Number of contexts over all slots. */
  contextCount = 0;
  contextSlot: Int32Array = new Int32Array(64);
  /** A context of an earlier slot that this one extends; with `contextSymbol` it spells the suffix. -1 for `⋆` and `^`. */
  contextParent: Int32Array = new Int32Array(64);
  contextSymbol: Int32Array = new Int32Array(64);
  /** Decisions remembered; 0 for `⋆`. */
  contextLength: Int32Array = new Int32Array(64);
  /** Length of the common suffix with the next context of the slot. */
  contextCommon: Int32Array = new Int32Array(64);
  /** First arc of the context; [contextCount + 1] in use. */
  arcStart: Int32Array = new Int32Array(64);
  /** First of the context's rows in `rows`; [contextCount + 1] in use. */
  rowStart: Int32Array = new Int32Array(64);
  /** Logarithm of the forward mass. */
  logForward: Float64Array = new Float64Array(64);
  /** Sum of the masses of the arcs into the context, relative to its scale. Empty after the backward pass. */
  mass: Float64Array = new Float64Array(64);
  /** posterior / mass, which the backward pass multiplies the masses of arcs into the context by. Empty before it. */
  ratio: Float64Array = NOTHING;
  /** Probability that an output passes through the context; set by the backward pass. */
  posterior: Float64Array = new Float64Array(64);

  /** Rows of the contexts, context after context. */
  rows: Int32Array = new Int32Array(256);

  // One entry for each arc.
  arcScore: Float64Array = new Float64Array(256);
  /** The context an arc leads to, or -1 where there is none. */
  arcTarget: Int32Array = new Int32Array(256);
  /** Mass, relative to the scale of the target. Empty after the backward pass. */
  arcMass: Float64Array = new Float64Array(256);
  /** Probability that an output passes the arc. Empty before the backward pass. */
  arcPosterior: Float64Array = NOTHING;

  /** Logarithm of the total mass of all outputs; -Infinity if there are none. */
  logPartition = Number.NEGATIVE_INFINITY;

  /**
   * Clears the trellis and makes the contexts of the first slot: `^`, and `⋆` without mass, so that every list has its
   * expansions.
   */
  begin(graph: SlotGraph, { order, contexts, mode }: Inference): void {
    this.toMasses();
    this.graph = graph;
    this.growSlots(graph.slotCount);
    this.growContexts(2);
    this.contextCount = 0;
    this.arcStart[0] = 0;
    this.rowStart[0] = 0;
    this.slotStart[0] = 0;
    const remembers = order > 0 && (contexts > 0 || mode === "exact");
    if (remembers) this.logForward[this.addContext(0, -1, BEGIN, 1)] = 0;
    if (!remembers || mode !== "beam") {
      this.logForward[this.addContext(0, -1, BEGIN, 0)] = remembers ? Number.NEGATIVE_INFINITY : 0;
    }
    this.mass.fill(1, 0, this.contextCount);
    this.slotStart[1] = this.contextCount;
  }

  /** Whether it has had its backward pass. */
  get hasPosteriors(): boolean {
    return this.arcMass === NOTHING;
  }

  /** Called before the backward pass overwrites the masses. */
  toPosteriors(): void {
    if (this.hasPosteriors) return;
    this.ratio = this.mass;
    this.mass = NOTHING;
    this.arcPosterior = this.arcMass;
    this.arcMass = NOTHING;
  }

  /** Called before a forward pass. */
  toMasses(): void {
    if (!this.hasPosteriors) return;
    this.mass = this.ratio;
    this.ratio = NOTHING;
    this.arcMass = this.arcPosterior;
    this.arcPosterior = NOTHING;
  }

  /** Appends a context, for which there must be room; the caller sets its masses. */
  addContext(slot: number, parent: number, symbol: number, length: number): number {
    const c = this.contextCount++;
    this.contextSlot[c] = slot;
    this.contextParent[c] = parent;
    this.contextSymbol[c] = symbol;
    this.contextLength[c] = length;
    this.contextCommon[c] = 0;
    return c;
  }

  /** Sets the log-partition, once the last slot has its contexts. */
  end(): void {
    const { slotStart, graph } = this;
    const last = slotStart[graph.slotCount] - 1;
    this.logPartition = last >= slotStart[graph.slotCount - 1] ? this.logForward[last] : Number.NEGATIVE_INFINITY;
  }

  growSlots(slots: number): void {
    if (this.slotStart.length < slots + 1) this.slotStart = grown(this.slotStart, slots + 1);
  }

  growContexts(contexts: number): void {
    if (this.contextSlot.length >= contexts + 1) return;
    this.contextSlot = grown(this.contextSlot, contexts + 1);
    this.contextParent = grown(this.contextParent, contexts + 1);
    this.contextSymbol = grown(this.contextSymbol, contexts + 1);
    this.contextLength = grown(this.contextLength, contexts + 1);
    this.contextCommon = grown(this.contextCommon, contexts + 1);
    this.arcStart = grown(this.arcStart, contexts + 1);
    this.rowStart = grown(this.rowStart, contexts + 1);
    this.logForward = grown(this.logForward, contexts + 1);
    this.mass = grown(this.mass, contexts + 1);
    this.posterior = grown(this.posterior, contexts + 1);
  }

  growRows(rows: number): void {
    if (this.rows.length < rows) this.rows = grown(this.rows, rows);
  }

  growArcs(arcs: number): void {
    if (this.arcScore.length >= arcs) return;
    this.arcScore = grown(this.arcScore, arcs);
    this.arcTarget = grown(this.arcTarget, arcs);
    this.arcMass = grown(this.arcMass, arcs);
  }

  /** The decisions a context remembers, latest last; `^` is BEGIN. */
  suffix(context: number): number[] {
    const symbols: number[] = [];
    let c = context;
    for (let n = this.contextLength[context]; n > 0; n--) {
      symbols.push(this.contextSymbol[c]);
      c = this.contextParent[c];
    }
    return symbols.reverse();
  }

  /** Average number of remembered decisions, weighted by forward mass, over the slots where something is decided. */
  averageContextLength(): number {
    let sum = 0;
    let slots = 0;
    for (let slot = 1; slot < this.graph.slotCount - 1; slot++) {
      const from = this.slotStart[slot];
      const to = this.slotStart[slot + 1];
      let top = Number.NEGATIVE_INFINITY;
      for (let c = from; c < to; c++) top = Math.max(top, this.logForward[c]);
      if (top === Number.NEGATIVE_INFINITY) continue;
      let total = 0;
      let weighted = 0;
      for (let c = from; c < to; c++) {
        const mass = Math.exp(this.logForward[c] - top);
        total += mass;
        weighted += mass * this.contextLength[c];
      }
      sum += weighted / total;
      slots++;
    }
    return slots ? sum / slots : 0;
  }
}

/** The score of a path that is given by its decisions; -Infinity if the trellis does not have it. */
export function pathScore({ arcStart, arcTarget, arcScore, slotStart }: Trellis, symbols: ArrayLike<number>): number {
  let context = slotStart[0];
  let score = 0;
  for (let i = 0; i < symbols.length; i++) {
    if (context < 0) return Number.NEGATIVE_INFINITY;
    const arc = arcStart[context] + symbols[i];
    score += arcScore[arc];
    context = arcTarget[arc];
  }
  return score;
}

type Growable = Int32Array | Float64Array | Uint8Array;

/** A copy of an array with room for at least `size` numbers, at least half as large again. */
export function grown<T extends Growable>(array: T, size: number): T {
  const room = Math.max(size, Math.ceil(array.length * 1.5));
  const larger = new (array.constructor as new (length: number) => T)(room);
  larger.set(array);
  return larger;
}
