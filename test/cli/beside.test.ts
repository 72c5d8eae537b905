// What `predict` prints can be pasted beside what it reads: line by line, blank lines too, on any number of threads. What a
// token or label holds cannot be taken for the signs between columns.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generator, uniform } from "../../src/util/random.js";
import { columns, Folder } from "./helpers.js";

const folder = new Folder();

beforeAll(async () => {
  folder.write("train.txt", columns(60));
  folder.write("pairs.tsv", Array.from({ length: 40 }, (_, i) => `ab${"ab"[i % 2]}\tA B ${"AB"[i % 2]}\n`).join(""));
  await folder.run(["train", "tag", "train.txt", "--passes", "2", "--out", "tagger.sg", "--quiet"]);
  await folder.run(["train", "transduce", "pairs.tsv", "--passes", "2", "--out", "transducer.sg", "--quiet"]);
});
afterAll(() => folder.remove());

/** Lines with blank ones at the beginning, in between and at the end, some hundreds in a row too. */
function gappy(pieces: readonly string[]): string {
  const random = generator(11, 0);
  const gap = (): number => (uniform(random) < 0.02 ? 400 : Math.floor(uniform(random) ** 3 * 4));
  return `\n\n${pieces.map((piece) => piece + "\n".repeat(gap())).join("")}${"\n".repeat(350)}`;
}

describe("blank lines", () => {
  const sentences = Array.from({ length: 400 }, (_, i) => (i % 3 ? "the\ndog\nbarks\n\n" : "a\ncat\n\n"));
  const words = Array.from({ length: 1500 }, (_, i) => (i % 5 ? "aba\n" : "abb\n"));

  test.each([
    ["tagger.sg", gappy(sentences)],
    ["transducer.sg", gappy(words)],
    ["transducer.sg", gappy(words).trimEnd()],
  ])("of the input are in the output of %s", async (model, text) => {
    const lines = text.replace(/\n$/, "").split("\n");
    const { code, out } = await folder.run(["predict", model], text);
    expect(code).toBe(0);
    const printed = out.replace(/\n$/, "").split("\n");
    expect(printed.map((line) => line.split("\t")[0])).toEqual(lines);
    expect((await folder.run(["predict", model, "--threads", "2"], text)).out).toBe(out);
  });

  test("are not added to what has lines of its own, nor to JSON", async () => {
    for (const flags of [["--nbest", "2"], ["--json"], ["--contexts"]]) {
      const text = "the\ndog\n\nthe\ncat\n";
      const plain = await folder.run(["predict", "tagger.sg", "-", ...flags], text);
      const gaps = await folder.run(
        ["predict", "tagger.sg", "-", ...flags],
        `\n\n${text.replace("\n\n", "\n\n\n\n")}\n\n`,
      );
      expect(gaps.out).toBe(plain.out);
    }
  });

  test("of a source that has nothing else are refused as before", async () => {
    for (const threads of ["1", "2"]) {
      const { code, out } = await folder.run(["predict", "tagger.sg", "--threads", threads], "\n\n\n");
      expect([code, out]).toEqual([2, ""]);
    }
  });
});

describe("CoNLL-U comes back byte for byte but for the answers", () => {
  const row = (id: string, form: string, upos = "_") => `${id}\t${form}\t_\t${upos}\t_\tA=B\t_\t_\t_\t_\n`;
  const words = row("1", "the", "DET") + row("2", "dog", "NOUN");
  const blind = (text: string) => text.replace(/^(\d+\t[^\t]*\t[^\t]*\t)[^\t]*/gm, "$1?");
  const odd = {
    "ranges and empty nodes first": `0.1\tx${"\t_".repeat(8)}\n${row("1-2", "thedog")}${words}\n${words}\n`,
    "comments between and at the end": `# first\n\n${words}\n# alone\n\n# sent_id = 2\n${words}\n# the end\n`,
    "empty nodes alone": `${row("0.1", "x")}\n${words}\n${row("0.1", "x")}`,
    "blank lines, some with spaces": `\n\n${words} \n\n\n${words}\t\n`,
    "many sentences": `${words}\n# c\n\n`.repeat(300),
  };

  beforeAll(async () => {
    folder.write("train.conllu", `${words}\n`.repeat(20));
    await folder.run(["train", "tag", "train.conllu", "--passes", "2", "--out", "conllu.sg", "--quiet"]);
  });

  test.each(Object.entries(odd))("%s", async (_, text) => {
    const returned = text.replaceAll("\n", "\r\n");
    for (const given of [text, text.trimEnd(), text.length > 1000 ? returned : returned.trimEnd()]) {
      for (const threads of text.length > 1000 ? ["1", "2"] : ["1"]) {
        const { code, out } = await folder.run(["predict", "conllu.sg", "--threads", threads], given);
        expect(code).toBe(0);
        expect(blind(out)).toBe(blind(given));
        expect(out).toContain("\tNOUN\t");
      }
    }
  });
});

describe("tokens and labels with tabs and line ends", () => {
  const tokens = ["a\tb", "c\nd", "back\\slash", "e\rf", "plain"];
  const labels = ["N\tP", "V\nP", "A\\B", "O", "O"];
  const unescaped = (field: string) =>
    field.replace(/\\(.)/g, (_, sign: string) => ({ t: "\t", n: "\n", r: "\r", "\\": "\\" })[sign] as string);

  test("are written so that they can be read back", async () => {
    folder.write("awkward.jsonl", `${JSON.stringify({ tokens, labels })}\n`.repeat(30));
    const trained = await folder.run(["train", "tag", "awkward.jsonl", "--passes", "9", "--out", "a.sg", "--quiet"]);
    expect(trained).toMatchObject({ code: 0 });
    const asked = `${JSON.stringify({ tokens })}\n`;
    const { out } = await folder.run(["predict", "a.sg"], asked);
    const rows = out.trimEnd().split("\n");
    expect(rows.map((row) => row.split("\t").slice(0, 2).map(unescaped))).toEqual(tokens.map((t, i) => [t, labels[i]]));
    expect(rows.every((row) => row.split("\t").length === 3)).toBe(true);

    const all = await folder.run(["predict", "a.sg", "-", "--marginals", "--contexts"], asked);
    const [first] = all.out.split("\n");
    const marginals = first.split("\t").slice(3);
    expect(marginals.map((field) => unescaped(field.replace(/\/[^/]*$/, ""))).sort()).toEqual(
      [...new Set(labels)].sort(),
    );
    expect(all.out.trimEnd().split("\n")).toHaveLength(2 * tokens.length);

    const json = JSON.parse((await folder.run(["predict", "a.sg", "-", "--json"], asked)).out);
    expect([json.tokens, json.labels]).toEqual([tokens, labels]);
  });

  test("that have none are written as they are", async () => {
    const { out } = await folder.run(["predict", "tagger.sg"], "back\\slash\n\\t\n");
    expect(out.split("\n").map((line) => line.split("\t")[0])).toEqual(["back\\slash", "\\t", "", ""]);
  });
});
