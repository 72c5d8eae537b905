import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { LineSource } from "../../src/formats/line-blocks.js";
import { readLineBlocks } from "../../src/formats/lines.js";
import { InputError } from "../../src/util/errors.js";

const folder = mkdtempSync(join(tmpdir(), "stargram-lines-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function linesOf(source: LineSource): Promise<string[]> {
  const lines: string[] = [];
  for await (const block of readLineBlocks(source)) {
    expect(block.first).toBe(lines.length + 1);
    lines.push(...block.lines);
  }
  return lines;
}

/** A stream that gives the bytes in pieces of a size. */
function inPieces(bytes: Buffer, size: number): Readable {
  const pieces: Buffer[] = [];
  for (let i = 0; i < bytes.length; i += size) pieces.push(bytes.subarray(i, i + size));
  return Readable.from(pieces, { objectMode: false });
}

async function errorOf(source: LineSource): Promise<InputError> {
  const error = await linesOf(source).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
}

describe("lines", () => {
  it("are the same however the bytes arrive, packed or not, with LF or CRLF, with or without a last newline", async () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replace(/[\n\r\0\uFEFF]|\p{Surrogate}/gu, "~"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.record({ crlf: fc.boolean(), last: fc.boolean(), gzip: fc.boolean(), bom: fc.boolean() }),
        fc.integer({ min: 1, max: 40 }),
        async (lines, { crlf, last, gzip, bom }, size) => {
          const end = crlf ? "\r\n" : "\n";
          const text = (bom ? "\uFEFF" : "") + lines.join(end) + (last ? end : "");
          // A last line that is empty and has no end is no line.
          const expected = [...lines];
          if (!last && expected.at(-1) === "") expected.pop();
          if (last && lines.length === 0) expected.push("");
          const bytes = Buffer.from(text);
          expect(await linesOf(inPieces(gzip ? gzipSync(bytes) : bytes, size))).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("reads a file, packed or not by its bytes and not by its name", async () => {
    const text = Array.from({ length: 50_000 }, (_, i) => `line ${i}`);
    const plain = join(folder, "plain.gz");
    const packed = join(folder, "packed.txt");
    writeFileSync(plain, `${text.join("\n")}\n`);
    writeFileSync(packed, gzipSync(`${text.join("\n")}\n`));
    expect(await linesOf(plain)).toEqual(text);
    expect(await linesOf(packed)).toEqual(text);
  });

  it("reads one line of 8 MB, and gzip members one after the other", async () => {
    const long = "ab ".repeat(1 << 21);
    expect(await linesOf(Readable.from([Buffer.from(`x\n${long}\ny`)]))).toEqual(["x", long, "y"]);
    expect(await linesOf(Readable.from([gzipSync("a\nb"), gzipSync("c\n")], { objectMode: false }))).toEqual([
      "a",
      "bc",
    ]);
  });

  it("names the line that is not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("one\ntwo\n"), Buffer.from([0x66, 0xfc, 0x72]), Buffer.from("\nfour\n")]);
    for (const size of [1, 3, 1000]) {
      const error = await errorOf(inPieces(bytes, size));
      expect(error.line).toBe(3);
      expect(error.message).toMatch(/UTF-8/);
    }
    expect((await errorOf(Readable.from([Buffer.from("a\nb\n", "utf16le")]))).hint).toMatch(/UTF-16/);
    expect((await errorOf(Readable.from([Buffer.from("\uFEFFa", "utf16le")]))).hint).toMatch(/UTF-16/);
  });

  it("refuses a carriage return that ends no line", async () => {
    const error = await errorOf(Readable.from([Buffer.from("a\nb\rc\n")]));
    expect([error.line, error.column]).toEqual([2, 2]);
  });

  it("refuses gzip that is cut short or damaged, at any place", async () => {
    const packed = gzipSync(Array.from({ length: 300 }, (_, i) => `line ${i * i}`).join("\n"));
    for (let length = 2; length < packed.length; length += 7) {
      expect((await errorOf(Readable.from([packed.subarray(0, length)]))).message).toMatch(/truncated|damaged/);
    }
    for (let at = 10; at < packed.length; at += 11) {
      const damaged = Buffer.from(packed);
      damaged[at] ^= 0x55;
      await errorOf(Readable.from([damaged]));
    }
  });

  it("says what is wrong with a file that cannot be read", async () => {
    expect((await errorOf(join(folder, "absent"))).message).toMatch(/absent: there is no such file/);
    expect((await errorOf(folder)).message).toMatch(/folder/);
    const secret = join(folder, "secret");
    writeFileSync(secret, "x");
    chmodSync(secret, 0);
    // The administrator may read everything.
    if (process.getuid?.() !== 0) expect((await errorOf(secret)).message).toMatch(/permission/);
  });

  it("closes the file when the reader stops early", async () => {
    let closed = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.from("a\nb\n");
      } finally {
        closed = true;
      }
    }
    for await (const block of readLineBlocks(Readable.from(endless(), { objectMode: false }))) {
      expect(block.lines[0]).toBe("a");
      break;
    }
    expect(closed).toBe(true);
  });
});
