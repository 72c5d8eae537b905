// The formats of a segmenter: what is read, which format is found, and what is refused with its place.

import { describe, expect, it } from "vitest";
import { linesOf } from "../../../src/formats/line-blocks.js";
import { goldOf, positionsOf, type SegmentedText } from "../../../src/tasks/segment/example.js";
import { readSegmented } from "../../../src/tasks/segment/inputs.js";
import { textPositions } from "../../../src/tasks/segment/positions.js";

async function read(content: string, given: Record<string, unknown> = {}): Promise<SegmentedText[]> {
  const all: SegmentedText[] = [];
  for await (const one of readSegmented([linesOf(content, "data")], given)) all.push(one);
  return all;
}

/** The segments of a text as they read, with labels. */
function shown(example: SegmentedText, input: "chars" | "tokens"): string[] {
  const positions = positionsOf(example, input);
  return (goldOf(example, positions) ?? []).map(({ from, to, label }) => {
    const text = positions.text.slice(positions.start[from], positions.end[to - 1]);
    return label === "" ? text : `${text}/${label}`;
  });
}

const row = (id: string, form: string, misc = "_", upos = "X") =>
  [id, form, form, upos, ..."_____".split(""), misc].join("\t");

describe("formats", () => {
  it("words: spaces between them", async () => {
    const given = {};
    const [first, second] = await read("我 在 北京\n\n你 好\n", given);
    expect(given).toEqual({ format: "words" });
    expect(first).toMatchObject({ text: "我在北京", line: 1 });
    expect(shown(first, "chars")).toEqual(["我", "在", "北京"]);
    expect(second.line).toBe(3);
  });

  it("lines: one segment per line, texts between blank lines", async () => {
    const all = await read("It rains. \nHe left.\n\nYes.\n", { format: "lines" });
    expect(all.map((one) => shown(one, "tokens"))).toEqual([["It rains.", "He left."], ["Yes."]]);
    expect(all[0].text).toBe("It rains. He left.");
    expect((await read("下雨了。\n他走了。\n", { format: "lines" }))[0].text).toBe("下雨了。他走了。");
  });

  it("columns: chunks as IOB1, BIO or BIOES mark them", async () => {
    const given = {};
    const rows = ["New I-LOC", "York I-LOC", "Rome B-LOC", "is O", "", "Bob S-PER", "Al B-PER", "Bo E-PER"];
    const [first, second] = await read(rows.join("\n"), given);
    expect(given).toEqual({ format: "columns", columns: 1 });
    expect(shown(first, "tokens")).toEqual(["New York/LOC", "Rome/LOC", "is/O"]);
    expect(shown(second, "tokens")).toEqual(["Bob/PER", "Al Bo/PER"]);
  });

  it("conllu: tokens of the text, ranges in place of their words, no empty nodes", async () => {
    const lines = [
      "# sent_id = s1",
      row("1", "Vamos"),
      row("2-3", "al", "SpaceAfter=No"),
      row("2", "a"),
      row("3", "el"),
    ];
    const [one] = await read([...lines, row("3.1", "e"), row("4", ".", "_", "PUNCT"), ""].join("\n"));
    expect(one).toMatchObject({ id: "s1", text: "Vamos al." });
    expect(shown(one, "chars")).toEqual(["Vamos", "al", "."]);
    const [labelled] = await read(`${row("1", "a", "_", "DET")}\n`, { labels: "upos" });
    expect(shown(labelled, "chars")).toEqual(["a/DET"]);
  });

  it("jsonl: offsets, what must be between is outside; or tokens with labels", async () => {
    const [text, tokens] = await read(
      '{"text": "in New York", "segments": [{"start": 3, "end": 11, "label": "LOC"}]}\n{"tokens": ["a"], "labels": ["O"]}\n',
    );
    expect(shown(text, "chars")).toEqual(["i/O", "n/O", "New York/LOC"]);
    expect(shown(text, "tokens")).toEqual(["in/O", "New York/LOC"]);
    expect(shown(tokens, "tokens")).toEqual(["a/O"]);
  });

  it("bad lines are refused with their place", async () => {
    await expect(read("北京\n")).rejects.toThrow(/data: cannot detect the format/);
    await expect(read("\n\n")).rejects.toThrow(/data: there are no texts/);
    await expect(read("a O\nb\n", { format: "columns" })).rejects.toThrow(/data:2: 2 columns expected/);
    await expect(read("1\ta\n", { format: "conllu" })).rejects.toThrow(/data:1: 10 fields/);
    await expect(read(`${row("x", "a")}\n`, { format: "conllu" })).rejects.toThrow(/data:1: `x` is not an id/);
    await expect(read('{"text": "ab"}\n')).rejects.toThrow(/data:1: `segments` is missing/);
    const [half] = await read('{"text": "abc", "segments": [{"start": 0, "end": 1}]}\n');
    expect(() => shown({ ...half, text: "e\u0301bc" }, "chars")).toThrow(/data:1: .* does not begin and end where/);
  });
});

describe("positions", () => {
  it("are grapheme clusters with offsets in the text; white space stands between them", () => {
    const { columns, start, end, spaced } = textPositions("e\u0301👍🏽 ก็b", "chars");
    expect(columns.map(([character]) => character)).toEqual(["é", "👍🏽", "ก็", "b"]);
    expect(Array.from(start)).toEqual([0, 2, 7, 9]);
    expect(Array.from(end)).toEqual([2, 6, 9, 10]);
    expect(Array.from(spaced)).toEqual([0, 0, 1, 0]);
  });
});
