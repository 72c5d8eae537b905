// A review against a plain model of it: whatever is done and wherever it is cut off, opening the file again brings back
// every decision, and the file ends with all of them.

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { OutOfDate, ReviewSession } from "../../src/cli/review/session.js";
import { readReview } from "../../src/formats/review.js";
import { Folder } from "./helpers.js";
import { wordsFile } from "./review-helpers.js";

const folder = new Folder();
afterAll(() => folder.remove());

let files = 0;
function newFile(count: number): string {
  return folder.file(folder.write(`review-${files++}.tsv`, wordsFile(count)));
}

/** What is on the disk at this moment, as another review file: what a crash would leave. */
function crashed(file: string, cutBytes = 0): string {
  const copy = folder.file(`review-${files++}.tsv`);
  copyFileSync(file, copy);
  if (existsSync(`${file}.journal`)) {
    copyFileSync(`${file}.journal`, `${copy}.journal`);
    truncateSync(`${copy}.journal`, readFileSync(`${copy}.journal`).length - cutBytes);
  }
  return copy;
}

async function rowsOf(file: string): Promise<string[]> {
  return (await readReview(file)).map(({ status, answer }) => `${status}:${answer}`);
}

function ignoreOutOfDate(error: unknown): void {
  if (!(error instanceof OutOfDate)) throw error;
}

const count = 5;
const place = fc.nat({ max: count - 1 });
const steps = fc.array(
  fc.oneof(
    fc.record({ action: fc.constant("answer" as const), index: place, text: fc.string(), again: fc.boolean() }),
    fc.record({ action: fc.constant("skip" as const), index: place, again: fc.boolean() }),
    fc.record({ action: fc.constant("draft" as const), index: place, text: fc.string() }),
    fc.constant({ action: "undo" as const }),
    fc.constant({ action: "fold" as const }),
  ),
  { maxLength: 12 },
);

/** The rows after some steps: an answer or a skip counts until it is undone, the latest first; an answer must be undone first. */
function expectedRows(done: readonly (typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never)[]): string[] {
  let decisions: { index: number; row: string }[] = [];
  for (const step of done) {
    if (step.action === "undo") decisions.pop();
    if (step.action !== "answer" && step.action !== "skip") continue;
    if (decisions.find(({ index }) => index === step.index)?.row.startsWith("answered")) continue;
    decisions = decisions.filter(({ index }) => index !== step.index);
    decisions.push({ index: step.index, row: step.action === "answer" ? `answered:${step.text}` : "skipped:" });
  }
  return Array.from({ length: count }, (_, i) => decisions.find(({ index }) => index === i)?.row ?? ":");
}

test("a crash after any step loses nothing; one within a step loses that step alone", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), async (list, cut) => {
      const file = newFile(count);
      const session = await ReviewSession.open(file);
      const sizeOf = () => (existsSync(`${file}.journal`) ? readFileSync(`${file}.journal`).length : 0);
      let before = 0;
      for (const step of list) {
        before = sizeOf();
        if (step.action === "fold") await session.fold();
        else await session.perform(step).catch(ignoreOutOfDate);
      }
      const reopened = crashed(file);
      await (await ReviewSession.open(reopened)).close();
      expect(await rowsOf(reopened)).toEqual(expectedRows(list));

      const written = sizeOf() - before; // of the last step, in bytes
      if (written > 0) {
        const torn = crashed(file, 1 + (cut % written));
        const mended = await ReviewSession.open(torn);
        expect(await rowsOf(torn)).toEqual(expectedRows(list.slice(0, -1)));
        // What comes next must not be glued to the line that was cut short.
        const rows = expectedRows(list.slice(0, -1));
        const open = mended.first().item;
        if (open) {
          await mended.perform({ action: "answer", index: open.index, text: "next", again: false });
          rows[open.index] = "answered:next";
        }
        const last = crashed(torn);
        await (await ReviewSession.open(last)).close();
        expect(await rowsOf(last)).toEqual(rows);
        await mended.close();
      }

      await session.close();
      expect(await rowsOf(file)).toEqual(expectedRows(list));
      expect(session.answered).toBe((await rowsOf(file)).filter((row) => row.startsWith("answered")).length);
    }),
    { numRuns: 25 },
  );
});

test("a draft outlives a crash, an end and a skip, and goes with the answer", async () => {
  const file = newFile(3);
  const session = await ReviewSession.open(file);
  await session.perform({ action: "draft", index: 0, text: "half a" });
  const reopened = await ReviewSession.open(crashed(file));
  expect(reopened.first().item).toMatchObject({ index: 0, draft: "half a" });

  await reopened.perform({ action: "skip", index: 0, again: false });
  expect((await reopened.perform({ action: "undo" })).item).toMatchObject({ index: 0, draft: "half a" });
  await reopened.perform({ action: "draft", index: 0, text: "half" });
  await reopened.close();
  const later = await ReviewSession.open(reopened.file);
  expect(later.first().item).toMatchObject({ index: 0, draft: "half" });
  await later.perform({ action: "answer", index: 0, text: "whole", again: false });
  await later.close();
  expect(existsSync(`${reopened.file}.journal`)).toBe(false);
  expect(await rowsOf(reopened.file)).toEqual(["answered:whole", ":", ":"]);
  await session.close();
});

test("undo reaches back to answers of earlier sessions and offers them again", async () => {
  const file = newFile(3);
  const session = await ReviewSession.open(file);
  await session.perform({ action: "answer", index: 0, text: "first", again: false });
  await session.perform({ action: "answer", index: 1, text: "second", again: false });
  await session.close();
  const later = await ReviewSession.open(file);
  expect(later.first().item?.index).toBe(2);
  expect((await later.perform({ action: "undo" })).item).toMatchObject({ index: 1, draft: "second" });
  expect((await later.perform({ action: "undo" })).item).toMatchObject({ index: 0, draft: "first" });
  expect(await later.perform({ action: "undo" })).toMatchObject({ canUndo: false, answered: 0 });
  await later.close();
  expect(await rowsOf(file)).toEqual([":", ":", ":"]);
});

test("those skipped are gone through again in order, each once", async () => {
  const session = await ReviewSession.open(newFile(4));
  for (const index of [0, 1, 2]) await session.perform({ action: "skip", index, again: false });
  const end = await session.perform({ action: "answer", index: 3, text: "x", again: false });
  expect(end).toMatchObject({ item: null, skipped: 3, answered: 1 });
  expect((await session.perform({ action: "again" })).item?.index).toBe(0);
  expect((await session.perform({ action: "answer", index: 0, text: "x", again: true })).item?.index).toBe(1);
  expect((await session.perform({ action: "skip", index: 1, again: true })).item?.index).toBe(2);
  expect(await session.perform({ action: "skip", index: 2, again: true })).toMatchObject({ item: null, skipped: 2 });
  await session.close();
});

test("edits made to the file meanwhile stay, also answers without a status", async () => {
  const file = newFile(3);
  const session = await ReviewSession.open(file);
  await session.perform({ action: "answer", index: 0, text: "here", again: false });
  const lines = readFileSync(file, "utf8").split("\n");
  lines[3] = lines[3].replace("word 2\t\t", "word 2\tby hand\t");
  writeFileSync(file, lines.join("\n"));
  await session.close();
  expect(await rowsOf(file)).toEqual(["answered:here", ":", "answered:by hand"]);
});

test("another file in its place is left alone, and the journal with the answers is kept", async () => {
  const file = newFile(3);
  const session = await ReviewSession.open(file);
  await session.perform({ action: "answer", index: 0, text: "here", again: false });
  const other = wordsFile(3).replace("word 1", "another");
  writeFileSync(file, other);
  await expect(session.close()).rejects.toThrow(/no longer has the items under review/);
  expect(readFileSync(file, "utf8")).toBe(other);
  await expect(ReviewSession.open(file)).rejects.toThrow(/journal: has answers to other items/);
  expect(readFileSync(file, "utf8")).toBe(other);
  writeFileSync(file, wordsFile(3));
  await (await ReviewSession.open(file)).close();
  expect(await rowsOf(file)).toEqual(["answered:here", ":", ":"]);
});

test("a journal that is broken before its last line is refused by line, and nothing is changed", async () => {
  const file = newFile(3);
  const session = await ReviewSession.open(file);
  await session.perform({ action: "answer", index: 0, text: "here", again: false });
  const copy = crashed(file);
  await session.close();
  appendFileSync(`${copy}.journal`, '{"at":9,"status":"skipped"}\n');
  await expect(ReviewSession.open(copy)).rejects.toThrow(/journal:3: this line of the journal cannot be read/);
  expect(await rowsOf(copy)).toEqual([":", ":", ":"]);
});

test("a decision that cannot be saved does not count, and can be made again", async () => {
  const file = newFile(2);
  const session = await ReviewSession.open(file);
  mkdirSync(`${file}.journal`); // in the way
  const answer = { action: "answer", index: 0, text: "here", again: false } as const;
  await expect(session.perform(answer)).rejects.toThrow(/the journal cannot be written/);
  expect(session.first()).toMatchObject({ answered: 0, canUndo: false, item: { index: 0 } });
  rmdirSync(`${file}.journal`);
  expect(await session.perform(answer)).toMatchObject({ answered: 1, item: { index: 1 } });
  await session.close();
  expect(await rowsOf(file)).toEqual(["answered:here", ":"]);
});

test("two reviews of one file are refused; the lock of a process that is gone is not", async () => {
  const file = newFile(1);
  const session = await ReviewSession.open(file);
  await expect(ReviewSession.open(file)).rejects.toThrow(/is under review already \(process \d+\)/);
  await session.close();
  expect(existsSync(`${file}.lock`)).toBe(false);
  writeFileSync(`${file}.lock`, "4194305\n"); // beyond the largest process number there can be
  await (await ReviewSession.open(file)).close();
});

test.each([
  ["-", /a review needs a file/],
  ["missing.tsv", /missing\.tsv: /],
  ["no/such/folder.tsv", /no\/such\/folder\.tsv: /],
  [".", /folder/],
])("%s is refused", async (name, reason) => {
  const file = name === "-" ? name : folder.file(name);
  await expect(ReviewSession.open(file)).rejects.toThrow(reason);
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test("a file that was cut short is refused, and mended if asked", async () => {
  const file = newFile(3);
  truncateSync(file, readFileSync(file).length - 10);
  const cut = readFileSync(file, "utf8");
  await expect(ReviewSession.open(file)).rejects.toThrow(/truncated/);
  expect(readFileSync(file, "utf8")).toBe(cut);
  expect(existsSync(`${file}.lock`)).toBe(false);
  let lost = -1;
  const session = await ReviewSession.open(file, {
    mend: (rows) => {
      lost = rows;
    },
  });
  expect([session.total, lost]).toEqual([2, 1]);
  await session.perform({ action: "answer", index: 1, text: "here", again: false });
  await session.close();
  expect(await rowsOf(file)).toEqual([":", "answered:here"]);
});
