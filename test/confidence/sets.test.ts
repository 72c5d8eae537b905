// Sets that contain the truth, from calibration to answers.

import { beforeAll, describe, expect, test } from "vitest";
import { Segmenter } from "../../src/tasks/segment/segmenter.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";
import { answer, reviewItems } from "../../src/workflows/answer.js";
import { calibrate } from "../../src/workflows/calibrate.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";
import { sentences } from "./sentences.js";

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of stream) list.push(one);
  return list;
}

describe("a tagger", () => {
  let tagger: Tagger;
  const heldOut = sentences(800, 2);
  const fresh = sentences(1500, 3);
  beforeAll(async () => {
    tagger = await Tagger.train(sentences(400, 1), { passes: 4, l2: 1 });
  });

  test("gives sets of outputs that contain the right one as often as promised, larger where it is a toss-up", async () => {
    const found = await calibrate(tagger, heldOut, { coverage: 0.9 });
    expect(found).toMatchObject({ promised: true, unit: "sequence", guarantee: { coverage: 0.9, examples: 800 } });
    const answers = await all(answer(tagger, fresh, { coverage: 0.9 }));
    let covered = 0;
    answers.forEach(({ set = [], other, answered }, i) => {
      const outputs = set as { labels: string[]; probability: number }[];
      const isRight = outputs.some(({ labels }) => labels.join() === fresh[i].labels.join());
      if (isRight || other) covered++;
      expect(outputs.map(({ probability }) => probability)).toEqual(
        outputs.map(({ probability }) => probability).sort((a, b) => b - a),
      );
      expect(answered).toBe(outputs.length === 1 && !other);
    });
    // By chance of the held-out examples and of the fresh ones, each about 0.01.
    expect(covered / fresh.length).toBeGreaterThan(0.86);
    expect(covered / fresh.length).toBeLessThan(0.95);
    const [sure, open] = await all(
      answer(tagger, [{ columns: [["New"], ["York"]] }, { columns: [["Jordan"]] }], { coverage: 0.9 }),
    );
    expect(sure).toMatchObject({ answered: true, other: false });
    expect((open.set as { labels: string[] }[]).map(({ labels }) => labels[0]).sort()).toEqual(["B-LOC", "B-PER"]);
    const items = await all(reviewItems(tagger, [{ columns: [["Jordan"]] }], { coverage: 0.9 }));
    expect(items[0].candidates).toHaveLength(2);
  });

  test("gives sets of labels that contain the right one for as many tokens as promised", async () => {
    const found = await calibrate(tagger, heldOut, { coverage: 0.95, unit: "token" });
    expect(found).toMatchObject({ promised: true, unit: "token" });
    let sum = 0;
    (await all(answer(tagger, fresh, { coverage: 0.95, unit: "token" }))).forEach(({ sets = [] }, i) => {
      const { labels } = fresh[i];
      sum += labels.filter((label, at) => sets[at].includes(label as string)).length / labels.length;
    });
    expect(sum / fresh.length).toBeGreaterThan(0.93);
    await calibrate(tagger, heldOut, { coverage: 0.99, unit: "token" });
    const inputs = [{ columns: [["in"], ["Jordan"]] }];
    const [{ sets }] = await all(answer(tagger, inputs, { coverage: 0.99, unit: "token" }));
    expect(sets?.map((set) => [...set].sort())).toEqual([["O"], ["B-LOC", "B-PER"]]);
  });

  test("keeps its promises in a file, and refuses others by name", async () => {
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    expect(loaded.calibration?.coverages).toEqual(tagger.calibration?.coverages);
    await expect(all(answer(tagger, fresh, { coverage: 0.5 }))).rejects.toThrow(/coverage of 0\.5 \(it has 0\.9\)/);
    await expect(all(answer(tagger, fresh, { coverage: 0.9, unit: "span" }))).rejects.toThrow(/no sets of spans/);
    await expect(all(answer(tagger, fresh, {}))).rejects.toThrow(/`precision`, `coverage` or `recall`/);
    await expect(all(answer(tagger, fresh, { precision: 0.9, coverage: 0.9 }))).rejects.toThrow(
      /`precision` and `coverage` cannot be combined/,
    );
    await expect(calibrate(tagger, heldOut, { coverage: 1.5 })).rejects.toThrow(/coverage/);
    const before = JSON.stringify(tagger.calibration);
    const few = await calibrate(tagger, heldOut.slice(0, 20), { coverage: 0.99 });
    expect(few).toMatchObject({ promised: false, examplesNeeded: 99 });
    expect(JSON.stringify(tagger.calibration)).toBe(before);
  });
});

test("a segmenter and a transducer have sets of outputs", async () => {
  const words = sentences(300, 4).map(({ columns }) => columns.map(([word]) => word.toLowerCase()));
  const texts = words.map((own) => {
    let at = 0;
    const segments = own.map((word) => {
      at += word.length;
      return { start: at - word.length, end: at };
    });
    return { text: own.join(""), segments };
  });
  const segmenter = await Segmenter.train(texts.slice(0, 150), { passes: 3, l2: 1 });
  expect(await calibrate(segmenter, texts.slice(150), { coverage: 0.8 })).toMatchObject({ promised: true });
  const [cut] = await all(
    answer(
      segmenter,
      ["newyork", "theparis"].map((text) => ({ text })),
      { coverage: 0.8 },
    ),
  );
  expect(cut.set?.length).toBeGreaterThan(0);
  await expect(calibrate(segmenter, texts, { coverage: 0.8, unit: "token" })).rejects.toThrow(/no sets of tokens/);

  // `x` is written in two ways, each as often.
  const pairs = [..."abcdefghijklmnopqrstuvwx"].flatMap((a) =>
    [..."abx"].flatMap((b) => [
      { input: [a, b], output: [a, b] },
      { input: [a, b], output: [a, b === "x" ? "y" : b] },
    ]),
  );
  const transducer = await Transducer.train(pairs, { passes: 5 });
  const single = pairs.filter((_, i) => i % 2 === 0);
  expect(await calibrate(transducer, single, { coverage: 0.8 })).toMatchObject({ promised: true });
  const answers = await all(answer(transducer, single, { coverage: 0.8 }));
  const covered = answers.filter(({ set = [], other }, i) => {
    const outputs = (set as { output: string[] }[]).map(({ output }) => output.join(""));
    return other || outputs.includes(single[i].output.join(""));
  });
  expect(covered.length / single.length).toBeGreaterThanOrEqual(0.8);
});
