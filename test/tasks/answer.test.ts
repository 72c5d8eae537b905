// Answering at a promised precision, and learning from more examples without forgetting.

import { describe, expect, it } from "vitest";
import type { Calibration } from "../../src/confidence/calibration.js";
import type { TaggingSequence } from "../../src/formats/sequence.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";
import { InputError } from "../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";

const sequence = (words: string, labels?: string): TaggingSequence => ({
  columns: words.split(" ").map((word) => [word]),
  labels: labels?.split(" "),
});

const training = [
  sequence("the dog barks", "DT NN VB"),
  sequence("a cat sees the dog", "DT NN VB DT NN"),
  sequence("the old dog sees a cat", "DT JJ NN VB DT NN"),
];

const calibration = (threshold: number): Calibration => ({
  guarantees: [
    { precision: 0.9, confidence: 0.95, threshold, placing: 10, tested: 90, answered: 80, wrong: 2, lowerBound: 0.92 },
  ],
  map: { kind: "isotonic", from: [0.1, 0.9], to: [0.3, 0.6] },
  positionMap: { kind: "temperature", temperature: 2 },
  examples: 100,
});

const options = { passes: 5, l2: 0.1, heldOut: 0 };

describe("answer", () => {
  it("answers at or above the threshold and leaves what is below", async () => {
    const tagger = await Tagger.train(training, options);
    const { probability, labels } = tagger.predict(training[0]);
    tagger.calibration = calibration(probability);
    expect(tagger.answer(training[0], { precision: 0.9 })).toMatchObject({ answered: true, labels, probability });
    tagger.calibration = calibration(probability + 1e-9);
    const left = tagger.answer(training[0], { precision: 0.9, candidates: 4, confidences: true });
    if (left.answered) throw new Error("answered below the threshold");
    expect(left.candidates.length).toBe(4);
    // Found by way of a trellis, so that the last digits may differ.
    expect(left.candidates[0]).toEqual({ labels, probability: expect.closeTo(probability, 12) });
    expect(left.prediction.confidences?.length).toBe(3);
    expect(left.prediction.calibratedProbability).toBeGreaterThanOrEqual(0.3);
    expect(left.prediction.calibratedProbability).toBeLessThanOrEqual(0.6);
  });

  it("refuses a precision that was not calibrated, and says which were", async () => {
    const tagger = await Tagger.train(training, options);
    expect(() => tagger.answer(training[0], { precision: 0.9 })).toThrow(InputError);
    tagger.calibration = calibration(0.5);
    expect(() => tagger.answer(training[0], { precision: 0.99 })).toThrow(/it has 0.9/);
  });

  it("refuses options that it does not know or that would void the promise, by name", async () => {
    const tagger = await Tagger.train(training, options);
    const transducer = await Transducer.train([{ input: ["a"], output: ["A"] }], { passes: 1 });
    tagger.calibration = transducer.calibration = calibration(0.5);
    const wrong: [options: object, message: RegExp][] = [
      [{ candidats: 3 }, /`candidats`; did you mean `candidates`/],
      [{ candidates: -1 }, /`candidates` must be a whole number/],
      [{ candidates: 1e9 }, /`candidates` must be .* at most 1000/],
      [{ inference: {} }, /unknown option `inference`/],
    ];
    for (const [more, message] of wrong) {
      expect(() => tagger.answer(training[0], { precision: 0.9, ...more })).toThrow(message);
      expect(() => transducer.answer(["a"], { precision: 0.9, ...more })).toThrow(message);
    }
    expect(() => tagger.answer(training[0], { precision: 0.9, known: [] } as never)).toThrow(/`known`/);
    expect(() => transducer.answer(["a"], undefined as never)).toThrow(/must be an object/);
  });

  it("gives no calibrated probability where the map does not hold", async () => {
    const tagger = await Tagger.train(training, options);
    expect(tagger.predict(training[0]).calibratedProbability).toBeUndefined();
    tagger.calibration = calibration(0.5);
    expect(tagger.predict(training[0]).calibratedProbability).toBeDefined();
    expect(tagger.predict(training[0], { inference: { contexts: 1 } }).calibratedProbability).toBeUndefined();
    expect(tagger.predict(training[0], { known: ["DT", null, null] }).calibratedProbability).toBeUndefined();
  });

  it("is the same for a model from a file; a file without calibration has none", async () => {
    const tagger = await Tagger.train(training, options);
    const plain = decodeModel(encodeModel(tagger)) as Tagger;
    expect(plain.calibration).toBeUndefined();
    tagger.calibration = calibration(0.5);
    expect((decodeModel(encodeModel(tagger)) as Tagger).calibration).toEqual(tagger.calibration);
    const pairs = [..."abc"].map((letter) => ({ input: [letter, letter], output: [letter.toUpperCase()] }));
    const transducer = await Transducer.train(pairs, { passes: 2 });
    transducer.calibration = { ...calibration(0), positionMap: undefined };
    const loaded = decodeModel(encodeModel(transducer)) as Transducer;
    expect(loaded.answer(["a", "a"], { precision: 0.9 })).toEqual(transducer.answer(["a", "a"], { precision: 0.9 }));
    expect(loaded.answer(["a", "a"], { precision: 0.9 }).answered).toBe(true);
  });
});

describe("learning from more examples", () => {
  it("keeps features that the new examples do not show, and learns new words and labels", async () => {
    const from = decodeModel(encodeModel(await Tagger.train(training, options))) as Tagger;
    const more = Array.from({ length: 20 }, () => sequence("my zebra runs", "PR NN VB"));
    const tagger = await Tagger.train(more, { from, keep: true, passes: 10 });
    for (const known of training) expect(tagger.predict(known).labels).toEqual(known.labels);
    expect(tagger.logLikelihood(more[0])).toBeGreaterThan(Math.log(0.5));
    for (const name of from.attributes.all()) expect(tagger.attributes.indexOf(name)).toBeGreaterThanOrEqual(0);
    expect(tagger.options.order).toBe(from.options.order);
    expect(tagger.calibration).toBeUndefined();
  });

  it("changes little from one example, and needs a tagger to keep", async () => {
    const from = await Tagger.train(training, options);
    const tagger = await Tagger.train([training[0]], { from, keep: true });
    const change = Math.abs(tagger.predict(training[1]).probability - from.predict(training[1]).probability);
    expect(change).toBeLessThan(0.05);
    expect(tagger.logLikelihood(training[0])).toBeGreaterThan(from.logLikelihood(training[0]));
    await expect(Tagger.train(training, { keep: true })).rejects.toThrow(InputError);
  });

  it("lets a transducer go on from its weights and refuses symbols it does not know", async () => {
    const pairs = [..."abcd"].flatMap((a) =>
      [..."abcd"].map((b) => ({ input: [a, b], output: [a, b].map((c) => c.toUpperCase()) })),
    );
    const from = await Transducer.train(pairs, { passes: 4, heldOut: 0 });
    const odd = { input: ["a", "d"], output: ["D", "A"] };
    const before = from.logLikelihood(odd.input, odd.output);
    const after = await Transducer.train(Array(10).fill(odd), { from });
    expect(after.logLikelihood(odd.input, odd.output)).toBeGreaterThan(before);
    expect(after.predict(["b", "c"]).output).toEqual(["B", "C"]);
    await expect(Transducer.train([{ input: ["q"], output: ["A"] }], { from })).rejects.toThrow(/"q"/);
    await expect(Transducer.train([odd], { from, window: 1 })).rejects.toThrow(/window/);
  });
});
