// `stargram review` as a command: what it refuses, what it prints, how it ends.

import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { ended, Folder, until } from "./helpers.js";
import { wordsFile } from "./review-helpers.js";

const folder = new Folder();
afterAll(() => folder.remove());

test.each([
  [["missing.tsv"], /missing\.tsv: /],
  [["-"], /a review needs a file/],
  [["pairs.tsv"], /pairs\.tsv:1: the first row names the columns/],
  [["broken.tsv"], /broken\.tsv:3:3: the pictures are not valid JSON/],
  [["left.tsv", "--port", "65536"], /--port.*65536.*A port is at most 65535/],
  [["left.tsv", "--port", "x"], /--port/],
])("refused: %j", async (words, reason) => {
  folder.write("left.tsv", wordsFile(2));
  folder.write("pairs.tsv", "dog\td o g\n");
  folder.write("broken.tsv", wordsFile(2).replace("text\tword 1", 'images\t[{"width":'));
  const { code, out, error } = await folder.run(["review", ...words]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(error).toMatch(reason);
  expect(error).not.toMatch(/internal error in Stargram/);
  expect(folder.has(`${words[0]}.lock`)).toBe(false);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s ends it and leaves the file as it was", async (signal) => {
  const content = wordsFile(2);
  folder.write("a file.tsv", content);
  const child = folder.start("review", "a file.tsv", "--no-open");
  let out = "";
  child.stdout?.on("data", (text) => {
    out += text;
  });
  const end = ended(child);
  await until(() => out.includes("/\n"));
  expect(out).toMatch(/^a file\.tsv: 2 of 2 items left\nhttp:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/\n$/);
  if (signal === "SIGINT") {
    const second = await folder.run(["review", "a file.tsv"]);
    expect(second.code).toBe(2);
    expect(second.error).toMatch(`is under review already (process ${child.pid})`);
  }
  child.kill(signal);
  const { code, error } = await end;
  expect(code).toBe(0);
  expect(error).toMatch(/a file\.tsv: 0 answered, 0 skipped, 2 left\n/);
  expect(error).toMatch(/continue with: stargram review 'a file\.tsv'\n/);
  expect(readFileSync(folder.file("a file.tsv"), "utf8")).toBe(content);
  expect(folder.has("a file.tsv.lock")).toBe(false);
});
