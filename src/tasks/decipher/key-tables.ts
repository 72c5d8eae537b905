// The costs of all n-grams of an alphabet as bytes, for walks through keys (src/engine/keys.ts):
//   cost(y | context) = round(-forgiving(log P(y | context)) * units),   units so that the greatest cost is 255 or less.
// A context that the language model has never met has the row of its longest suffix that it has.

import type { Arrays } from "../../engine/backend.js";
import type { KeyTables } from "../../engine/keys.js";
import type { NgramModel } from "../../engine/ngram.js";

/** Share of places where anything may stand: slips of the writer, and what the language model has never met. */
const SLIPS = 0.05;

/** A probability of the language model, when at some places any of `symbolCount` symbols is as likely as another. */
export function forgivingProbability(probability: number, symbolCount: number): number {
  return (1 - SLIPS) * probability + SLIPS / symbolCount;
}

/** A log-probability of the language model, when at some places any of `symbolCount` symbols is as likely as another. */
export function forgiving(logProbability: number, symbolCount: number): number {
  return Math.log(forgivingProbability(Math.exp(logProbability), symbolCount));
}

function strideOf(plainCount: number): number {
  return Math.ceil(plainCount / 16) * 16;
}

/** Bytes of one table. */
export function tableBytes(plainCount: number, order: number): number {
  return (plainCount + 1) ** order * strideOf(plainCount);
}

/** The tables of a model of sequences without ends, turned for searches of homophonic keys if asked for. */
export function keyTables(model: NgramModel, order: number, isTurned: boolean, arrays: Arrays): KeyTables {
  const plainCount = model.symbolCount;
  const stride = strideOf(plainCount);
  const events = plainCount + 1;
  const units = Math.floor(255 / -Math.log(SLIPS / plainCount));
  const costs = arrays.uint8(tableBytes(plainCount, order));
  fillCosts(costs, model, order, units);
  const tables = { order, events, plainCount, stride, units, costs };
  if (!isTurned) return tables;
  return { ...tables, turned: Array.from({ length: order }, (_, j) => turnedCosts(tables, j, arrays)) };
}

/** Writes [events ** order][stride] costs. */
function fillCosts(costs: Uint8Array, model: NgramModel, order: number, units: number): void {
  const plainCount = model.symbolCount;
  const events = plainCount + 1;
  const stride = strideOf(plainCount);
  const bytes = new Uint8Array(stride);
  visitRows(model, order, (probability, suffix) => {
    let number = 0;
    for (let i = suffix.length - 1; i >= 0; i--) number = number * events + suffix[i];
    for (let y = 0; y < plainCount; y++) {
      bytes[y] = Math.round(-Math.log(forgivingProbability(probability[y], plainCount)) * units);
    }
    const step = events ** suffix.length * stride;
    for (let at = number * stride; at < costs.length; at += step) costs.set(bytes, at);
  });
}

/**
 * Visits the suffixes that a model has met, [events] the latest first, with the probabilities of what comes after them; each
 * after its own suffix, so that who writes rows of contexts can begin with those of suffixes and write over them.
 */
export function visitRows(
  model: NgramModel,
  order: number,
  use: (probability: Float64Array, suffix: readonly number[]) => void,
): void {
  const { table, families, offsets } = model.space;
  const { row, childStart, childEvent, childNode } = families[0].tree;
  const count = model.symbolCount;
  /** [order + 1][symbols] probabilities after the suffix at hand, of each length. */
  const probability = Array.from({ length: order + 1 }, () => new Float64Array(count));
  const suffix: number[] = [];
  const visit = (node: number, depth: number): void => {
    use(probability[depth], suffix);
    if (depth === order || depth === model.options.order) return;
    const shorter = probability[depth];
    const own = probability[depth + 1];
    for (let child = childStart[node]; child < childStart[node + 1]; child++) {
      const r = row[childNode[child]];
      const lambda = Math.exp(offsets[r]);
      for (let y = 0; y < count; y++) own[y] = shorter[y] * lambda;
      for (let e = table.start[r]; e < table.start[r + 1]; e++) own[table.symbols[e]] *= Math.exp(model.weights[e]);
      suffix.push(childEvent[child]);
      visit(childNode[child], depth + 1);
      suffix.pop();
    }
  };
  probability[0].set(model.unigram.map(Math.exp));
  visit(0, 0);
}

/** The same costs by all events of a window but event j, then by event j. */
function turnedCosts(
  { order, events, plainCount, stride, costs }: Omit<KeyTables, "turned">,
  j: number,
  arrays: Arrays,
): Uint8Array {
  const to = arrays.uint8(costs.length);
  const later = events ** (order - 1 - j); // values of the events of the context after event j
  const others = events ** (order - 1);
  for (let other = 0; other < others; other++) {
    const rest = other % later;
    const first = (((other - rest) * events + rest) * stride) | 0; // the context with event j as 0
    for (let event = 0; event < plainCount; event++) {
      const from = first + event * later * stride;
      let at = other * events * stride + event;
      for (let y = 0; y < plainCount; y++, at += stride) to[at] = costs[from + y];
    }
  }
  return to;
}
