// n-gram models with absolute discounting, as rows of the engine. After a suffix s seen N(s) times and followed by
// distinct(s) different symbols, with s' the suffix without its earliest event,
//   P(y | s) = (count(s, y) - discount) / N(s) + lambda(s) P(y | s')   if y was seen after s, else   lambda(s) P(y | s'),
//   lambda(s) = discount * distinct(s) / N(s),       P(y) = (count(y) + smoothing) / (N + smoothing * symbols).
// The row of s has the offset log lambda(s), and log(P(y | s) / (lambda(s) P(y | s'))) > 0 for the symbols seen after it; a
// context's rows and log P(y) then add up to log P(y | s), where s is all it remembers. Shorter n-grams have their plain
// counts, unless Kneser and Ney's are asked for: a context that remembers less asks for just that conditional probability.

import { InputError } from "../util/errors.js";
import { PairIndex } from "../util/pair-index.js";
import { indexOfSorted } from "../util/search.js";
import { countDense, isDense } from "./ngram-dense.js";
import type { RowFamily, RowSpace } from "./problem.js";
import { nodeDepths, type RowTree, RowTreeBuilder } from "./rows.js";
import { BEGIN, grown } from "./trellis.js";

export interface NgramOptions {
  /** Number of events a symbol depends on: 2 for trigrams. */
  order: number;
  /** Subtracted from every count, between 0 and 1. */
  discount: number;
  /** Added to the count of every single symbol. */
  smoothing: number;
  /** Sequences begin and end: `^` is remembered, and the symbol after the last real one is the end. */
  ends: boolean;
  /**
   * Kneser-Ney counts: a symbol after a shorter suffix counts once for each longer suffix it was seen after. Best if the longest
   * known suffix is always used. Default false.
   */
  continuation?: boolean;
  /** Suffixes of two or more events with a lower count are left out, unless a longer one is kept. Default 1. */
  fewest?: number;
}

export const ngramDefaults: NgramOptions = { order: 2, discount: 0.25, smoothing: 0.01, ends: true };

export interface NgramModel {
  options: NgramOptions;
  /** Symbols, with the end if sequences end. */
  symbolCount: number;
  /** [symbolCount] log P(y) */
  unigram: Float64Array;
  /** The rows of all suffixes but the empty one. */
  space: RowSpace & { offsets: Float64Array };
  /** [entries] */
  weights: Float64Array;
}

/** Counts sequences of symbols below `plainCount` and makes their model. */
export function ngramModel(
  sequences: Iterable<ArrayLike<number>>,
  plainCount: number,
  given: Partial<NgramOptions> = {},
): NgramModel {
  const options = { ...ngramDefaults, ...given };
  checkNgramOptions(options);
  const counts = countNgrams(sequences, plainCount, options);
  const { symbolCount, total } = counts;
  const sum = total.reduce((a, b) => a + b, 0) + options.smoothing * symbolCount;
  const unigram = total.map((count) => (count + options.smoothing) / sum);
  const { weights, offsets } = discounted(counts, unigram, options.discount);
  const tree = counts.tree.build();
  // Row r is that of node r + 1.
  for (let node = 0; node < tree.row.length; node++) tree.row[node] = node - 1;
  const model: NgramModel = {
    options,
    symbolCount,
    unigram: unigram.map(Math.log),
    space: {
      table: { symbolCount, start: counts.start.subarray(1), symbols: counts.symbols },
      families: [ngramFamily(tree, options.order)],
      offsets,
    },
    weights,
  };
  const isKept = frequent(counts, options.fewest ?? 1);
  return isKept.includes(0) ? keptSuffixes(model, isKept) : model;
}

/** How often symbols came after suffixes, which are the nodes of a tree; node 0 is the empty one. */
export interface NgramCounts {
  /** Symbols, with the end if sequences end. */
  symbolCount: number;
  /** [symbolCount] how often each symbol came. */
  total: Float64Array;
  /** Of suffixes. */
  tree: RowTreeBuilder;
  /** [nodes + 1] first entry of each node. */
  start: Int32Array;
  /** [entries] a symbol that came after the node's suffix, rising within a node. */
  symbols: Int32Array;
  /** [entries] how often. */
  count: Int32Array;
}

function countNgrams(
  sequences: Iterable<ArrayLike<number>>,
  plainCount: number,
  { order, ends, continuation = false }: NgramOptions,
): NgramCounts {
  if (!ends && !continuation && isDense(plainCount, order)) return countDense(sequences, plainCount, order);
  const symbolCount = plainCount + (ends ? 1 : 0);
  const tree = new RowTreeBuilder();
  const followers = new PairIndex(); // (node, symbol)
  let counts = new Int32Array(64); // [followers]
  const total = new Float64Array(symbolCount);
  const path = new Int32Array(order);
  for (const sequence of sequences) {
    const length = sequence.length;
    for (let i = 0; i < length + (ends ? 1 : 0); i++) {
      const symbol = i < length ? sequence[i] : plainCount;
      let node = 0;
      let known = 0;
      for (; known < order && i - known > (ends ? -1 : 0); known++) {
        const at = i - known - 1;
        node = tree.child(node, at < 0 ? BEGIN : sequence[at]);
        path[known] = node;
      }
      // From the longest suffix to the shortest.
      let isNew = true;
      for (let n = known - 1; n >= 0 && (isNew || !continuation); n--) {
        const follower = followers.add(path[n], symbol);
        if (follower >= counts.length) counts = grown(counts, follower + 1);
        isNew = counts[follower]++ === 0;
      }
      if (isNew || !continuation) total[symbol]++;
    }
  }
  const { order: sorted, start } = followers.sorted(tree.nodes, symbolCount);
  const symbols = sorted.map((follower) => followers.second[follower]);
  return { symbolCount, total, tree, start, symbols, count: sorted.map((follower) => counts[follower]) };
}

/** The weights and offsets of the rows, with `unigram`, [symbolCount], P(y). */
function discounted(
  { tree, start, symbols, count }: NgramCounts,
  unigram: Float64Array,
  discount: number,
): { weights: Float64Array; offsets: Float64Array } {
  const probability = new Float64Array(symbols.length);
  const weights = new Float64Array(symbols.length);
  const offsets = new Float64Array(tree.nodes - 1);
  // Parents come before children, so their probabilities are ready.
  for (let node = 1; node < tree.nodes; node++) {
    const seen = seenAfter(start, count, node);
    const lambda = (discount * (start[node + 1] - start[node])) / seen;
    offsets[node - 1] = Math.log(lambda);
    const parent = tree.parentOf(node);
    // Every symbol seen after a suffix was seen after the shorter one: one walk finds them all.
    let p = start[parent];
    for (let e = start[node]; e < start[node + 1]; e++) {
      let shorter: number;
      if (parent === 0) shorter = unigram[symbols[e]];
      else {
        while (symbols[p] < symbols[e]) p++;
        shorter = probability[p];
      }
      const direct = (count[e] - discount) / seen;
      probability[e] = direct + lambda * shorter;
      weights[e] = Math.log1p(direct / (lambda * shorter));
    }
  }
  return { weights, offsets };
}

/** N(s) */
function seenAfter(start: Int32Array, count: Int32Array, node: number): number {
  let seen = 0;
  for (let e = start[node]; e < start[node + 1]; e++) seen += count[e];
  return seen;
}

/** [nodes] 1 for suffixes of one event, those that count `fewest` at least, and those that a longer one needs. */
function frequent({ tree, start, count }: NgramCounts, fewest: number): Uint8Array {
  const isKept = new Uint8Array(tree.nodes).fill(1);
  for (let node = 1; node < tree.nodes; node++) {
    if (tree.parentOf(node) > 0 && seenAfter(start, count, node) < fewest) isKept[node] = 0;
  }
  for (let node = tree.nodes - 1; node > 0; node--) if (isKept[node]) isKept[tree.parentOf(node)] = 1;
  return isKept;
}

/** The suffixes of an n-gram model as a family of rows: no event is skipped. */
export function ngramFamily(tree: RowTree, order: number): RowFamily {
  return { tree, depth: order, skip: -2, pairs: false, keyed: false };
}

/** The model that looks `order` events back, as if it had been made so, if shorter n-grams have their plain counts. */
export function shorterNgram(model: NgramModel, order: number): NgramModel {
  const [family] = model.space.families;
  const depth = nodeDepths(family.tree);
  const { space, options, ...rest } = keptSuffixes(
    model,
    Uint8Array.from(depth, (own) => (own <= order ? 1 : 0)),
  );
  return {
    ...rest,
    options: { ...options, order },
    space: { ...space, families: [{ ...space.families[0], depth: order }] },
  };
}

/** The model with the suffixes whose nodes are kept; a node's parent is kept with it. */
function keptSuffixes(model: NgramModel, isKept: Uint8Array): NgramModel {
  const { space, weights } = model;
  const { table, offsets } = space;
  const [family] = space.families;
  const { row, childStart, childEvent, childNode } = family.tree;
  // Parents come before children, in the old numbers as in the new.
  const renamed = new Int32Array(row.length).fill(-1);
  let kept = 0;
  for (let node = 0; node < row.length; node++) if (isKept[node]) renamed[node] = kept++;
  const start = [0];
  const symbols: number[] = [];
  const ownWeights: number[] = [];
  const ownOffsets: number[] = [];
  const children = { start: [0], event: [] as number[], node: [] as number[] };
  for (let node = 0; node < row.length; node++) {
    if (renamed[node] < 0) continue;
    if (node > 0) {
      const r = row[node];
      for (let e = table.start[r]; e < table.start[r + 1]; e++) {
        symbols.push(table.symbols[e]);
        ownWeights.push(weights[e]);
      }
      start.push(symbols.length);
      ownOffsets.push(offsets[r]);
    }
    for (let child = childStart[node]; child < childStart[node + 1]; child++) {
      if (renamed[childNode[child]] < 0) continue;
      children.event.push(childEvent[child]);
      children.node.push(renamed[childNode[child]]);
    }
    children.start.push(children.event.length);
  }
  const tree: RowTree = {
    row: Int32Array.from({ length: kept }, (_, node) => node - 1),
    childStart: Int32Array.from(children.start),
    childEvent: Int32Array.from(children.event),
    childNode: Int32Array.from(children.node),
  };
  return {
    ...model,
    space: {
      table: { symbolCount: table.symbolCount, start: Int32Array.from(start), symbols: Int32Array.from(symbols) },
      families: [{ ...family, tree }],
      offsets: Float64Array.from(ownOffsets),
    },
    weights: Float64Array.from(ownWeights),
  };
}

export function checkNgramOptions({ order, discount, smoothing }: NgramOptions): void {
  if (!Number.isInteger(order) || order < 0) {
    throw new InputError(`option \`order\` must be a whole number of at least 0, not ${order}`);
  }
  if (!(discount > 0 && discount < 1)) {
    throw new InputError(`option \`discount\` must be a number between 0 and 1, not ${discount}`);
  }
  if (!(Number.isFinite(smoothing) && smoothing > 0)) {
    throw new InputError(`option \`smoothing\` must be a number above 0, not ${smoothing}`);
  }
}

/** log P(symbol | the events before it), latest last, BEGIN for `^`. */
export function ngramScore(model: NgramModel, before: readonly number[], symbol: number): number {
  return ngramScoreAt(model, [...before, symbol], before.length, 0);
}

/** log P(events[i] | the events before it), looking no further back than `first`. */
export function ngramScoreAt(model: NgramModel, events: ArrayLike<number>, i: number, first: number): number {
  const { table, families, offsets } = model.space;
  const { row, childStart, childEvent, childNode } = families[0].tree;
  const symbol = events[i];
  let score = model.unigram[symbol];
  let node = 0;
  for (let at = i - 1; at >= first && at >= i - model.options.order; at--) {
    const child = indexOfSorted(childEvent, childStart[node], childStart[node + 1], events[at]);
    if (child < 0) break;
    node = childNode[child];
    score += offsets[row[node]];
    const entry = indexOfSorted(table.symbols, table.start[row[node]], table.start[row[node] + 1], symbol);
    if (entry >= 0) score += model.weights[entry];
  }
  return score;
}
