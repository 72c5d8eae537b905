// What is longer than can be worked on is refused with the limit and its place, soon, and whoever reads stays small: a source
// that never ends is refused too.

import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { TaggingFormat } from "../../src/formats/detect.js";
import { LONGEST_CIPHER, LONGEST_LINE, LONGEST_SEQUENCE, LONGEST_SIDE } from "../../src/formats/limits.js";
import { openLines } from "../../src/formats/lines.js";
import { parsePairs } from "../../src/formats/pairs.js";
import { readTagging } from "../../src/formats/read.js";
import { readText } from "../../src/formats/text.js";
import { InputError } from "../../src/util/errors.js";

/** The same bytes for ever; `given` counts them. */
function endless(piece: string, head = ""): { stream: Readable; given: () => number } {
  const block = Buffer.from(piece.repeat(Math.ceil(65536 / piece.length)));
  let given = 0;
  function* blocks() {
    yield Buffer.from(head);
    for (;;) {
      given += block.length;
      yield block;
    }
  }
  return { stream: Readable.from(blocks(), { objectMode: false }), given: () => given };
}

async function refusal(items: AsyncIterable<unknown> | Promise<unknown>): Promise<InputError> {
  try {
    if (items instanceof Promise) await items;
    else for await (const _ of items);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error("not refused");
}

const letterLine = (id: number, next: number) =>
  `${[id, "a", next, 1, id, 0, ...Array.from({ length: 128 }, () => 0)].join("\t")}\n`;

describe("a sequence", () => {
  test.each<[TaggingFormat, string]>([
    ["columns", "word\n"],
    ["crfsuite", "\tname\n"],
  ])("that never ends is refused, in %s", async (format, line) => {
    const { stream, given } = endless(line, "\n\n");
    const error = await refusal(readTagging(stream, { format, labelled: false, file: "long.txt" }));
    expect(error.reason).toMatch(/longer than 100,000 tokens/);
    expect([error.file, error.line]).toEqual(["long.txt", 3]);
    expect(given()).toBeLessThan(line.length * LONGEST_SEQUENCE + (1 << 20));
  });

  test("of letters is refused", async () => {
    const lines = Array.from({ length: LONGEST_SEQUENCE + 1 }, (_, i) => letterLine(i + 1, i + 2));
    const stream = Readable.from(lines.map((line) => Buffer.from(line)));
    const error = await refusal(readTagging(stream, { format: "letters", labelled: true }));
    expect(error.reason).toMatch(/longer than 100,000 tokens/);
  });

  test("in JSON is refused, and so is a line that never ends", async () => {
    const tokens = (count: number) => JSON.stringify({ tokens: Array.from({ length: count }, () => "a") });
    const read = (text: string) =>
      readTagging(Readable.from([Buffer.from(text)]), { format: "jsonl", labelled: false });
    expect((await refusal(read(tokens(LONGEST_SEQUENCE + 1)))).reason).toMatch(/longer than 100,000 tokens/);
    for await (const { columns } of read(tokens(LONGEST_SEQUENCE))) expect(columns?.length).toBe(LONGEST_SEQUENCE);
    const { stream, given } = endless('"a",', '{"tokens": [');
    expect((await refusal(readTagging(stream, { format: "jsonl", labelled: false }))).reason).toMatch(/64 MiB/);
    expect(given()).toBeLessThan(LONGEST_LINE + (1 << 20));
  });
});

describe("a pair", () => {
  const read = (text: string) => parsePairs(openLines(Readable.from([Buffer.from(text)]), { file: "p.tsv" }));
  test.each([
    ["input", "a".repeat(LONGEST_SIDE + 1), "x"],
    ["input", "a ".repeat(LONGEST_SIDE + 1), "x"],
    ["output", "x", "é".repeat(LONGEST_SIDE + 1)],
    ["input", "😀".repeat(20_000_000 / 4), "x"],
  ])("with an %s that is too long is refused", async (side, input, output) => {
    const error = await refusal(read(`a\tb\n${input}\t${output}\n`));
    expect(error.reason).toBe(`the ${side} is longer than 5,000 symbols, the limit`);
    expect([error.file, error.line]).toEqual(["p.tsv", 2]);
  });
});

test("a text that never ends is refused, as UTF-8 and as Latin-1", async () => {
  for (const encoding of ["utf-8", "latin1"] as const) {
    const { stream, given } = endless("some words in a line\n");
    const error = await refusal(readText(stream, encoding, LONGEST_CIPHER));
    expect(error.reason).toMatch(/longer than 8 MiB/);
    expect(given()).toBeLessThan(LONGEST_CIPHER + (1 << 20));
  }
});
