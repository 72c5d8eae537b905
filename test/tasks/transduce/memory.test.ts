// What was seen is remembered: an input from the training pairs gets the answers it had, the most frequent first.

import { describe, expect, it } from "vitest";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";

/** Random answers: nothing can be learned but by heart. */
function noise(count: number, seed = 4) {
  const random = mulberry(seed);
  const draw = (signs: string, length: number): string[] =>
    Array.from({ length }, () => signs[Math.floor(signs.length * random())]);
  const all = Array.from({ length: count }, () => ({ input: draw("abcde", 5), output: draw("xyz", 4) }));
  return all.filter(({ input }, i) => all.findIndex((one) => one.input.join() === input.join()) === i);
}

const once = noise(60);
const often = { input: [..."abba"], answers: { xyx: 5, zzz: 2, y: 1 } };
const pairs = [
  ...once,
  ...Object.entries(often.answers).flatMap(([output, count]) =>
    Array.from({ length: count }, () => ({ input: often.input, output: [...output] })),
  ),
];
const options = { passes: 2, l2: 4, window: 1, ensemble: 1 };
const trained = Transducer.train(pairs, options);

describe("an input from the training pairs", () => {
  it("gets its answer, whatever the model has learned", async () => {
    const transducer = await trained;
    for (const { input, output } of once) expect(transducer.predict(input).output).toEqual(output);
  });

  it("gets all its answers as the n best, and the first of these is the best", async () => {
    const transducer = await trained;
    for (const nbest of [1, 3, 8]) {
      const prediction = transducer.predict(often.input, { nbest, alignment: true });
      const found = prediction.nbest ?? [];
      expect(found.length).toBe(nbest);
      expect(found.slice(0, 3).map(({ output }) => output.join(""))).toEqual(["xyx", "zzz", "y"].slice(0, nbest));
      expect(found[0].output).toEqual(prediction.output);
      expect(found[0].probability).toBe(transducer.predict(often.input).probability);
      for (const { output, alignment } of found) expect(alignment?.flatMap((part) => part.output)).toEqual(output);
      expect(found.reduce((sum, { probability }) => sum + probability, 0)).toBeLessThanOrEqual(1 + 1e-9);
    }
  });

  it("mixes how often they were seen with what the model thinks", async () => {
    const transducer = await trained;
    const { nbest = [] } = transducer.predict(often.input, { nbest: 3 });
    for (const { output, probability } of nbest) {
      const own = Math.exp(transducer.logLikelihood(often.input, output));
      const count = often.answers[output.join("") as "xyx"];
      expect(probability).toBeCloseTo((count + 0.2 * own) / 8.2, 9);
    }
  });

  it("is like any other without `lookup`", async () => {
    const transducer = await Transducer.train(pairs, { ...options, lookup: false });
    expect(transducer.remembered).toBeUndefined();
    const right = once.filter(({ input, output }) => transducer.predict(input).output.join() === output.join());
    expect(right.length).toBeLessThan(once.length / 2);
  });
});

it("what is remembered is kept in the file", async () => {
  const transducer = await trained;
  const loaded = decodeModel(encodeModel(transducer)) as Transducer;
  for (const { input } of [...once.slice(0, 10), often, { input: [..."eeeee"] }]) {
    expect(loaded.predict(input, { nbest: 4 })).toEqual(transducer.predict(input, { nbest: 4 }));
  }
});

it("a training that goes on remembers both", async () => {
  const more = noise(10, 9);
  const transducer = await Transducer.train(more, { from: await trained, passes: 1 });
  for (const { input, output } of [...once, ...more]) expect(transducer.predict(input).output).toEqual(output);
});
