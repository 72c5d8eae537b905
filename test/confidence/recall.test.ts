// What is promised to be found: probabilities of spans against enumeration, the promise by simulation, and from calibration to
// what is reported.

import { beforeAll, describe, expect, test } from "vitest";
import { findRecallThreshold } from "../../src/confidence/recall.js";
import { chunksOf } from "../../src/metrics/tagging.js";
import { Segmenter } from "../../src/tasks/segment/segmenter.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { generator, uniform } from "../../src/util/random.js";
import { answer } from "../../src/workflows/answer.js";
import { calibrate } from "../../src/workflows/calibrate.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";
import { sentences } from "./sentences.js";

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of stream) list.push(one);
  return list;
}

describe("a promise of recall", () => {
  const recall = 0.9;
  /** Sequences with very different numbers of spans, all of whose spans may be hard together. */
  function population(random: () => number): number[] {
    const count = Math.min(200, Math.ceil(0.7 * random() ** -0.8));
    const isHard = random() < 0.08;
    return Array.from({ length: count }, () => (isHard ? 0.2 * random() : random() < 0.04 ? 0 : 0.1 + 0.9 * random()));
  }
  /** Share of a sequence's spans found at a threshold, in the mean. */
  function trueRecall(threshold: number): number {
    const hard = threshold >= 0.2 ? 0 : 1 - threshold / 0.2;
    const easy = 0.96 * (threshold <= 0.1 ? 1 : (1 - threshold) / 0.9);
    return 0.08 * hard + 0.92 * easy;
  }

  test("is broken in at most 5 % of 2,000 draws", () => {
    const own = generator(3, 9);
    const random = () => uniform(own);
    let [broken, made] = [0, 0];
    const draws = 2000;
    for (let d = 0; d < draws; d++) {
      const found = findRecallThreshold(
        Array.from({ length: 300 }, () => population(random)),
        { recall, seed: d },
      );
      if (!found) continue;
      made++;
      if (trueRecall(found.threshold) < recall) broken++;
    }
    expect(broken / draws).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / draws));
    expect(made / draws).toBeGreaterThan(0.3);
  });

  test("is not made where too many spans are never candidates, or with few sequences", () => {
    const never = Array.from({ length: 500 }, (_, i) => (i % 5 === 0 ? [0] : [0.9]));
    expect(findRecallThreshold(never, { recall })).toBeUndefined();
    expect(findRecallThreshold([[0.9], [0.8]], { recall })).toBeUndefined();
    expect(() => findRecallThreshold([], { recall: 1 })).toThrow(/recall must be between/);
    const easy = Array.from({ length: 500 }, () => [0.9, 0.8]);
    expect(findRecallThreshold(easy, { recall })).toMatchObject({ threshold: 0.9 - 0.1, spans: 800, found: 800 });
  });
});

describe.each([
  ["as in the data", {}],
  ["BIOES, held to its scheme", { scheme: "bioes" as const }],
])("a tagger, labels %s", (_, options) => {
  let tagger: Tagger;
  beforeAll(async () => {
    tagger = await Tagger.train(sentences(300, 1), { passes: 4, l2: 1, ...options });
  });

  test("possible spans have the probabilities of all outputs that have them", () => {
    for (const { columns } of sentences(12, 5)) {
      if (columns.length > 4) continue;
      const { nbest = [] } = tagger.predict({ columns }, { nbest: 1000 });
      const known = nbest.reduce((sum, { probability }) => sum + probability, 0);
      const sums = new Map<string, number>();
      for (const { labels, probability } of nbest) {
        for (const { start, end, type } of chunksOf(labels)) {
          const key = `${start} ${end} ${type}`;
          sums.set(key, (sums.get(key) ?? 0) + probability);
        }
      }
      const spans = tagger.possibleSpans({ columns }, 0.001);
      for (const { from, to, label, probability } of spans) {
        const sum = sums.get(`${from} ${to} ${label}`) ?? 0;
        expect(probability).toBeGreaterThan(sum - 1e-9);
        expect(probability).toBeLessThan(sum + 1 - known + 1e-9);
      }
      const listed = new Set(spans.map(({ from, to, label }) => `${from} ${to} ${label}`));
      for (const [key, sum] of sums) if (sum > 0.001) expect(listed).toContain(key);
    }
  });

  test("finds what it promises, beyond the best output", async () => {
    const found = await calibrate(tagger, sentences(800, 2), { recall: 0.9 });
    expect(found).toMatchObject({ promised: true, recall: 0.9 });
    const fresh = sentences(600, 3).filter(({ labels }) => labels.some((label) => label !== "O"));
    const answers = await all(answer(tagger, fresh, { recall: 0.9 }));
    let sum = 0;
    answers.forEach(({ spans = [] }, i) => {
      const listed = new Set(spans.map(({ from, to, label }) => `${from} ${to} ${label}`));
      const truth = chunksOf(fresh[i].labels as string[]);
      sum += truth.filter(({ start, end, type }) => listed.has(`${start} ${end} ${type}`)).length / truth.length;
    });
    expect(sum / fresh.length).toBeGreaterThan(0.89);
    const [{ spans }] = await all(answer(tagger, [{ columns: [["Jordan"]] }], { recall: 0.9 }));
    expect(spans?.map(({ label, words }) => `${words} ${label}`).sort()).toEqual(["Jordan LOC", "Jordan PER"]);
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    expect(loaded.calibration?.recalls).toEqual(tagger.calibration?.recalls);
  });
});

test("a segmenter finds its segments; outputs without spans are refused", async () => {
  const texts = sentences(500, 4).map(({ columns }) => {
    const words = columns.map(([word]) => word.toLowerCase());
    let at = 0;
    const segments = words.map((word) => {
      at += word.length;
      return { start: at - word.length, end: at };
    });
    return { text: words.join(""), segments };
  });
  const segmenter = await Segmenter.train(texts.slice(0, 200), { passes: 3, l2: 1 });
  expect(await calibrate(segmenter, texts.slice(200), { recall: 0.9 })).toMatchObject({ promised: true });
  const [{ spans = [] }] = await all(answer(segmenter, [{ text: "newyork" }], { recall: 0.9 }));
  expect(spans.map(({ words }) => words)).toEqual(["new", "york"]);
  const plain = await Tagger.train([{ columns: [["a"]], labels: ["X"] }], { passes: 1, heldOut: 0 });
  await expect(calibrate(plain, [{ columns: [["a"]], labels: ["X"] }], { recall: 0.9 })).rejects.toThrow(/no spans/);
});
