// The proof of the house: the segmenter is its folder and its line in the list of tasks. Entries name it, as they name every
// public class; nothing else does.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const src = fileURLToPath(new URL("../../../src", import.meta.url));
const entries = ["browser.ts", "index.ts"];

it("no source file beside its folder, the list of tasks and the entries mentions the segmenter", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const mentions = files.filter((file) => {
    // `Intl.Segmenter` is the platform's.
    const text = readFileSync(join(src, file), "utf8").replaceAll("Intl.Segmenter", "");
    return /tasks\/segment\b|\.\/segment\/|\bSegmenter|\bsegmenter/.test(text);
  });
  const outside = mentions.filter((file) => !file.startsWith(join("tasks", "segment")) && !entries.includes(file));
  expect(outside).toEqual([join("tasks", "task.ts")]);
  const lines = readFileSync(join(src, "tasks", "task.ts"), "utf8").split("\n");
  expect(lines.filter((line) => /segmentTask/.test(line))).toHaveLength(2); // its import and the list
});
