// The review file: what is written comes back, whatever the fields hold, and what a person edits by hand is read with
// errors that name the place.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  formatReview,
  imagesOf,
  type ReviewItem,
  ReviewWriter,
  readReview,
  saveReview,
} from "../../src/formats/review.js";
import { joinLabels, splitLabels } from "../../src/formats/review-item.js";
import { InputError } from "../../src/util/errors.js";

const folder = mkdtempSync(join(tmpdir(), "stargram-review-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = fc.string({ unit: fc.constantFrom("a", "\\", "\t", "\n", "\r", "é", "😀", " ", '"', "t") });
const tokens: fc.Arbitrary<ReviewItem["tokens"]> = fc.array(text, { minLength: 1, maxLength: 3 }).chain((own) =>
  fc.record({
    tokens: fc.constant(own),
    labels: fc.array(text, { maxLength: 2 }),
    choices: fc.constant(own.map((token): [string, number][] => [[token, 0.5]])),
  }),
);
const plainItem: fc.Arbitrary<ReviewItem> = fc.record({
  id: text,
  kind: fc.constantFrom("text", "images"),
  input: text,
  answer: text.filter((answer) => answer !== ""),
  status: fc.constantFrom("answered", "skipped"),
  candidates: fc.array(fc.record({ text, probability: fc.constantFrom(0, 0.25, 1) }), { maxLength: 9 }),
  source: text,
});
const item: fc.Arbitrary<ReviewItem> = fc.oneof(
  plainItem,
  fc
    .tuple(plainItem, tokens, fc.constantFrom("tag", "segment"))
    .map(([one, own, task]) => ({ ...one, task, tokens: own })),
);

const plain: ReviewItem = {
  id: "7",
  kind: "text",
  input: "the dog",
  answer: "",
  status: "",
  candidates: [{ text: "DT NN", probability: 0.5 }],
  source: "{}",
};

const readText = (text: string, file?: string) => readReview(Readable.from([Buffer.from(text)]), file);

async function refusal(text: string, file?: string): Promise<InputError> {
  try {
    await readText(text, file);
  } catch (error) {
    if (error instanceof InputError) return error;
  }
  throw new Error("not refused");
}

describe("review file", () => {
  it("comes back as it was written, line by line", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item), async (items) => {
        const written = formatReview(items);
        expect(written.split("\n").length).toBe(items.length + 2);
        expect((await readText(written)).map(({ line: _, ...rest }) => rest)).toEqual(items);
      }),
    );
  });

  it("is saved and read, with the lines of the items", async () => {
    const path = join(folder, "saved.tsv");
    await saveReview(path, [plain, { ...plain, answer: "NN NN", status: "answered" }]);
    expect((await readReview(path)).map(({ line, status }) => [line, status])).toEqual([
      [2, ""],
      [3, "answered"],
    ]);
  });

  it("takes an answer without a status as answered, and rows without their empty ends", async () => {
    const [item] = await readText("id\tkind\tinput\tanswer\tstatus\tsource\n1\ttext\tx\tyes\n");
    expect(item).toMatchObject({ answer: "yes", status: "answered", source: "" });
  });

  it("takes columns in any order and CRLF", async () => {
    const [item] = await readText("source\tstatus\tanswer\tinput\tkind\tid\r\nS\tskipped\tA\tI\ttext\t1\r\n");
    expect(item).toMatchObject({ id: "1", input: "I", answer: "A", status: "skipped", source: "S" });
  });

  it("names file, line and column of what is wrong", async () => {
    const head = "id\tkind\tinput\tanswer\tstatus\tcandidate1\tprobability1\tsource\n";
    const at = (row: string) => refusal(head + row, "left.tsv");
    const tokens = (json: string) => refusal(`${head.trim()}\ttokens\n1\ttext\tx\t\t\t\t\t{}\t${json}\n`, "left.tsv");
    for (const json of ['{"tokens":', '{"tokens":["a"],"choices":[]}', '{"tokens":[],"choices":[]}']) {
      expect(await tokens(json)).toMatchObject({ file: "left.tsv", line: 2, column: 9 });
    }
    expect(await at("1\tsound\tx")).toMatchObject({ file: "left.tsv", line: 2, column: 2 });
    expect(await at("1\ttext\tx\ty\tmaybe")).toMatchObject({ line: 2, column: 5 });
    expect(await at("1\ttext\tx\ty\t\tz\t1.5")).toMatchObject({ line: 2, column: 7 });
    expect(await at("1\ttext\ta\\b")).toMatchObject({ line: 2, column: 3 });
    expect(await at("1\ttext\t\t\t\t\t\t\tmore")).toMatchObject({ line: 2, column: 9 });
    expect((await refusal("id\tkind\n", "left.tsv")).reason).toContain("input");
    expect((await refusal("")).reason).toContain("empty");
  });

  it("holds pictures of the size they say", () => {
    const image = { width: 2, height: 2, bits: "0110" };
    expect(imagesOf({ ...plain, kind: "images", input: JSON.stringify([image]) })).toEqual([image]);
    for (const input of [
      "",
      "{}",
      "[null]",
      '[{"width":2,"height":2,"bits":"01"}]',
      '[{"width":1,"height":1,"bits":"2"}]',
    ]) {
      expect(() => imagesOf({ ...plain, input })).toThrow(InputError);
    }
  });

  it("is written item by item, and never over a file that may hold answers", async () => {
    const path = join(folder, "streamed.tsv");
    const writer = await ReviewWriter.create(path);
    for (let i = 0; i < 5000; i++) await writer.add({ ...plain, id: String(i) });
    await writer.end();
    expect((await readReview(path)).length).toBe(5000);
    const before = readFileSync(path, "utf8");
    await expect(ReviewWriter.create(path)).rejects.toThrow(InputError);
    expect(readFileSync(path, "utf8")).toBe(before);
    await expect(ReviewWriter.create(join(folder, "none", "x.tsv"))).rejects.toThrow(InputError);
  });

  it("has its name only when it is complete, and leaves nothing behind when the disk is full", async () => {
    const place = join(folder, "full");
    mkdirSync(place);
    const path = join(place, "left.tsv");
    const writer = await ReviewWriter.create(path);
    await writer.add(plain);
    expect(existsSync(path)).toBe(false);
    const { handle } = (writer as unknown as { temporary: { handle: FileHandle } }).temporary;
    handle.appendFile = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
    await expect(writer.end()).rejects.toThrow(/no space left/);
    expect(readdirSync(place)).toEqual([]);
  });

  it("that another program made meanwhile is left alone", async () => {
    const path = join(folder, "twice.tsv");
    const [first, second] = await Promise.all([ReviewWriter.create(path), ReviewWriter.create(path)]);
    await first.add({ ...plain, id: "first" });
    await second.add({ ...plain, id: "second" });
    await first.end();
    await expect(second.end()).rejects.toThrow(/the file already exists/);
    expect((await readReview(path)).map(({ id }) => id)).toEqual(["first"]);
  });
});

describe("a review file that was cut short", () => {
  const bytesOf = (items: ReviewItem[]) => new TextEncoder().encode(formatReview(items));
  const stream = (bytes: Uint8Array) => Readable.from([Buffer.from(bytes)]);
  const items = fc.array(item, { minLength: 1, maxLength: 4 });

  it("is refused wherever it was cut, and its whole rows are there for who asks", async () => {
    await fc.assert(
      fc.asyncProperty(items, fc.double({ min: 0, max: 1, noNaN: true }), async (list, share) => {
        const bytes = bytesOf(list);
        const header = bytes.indexOf(0x0a) + 1;
        const whole = bytes.length - "end\n".length;
        const cut = bytes.subarray(0, header + Math.floor(share * (whole - header)));
        // A character in two halves is refused for what it is.
        await expect(readReview(stream(cut), "left.tsv")).rejects.toThrow(/^left\.tsv:.*(truncated|not valid UTF-8)/);
        let lost = -1;
        const read = await readReview(stream(cut), {
          incomplete: true,
          onCut: (rows) => {
            lost = rows;
          },
        }).catch(() => undefined);
        if (!read) return;
        const rows = Buffer.from(cut.subarray(header)).toString("latin1").split("\n");
        const expected = rows.filter((row) => row.split("\t").length === 28).length;
        expect(read.map(({ line: _, ...rest }) => rest)).toEqual(list.slice(0, expected));
        expect(lost).toBe(rows.at(-1) === "" || expected === rows.length ? 0 : 1);
      }),
    );
  });

  it("is told by the last row's mark wherever that row stands; files of earlier versions have none and open", async () => {
    const lines = formatReview([plain, { ...plain, id: "8" }])
      .trimEnd()
      .split("\n");
    const sorted = `${[lines[0], lines[2], lines[1].trimEnd()].join("\n")}\n`;
    expect((await readText(sorted)).map(({ id }) => id)).toEqual(["8", "7"]);
    const old = lines.map((line) => line.split("\t").slice(0, 24).join("\t")).join("\n");
    expect((await readText(old)).map(({ id }) => id)).toEqual(["7", "8"]);
    expect(await readText(formatReview([]))).toEqual([]);
  });
});

describe("labels in an answer", () => {
  const label = fc.string({
    unit: fc.constantFrom("A", "b", " ", "\t", "\n", "\\", "_", "\u00a0", "😀"),
    minLength: 1,
  });

  it("come back whatever is in them, spaces too", () => {
    fc.assert(
      fc.property(fc.array(label), (labels) => {
        expect(splitLabels(joinLabels(labels), labels.length)).toEqual(labels);
        expect(splitLabels(joinLabels(labels))).toEqual(labels);
      }),
      { numRuns: 1000 },
    );
    expect(joinLabels(["B", "New York", "_"])).toBe("B New\\ York \\_");
  });

  it("are read as a person writes them: spaces between, `_` for what is not known", () => {
    expect(splitLabels("  DT  _\tNN ")).toEqual(["DT", null, "NN"]);
    expect(splitLabels("A\\B C\\")).toEqual(["A\\B", "C\\"]);
    expect(splitLabels("")).toEqual([]);
  });

  it("of earlier versions, where a backslash had no meaning, are told by their number", () => {
    expect(splitLabels("A\\ B\\\\ C", 3)).toEqual(["A\\", "B\\\\", "C"]);
    expect(splitLabels("A\\ B C", 2)).toEqual(["A B", "C"]);
  });
});
