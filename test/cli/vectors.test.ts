// Word vectors on the command line: packed or not, the same bits for any number of threads, kept in the model; what is refused.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Folder } from "./helpers.js";

const folder = new Folder();
const run = (...words: string[]) => folder.run(words);
const words = Array.from({ length: 16 }, (_, n) => `w${n}`);
const kindOf = (n: number): string => (n % 2 === 0 ? "A" : "B");

beforeAll(() => {
  // Only vectors tell the words apart; the last two are not in the labelled data.
  const lines = words.map((word, n) => `${word} ${kindOf(n) === "A" ? "3 0.5" : "0.5 3"}\n`);
  folder.write("words.vec", `16 2\n${lines.join("")}`);
  folder.write("words.vec.gz", gzipSync(lines.join("")));
  const pairs = Array.from({ length: 30 }, (_, s) => [(3 * s) % 14, (Math.floor(s / 2) * 5 + s) % 14]);
  folder.write("train.txt", pairs.map((pair) => `${pair.map((n) => `w${n} ${kindOf(n)}\n`).join("")}\n`).join(""));
});
afterAll(() => folder.remove());

const train = (out: string, ...more: string[]) =>
  run("train", "tag", "train.txt", "--out", out, "--l2", "1", "--held-out", "0", "--passes", "4", ...more);

test("vectors are learned from, on any number of threads, and are kept", async () => {
  expect((await train("one.sg", "--vectors", "words.vec", "--threads", "1", "--deterministic")).code).toBe(0);
  expect((await train("two.sg", "--vectors", "words.vec.gz", "--threads", "2", "--deterministic")).code).toBe(0);
  const labels = async (model: string) => (await folder.run(["predict", model, "--labels-only"], "w14\nW15\n")).out;
  expect(await labels("one.sg")).toBe("w14\tA\nW15\tB\n\n");
  const json = async (model: string) =>
    (await folder.run(["predict", model, "--json", "--marginals"], "w14\nw3\n")).out;
  expect(await json("two.sg")).toBe(await json("one.sg"));
  expect((await run("inspect", "one.sg")).out).toMatch(/vectors +16 words, 2 numbers each\n/);
  expect(JSON.parse((await run("inspect", "one.sg", "--json")).out).vectors).toEqual({ words: 16, dimension: 2 });
  const checked = await run(
    "cross-validate",
    "tag",
    "train.txt",
    "--vectors",
    "words.vec",
    "--parts",
    "2",
    "--l2",
    "1",
    "--json",
  );
  expect(JSON.parse(checked.out).mean.tokenAccuracy).toBe(1);
});

test("what is refused, with its file and line", async () => {
  folder.write("bad.vec", "w1 1 2\nw2 1\n");
  expect(await train("m.sg", "--vectors", "bad.vec")).toMatchObject({
    code: 2,
    error: "stargram: bad.vec:2: 1 numbers after the word, expected 2\n",
  });
  expect((await train("m.sg", "--vectors", "none.vec")).error).toContain("none.vec: there is no such file");
  expect((await train("m.sg", "--vectors", "words.vec", "--vectors-words", "-1")).code).toBe(2);
});
