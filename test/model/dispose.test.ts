// Models give their memory back: at once when they are disposed of, and to nobody who still uses it.

import { describe, expect, test } from "vitest";
import { backend } from "../../src/engine/choice.js";
import type { WasmBackend } from "../../src/engine/wasm/backend.js";
import { Segmenter } from "../../src/tasks/segment/segmenter.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";

const sequences = [
  { columns: [["the"], ["dog"], ["barks"]], labels: ["DT", "NN", "VB"] },
  { columns: [["a"], ["cat"], ["sees"]], labels: ["DT", "NN", "VB"] },
];
const pairs = [
  { input: [..."cab"], output: [..."KAB"] },
  { input: [..."abc"], output: [..."ABK"] },
];
const texts = [
  {
    text: "thedog",
    segments: [
      { start: 0, end: 3 },
      { start: 3, end: 6 },
    ],
  },
  {
    text: "acat",
    segments: [
      { start: 0, end: 1 },
      { start: 1, end: 4 },
    ],
  },
];

interface Disposable {
  readonly weights: Float64Array;
  dispose(): void;
  [Symbol.dispose](): void;
}
interface Case {
  name: string;
  train(): Promise<Disposable & Parameters<typeof encodeModel>[0]>;
  predict(model: object): unknown;
}
const cases: Case[] = [
  {
    name: "tagger",
    train: () => Tagger.train(sequences, { passes: 2 }),
    predict: (model) => (model as Tagger).predict(sequences[0]),
  },
  {
    name: "segmenter",
    train: () => Segmenter.train(texts, { passes: 2 }),
    predict: (model) => (model as Segmenter).predict("thecat"),
  },
  {
    name: "transducer",
    train: () => Transducer.train(pairs, { passes: 2 }),
    predict: (model) => (model as Transducer).predict([..."cab"], { nbest: 2 }),
  },
];

/** Bytes of the kernel's memory; 0 where the kernel is plain JavaScript. */
function kernelBytes(): number {
  const chosen = backend();
  return chosen.name === "wasm" ? (chosen as WasmBackend).program.memory.memory.buffer.byteLength : 0;
}

describe.each(cases)("a $name that is disposed of", ({ train, predict }) => {
  test("gives everything back: loaded and dropped 1,200 times, it takes no more memory than a few", async () => {
    const bytes = encodeModel(await train());
    const use = (): void => {
      const model = decodeModel(bytes) as unknown as Disposable;
      predict(model);
      model.dispose();
    };
    for (let i = 0; i < 100; i++) use();
    const before = kernelBytes();
    for (let i = 0; i < 1200; i++) use();
    expect(kernelBytes()).toBe(before);
  });

  test("refuses to answer and to be saved, and to be disposed of twice is nothing", async () => {
    const model = await train();
    model.dispose();
    model[Symbol.dispose]();
    expect(() => predict(model)).toThrow("the model was disposed of");
    expect(() => encodeModel(model)).toThrow("the model was disposed of");
  });

  test("leaves alone a model that came from the same file", async () => {
    const bytes = encodeModel(await train());
    const [one, other] = [decodeModel(bytes), decodeModel(bytes)] as unknown as Disposable[];
    const expected = predict(one);
    one.dispose();
    // Takes the blocks that came back.
    const filled = Array.from({ length: 50 }, () => backend().arrays.float64(1000).fill(7));
    expect(predict(other)).toEqual(expected);
    expect(filled.every((array) => array.every((value) => value === 7))).toBe(true);
  });
});

test("a tagger that went on from another outlives it", async () => {
  const first = await Tagger.train(sequences, { passes: 2 });
  const second = await Tagger.train(sequences, { from: first, keep: true, passes: 2 });
  const expected = second.predict(sequences[0]);
  first.dispose();
  backend().arrays.float64(10_000).fill(7);
  expect(second.predict(sequences[0])).toEqual(expected);
});
