// What a pass of the back-off kernel works on, in flat arrays that only grow. What the backward pass needs is kept for all
// slots: groups, their entries, and where each group leads by the symbols that have a kept expansion.

import { type Inference, longestSuffix } from "../inference.js";
import type { Problem } from "../problem.js";
import { grown, Trellis } from "../trellis.js";
import type { BackoffRows } from "./rows.js";

/** Below this a mass may have lost digits, and the pass is left to the reference kernel. */
export const TINY = 1e-250;

export class WorkSpace {
  readonly trellis: Trellis = new Trellis();
  problem!: Problem;
  rows!: BackoffRows;
  inference!: Inference;
  /** The most decisions that a context may remember. */
  longest = 0;

  // The slot at hand, and the symbols that can be decided there.
  slot = 0;
  firstSymbol = 0;
  endSymbol = 0;

  // One entry for each slot.
  /** First group. */
  slotGroup: Int32Array = new Int32Array(16);
  /** First of the symbols with a kept expansion. */
  slotKeptSymbol: Int32Array = new Int32Array(16);
  slotTarget: Int32Array = new Int32Array(16);
  /** Context of the next slot that takes all that no kept context does, or -1. */
  slotStar: Int32Array = new Int32Array(16);
  /** Sum of E(y) over the symbols that only lead to ⋆. */
  slotRest: Float64Array = new Float64Array(16);
  /** [slots][symbols] E(y), relative to the greatest of the slot. */
  slotEmission: Float64Array = new Float64Array(256);

  // One entry for each context.
  /** k(c) */
  contextFactor: Float64Array = new Float64Array(64);
  /** First of its own entries. */
  ownStart: Int32Array = new Int32Array(64);

  // Groups: contexts next to each other whose expansions by a symbol are one context after recombination.
  groupCount = 0;
  groupFrom: Int32Array = new Int32Array(64);
  groupTo: Int32Array = new Int32Array(64);
  /** Sum of k(c). */
  groupFactor: Float64Array = new Float64Array(64);
  /** First entry. */
  groupEntry: Int32Array = new Int32Array(64);
  /** Decisions in common with the next group, after expansion. */
  groupCommon: Int32Array = new Int32Array(64);

  // Entries: (group, symbol) pairs with a gain.
  entryCount = 0;
  entrySymbol: Int32Array = new Int32Array(256);
  /** Of the rows that the group's contexts have in common. */
  entryGain: Float64Array = new Float64Array(256);
  /** Mass beyond k * E. */
  entryExtra: Float64Array = new Float64Array(256);
  /** Backward: what an own gain of 1 adds to a context's posterior / k. */
  entryShare: Float64Array = new Float64Array(256);

  // Own entries: of rows that only one context of the group has.
  ownCount = 0;
  ownEntry: Int32Array = new Int32Array(256);
  ownGain: Float64Array = new Float64Array(256);

  // Symbols with a kept expansion, slot after slot, and for each the context that every group leads to.
  keptSymbolCount = 0;
  keptSymbol: Int32Array = new Int32Array(64);
  targetCount = 0;
  target: Int32Array = new Int32Array(256);

  // Scratch for one slot.
  /** A new number for each group: symbols that carry it are those met in the group. */
  stamp = 0;
  symbolStamp: Int32Array = new Int32Array(0);
  symbolEntry: Int32Array = new Int32Array(0);
  /** [symbols] the place of a symbol among those with a kept expansion, or -1. */
  keptIndex: Int32Array = new Int32Array(0);
  likely: Int32Array = new Int32Array(0);
  /** Kept expansions, symbol * groups + group, sorted. */
  keptCount = 0;
  keptKey: Int32Array = new Int32Array(64);
  ancestors: Int32Array = new Int32Array(64);
  /** [kept symbols][groups] */
  groupMass: Float64Array = new Float64Array(256);

  begin(problem: Problem, rows: BackoffRows, inference: Inference): void {
    this.problem = problem;
    this.rows = rows;
    this.inference = inference;
    this.longest = longestSuffix(inference);
    this.trellis.begin(problem.graph, inference);
    this.growSlots(problem.graph.slotCount, problem.graph.symbolCount);
    this.groupCount = 0;
    this.entryCount = 0;
    this.ownCount = 0;
    this.keptSymbolCount = 0;
    this.targetCount = 0;
  }

  private growSlots(slots: number, symbols: number): void {
    if (this.slotGroup.length < slots + 1) {
      this.slotGroup = grown(this.slotGroup, slots + 1);
      this.slotKeptSymbol = grown(this.slotKeptSymbol, slots + 1);
      this.slotTarget = grown(this.slotTarget, slots + 1);
      this.slotStar = grown(this.slotStar, slots + 1);
      this.slotRest = grown(this.slotRest, slots + 1);
    }
    if (this.slotEmission.length < slots * symbols) this.slotEmission = grown(this.slotEmission, slots * symbols);
    if (this.symbolStamp.length < symbols) {
      this.symbolStamp = grown(this.symbolStamp, symbols);
      this.symbolEntry = grown(this.symbolEntry, symbols);
      this.keptIndex = grown(this.keptIndex, symbols);
      this.likely = grown(this.likely, symbols);
    }
  }

  growContexts(contexts: number): void {
    if (this.contextFactor.length >= contexts + 1) return;
    this.contextFactor = grown(this.contextFactor, contexts + 1);
    this.ownStart = grown(this.ownStart, contexts + 1);
  }

  growGroups(groups: number): void {
    if (this.groupFrom.length >= groups + 1) return;
    this.groupFrom = grown(this.groupFrom, groups + 1);
    this.groupTo = grown(this.groupTo, groups + 1);
    this.groupFactor = grown(this.groupFactor, groups + 1);
    this.groupEntry = grown(this.groupEntry, groups + 1);
    this.groupCommon = grown(this.groupCommon, groups + 1);
  }

  growEntries(entries: number, own: number): void {
    if (this.entrySymbol.length < entries) {
      this.entrySymbol = grown(this.entrySymbol, entries);
      this.entryGain = grown(this.entryGain, entries);
      this.entryExtra = grown(this.entryExtra, entries);
      this.entryShare = grown(this.entryShare, entries);
    }
    if (this.ownEntry.length < own) {
      this.ownEntry = grown(this.ownEntry, own);
      this.ownGain = grown(this.ownGain, own);
    }
  }

  growKept(kept: number): void {
    if (this.keptKey.length < kept) this.keptKey = grown(this.keptKey, kept);
  }

  growTargets(symbols: number, targets: number): void {
    if (this.keptSymbol.length < symbols) this.keptSymbol = grown(this.keptSymbol, symbols);
    if (this.target.length < targets) this.target = grown(this.target, targets);
  }
}
