// From what a model left to a person and back: taking a candidate as the answer teaches exactly what the candidate says.

import { describe, expect, test } from "vitest";
import { sequenceItem, sequenceOf } from "../../src/tasks/tag/review.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { transduceTask } from "../../src/tasks/transduce/task.js";

const awkward = ["New York", " ", "_", "a\tb", "back\\", "\\", "line\nfeed", "plain"];

describe.each([
  ["labels with spaces, tabs and backslashes", awkward],
  ["single characters", ["a", "b", "é"]],
  ["single characters, one of them a space", ["a", " "]],
  ["single characters, one of them `_`", ["a", "_"]],
])("%s", (_, labels) => {
  test("survive a review", async () => {
    const tokens = labels.map((_label, i) => `w${i}`);
    const data = [{ columns: tokens.map((token) => [token]), labels }];
    const tagger = await Tagger.train(data, { passes: 1, heldOut: 0 });
    const outputs = [labels, [...labels].reverse(), labels.map(() => labels[0])];
    const sequence = { columns: data[0].columns };
    const candidates = outputs.map((output) => ({ labels: output, probability: 0.1 }));
    const item = sequenceItem(tagger, sequence, candidates, 1);
    item.candidates.forEach(({ text }, c) => {
      const learned = sequenceOf({ ...item, answer: text, status: "answered" }, "left.tsv");
      expect(learned.labels).toEqual(outputs[c]);
    });
    const single = { columns: [["w0"]] };
    for (const label of labels) {
      const one = sequenceItem(tagger, single, [{ labels: [label], probability: 1 }], 1);
      expect(sequenceOf({ ...one, answer: one.candidates[0].text }, "left.tsv").labels).toEqual([label]);
    }
  });
});

test("a transducer's output keeps its spaces if it is taken, not if it is typed", () => {
  const reading = { format: "tsv", input: "chars", output: "chars", columns: [1, 2], reverse: false, stress: true };
  const { item: itemOf, example } = transduceTask.reviewing;
  const candidate = { output: [" ", "x", " "], probability: 1 };
  const item = itemOf({ note: { input: reading } } as never, { input: ["a"], output: [] }, [candidate], 1);
  expect(example({ ...item, answer: item.candidates[0].text }, "f", reading).output).toEqual([" ", "x", " "]);
  expect(example({ ...item, answer: " y " }, "f", reading).output).toEqual(["y"]);
});
