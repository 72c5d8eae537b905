// Group: expansions that agree on all they remember are one context (recombination),
//   mass(group) = sum over its expansions: exp(log mass - top).
// An expansion remembers its last `longest` decisions, or with `byRows` no more of them than rows can tell apart. Then a
// shorter suffix may follow a longer one that ends in it; groups that are still open lie on a stack and are ranked as
// they close, which leaves them sorted.

import { remembersByRows } from "../inference.js";
import { childOf, type RowTree } from "../rows.js";
import { grown } from "../trellis.js";
import { rowSymbol } from "./scores.js";
import type { SuffixWalk, WorkSpace } from "./work-space.js";

/** Logarithm of the least mass, relative to the heaviest, that is told from nothing: below, numbers lose digits. */
const LEAST = -708;

/** Relative masses of the expansions, and their groups. */
export function group(work: WorkSpace): void {
  const { expansionCount, expansionLogMass, expansionMass, expansionLength, expansionCommon, expansionGroup } = work;
  const { groupLength, groupTop, groupMass } = work;
  let top = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < expansionCount; i++) if (expansionLogMass[i] > top) top = expansionLogMass[i];
  work.top = top;
  const byRows = remembersByRows(work.inference);
  if (byRows) beginWalks(work);
  work.groupCount = 0;
  const closing: Closing = { depth: 0, closed: 0, last: -1, sinceLast: 0 };
  let common = 0; // with the expansion before
  for (let i = 0; i < expansionCount; i++) {
    closeLonger(work, closing, common);
    if (common < closing.sinceLast) closing.sinceLast = common;
    const log = expansionLogMass[i];
    const mass = log - top >= LEAST ? Math.exp(log - top) : 0;
    expansionMass[i] = mass;
    const length = byRows ? tellingLength(work, i, common) : expansionLength[i];
    let g = closing.depth > 0 ? work.openGroups[closing.depth - 1] : -1;
    if (g < 0 || groupLength[g] < length) {
      g = openGroup(work, closing, i, length);
      groupMass[g] = mass;
      groupTop[g] = log;
    } else {
      groupMass[g] += mass;
      if (log > groupTop[g]) groupTop[g] = log;
    }
    expansionGroup[i] = g;
    common = expansionCommon[i];
  }
  closeLonger(work, closing, -1);
  if (closing.last >= 0) work.groupCommon[closing.last] = 0;
  sortGroups(work);
}

/** Where the closing of groups stands. */
interface Closing {
  /** Open groups. */
  depth: number;
  closed: number;
  /** The group closed last, or -1. */
  last: number;
  /** The least number of decisions in common between neighbours since then. */
  sinceLast: number;
}

/** Opens a group that begins with an expansion. */
function openGroup(work: WorkSpace, closing: Closing, expansion: number, length: number): number {
  const g = work.groupCount++;
  work.groupExpansion[g] = expansion;
  work.groupLength[g] = length;
  if (closing.depth === work.openGroups.length) work.openGroups = grown(work.openGroups, closing.depth + 1);
  work.openGroups[closing.depth++] = g;
  return g;
}

/** Closes the groups that remember more than the expansions to come have in common with them. */
function closeLonger(work: WorkSpace, closing: Closing, common: number): void {
  const { openGroups, groupLength, groupCommon, groupRank } = work;
  while (closing.depth > 0 && groupLength[openGroups[closing.depth - 1]] > common) {
    const g = openGroups[--closing.depth];
    if (closing.last >= 0) groupCommon[closing.last] = Math.min(groupLength[g], closing.sinceLast);
    groupRank[g] = closing.closed++;
    closing.last = g;
    closing.sinceLast = Number.MAX_SAFE_INTEGER;
  }
}

/** Puts the groups into the order in which they closed, cycle by cycle: what stands at g goes to groupRank[g]. */
function sortGroups(work: WorkSpace): void {
  const { groupCount, groupRank, expansionCount, expansionGroup } = work;
  let sorted = true;
  for (let g = 0; g < groupCount && sorted; g++) sorted = groupRank[g] === g;
  if (sorted) return;
  for (let i = 0; i < expansionCount; i++) expansionGroup[i] = groupRank[expansionGroup[i]];
  const { groupExpansion, groupLength, groupCommon, groupTop, groupMass } = work;
  for (let g = 0; g < groupCount; g++) {
    while (groupRank[g] !== g) {
      const to = groupRank[g];
      swap(groupExpansion, g, to);
      swap(groupLength, g, to);
      swap(groupCommon, g, to);
      swap(groupTop, g, to);
      swap(groupMass, g, to);
      swap(groupRank, g, to);
    }
  }
}

function swap(array: Int32Array | Float64Array, i: number, j: number): void {
  const held = array[i];
  array[i] = array[j];
  array[j] = held;
}

function beginWalks({ space, walks, longest }: WorkSpace): void {
  for (let f = 0; f < space.families.length; f++) {
    walks[f] ??= { nodes: new Int32Array(16), alive: 0, dead: false };
    const walk = walks[f];
    if (walk.nodes.length <= longest) walk.nodes = new Int32Array(longest + 1);
    walk.nodes[0] = 0;
    walk.alive = 0;
    walk.dead = false;
  }
}

/**
 * How much of an expansion's suffix the rows can tell from a shorter one: the depth to which some family has nodes. What
 * is beyond has the same future with and without, so it need not be remembered. The walk down the tree goes on from
 * that of the expansion before, with which it has `common` decisions in common.
 */
function tellingLength(work: WorkSpace, expansion: number, common: number): number {
  const { families } = work.space;
  const length = work.expansionLength[expansion];
  let telling = length > 0 ? 1 : 0; // a context of one decision is never ⋆, which has a row of its own
  for (let f = 0; f < families.length; f++) {
    const family = families[f];
    if (family.pairs || family.keyed || family.skip >= 0) {
      // What a family that looks at the input too will ask at later slots is not known here.
      telling = Math.max(telling, Math.min(length, family.depth));
      continue;
    }
    const walk = work.walks[f];
    if (common < walk.alive) {
      walk.alive = common;
      walk.dead = false;
    } else if (common === walk.alive) walk.dead = false;
    if (!walk.dead) walkDown(work, walk, family.tree, expansion, length);
    if (walk.alive > telling) telling = walk.alive;
  }
  return telling < length ? telling : length;
}

function walkDown(work: WorkSpace, walk: SuffixWalk, tree: RowTree, expansion: number, length: number): void {
  const { contextSymbol, contextParent, contextSlot } = work.trellis;
  let c = work.expansionContext[expansion];
  for (let n = 1; n < walk.alive; n++) c = contextParent[c];
  while (walk.alive < length) {
    let symbol: number;
    if (walk.alive === 0) symbol = rowSymbol(work.problem, contextSlot[c], work.expansionSymbol[expansion]);
    else {
      const parent = contextParent[c];
      symbol = rowSymbol(work.problem, contextSlot[parent], contextSymbol[c]);
      c = parent;
    }
    const child = childOf(tree, walk.nodes[walk.alive], symbol);
    if (child < 0) {
      walk.dead = true;
      return;
    }
    walk.nodes[++walk.alive] = child;
  }
}
