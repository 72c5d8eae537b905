// Thresholds from the training data alone: found by models that have not seen what they answer, marked, and never in the place of
// a promise.

import { beforeAll, describe, expect, test } from "vitest";
import { Segmenter } from "../../src/tasks/segment/segmenter.js";
import { segmentTask } from "../../src/tasks/segment/task.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { tagTask } from "../../src/tasks/tag/task.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";
import { InputError } from "../../src/util/errors.js";
import { generator, uniform } from "../../src/util/random.js";
import { calibrate } from "../../src/workflows/calibrate.js";
import { crossJudge } from "../../src/workflows/cross-validate.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";
import { sentences } from "./sentences.js";

describe("a tagger", () => {
  const training = sentences(600, 1);
  let tagger: Tagger;
  beforeAll(async () => {
    tagger = await Tagger.train(training, { passes: 3, l2: 1, heldOut: 0 });
  });

  test.each(["token", "span"] as const)("has a threshold for every %s, which does on new data", async (unit) => {
    const found = await calibrate(tagger, training, { precision: 0.9, unit, crossValidate: 3 });
    expect(found).toMatchObject({ estimated: true, unit, crossValidated: 3, guarantee: { crossValidated: 3 } });
    expect(found).not.toHaveProperty("promised");
    let [answered, wrong] = [0, 0];
    for (const { columns, labels } of sentences(1000, 3)) {
      const given = tagger.answerParts({ columns }, { precision: 0.9, unit });
      given.labels.forEach((label, i) => {
        if (label === null || (unit === "span" && !label.startsWith("B"))) return;
        answered++;
        if (label !== labels[i]) wrong++;
      });
    }
    expect(answered).toBeGreaterThan(500);
    expect(wrong / answered).toBeLessThan(0.12);
  });

  test("a file keeps the mark; a promise takes its place, and is kept from estimates", async () => {
    await calibrate(tagger, training, { precision: 0.8, unit: "token", crossValidate: 3 });
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    expect(loaded.calibration).toEqual(tagger.calibration);
    expect(loaded.calibration?.partGuarantees?.every(({ crossValidated }) => crossValidated === 3)).toBe(true);
    expect(tagTask.contentsText(loaded, { bytes: 1 })).toMatch(/^estimate, not a promise +precision 0\.8 of tokens/m);
    await calibrate(loaded, sentences(1500, 2), { precision: 0.8, unit: "token" });
    const own = loaded.calibration?.partGuarantees?.find((one) => one.unit === "token" && one.precision === 0.8);
    expect(own?.crossValidated).toBeUndefined();
    await expect(calibrate(loaded, training, { precision: 0.8, unit: "token", crossValidate: 3 })).rejects.toThrow(
      /an estimate would replace it/,
    );
  });

  test("nobody answers what they learned from", async () => {
    // Labels of words that occur once each say nothing of other words: a model that had seen them would know them all.
    const own = generator(4, 1);
    const noise = Array.from({ length: 80 }, (_, i) => ({
      columns: Array.from({ length: 5 }, (_, k) => [`w${i}x${k}q`]),
      labels: Array.from({ length: 5 }, () => (uniform(own) < 0.5 ? "A" : "B")),
    }));
    const learned = await Tagger.train(noise, { passes: 8, l2: 0, heldOut: 0 });
    const judged = await crossJudge(tagTask as never, learned, noise, { parts: 4, hooks: {} });
    const right = judged.parts.token?.flatMap(({ correct }) => Array.from(correct, Number)) ?? [];
    expect(right).toHaveLength(400);
    expect(right.reduce((sum, one) => sum + one, 0) / 400).toBeLessThan(0.65);
    const known = noise.filter(({ columns, labels }) =>
      learned.predict({ columns }).labels.every((label, i) => label === labels[i]),
    );
    expect(known.length).toBeGreaterThan(60);
  });

  test("is made again with its template and its lexicon, and refused where its attributes are a function", async () => {
    const names = [{ name: "names", text: "York\tLOC\nLondon\tLOC" }];
    const made = await Tagger.train(training, {
      passes: 1,
      l2: 1,
      heldOut: 0,
      template: "U:%x[0,0]\nB",
      lexicon: names,
    });
    const again = tagTask.learning.again?.(decodeModel(encodeModel(made)) as Tagger);
    expect(again).toEqual({ template: "U:%x[0,0]\nB", lexicon: names });
    const own = await Tagger.train(training, { passes: 1, l2: 1, heldOut: 0, features: ([row]) => row as string[] });
    await expect(calibrate(own, training, { precision: 0.9, crossValidate: 3 })).rejects.toThrow(InputError);
  });

  test("sets and recall are not estimated", async () => {
    const options = { coverage: 0.9, crossValidate: 3 };
    await expect(calibrate(tagger, training, options)).rejects.toThrow(
      /`crossValidate` works only with option `precision`/,
    );
  });
});

test("transducers and segmenters have estimates too", async () => {
  const own = generator(7, 1);
  const letters = () => Array.from({ length: 3 }, () => "abcdefgh"[Math.floor(8 * uniform(own))]);
  const pairs = Array.from({ length: 150 }, () => {
    const input = letters();
    return { input, output: input.map((letter) => letter.toUpperCase()) };
  });
  const transducer = await Transducer.train(pairs, { passes: 3, heldOut: 0, contexts: 4 });
  const found = await calibrate(transducer, pairs, { precision: 0.8, crossValidate: 3 });
  expect(found).toMatchObject({ estimated: true, unit: "sequence", crossValidated: 3 });

  const words = ["ab", "cde", "f", "ghij"];
  const texts = Array.from({ length: 150 }, () => {
    const some = Array.from({ length: 4 }, () => words[Math.floor(4 * uniform(own))]);
    let at = 0;
    const segments = some.map((word) => {
      at += word.length;
      return { start: at - word.length, end: at };
    });
    return { text: some.join(""), segments };
  });
  const segmenter = await Segmenter.train(texts, { passes: 2, heldOut: 0, lexicon: "ab\ncde" });
  expect(segmentTask.learning.again?.(segmenter)).toEqual({ lexicon: "ab\ncde" });
  const cut = await calibrate(segmenter, texts, { precision: 0.8, unit: "span", crossValidate: 3 });
  expect(cut).toMatchObject({ estimated: true, unit: "span", crossValidated: 3 });
});
