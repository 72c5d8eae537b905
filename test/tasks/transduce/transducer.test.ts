// The transducer against enumeration of all alignments and outputs on small inputs, and what users rely on: sensible
// answers for tiny, empty, long and lopsided data.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RowTree } from "../../../src/engine/rows.js";
import type { Inference } from "../../../src/engine/trellis.js";
import type { SymbolPair } from "../../../src/formats/pair-lines.js";
import { Gradient } from "../../../src/learn/gradient.js";
import { Aligner } from "../../../src/tasks/transduce/aligner.js";
import { emitAt } from "../../../src/tasks/transduce/emits.js";
import { type Strategy, TransducerEngine, type TransducerShape } from "../../../src/tasks/transduce/engine.js";
import { chanceOfAny } from "../../../src/tasks/transduce/powers.js";
import { TransducerFeatures } from "../../../src/tasks/transduce/rows.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { logSum, mulberry } from "../../engine/oracle.js";

interface Small {
  engine: TransducerEngine;
  shape: TransducerShape;
  weights: Float64Array;
  input: Int32Array;
  marks: Int32Array;
  inference: Inference;
}

/** A random model over two input and two output symbols, with rows counted from random pairs, and an input. */
function smallArbitrary(contexts: number): fc.Arbitrary<Small> {
  return fc
    .record({
      seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      length: fc.integer({ min: 1, max: 3 }),
      maxEmit: fc.integer({ min: 1, max: 2 }),
      order: fc.integer({ min: 1, max: 4 }),
      edgeEmit: fc.constantFrom(0, 0, 1, 2),
      marked: fc.boolean(),
      copying: fc.boolean(),
    })
    .map(({ seed, length, maxEmit, order, edgeEmit, marked, copying }) => {
      const random = mulberry(seed);
      const whole = (limit: number): number => Math.floor(random() * limit);
      const symbolCount = 3;
      const boundary = 3;
      const rowOptions = { window: 3, windowLength: 2, skipLength: 2, outputGrams: 2, moveGrams: [2, 1], minCount: 1 };
      const copies = Int32Array.of(1, 0, -1, -1);
      const shape: TransducerShape = { symbolCount, boundary, maxEmit, edgeEmit, copies, rowOptions };
      const someMarks = () => (marked ? Int32Array.of(0, 1, 2).filter(() => random() < 0.6) : new Int32Array(0));
      const pairs = Array.from({ length: 4 }, () => {
        const input = Int32Array.from({ length: 1 + whole(3) }, () => whole(2));
        const moves: number[] = [];
        for (let j = 0; j < input.length; j++) {
          for (let k = whole(emitAt(shape, j, input.length) + 1); k > 0; k--) moves.push(whole(2));
          moves.push(symbolCount - 1);
        }
        return { input, marks: someMarks(), moves: Int32Array.from(moves) };
      });
      const rows = new TransducerFeatures({ pairs: () => pairs, samples: 1, marked, copying }, shape).rows();
      const inference: Inference = { mode: "rcms", contexts, order, recombine: true, rows: "all" };
      const weights = Float64Array.from(rows.table.symbols, () => 2 * random() - 1);
      const input = Int32Array.from({ length }, () => whole(2));
      const engine = new TransducerEngine(rows, shape, inference);
      return { engine, shape, weights, input, marks: someMarks(), inference };
    });
}

/** All move sequences of an input. */
function allMoves(length: number, shape: TransducerShape): number[][] {
  const shift = shape.symbolCount - 1;
  const found: number[][] = [];
  const walk = (j: number, k: number, moves: number[]): void => {
    if (j === length) {
      found.push(moves);
      return;
    }
    walk(j + 1, 0, [...moves, shift]);
    if (k < emitAt(shape, j, length)) for (let y = 0; y < shift; y++) walk(j, k + 1, [...moves, y]);
  };
  walk(0, 0, []);
  return found;
}

/** The rows of a tree by the events that lead to them. */
function rowsByPath(tree: RowTree): Map<string, number> {
  const rows = new Map<string, number>();
  const walk = (node: number, path: number[]): void => {
    if (tree.row[node] >= 0) rows.set(path.join(), tree.row[node]);
    for (let c = tree.childStart[node]; c < tree.childStart[node + 1]; c++) {
      walk(tree.childNode[c], [...path, tree.childEvent[c]]);
    }
  };
  walk(0, []);
  return rows;
}

/** Score of a move sequence, from the definition of the features, when every context of the order is remembered. */
function scorer({ engine, shape, weights, input, marks, inference }: Small): (moves: readonly number[]) => number {
  const { windowTree, outputTree, moveTree, marked, copyTree, table } = engine.rows;
  const markTrees = marked && { slot: rowsByPath(marked.tree), output: rowsByPath(marked.outputTree) };
  const copyRows = copyTree && rowsByPath(copyTree);
  const last = input.length - 1;
  const trees = { window: rowsByPath(windowTree), output: rowsByPath(outputTree), move: rowsByPath(moveTree) };
  const { window, windowLength, skipLength, moveGrams } = shape.rowOptions;
  const shift = shape.symbolCount - 1;
  const at = (j: number): number | undefined =>
    j >= 0 && j < input.length ? input[j] : j === -1 || j === input.length ? shape.boundary : undefined;
  const weightOf = (row: number | undefined, symbol: number): number => {
    if (row === undefined) return 0;
    for (let e = table.start[row]; e < table.start[row + 1]; e++) if (table.symbols[e] === symbol) return weights[e];
    return 0;
  };
  /** Up to `most` symbols from a position on, one way, and all beginnings of that from `least` symbols on. */
  const readings = (from: number, way: number, most: number, least: number): number[][] => {
    const found: number[][] = [];
    const text: number[] = [];
    for (let n = 0; n <= most; n++) {
      if (n >= least) found.push([...text]);
      const symbol = at(from + way * n);
      if (symbol === undefined) break;
      text.push(symbol);
    }
    return found;
  };
  const markFeatures = (j: number): number[][] => {
    const fromEnd = Math.min(7, last - j);
    const ofMarks = [...marks].flatMap((mark) => [
      ...readings(j, 1, 4, 0).map((text) => [0, mark, ...text]),
      ...readings(j, -1, 3, 2).map((text) => [1, mark, ...text]),
      ...readings(j + 1, 1, 3, 1).map((text) => [2, mark, ...text]),
      [3, mark, fromEnd],
    ]);
    return fromEnd > 2 ? ofMarks : [...ofMarks, ...[...new Set(input)].map((symbol) => [6, symbol, fromEnd])];
  };
  const copyFeatures = (j: number): number[][] => {
    const fromEnd = Math.min(7, last - j);
    return [
      [0],
      [0, fromEnd],
      [1, Math.min(2, j)],
      ...readings(j + 1, 1, 3, 1).map((text) => [4, ...text]),
      ...[...marks].flatMap((mark) => [
        [5, mark],
        [5, mark, fromEnd],
        ...readings(j + 1, 1, 3, 1).map((text) => [6, mark, ...text]),
      ]),
    ];
  };
  const copyOf = (j: number): number => shape.copies[input[shape.edgeEmit > 0 && j === last && j > 0 ? j - 1 : j]];
  return (moves) => {
    let score = 0;
    let j = 0;
    let written = 0;
    // What a context remembers: the last `order` moves with the input symbols they were made at, ^ before the first.
    let suffix: { move: number; input: number }[] = [{ move: -1, input: -1 }];
    for (const symbol of moves) {
      const kind = Math.min(written, 2) * (3 * window + 2);
      score += weightOf(trees.window.get(String(kind)), symbol);
      for (let left = 0; left <= window; left++) {
        for (let end = j; end <= j + window && end - (j - left) < windowLength; end++) {
          const text = Array.from({ length: end - (j - left) + 1 }, (_, i) => at(j - left + i));
          if (!text.includes(undefined)) {
            score += weightOf(trees.window.get([kind + 1 + left, ...text].join()), symbol);
          }
        }
      }
      for (const way of [1, -1]) {
        for (let away = 2; away <= window; away++) {
          for (let length = 1; length <= skipLength && away + length - 1 <= window; length++) {
            const text = Array.from({ length }, (_, i) => at(j + way * (away + i)));
            const skip = kind + window + away + (way < 0 ? window - 1 : 0);
            if (!text.includes(undefined))
              score += weightOf(trees.window.get([skip, input[j], ...text].join()), symbol);
          }
        }
      }
      const writtenClass = Math.min(written, 2);
      for (const [first, ...rest] of markTrees ? markFeatures(j) : []) {
        score += weightOf(markTrees?.slot.get([writtenClass * 8 + first, ...rest].join()), symbol);
      }
      for (const [first, ...rest] of copyRows && symbol === copyOf(j) ? copyFeatures(j) : []) {
        score += weightOf(copyRows?.get([writtenClass * 9 + first, ...rest].join()), 0);
      }
      const latestFirst = [...suffix].reverse();
      const outputs = latestFirst.filter(({ move }) => move !== shift).map(({ move }) => move);
      if (suffix.length === 0) score += weightOf(trees.output.get(""), symbol);
      for (let n = 1; n <= outputs.length; n++) {
        if (!trees.output.has(outputs.slice(0, n).join())) break;
        score += weightOf(trees.output.get(outputs.slice(0, n).join()), symbol);
      }
      for (const mark of markTrees ? marks : []) {
        for (let n = 1; n <= outputs.length; n++) {
          const path = [-2 - mark, ...outputs.slice(0, n)].join();
          if (!markTrees?.output.has(path)) break;
          score += weightOf(markTrees.output.get(path), symbol);
        }
      }
      for (let ahead = 0; ahead < moveGrams.length; ahead++) {
        const key = Array.from({ length: ahead + 1 }, (_, i) => at(j + i));
        if (key.includes(undefined)) break;
        const events = latestFirst.map((m) => (m.move < 0 ? -1 : m.input * shape.symbolCount + m.move));
        for (let n = 1; n <= events.length; n++) {
          const path = [...key.map((x) => -2 - (x as number)), ...events.slice(0, n)].join();
          if (!trees.move.has(path)) break;
          score += weightOf(trees.move.get(path), symbol);
        }
      }
      suffix = [...suffix, { move: symbol, input: input[j] }].slice(-inference.order);
      if (symbol === shift) {
        j++;
        written = 0;
      } else written++;
    }
    return score;
  };
}

const ALL = 10_000;

describe("probabilities of outputs", () => {
  it("are sums over alignments, when there is room for every context", () => {
    fc.assert(
      fc.property(smallArbitrary(ALL), (small) => {
        const { engine, shape, input, marks, weights } = small;
        const shift = shape.symbolCount - 1;
        const score = scorer(small);
        const byOutput = new Map<string, number[]>();
        for (const moves of allMoves(input.length, shape)) {
          const key = moves.filter((move) => move !== shift).join();
          byOutput.set(key, [...(byOutput.get(key) ?? []), score(moves)]);
        }
        const all = logSum([...byOutput.values()].flat());
        const trellis = engine.forward({ symbols: input, marks }, weights);
        expect(trellis.logPartition).toBeCloseTo(all, 9);
        for (const [key, scores] of byOutput) {
          const output = key === "" ? [] : key.split(",").map(Number);
          expect(engine.logProbability(output, input.length)).toBeCloseTo(logSum(scores) - all, 9);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("sum to one and are never zero, with few contexts", () => {
    fc.assert(
      fc.property(smallArbitrary(1), ({ engine, shape, input, marks, weights }) => {
        const shift = shape.symbolCount - 1;
        const outputs = new Map<string, number[]>();
        for (const moves of allMoves(input.length, shape)) {
          const output = moves.filter((move) => move !== shift);
          outputs.set(output.join(), output);
        }
        engine.forward({ symbols: input, marks }, weights);
        let sum = 0;
        for (const output of outputs.values()) {
          const log = engine.logProbability(output, input.length);
          expect(log).toBeGreaterThan(Number.NEGATIVE_INFINITY);
          sum += Math.exp(log);
        }
        expect(sum).toBeCloseTo(1, 9);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the gradient", () => {
  const strategies: Strategy[] = ["rcms", "hybrid"];
  it.each(strategies)("of %s is that of the log-likelihood, by finite differences", (strategy) => {
    fc.assert(
      fc.property(smallArbitrary(ALL), fc.integer(), ({ engine, shape, input, marks, weights }, seed) => {
        const shift = shape.symbolCount - 1;
        const paths = allMoves(input.length, shape);
        const pick = paths[Math.floor(mulberry(seed)() * paths.length)];
        const output = Int32Array.from(pick.filter((move) => move !== shift));
        const gradient = new Gradient(engine.rows.table);
        engine.learn({ symbols: input, marks }, [{ output, count: 1 }], weights, gradient, strategy);
        const at = (entry: number, step: number): number => {
          const moved = weights.slice();
          moved[entry] += step;
          engine.forward({ symbols: input, marks }, moved);
          return engine.logProbability(output, input.length);
        };
        for (let entry = 0; entry < weights.length; entry += 7) {
          const slope = (at(entry, 1e-4) - at(entry, -1e-4)) / 2e-4;
          expect(gradient.values[entry]).toBeCloseTo(slope, 6);
        }
      }),
      { numRuns: 20 },
    );
  });
});

it("a first pass climbs the log-probability of one alignment, by finite differences", () => {
  fc.assert(
    fc.property(smallArbitrary(ALL), fc.integer(), ({ engine, shape, input, marks, weights }, seed) => {
      const shift = shape.symbolCount - 1;
      const paths = allMoves(input.length, shape).map((moves) => Int32Array.from(moves));
      const learn = (moves: Int32Array, at: Float64Array, gradient: Gradient): number => {
        const output = moves.filter((move) => move !== shift);
        return engine.learn({ symbols: input, marks }, [{ output, count: 1, moves }], at, gradient, "rcms", true)
          .logLikelihood;
      };
      const table = engine.rows.table;
      const total = paths.reduce((sum, moves) => sum + Math.exp(learn(moves, weights, new Gradient(table))), 0);
      expect(total).toBeCloseTo(1, 9);
      const pick = paths[Math.floor(mulberry(seed)() * paths.length)];
      const gradient = new Gradient(table);
      learn(pick, weights, gradient);
      for (let entry = 0; entry < weights.length; entry += 11) {
        const at = (step: number): number => {
          const moved = weights.slice();
          moved[entry] += step;
          return learn(pick, moved, new Gradient(table));
        };
        expect(gradient.values[entry]).toBeCloseTo((at(1e-4) - at(-1e-4)) / 2e-4, 6);
      }
    }),
    { numRuns: 15 },
  );
});

describe("the rough alignment", () => {
  it("finds what co-occurs: every sample writes the output, and a learns to be A", () => {
    const inputs = ["ab", "ba", "aab", "b", "a", "abb", "bab"].map((text) =>
      Int32Array.from(text, (c) => (c === "a" ? 0 : 1)),
    );
    const outputStart = [0];
    const outputs: number[] = [];
    for (const input of inputs) {
      outputs.push(...input);
      outputStart.push(outputs.length);
    }
    const corpus = {
      inputCount: inputs.length,
      inputStart: Int32Array.from(outputStart),
      inputs: Int32Array.from(inputs.flatMap((input) => [...input])),
      markStart: new Int32Array(inputs.length + 1),
      marks: new Int32Array(0),
      answerStart: Int32Array.from({ length: inputs.length + 1 }, (_, i) => i),
      outputStart: Int32Array.from(outputStart),
      outputs: Int32Array.from(outputs),
      answerCount: new Int32Array(inputs.length).fill(1),
    };
    const aligner = new Aligner(2, 3, { maxEmit: 2, edgeEmit: 0 });
    aligner.fit(corpus, Int32Array.from(inputs.keys()), 20);
    const half = { next: () => 1 << 30 } as never;
    for (const input of inputs) {
      const moves = aligner.sample(input, input, half);
      expect([...(moves ?? [])]).toEqual([...input].flatMap((symbol) => [symbol, 2]));
    }
    expect(aligner.sample(Int32Array.of(0), Int32Array.of(0, 0, 0), half)).toBeUndefined();
  });
});

/** A made-up spelling: c is K before a and S before i; sh is one sound; e at the end is silent; x is K S. */
function spelling(): { input: string[]; output: string[] }[] {
  const sounds: [string, string[]][] = [
    ["ca", ["K", "A"]],
    ["ci", ["S", "I"]],
    ["sha", ["SH", "A"]],
    ["shi", ["SH", "I"]],
    ["xa", ["K", "S", "A"]],
    ["ta", ["T", "A"]],
    ["ti", ["T", "I"]],
    ["sa", ["S", "A"]],
  ];
  const pairs: { input: string[]; output: string[] }[] = [];
  for (const [a, soundA] of sounds) {
    for (const [b, soundB] of sounds) {
      pairs.push({ input: [...a, ...b], output: [...soundA, ...soundB] });
      pairs.push({ input: [...a, ...b, "e"], output: [...soundA, ...soundB] });
    }
  }
  return pairs;
}

describe("Transducer", () => {
  it("learns digraphs, silent letters and one-to-many from pairs alone, and applies them to a new word", async () => {
    const transducer = await Transducer.train(spelling(), { passes: 12 });
    const prediction = transducer.predict([..."shicixae"], { nbest: 3, alignment: true });
    expect(prediction.output).toEqual(["SH", "I", "S", "I", "K", "S", "A"]);
    expect(prediction.alignment?.map(({ input }) => input).join("")).toBe("shicixae");
    expect(prediction.alignment?.flatMap(({ output }) => output)).toEqual(prediction.output);
    expect(prediction.nbest).toHaveLength(3);
    const probabilities = (prediction.nbest ?? []).map(({ probability }) => probability);
    expect([...probabilities].sort((a, b) => b - a)).toEqual(probabilities);
    expect(probabilities.reduce((a, b) => a + b)).toBeLessThanOrEqual(1 + 1e-9);
    expect(prediction.probability).toBe(probabilities[0]);
    // It is the only candidate, so what candidates have together is its own.
    const log = transducer.logLikelihood([..."shicixae"], prediction.output);
    const chance = chanceOfAny([{ log, joint: 0, triggers: 0, words: 0 }], log, transducer.powers);
    expect(chance).toBeCloseTo(prediction.logProbability, 9);
    expect(transducer.summary.alignedPairs).toBe(transducer.summary.pairs);
    const aligned = transducer.align([..."xata"], ["K", "S", "A", "T", "A"]);
    expect(aligned?.map(({ output }) => output.join(""))).toEqual(["KS", "A", "T", "A"]);
    expect(transducer.align([..."ta"], ["Q"])).toBeUndefined();
  });

  it("reports symbols it has never seen and answers all the same", async () => {
    const transducer = await Transducer.train(spelling(), { passes: 3 });
    const prediction = transducer.predict([..."ta?ta"]);
    expect(prediction.unknown).toEqual(["?"]);
    expect(prediction.probability).toBeGreaterThan(0);
  });

  it.each(["model", "target", "hybrid", "forced"] as const)("trains by the strategy %s", async (strategy) => {
    const transducer = await Transducer.train(spelling(), { passes: 2, strategy, contexts: 10 });
    const { pairs, alignedPairs } = transducer.summary;
    if (strategy === "model") expect(alignedPairs).toBeLessThan(pairs);
    else expect(alignedPairs).toBeGreaterThan(0.9 * pairs);
  });

  it("trains with a range of contexts, keeps it, and says what a search took", async () => {
    const contexts = { least: 1, most: 12 };
    const given = { passes: 2, contexts, ensemble: 1, heldOut: 0 };
    const transducer = await Transducer.train(spelling(), given);
    const loaded = decodeModel(encodeModel(transducer)) as Transducer;
    expect(loaded.options).toMatchObject({ contexts, sure: 0.95 });
    const [own, other] = [transducer, loaded].map((one) => one.predict([..."tateti"]));
    expect(other).toEqual(own);
    expect(own.spent?.rounds[0].contexts).toBe(1);
    loaded.setSure(0);
    expect(loaded.predict([..."tateti"]).spent?.passes).toBe(1);
    // Sizes drawn while learning make other weights than one size does.
    const fixed = await Transducer.train(spelling(), { ...given, contexts: 12 });
    expect(fixed.weights).not.toEqual(transducer.weights);
  });

  it("tells after each pass how many pairs were aligned in it, though the next one has begun", async () => {
    const options = { strategy: "model", contexts: 4, heldOut: 0, order: 2 } as const;
    const pairs = spelling();
    const told: number[] = [];
    const steps: number[] = [];
    let step = 0;
    await Transducer.train(pairs, {
      ...options,
      passes: 3,
      onExample() {
        // Training pauses, and `onPass` is called, after a while: late in the pass that follows.
        const until = ++step % pairs.length === 100 ? performance.now() + 110 : 0;
        while (performance.now() < until);
      },
      onPass(transducer) {
        told.push(transducer.summary.alignedPairs);
        steps.push(step % pairs.length);
      },
    });
    expect(steps).not.toEqual([0, 0, 0]);
    for (const passes of [1, 2, 3]) {
      const { summary } = await Transducer.train(pairs, { ...options, passes });
      expect(told[passes - 1]).toBe(summary.alignedPairs);
    }
    expect(new Set(told).size).toBe(3);
  });

  it("writes outputs much longer than inputs, and is calibrated without forgetting how", async () => {
    const code = ["alfa", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett"];
    const random = mulberry(11);
    const words = Array.from({ length: 240 }, () =>
      Array.from({ length: 2 + Math.floor(4 * random()) }, () => code[Math.floor(code.length * random())]),
    );
    const pairs = words.map((word) => ({ input: word.map(([letter]) => letter), output: [...word.join("")] }));
    const transducer = await Transducer.train(pairs.slice(40), { passes: 6, ensemble: 1 });
    const right = pairs.slice(0, 40).filter(({ input, output }) => {
      const found = transducer.predict(input);
      return found.output.join() === output.join() && found.probability > 0.1;
    });
    expect(right.length).toBeGreaterThanOrEqual(38);
    // Twenty pairs are too few to hold any out: what is learned is at least these.
    const few = pairs.slice(0, 20);
    const own = await Transducer.train(few, { passes: 40 });
    expect(few.filter(({ input, output }) => own.predict(input).output.join() === output.join())).toHaveLength(20);
  });

  it("goes on from a transducer with the options that it has, and refuses others by name", async () => {
    const from = await Transducer.train(spelling(), { passes: 1, order: 3 });
    const { moveGrams } = from.options;
    const more = await Transducer.train(spelling(), { from, order: 3, moveGrams, passes: 1 });
    expect(more.options.order).toBe(3);
    await expect(Transducer.train(spelling(), { from, order: 4 })).rejects.toThrow(
      /`order` cannot change.*\(4.*has 3\)/,
    );
  });

  it("knows as much with pairs held out as without, where no output is right as a whole", async () => {
    // Two dozen symbols, each written as itself or, three times of ten, as drawn by lot.
    const random = mulberry(7);
    const symbol = () => "abcdef"[Math.floor(random() * 6)];
    const pairs = Array.from({ length: 180 }, () => {
      const input = Array.from({ length: 24 }, symbol);
      return { input, output: input.map((one) => (random() < 0.3 ? symbol() : one)) };
    });
    const options = {
      passes: 2,
      ensemble: 1,
      maxEmit: 2,
      contexts: 3,
      window: 1,
      order: 3,
      moveGrams: [2],
      outputGrams: 2,
    };
    const logLikelihood = async (heldOut: number): Promise<number> => {
      const transducer = await Transducer.train(pairs.slice(0, 120), { ...options, heldOut });
      const logs = pairs.slice(120).map(({ input, output }) => transducer.logLikelihood(input, output));
      return logs.reduce((sum, log) => sum + log) / logs.length;
    };
    expect(await logLikelihood(0.2)).toBeGreaterThan((await logLikelihood(0)) - 4);
  });

  it("gives the same model for the same seed", async () => {
    const one = await Transducer.train(spelling(), { passes: 2 });
    const two = await Transducer.train(spelling(), { passes: 2 });
    expect(two.weights).toEqual(one.weights);
  });

  it("chooses a lighter penalty for rules than for noise, and keeps one that is given", async () => {
    // 1,024 inputs of two symbols, written as themselves, or as drawn by lot.
    const names = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0x61 + i));
    const random = mulberry(5);
    const lot = () => names[Math.floor(random() * names.length)];
    const inputs = names.flatMap((a) => names.map((b) => [a, b]));
    const options = { passes: 1, ensemble: 1, window: 1, outputGrams: 1, moveGrams: [1], contexts: 1, maxEmit: 1 };
    const chosen = async (write: (input: string[]) => string[], more = {}) => {
      const pairs = inputs.map((input) => ({ input, output: write(input) }));
      return (await Transducer.train(pairs, { ...options, ...more })).options.l2;
    };
    const rules = await chosen((input) => input);
    const noise = await chosen(([a]) => [random() < 0.4 ? a : lot(), lot()]);
    expect(rules).toBeLessThanOrEqual(noise);
    expect(await chosen((input) => input, { l2: 2.5 })).toBe(2.5);
  });

  it("learns from one pair, from empty outputs and from outputs ten times as long", async () => {
    const one = await Transducer.train([{ input: ["a"], output: ["A"] }]);
    expect(one.predict(["a"]).output).toEqual(["A"]);
    const empty = await Transducer.train([{ input: ["a", "b"], output: [] }]);
    expect(empty.predict(["b", "a"]).output).toEqual([]);
    const long = await Transducer.train(
      ["ab", "ba", "aa"].map((text) => ({
        input: [...text],
        output: [...text].flatMap((c) => [...(c === "a" ? "0123456789" : "9876543210")]),
      })),
      { passes: 20 },
    );
    expect(long.options.maxEmit).toBe(10);
    expect(long.predict(["b", "a"]).output.join("")).toBe("98765432100123456789");
  });

  it("learns the other pairs where one output is far too long", async () => {
    const pairs = [...spelling().slice(0, 20), { input: ["a"], output: Array.from({ length: 900 }, () => "A") }];
    const transducer = await Transducer.train(pairs, { passes: 1, heldOut: 0, contexts: 2 });
    expect(transducer.summary.alignedPairs).toBe(20);
    await expect(Transducer.train(pairs, { maxEmit: 900 })).rejects.toThrow(/maxEmit.*at most/);
  });

  it("reads an input of 5,000 symbols", async () => {
    const transducer = await Transducer.train(spelling(), { passes: 8 });
    const input = [..."tacishixa".repeat(556)].slice(0, 5000);
    const prediction = transducer.predict(input, { alignment: true });
    expect(prediction.alignment).toHaveLength(5000);
    expect(prediction.output.slice(0, 6)).toEqual(["T", "A", "S", "I", "SH", "I"]);
    expect(prediction.logProbability).toBeLessThanOrEqual(0);
    expect(prediction.logProbability).toBeGreaterThan(-2000);
  });

  it("can be stopped while alignments are imputed, and then leaves no checkpoint", async () => {
    let asked = 0;
    let learned = 0;
    const checkpoints: unknown[] = [];
    const stopped = await Transducer.train(spelling(), {
      ...{ strategy: "forced", passes: 1, l2: 1 },
      shouldStop: () => ++asked > 3,
      onExample: () => learned++,
      onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
    });
    expect(stopped.summary).toMatchObject({ stopped: true, history: [] });
    expect(learned).toBeLessThanOrEqual(1);
    expect(checkpoints).toEqual([]);
  });

  it("leaves pairs without an alignment out of the mean likelihood, and says nothing where all are", async () => {
    const pairs = spelling();
    const tooLong: SymbolPair[] = pairs.map((_, i) => ({ input: ["q", `${i}`], output: Array(9).fill("A") }));
    // With a rate of almost nothing the weights stay at 0, and what a pair has is decided by its lengths.
    const still = { maxEmit: 2, passes: 1, rate: 1e-12, l2: 0 };
    const means = async (given: SymbolPair[], heldOut: number) =>
      (await Transducer.train(given, { ...still, heldOut })).summary.history[0];
    const alone = await means(pairs, 0);
    expect(alone.trainLogLikelihood).toBeLessThan(0);
    const together = await means([...pairs, ...tooLong], 0);
    expect(together.trainLogLikelihood).toBeCloseTo(alone.trainLogLikelihood as number, 6);
    const none = await means(tooLong, 0.2);
    expect(none.trainLogLikelihood).toBeUndefined();
    expect(none.heldOut).toMatchObject({ logLikelihood: undefined, exact: 0 });
    expect(none.heldOut?.accuracy).toBeGreaterThanOrEqual(0);
  });

  it("refuses pairs and inputs of another shape, as programs without types may give them", async () => {
    const wrong: unknown[] = [null, undefined, "ab", [["a"], ["A"]], {}, { input: ["a"] }];
    wrong.push({ input: "ab", output: ["A"] }, { input: ["a"], output: "x" }, { input: [1], output: ["A"] });
    wrong.push({ input: ["a"], output: [1] }, { input: ["a"], output: null });
    for (const pair of wrong) {
      await expect(Transducer.train([...spelling(), pair as SymbolPair])).rejects.toThrow(InputError);
    }
    const bad = { input: ["a"], output: 3, file: "pairs.tsv", line: 7 } as unknown as SymbolPair;
    await expect(Transducer.train([bad])).rejects.toThrow(/^pairs.tsv:7: `output` should be an array of symbols/);
    const transducer = await Transducer.train(spelling(), { passes: 1, l2: 1 });
    for (const input of ["abc", [1, 2], null, undefined, { length: 1 }] as never[]) {
      expect(() => transducer.predict(input)).toThrow(/`input` should be an array of symbols/);
      expect(() => transducer.align(input, ["A"])).toThrow(/`input` should be/);
      expect(() => transducer.align(["a"], input)).toThrow(/`output` should be/);
      expect(() => transducer.logLikelihood(["a"], input)).toThrow(/`output` should be/);
    }
  });

  it("refuses options of a prediction that it does not know or cannot use, by name", async () => {
    const transducer = await Transducer.train(spelling(), { passes: 1, l2: 1 });
    const wrong: [options: object, message: RegExp][] = [
      [{ nbset: 3 }, /`nbset`; did you mean `nbest`/],
      [{ nbest: -1 }, /`nbest` must be/],
      [{ nbest: 1001 }, /`nbest` must be a whole number of at least 0 and at most 1000, not 1001/],
      [{ inference: { contxts: 2 } }, /`contxts`; did you mean `contexts`/],
      [{ inference: { mode: "bean" } }, /`bean`; did you mean `beam`/],
      [{ inference: { contexts: -5 } }, /`contexts` must be a whole number of at least 0/],
      [{ inference: { mode: "beam", contexts: 0 } }, /`contexts` must be a whole number of at least 1/],
      [{ inference: { lightest: 2 } }, /`lightest` must be a share/],
      [{ inference: null }, /must be an object, not null/],
    ];
    for (const [options, message] of wrong) {
      expect(() => transducer.predict(["t", "a"], options)).toThrow(message);
      expect(() => transducer.predict(["t", "a"], options)).toThrow(InputError);
    }
    expect(() => transducer.predict(["t", "a"], { inference: { mode: "beam", contexts: 1 } })).not.toThrow();
  });

  it("refuses what it cannot use, in plain words", async () => {
    await expect(Transducer.train([])).rejects.toThrow(new InputError("there are no pairs to learn from"));
    await expect(Transducer.train([{ input: [], output: ["A"] }])).rejects.toThrow(/input is empty/);
    await expect(Transducer.train(spelling(), { ordr: 3 } as never)).rejects.toThrow(/did you mean `order`/);
    await expect(Transducer.train(spelling(), { strategy: "rcm" as never })).rejects.toThrow(/rcms/);
    await expect(Transducer.train(spelling(), { maxEmit: 0 })).rejects.toThrow(/maxEmit/);
    for (const name of ["rate", "l2", "l1"]) {
      await expect(Transducer.train(spelling(), { [name]: 1e300 })).rejects.toThrow(new RegExp(`${name}.* at most`));
    }
  });
});
