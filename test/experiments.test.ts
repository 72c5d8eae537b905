// Recorded results are those of the experiments as they stand: a run counts as long as its setting is the same, so a setting
// that is written otherwise than in results.json would void hours of work.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settings as confidence } from "../experiments/confidence/confidence.js";
import { settingsOfData as decipherment } from "../experiments/decipherment/decipherment.js";
import { settings as partOfSpeech } from "../experiments/part-of-speech/part-of-speech.js";
import { settings as pronunciation } from "../experiments/pronunciation/pronunciation.js";
import { markdownTable, ResultsFile, shareText, spread, spreadText } from "../experiments/runs.js";
import { settings as speech } from "../experiments/speech/speech.js";
import { settings as wordRecognition } from "../experiments/word-recognition/word-recognition.js";

describe("recorded settings", () => {
  test.each([
    ["confidence", confidence],
    ["decipherment", decipherment],
    ["part-of-speech", partOfSpeech],
    ["pronunciation", pronunciation],
    ["speech", speech],
    ["speech-timit", speech],
    ["word-recognition", wordRecognition],
  ])("%s", (name, settings) => {
    const address = new URL(`../experiments/${name}/results.json`, import.meta.url);
    const recorded = JSON.parse(readFileSync(address, "utf8"));
    const run = new Set<string>(recorded.runs.map(({ setting }: { setting: string }) => setting));
    expect(run.size).toBeGreaterThan(0);
    for (const one of run) expect(recorded.settings[one]).toEqual(JSON.parse(JSON.stringify(settings))[one]);
  });
});

test("the median is a value that occurred", () => {
  expect(spread([0.4, 0.1, 0.3, 0.2])).toEqual({ median: 0.2, low: 0.1, high: 0.4, count: 4 });
  expect(spreadText(spread([0.885, 0.879, 0.891]))).toBe("88.5 % (87.9 to 89.1)");
  expect(shareText(0.5)).toBe("50.0 %");
});

test("a table for a page has a head", () => {
  expect(
    markdownTable([
      ["a", "b"],
      ["1", "2"],
    ]),
  ).toBe("| a | b |\n| --- | --- |\n| 1 | 2 |\n");
});

test("a folder with files of others is refused, and they stay", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stargram-experiment-"));
  const open = () => ResultsFile.open(folder, "x", {});
  try {
    for (const [name, content] of [
      ["table.md", "my table"],
      ["plot.svg", "<svg/>"],
      ["results.json", "{}"],
      ["results.json", "[1]"],
      ["results.json", "null"],
    ]) {
      writeFileSync(join(folder, name), content);
      await expect(open()).rejects.toThrow(name);
      expect(readFileSync(join(folder, name), "utf8")).toBe(content);
      rmSync(join(folder, name));
    }
    writeFileSync(join(folder, "notes.txt"), "mine");
    const results = await open();
    await results.complete(
      ["a"],
      () => 1,
      async (setting, seed) => ({ setting, seed }),
      String,
    );
    writeFileSync(join(folder, "table.md"), "ours");
    expect((await open()).results.experiment).toBe("x");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
