// Reading pairs: both formats, symbols, directions, and what is refused with file and line.

import { Readable } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinSymbols, type PairLayout, splitSymbols } from "../../src/formats/pair-lines.js";
import { type ReadPairsOptions, readPairs } from "../../src/formats/read.js";

async function read(text: string, options: ReadPairsOptions = {}) {
  const pairs: { input: string[]; output: string[]; line?: number }[] = [];
  for await (const { input, output, line } of readPairs(Readable.from([Buffer.from(text)]), {
    file: "f",
    ...options,
  })) {
    pairs.push({ input: [...input], output: [...output], line });
  }
  return pairs;
}

const sides = async (text: string, options?: ReadPairsOptions) =>
  (await read(text, options)).map(({ input, output }) => [input.join("|"), output.join("|")]);

describe("tables of pairs", () => {
  it("cut a side with spaces into tokens and another into characters", async () => {
    expect(await sides("AAKER\tAA K ER\nA\tAH\nAB\tAE B\n")).toEqual([
      ["A|A|K|E|R", "AA|K|ER"],
      ["A", "AH"],
      ["A|B", "AE|B"],
    ]);
  });

  it("can be told which columns, which symbols and which way", async () => {
    const line = "u1\tay d ow n\ti dont\n";
    expect(await sides(line, { columns: [2, 3], output: "chars" })).toEqual([["ay|d|ow|n", "i| |d|o|n|t"]]);
    expect(await sides(line, { columns: [2, 3], output: "chars", reverse: true })).toEqual([
      ["i| |d|o|n|t", "ay|d|ow|n"],
    ]);
  });

  it("take blank lines, CRLF, a byte order mark, empty outputs and a missing last newline", async () => {
    expect(await sides("\ufeffab\tx\r\n\r\nc\t\r\nd\ty")).toEqual([
      ["a|b", "x"],
      ["c", ""],
      ["d", "y"],
    ]);
  });

  it("keep what people take for one character together, in one form", async () => {
    expect(await sides("e\u0301👩‍👩‍👧नि\tx\n")).toEqual([["é|👩‍👩‍👧|नि", "x"]]);
  });

  it("may hold inputs alone where only inputs are needed", async () => {
    expect(await sides("ab\nc\tx\n", { inputsOnly: true, input: "chars", output: "chars" })).toEqual([
      ["a|b", ""],
      ["c", "x"],
    ]);
  });

  it("take a third column for attributes where few come again and again", async () => {
    const forms = ["N;SG", "N;PL", "V;PST", "V;PRS 3"];
    const table = (third: (i: number) => string): string =>
      Array.from({ length: 40 }, (_, i) => `w${i}\tv${i}\t${third(i)}\n`).join("");
    const attributes = async (text: string, options?: ReadPairsOptions) => {
      const found: (readonly string[] | undefined)[] = [];
      for await (const pair of readPairs(Readable.from([Buffer.from(text)]), options)) found.push(pair.attributes);
      return found;
    };
    const marked = table((i) => forms[i % 4]);
    expect((await attributes(marked)).slice(0, 4)).toEqual([
      ["N", "SG"],
      ["N", "PL"],
      ["V", "PST"],
      ["V", "PRS", "3"],
    ]);
    expect(new Set(await attributes(marked, { attributes: 0 }))).toEqual(new Set([undefined]));
    // Frequencies, probabilities and remarks are none.
    for (const other of [(i: number) => String(i % 3), (i: number) => String(i / 41), (i: number) => `note ${i}`]) {
      expect(new Set(await attributes(table(other)))).toEqual(new Set([undefined]));
    }
    expect(await attributes("a\tN\tb\nc\tV\td\n", { columns: [1, 3], attributes: 2 })).toEqual([["N"], ["V"]]);
    const inputs = await attributes("a\tN;SG\nb\nc\td\tV\n", { inputsOnly: true, attributes: 3 });
    expect(inputs).toEqual([["N", "SG"], undefined, ["V"]]);
    await expect(attributes(`${marked}a\tb\n`, { attributes: 3 })).rejects.toMatchObject({
      line: 41,
      name: "InputError",
    });
  });

  it("say where a line is wrong", async () => {
    await expect(read("ab\tx\ncd\n")).rejects.toMatchObject({ file: "f", line: 2, name: "InputError" });
    await expect(read("ab\tx\n\ty\n")).rejects.toMatchObject({ line: 2, reason: "the input is empty" });
    await expect(read("")).rejects.toThrow(/no pairs/);
    await expect(read("\n\n")).rejects.toThrow(/no pairs/);
    await expect(read("a\tb\n", { format: "tvs" as never })).rejects.toThrow(/did you mean `tsv`/);
    await expect(read("a\tb\n", { input: "token" as never })).rejects.toThrow(/tokens/);
    await expect(read("a\tb\n", { columns: [0, 1] })).rejects.toThrow(/counted from 1/);
  });
});

describe("CMU dictionaries", () => {
  const dictionary =
    ";;; a comment\nABKHAZIAN  AE0 B K AE1 Z IY0 AH0 N\nABKHAZIAN(2)  AE0 B K EY1 Z HH # rare\n'BOUT  B AW1 T\n";

  it("are known by their looks; variants are further answers, comments are left out", async () => {
    const layouts: PairLayout[] = [];
    const found = await sides(dictionary, { onLayout: (layout) => layouts.push(layout) });
    expect(layouts.map(({ format }) => format)).toEqual(["cmudict"]);
    expect(found).toEqual([
      ["A|B|K|H|A|Z|I|A|N", "AE0|B|K|AE1|Z|IY0|AH0|N"],
      ["A|B|K|H|A|Z|I|A|N", "AE0|B|K|EY1|Z|HH"],
      ["'|B|O|U|T", "B|AW1|T"],
    ]);
  });

  it("can drop the stress", async () => {
    const found = await sides(dictionary, { stress: false });
    expect(found[0][1]).toBe("AE|B|K|AE|Z|IY|AH|N");
  });
});

describe("symbols", () => {
  it("come back from their text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-composite" }), (text) => {
        const composed = text.normalize("NFC");
        expect(joinSymbols(splitSymbols(composed, "chars"), "chars")).toBe(composed);
      }),
    );
    const token = fc.stringMatching(/^[^\s]+$/);
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        expect(splitSymbols(joinSymbols(tokens, "tokens"), "tokens")).toEqual(tokens);
      }),
    );
  });
});
