// Cross-validation of any task: what is held out, and means by hand.

import { expect, test } from "vitest";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { type LearningTask, learningTasks } from "../../src/tasks/task.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";
import { InputError } from "../../src/util/errors.js";
import { crossValidate } from "../../src/workflows/cross-validate.js";
import { evaluate } from "../../src/workflows/evaluate.js";

const taskOf = (name: string) => learningTasks().find((task) => task.name === name) as LearningTask;
const words = ["a", "b", "c", "d"];
const sentence = (i: number, document?: number) => ({
  columns: Array.from({ length: 1 + (i % 3) }, (_, k) => [words[(i * 5 + k * 3) % 4]]),
  labels: Array.from({ length: 1 + (i % 3) }, (_, k) =>
    (i * 5 + k * 3 + (i % 7 === 0 ? 1 : 0)) % 2 === 0 ? "X" : "Y",
  ),
  document,
});

test("every example is held out once, documents together; means and spreads are those of evaluate", async () => {
  const examples = Array.from({ length: 60 }, (_, i) => sentence(i, Math.floor(i / 3)));
  const learned: unknown[][] = [];
  const reports: Record<string, unknown>[] = [];
  const heldOut: unknown[][] = [];
  const train = async (some: AsyncIterable<unknown>) => {
    const own: typeof examples = [];
    for await (const one of some) own.push(one as (typeof examples)[0]);
    learned.push(own);
    const left = examples.filter((one) => !own.includes(one));
    heldOut.push(left);
    const tagger = await Tagger.train(own, { passes: 2, heldOut: 0, l2: 1 });
    reports.push((await evaluate(tagger, left)).report);
    return tagger;
  };
  const found = await crossValidate(taskOf("tag"), examples, { parts: 4, seed: 1, train });
  expect(found.parts).toHaveLength(4);
  expect(heldOut.flat()).toHaveLength(60);
  expect(new Set(heldOut.flat()).size).toBe(60);
  for (const part of heldOut) {
    const documents = new Set(part.map((one) => (one as { document: number }).document));
    expect(part).toHaveLength(3 * documents.size);
  }
  const values = reports.map(({ tokenAccuracy }) => tokenAccuracy as number);
  expect(found.parts.map(({ tokenAccuracy }) => tokenAccuracy)).toEqual(values);
  const mean = values.reduce((sum, x) => sum + x, 0) / 4;
  expect(found.mean.tokenAccuracy).toBeCloseTo(mean, 12);
  expect(found.spread.tokenAccuracy).toBeCloseTo(
    Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 3),
    12,
  );
  const inside = reports.map((report) => (report as { labels: { X: { f1: number } } }).labels.X.f1);
  expect((found.mean as { labels: { X: { f1: number } } }).labels.X.f1).toBeCloseTo(
    inside.reduce((sum, x) => sum + x, 0) / 4,
    12,
  );
});

test("answers to one input stay together", async () => {
  const pairs = Array.from({ length: 40 }, (_, i) => ({
    input: [...`${Math.floor(i / 2)}x`],
    output: [String(i % 2)],
  }));
  const train = async (some: AsyncIterable<unknown>) => {
    const own: typeof pairs = [];
    for await (const one of some) own.push(one as (typeof pairs)[0]);
    for (const one of own) expect(own.filter(({ input }) => input.join("") === one.input.join(""))).toHaveLength(2);
    return Transducer.train(own, { passes: 1, heldOut: 0, l2: 1 });
  };
  expect((await crossValidate(taskOf("transduce"), pairs, { parts: 3, seed: 2, train })).parts).toHaveLength(3);
});

test("too few examples are refused", async () => {
  const train = () => Promise.reject(new Error("not reached"));
  await expect(crossValidate(taskOf("tag"), [sentence(1)], { parts: 2, seed: 1, train })).rejects.toThrow(InputError);
});
