// n-gram models with absolute discounting, as rows of the engine. After a suffix s seen N(s) times and followed by
// distinct(s) different symbols, with s' the suffix without its earliest event,
//   P(y | s) = (count(s, y) - discount) / N(s) + lambda(s) P(y | s')   if y was seen after s, else   lambda(s) P(y | s'),
//   lambda(s) = discount * distinct(s) / N(s),       P(y) = (count(y) + smoothing) / (N + smoothing * symbols).
// The row of s has the offset log lambda(s), and log(P(y | s) / (lambda(s) P(y | s'))) > 0 for the symbols seen after it; a
// context's rows and log P(y) then add up to log P(y | s), where s is all it remembers. Shorter n-grams have their plain
// counts, unless Kneser and Ney's are asked for: a context that remembers less asks for just that conditional probability.

import { InputError } from "../util/errors.js";
import type { RowFamily, RowSpace } from "./problem.js";
import type { RowTree } from "./rows.js";
import { BEGIN } from "./trellis.js";

export interface NgramOptions {
  /** Events a symbol depends on: 2 for trigrams. */
  order: number;
  /** Taken from every count, between 0 and 1. */
  discount: number;
  /** Added to the count of every single symbol. */
  smoothing: number;
  /** Sequences begin and end: `^` is remembered, and the symbol after the last real one is the end. */
  ends: boolean;
  /**
   * A symbol after a shorter suffix counts once for each longer suffix it was seen after, as Kneser and Ney do: best where
   * the longest suffix known is always asked. Default false.
   */
  continuation?: boolean;
  /** Suffixes of two events and more that count less than this are left out, unless a longer one is kept. Default 1. */
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
  const { order, ends, continuation = false, fewest = 1 } = options;
  const symbolCount = plainCount + (ends ? 1 : 0);
  // Node 0 is the empty suffix; events are moved up by one so that `^` is 0.
  const nodes = new PairTable(plainCount + 1);
  const counts = new PairTable(symbolCount);
  const parents: number[] = [-1];
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
        const event = at < 0 ? 0 : sequence[at] + 1;
        const place = nodes.placeOf(node, event);
        if (nodes.value[place] === 0) {
          nodes.value[place] = parents.length;
          parents.push(node);
        }
        node = nodes.value[place];
        path[known] = node;
      }
      // From the longest suffix to the shortest.
      let isNew = true;
      for (let n = known - 1; n >= 0 && (isNew || !continuation); n--) {
        const counted = counts.placeOf(path[n], symbol); // first, as it may move the values
        isNew = counts.value[counted]++ === 0;
      }
      if (isNew || !continuation) total[symbol]++;
    }
  }
  const sum = total.reduce((a, b) => a + b, 0) + options.smoothing * symbolCount;
  const unigramProbability = total.map((count) => (count + options.smoothing) / sum);

  const nodeCount = parents.length;
  const { start, second: symbols, value: count } = counts.sorted(nodeCount);
  const children = nodes.sorted(nodeCount);
  const probability = new Float64Array(symbols.length);
  const weights = new Float64Array(symbols.length);
  const offsets = new Float64Array(nodeCount - 1);
  const isKept = new Uint8Array(nodeCount).fill(1);
  // Row r is that of node r + 1. Parents come before children, so their probabilities are ready.
  for (let node = 1; node < nodeCount; node++) {
    let seen = 0;
    for (let e = start[node]; e < start[node + 1]; e++) seen += count[e];
    const lambda = (options.discount * (start[node + 1] - start[node])) / seen;
    offsets[node - 1] = Math.log(lambda);
    const parent = parents[node];
    if (parent > 0 && seen < fewest) isKept[node] = 0;
    // Every symbol seen after a suffix was seen after the shorter one: one walk finds them all.
    let p = start[parent];
    for (let e = start[node]; e < start[node + 1]; e++) {
      let shorter: number;
      if (parent === 0) shorter = unigramProbability[symbols[e]];
      else {
        while (symbols[p] < symbols[e]) p++;
        shorter = probability[p];
      }
      const direct = (count[e] - options.discount) / seen;
      probability[e] = direct + lambda * shorter;
      weights[e] = Math.log1p(direct / (lambda * shorter));
    }
  }
  const tree: RowTree = {
    row: Int32Array.from({ length: nodeCount }, (_, node) => node - 1),
    childStart: children.start,
    childEvent: children.second.map((event) => (event === 0 ? BEGIN : event - 1)),
    childNode: children.value,
  };
  const model: NgramModel = {
    options,
    symbolCount,
    unigram: unigramProbability.map(Math.log),
    space: {
      table: { symbolCount, start: start.subarray(1), symbols },
      families: [ngramFamily(tree, order)],
      offsets,
    },
    weights,
  };
  if (!isKept.includes(0)) return model;
  for (let node = nodeCount - 1; node > 0; node--) if (isKept[node]) isKept[parents[node]] = 1;
  return keptSuffixes(model, isKept);
}

/** The suffixes of an n-gram model as a family of rows: no event is skipped. */
export function ngramFamily(tree: RowTree, order: number): RowFamily {
  return { tree, depth: order, skip: -2, pairs: false, keyed: false };
}

/** The model that looks `order` events back, as if it had been made so, if shorter n-grams have their plain counts. */
export function shorterNgram(model: NgramModel, order: number): NgramModel {
  const [family] = model.space.families;
  const { row, childStart, childNode } = family.tree;
  const depth = new Int32Array(row.length);
  for (let node = 0; node < row.length; node++) {
    for (let child = childStart[node]; child < childStart[node + 1]; child++) depth[childNode[child]] = depth[node] + 1;
  }
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
    const child = search(childEvent, childStart[node], childStart[node + 1], events[at]);
    if (child < 0) break;
    node = childNode[child];
    score += offsets[row[node]];
    const entry = search(table.symbols, table.start[row[node]], table.start[row[node] + 1], symbol);
    if (entry >= 0) score += model.weights[entry];
  }
  return score;
}

/** Where a value stands in a rising stretch of an array, or -1. */
function search(values: Int32Array, from: number, to: number, wanted: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low < to && values[low] === wanted ? low : -1;
}

/** A hash table from (first, second) to a number, 0 at first; `second` is below `width`. Open addressing, linear probing. */
class PairTable {
  private size = 0;
  private mask = (1 << 10) - 1;
  private first = new Int32Array(1 << 10).fill(-1);
  private second = new Int32Array(1 << 10);
  value = new Int32Array(1 << 10);

  constructor(private readonly width: number) {}

  /** Where the value of a pair stands until the next call. */
  placeOf(first: number, second: number): number {
    if (this.size * 2 > this.mask) this.enlarge();
    const place = this.find(first, second);
    if (this.first[place] < 0) {
      this.first[place] = first;
      this.second[place] = second;
      this.size++;
    }
    return place;
  }

  private find(first: number, second: number): number {
    let h = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35);
    let place = (h ^ (h >>> 13)) & this.mask;
    while (this.first[place] >= 0 && (this.first[place] !== first || this.second[place] !== second)) {
      place = (place + 1) & this.mask;
    }
    return place;
  }

  private enlarge(): void {
    const { first, second, value } = this;
    const capacity = first.length * 2;
    this.mask = capacity - 1;
    this.first = new Int32Array(capacity).fill(-1);
    this.second = new Int32Array(capacity);
    this.value = new Int32Array(capacity);
    for (let i = 0; i < first.length; i++) {
      if (first[i] < 0) continue;
      const place = this.find(first[i], second[i]);
      this.first[place] = first[i];
      this.second[place] = second[i];
      this.value[place] = value[i];
    }
  }

  /** All pairs ordered by first, then second: two counting sorts, the lesser key first. */
  sorted(firstCount: number): {
    start: Int32Array<ArrayBuffer>;
    second: Int32Array<ArrayBuffer>;
    value: Int32Array<ArrayBuffer>;
  } {
    const bySecond = new Int32Array(this.size);
    const secondStart = new Int32Array(this.width + 1);
    for (let i = 0; i < this.first.length; i++) if (this.first[i] >= 0) secondStart[this.second[i] + 1]++;
    for (let s = 0; s < this.width; s++) secondStart[s + 1] += secondStart[s];
    for (let i = 0; i < this.first.length; i++) if (this.first[i] >= 0) bySecond[secondStart[this.second[i]]++] = i;
    const start = new Int32Array(firstCount + 1);
    for (const i of bySecond) start[this.first[i] + 1]++;
    for (let f = 0; f < firstCount; f++) start[f + 1] += start[f];
    const place = start.slice(0, firstCount);
    const second = new Int32Array(this.size);
    const value = new Int32Array(this.size);
    for (const i of bySecond) {
      const to = place[this.first[i]]++;
      second[to] = this.second[i];
      value[to] = this.value[i];
    }
    return { start, second, value };
  }
}
