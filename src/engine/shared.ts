// Expected decisions on a chain whose rows are sparse, with an offset and no negative weight: an n-gram model with
// back-off. In linear numbers the mass of expanding context c by y is then
//   k(c) * E(y) * product over rows r of c: (1 + gain(r)[y]),    k(c) = forward(c) * exp(sum of offsets),
//   E(y) = exp(slotScores[y]),   gain = exp(weight) - 1 >= 0,
// so most of it is k(c) * E(y), which is never spelled out: contexts that recombine form a class and share the rows they
// have in common, only entries of rows cost time, and what flows into ⋆ is one product. Every number is a sum of terms
// that are not negative, so nothing cancels. The context sets, the log-partition and the expected decisions are those of
// the reference kernel; no arcs are made, so there is no lattice to ask for more.

import type { Problem, RowSpace } from "./problem.js";
import { ReferenceKernel } from "./reference/kernel.js";
import { rowCount } from "./rows.js";
import { BEGIN, grown, type Inference } from "./trellis.js";

/** What the kernel needs of rows and weights, computed once for many passes. */
export interface SharedRows {
  space: RowSpace;
  weights: Float64Array;
  /** [entries] exp(weight) - 1 */
  gain: Float64Array;
  /** [rows] exp(offset) */
  factor: Float64Array;
  /** [rows] length of the suffix a row belongs to. */
  depth: Int32Array;
  /** Whether rows can be shared: one plain family, no negative weight and none immense. If not, the reference kernel does the work. */
  sharable: boolean;
}

/** Above this a few weights could overflow as linear numbers. */
const IMMENSE = 100;

export function shareRows(space: RowSpace, weights: Float64Array): SharedRows {
  const rows = rowCount(space.table);
  const depth = new Int32Array(rows);
  const [family] = space.families;
  const plain =
    space.families.length === 1 &&
    !family.keyed &&
    !family.pairs &&
    !(family.skip >= 0 && family.skip < space.table.symbolCount);
  if (plain) {
    // Children have higher numbers than their parents, so one sweep reaches every node after its parent.
    const { row, childStart, childNode } = family.tree;
    const nodeDepth = new Int32Array(row.length);
    for (let node = 0; node < row.length; node++) {
      if (row[node] >= 0) depth[row[node]] = nodeDepth[node];
      for (let c = childStart[node]; c < childStart[node + 1]; c++) nodeDepth[childNode[c]] = nodeDepth[node] + 1;
    }
  }
  return {
    space,
    weights,
    gain: weights.map(Math.expm1),
    factor: Float64Array.from({ length: rows }, (_, row) => Math.exp(space.offsets?.[row] ?? 0)),
    depth,
    sharable:
      plain &&
      weights.every((weight) => weight >= 0 && weight < IMMENSE) &&
      (space.offsets ?? []).every((offset) => Math.abs(offset) < IMMENSE),
  };
}

/** Below this a mass may have lost digits, and the pass is left to the reference kernel. */
const TINY = 1e-250;

export class SharedKernel extends ReferenceKernel {
  private shared!: SharedRows;
  private slot = 0;
  private firstSymbol = 0;
  private endSymbol = 0;

  // One entry for each slot.
  private slotClass = new Int32Array(16);
  private slotKeptSymbol = new Int32Array(16);
  private slotTarget = new Int32Array(16);
  /** Context that takes all that no kept context does, or -1. */
  private slotStar = new Int32Array(16);
  /** Sum of E(y) over the symbols that only lead to ⋆. */
  private slotRest = new Float64Array(16);
  /** [slots][symbols] E(y), relative to the greatest of the slot. */
  private slotEmission = new Float64Array(256);

  // One entry for each context.
  private contextFactor = new Float64Array(64); // k(c)
  private deepStart = new Int32Array(64);

  // Classes: contexts whose expansions by a symbol are one context after recombination.
  private classCount = 0;
  private classFrom = new Int32Array(64);
  private classTo = new Int32Array(64);
  private classFactor = new Float64Array(64); // sum of k(c)
  private classEntry = new Int32Array(64);
  private classCommon = new Int32Array(64); // with the next class, after expansion

  // Entries: (class, symbol) pairs with a gain.
  private entryCount = 0;
  private entrySymbol = new Int32Array(256);
  private entryGain = new Float64Array(256); // of the rows the class shares
  private entryExtra = new Float64Array(256); // mass beyond k * E
  private entryShare = new Float64Array(256);

  // Entries of rows that only one context of the class has.
  private deepCount = 0;
  private deepEntry = new Int32Array(256);
  private deepGain = new Float64Array(256);

  /** Symbols with a kept expansion, slot after slot, and for each the context every class leads to. */
  private keptSymbolCount = 0;
  private keptSymbol = new Int32Array(64);
  private targetCount = 0;
  private target = new Int32Array(256);

  // Scratch for one slot.
  private stamp = 0;
  private symbolStamp = new Int32Array(0);
  private symbolEntry = new Int32Array(0);
  private keptIndex = new Int32Array(0);
  /** The heaviest (symbol, class) pairs met so far: a heap with the lightest first, and what a pair must exceed to enter. */
  private heapMass = new Float64Array(64);
  private heapKey = new Int32Array(64);
  private heapCount = 0;
  private heapFloor = 0;
  private likely = new Int32Array(0);
  private keptKey = new Int32Array(64);
  private keptCount = 0;
  private ancestors = new Int32Array(64);
  private classMass = new Float64Array(256); // [kept symbols][classes]

  /**
   * Adds `factor` times the expected decisions to `slotCounts`, [slotCount][symbolCount], and returns the log-partition.
   * The trellis holds the context sets, not their arcs.
   */
  expectDecisions(
    problem: Problem,
    shared: SharedRows,
    inference: Inference,
    slotCounts: Float64Array,
    factor: number,
  ): number {
    if (this.canShare(problem, shared, inference) && this.forwardShared(problem, shared, inference)) {
      if (this.trellis.logPartition > Number.NEGATIVE_INFINITY) this.backwardShared(slotCounts, factor);
      return this.trellis.logPartition;
    }
    this.forward(problem, shared.space, shared.weights, inference);
    if (this.trellis.logPartition > Number.NEGATIVE_INFINITY) {
      this.backward();
      this.addExpectations(undefined, slotCounts, factor);
    }
    return this.trellis.logPartition;
  }

  private canShare({ graph }: Problem, shared: SharedRows, inference: Inference): boolean {
    if (!shared.sharable || (inference.byRows && inference.recombine)) return false;
    if (inference.mode === "exact" && (inference.order > 1 || !inference.recombine)) return false;
    for (let slot = 0; slot < graph.slotCount - 1; slot++) {
      if (graph.branchStart[slot + 1] - graph.branchStart[slot] !== 1) return false;
      if (graph.branchNext[graph.branchStart[slot]] !== slot + 1) return false;
    }
    return true;
  }

  /** Context sets and masses, slot by slot; false if a number came too small for linear masses. */
  private forwardShared(problem: Problem, shared: SharedRows, inference: Inference): boolean {
    this.problem = problem;
    this.shared = shared;
    this.space = shared.space;
    this.inference = inference;
    this.memory = inference.recombine || inference.order === 0 ? inference.order : Number.MAX_SAFE_INTEGER;
    const { graph } = problem;
    const { trellis } = this;
    trellis.graph = graph;
    this.growSlots(graph.slotCount, graph.symbolCount);
    trellis.contextCount = 0;
    trellis.arcStart[0] = 0;
    trellis.rowStart[0] = 0;
    trellis.slotStart[0] = 0;
    this.classCount = 0;
    this.entryCount = 0;
    this.deepCount = 0;
    this.keptSymbolCount = 0;
    this.targetCount = 0;
    this.begin();
    for (let slot = 0; slot < graph.slotCount - 1; slot++) {
      this.slot = slot;
      this.firstSymbol = graph.branchFirst[graph.branchStart[slot]];
      this.endSymbol = graph.branchEnd[graph.branchStart[slot]];
      const scale = this.weigh();
      if (Number.isNaN(scale)) return false;
      this.formClasses();
      this.clearHeap();
      this.expandClasses();
      this.chooseContexts();
      this.routeClasses();
      if (!this.collect(scale)) return false;
    }
    const end = graph.slotCount - 1;
    for (let c = trellis.slotStart[end]; c < trellis.contextCount; c++) trellis.rowStart[c + 1] = trellis.rowStart[c];
    trellis.arcStart.fill(0, 0, trellis.contextCount + 1);
    const last = trellis.slotStart[end + 1] - 1;
    trellis.logPartition = last >= trellis.slotStart[end] ? trellis.logForward[last] : Number.NEGATIVE_INFINITY;
    this.slotClass[end] = this.classCount;
    this.slotKeptSymbol[end] = this.keptSymbolCount;
    return true;
  }

  /** E(y) and k(c) relative to the greatest of the slot; returns the logarithm of that scale, NaN if some underflow. */
  private weigh(): number {
    const { slot, trellis, firstSymbol, endSymbol, slotEmission } = this;
    const { graph, slotScores } = this.problem;
    const { factor } = this.shared;
    const scores = slot * graph.symbolCount;
    let topScore = Number.NEGATIVE_INFINITY;
    let leastEmission = 1;
    let leastFactor = 1;
    for (let y = firstSymbol; y < endSymbol; y++)
      if (slotScores[scores + y] > topScore) topScore = slotScores[scores + y];
    for (let y = firstSymbol; y < endSymbol; y++) {
      const score = slotScores[scores + y];
      const emission = score === Number.NEGATIVE_INFINITY ? 0 : Math.exp(score - topScore);
      if (emission < leastEmission && score !== Number.NEGATIVE_INFINITY) leastEmission = emission;
      slotEmission[scores + y] = emission;
    }
    const from = trellis.slotStart[slot];
    const to = trellis.slotStart[slot + 1];
    this.growContexts(to);
    const { contextFactor } = this;
    let topForward = Number.NEGATIVE_INFINITY;
    for (let c = from; c < to; c++) if (trellis.logForward[c] > topForward) topForward = trellis.logForward[c];
    for (let c = from; c < to; c++) {
      this.findRows(slot, c);
      const log = trellis.logForward[c];
      let k = log === Number.NEGATIVE_INFINITY ? 0 : Math.exp(log - topForward);
      for (let r = trellis.rowStart[c]; r < trellis.rowStart[c + 1]; r++) k *= factor[trellis.rows[r]];
      if (k < leastFactor && log !== Number.NEGATIVE_INFINITY) leastFactor = k;
      contextFactor[c] = k;
    }
    return leastEmission * leastFactor < TINY ? Number.NaN : topForward + topScore;
  }

  /** Neighbours whose expansions recombine are one class. */
  private formClasses(): void {
    const { slot, trellis, memory, contextFactor } = this;
    const from = trellis.slotStart[slot];
    const to = trellis.slotStart[slot + 1];
    this.growClasses(this.classCount + to - from);
    const { classFrom, classTo, classFactor, classCommon } = this;
    const { contextLength, contextCommon } = trellis;
    this.slotClass[slot] = this.classCount;
    let q = this.classCount;
    let begin = from;
    let sum = 0;
    for (let c = from; c < to; c++) {
      sum += contextFactor[c];
      const length = Math.min(contextLength[c] + 1, memory);
      const common = Math.min(contextCommon[c] + 1, memory);
      if (c + 1 < to && common === length && Math.min(contextLength[c + 1] + 1, memory) === length) continue;
      classCommon[q] = common;
      classFrom[q] = begin;
      classTo[q] = c + 1;
      classFactor[q++] = sum;
      begin = c + 1;
      sum = 0;
    }
    this.classCount = q;
  }

  /**
   * Lists the entries of each class: first the rows its contexts share, then those that one context alone has. The
   * heaviest are noted on the way.
   */
  private expandClasses(): void {
    const { slot, trellis, memory, firstSymbol, endSymbol, symbolStamp, symbolEntry, classFrom, classTo } = this;
    const { gain, depth, space } = this.shared;
    const { start, symbols } = space.table;
    const { rowStart, rows } = trellis;
    const all = this.inference.rows === "all";
    const emission = slot * this.problem.graph.symbolCount;
    const { slotEmission } = this;
    const firstClass = this.slotClass[slot];
    const classes = this.classCount - firstClass;
    for (let q = this.slotClass[slot]; q < this.classCount; q++) {
      const stamp = ++this.stamp;
      const firstEntry = this.entryCount;
      this.classEntry[q] = firstEntry;
      // A class has more than one context only if they agree on all but their earliest decision.
      const last = classTo[q] - 1;
      let room = 0;
      for (let c = classFrom[q]; c <= last; c++) {
        for (let r = rowStart[c]; r < rowStart[c + 1]; r++) {
          if (c === last || isOwn(depth[rows[r]], memory, all)) room += start[rows[r] + 1] - start[rows[r]];
        }
      }
      this.growEntries(this.entryCount + room, this.deepCount + room);
      const { entrySymbol, entryGain, entryExtra, deepEntry, deepGain, contextFactor, deepStart } = this;
      let n = firstEntry;
      for (let r = rowStart[last]; r < rowStart[last + 1]; r++) {
        const row = rows[r];
        if (isOwn(depth[row], memory, all)) continue;
        for (let e = start[row]; e < start[row + 1]; e++) {
          const y = symbols[e];
          if (y < firstSymbol || y >= endSymbol) continue;
          if (symbolStamp[y] === stamp) {
            const i = symbolEntry[y];
            entryGain[i] += gain[e] + entryGain[i] * gain[e];
          } else {
            symbolStamp[y] = stamp;
            symbolEntry[y] = n;
            entrySymbol[n] = y;
            entryGain[n] = gain[e];
            entryExtra[n++] = 0;
          }
        }
      }
      let d = this.deepCount;
      for (let c = classFrom[q]; c <= last; c++) {
        deepStart[c] = d;
        for (let r = rowStart[c]; r < rowStart[c + 1]; r++) {
          const row = rows[r];
          if (!isOwn(depth[row], memory, all)) continue;
          for (let e = start[row]; e < start[row + 1]; e++) {
            const y = symbols[e];
            if (y < firstSymbol || y >= endSymbol) continue;
            if (symbolStamp[y] !== stamp) {
              symbolStamp[y] = stamp;
              symbolEntry[y] = n;
              entrySymbol[n] = y;
              entryGain[n] = 0;
              entryExtra[n++] = 0;
            }
            const i = symbolEntry[y];
            deepEntry[d] = i;
            deepGain[d++] = gain[e];
            entryExtra[i] += contextFactor[c] * (1 + entryGain[i]) * gain[e];
          }
        }
      }
      deepStart[last + 1] = d;
      this.deepCount = d;
      const k = this.classFactor[q];
      let floor = this.heapFloor;
      for (let i = firstEntry; i < n; i++) {
        const y = entrySymbol[i];
        const e = slotEmission[emission + y];
        const extra = e * (entryExtra[i] + k * entryGain[i]);
        entryExtra[i] = extra;
        const mass = k * e + extra;
        if (mass > floor) floor = this.offer(mass, y * classes + q - firstClass);
      }
      this.entryCount = n;
    }
    this.classEntry[this.classCount] = this.entryCount;
  }

  /** The (symbol, class) pairs to keep: leaves their keys, symbol * classes + class, sorted in `keptKey`. */
  private chooseContexts(): void {
    const { slot, firstSymbol, endSymbol } = this;
    const { graph } = this.problem;
    const firstClass = this.slotClass[slot];
    const classes = this.classCount - firstClass;
    this.keptCount = 0;
    if (slot === graph.slotCount - 2 || this.inference.order === 0) return;
    if (this.inference.mode === "exact") {
      const groups = classes * (endSymbol - firstSymbol);
      if (this.keptKey.length < groups) this.keptKey = grown(this.keptKey, groups);
      for (let i = 0; i < groups; i++) this.keptKey[i] = firstSymbol * classes + i;
      this.keptCount = groups;
      return;
    }
    const emission = slot * graph.symbolCount;
    this.offerLikely(firstClass, classes, emission);
    const { heapKey, keptKey, heapCount } = this;
    for (let i = 0; i < heapCount; i++) keptKey[i] = heapKey[i];
    keptKey.subarray(0, heapCount).sort();
    this.keptCount = heapCount;
  }

  /** Empties the heap for a slot; without room nothing enters. */
  private clearHeap(): void {
    const { inference } = this;
    const isLast = this.slot === this.problem.graph.slotCount - 2;
    const room = isLast || inference.order === 0 || inference.mode === "exact" ? 0 : inference.contexts;
    this.heapRoom = Math.min(room, (this.classCount - this.slotClass[this.slot]) * (this.endSymbol - this.firstSymbol));
    this.heapCount = 0;
    this.heapFloor = this.heapRoom === 0 ? Number.POSITIVE_INFINITY : 0;
    if (this.heapMass.length < this.heapRoom) {
      this.heapMass = grown(this.heapMass, this.heapRoom);
      this.heapKey = grown(this.heapKey, this.heapRoom);
      this.keptKey = grown(this.keptKey, this.heapRoom);
    }
  }
  private heapRoom = 0;

  /** Puts a pair heavier than the floor into the heap, in place of the lightest if it is full; returns the new floor. */
  private offer(mass: number, key: number): number {
    const { heapMass, heapKey, heapRoom } = this;
    let i: number;
    if (this.heapCount < heapRoom) {
      i = this.heapCount++;
      while (i > 0) {
        const up = (i - 1) >> 1;
        if (heapMass[up] <= mass) break;
        heapMass[i] = heapMass[up];
        heapKey[i] = heapKey[up];
        i = up;
      }
    } else {
      i = 0;
      for (;;) {
        let child = 2 * i + 1;
        if (child >= heapRoom) break;
        if (child + 1 < heapRoom && heapMass[child + 1] < heapMass[child]) child++;
        if (heapMass[child] >= mass) break;
        heapMass[i] = heapMass[child];
        heapKey[i] = heapKey[child];
        i = child;
      }
    }
    heapMass[i] = mass;
    heapKey[i] = key;
    if (this.heapCount === heapRoom) this.heapFloor = heapMass[0];
    return this.heapFloor;
  }

  /** Pairs without an entry weigh k * E: those heavier than the floor enter too. */
  private offerLikely(firstClass: number, classes: number, emission: number): void {
    const { classEntry, classFactor, entrySymbol, slotEmission, symbolStamp, likely, firstSymbol, endSymbol } = this;
    let topFactor = 0;
    for (let q = firstClass; q < this.classCount; q++) if (classFactor[q] > topFactor) topFactor = classFactor[q];
    let count = 0;
    let topEmission = 0;
    let floor = this.heapFloor;
    for (let y = firstSymbol; y < endSymbol; y++) {
      const e = slotEmission[emission + y];
      if (e * topFactor <= floor) continue;
      likely[count++] = y;
      if (e > topEmission) topEmission = e;
    }
    if (count === 0) return;
    for (let q = 0; q < classes; q++) {
      const k = classFactor[firstClass + q];
      if (k * topEmission <= floor) continue;
      const stamp = ++this.stamp;
      for (let i = classEntry[firstClass + q]; i < classEntry[firstClass + q + 1]; i++) {
        symbolStamp[entrySymbol[i]] = stamp;
      }
      for (let j = 0; j < count; j++) {
        const y = likely[j];
        const mass = k * slotEmission[emission + y];
        if (mass > floor && symbolStamp[y] !== stamp) floor = this.offer(mass, y * classes + q);
      }
    }
  }

  /** Makes the next slot's contexts; for each symbol with a kept expansion, finds where every class leads. */
  private routeClasses(): void {
    const { slot, trellis, memory, keptKey, keptCount, classTo } = this;
    const firstClass = this.slotClass[slot];
    const classes = this.classCount - firstClass;
    const next = slot + 1;
    const isEnd = next === this.problem.graph.slotCount - 1;
    const losesRest = this.inference.mode === "beam" && !isEnd && this.inference.order > 0;
    const from = trellis.contextCount;
    const star = losesRest || classes === 0 ? -1 : from + keptCount;
    trellis.growContexts(from + keptCount + 1);
    this.slotStar[slot] = star;
    const { contextLength } = trellis;
    const { classCommon } = this;
    for (let i = 0; i < keptCount; i++) {
      const symbol = Math.floor(keptKey[i] / classes);
      const q = keptKey[i] - symbol * classes;
      const context = classTo[firstClass + q] - 1;
      let shared = 0;
      if (i + 1 < keptCount && Math.floor(keptKey[i + 1] / classes) === symbol) {
        shared = Number.MAX_SAFE_INTEGER;
        const other = keptKey[i + 1] - symbol * classes;
        for (let p = q; p < other; p++) shared = Math.min(shared, classCommon[firstClass + p]);
      }
      this.addContext(next, context, symbol, Math.min(contextLength[context] + 1, memory), shared, 0);
    }
    if (star >= 0) this.addContext(next, -1, BEGIN, 0, 0, 0);
    trellis.slotStart[next + 1] = trellis.contextCount;
    trellis.mass.fill(0, from, trellis.contextCount);

    this.slotKeptSymbol[slot] = this.keptSymbolCount;
    this.slotTarget[slot] = this.targetCount;
    if (this.ancestors.length < classes + 1) this.ancestors = grown(this.ancestors, classes + 1);
    const { ancestors } = this;
    for (let i = 0; i < keptCount; ) {
      const symbol = Math.floor(keptKey[i] / classes);
      let end = i + 1;
      while (end < keptCount && Math.floor(keptKey[end] / classes) === symbol) end++;
      this.growTargets(this.keptSymbolCount + 1, this.targetCount + classes);
      this.keptSymbol[this.keptSymbolCount++] = symbol;
      let depth = 0;
      if (star >= 0) ancestors[depth++] = star;
      let length = Number.MAX_SAFE_INTEGER;
      let kept = end - 1;
      const { target: targets, targetCount } = this;
      for (let q = classes - 1; q >= 0; q--) {
        if (q < classes - 1 && classCommon[firstClass + q] < length) length = classCommon[firstClass + q];
        while (depth > 0 && length < contextLength[ancestors[depth - 1]]) depth--;
        let target = losesRest || depth === 0 ? -1 : ancestors[depth - 1];
        if (kept >= i && keptKey[kept] === symbol * classes + q) {
          target = from + kept--;
          ancestors[depth++] = target;
          length = contextLength[target];
        }
        targets[targetCount + q] = target;
      }
      this.targetCount += classes;
      i = end;
    }
  }

  /** Masses of the next slot's contexts; false if one is too small to be trusted. */
  private collect(scale: number): boolean {
    const { slot, trellis, firstSymbol, endSymbol, keptIndex, classFactor, classEntry, slotEmission } = this;
    const firstClass = this.slotClass[slot];
    const classes = this.classCount - firstClass;
    const emission = slot * this.problem.graph.symbolCount;
    const star = this.slotStar[slot];
    const firstKept = this.slotKeptSymbol[slot];
    const firstTarget = this.slotTarget[slot];
    const keptSymbols = this.keptSymbolCount - firstKept;
    if (this.classMass.length < keptSymbols * classes) {
      this.classMass = grown(this.classMass, keptSymbols * classes);
    }
    const { classMass, entrySymbol, entryExtra } = this;
    keptIndex.fill(-1, firstSymbol, endSymbol);
    let total = 0;
    for (let q = firstClass; q < this.classCount; q++) total += classFactor[q];
    for (let j = 0; j < keptSymbols; j++) {
      const y = this.keptSymbol[firstKept + j];
      keptIndex[y] = j;
      for (let q = 0; q < classes; q++) {
        classMass[j * classes + q] = slotEmission[emission + y] * classFactor[firstClass + q];
      }
    }
    let rest = 0;
    for (let y = firstSymbol; y < endSymbol; y++) if (keptIndex[y] < 0) rest += slotEmission[emission + y];
    this.slotRest[slot] = rest;
    let starMass = rest * total;
    for (let q = 0; q < classes; q++) {
      for (let i = classEntry[firstClass + q]; i < classEntry[firstClass + q + 1]; i++) {
        const j = keptIndex[entrySymbol[i]];
        if (j < 0) starMass += entryExtra[i];
        else classMass[j * classes + q] += entryExtra[i];
      }
    }
    const { mass, logForward } = trellis;
    const { target: targets } = this;
    for (let n = 0; n < keptSymbols * classes; n++) {
      const target = targets[firstTarget + n];
      if (target >= 0) mass[target] += classMass[n];
    }
    if (star >= 0) mass[star] += starMass;
    for (let c = trellis.slotStart[slot + 1]; c < trellis.contextCount; c++) {
      if (mass[c] === 0) {
        mass[c] = 1;
        logForward[c] = Number.NEGATIVE_INFINITY;
      } else if (mass[c] < TINY) {
        return false;
      } else {
        logForward[c] = scale + Math.log(mass[c]);
      }
    }
    return true;
  }

  /** From the end to the start: posteriors of the contexts, and the expected decisions. */
  private backwardShared(slotCounts: Float64Array, factor: number): void {
    const { trellis, keptIndex, classFrom, classTo, classFactor, classEntry, contextFactor, slotEmission } = this;
    const { entrySymbol, entryGain, entryExtra, entryShare, deepStart, deepEntry, deepGain } = this;
    const { keptSymbol, target: targets } = this;
    const { graph } = this.problem;
    const { mass, posterior, slotStart } = trellis;
    const last = graph.slotCount - 1;
    // As in the reference kernel, `mass` becomes posterior / mass once a context is done.
    for (let c = slotStart[last]; c < slotStart[last + 1]; c++) {
      posterior[c] = c === slotStart[last + 1] - 1 ? 1 : 0;
      mass[c] = posterior[c] / mass[c];
    }
    for (let slot = last - 1; slot >= 0; slot--) {
      const firstClass = this.slotClass[slot];
      const classes = this.slotClass[slot + 1] - firstClass;
      const emission = slot * graph.symbolCount;
      const first = graph.branchFirst[graph.branchStart[slot]];
      const end = graph.branchEnd[graph.branchStart[slot]];
      const star = this.slotStar[slot];
      const starRatio = star >= 0 ? mass[star] : 0;
      const firstKept = this.slotKeptSymbol[slot];
      const keptSymbols = this.slotKeptSymbol[slot + 1] - firstKept;
      const firstTarget = this.slotTarget[slot];
      keptIndex.fill(-1, first, end);
      let total = 0;
      for (let q = firstClass; q < firstClass + classes; q++) total += classFactor[q];
      for (let j = 0; j < keptSymbols; j++) keptIndex[keptSymbol[firstKept + j]] = j;
      const starTotal = factor * total * starRatio;
      for (let y = first; y < end; y++) {
        if (keptIndex[y] < 0) slotCounts[emission + y] += starTotal * slotEmission[emission + y];
      }
      const starSum = starRatio * this.slotRest[slot];
      for (let q = 0; q < classes; q++) {
        const k = factor * classFactor[firstClass + q];
        let sum = starSum;
        for (let j = 0, t = firstTarget + q; j < keptSymbols; j++, t += classes) {
          if (targets[t] < 0) continue;
          const place = emission + keptSymbol[firstKept + j];
          const share = slotEmission[place] * mass[targets[t]];
          sum += share;
          slotCounts[place] += k * share;
        }
        const entryEnd = classEntry[firstClass + q + 1];
        for (let i = classEntry[firstClass + q]; i < entryEnd; i++) {
          const y = entrySymbol[i];
          const j = keptIndex[y];
          const target = j < 0 ? star : targets[firstTarget + j * classes + q];
          const ratio = target < 0 ? 0 : mass[target];
          const share = slotEmission[emission + y] * ratio;
          slotCounts[emission + y] += factor * entryExtra[i] * ratio;
          sum += entryGain[i] * share;
          entryShare[i] = (1 + entryGain[i]) * share;
        }
        for (let c = classFrom[firstClass + q]; c < classTo[firstClass + q]; c++) {
          let own = sum;
          for (let d = deepStart[c]; d < deepStart[c + 1]; d++) own += deepGain[d] * entryShare[deepEntry[d]];
          posterior[c] = contextFactor[c] * own;
          mass[c] = posterior[c] === 0 ? 0 : posterior[c] / mass[c];
        }
      }
    }
  }

  private growSlots(slots: number, symbols: number): void {
    this.trellis.growSlots(slots);
    if (this.slotClass.length < slots + 1) {
      this.slotClass = grown(this.slotClass, slots + 1);
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

  private growContexts(contexts: number): void {
    if (this.contextFactor.length >= contexts + 1) return;
    this.contextFactor = grown(this.contextFactor, contexts + 1);
    this.deepStart = grown(this.deepStart, contexts + 1);
  }

  private growClasses(classes: number): void {
    if (this.classFrom.length >= classes + 1) return;
    this.classFrom = grown(this.classFrom, classes + 1);
    this.classTo = grown(this.classTo, classes + 1);
    this.classFactor = grown(this.classFactor, classes + 1);
    this.classEntry = grown(this.classEntry, classes + 1);
    this.classCommon = grown(this.classCommon, classes + 1);
  }

  private growEntries(entries: number, deep: number): void {
    if (this.entrySymbol.length < entries) {
      this.entrySymbol = grown(this.entrySymbol, entries);
      this.entryGain = grown(this.entryGain, entries);
      this.entryExtra = grown(this.entryExtra, entries);
      this.entryShare = grown(this.entryShare, entries);
    }
    if (this.deepEntry.length < deep) {
      this.deepEntry = grown(this.deepEntry, deep);
      this.deepGain = grown(this.deepGain, deep);
    }
  }

  private growTargets(symbols: number, targets: number): void {
    if (this.keptSymbol.length < symbols) this.keptSymbol = grown(this.keptSymbol, symbols);
    if (this.target.length < targets) this.target = grown(this.target, targets);
  }
}

/**
 * Whether a row may differ between the contexts of a class: they agree on `memory - 1` decisions, so rows of shorter
 * suffixes are common to all. ⋆ alone has a row of depth 0; with `longest` rows each context has but one.
 */
function isOwn(depth: number, memory: number, all: boolean): boolean {
  return !all || depth === 0 || depth >= memory;
}
