// What a forward pass of the reference kernel works on: the problem at hand, and flat arrays for the slot that is being
// entered. Expansions are listed by their latest decision, then the one before, and so on; groups likewise. Arrays only
// grow, so a work space that has seen the largest slot allocates no more.

import { type Inference, longestSuffix } from "../inference.js";
import type { Problem, RowSpace } from "../problem.js";
import { grown, Trellis } from "../trellis.js";

/** How far down a row tree a suffix goes. */
export interface SuffixWalk {
  /** [alive + 1] nodes met, the root first. */
  nodes: Int32Array;
  /** Decisions walked. */
  alive: number;
  /** The next decision had no node. */
  dead: boolean;
}

export class WorkSpace {
  problem!: Problem;
  space!: RowSpace;
  weights!: Float64Array;
  inference!: Inference;
  /** The most decisions that a context may remember. */
  longest = 0;

  // Expansions into the slot at hand, sorted by suffix.
  expansionCount = 0;
  expansionArc: Int32Array = new Int32Array(256);
  expansionContext: Int32Array = new Int32Array(256);
  expansionSymbol: Int32Array = new Int32Array(256);
  /** Decisions remembered. */
  expansionLength: Int32Array = new Int32Array(256);
  /** Length of the common suffix with the next expansion; 0 for the last. */
  expansionCommon: Int32Array = new Int32Array(256);
  expansionLogMass: Float64Array = new Float64Array(256);
  /** exp(log-mass - top) */
  expansionMass: Float64Array = new Float64Array(256);
  expansionGroup: Int32Array = new Int32Array(256);
  /** Greatest log-mass of the expansions. */
  top = 0;

  // Groups: expansions that are one context after recombination, sorted as contexts are.
  groupCount = 0;
  /** One of the group's expansions; with `groupLength` it spells the suffix. */
  groupExpansion: Int32Array = new Int32Array(256);
  groupLength: Int32Array = new Int32Array(256);
  /** Length of the common suffix with the next group; 0 for the last. */
  groupCommon: Int32Array = new Int32Array(256);
  /** Greatest log-mass of its expansions. */
  groupTop: Float64Array = new Float64Array(256);
  groupMass: Float64Array = new Float64Array(256);
  groupKept: Uint8Array = new Uint8Array(256);
  /** The context that the group's expansions lead to, or -1. */
  groupTarget: Int32Array = new Int32Array(256);
  /** Its place in the order of contexts, while groups are formed. */
  groupRank: Int32Array = new Int32Array(256);

  // Scratch.
  /** Groups that may still get expansions, the longest suffix on top. */
  openGroups: Int32Array = new Int32Array(64);
  /** For each family, the nodes on the way down the suffix of the expansion at hand. */
  walks: SuffixWalk[] = [];
  /** What `kthLargest` may put into another order. */
  ranking: Float64Array = new Float64Array(256);
  /** Kept contexts that are suffixes of the group at hand, the longest on top. */
  ancestors: Int32Array = new Int32Array(64);
  /** Contexts of several slots, merged into one sorted list, and where the next such list is made. */
  mergedContexts: Int32Array = new Int32Array(64);
  mergedNext: Int32Array = new Int32Array(64);

  constructor(readonly trellis = new Trellis()) {}

  /** Takes up a problem and clears the trellis. */
  begin(problem: Problem, space: RowSpace, weights: Float64Array, inference: Inference): void {
    this.problem = problem;
    this.space = space;
    this.weights = weights;
    this.inference = inference;
    this.longest = longestSuffix(inference);
    this.trellis.begin(problem.graph, inference);
  }

  /** Sees to room for so many expansions into a slot, and as many groups. */
  growExpansions(room: number): void {
    if (this.expansionArc.length >= room) return;
    this.expansionArc = grown(this.expansionArc, room);
    this.expansionContext = grown(this.expansionContext, room);
    this.expansionSymbol = grown(this.expansionSymbol, room);
    this.expansionLength = grown(this.expansionLength, room);
    this.expansionCommon = grown(this.expansionCommon, room);
    this.expansionLogMass = grown(this.expansionLogMass, room);
    this.expansionMass = grown(this.expansionMass, room);
    this.expansionGroup = grown(this.expansionGroup, room);
    this.groupExpansion = grown(this.groupExpansion, room);
    this.groupLength = grown(this.groupLength, room);
    this.groupCommon = grown(this.groupCommon, room);
    this.groupTop = grown(this.groupTop, room);
    this.groupMass = grown(this.groupMass, room);
    this.groupKept = grown(this.groupKept, room);
    this.groupTarget = grown(this.groupTarget, room);
    this.groupRank = grown(this.groupRank, room);
    this.ranking = grown(this.ranking, room);
  }
}
