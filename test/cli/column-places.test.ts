// Columns whose word is not the first or whose label is not the last.

import { afterAll, expect, test } from "vitest";
import { linesOf } from "../../src/formats/line-blocks.js";
import { type ParseTaggingOptions, parseTagging } from "../../src/formats/tagging.js";
import { Folder } from "./helpers.js";

const read = async (text: string, options: Partial<ParseTaggingOptions>) => {
  const found = [];
  const stream = parseTagging(linesOf(text, "d.txt"), { format: "columns", labelled: true, ...options });
  for await (const { columns, labels, document } of stream) found.push({ columns, labels, document });
  return found;
};

test("the word comes first and the label is taken out, wherever they stand", async () => {
  const text = "1 DT the x\n2 NN dog y\n\n0 O -DOCSTART- _\n1 VB barks z\n";
  expect(await read(text, { wordColumn: 3, labelColumn: 2 })).toEqual([
    { columns: [["the", "1", "x"], ["dog", "2", "y"]], labels: ["DT", "NN"], document: undefined }, // biome-ignore format: rows
    { columns: [["barks", "1", "z"]], labels: ["VB"], document: 1 },
  ]);
  expect((await read("DT the\nNN dog\n", { wordColumn: 2, labelColumn: 1 }))[0]).toMatchObject({
    columns: [["the"], ["dog"]],
    labels: ["DT", "NN"],
  });
});

test("places that are not there are refused", async () => {
  await expect(read("a b\n", { labelColumn: 3 })).rejects.toThrow("d.txt:1: there is no column 3: the line has 2");
  await expect(read("a b\n", { labelColumn: 1 })).rejects.toThrow("the word and the label are in one column");
  await expect(read("a b\n", { wordColumn: 2 })).rejects.toThrow("the word and the label are in one column");
  await expect(read("A\ta=b\n", { format: "crfsuite", labelColumn: 1 })).rejects.toThrow("for columns only");
  await expect(read("a b\n", { column: "upos" })).rejects.toThrow("for CoNLL-U only");
});

const folder = new Folder();
afterAll(() => folder.remove());

test("a model reads new data as its training data was, with labels or without", async () => {
  folder.write("train.txt", "DT 1 the\nNN 2 dog\n\nDT 1 a\nNN 2 cat\n\n".repeat(4));
  const places = ["--word-column", "3", "--label-column", "1"];
  const settings = ["--passes", "4", "--held-out", "0", "--l2", "0.1", "--out", "m.sg"];
  expect((await folder.run(["train", "tag", "train.txt", ...places, ...settings])).code).toBe(0);
  expect((await folder.run(["evaluate", "m.sg", "train.txt", "--require", "tokenAccuracy=1"])).code).toBe(0);
  const predict = (text: string) => folder.run(["predict", "m.sg", "--labels-only"], text);
  expect((await predict("NN 1 the\nNN 2 dog\n")).out).toBe("NN\t1\tthe\tDT\nNN\t2\tdog\tNN\n\n");
  expect((await predict("1 the\n2 dog\n")).out).toBe("1\tthe\tDT\n2\tdog\tNN\n\n");
});
