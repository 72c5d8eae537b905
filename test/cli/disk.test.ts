// Training with more data than memory, as a user sees it. Limits are lowered, so that a little data is too much.

import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columns, ended, Folder, until } from "./helpers.js";

const folder = new Folder();
const order = { whole: 3000, block: 500, together: 3 };
const options = ["--passes", "12", "--patience", "12", "--order", "3"];
const train = (out: string, ...more: string[]) => ["train", "tag", "train.txt", "--out", out, ...more];
const bytes = (name: string) => readFileSync(folder.file(name));
const limits = (sizes: Record<string, number>) => {
  folder.environment.STARGRAM_SIZES = JSON.stringify({ ...order, ...sizes });
};
const inMemory = () => limits({});
const onDisk = () => limits({ examples: 1000, window: 2000 });
/** Temporary files, of one process if it is given: a killed one may leave what it was writing. */
const left = (process: number | string = "") =>
  readdirSync(folder.path).filter((name) => name.startsWith(`.stargram-${process}`));

beforeAll(async () => {
  folder.write("train.txt", columns(120));
  inMemory();
  expect(await folder.run(train("whole.sg", ...options, "--quiet"))).toMatchObject({ code: 0, error: "" });
});
afterAll(() => folder.remove());

describe("more data than memory", () => {
  test("gives the same model, says so in a line, and leaves nothing behind", async () => {
    onDisk();
    const { code, error } = await folder.run(train("disk.sg", ...options, "--memory", "1GB"));
    expect({ code, error }).toMatchObject({
      code: 0,
      error: expect.stringMatching(
        /^stargram: training reads its data from disk, .* MB of it, to stay within --memory \(1 GB\)\n/,
      ),
    });
    expect(bytes("disk.sg")).toEqual(bytes("whole.sg"));
    expect(left()).toEqual([]);
  });

  test("after kill -9 it resumes to the same model, and nothing is left on disk", async () => {
    onDisk();
    mkdirSync(folder.file("scratch"));
    const child = folder.start(...train("killed.sg", ...options, "--scratch", "scratch"));
    const end = ended(child);
    await until(() => folder.has("killed.sg.checkpoint"));
    child.kill("SIGKILL");
    await end;
    if (process.platform !== "win32") expect(readdirSync(folder.file("scratch"))).toEqual([]);
    expect((await folder.run(train("killed.sg", "--resume"))).code).toBe(0);
    expect(bytes("killed.sg")).toEqual(bytes("whole.sg"));
  });

  test("after SIGINT, too", async () => {
    const signal = "SIGINT";
    onDisk();
    const child = folder.start(...train(`${signal}.sg`, ...options));
    const end = ended(child);
    await until(() => folder.has(`${signal}.sg.checkpoint`));
    child.kill(signal);
    await end;
    expect(left(child.pid)).toEqual([]);
    expect((await folder.run(train(`${signal}.sg`, "--resume", "--memory", "2GB"))).code).toBe(0);
    expect(bytes(`${signal}.sg`)).toEqual(bytes("whole.sg"));
  });

  test("on threads: the same bits from memory and from disk, for any number of them", async () => {
    const threads = (count: string, out: string) =>
      train(out, "--passes", "3", "--l2", "1", "--deterministic", "--threads", count, "--quiet");
    inMemory();
    expect((await folder.run(threads("1", "memory1.sg"))).error).toBe("");
    onDisk();
    for (const count of ["1", "3"]) {
      expect((await folder.run(threads(count, `disk${count}.sg`))).error).toBe("");
      expect(bytes(`disk${count}.sg`)).toEqual(bytes("memory1.sg"));
    }
    const free = await folder.run(train("free.sg", "--passes", "3", "--l2", "1", "--threads", "2", "--quiet"));
    expect(free.code).toBe(0);
  });

  test("a training that had other attributes is not resumed with less memory", async () => {
    inMemory();
    const child = folder.start(...train("less.sg", ...options));
    const end = ended(child);
    await until(() => folder.has("less.sg.checkpoint"));
    child.kill("SIGKILL");
    await end;
    limits({ examples: 1000, window: 2000, weights: 300 });
    const { code, error } = await folder.run(train("less.sg", "--resume"));
    expect(code).toBe(2);
    expect(error).toMatch(/the run to resume had other weights: --memory/);
  });
});

describe("what is refused", () => {
  test.each([
    ["2", /--memory must be a size of at least 300 MB, such as 2GB, not `2`/],
    ["100MB", /at least 300 MB/],
    ["much", /not `much`/],
  ])("--memory %s", async (size, reason) => {
    const { code, error } = await folder.run(train("no.sg", "--memory", size));
    expect(code).toBe(2);
    expect(error).toMatch(reason);
  });

  test("a folder for the rest that is not there, is a file, or cannot be written to", async () => {
    onDisk();
    const missing = await folder.run(train("no.sg", "--scratch", "nowhere"));
    expect({ code: missing.code, error: missing.error }).toMatchObject({
      code: 2,
      error: expect.stringMatching(/nowhere: the scratch folder does not exist\n.*--scratch/),
    });
    const file = await folder.run(train("no.sg", "--scratch", "train.txt"));
    expect(file).toMatchObject({ code: 2, error: expect.stringMatching(/train\.txt: this is a file, not a folder/) });
    // Nobody can write to a folder without permission, but for root.
    mkdirSync(folder.file("closed"));
    chmodSync(folder.file("closed"), 0o555);
    if (process.getuid?.() === 0) return;
    const closed = await folder.run(train("no.sg", "--scratch", "closed"));
    expect(closed).toMatchObject({ code: 2, error: expect.stringMatching(/closed: no permission to write to/) });
  });

  test("memory for a task that keeps its examples there, before anything is read", async () => {
    for (const [task, kind] of [
      ["transduce", "transducer"],
      ["segment", "segmenter"],
    ]) {
      const { code, error } = await folder.run(["train", task, "-", "--out", "no.sg", "--memory", "1GB"]);
      expect(code).toBe(2);
      expect(error).toContain(`--memory cannot be used here: training a ${kind} keeps all examples in memory`);
      expect(error).toContain("leave out --memory");
    }
  });
});
