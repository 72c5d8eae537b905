// Rows of some pairs among those of all: the same features with the same symbols. And what is held out leaves no rows.

import { describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { childOf, type RowTable, type RowTree } from "../../../src/engine/rows.js";
import { entriesIn } from "../../../src/tasks/transduce/carry.js";
import { viewsOf } from "../../../src/tasks/transduce/classes.js";
import { chooseOptions, shapeOf } from "../../../src/tasks/transduce/options.js";
import { PairCorpusBuilder } from "../../../src/tasks/transduce/pairs.js";
import { prepare } from "../../../src/tasks/transduce/preparation.js";
import { type AlignedPair, TransducerFeatures, type TransducerRows } from "../../../src/tasks/transduce/rows.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { mulberry } from "../../engine/oracle.js";

function randomPairs(count: number, seed: number) {
  const random = mulberry(seed);
  return Array.from({ length: count }, () => {
    const input = Array.from({ length: 2 + Math.floor(4 * random()) }, () => "abcde"[Math.floor(5 * random())]);
    const output = input.flatMap((letter) => (random() < 0.2 ? [] : [letter.toUpperCase()]));
    return { input, output: output.length > 0 ? output : ["A"], attributes: [random() < 0.5 ? "x" : "y"] };
  });
}

function prepared(withAttributes: boolean) {
  const inputSymbols = new Alphabet();
  const outputSymbols = new Alphabet();
  const marks = new Alphabet();
  const builder = new PairCorpusBuilder(inputSymbols, outputSymbols, marks, true);
  for (const { input, output, attributes } of randomPairs(60, 3)) {
    builder.add(withAttributes ? { input, output, attributes } : { input, output });
  }
  const corpus = builder.build();
  const data = { corpus, inputSymbols, outputSymbols, marks };
  const options = chooseOptions(data, { edgeEmit: 0, copying: withAttributes, minCount: 1 });
  const shape = shapeOf(inputSymbols, outputSymbols, options);
  return { corpus, rowsOf: prepare(corpus, shape, options, viewsOf(corpus, inputSymbols)).rowsOf };
}

/** Weights by feature: the events that lead to a row, and the symbol. */
function named(rows: TransducerRows, weights: ArrayLike<number>): Map<string, number> {
  const found = new Map<string, number>();
  const trees: Record<string, RowTree | undefined> = {
    windows: rows.windowTree,
    outputs: rows.outputTree,
    moves: rows.moveTree,
    marks: rows.marked?.tree,
    markedOutputs: rows.marked?.outputTree,
    copies: rows.copyTree,
  };
  for (const [name, tree] of Object.entries(trees)) {
    if (!tree) continue;
    const visit = (node: number, path: string): void => {
      const row = tree.row[node];
      for (let e = rows.table.start[row] ?? 0; row >= 0 && e < rows.table.start[row + 1]; e++) {
        found.set(`${path} = ${rows.table.symbols[e]}`, weights[e]);
      }
      for (let c = tree.childStart[node]; c < tree.childStart[node + 1]; c++) {
        const event = tree.childEvent[c];
        visit(childOf(tree, node, event), `${path} ${event}`);
      }
    };
    visit(0, name);
  }
  return found;
}

describe.each([false, true])("rows of some inputs (attributes: %s)", (withAttributes) => {
  const { corpus, rowsOf } = prepared(withAttributes);
  const some = rowsOf(Int32Array.from({ length: corpus.inputCount - 20 }, (_, i) => i));
  const all = rowsOf();

  it("are among those of all, and weights keep their features", () => {
    const random = mulberry(5);
    const weights = Float64Array.from(some.table.symbols, () => 1 + random());
    const carried = new Float64Array(all.table.symbols.length);
    entriesIn(all, some).forEach((place, e) => {
      carried[place] = weights[e];
    });
    const [before, after] = [named(some, weights), named(all, carried)];
    expect(before.size).toBe(weights.length);
    expect(after.size).toBeGreaterThan(before.size);
    for (const [feature, weight] of after) expect(weight).toBe(before.get(feature) ?? 0);
    for (const feature of before.keys()) expect(after.has(feature)).toBe(true);
  });
});

it.each([1, 2, 3])("rows without some pairs are those of the others alone (seen at least %i times)", (minCount) => {
  const random = mulberry(minCount);
  const whole = (limit: number): number => Math.floor(random() * limit);
  const shape = {
    symbolCount: 4,
    boundary: 4,
    edgeEmit: 0,
    copies: Int32Array.of(0, 1, 2, -1, -1),
    rowOptions: { window: 3, windowLength: 4, skipLength: 2, outputGrams: 2, moveGrams: [3, 2], minCount },
  };
  const pairs: AlignedPair[] = Array.from({ length: 40 }, () => {
    const input = Int32Array.from({ length: 1 + whole(5) }, () => whole(4));
    const moves = Array.from(input, () => [...Array.from({ length: whole(3) }, () => whole(3)), 3]).flat();
    return { input, marks: Int32Array.of(whole(2)), moves: Int32Array.from(moves) };
  });
  const views = [Int32Array.of(0, 0, 1, 1, 2)];
  const featuresOf = (some: readonly AlignedPair[]): TransducerFeatures =>
    new TransducerFeatures({ pairs: () => some, samples: 1, views, marked: true, copying: true }, shape);
  const features = featuresOf(pairs);
  for (const kept of [0, 1, 20, 39, 40]) {
    const rows = features.rows(() => pairs.slice(kept));
    const alone = featuresOf(pairs.slice(0, kept)).rows();
    expect(rows.table.symbols.length).toBe(alone.table.symbols.length);
    const numbers = (table: RowTable): number[] => [...table.symbols.keys()];
    expect([...named(rows, numbers(rows.table)).keys()].sort()).toEqual(
      [...named(alone, numbers(alone.table)).keys()].sort(),
    );
  }
});

describe("held-out inputs", () => {
  it("leave no rows in the model that they judge, and have rows when all are learned from", async () => {
    const pairs = randomPairs(60, 3).map(({ input, output }) => ({ input, output }));
    const options = { heldOut: 0.5, passes: 1, l2: 1, ensemble: 1, jointGrams: 0, lookup: false };
    const kept = await Transducer.train(pairs, { ...options, refit: false });
    const all = await Transducer.train(pairs, options);
    const none = await Transducer.train(pairs, { ...options, heldOut: 0 });
    expect(kept.rows.table.symbols.length).toBeLessThan(0.9 * all.rows.table.symbols.length);
    expect(all.rows.table.symbols).toEqual(none.rows.table.symbols);
  });
});
