// The mathematics of the toy task, written with public names: its probabilities are those of enumeration, its gradient that
// of finite differences, and the fast kernel does the work.

import * as fc from "fast-check";
import { BEGIN, backend, Gradient, generator, type Inference, type RowSpace, uniform } from "stargram/engine";
import { describe, expect, it } from "vitest";
import { codes, END, graphOf, signsOf, symbolsOf, wordOf } from "./code.js";
import { MorseEngine, MorseLearner, rowsOf } from "./learner.js";

const ORDER = 2;
/** So many contexts that none is left out: inference is exact. */
const everything: Inference = { mode: "rcms", contexts: 10_000, order: ORDER, recombine: true, rows: "all" };

/** Every word, decision by decision, that some signs can be. */
function readings(signs: string): number[][] {
  if (signs === "") return [[END]];
  return codes.flatMap((code, symbol) =>
    signs.startsWith(code) ? readings(signs.slice(code.length)).map((rest) => [symbol, ...rest]) : [],
  );
}

/** The sum of the weights that the decisions of a word meet, looked up letter by letter. */
function scoreOf({ table, families: [{ tree }] }: RowSpace, weights: Float64Array, symbols: readonly number[]): number {
  let score = 0;
  symbols.forEach((symbol, i) => {
    let node = 0;
    for (let back = i - 1; back >= Math.max(-1, i - ORDER); back--) {
      const event = back < 0 ? BEGIN : symbols[back];
      const child = Array.from(tree.childEvent)
        .slice(tree.childStart[node], tree.childStart[node + 1])
        .indexOf(event);
      if (child < 0) break;
      node = tree.childNode[tree.childStart[node] + child];
      score += weights[table.start[tree.row[node]] + symbol];
    }
  });
  return score;
}

function randomWeights(count: number, seed: number): Float64Array {
  const random = generator(seed, 0);
  return Float64Array.from({ length: count }, () => 4 * uniform(random) - 2);
}

const seenWords = ["sos", "tea", "eat", "neat", "ten", "net"];
const signsToRead = fc.string({ unit: fc.constantFrom(".", "-"), minLength: 1, maxLength: 9 });

describe("the toy task", () => {
  it("spells and reads its code", () => {
    expect(signsOf("paris")).toBe(".--..-.-......");
    expect(wordOf(symbolsOf("paris"))).toBe("paris");
    expect(readings("...---...").map(wordOf)).toContain("vms");
  });

  it("has the probabilities of enumeration", () => {
    const space = rowsOf(seenWords, ORDER);
    const engine = new MorseEngine(space, everything);
    fc.assert(
      fc.property(signsToRead, fc.nat(), (signs, seed) => {
        const weights = randomWeights(space.table.symbols.length, seed);
        const scores = readings(signs).map((symbols) => scoreOf(space, weights, symbols));
        const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
        const trellis = engine.forward(graphOf(signs), weights);
        expect(trellis.logPartition).toBeCloseTo(Math.log(total), 9);
        const best = engine.kernel.bestPath();
        expect(best?.score).toBeCloseTo(Math.max(...scores), 9);
      }),
    );
  });

  it("has the gradient of finite differences, also with few contexts", () => {
    const space = rowsOf(seenWords, ORDER);
    const count = space.table.symbols.length;
    fc.assert(
      fc.property(fc.constantFrom(...seenWords), fc.nat(), fc.integer({ min: 0, max: 4 }), (word, seed, contexts) => {
        const engine = new MorseEngine(space, { ...everything, contexts });
        const learner = new MorseLearner(engine, [{ signs: signsOf(word), word }]);
        const weights = randomWeights(count, seed);
        const gradient = new Gradient(space.table);
        const { logLikelihood } = learner.learn(0, weights, gradient);
        expect(learner.judge(0, weights).logLikelihood).toBeCloseTo(logLikelihood, 9);
        const random = generator(seed, 1);
        for (let trial = 0; trial < 20; trial++) {
          const entry = Math.floor(count * uniform(random));
          const at = (step: number): number => {
            const moved = weights.slice();
            moved[entry] += step;
            return learner.judge(0, moved).logLikelihood;
          };
          const slope = (at(1e-5) - at(-1e-5)) / 2e-5;
          expect(Math.abs(gradient.values[entry] - slope)).toBeLessThan(1e-6);
        }
      }),
      { numRuns: 20 },
    );
  });

  it.skipIf(process.env.STARGRAM_KERNEL === "js")("computes with the fast kernel", () => {
    expect(backend().name).toBe("wasm");
    const space = rowsOf(seenWords, ORDER);
    const trellis = new MorseEngine(space, everything).forward(graphOf("...---..."), new Float64Array(30_000));
    // The trellis lies in the memory of the WebAssembly kernel, where the backend's own arrays lie, too.
    const memory = new Float64Array(backend().arrays.float64(1).buffer, trellis.arcScore.byteOffset, 1);
    for (const mark of [123.5, -7.25]) {
      memory[0] = mark;
      expect(trellis.arcScore[0]).toBe(mark);
    }
  });
});
