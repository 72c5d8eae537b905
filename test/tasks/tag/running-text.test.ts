// Running text as the input of a tagger, in programs: tokens, text, places of spans.

import { beforeAll, expect, test } from "vitest";
import { readRunning } from "../../../src/tasks/tag/running-text.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { InputError } from "../../../src/util/errors.js";

let tagger: Tagger;
beforeAll(async () => {
  const names = ["Anna", "Bob", "New York", "Rome", "Eve"];
  const data = names.flatMap((name) =>
    ["saw", "likes", "left"].map((verb) => {
      const words = name.split(" ");
      const tokens = [...words, verb, ...words, "."];
      const labels = [
        ...words.map((_, i) => (i ? "I-N" : "B-N")),
        "O",
        ...words.map((_, i) => (i ? "I-N" : "B-N")),
        "O",
      ];
      return { columns: tokens.map((token) => [token]), labels };
    }),
  );
  tagger = await Tagger.train(data, { passes: 8, heldOut: 0, l2: 0.1 });
});

test("tokens and text are taken as a sequence is", () => {
  const sequence = { columns: [["Anna"], ["saw"], ["New"], ["York"], ["."]] };
  const options = { spans: true, confidences: true, nbest: 2 };
  const expected = tagger.predict(sequence, options);
  const tokens = sequence.columns.map(([token]) => token);
  expect(tagger.predict(tokens, options)).toEqual(expected);
  expect(tagger.predict({ tokens }, options)).toEqual(expected);
  const { tokens: found, spans, ...rest } = tagger.predict({ text: " Anna saw New\n York." }, options);
  expect(rest).toEqual({ ...expected, spans: undefined, tokens: undefined });
  expect(found?.map(({ start, end }) => [start, end])).toEqual([
    [1, 5],
    [6, 9],
    [10, 13],
    [15, 19],
    [19, 20],
  ]);
  expect(spans?.map(({ label, start, end, text }) => ({ label, start, end, text }))).toEqual([
    { label: "N", start: 1, end: 5, text: "Anna" },
    { label: "N", start: 10, end: 19, text: "New\n York" },
  ]);
  expect(spans?.map(({ probability }) => probability)).toEqual(expected.spans?.map(({ probability }) => probability));
});

test("a text is labelled sentence by sentence, with places in all of it", () => {
  const text = "Anna saw Rome. Bob left New York.\n\nEve likes Bob";
  const found = tagger.predictText(text, { spans: true });
  expect(found.map(({ labels }) => labels.length)).toEqual([4, 5, 3]);
  const spans = found.flatMap((one) => one.spans ?? []);
  expect(spans.map((span) => span.text)).toEqual(["Anna", "Rome", "Bob", "New York", "Eve", "Bob"]);
  for (const span of spans) expect(text.slice(span.start, span.end)).toBe(span.text);
});

/** Cuts after every second character. */
const twos = {
  cut: (text: string) => Array.from({ length: text.length >> 1 }, (_, i) => ({ start: 2 * i, end: 2 * i + 2 })),
};

test("a tokenizer cuts sentences; no token holds a space, nothing else is lost", () => {
  const text = "Anna saw\nRome. Bob left.";
  const sentences = tagger.predictText(text, {}, twos).map(({ tokens = [] }) => tokens);
  expect(sentences.map((tokens) => tokens.map((token) => token.text))).toEqual([
    ["An", "na", "s", "aw", "R", "om", "e."],
    ["Bo", "b", "le", "ft", "."],
  ]);
  for (const { start, end, text: cut } of sentences.flat()) expect(text.slice(start, end)).toBe(cut);
  expect(tagger.predict({ text: " Anna.", tokenizer: twos }).tokens?.map((token) => token.text)).toEqual([
    "A",
    "nn",
    "a.",
  ]);
  expect(() => tagger.predictText(text, {}, tagger as never)).toThrow("needs a model made by");
  expect(() => tagger.predict({ text, tokenizer: 7 as never })).toThrow(InputError);
});

test("what is neither is refused", () => {
  expect(() => tagger.predict({ tokens: "x" } as never)).toThrow(InputError);
  expect(() => tagger.predict({ text: 7 } as never)).toThrow(InputError);
  expect(() => tagger.predict("the dog" as never)).toThrow(InputError);
  expect(() => tagger.predict(undefined as never)).toThrow(InputError);
  expect(() => tagger.predict({} as never)).toThrow(/neither `columns` nor/);
});

test("lines give the same places as the text, whatever the blocks", async () => {
  const text = "Anna saw\nRome. Bob left.\n \n\n  Eve 𝒳 likes Bob\nand";
  const whole = tagger.predictText(text);
  const lines = text.split("\n");
  for (const size of [1, 2, 10]) {
    const blocks = Array.from({ length: Math.ceil(lines.length / size) }, (_, i) => ({
      first: 1 + i * size,
      lines: lines.slice(i * size, (i + 1) * size),
    }));
    const read = [];
    for await (const sequence of readRunning({ file: "f", blocks })) read.push(sequence);
    expect(read.map(({ running }) => running?.tokens)).toEqual(whole.map(({ tokens }) => tokens));
    expect(read.map(({ line }) => line)).toEqual([1, 2, 5]);
  }
});
