// Word classes and lexicons on the command line: made from text, learned from, kept in the model; what is refused.

import { afterAll, beforeAll, expect, test } from "vitest";
import { Folder } from "./helpers.js";

const folder = new Folder();
const run = (...words: string[]) => folder.run(words);
const animals = ["dog", "cat", "cow", "pig", "hen", "fox", "elk"];
const things = ["hat", "cup", "pen", "bed", "map", "box", "urn"];

beforeAll(() => {
  // In the text animals eat and things fall. In the labelled data nothing tells them apart but the words, and two are missing.
  const text = animals.flatMap((animal, i) =>
    animals.map((_, k) => `The ${animal} eats now. A ${things[i]} falls ${["down", "off"][k % 2]}.`),
  );
  folder.write("text.txt", `${text.join(" ")}\n`);
  const labelled = animals.slice(0, 6).map((animal, i) => `${animal} A\n${things[i]} T\n\n`);
  folder.write("train.txt", labelled.join("").repeat(3));
});
afterAll(() => folder.remove());

const train = (...more: string[]) =>
  run("train", "tag", "train.txt", "--out", "m.sg", "--l2", "0.1", "--held-out", "0", "--passes", "6", ...more);

test("classes of words, learned from, without the files they came from", async () => {
  const made = await run("cluster", "text.txt", "--classes", "6");
  expect(made.code).toBe(0);
  expect(made.error).toMatch(/^stargram: \d+ words in 6 classes, from \d+ tokens; .*\n$/);
  const classOf = new Map(made.out.split("\n").map((line) => line.split("\t").slice(0, 2) as [string, string]));
  expect(classOf.get("elk")).toBe(classOf.get("dog"));
  expect(classOf.get("urn")).toBe(classOf.get("hat"));
  expect(classOf.get("urn")).not.toBe(classOf.get("elk"));
  folder.write("classes.tsv", made.out);
  expect((await train("--lexicon", "classes.tsv=c")).code).toBe(0);
  folder.write("classes.tsv", "");
  const predicted = await folder.run(["predict", "m.sg", "--labels-only"], "elk\nurn\n");
  expect(predicted.out).toBe("elk\tA\nurn\tT\n\n");
  expect((await run("inspect", "m.sg")).out).toMatch(/lexicon +c: \d+ words with classes\n/);
  expect(JSON.parse((await run("inspect", "m.sg", "--json")).out).lexicons[0]).toMatchObject({
    name: "c",
    isTable: true,
  });
});

test("what is refused, with its file and line", async () => {
  folder.write("bad.tsv", "dog\tA\n\tB\n");
  expect(await train("--lexicon", "bad.tsv")).toMatchObject({
    code: 2,
    error: "stargram: bad.tsv:2: an entry has no word before the tab\n",
  });
  expect((await train("--lexicon", "none.tsv")).code).toBe(2);
  expect((await train("--lexicon", "text.txt=a b")).error).toContain("--lexicon: `a b` cannot be the name");
  folder.write("empty.txt", "\n");
  expect((await run("cluster", "empty.txt")).error).toContain("empty.txt: there are no words");
  expect((await folder.run(["cluster", "-"], "only a few words here")).error).toContain("--min-count");
  expect((await run("cluster", "text.txt", "--classes", "1")).code).toBe(2);
});
