// From what a model left to a person and back: taking a candidate as the answer teaches exactly what the candidate says.

import { describe, expect, test } from "vitest";
import type { TaggingSequence } from "../../src/formats/sequence.js";
import { Segmenter } from "../../src/tasks/segment/segmenter.js";
import { segmentTask } from "../../src/tasks/segment/task.js";
import { sequenceItem, sequenceOf } from "../../src/tasks/tag/review.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { tagTask } from "../../src/tasks/tag/task.js";
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
    const item = sequenceItem(tagger, { sequence }, candidates, 1);
    item.candidates.forEach(({ text }, c) => {
      const learned = sequenceOf({ ...item, answer: text, status: "answered" }, "left.tsv");
      expect(learned.labels).toEqual(outputs[c]);
    });
    const single = { columns: [["w0"]] };
    for (const label of labels) {
      const one = sequenceItem(tagger, { sequence: single }, [{ labels: [label], probability: 1 }], 1);
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

describe("answers as training data", () => {
  const pixels = Array.from({ length: 128 }, (_, p) => String(p % 2)).join("\t");
  const conllu = [
    "# sent_id = a1",
    "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_",
    ...["de\tADP", "el\tDET", "rey\tNOUN"].map((word, i) => {
      const [form, tag] = word.split("\t");
      return `${i + 1}\t${form}\t${form}\t${tag}\t_\tNumber=Sing\t0\troot\t_\tx`;
    }),
    "",
  ];
  const data: Record<string, string[]> = {
    columns: ["Ada NNP B-PER", "met VBD O", "", "Bo NNP B-PER", "ran VBD O"],
    conllu,
    crfsuite: ["B-PER\tw[0]=Ada\tlength:0.5", "O\tw[0]=a\\:b\tcap", ""],
    jsonl: ['{"id":"7","tokens":["New","York"],"labels":["B a b","I a b"]}', '{"tokens":["x"],"labels":["O"]}'],
    letters: [`1\to\t2\t3\t1\t0\t${pixels}`, `2\tx\t-1\t3\t2\t0\t${pixels}`],
  };

  test.each(Object.keys(data))("%s: an answered item reads back as the sequence it was", async (format) => {
    const lines = data[format];
    const open = () => ({ file: "f", blocks: [{ first: 1, lines }] });
    const reading: Record<string, unknown> = { format };
    const sequences: TaggingSequence[] = [];
    for await (const one of tagTask.learning.read([open()], reading)) sequences.push(one);
    const tagger = await Tagger.train(sequences, { passes: 1, heldOut: 0, note: { input: reading } });
    const use = { answers: "ignored", asked: {} } as const;
    let exported = "";
    let at = 0;
    for await (const input of tagTask.predicting.inputs(tagger, open(), use)) {
      const { labels = [] } = sequences[at++];
      const item = tagTask.reviewing.item(tagger, input, [{ labels: labels as string[], probability: 1 }], at);
      expect(item.tokens?.tokens.length ?? labels.length).toBe(labels.length);
      exported += tagTask.reviewing.exported?.({ ...item, answer: item.candidates[0].text }, "left.tsv");
    }
    const again: TaggingSequence[] = [];
    const parts = exported.split("\n");
    for await (const one of tagTask.learning.read([{ file: "f", blocks: [{ first: 1, lines: parts }] }], {
      format,
    })) {
      again.push(one);
    }
    const plain = ({ line: _, file: __, document: ___, source: ____, ...rest }: TaggingSequence) => rest;
    expect(again.map(plain)).toEqual(sequences.map(plain));
    if (format === "conllu") expect(exported.trimEnd()).toBe(conllu.join("\n").trimEnd());
  });

  test("pairs go back to their columns, with the side that was written", () => {
    const { item: itemOf, exported } = transduceTask.reviewing;
    const note = {
      input: { format: "tsv", input: "chars", output: "tokens", columns: [3, 1], reverse: true, stress: true },
    };
    const candidates = [{ output: [..."dog"], probability: 1 }];
    const item = itemOf({ note } as never, { input: ["D", "AO", "G"], output: [] }, candidates, 1);
    expect(exported?.({ ...item, answer: "dog" }, "f")).toBe("D AO G\t\tdog\n");
  });

  test("words and labelled segments of a segmenter", async () => {
    const { item: itemOf, exported, example } = segmentTask.reviewing;
    const words = [
      {
        text: "abcab",
        segments: [
          { start: 0, end: 2 },
          { start: 2, end: 5 },
        ],
      },
    ];
    const plain = await Segmenter.train(words, { passes: 1, heldOut: 0, note: { input: { format: "words" } } });
    const item = itemOf(plain, { text: "abcab" }, [], 1);
    expect(exported?.({ ...item, answer: "ab cab" }, "f")).toBe("ab cab\n");

    const columns = [["Ada"], ["met"], ["Lake"], ["City"]];
    const labels = ["B-PER", "O", "B-LOC", "I-LOC"];
    const tokens = await Segmenter.train([{ columns, labels }], { passes: 5, heldOut: 0, input: "tokens" });
    const { candidates, tokens: shown, ...rest } = itemOf(tokens, { columns }, [tokens.predict({ columns })], 1);
    expect(shown?.labels).toEqual(expect.arrayContaining(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]));
    for (const choices of shown?.choices ?? []) {
      const sum = choices.reduce((all, [, probability]) => all + probability, 0);
      expect(sum).toBeGreaterThan(0.9);
      expect(sum).toBeLessThan(1.02);
    }
    const answered = { ...rest, candidates, answer: labels.join(" ") };
    expect(exported?.(answered, "f")).toBe("Ada\tB-PER\nmet\tO\nLake\tB-LOC\nCity\tI-LOC\n\n");
    expect(example(answered, "f", {})).toMatchObject({ columns, labels });
  });
});
