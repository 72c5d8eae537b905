// The model of words: Witten and Bell's formula by hand, a probability over all outputs, and a transducer that uses it.

import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { Transducer } from "../../src/tasks/transducer.js";
import { countWords, WordModel } from "../../src/tasks/word-model.js";

const letters = " ab";
const numbers = (text: string): number[] => [...text].map((letter) => letters.indexOf(letter));
const modelOf = (...outputs: string[]): WordModel =>
  new WordModel(
    countWords(
      outputs.map((text) => ({ output: numbers(text), count: 1 })),
      0,
    ),
    0,
    letters.length,
  );

describe("a model of words", () => {
  it("interpolates as Witten and Bell do", () => {
    const model = modelOf("a", "a");
    // Words after `^`: a, a. Alone: a twice, the end twice. The one known word is spelled ^ a $; three events a history can
    // be followed by (a, b, end), a history of its own each time, so that every longer one halves what is missing.
    const alone = (symbol: number): number => (symbol + 2 * (1 / 3)) / 4; // after nothing: a once, the end once
    const first = (1 + alone(1)) / 2; // ^ -> a
    const end = (1 + (1 + alone(1)) / 2) / 2; // a -> end, then ^ a -> end
    const spelled = first * end;
    const word = (2 + 2 * spelled) / 6;
    const start = (2 + word) / 3;
    const stop = (2 + 2 / 6) / 3;
    expect(model.logProbability(numbers("a"))).toBeCloseTo(Math.log(start * stop), 12);
  });

  it("gives all outputs together a probability of one", () => {
    // Short outputs, often: little is left for long ones.
    const counts = countWords(
      ["a", "b", "ab", "b a"].map((text) => ({ output: numbers(text), count: 1000 })),
      0,
    );
    const model = new WordModel(counts, 0, letters.length);
    let sum = 0;
    let outputs: number[][] = [[]];
    for (let length = 0; length <= 7; length++) {
      for (const output of outputs) sum += Math.exp(model.logProbability(output));
      outputs = outputs.flatMap((output) => [0, 1, 2].map((symbol) => [...output, symbol]));
    }
    expect(sum).toBeLessThanOrEqual(1 + 1e-9);
    expect(sum).toBeGreaterThan(0.995);
  });

  it("prefers known words, and known neighbours", () => {
    const model = modelOf("a b", "a b", "ba ab");
    const log = (text: string): number => model.logProbability(numbers(text));
    expect(log("a b")).toBeGreaterThan(log("b a"));
    expect(log("ba")).toBeGreaterThan(log("bb"));
  });

  it("has a number for an unknown word of any length", () => {
    const log = modelOf("a b").logProbability(new Int32Array(5000).fill(1));
    expect(log).toBeLessThan(-500);
    expect(log).toBeGreaterThan(Number.NEGATIVE_INFINITY);
  });
});

describe("a transducer with a model of words", () => {
  // Both words sound the same, and only their neighbours tell which it is.
  const texts: [string, string][] = [
    ["q i q x", "i see"],
    ["z i q x", "the sea"],
    ["q i q", "i"],
    ["z i", "the"],
    ["x", "sea"],
    ["x", "sea"],
    ["x", "see"],
  ];
  const pairs = texts.map(([input, output]) => ({ input: input.split(" "), output: [...output] }));
  const options = { epochs: 5, maxEmit: 4, heldOut: 0 };

  it("shares the candidates' probability out anew, in proportion to p q^words", async () => {
    const plain = await Transducer.train(pairs, options);
    const weighted = await Transducer.train(pairs, { ...options, words: 0.5 });
    const input = ["z", "x"];
    const after = weighted.predict(input, { nbest: 20 }).nbest ?? [];
    const text = ({ output }: { output: string[] }): string => output.join("");
    const before = plain.predict(input, { nbest: 60 }).nbest ?? [];
    const words = weighted.words as WordModel;
    const number = (symbol: string): number => weighted.outputSymbols.indexOf(symbol);
    const share = (one: (typeof after)[0]): number => {
      const own = before.find((other) => text(other) === text(one))?.probability ?? Number.NaN;
      return own * Math.exp(0.5 * words.logProbability(one.output.map(number)));
    };
    // The first few were candidates for certain.
    for (const one of after.slice(1, 4)) {
      expect(one.probability / after[0].probability).toBeCloseTo(share(one) / share(after[0]), 9);
    }
    expect(text(after[0])).not.toBe(text(before[0]));
    expect(after.reduce((sum, { probability }) => sum + probability, 0)).toBeLessThan(1 + 1e-9);
    expect(weighted.predict(input).probability).toBe(after[0].probability);
    expect(after.map(({ probability }) => probability)).toEqual(
      after.map(({ probability }) => probability).sort((a, b) => b - a),
    );
  });

  it("is not for outputs without spaces", async () => {
    const single = pairs.filter(({ output }) => !output.includes(" "));
    await expect(Transducer.train(single, { ...options, words: 0.5 })).rejects.toThrow(InputError);
  });
});
