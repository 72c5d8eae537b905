// The commands on texts with segments: train, predict, evaluate, calibrate, review; what they print and what they refuse.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReview, saveReview } from "../../src/index.js";
import { mulberry } from "../engine/oracle.js";
import { Folder } from "./helpers.js";

const folder = new Folder();
const run = (...words: string[]) => folder.run(words);

/** `tama` is one word or, about as often, two: nobody can be sure. */
const words = ["ta", "ta", "ta", "ma", "ma", "ma", "tama", "kuro", "neko", "inu", "mi"];
const random = mulberry(4);
const sentence = (): string =>
  Array.from({ length: 3 + Math.floor(3 * random()) }, () => words[Math.floor(random() * words.length)]).join(" ");
const train = (out: string, ...more: string[]) =>
  run("train", "segment", "words.txt", "--out", out, "--passes", "4", "--l2", "0.1", ...more);

beforeAll(async () => {
  folder.write("words.txt", `${Array.from({ length: 150 }, sentence).join("\n")}\n`);
  folder.write("test.txt", `${Array.from({ length: 300 }, sentence).join("\n")}\n`);
  folder.write("lexicon.txt", "neko\nkuro\n");
  const trained = await train("m.sg", "--lexicon", "lexicon.txt");
  expect(trained).toMatchObject({ code: 0, out: "" });
  expect(trained.error).toMatch(/^stargram: m\.sg: .* segments in 150 texts; pass \d of 4, held out F1 .*\n$/);
});
afterAll(() => folder.remove());

describe("with a segmenter", () => {
  test("predict prints words with spaces between; --json has offsets and probabilities", async () => {
    const { code, out } = await folder.run(["predict", "m.sg"], "nekokuroinu\n");
    expect({ code, out }).toEqual({ code: 0, out: "neko kuro inu\n" });
    const json = JSON.parse((await folder.run(["predict", "m.sg", "--json", "--nbest", "2"], "nekokuro\n")).out);
    expect(json.segments).toMatchObject([
      { start: 0, end: 4, text: "neko" },
      { start: 4, end: 8, text: "kuro" },
    ]);
    for (const { probability } of json.segments) expect(probability).toBeGreaterThanOrEqual(json.probability - 1e-9);
    expect(json.nbest).toHaveLength(2);
  });

  test("threads print the same", async () => {
    const one = await run("predict", "m.sg", "test.txt", "--json");
    expect((await run("predict", "m.sg", "test.txt", "--json", "--threads", "2")).out).toBe(one.out);
  });

  test("evaluate, calibrate, and a review whose answers are learned from", async () => {
    const report = JSON.parse((await run("evaluate", "m.sg", "test.txt", "--json")).out);
    expect(report).toMatchObject({ texts: 300, unknownLabels: 0 });
    expect(report.segmentF1).toBeGreaterThan(0.8);
    expect(report.segmentF1).toBeLessThan(1);
    expect((await run("evaluate", "m.sg", "test.txt", "--require", `segmentF1=${report.segmentF1}`)).code).toBe(0);
    expect((await run("calibrate", "m.sg", "test.txt", "--precision", "0.9")).code).toBe(0);
    const left = await folder.run(
      ["predict", "m.sg", "--precision", "0.9", "--review", "left.tsv"],
      "nekotama\nnekomi\n",
    );
    expect(left.code).toBe(0);
    expect(left.out).toMatch(/^# left .*\n\n# answered .*\nneko mi\n$/);
    const items = await readReview(folder.file("left.tsv"));
    expect(items.map(({ input }) => input)).toEqual(["nekotama"]);
    expect(items[0].candidates.map(({ text }) => text)).toEqual(expect.arrayContaining(["neko ta ma", "neko tama"]));
    const answer = async (text: string) => {
      await saveReview(folder.file("left.tsv"), [{ ...items[0], answer: text, status: "answered" }]);
      return run("train", "segment", "--from", "m.sg", "--add", "left.tsv", "--out", "new.sg");
    };
    expect(await answer("neko tam")).toMatchObject({ code: 2 });
    expect(await answer("neko tama")).toMatchObject({ code: 0 });
    expect((await folder.run(["predict", "new.sg"], "nekokuro\n")).out).toBe("neko kuro\n");
  });

  test("the same bytes for the same seed, also on two deterministic threads, and after a stop", async () => {
    await train("a.sg", "--deterministic");
    await train("b.sg", "--deterministic", "--threads", "2");
    const bytes = readFileSync(folder.file("a.sg"));
    expect(readFileSync(folder.file("b.sg")).equals(bytes)).toBe(true);
  });

  test("columns come back with labels and probabilities", async () => {
    const rows = [
      "Ann B-PER",
      "met O",
      "Bob B-PER",
      "",
      "New B-LOC",
      "York I-LOC",
      "",
      "Ann B-PER",
      "in O",
      "Rome B-LOC",
    ];
    folder.write("names.txt", `${Array.from({ length: 4 }, () => rows.join("\n")).join("\n\n")}\n`);
    const trained = await run("train", "segment", "names.txt", "--out", "n.sg", "--passes", "8", "--l2", "0.1");
    expect(trained.code).toBe(0);
    const { out } = await folder.run(["predict", "n.sg"], "Ann\nin\nNew\nYork\n");
    expect(out.replace(/\t[\d.e-]+$/gm, "")).toBe("Ann\tB-PER\nin\tO\nNew\tB-LOC\nYork\tI-LOC\n\n");
    const unknown = await folder.run(["evaluate", "n.sg", "-"], "Ann B-ORG\n");
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.error).toMatch(/standard input:1: the model does not know the label `ORG`/);
  });

  test("bad input is refused with file and line, and the old model stays", async () => {
    const before = readFileSync(folder.file("m.sg"));
    folder.write("bad.jsonl", '{"text": "ab", "segments": [{"start": 0, "end": 1}]}\n{"text": "ab", "segments": 1}\n');
    const bad = await run("train", "segment", "bad.jsonl", "--out", "m.sg");
    expect(bad.code).toBe(2);
    expect(bad.error).toMatch(/bad\.jsonl:2: `segments` is missing/);
    expect(readFileSync(folder.file("m.sg")).equals(before)).toBe(true);
    const lexicon = await train("x.sg", "--lexicon", "none.txt");
    expect(lexicon.code).toBe(2);
  });
});
