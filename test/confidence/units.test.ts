// Promises about tokens and spans, from calibration to answers, on sentences with names that can be told apart more or less.

import { beforeAll, describe, expect, test } from "vitest";
import { Segmenter } from "../../src/tasks/segment/segmenter.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";
import { InputError } from "../../src/util/errors.js";
import { answer, reviewItems } from "../../src/workflows/answer.js";
import { calibrate } from "../../src/workflows/calibrate.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";
import { sentences } from "./sentences.js";

describe("a tagger", () => {
  let tagger: Tagger;
  const heldOut = sentences(1500, 2);
  const fresh = sentences(1500, 3);
  beforeAll(async () => {
    tagger = await Tagger.train(sentences(400, 1), { passes: 4, l2: 1 });
  });

  test.each(["token", "span"] as const)(
    "keeps what it promises of every %s, and leaves what is a toss-up",
    async (unit) => {
      const found = await calibrate(tagger, heldOut, { precision: 0.95, unit });
      expect(found).toMatchObject({ promised: true, unit });
      let answered = 0;
      let wrong = 0;
      let parts = 0;
      for (const { columns, labels } of fresh) {
        const given = tagger.answerParts({ columns }, { precision: 0.95, unit });
        parts += given.answered.length;
        answered += given.answered.filter((one) => one).length;
        given.labels.forEach((label, i) => {
          const isUnit = unit === "token" || label?.startsWith("B");
          if (label !== null && isUnit && label !== labels[i]) wrong++;
        });
        // What is left has no label, and a person gets something to choose from.
        expect(given.labels.includes(null)).toBe(given.answered.includes(false));
        expect(given.candidates.length > 0).toBe(given.answered.includes(false));
      }
      expect(answered / parts).toBeGreaterThan(0.5);
      expect(answered).toBeLessThan(parts);
      expect(wrong / answered).toBeLessThan(0.06);
    },
  );

  test("has promises of both, and of whole sequences, beside each other; a file keeps them", async () => {
    await calibrate(tagger, heldOut, { precision: 0.9, unit: "span" });
    await calibrate(tagger, heldOut, { precision: 0.9 });
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    expect(loaded.calibration).toEqual(tagger.calibration);
    const kinds = loaded.calibration?.partGuarantees?.map(({ unit, precision }) => `${unit} ${precision}`);
    expect(kinds?.sort()).toEqual(["span 0.9", "span 0.95", "token 0.95"]);
    expect(loaded.calibration?.guarantees.map(({ precision }) => precision)).toEqual([0.9]);
    const sequence = { columns: [["New"], ["York"]] };
    expect(loaded.answerParts(sequence, { precision: 0.9, unit: "span" })).toEqual(
      tagger.answerParts(sequence, { precision: 0.9, unit: "span" }),
    );
    expect(loaded.predict(sequence, { spans: true }).spans?.[0].calibratedProbability).toBeGreaterThan(0.9);
  });

  test("refuses a precision that was promised of something else, and a promise that cannot be kept", async () => {
    expect(() => tagger.answerParts(fresh[0], { precision: 0.5, unit: "token" })).toThrow(
      /no calibration for a precision of 0\.5 of tokens \(it has 0\.95\)/,
    );
    const before = JSON.stringify(tagger.calibration);
    const found = await calibrate(tagger, heldOut.slice(0, 40), { precision: 0.999, unit: "span" });
    expect(found).toMatchObject({ promised: false, unit: "span" });
    expect(JSON.stringify(tagger.calibration)).toBe(before);
  });

  test("answers by workflow, and leaves sequences with a part that is not sure", async () => {
    const inputs = [{ columns: [["New"], ["York"]] }, { columns: [["the"], ["Jordan"]] }];
    const answers = [];
    for await (const one of answer(tagger, inputs, { precision: 0.95, unit: "span" })) answers.push(one);
    expect(answers.map(({ answered, parts }) => ({ answered, parts }))).toEqual([
      { answered: true, parts: [true] },
      { answered: false, parts: [false] },
    ]);
    const items = [];
    for await (const item of reviewItems(tagger, inputs, { precision: 0.95, unit: "span" })) items.push(item);
    expect(items).toHaveLength(1);
  });
});

test("a segmenter keeps a promise about its segments", async () => {
  const texts = sentences(600, 4).map(({ columns }) => {
    const words = columns.map(([word]) => word.toLowerCase());
    let at = 0;
    return {
      text: words.join(""),
      segments: words.map((word) => {
        at += word.length;
        return { start: at - word.length, end: at };
      }),
    };
  });
  const segmenter = await Segmenter.train(texts.slice(0, 200), { passes: 3, l2: 1 });
  const found = await calibrate(segmenter, texts.slice(200), { precision: 0.9, unit: "span" });
  expect(found).toMatchObject({ promised: true, unit: "span" });
  const given = segmenter.answerParts("newyorkinparis", { precision: 0.9 });
  expect(given.answered).toHaveLength(given.prediction.segments.length);
  await expect(calibrate(segmenter, texts, { precision: 0.9, unit: "token" })).rejects.toThrow(InputError);
});

test("outputs without parts have none to promise anything about", async () => {
  const pairs = [..."abcdef"].map((letter) => ({ input: [letter], output: [letter.toUpperCase()] }));
  const transducer = await Transducer.train(pairs, { passes: 2 });
  await expect(calibrate(transducer, pairs, { precision: 0.9, unit: "token" })).rejects.toThrow(
    /this transducer has no tokens: its outputs vary in length/,
  );
});
