// The oracle of the engine's tests: the definitions of the paper written down as directly as possible, with strings, maps
// and enumeration, and nothing shared with the engine but the problem itself.

import * as fc from "fast-check";
import type { Problem, RowSpace } from "../../src/engine/problem.js";
import { RowTableBuilder, RowTreeBuilder } from "../../src/engine/rows.js";
import { type Branch, chainGraph, nextSlot, openChainGraph, slotGraph } from "../../src/engine/slots.js";
import type { Inference } from "../../src/engine/trellis.js";

/** A random problem with its rows in a form one can read. */
export interface Case {
  problem: Problem;
  space: RowSpace;
  weights: Float64Array;
  inference: Inference;
  /** Weights of each suffix that has a row, its offset added, by its decisions ("-1,0,2"; "" is the row of ⋆), [symbolCount]. */
  rowWeights: Map<string, number[]>;
  /** Where each suffix's entries are in `weights`; -1 where there is none. [symbolCount] */
  rowEntries: Map<string, number[]>;
}

export interface Output {
  symbols: number[];
  slots: number[];
}

/** Every path of the slot graph. */
export function allOutputs({ problem: { graph } }: Case): Output[] {
  const outputs: Output[] = [];
  const walk = (slot: number, symbols: number[], slots: number[]): void => {
    if (slot === graph.slotCount - 1) {
      outputs.push({ symbols, slots });
      return;
    }
    for (let y = 0; y < graph.symbolCount; y++) {
      const next = nextSlot(graph, slot, y);
      if (next >= 0) walk(next, [...symbols, y], [...slots, slot]);
    }
  };
  walk(0, [], []);
  return outputs;
}

/** The rows a remembered suffix has, by the rule of `longest` or `all`. */
export function rowsOf(c: Case, suffix: readonly number[]): string[] {
  const present: string[] = [];
  for (let n = 1; n <= suffix.length; n++) {
    const key = suffix.slice(-n).join();
    if (!c.rowWeights.has(key)) break;
    present.push(key);
  }
  if (c.inference.rows === "all") return suffix.length > 0 ? present : [""];
  return [present.at(-1) ?? ""];
}

export function scoreOf(c: Case, slot: number, suffix: readonly number[], symbol: number): number {
  let score = c.problem.slotScores[slot * c.problem.graph.symbolCount + symbol];
  for (const key of rowsOf(c, suffix)) score += c.rowWeights.get(key)?.[symbol] ?? 0;
  return score;
}

/** The most decisions a context may remember. */
const memoryOf = ({ inference }: Case): number =>
  inference.recombine || inference.order === 0 ? inference.order : Number.MAX_SAFE_INTEGER;

/** With `byRows`: the longest part of a suffix that has a row, or its last decision. */
function telling(c: Case, suffix: number[]): number[] {
  if (!c.inference.byRows || !c.inference.recombine) return suffix;
  let n = 1;
  while (
    n < suffix.length &&
    c.rowWeights.has(suffix.slice(-n).join()) &&
    c.rowWeights.has(suffix.slice(-n - 1).join())
  )
    n++;
  return suffix.slice(-n);
}

/** What is remembered after deciding `symbol` in a context: the longest kept suffix; undefined if nothing is kept for it. */
export function remember(
  c: Case,
  kept: readonly string[],
  suffix: readonly number[],
  symbol: number,
): number[] | undefined {
  const memory = memoryOf(c);
  const whole = memory === 0 ? [] : telling(c, [...suffix, symbol].slice(-memory));
  const shortest = c.inference.mode === "beam" ? whole.length : 0;
  for (let n = whole.length; n >= shortest; n--) {
    const candidate = n === 0 ? [] : whole.slice(-n);
    if (kept.includes(candidate.join())) return candidate;
  }
  return undefined;
}

export const START_OF = (c: Case): number[] =>
  c.inference.order > 0 && (c.inference.contexts > 0 || c.inference.mode === "exact") ? [-1] : [];

/** Score of an output, and the remembered suffix before each decision, in given context sets. undefined: lost by the beam. */
export function outputScore(
  c: Case,
  contextSets: readonly (readonly string[])[],
  output: Output,
): { score: number; suffixes: number[][] } | undefined {
  let suffix = START_OF(c);
  let score = 0;
  const suffixes: number[][] = [];
  for (let i = 0; i < output.symbols.length; i++) {
    suffixes.push(suffix);
    score += scoreOf(c, output.slots[i], suffix, output.symbols[i]);
    if (i + 1 === output.symbols.length) break;
    const next = remember(c, contextSets[output.slots[i + 1]], suffix, output.symbols[i]);
    if (next === undefined) return undefined;
    suffix = next;
  }
  return { score, suffixes };
}

/**
 * The paper's selection, slot by slot, on strings: the B heaviest expansions under the partial model, and ⋆. Undefined
 * when two masses are too close to say which is the heavier.
 */
export function selectContexts(c: Case): string[][] | undefined {
  const { graph } = c.problem;
  const sets: string[][] = Array.from({ length: graph.slotCount }, () => []);
  const forward: Map<string, number>[] = Array.from({ length: graph.slotCount }, () => new Map());
  const start = START_OF(c).join();
  sets[0] = c.inference.mode === "beam" ? [start] : [...new Set([start, ""])];
  forward[0].set(start, 1);
  const memory = memoryOf(c);
  for (let slot = 1; slot < graph.slotCount; slot++) {
    const masses = new Map<string, number>();
    const expansions: { suffix: number[]; symbol: number; mass: number }[] = [];
    for (let from = 0; from < slot; from++) {
      for (let symbol = 0; symbol < graph.symbolCount; symbol++) {
        if (nextSlot(graph, from, symbol) !== slot) continue;
        for (const [key, mass] of forward[from]) {
          const suffix = key === "" ? [] : key.split(",").map(Number);
          const expansionMass = mass * Math.exp(scoreOf(c, from, suffix, symbol));
          expansions.push({ suffix, symbol, mass: expansionMass });
          const whole = memory === 0 ? "" : telling(c, [...suffix, symbol].slice(-memory)).join();
          if (whole !== "") masses.set(whole, (masses.get(whole) ?? 0) + expansionMass);
        }
      }
    }
    if (expansions.length === 0) continue;
    const isEnd = slot === graph.slotCount - 1;
    const sorted = [...masses].sort((a, b) => b[1] - a[1]);
    const limit = isEnd ? 0 : (c.problem.limits?.[slot] ?? c.inference.contexts);
    if (limit > 0 && limit < sorted.length) {
      const ratio = sorted[limit][1] / sorted[limit - 1][1];
      if (ratio > 1 - 1e-9) return undefined;
    }
    const floor = (c.inference.lightest ?? 0) * (sorted[0]?.[1] ?? 0);
    if (sorted.some(([, mass]) => Math.abs(mass - floor) < 1e-9 * floor)) return undefined;
    sets[slot] = sorted
      .slice(0, limit)
      .filter(([, mass]) => mass >= floor)
      .map(([key]) => key);
    if (c.inference.mode !== "beam" || isEnd || c.inference.order === 0) sets[slot].push("");
    for (const { suffix, symbol, mass } of expansions) {
      const kept = isEnd ? [] : remember(c, sets[slot], suffix, symbol);
      if (kept) forward[slot].set(kept.join(), (forward[slot].get(kept.join()) ?? 0) + mass);
    }
  }
  return sets;
}

/** Score of an output in the full model of the order: every suffix is remembered. */
export function fullScore(c: Case, output: Output): number {
  let suffix: number[] = c.inference.order > 0 ? [-1] : [];
  let score = 0;
  output.symbols.forEach((symbol, i) => {
    score += scoreOf(c, output.slots[i], suffix, symbol);
    suffix = c.inference.order === 0 ? [] : [...suffix, symbol].slice(-c.inference.order);
  });
  return score;
}

export const logSum = (values: readonly number[]): number => {
  const top = Math.max(...values);
  return top === Number.NEGATIVE_INFINITY ? top : top + Math.log(values.reduce((s, v) => s + Math.exp(v - top), 0));
};

/** What kinds of problem to make. */
export interface Kind {
  /** Chains alone, with and without a decision for the end. */
  chains?: boolean;
  /** No weight is negative. */
  gains?: boolean;
}

/** Random problems: chains and branching graphs, sparse and dense rows with and without offsets, every order up to 3. */
export function caseArbitrary(overrides: Partial<Inference> = {}, scale = 2, kind: Kind = {}): fc.Arbitrary<Case> {
  return fc
    .record({
      seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      symbolCount: fc.integer({ min: 2, max: 4 }),
      length: fc.integer({ min: 0, max: 4 }),
      shape: kind.chains ? fc.constantFrom("chain", "open chain") : fc.constantFrom("chain", "graph"),
      order: fc.integer({ min: 0, max: 3 }),
      contexts: fc.integer({ min: 0, max: 6 }),
      recombine: fc.boolean(),
      byRows: fc.boolean(),
      rows: fc.constantFrom("longest" as const, "all" as const),
      mode: fc.constantFrom("rcms" as const, "beam" as const),
    })
    .map(({ seed, symbolCount, length, shape, ...inference }) => {
      const random = mulberry(seed);
      const choice = { ...inference, ...overrides };
      if (choice.mode === "beam") choice.contexts = Math.max(1, choice.contexts);
      const graph =
        shape === "chain"
          ? chainGraph(length, symbolCount)
          : shape === "open chain"
            ? openChainGraph(length + 1, symbolCount)
            : slotGraph(symbolCount, randomBranches(random, symbolCount));
      return makeCase(random, graph, choice, scale, kind.gains === true, overrides.contexts === undefined);
    });
}

/** Slots 0 .. n-1 and an end; every symbol of a slot leads somewhere later, some nowhere, most slots have several ways in. */
function randomBranches(random: () => number, symbolCount: number): Branch[][] {
  const slots = 2 + Math.floor(random() * 3);
  return Array.from({ length: slots }, (_, slot) => {
    const list: Branch[] = [];
    for (let y = 0; y < symbolCount; y++) {
      if (y > 0 && random() < 0.15) continue;
      const reach = Math.min(slots - slot, 3);
      list.push({ first: y, end: y + 1, next: slot + 1 + Math.floor(random() * reach) });
    }
    if (!list.some((b) => b.next === slot + 1)) list[0].next = slot + 1;
    return list;
  });
}

function makeCase(
  random: () => number,
  graph: Problem["graph"],
  inference: Inference,
  scale: number,
  gains: boolean,
  withLimits: boolean,
): Case {
  const { symbolCount } = graph;
  const table = new RowTableBuilder(symbolCount);
  const tree = new RowTreeBuilder();
  const entries = new Map<string, { row: number; symbols: number[] }>();
  const addRow = (key: string, node: number): void => {
    const all = Array.from({ length: symbolCount }, (_, y) => y);
    const symbols = random() < 0.5 ? all : all.filter(() => random() < 0.6);
    const row = symbols.length === symbolCount ? table.addDense() : table.add(symbols);
    tree.setRow(node, row);
    entries.set(key, { row, symbols });
  };
  addRow("", 0);
  // Suffixes closed under dropping the first and the last decision, as those counted from data are.
  const present = new Set<string>([""]);
  const grow = (suffixes: number[][], depth: number): void => {
    if (depth > inference.order) return;
    const next: number[][] = [];
    for (const shorter of suffixes) {
      for (let y = -1; y < symbolCount; y++) {
        const suffix = [y, ...shorter];
        if (shorter.includes(-1) || random() < 0.3 || !present.has(suffix.slice(0, -1).join())) continue;
        let node = 0;
        for (const event of [...suffix].reverse()) node = tree.child(node, event);
        addRow(suffix.join(), node);
        next.push(suffix);
      }
    }
    for (const suffix of next) present.add(suffix.join());
    grow(next, depth + 1);
  };
  grow([[]], 1);
  const built = table.build();
  const normal = () => (random() + random() + random() - 1.5) * scale;
  const weights = Float64Array.from({ length: built.symbols.length }, () => (gains ? Math.abs(normal()) : normal()));
  const slotScores = Float64Array.from({ length: graph.slotCount * symbolCount }, normal);
  const offsets = random() < 0.5 ? Float64Array.from({ length: table.rows }, normal) : undefined;
  const rowWeights = new Map<string, number[]>();
  const rowEntries = new Map<string, number[]>();
  for (const [key, { row, symbols }] of entries) {
    const places = new Array<number>(symbolCount).fill(-1);
    symbols.forEach((y, i) => {
      places[y] = built.start[row] + i;
    });
    rowEntries.set(key, places);
    rowWeights.set(
      key,
      places.map((e) => (e < 0 ? 0 : weights[e]) + (offsets?.[row] ?? 0)),
    );
  }
  const space: RowSpace = {
    table: built,
    families: [{ tree: tree.build(), depth: inference.order, skip: -2, pairs: false, keyed: false }],
    offsets,
  };
  const problem: Problem = { graph, slotScores };
  if (withLimits && inference.contexts > 0 && random() < 0.4) {
    problem.limits = Int32Array.from({ length: graph.slotCount }, () => 1 + Math.floor(random() * inference.contexts));
  }
  return { problem, space, weights, inference, rowWeights, rowEntries };
}

/** A small random generator, so that a case is a function of one number. */
export function mulberry(seed: number): () => number {
  let a = seed | 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
