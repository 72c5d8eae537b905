// Features of one kind, counted over aligned pairs: a tree of those met often enough, and how often each is met with each symbol.
// Rows of all pairs follow from that, and rows of all but some, for which only these are looked at again.

import { childOf, type RowTableBuilder, type RowTree, RowTreeBuilder } from "../../engine/rows.js";
import { grown } from "../../engine/trellis.js";
import { PairIndex } from "../../util/pair-index.js";
import { indexOfSorted } from "../../util/search.js";
import type { AlignedPair } from "./rows.js";
import type { Walker } from "./walkers.js";

/** A tree that counts how often its nodes are met, and then keeps those met often enough. */
class CountedTree {
  readonly builder = new RowTreeBuilder();
  private counts = new Int32Array(1024);

  /** Counts a child of a node and returns it. */
  count(node: number, event: number): number {
    const child = this.builder.child(node, event);
    if (child >= this.counts.length) this.counts = grown(this.counts, child + 1);
    this.counts[child]++;
    return child;
  }

  /** A child met often enough so far, or -1. */
  known(node: number, event: number, minCount: number): number {
    const child = this.builder.find(node, event);
    return child >= 0 && this.counts[child] >= minCount ? child : -1;
  }

  /** What is met often enough, and how often. */
  kept(minCount: number): { builder: RowTreeBuilder; counts: Int32Array } {
    const builder = new RowTreeBuilder();
    const number = new Int32Array(this.builder.nodes).fill(-1);
    const counts = new Int32Array(this.builder.nodes);
    number[0] = 0;
    for (let node = 1; node < this.builder.nodes; node++) {
      const parent = number[this.builder.parentOf(node)];
      if (parent < 0 || this.counts[node] < minCount) continue;
      number[node] = builder.child(parent, this.builder.eventOf(node));
      counts[number[node]] = this.counts[node];
    }
    return { builder, counts: counts.slice(0, builder.nodes) };
  }
}

/** Whether a node at some depth below a child of the root, by its event, has a row with every symbol. */
export type IsDense = (depth: number, first: number) => boolean;

/** How features are counted. */
export interface Counting {
  /** Gives the same aligned pairs each time it is called. */
  pairs: () => Iterable<AlignedPair>;
  /** Features met fewer times are left out. */
  minCount: number;
  /** The move that goes on to the next input symbol. */
  shift: number;
}

/** Levels of a tree that are counted in one go. */
const LEVELS_AT_ONCE = 3;

export class CountedFeatures {
  /** Without rows. */
  private readonly tree: RowTree;
  /** [nodes] how often each is met. */
  private readonly counts: Int32Array;
  /** [nodes + 1] first of a node's symbols. */
  private readonly start: Int32Array;
  /** Rising within a node. */
  private readonly symbols: Int32Array;
  /** [symbols] how often each is met with its node. */
  private readonly symbolCounts: Int32Array;

  constructor(
    private readonly walker: Walker,
    /** Of the tree. */
    depth: number,
    private readonly counting: Counting,
    private readonly isDense?: IsDense,
  ) {
    const { builder, counts } = countFeatures(walker, depth, counting);
    this.counts = counts;
    const followers = new PairIndex(); // (node, symbol)
    let met = new Int32Array(1024); // [followers]
    const next = (node: number, event: number): number => builder.find(node, event);
    eachFeature(walker, counting.pairs(), counting.shift, next, (node, symbol) => {
      const follower = followers.add(node, symbol);
      if (follower >= met.length) met = grown(met, follower + 1);
      met[follower]++;
    });
    const { order, start } = followers.sorted(builder.nodes, 1 + followers.second.reduce((a, b) => Math.max(a, b), 0));
    this.start = start;
    this.symbols = order.map((follower) => followers.second[follower]);
    this.symbolCounts = order.map((follower) => met[follower]);
    this.tree = builder.build();
  }

  /** Adds the rows of what is met in all pairs but some to a table: with every symbol, or with those that occur. */
  addRows(table: RowTableBuilder, without: Iterable<AlignedPair>): RowTree {
    const { tree, start, symbols } = this;
    const counts = this.counts.slice();
    const symbolCounts = this.symbolCounts.slice();
    const next = (node: number, event: number): number => {
      const child = childOf(tree, node, event);
      if (child >= 0) counts[child]--;
      return child;
    };
    eachFeature(this.walker, without, this.counting.shift, next, (node, symbol) => {
      symbolCounts[indexOfSorted(symbols, start[node], start[node + 1], symbol)]--;
    });
    const nodes = counts.length;
    const number = new Int32Array(nodes).fill(-1);
    let kept = 0;
    for (let node = 0; node < nodes; node++) if (node === 0 || this.isMet(counts[node])) number[node] = kept++;
    const found: RowTree = {
      row: new Int32Array(kept).fill(-1),
      childStart: new Int32Array(kept + 1),
      childEvent: new Int32Array(kept - 1),
      childNode: new Int32Array(kept - 1),
    };
    const depth = new Uint8Array(nodes);
    const first = new Int32Array(nodes);
    const own: number[] = [];
    let children = 0;
    for (let node = 0; node < nodes; node++) {
      if (number[node] < 0) continue;
      found.childStart[number[node]] = children;
      for (let c = tree.childStart[node]; c < tree.childStart[node + 1]; c++) {
        const child = tree.childNode[c];
        depth[child] = depth[node] + 1;
        first[child] = node === 0 ? tree.childEvent[c] : first[node];
        if (number[child] < 0) continue;
        found.childEvent[children] = tree.childEvent[c];
        found.childNode[children++] = number[child];
      }
      own.length = 0;
      for (let s = start[node]; s < start[node + 1]; s++) if (symbolCounts[s] > 0) own.push(symbols[s]);
      if (this.isDense?.(depth[node], first[node])) found.row[number[node]] = table.addDense();
      else if (own.length > 0) found.row[number[node]] = table.add(own);
    }
    found.childStart[kept] = children;
    return found;
  }

  private isMet(count: number): boolean {
    return count >= this.counting.minCount;
  }
}

function eachMove(pair: AlignedPair, shift: number, visit: (m: number, j: number, written: number) => void): void {
  let j = 0;
  let written = 0;
  for (let m = 0; m < pair.moves.length; m++) {
    visit(m, j, written);
    if (pair.moves[m] === shift) {
      j++;
      written = 0;
    } else written++;
  }
}

/** Walks the features of all moves of some pairs; visits those that are features, with the symbol of rows that the move counts for. */
function eachFeature(
  walker: Walker,
  pairs: Iterable<AlignedPair>,
  shift: number,
  next: (node: number, event: number) => number,
  visit: (node: number, symbol: number) => void,
): void {
  let symbol = 0;
  const hasRow = (node: number): void => {
    if (symbol >= 0) visit(node, symbol);
  };
  for (const pair of pairs) {
    walker.begin(pair);
    eachMove(pair, shift, (m, j, written) => {
      symbol = walker.symbolOf ? walker.symbolOf(m, j) : pair.moves[m];
      walker.walk(m, j, written, next, hasRow);
    });
  }
}

/**
 * The tree of the features met at least `minCount` times. A few levels at a time: nodes are only made below those that
 * were met often enough, so that what occurs once at great depth takes little memory.
 */
function countFeatures(
  walker: Walker,
  depth: number,
  { pairs, minCount, shift }: Counting,
): { builder: RowTreeBuilder; counts: Int32Array } {
  const tree = new CountedTree();
  const depths = { bytes: new Uint8Array(1024) };
  for (let counted = 0; counted < depth; counted += LEVELS_AT_ONCE) {
    const before = tree.builder.nodes;
    const next = (node: number, event: number): number => {
      const level = depths.bytes[node];
      if (level < counted) return tree.known(node, event, minCount);
      if (level === counted + LEVELS_AT_ONCE) return -1;
      const child = tree.count(node, event);
      if (child >= depths.bytes.length) depths.bytes = grown(depths.bytes, child + 1);
      depths.bytes[child] = level + 1;
      return child;
    };
    for (const pair of pairs()) {
      walker.begin(pair);
      eachMove(pair, shift, (m, j, written) => walker.walk(m, j, written, next, () => {}));
    }
    if (tree.builder.nodes === before) break;
  }
  return tree.kept(minCount);
}
