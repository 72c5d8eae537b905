// The reference kernel: the hot loops in plain TypeScript. The forward pass goes through the slots in order and
//   1. expands  every context by every symbol:      mass(c, y) = forward(c) * exp(score(c, y))
//   2. selects  the B heaviest expansions, and ⋆
//   3. merges   every other expansion into its longest kept suffix
// on lists sorted by suffix with common-suffix lengths and a stack, as the paper's appendix does. Masses are kept as
// logarithms between slots and as numbers relative to the heaviest within one, so nothing over- or underflows.
//
// The backward pass needs no exponentials: an arc carries the share mass(arc) / mass(target) of its target's posterior,
//   posterior(arc) = mass(arc) / mass(target) * posterior(target),   posterior(c) = sum over y: posterior(c, y).

import type { BestOutput, Kernel, SettledRows } from "../backend.js";
import type { ClampedPass, ClampTable } from "../clamped-pass.js";
import { bestPath, logAdd, type Path, trellisLattice } from "../lattice.js";
import type { Problem, RowSpace } from "../problem.js";
import { childOf, type RowTree } from "../rows.js";
import { nextSlot } from "../slots.js";
import { BEGIN, grown, type Inference, Trellis } from "../trellis.js";
import { kthLargest } from "./select.js";

/** Below this the sum of relative masses has lost digits, and is taken again relative to its own heaviest term. */
const TINY = 1e-250;

/** Logarithm of the least mass, relative to the heaviest, that is told from nothing: below, numbers lose digits. */
const LEAST = -708;

/** Lets a clamp take part in the choice of contexts. */
export interface Guide {
  clamp: ClampTable;
  /** Holds the clamped forward pass, which goes along. */
  pass: ClampedPass;
  /** `target`: the contexts heaviest under the clamp. `hybrid`: these and the heaviest without it. */
  by: "target" | "hybrid";
}

/** How far down a row tree a suffix goes. */
interface SuffixWalk {
  /** [alive + 1] nodes met, the root first. */
  nodes: Int32Array;
  /** Decisions walked. */
  alive: number;
  /** The next decision had no node. */
  dead: boolean;
}

function swap(array: Int32Array | Float64Array, i: number, j: number): void {
  const held = array[i];
  array[i] = array[j];
  array[j] = held;
}

export class ReferenceKernel implements Kernel {
  readonly trellis = new Trellis();
  protected problem!: Problem;
  protected inference!: Inference;
  protected space!: RowSpace;
  private weights!: Float64Array;
  /** Longest suffix a context may remember. */
  protected memory = 0;

  // Expansions into the slot at hand, sorted by suffix.
  private elementCount = 0;
  private elementArc = new Int32Array(256);
  private elementContext = new Int32Array(256);
  private elementSymbol = new Int32Array(256);
  private elementLength = new Int32Array(256);
  /** Length of the common suffix with the next element; 0 for the last. */
  private elementCommon = new Int32Array(256);
  private elementLogMass = new Float64Array(256);
  private elementMass = new Float64Array(256);

  /** The group of each element. */
  private elementGroup = new Int32Array(256);

  // Elements that are the same context after recombination, sorted as contexts are.
  private groupCount = 0;
  /** One of the group's elements; with `groupLength` it spells the suffix. */
  private groupElement = new Int32Array(256);
  private groupLength = new Int32Array(256);
  /** Length of the common suffix with the next group; 0 for the last. */
  private groupCommon = new Int32Array(256);
  /** Greatest log-mass of its elements. */
  private groupTop = new Float64Array(256);
  private groupMass = new Float64Array(256);
  private groupKept = new Uint8Array(256);
  private groupTarget = new Int32Array(256);
  private groupRank = new Int32Array(256);
  private openGroups = new Int32Array(64);
  /** For each family, the nodes on the way down the suffix of the element at hand. */
  private walks: SuffixWalk[] = [];
  private scratch = new Float64Array(256);

  private stack = new Int32Array(64);
  private mergeLists = new Int32Array(64);
  private mergeScratch = new Int32Array(64);
  private commonLength = 0;

  forward(
    problem: Problem,
    space: RowSpace,
    weights: Float64Array,
    inference: Inference,
    forced?: Int32Array,
    guide?: Guide,
  ): Trellis {
    this.problem = problem;
    this.space = space;
    this.weights = weights;
    this.inference = inference;
    this.memory = inference.recombine || inference.order === 0 ? inference.order : Number.MAX_SAFE_INTEGER;
    const { graph } = problem;
    const trellis = this.trellis;
    trellis.graph = graph;
    trellis.growSlots(graph.slotCount);
    trellis.contextCount = 0;
    trellis.arcStart[0] = 0;
    trellis.rowStart[0] = 0;
    trellis.slotStart[0] = 0;
    this.begin();
    this.open(0);
    guide?.pass.begin(trellis, guide.clamp);
    let forcedContext = trellis.slotStart[0];
    let forcedSlot = 0;
    for (let slot = 1; slot < graph.slotCount; slot++) {
      this.gather(slot);
      this.group();
      const forcedArc =
        forced && forcedSlot >= 0 && forced[forcedSlot] >= 0
          ? trellis.arcStart[forcedContext] + forced[forcedSlot]
          : -1;
      this.select(slot, forcedArc);
      if (guide) this.selectGuided(slot, guide);
      this.merge(slot);
      guide?.pass.enter(slot);
      if (forcedArc >= 0 && trellis.arcTarget[forcedArc] >= trellis.slotStart[slot]) {
        forcedContext = trellis.arcTarget[forcedArc];
        forcedSlot = slot;
      }
      this.open(slot);
    }
    const last = trellis.slotStart[graph.slotCount] - 1;
    trellis.logPartition =
      last >= trellis.slotStart[graph.slotCount - 1] ? trellis.logForward[last] : Number.NEGATIVE_INFINITY;
    return trellis;
  }

  /** The contexts of the first slot: `^`, and `⋆` without mass so that its expansions stand in every list. */
  protected begin(): void {
    const { trellis, inference } = this;
    trellis.growContexts(2);
    const remembers = inference.order > 0 && (inference.contexts > 0 || inference.mode === "exact");
    if (remembers) this.addContext(0, -1, BEGIN, 1, 0, 0);
    if (!remembers || inference.mode !== "beam") {
      this.addContext(0, -1, BEGIN, 0, 0, remembers ? Number.NEGATIVE_INFINITY : 0);
    }
    trellis.slotStart[1] = trellis.contextCount;
  }

  protected addContext(
    slot: number,
    parent: number,
    symbol: number,
    length: number,
    common: number,
    log: number,
  ): void {
    const { trellis } = this;
    const c = trellis.contextCount++;
    trellis.contextSlot[c] = slot;
    trellis.contextParent[c] = parent;
    trellis.contextSymbol[c] = symbol;
    trellis.contextLength[c] = length;
    trellis.contextCommon[c] = common;
    trellis.logForward[c] = log;
    trellis.mass[c] = 1;
  }

  /** Finds the rows of a slot's contexts and the scores of their expansions. */
  private open(slot: number): void {
    const { trellis, problem, weights } = this;
    const { graph, slotScores } = problem;
    const { table, offsets } = this.space;
    const symbolCount = graph.symbolCount;
    const from = trellis.slotStart[slot];
    const to = trellis.slotStart[slot + 1];
    if (slot === graph.slotCount - 1) {
      for (let c = from; c < to; c++) {
        trellis.arcStart[c + 1] = trellis.arcStart[c];
        trellis.rowStart[c + 1] = trellis.rowStart[c];
      }
      return;
    }
    let first = symbolCount;
    let end = 0;
    for (let b = graph.branchStart[slot]; b < graph.branchStart[slot + 1]; b++) {
      first = Math.min(first, graph.branchFirst[b]);
      end = Math.max(end, graph.branchEnd[b]);
    }
    trellis.growArcs(trellis.arcStart[from] + (to - from) * symbolCount);
    const { arcScore, arcTarget, arcMass, logForward } = trellis;
    const { start, symbols } = table;
    for (let c = from; c < to; c++) {
      const arc = trellis.arcStart[c];
      trellis.arcStart[c + 1] = arc + symbolCount;
      arcTarget.fill(-1, arc, arc + symbolCount);
      arcMass.fill(0, arc, arc + symbolCount);
      if (logForward[c] === Number.NEGATIVE_INFINITY) {
        trellis.rowStart[c + 1] = trellis.rowStart[c];
        continue;
      }
      this.findRows(slot, c);
      const scores = slot * symbolCount;
      let offset = 0;
      if (offsets) {
        for (let r = trellis.rowStart[c]; r < trellis.rowStart[c + 1]; r++) offset += offsets[trellis.rows[r]];
      }
      for (let y = first; y < end; y++) arcScore[arc + y] = slotScores[scores + y] + offset;
      for (let r = trellis.rowStart[c]; r < trellis.rowStart[c + 1]; r++) {
        const row = trellis.rows[r];
        const entry = start[row];
        const entryEnd = start[row + 1];
        if (entryEnd - entry === symbolCount) {
          for (let y = first; y < end; y++) arcScore[arc + y] += weights[entry + y];
        } else {
          for (let e = entry; e < entryEnd; e++) arcScore[arc + symbols[e]] += weights[e];
        }
      }
    }
  }

  /** Walks each family's tree down the context's suffix and notes the rows met. */
  protected findRows(slot: number, context: number): void {
    const { trellis, problem } = this;
    const { families } = this.space;
    const all = this.inference.rows === "all";
    const length = trellis.contextLength[context];
    let count = trellis.rowStart[context];
    for (let f = 0; f < families.length; f++) {
      const family = families[f];
      const starts = family.keyed ? problem.starts?.[f] : undefined;
      const from = starts ? starts.offsets[slot] : 0;
      const to = starts ? starts.offsets[slot + 1] : family.keyed ? 0 : 1;
      for (let s = from; s < to; s++) {
        let node = starts ? starts.nodes[s] : 0;
        let row = family.keyed || (all && length > 0) ? -1 : family.tree.row[0];
        if (all && row >= 0) {
          trellis.growRows(count + 1);
          trellis.rows[count++] = row;
        }
        let c = context;
        for (let n = length; n > 0; n--) {
          const symbol = trellis.contextSymbol[c];
          const parent = trellis.contextParent[c];
          if (symbol !== family.skip || symbol === BEGIN) {
            const pair = family.pairs && symbol !== BEGIN;
            const event = pair
              ? (problem.slotInput as Int32Array)[trellis.contextSlot[parent]] * trellis.graph.symbolCount + symbol
              : symbol;
            node = childOf(family.tree, node, event);
            if (node < 0) break;
            const found = family.tree.row[node];
            if (found >= 0) {
              row = found;
              if (all) {
                trellis.growRows(count + 1);
                trellis.rows[count++] = found;
              }
            }
          }
          c = parent;
        }
        if (!all && row >= 0) {
          trellis.growRows(count + 1);
          trellis.rows[count++] = row;
        }
      }
    }
    trellis.rowStart[context + 1] = count;
  }

  /** Lists the expansions into a slot, sorted by symbol and then by the suffix they extend. */
  private gather(slot: number): void {
    const { trellis, problem } = this;
    const { graph } = problem;
    this.elementCount = 0;
    const from = graph.incomingStart[slot];
    const to = graph.incomingStart[slot + 1];
    let room = 0;
    let first = graph.symbolCount;
    let end = 0;
    for (let i = from; i < to; i++) {
      const b = graph.incoming[i];
      const source = graph.branchSlot[b];
      room += (graph.branchEnd[b] - graph.branchFirst[b]) * (trellis.slotStart[source + 1] - trellis.slotStart[source]);
      first = Math.min(first, graph.branchFirst[b]);
      end = Math.max(end, graph.branchEnd[b]);
    }
    this.growElements(room);
    if (to - from === 1) {
      const source = graph.branchSlot[graph.incoming[from]];
      for (let y = first; y < end; y++) {
        this.appendRun(y, trellis.slotStart[source], trellis.slotStart[source + 1]);
      }
      return;
    }
    for (let y = first; y < end; y++) this.gatherSymbol(y, from, to);
  }

  /** Appends the expansions by one symbol of a run of contexts that is sorted and whose common lengths are known. */
  private appendRun(symbol: number, from: number, to: number): void {
    const { trellis, memory, elementArc, elementContext, elementSymbol, elementLength, elementCommon, elementLogMass } =
      this;
    const { arcStart, contextLength, contextCommon, logForward, arcScore } = trellis;
    let n = this.elementCount;
    for (let c = from; c < to; c++) {
      const arc = arcStart[c] + symbol;
      elementArc[n] = arc;
      elementContext[n] = c;
      elementSymbol[n] = symbol;
      elementLength[n] = contextLength[c] < memory ? contextLength[c] + 1 : memory;
      const common = c + 1 < to ? contextCommon[c] + 1 : 0;
      elementCommon[n] = common < memory ? common : memory;
      const log = logForward[c];
      elementLogMass[n] = log === Number.NEGATIVE_INFINITY ? log : log + arcScore[arc];
      n++;
    }
    this.elementCount = n;
  }

  /** The same for a symbol that several branches may bring: their contexts are merged into one sorted list first. */
  private gatherSymbol(symbol: number, from: number, to: number): void {
    const { trellis } = this;
    const { graph } = this.problem;
    let runs = 0;
    let run = 0;
    let merged = 0;
    for (let i = from; i < to; i++) {
      const b = graph.incoming[i];
      if (symbol < graph.branchFirst[b] || symbol >= graph.branchEnd[b]) continue;
      const source = graph.branchSlot[b];
      run = source;
      runs++;
      merged = this.mergeInto(merged, trellis.slotStart[source], trellis.slotStart[source + 1]);
    }
    if (runs === 0) return;
    if (runs === 1) {
      this.appendRun(symbol, trellis.slotStart[run], trellis.slotStart[run + 1]);
      return;
    }
    const { memory } = this;
    for (let i = 0; i < merged; i++) {
      const c = this.mergeLists[i];
      const n = this.elementCount++;
      const arc = trellis.arcStart[c] + symbol;
      this.elementArc[n] = arc;
      this.elementContext[n] = c;
      this.elementSymbol[n] = symbol;
      this.elementLength[n] = Math.min(trellis.contextLength[c] + 1, memory);
      let common = 0;
      if (i + 1 < merged) {
        this.compare(c, this.mergeLists[i + 1]);
        common = this.commonLength + 1;
      }
      this.elementCommon[n] = Math.min(common, memory);
      const log = trellis.logForward[c];
      this.elementLogMass[n] = log === Number.NEGATIVE_INFINITY ? log : log + trellis.arcScore[arc];
    }
  }

  /** Merges the contexts `from` .. `to - 1` into the first `count` of `mergeLists`; returns the new count. */
  private mergeInto(count: number, from: number, to: number): number {
    const total = count + to - from;
    if (this.mergeLists.length < total) {
      this.mergeLists = grown(this.mergeLists, total);
      this.mergeScratch = grown(this.mergeScratch, total);
    }
    const { mergeLists, mergeScratch } = this;
    let i = 0;
    let c = from;
    for (let n = 0; n < total; n++) {
      const takeOld = i < count && (c >= to || this.compare(mergeLists[i], c) <= 0);
      mergeScratch[n] = takeOld ? mergeLists[i++] : c++;
    }
    this.mergeLists = mergeScratch;
    this.mergeScratch = mergeLists;
    return total;
  }

  /** Order of two contexts by suffix, `⋆` greatest; leaves the length of the common suffix in `commonLength`. */
  private compare(a: number, b: number): number {
    const { contextSymbol, contextParent, contextLength } = this.trellis;
    const lengthA = contextLength[a];
    const lengthB = contextLength[b];
    const shorter = Math.min(lengthA, lengthB);
    let n = 0;
    let x = a;
    let y = b;
    while (n < shorter && contextSymbol[x] === contextSymbol[y]) {
      n++;
      if (n < shorter) {
        x = contextParent[x];
        y = contextParent[y];
      }
    }
    this.commonLength = n;
    if (n < shorter) return contextSymbol[x] - contextSymbol[y];
    return lengthB - lengthA;
  }

  /**
   * Relative masses, and groups of elements that are the same context: those that agree on what they remember. An element
   * remembers no more than the rows can tell apart (`byRows`), so a shorter suffix may follow a longer one that ends in
   * it; groups that are still open lie on a stack and are numbered as they close, which leaves them sorted.
   */
  private group(): void {
    const { elementCount, elementLogMass, elementMass, elementLength, elementCommon, elementGroup } = this;
    const { groupElement, groupLength, groupCommon, groupTop, groupMass, groupRank } = this;
    let top = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < elementCount; i++) if (elementLogMass[i] > top) top = elementLogMass[i];
    this.top = top;
    const byRows = this.inference.byRows === true && this.memory === this.inference.order && this.memory > 0;
    if (byRows) this.beginWalks();
    let opened = 0;
    let closed = 0;
    let depth = 0;
    let common = 0; // with the element before
    let sinceClosed = 0; // with the group closed last
    let lastClosed = -1;
    for (let i = 0; i <= elementCount; i++) {
      while (depth > 0 && (i === elementCount || groupLength[this.openGroups[depth - 1]] > common)) {
        const g = this.openGroups[--depth];
        if (lastClosed >= 0) groupCommon[lastClosed] = Math.min(groupLength[g], sinceClosed);
        groupRank[g] = closed++;
        lastClosed = g;
        sinceClosed = Number.MAX_SAFE_INTEGER;
      }
      if (i === elementCount) break;
      if (common < sinceClosed) sinceClosed = common;
      const log = elementLogMass[i];
      const mass = log - top >= LEAST ? Math.exp(log - top) : 0;
      elementMass[i] = mass;
      const length = byRows ? this.tellingLength(i, common) : elementLength[i];
      let g = depth > 0 ? this.openGroups[depth - 1] : -1;
      if (g < 0 || groupLength[g] < length) {
        g = opened++;
        groupElement[g] = i;
        groupLength[g] = length;
        groupMass[g] = mass;
        groupTop[g] = log;
        if (depth === this.openGroups.length) this.openGroups = grown(this.openGroups, depth + 1);
        this.openGroups[depth++] = g;
      } else {
        groupMass[g] += mass;
        if (log > groupTop[g]) groupTop[g] = log;
      }
      elementGroup[i] = g;
      common = elementCommon[i];
    }
    if (lastClosed >= 0) groupCommon[lastClosed] = 0;
    this.groupCount = opened;
    this.sortGroups();
  }
  private top = 0;

  /** Puts the groups into the order in which they closed. */
  private sortGroups(): void {
    const { groupCount, groupRank, elementCount, elementGroup } = this;
    let sorted = true;
    for (let g = 0; g < groupCount && sorted; g++) sorted = groupRank[g] === g;
    if (sorted) return;
    // Cycle by cycle: what stands at g goes to groupRank[g].
    for (let i = 0; i < elementCount; i++) elementGroup[i] = groupRank[elementGroup[i]];
    const { groupElement, groupLength, groupCommon, groupTop, groupMass } = this;
    for (let g = 0; g < groupCount; g++) {
      while (groupRank[g] !== g) {
        const to = groupRank[g];
        swap(groupElement, g, to);
        swap(groupLength, g, to);
        swap(groupCommon, g, to);
        swap(groupTop, g, to);
        swap(groupMass, g, to);
        swap(groupRank, g, to);
      }
    }
  }

  private beginWalks(): void {
    const { families } = this.space;
    while (this.walks.length < families.length) this.walks.push({ nodes: new Int32Array(16), alive: 0, dead: false });
    for (let f = 0; f < families.length; f++) {
      const walk = this.walks[f];
      if (walk.nodes.length <= this.memory) walk.nodes = new Int32Array(this.memory + 1);
      walk.nodes[0] = 0;
      walk.alive = 0;
      walk.dead = false;
    }
  }

  /**
   * How much of an element's suffix the rows can tell from a shorter one: the depth to which some family has nodes. What
   * is beyond has the same future with and without, so it need not be remembered. The walk down the tree goes on from
   * that of the element before, with which it has `common` decisions in common.
   */
  private tellingLength(element: number, common: number): number {
    const { families } = this.space;
    const length = this.elementLength[element];
    let telling = length > 0 ? 1 : 0; // a context of one decision is never ⋆, which has a row of its own
    for (let f = 0; f < families.length; f++) {
      const family = families[f];
      if (family.pairs || family.keyed || family.skip >= 0) {
        // What a family that looks at the input too will ask at later slots is not known here.
        telling = Math.max(telling, Math.min(length, family.depth));
        continue;
      }
      const walk = this.walks[f];
      if (common < walk.alive) {
        walk.alive = common;
        walk.dead = false;
      } else if (common === walk.alive) walk.dead = false;
      if (!walk.dead) this.walkDown(walk, family.tree, element, length);
      if (walk.alive > telling) telling = walk.alive;
    }
    return telling < length ? telling : length;
  }

  private walkDown(walk: SuffixWalk, tree: RowTree, element: number, length: number): void {
    const { contextSymbol, contextParent } = this.trellis;
    let c = this.elementContext[element];
    for (let n = 1; n < walk.alive; n++) c = contextParent[c];
    while (walk.alive < length) {
      let symbol: number;
      if (walk.alive === 0) symbol = this.elementSymbol[element];
      else {
        symbol = contextSymbol[c];
        c = contextParent[c];
      }
      const child = childOf(tree, walk.nodes[walk.alive], symbol);
      if (child < 0) {
        walk.dead = true;
        return;
      }
      walk.nodes[++walk.alive] = child;
    }
  }

  /** Marks the groups that stay as contexts. */
  private select(slot: number, forcedArc: number): void {
    const { groupCount, groupMass, groupKept, groupTop, inference } = this;
    if (slot === this.problem.graph.slotCount - 1 || inference.order === 0) {
      groupKept.fill(0, 0, groupCount);
      return;
    }
    const limit = inference.mode === "exact" ? groupCount : inference.contexts;
    let floor = 0;
    if (inference.lightest && inference.mode !== "exact") {
      for (let g = 0; g < groupCount; g++) if (groupMass[g] > floor) floor = groupMass[g];
      floor *= inference.lightest;
    }
    if (limit >= groupCount) {
      for (let g = 0; g < groupCount; g++) {
        groupKept[g] = groupTop[g] > Number.NEGATIVE_INFINITY && groupMass[g] >= floor ? 1 : 0;
      }
      if (forcedArc >= 0 && floor > 0) this.keepForced(forcedArc, 0);
      return;
    }
    const threshold = limit > 0 ? Math.max(floor, this.largest(limit)) : Number.POSITIVE_INFINITY;
    let kept = 0;
    for (let g = 0; g < groupCount; g++) {
      groupKept[g] = groupMass[g] > threshold ? 1 : 0;
      kept += groupKept[g];
    }
    for (let g = 0; g < groupCount && kept < limit; g++) {
      if (groupMass[g] === threshold && groupTop[g] > Number.NEGATIVE_INFINITY) {
        groupKept[g] = 1;
        kept++;
      }
    }
    if (forcedArc >= 0 && limit > 0) this.keepForced(forcedArc, kept);
  }

  /** Marks the groups that are heaviest under a clamp, instead of or beside those already marked. */
  private selectGuided(slot: number, guide: Guide): void {
    const { groupCount, groupMass, groupKept, elementCount, elementGroup, elementLogMass, inference } = this;
    if (slot === this.problem.graph.slotCount - 1 || inference.order === 0 || inference.mode === "exact") return;
    if (guide.by === "target") groupKept.fill(0, 0, groupCount);
    // Group masses are needed no more: they now hold logarithms of the clamped ones.
    groupMass.fill(Number.NEGATIVE_INFINITY, 0, groupCount);
    for (let i = 0; i < elementCount; i++) {
      if (elementLogMass[i] === Number.NEGATIVE_INFINITY) continue;
      const log = elementLogMass[i] + guide.pass.logAllowed(this.elementContext[i], this.elementSymbol[i]);
      groupMass[elementGroup[i]] = logAdd(groupMass[elementGroup[i]], log);
    }
    const limit = Math.min(inference.contexts, groupCount);
    const threshold = limit > 0 ? this.largest(limit) : Number.POSITIVE_INFINITY;
    let kept = 0;
    for (let g = 0; g < groupCount; g++) {
      if (groupMass[g] <= threshold) continue;
      groupKept[g] = 1;
      kept++;
    }
    for (let g = 0; g < groupCount && kept < limit && threshold > Number.NEGATIVE_INFINITY; g++) {
      if (groupMass[g] !== threshold) continue;
      groupKept[g] = 1;
      kept++;
    }
  }

  /** Keeps the group of a forced arc, in place of the lightest one if there is no room. */
  private keepForced(forcedArc: number, kept: number): void {
    const { groupCount, groupKept, groupMass, elementArc, inference } = this;
    let i = 0;
    while (i < this.elementCount && elementArc[i] !== forcedArc) i++;
    if (i === this.elementCount) return;
    const g = this.elementGroup[i];
    if (groupKept[g]) return;
    if (kept >= inference.contexts) {
      let lightest = -1;
      for (let h = 0; h < groupCount; h++) {
        if (groupKept[h] && (lightest < 0 || groupMass[h] < groupMass[lightest])) lightest = h;
      }
      groupKept[lightest] = 0;
    }
    groupKept[g] = 1;
  }

  /** The k-th largest group mass. */
  private largest(k: number): number {
    const { groupCount } = this;
    for (let g = 0; g < groupCount; g++) this.scratch[g] = this.groupMass[g];
    return kthLargest(this.scratch, groupCount, k);
  }

  /** Makes the slot's contexts and gives every expansion its target: backwards through the list, ancestors first. */
  private merge(slot: number): void {
    const { trellis, groupCount, groupKept, groupElement, groupLength, groupCommon, groupTarget } = this;
    const { elementCount, elementArc, elementContext, elementSymbol, elementGroup, elementMass } = this;
    const isEnd = slot === this.problem.graph.slotCount - 1;
    const losesRest = this.inference.mode === "beam" && !isEnd && this.inference.order > 0;
    let kept = 0;
    for (let g = 0; g < groupCount; g++) kept += groupKept[g];
    const from = trellis.contextCount;
    const star = losesRest || groupCount === 0 ? -1 : from + kept;
    const to = star >= 0 ? star + 1 : from + kept;
    trellis.growContexts(to);
    trellis.slotStart[slot + 1] = to;
    const { arcTarget, arcMass, mass, contextLength } = trellis;
    if (this.stack.length < kept + 1) this.stack = grown(this.stack, kept + 1);
    const { stack } = this;
    let depth = 0;
    let next = to - 1;
    if (star >= 0) {
      trellis.contextCount = star;
      this.addContext(slot, -1, BEGIN, 0, 0, 0);
      mass[star] = 0;
      stack[depth++] = star;
      next = star - 1;
    }
    let common = 0;
    for (let g = groupCount - 1; g >= 0; g--) {
      if (groupCommon[g] < common) common = groupCommon[g];
      while (depth > 0 && common < contextLength[stack[depth - 1]]) depth--;
      if (!groupKept[g]) {
        groupTarget[g] = losesRest || depth === 0 ? -1 : stack[depth - 1];
        continue;
      }
      const target = next--;
      const element = groupElement[g];
      trellis.contextCount = target;
      this.addContext(
        slot,
        elementContext[element],
        elementSymbol[element],
        groupLength[g],
        target + 1 < to ? common : 0,
        0,
      );
      mass[target] = 0;
      groupTarget[g] = target;
      stack[depth++] = target;
      common = groupLength[g];
    }
    for (let i = 0; i < elementCount; i++) {
      const target = groupTarget[elementGroup[i]];
      if (target < 0) continue;
      arcTarget[elementArc[i]] = target;
      arcMass[elementArc[i]] = elementMass[i];
      mass[target] += elementMass[i];
    }
    trellis.contextCount = to;
    this.finish(from, to);
  }

  /** Logarithms of the forward masses; where a sum is too small to be exact it is taken again on its own scale. */
  private finish(from: number, to: number): void {
    const { trellis, top, elementCount, elementArc, elementLogMass } = this;
    const { mass, logForward, arcTarget, arcMass } = trellis;
    let tiny = false;
    for (let c = from; c < to; c++) {
      logForward[c] = top + Math.log(mass[c]);
      if (mass[c] < TINY) tiny = true;
    }
    if (!tiny) return;
    const isTiny = (c: number) => c >= 0 && mass[c] < TINY;
    const scale = new Float64Array(to - from).fill(Number.NEGATIVE_INFINITY);
    for (let i = 0; i < elementCount; i++) {
      const target = arcTarget[elementArc[i]];
      if (isTiny(target)) scale[target - from] = Math.max(scale[target - from], elementLogMass[i]);
    }
    const sums = new Float64Array(to - from);
    for (let i = 0; i < elementCount; i++) {
      const target = arcTarget[elementArc[i]];
      if (!isTiny(target) || scale[target - from] === Number.NEGATIVE_INFINITY) continue;
      const share = Math.exp(elementLogMass[i] - scale[target - from]);
      arcMass[elementArc[i]] = share;
      sums[target - from] += share;
    }
    for (let c = from; c < to; c++) {
      if (!isTiny(c)) continue;
      if (scale[c - from] === Number.NEGATIVE_INFINITY) {
        mass[c] = 1;
        logForward[c] = Number.NEGATIVE_INFINITY;
      } else {
        mass[c] = sums[c - from];
        logForward[c] = scale[c - from] + Math.log(sums[c - from]);
      }
    }
  }

  private growElements(room: number): void {
    if (this.elementArc.length >= room) return;
    this.elementArc = grown(this.elementArc, room);
    this.elementContext = grown(this.elementContext, room);
    this.elementSymbol = grown(this.elementSymbol, room);
    this.elementLength = grown(this.elementLength, room);
    this.elementCommon = grown(this.elementCommon, room);
    this.elementLogMass = grown(this.elementLogMass, room);
    this.elementMass = grown(this.elementMass, room);
    this.elementGroup = grown(this.elementGroup, room);
    this.groupElement = grown(this.groupElement, room);
    this.groupLength = grown(this.groupLength, room);
    this.groupCommon = grown(this.groupCommon, room);
    this.groupTop = grown(this.groupTop, room);
    this.groupTarget = grown(this.groupTarget, room);
    this.groupRank = grown(this.groupRank, room);
    this.groupMass = grown(this.groupMass, room);
    this.groupKept = grown(this.groupKept, room);
    this.scratch = grown(this.scratch, room);
  }

  /** From the end to the start. */
  backward(): void {
    const { trellis } = this;
    const { graph, arcStart, arcTarget, arcMass, mass, posterior, slotStart } = trellis;
    const end = slotStart[graph.slotCount] - 1;
    for (let c = slotStart[graph.slotCount - 1]; c <= end; c++) {
      posterior[c] = c === end ? 1 : 0;
      mass[c] = posterior[c] / mass[c];
    }
    for (let slot = graph.slotCount - 2; slot >= 0; slot--) {
      const branch = graph.branchStart[slot];
      const branchEnd = graph.branchStart[slot + 1];
      for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) {
        let sum = 0;
        for (let b = branch; b < branchEnd; b++) {
          const last = arcStart[c] + graph.branchEnd[b];
          for (let arc = arcStart[c] + graph.branchFirst[b]; arc < last; arc++) {
            const target = arcTarget[arc];
            if (target < 0) continue;
            const share = arcMass[arc] * mass[target];
            arcMass[arc] = share;
            sum += share;
          }
        }
        posterior[c] = sum;
        // From here on `mass` holds posterior / mass, which is what arcs into the context multiply by.
        mass[c] = sum === 0 ? 0 : sum / mass[c];
      }
    }
  }

  addExpectations(counts: Float64Array | undefined, slotCounts: Float64Array, factor: number): void {
    const { trellis } = this;
    const { graph, slotStart, rowStart, rows, arcStart, arcMass, posterior } = trellis;
    const { start, symbols } = this.space.table;
    const symbolCount = graph.symbolCount;
    for (let slot = 0; slot < graph.slotCount - 1; slot++) {
      const scores = slot * symbolCount;
      for (let b = graph.branchStart[slot]; b < graph.branchStart[slot + 1]; b++) {
        const first = graph.branchFirst[b];
        const end = graph.branchEnd[b];
        for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) {
          if (posterior[c] === 0) continue;
          const arc = arcStart[c];
          for (let y = first; y < end; y++) slotCounts[scores + y] += factor * arcMass[arc + y];
          if (!counts) continue;
          for (let r = rowStart[c]; r < rowStart[c + 1]; r++) {
            const entry = start[rows[r]];
            const entryEnd = start[rows[r] + 1];
            if (entryEnd - entry === symbolCount) {
              for (let y = first; y < end; y++) counts[entry + y] += factor * arcMass[arc + y];
            } else {
              for (let e = entry; e < entryEnd; e++) {
                const y = symbols[e];
                if (y >= first && y < end) counts[e] += factor * arcMass[arc + y];
              }
            }
          }
        }
      }
    }
  }

  bestPath(): Path | undefined {
    const { slotStart, graph } = this.trellis;
    if (slotStart[graph.slotCount] === slotStart[graph.slotCount - 1]) return undefined;
    return bestPath(trellisLattice(this.trellis));
  }

  bestOutput(
    problem: Problem,
    { space, weights }: SettledRows,
    inference: Inference,
    confidences = false,
  ): BestOutput | undefined {
    this.forward(problem, space, weights, inference);
    return outputOf(this, confidences);
  }

  averageContextLength(): number {
    return this.trellis.averageContextLength();
  }
}

/** The best output of the trellis that a kernel has just made. */
export function outputOf(kernel: Kernel, confidences: boolean): BestOutput | undefined {
  const { logPartition } = kernel.trellis;
  const path = kernel.bestPath();
  if (!path || !confidences) return path && { ...path, logPartition };
  kernel.backward();
  return { ...path, logPartition, confidences: pathConfidences(kernel.trellis, path.symbols) };
}

/** The probability of each decision of a path at its slot. Needs the backward pass. */
export function pathConfidences(
  { graph, slotStart, arcStart, arcMass }: Trellis,
  symbols: readonly number[],
): number[] {
  let slot = 0;
  return symbols.map((symbol) => {
    let sum = 0;
    for (let c = slotStart[slot]; c < slotStart[slot + 1]; c++) sum += arcMass[arcStart[c] + symbol];
    slot = nextSlot(graph, slot, symbol);
    return Math.min(1, sum);
  });
}
