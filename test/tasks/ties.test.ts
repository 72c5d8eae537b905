// Where several outputs are equally probable, the one that is given does not depend on what else is asked for.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Segmenter } from "../../src/tasks/segment/segmenter.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";

const isSorted = (outputs: readonly { probability: number }[]): boolean =>
  outputs.every(({ probability }, i) => i === 0 || probability <= outputs[i - 1].probability);

const labels = ["A", "B", "C"];
const symmetric = labels.flatMap((first) =>
  labels.map((second) => ({ columns: [["x"], ["y"], ["z"]], labels: [first, second, first] })),
);

/** The same with tenths as weights: sums that are equal, but for the last digits. */
const rounded = (tagger: Tagger): Tagger =>
  new Tagger({ ...tagger, rows: tagger.rows, weights: tagger.weights.map((weight) => Math.round(weight * 10) / 10) });

describe("a tagger", () => {
  const blank = fc.array(fc.constantFrom("x", "y", "", "-", "q"), { minLength: 1, maxLength: 7 });

  test.each([
    { name: "rcms", options: { mode: "rcms", contexts: 3 } },
    { name: "exact", options: { mode: "exact" } },
    { name: "beam", options: { mode: "beam", contexts: 3 } },
    { name: "conjoined", options: { conjoin: true } },
  ] as const)("gives the same labels alone, among others and with marginals: $name", async ({ options }) => {
    const tagger = rounded(await Tagger.train(symmetric, { passes: 2, order: 2, heldOut: 0, l2: 1, ...options }));
    let ties = 0;
    fc.assert(
      fc.property(blank, (words) => {
        const sequence = { columns: words.map((word) => [word]) };
        const alone = tagger.predict(sequence);
        for (const nbest of [1, 2, 9]) {
          const among = tagger.predict(sequence, { nbest });
          const outputs = among.nbest ?? [];
          expect(among.labels).toEqual(alone.labels);
          expect(outputs[0].labels).toEqual(alone.labels);
          expect(among.probability).toBeCloseTo(alone.probability, 12);
          expect(isSorted(outputs)).toBe(true);
          expect(new Set(outputs.map((output) => output.labels.join())).size).toBe(outputs.length);
          if (outputs.length > 1 && outputs[0].probability - outputs[1].probability < 1e-12) ties++;
        }
        expect(tagger.predict(sequence, { marginals: true }).labels).toEqual(alone.labels);
        expect(tagger.predict(sequence, { confidences: true }).labels).toEqual(alone.labels);
      }),
    );
    expect(ties).toBeGreaterThan(20);
  });

  test("gives the best of all that agree with known labels, alone or among others", async () => {
    const tagger = rounded(await Tagger.train(symmetric, { passes: 2, heldOut: 0, l2: 1 }));
    const sequence = { columns: [["x"], ["-"], ["-"]] };
    const known = ["B", null, null];
    const alone = tagger.predict(sequence, { known });
    expect(tagger.predict(sequence, { known, nbest: 4 }).nbest?.[0].labels).toEqual(alone.labels);
  });
});

test("a segmenter gives the same segments alone and among others", async () => {
  const texts = ["ab", "ba", "aa", "bb"].map((text) => ({
    text,
    segments: [
      { start: 0, end: 1 },
      { start: 1, end: 2 },
    ],
  }));
  const wholes = ["ab", "ba", "aa", "bb"].map((text) => ({ text, segments: [{ start: 0, end: 2 }] }));
  const segmenter = await Segmenter.train([...texts, ...wholes], { passes: 2, heldOut: 0, l2: 1 });
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "?"), { minLength: 1, maxLength: 8 }), (letters) => {
      const text = letters.join("");
      const alone = segmenter.predict(text);
      for (const nbest of [1, 2, 9]) {
        const outputs = segmenter.predict(text, { nbest }).nbest ?? [];
        const places = (list: typeof alone.segments) => list.map(({ start, end }) => [start, end]);
        expect(places(outputs[0].segments)).toEqual(places(alone.segments));
        expect(isSorted(outputs)).toBe(true);
      }
    }),
  );
});

describe("a transducer", () => {
  const letters = ["a", "b", "c", "d"];
  // Every letter is written in four ways, all of them as often.
  const pairs = letters.flatMap((first) => letters.map((second) => ({ input: ["x", "y"], output: [first, second] })));
  const inputs = fc.array(fc.constantFrom("x", "y", "?"), { minLength: 1, maxLength: 6 });

  test("gives the same output, however many are asked for, where nearly all are equally probable", async () => {
    const transducer = await Transducer.train(pairs, { passes: 2, heldOut: 0, l2: 1, jointGrams: 0 });
    fc.assert(
      fc.property(inputs, (input) => {
        const alone = transducer.predict(input);
        for (const nbest of [1, 2, 10, 60]) {
          const outputs = transducer.predict(input, { nbest }).nbest ?? [];
          expect(outputs[0].output).toEqual(alone.output);
          expect(outputs[0].probability).toBeCloseTo(alone.probability, 12);
          expect(isSorted(outputs)).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("with words: outputs beyond the candidates keep their order, and none is made equal to another", async () => {
    const words = ["no", "on", "to", "so"];
    const spoken = words.flatMap((first) =>
      words.map((second, i) => ({ input: [..."xyz"], output: [...`${first} ${second}`], count: 1 + i })),
    );
    const transducer = await Transducer.train(spoken, { passes: 3, heldOut: 0, l2: 1, words: 0.7, maxEmit: 3 });
    const outputs = transducer.predict([..."xyz"], { nbest: 60 }).nbest ?? [];
    expect(outputs.length).toBeGreaterThan(30);
    expect(isSorted(outputs)).toBe(true);
    // Words choose among twenty of them; the others were all given the best one's probability before.
    const [best, ...others] = outputs.map(({ probability }) => probability);
    expect(others[0]).toBeLessThan(best);
    expect(new Set(others).size).toBeGreaterThan(others.length / 2);
    expect(transducer.predict([..."xyz"]).output).toEqual(outputs[0].output);
  });
});
