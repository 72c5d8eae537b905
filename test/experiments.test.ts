// Recorded results are those of the experiments as they stand: a run counts as long as its setting is the same, so a setting
// that is written otherwise than in results.json would void hours of work.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kinds as cipherKinds } from "../experiments/cipher-languages/cipher-languages.js";
import { settings as confidence } from "../experiments/confidence/confidence.js";
import { settings as contexts } from "../experiments/contexts/contexts.js";
import { settingsOfData as decipherment } from "../experiments/decipherment/decipherment.js";
import { attributesAt, settings as fewPairs } from "../experiments/few-pairs/few-pairs.js";
import { settingsOf as letterCiphers } from "../experiments/letter-ciphers/letter-ciphers.js";
import { settings as letterProtocols } from "../experiments/letter-protocols/letter-protocols.js";
import { settings as partOfSpeech } from "../experiments/part-of-speech/part-of-speech.js";
import { settings as pronunciation } from "../experiments/pronunciation/pronunciation.js";
import { markdownTable, ResultsFile, shareText, spread, spreadText } from "../experiments/runs.js";
import { labelsOf, score, settings as segmentation, spansAt } from "../experiments/segmentation/segmentation.js";
import { settings as speech } from "../experiments/speech/speech.js";
import { settings as wordRecognition } from "../experiments/word-recognition/word-recognition.js";
import { positionsOf } from "../src/tasks/segment/example.js";

describe("recorded settings", () => {
  test.each([
    ["confidence", confidence],
    ["contexts", contexts],
    ["decipherment", decipherment],
    [
      "cipher-languages",
      Object.fromEntries(
        ["french", "german", "latin", "latin-declaration", "spanish"].map((name) => [name, cipherKinds]),
      ),
    ],
    ["few-pairs", fewPairs],
    ["letter-ciphers", { ...letterCiphers("bryant-stories"), ...letterCiphers("edgeworth-parents") }],
    ["letter-protocols", letterProtocols],
    ["part-of-speech", partOfSpeech],
    ["pronunciation", pronunciation],
    ["segmentation", segmentation],
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

describe("segmentation", () => {
  const span = (from: number, to: number, label = "") => ({ from, to, label });

  test("F1 is that of segments with the right beginning, end and label", () => {
    const gold = [span(0, 1, "PER"), span(2, 5, "LOC"), span(6, 8, "ORG")];
    const found = [span(0, 1, "PER"), span(2, 5, "ORG"), span(6, 7, "ORG"), span(7, 8, "ORG")];
    const all = score([{ gold }, { gold: [] }], [found, []]);
    // One right, of four found and three there are; the text without names is right.
    expect(all).toEqual({ f1: 2 / 7, precision: 1 / 4, recall: 1 / 3, textsRight: 1 / 2, texts: 2, segments: 3 });
  });

  test("labels mark segments, also those that touch", () => {
    expect(labelsOf([span(0, 1, "PER"), span(1, 3, "PER")], 4, false)).toEqual(["B-PER", "B-PER", "I-PER", "O"]);
    expect(labelsOf([span(0, 1), span(1, 4), span(4, 6)], 6, true)).toEqual(["S", "B", "I", "E", "B", "E"]);
  });

  test("offsets are those of positions; one within a position is none of them", () => {
    const positions = positionsOf({ text: "a 😀b" }, "chars");
    const at = (start: number, end: number) => spansAt([{ start, end }], positions)[0];
    expect(at(2, 5)).toEqual(span(1, 3));
    expect(at(0, 1)).toEqual(span(0, 1));
    expect(at(3, 4)).toEqual(span(-1, 2));
    expect(at(2, 3)).toEqual(span(1, -1));
  });
});

test("few pairs: attributes are substrings that hold a letter or touch it", () => {
  const names = attributesAt([..."abcde"], 2);
  expect(names).toContain("0:c");
  expect(names).toContain("-2:abcd");
  expect(names).toContain("1:de⊥");
  expect(names).toContain("-1:b");
  expect(names).not.toContain("-2:a");
  expect(new Set(names).size).toBe(names.length);
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
