// Model files of an early version (before transducers had ensembles, attributes or networks) load, and answer as they did
// when they were made.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Tagger } from "../../src/tasks/tag/tagger.js";
import type { Transducer } from "../../src/tasks/transduce/transducer.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";

function old(name: string): unknown {
  return decodeModel(gunzipSync(readFileSync(new URL(`old/${name}.sg.gz`, import.meta.url))), name);
}

test("an old tagger", () => {
  const tagger = old("tagger") as Tagger;
  const columns = "every old cat hears a child".split(" ").map((word) => [word]);
  const { labels, confidences = [] } = tagger.predict({ columns }, { confidences: true });
  expect(labels).toEqual(["DT", "JJ", "NN", "VB", "DT", "NN"]);
  const then = [0.999365, 0.997437, 0.999531, 0.998828, 0.99779, 0.99774];
  for (const [i, probability] of then.entries()) expect(confidences[i]).toBeCloseTo(probability, 6);
});

test("an old transducer, also when it is saved again", () => {
  const transducer = old("transducer") as Transducer;
  const then: [string, string, number][] = [
    ["cicate", "S I K A T E", 0.875384],
    ["teki", "T E K I Y", 0.97817],
    ["skace", "S K A S E", 0.977444],
  ];
  for (const model of [transducer, decodeModel(encodeModel(transducer)) as Transducer]) {
    for (const [input, output, probability] of then) {
      const answer = model.predict([...input]);
      expect(answer.output.join(" ")).toBe(output);
      expect(answer.probability).toBeCloseTo(probability, 6);
    }
  }
});
