// Sets with a promised coverage as a user meets them.

import { afterAll, beforeAll, expect, test } from "vitest";
import { sentences } from "../confidence/sentences.js";
import { Folder } from "./helpers.js";

const folder = new Folder();
afterAll(() => folder.remove());

function columns(count: number, seed: number): string {
  return sentences(count, seed)
    .map((one) => `${one.columns.map(([word], i) => `${word}\t${one.labels[i]}\n`).join("")}\n`)
    .join("");
}

beforeAll(async () => {
  folder.write("train.txt", columns(200, 1));
  folder.write("held-out.txt", columns(300, 2));
  folder.write("few.txt", columns(5, 4));
  folder.write("new.txt", "New\nYork\n\nthe\nJordan\n\n");
  const words = ["train", "tag", "train.txt", "--out", "model.sg", "--passes", "4", "--l2", "1", "--quiet"];
  expect(await folder.run(words)).toMatchObject({ code: 0 });
});

test("calibrate --coverage keeps the promise in the model, and predict --coverage gives sets", async () => {
  const early = await folder.run(["predict", "model.sg", "new.txt", "--coverage", "0.9"]);
  expect(early.code).toBe(2);
  expect(early.error).toContain("stargram calibrate model.sg HELD-OUT --coverage 0.9");
  const few = await folder.run(["calibrate", "model.sg", "few.txt", "--coverage", "0.9"]);
  expect(few.code).toBe(1);
  expect(few.error).toMatch(/cannot be promised; the model is unchanged\n.*at least 9 held-out examples \(here 5\)/);

  const made = await folder.run(["calibrate", "model.sg", "held-out.txt", "--coverage", "0.9"]);
  expect(made).toMatchObject({ code: 0, error: "" });
  expect(made.out).toMatch(/^promise +sets of outputs contain the right one with a probability of at least 90 %\n/);
  expect((await folder.run(["inspect", "model.sg"])).out).toMatch(/^promise +coverage 0\.9: sets of outputs from/m);

  const text = await folder.run(["predict", "model.sg", "new.txt", "--coverage", "0.9"]);
  expect(text.error).toContain("1 of 2 inputs have a set of one (50.00 %)");
  const [sure, open] = text.out.split(/(?=# 1 )/);
  expect(sure).toMatch(/^# 1 0\.9\d+\nNew\tB-LOC\t/);
  expect(open).toMatch(/# 1 0\.\d+\nthe\tO\t[\d.]+\nJordan\tB-\w+\t[\d.]+\n\n# 2 0\.\d+\nthe\tO/);

  const json = await folder.run([
    "predict",
    "model.sg",
    "new.txt",
    "--coverage",
    "0.9",
    "--json",
    "--review",
    "left.tsv",
  ]);
  const lines = json.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ set, other }) => [set.length, other])).toEqual([
    [1, false],
    [2, false],
  ]);
  expect(lines[0].marginals).toBeUndefined();
  expect(json.error).toContain("the others are in left.tsv");
});

test("--unit token gives the labels that each token may have, line beside line, as label sets that can be learned from", async () => {
  const made = await folder.run([
    "calibrate",
    "model.sg",
    "held-out.txt",
    "--coverage",
    "0.98",
    "--unit",
    "token",
    "--json",
  ]);
  expect(JSON.parse(made.out)).toMatchObject({ promised: true, unit: "token", guarantee: { coverage: 0.98 } });
  const { out } = await folder.run(["predict", "model.sg", "new.txt", "--coverage", "0.98", "--unit", "token"]);
  expect(out).toMatch(/^New\tB-LOC\nYork\tI-LOC\n\nthe\tO\nJordan\tB-(LOC\|B-PER|PER\|B-LOC)\n\n$/);
  folder.write("sets.txt", out.repeat(20));
  const words = ["train", "tag", "sets.txt", "--label-sets", "--out", "again.sg", "--passes", "1", "--quiet"];
  expect(await folder.run(words)).toMatchObject({ code: 0 });
});

test.each([
  [["--coverage", "0.9", "--precision", "0.9"], /precision.*coverage.*cannot be combined/],
  [["--coverage", "0.9", "--unit", "span"], /the model has no sets of spans/],
  [
    ["--coverage", "0.9", "--mode", "beam"],
    /the promised coverage holds for the model as it was calibrated, not with --mode/,
  ],
])("predict refuses %j", async (flags, reason) => {
  const ran = await folder.run(["predict", "model.sg", "new.txt", ...flags]);
  expect({ code: ran.code, out: ran.out }).toEqual({ code: 2, out: "" });
  expect(ran.error).toMatch(reason);
});

test("calibrate --recall and predict --recall: all spans that are needed to find most of them", async () => {
  const made = await folder.run(["calibrate", "model.sg", "held-out.txt", "--recall", "0.9"]);
  expect(made).toMatchObject({ code: 0, error: "" });
  expect(made.out).toMatch(/^promise +90 % of the spans of a sequence found on average, with 95 % confidence\n/);
  const { out } = await folder.run(["predict", "model.sg", "new.txt", "--recall", "0.9"]);
  expect(out).toMatch(
    /^0\t2\tNew York\tLOC\t0\.9\d+\n\n1\t2\tJordan\t(LOC|PER)\t[\d.]+\n1\t2\tJordan\t(LOC|PER)\t[\d.]+\n\n$/,
  );
  const json = await folder.run(["predict", "model.sg", "new.txt", "--recall", "0.9", "--json"]);
  expect(JSON.parse(json.out.split("\n")[1]).spans).toHaveLength(2);
  const asked = await folder.run(["predict", "model.sg", "new.txt", "--recall", "0.5"]);
  expect(asked.error).toContain("stargram calibrate model.sg HELD-OUT --recall 0.5");
});

test("calibrate --per label: a promise of each label; what has none is left", async () => {
  const words = ["calibrate", "model.sg", "held-out.txt", "--precision", "0.8", "--unit", "token", "--per", "label"];
  const made = await folder.run(words);
  expect(made).toMatchObject({ code: 0, error: "" });
  expect(made.out).toMatch(/^O +from [\d.]+, at most \d+ of one sequence: \d+ of \d+ answered, \d+ wrong$/m);
  expect(made.out).toMatch(/^no promise +.*B-PER/m);
  const { out } = await folder.run(["predict", "model.sg", "new.txt", "--precision", "0.8", "--unit", "token"]);
  expect(out).toMatch(/^the\tO\t/m);
  expect(out).toMatch(/^Jordan\t_\t/m);
});
