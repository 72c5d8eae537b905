// The segmenter: probabilities of segments and of outputs against enumeration of all segmentations, gradients against finite
// differences, what is saved and loaded, and that no other source file knows it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { Gradient } from "../../../src/learn/gradient.js";
import { Gatherer } from "../../../src/tasks/segment/gather.js";
import { SegmenterLearner } from "../../../src/tasks/segment/learner.js";
import { Segmenter } from "../../../src/tasks/segment/segmenter.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";

interface Cut {
  text: string;
  segments: { start: number; end: number; label?: string }[];
}

/** A text of a few letters, cut at random; with labels, some parts lie outside. */
function cuts(labels: readonly string[]): fc.Arbitrary<Cut> {
  const part = fc.record({
    text: fc.stringMatching(/^[abc]{1,3}$/),
    label: labels.length > 0 ? fc.constantFrom(...labels, undefined) : fc.constant(undefined),
  });
  return fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => {
    let text = "";
    const segments: Cut["segments"] = [];
    for (const { text: own, label } of parts) {
      const segment = { start: text.length, end: text.length + own.length };
      if (labels.length === 0) segments.push(segment);
      else if (label !== undefined) segments.push({ ...segment, label });
      text += own;
    }
    return { text, segments };
  });
}

/** All ways to cut a text of a length into segments of the labels with their longest lengths. */
function allCuts(segmenter: Segmenter, text: string): Cut["segments"][] {
  const { longest } = segmenter.rows.symbols;
  const names = segmenter.attributes.labels.all();
  const from = (start: number): Cut["segments"][] => {
    if (start === text.length) return [[]];
    return names.flatMap((label, y) =>
      Array.from({ length: Math.min(longest[y], text.length - start) }, (_, n) => start + n + 1).flatMap((end) =>
        from(end).map((rest) => [{ start, end, label: label === "" ? undefined : label }, ...rest]),
      ),
    );
  };
  return from(0);
}

const keyOf = ({ start, end, label }: Cut["segments"][number]) => `${start}-${end} ${label ?? ""}`;
const quick = { passes: 2, l2: 0.1, heldOut: 0 };

describe.each([
  ["words", []],
  ["labelled segments", ["X", "Y"]],
] as const)("%s", (_, labels) => {
  it("probabilities are those of enumeration", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cuts(labels), { minLength: 2, maxLength: 5 }), async (data) => {
        // Exact inference has one model whatever is kept, which enumeration has, too.
        const segmenter = await Segmenter.train(data, { ...quick, mode: "exact", order: 2 });
        const { text } = data[0];
        if (text.length > 7) return;
        const found = segmenter.predict(text, { nbest: 3 });
        const outputs = allCuts(segmenter, text).map((segments) => {
          const given = segments.filter(({ label }) => label !== "O");
          return { segments, probability: Math.exp(segmenter.logLikelihood({ text, segments: given })) };
        });
        expect(outputs.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 8);
        const ranked = outputs.map(({ probability }) => probability).sort((a, b) => b - a);
        for (const [rank, { probability }] of (found.nbest ?? []).entries()) {
          expect(probability).toBeCloseTo(ranked[rank], 8);
        }
        for (const segment of found.segments) {
          const own = outputs.filter(({ segments }) => segments.some((one) => keyOf(one) === keyOf(segment)));
          expect(segment.probability).toBeCloseTo(
            own.reduce((sum, { probability }) => sum + probability, 0),
            8,
          );
        }
      }),
      { numRuns: 25 },
    );
  });

  it("with few contexts all outputs together still have probability 1", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cuts(labels), { minLength: 2, maxLength: 5 }), async (data) => {
        const segmenter = await Segmenter.train(data, { ...quick, contexts: 2, order: 2 });
        const { text } = data[0];
        if (text.length > 7) return;
        let sum = 0;
        for (const segments of allCuts(segmenter, text)) {
          const given = segments.filter(({ label }) => label !== "O");
          sum += Math.exp(segmenter.logLikelihood({ text, segments: given }));
        }
        expect(sum).toBeCloseTo(1, 8);
      }),
      { numRuns: 15 },
    );
  });

  it("the gradient is that of finite differences", () => {
    fc.assert(
      fc.property(
        fc.array(cuts(labels), { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 1, max: 99 }),
        (data, seed) => {
          const gatherer = new Gatherer("chars", new Alphabet(["ab"]));
          for (const one of data) gatherer.add(one);
          const { rows, corpus, parts } = gatherer.prepare({ order: 1, minCount: 1 });
          const inference = {
            mode: "exact",
            contexts: 0,
            order: 1,
            recombine: true,
            byRows: true,
            rows: "all",
          } as const;
          const learner = new SegmenterLearner(corpus, rows, inference, parts.labels.indexOf("O"));
          const weights = Float64Array.from({ length: rows.entries.length }, (_, i) => Math.sin(i * seed + seed) / 3);
          const gradient = new Gradient(learner.table);
          learner.learn(0, weights, gradient);
          const step = 1e-5;
          for (let e = 0; e < weights.length; e += Math.max(1, Math.floor(weights.length / 40))) {
            const at = (shift: number): number => {
              const moved = weights.slice();
              moved[e] += shift;
              return learner.judge(0, moved).logLikelihood;
            };
            expect(gradient.values[e]).toBeCloseTo((at(step) - at(-step)) / (2 * step), 5);
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it("a saved and loaded segmenter answers the same", async () => {
    const data = fc.sample(cuts(labels), { numRuns: 12, seed: 5 });
    const segmenter = await Segmenter.train(data, { ...quick, lexicon: "ab\ncc\n" });
    const loaded = decodeModel(encodeModel(segmenter)) as Segmenter;
    for (const { text } of data)
      expect(loaded.predict(text, { nbest: 2 })).toEqual(segmenter.predict(text, { nbest: 2 }));
  });
});

it("learns words that it can see, and gives their places", async () => {
  const words = ["dog", "cat", "sees", "the", "a", "bird"];
  const random = fc.sample(fc.array(fc.constantFrom(...words), { minLength: 3, maxLength: 6 }), {
    numRuns: 200,
    seed: 3,
  });
  const data = random.map((own) => {
    let text = "";
    const segments = own.map((word) => {
      text += word;
      return { start: text.length - word.length, end: text.length };
    });
    return { text, segments };
  });
  const segmenter = await Segmenter.train(data, { passes: 5, l2: 0.1 });
  const { segments, text } = segmenter.predict("thecatseesabird");
  expect(segments.map(({ start, end }) => text.slice(start, end))).toEqual(["the", "cat", "sees", "a", "bird"]);
});

it("is known to its folder, the list of tasks and the list of public names alone", () => {
  const src = fileURLToPath(new URL("../../../src", import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const knows = files.filter(
    (file) =>
      !file.startsWith("tasks/segment/") &&
      /tasks\/segment|\.\/segment\/|Segmenter\b(?!\()/.test(
        readFileSync(join(src, file), "utf8").replaceAll("Intl.Segmenter", ""),
      ),
  );
  expect(knows.sort()).toEqual(["browser.ts", "tasks/task.ts"]);
});
