// The model of words: Witten and Bell's formula by hand, a probability over all outputs, and a transducer that uses it.

import { describe, expect, it } from "vitest";
import type { Checkpoint } from "../../../src/learn/training.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { countWords, WordModel } from "../../../src/tasks/transduce/word-model.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";

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
  const options = { passes: 5, maxEmit: 4, heldOut: 0, contexts: 6 };

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

  describe("whose weight is chosen", () => {
    // `x` sounds like sea and like see; the word before tells which it is, and the transducer cannot look so far back.
    const before = { q: "i", z: "the", p: "we", t: "a", r: "you", s: "my" };
    const sounds = Object.keys(before) as (keyof typeof before)[];
    const sentence = (...heard: (keyof typeof before)[]) => ({
      input: heard.flatMap((sound) => [sound, "_", "x", "|"]).slice(0, -1),
      output: [...heard.map((sound) => `${before[sound]} ${"zts".includes(sound) ? "sea" : "see"}`).join(" ")],
    });
    const sentences = sounds.flatMap((a) => [sentence(a), ...sounds.map((b) => sentence(a, b))]);
    const fewRows = { window: 0, order: 1, outputGrams: 1, moveGrams: [1], contexts: 4, maxEmit: 3, passes: 3 };
    const given = { ...fewRows, words: "chosen", heldOut: 0.3 } as const;
    const asked = [sentence("q", "z", "p"), sentence("t", "r", "s"), sentence("z", "q", "s")];
    const training = Transducer.train(sentences, given);
    const right = (transducer: Transducer): number =>
      asked.filter(({ input, output }) => transducer.predict(input).output.join() === output.join()).length;

    it("writes what only words can tell", async () => {
      const transducer = await training;
      expect(right(await Transducer.train(sentences, { ...given, words: 0 }))).toBe(0);
      expect(right(transducer)).toBeGreaterThan(1);
      expect(transducer.options.words).toBeGreaterThan(0);
      expect(transducer.powers.words / transducer.powers.own).toBeCloseTo(transducer.options.words, 12);
    });

    it("is tried without being asked for, where most outputs hold several words", async () => {
      const twice = [...sentences, ...sentences.map(({ input, output }) => ({ input: [...input, "."], output }))];
      const { words: _, ...rest } = given;
      expect((await Transducer.train(twice, rest)).words).toBeDefined();
      expect((await Transducer.train(twice, { ...rest, words: 0 })).words).toBeUndefined();
      const single = twice.map(({ input, output }) => ({ input, output: output.filter((sign) => sign !== " ") }));
      expect((await Transducer.train(single, rest)).words).toBeUndefined();
    });

    it("comes with more contexts and one member; trials decide how far it looks, unless that is given", async () => {
      const names = "zero one two three four five six seven eight nine".split(" ");
      const digits = (number: number): number[] => Array.from(String(number), Number);
      const spelled = Array.from({ length: 60 }, (_, i) => 100 + ((i * 379) % 900)).map((number) => ({
        input: digits(number).map(String),
        output: [
          ...digits(number)
            .map((digit) => names[digit])
            .join(" "),
        ],
      }));
      // From few pairs, windows of one or two symbols learn digits; longer ones are seen once.
      const chosen = await Transducer.train(spelled, { passes: 2 });
      const { window, l1, moveGrams, contexts, ensemble } = chosen.options;
      expect({ window, l1, moveGrams, contexts, ensemble }).toEqual({
        window: 2,
        l1: 0.5,
        moveGrams: [4, 3],
        contexts: 20,
        ensemble: 1,
      });
      const given = await Transducer.train(spelled, { passes: 1, window: 1, contexts: 5 });
      expect(given.options).toMatchObject({ window: 1, l1: 0, contexts: 5 });
    });

    it("has probabilities from 0 to 1, in order and below 1 together, and the same from a file", async () => {
      const transducer = await training;
      const loaded = decodeModel(encodeModel(transducer)) as Transducer;
      for (const { input } of [...asked, { input: ["x"] }, { input: ["x", "?", "q"] }]) {
        const alone = transducer.predict(input);
        for (const nbest of [1, 5, 40]) {
          const prediction = transducer.predict(input, { nbest, alignment: true });
          expect(loaded.predict(input, { nbest, alignment: true })).toEqual(prediction);
          const probabilities = (prediction.nbest ?? []).map(({ probability }) => probability);
          expect(prediction.output).toEqual(alone.output);
          expect(prediction.probability).toBeCloseTo(alone.probability, 12);
          expect(probabilities[0]).toBe(prediction.probability);
          expect(Math.min(...probabilities)).toBeGreaterThanOrEqual(0);
          expect(probabilities.reduce((a, b) => a + b)).toBeLessThan(1 + 1e-9);
          expect([...probabilities].sort((a, b) => b - a)).toEqual(probabilities);
        }
      }
    });

    it("is the same after a stop, and has a model of words before", async () => {
      const whole = await training;
      let passes = 0;
      let kept: Checkpoint | undefined;
      const stopped = await Transducer.train(sentences, {
        ...given,
        onPass: () => void passes++,
        shouldStop: () => passes > 0,
        onCheckpoint: (checkpoint) => {
          kept = structuredClone(checkpoint);
        },
      });
      expect(stopped.summary.stopped).toBe(true);
      expect(stopped.words).toBeDefined();
      const resumed = await Transducer.train(sentences, { ...given, checkpoint: kept });
      expect(resumed.summary).toEqual(whole.summary);
      expect(resumed.powers).toEqual(whole.powers);
      expect(resumed.options).toEqual(whole.options);
      expect(resumed.weights).toEqual(whole.weights);
    });

    it("stays when a training goes on", async () => {
      const whole = await training;
      const more = await Transducer.train(asked, { from: whole });
      expect(more.powers).toEqual(whole.powers);
      expect(more.options.words).toBe(whole.options.words);
      expect(more.words?.counts).toEqual(whole.words?.counts);
      await expect(Transducer.train(asked, { from: whole, words: "chosen" })).rejects.toThrow(/`words` cannot change/);
    });

    it("needs held-out inputs; where these are too few, it is what it is to begin with", async () => {
      await expect(Transducer.train(sentences, { ...given, heldOut: 0 })).rejects.toThrow(InputError);
      const few = await Transducer.train(sentences.slice(0, 5), given);
      expect(few.options.words).toBe(0.4);
      expect(few.powers).toEqual({ own: 1, joint: 0, words: 0.4, mass: 1 });
    });

    it("keeps a weight that is given, and its proportion to the transducer's own power", async () => {
      const fixed = await Transducer.train(sentences, { ...given, words: 0.7 });
      expect(fixed.options.words).toBe(0.7);
      expect(fixed.powers.words / fixed.powers.own).toBeCloseTo(0.7, 12);
      const both = await Transducer.train(sentences, { ...given, jointGrams: 2 });
      expect(both.joint).toBeDefined();
      expect(right(both)).toBeGreaterThan(1);
    });
  });

  it("is not for outputs without spaces", async () => {
    const single = pairs.filter(({ output }) => !output.includes(" "));
    await expect(Transducer.train(single, { ...options, words: 0.5 })).rejects.toThrow(InputError);
  });
});
