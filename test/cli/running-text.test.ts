// `predict --text` on the command line.

import { afterAll, beforeAll, expect, test } from "vitest";
import { Folder } from "./helpers.js";

const folder = new Folder();
const text = "Anna saw Rome. Bob left.\n\nEve likes Bob\n";

beforeAll(async () => {
  const names = ["Anna", "Bob", "Rome", "Eve"];
  const data = names.flatMap((name) =>
    ["saw", "likes", "left"].map((verb) => `${name} B-N\n${verb} O\n${name} B-N\n. O\n\n`),
  );
  folder.write("train.txt", data.join(""));
  folder.write("wide.txt", "Anna NNP B-N\nsaw VB O\n\nBob NNP B-N\n\n");
  folder.write("text.txt", text);
  const train = (file: string, out: string) =>
    folder.run(["train", "tag", file, "--out", out, "--passes", "6", "--held-out", "0", "--l2", "0.1", "--quiet"]);
  expect((await train("train.txt", "m.sg")).code).toBe(0);
  expect((await train("wide.txt", "wide.sg")).code).toBe(0);
});
afterAll(() => folder.remove());

test("a line for each token, a blank one after each sentence", async () => {
  const { code, out } = await folder.run(["predict", "m.sg", "text.txt", "--text", "--labels-only"]);
  expect({ code, out }).toEqual({
    code: 0,
    out: "Anna\tB-N\nsaw\tO\nRome\tB-N\n.\tO\n\nBob\tB-N\nleft\tO\n.\tO\n\nEve\tB-N\nlikes\tO\nBob\tB-N\n\n",
  });
});

test("JSON has spans with their places in the text", async () => {
  const { out } = await folder.run(["predict", "m.sg", "--text", "--json"], text);
  const found = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(found.map(({ tokens }) => tokens.length)).toEqual([4, 3, 3]);
  for (const { tokens, offsets } of found) {
    expect(offsets.map(([start, end]: [number, number]) => text.slice(start, end))).toEqual(tokens);
  }
  const spans = found.flatMap((one) => one.spans);
  expect(spans.map(({ label, start, end }) => [label, start, end])).toEqual([
    ...[
      ["N", 0, 4],
      ["N", 9, 13],
      ["N", 15, 18],
      ["N", 26, 29],
      ["N", 36, 39],
    ],
  ]);
  for (const span of spans) {
    expect(text.slice(span.start, span.end)).toBe(span.text);
    expect(span.probability).toBeGreaterThan(0);
  }
});

test("a segmenter finds the tokens", async () => {
  folder.write("words.txt", "An na saw Ro me\nBob left\nAn na left\nRo me saw Bob\n".repeat(5));
  const trained = [
    "train",
    "segment",
    "words.txt",
    "--out",
    "words.sg",
    "--passes",
    "8",
    "--held-out",
    "0",
    "--l2",
    "0.1",
  ];
  expect((await folder.run(trained)).code).toBe(0);
  const predict = ["predict", "m.sg", "--tokenizer", "words.sg", "--json"];
  const { out } = await folder.run([...predict, "--text"], "AnnasawRome\n");
  expect(JSON.parse(out)).toMatchObject({ tokens: ["An", "na", "saw", "Ro", "me"], offsets: { 2: [4, 7] } });
  expect((await folder.run(predict, "x\n")).error).toContain("--tokenizer needs --text");
  const wrong = await folder.run(["predict", "m.sg", "--text", "--tokenizer", "m.sg"], "x\n");
  expect(wrong).toMatchObject({
    code: 2,
    error: expect.stringContaining("--tokenizer needs a model made by"),
  });
});

test("what does not go together is refused", async () => {
  const refused = async (...words: string[]) => {
    const { code, error } = await folder.run(["predict", ...words, "--text"], text);
    expect(code).toBe(2);
    return error;
  };
  expect(await refused("wide.sg")).toContain("--text: the model was trained on 2 columns");
  expect(await refused("m.sg", "--format", "jsonl")).toContain("--text cannot be used with --format");
  expect(await refused("m.sg", "--known")).toContain("--text cannot be used with --known");
  expect(await refused("m.sg", "text.txt", "--threads", "2")).toContain("--text works on one thread only");
});
