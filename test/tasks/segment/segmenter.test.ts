// The segmenter against enumeration: probabilities of segments and of whole outputs are those of all segmentations, the gradient
// is that of finite differences, both kernels agree. And training: strings of an example do not count as seen in it, a
// training can be stopped and resumed, begun from another model, and learns from a few more examples.

import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import type { Backend } from "../../../src/engine/backend.js";
import { useBackend } from "../../../src/engine/choice.js";
import { referenceBackend } from "../../../src/engine/reference/backend.js";
import { wasmBackend } from "../../../src/engine/wasm/backend.js";
import { Gradient } from "../../../src/learn/gradient.js";
import type { SegmentedText } from "../../../src/tasks/segment/example.js";
import { Gatherer } from "../../../src/tasks/segment/gather.js";
import { SegmenterLearner } from "../../../src/tasks/segment/learner.js";
import { inferenceOf, type SegmenterOptions } from "../../../src/tasks/segment/options.js";
import { Segmenter } from "../../../src/tasks/segment/segmenter.js";
import { InputError } from "../../../src/util/errors.js";
import { encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";
import { labelled, outputs, type Piece, scoreOf, text } from "./oracle.js";

const wasm = wasmBackend() as Backend;
afterEach(() => useBackend(wasm));

const plain = ["ab c ab", "abc b", "c ab a", "a bc c b", "ab ab c"].map(text);

/** A segmenter of made-up texts with weights drawn at random. */
function drawn(examples: readonly SegmentedText[], seed: number, given: Partial<SegmenterOptions>) {
  const gatherer = new Gatherer("chars", new Alphabet(["bc", "c"]));
  for (const example of examples) gatherer.add(example);
  const options = { order: 1, contexts: 20, rows: "all", mode: "exact", minCount: 1, ...given } as SegmenterOptions;
  const { parts, rows, corpus } = gatherer.prepare(options);
  const random = mulberry(seed);
  const weights = Float64Array.from(rows.entries, () => 3 * (random() - 0.5));
  const summary = { texts: 0, positions: 0, segments: 0, history: [], bestPass: 0, stopped: false };
  const segmenter = new Segmenter({ parts, rows, weights, options, summary, note: {} });
  return { segmenter, parts, rows, corpus, weights, options };
}

/** An output as segments by offsets; characters are one unit long. */
function given(segmenter: Segmenter, output: readonly Piece[]) {
  return output.map(({ from, to, label }) => ({ start: from, end: to, label: segmenter.parts.labels.nameOf(label) }));
}

const cases = fc.record({
  seed: fc.nat(1000),
  order: fc.nat(2),
  isLabelled: fc.boolean(),
  contexts: fc.nat(3),
  mode: fc.constantFrom("exact" as const, "rcms" as const),
  word: fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 }),
  backend: fc.constantFrom(referenceBackend, wasm),
});

describe("probabilities", () => {
  it("of outputs are those of enumeration, where every context is kept", () => {
    fc.assert(
      fc.property(cases, ({ seed, order, isLabelled, word, backend }) => {
        useBackend(backend);
        const { segmenter } = drawn(isLabelled ? labelled : plain, seed, { order });
        const all = [...outputs(segmenter, word.length)];
        const scores = all.map((output) => scoreOf(segmenter, { text: word }, output));
        const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
        const best = Math.max(...scores);
        expect(segmenter.predict({ text: word }).probability).toBeCloseTo(Math.exp(best) / total, 8);
        all.forEach((output, i) => {
          const log = segmenter.logLikelihood({ text: word, segments: given(segmenter, output) });
          expect(Math.exp(log)).toBeCloseTo(Math.exp(scores[i]) / total, 8);
        });
      }),
      { numRuns: 40 },
    );
  });

  it("of a segment is the sum over all outputs that have exactly this segment, whatever contexts are kept", () => {
    fc.assert(
      fc.property(cases, ({ seed, order, isLabelled, contexts, mode, word, backend }) => {
        useBackend(backend);
        const { segmenter } = drawn(isLabelled ? labelled : plain, seed, { order, contexts, mode });
        const sums = new Map<string, number>();
        let total = 0;
        for (const output of outputs(segmenter, word.length)) {
          const segments = given(segmenter, output);
          const probability = Math.exp(segmenter.logLikelihood({ text: word, segments }));
          total += probability;
          for (const { start, end, label } of segments) {
            const key = `${start} ${end} ${label}`;
            sums.set(key, (sums.get(key) ?? 0) + probability);
          }
        }
        expect(total).toBeCloseTo(1, 8);
        const { segments, marginals = [] } = segmenter.predict({ text: word }, { marginals: true });
        const expected = [...sums].filter(([key, sum]) => sum >= 0.001 && !key.endsWith(" O"));
        expect(marginals.length).toBe(expected.length);
        for (const { start, end, label = "", probability, text: part } of [...segments, ...marginals]) {
          expect(part).toBe(word.slice(start, end));
          expect(probability).toBeCloseTo(sums.get(`${start} ${end} ${label}`) ?? 0, 8);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("n-best outputs come in order, each once, and the first is the prediction", () => {
    const { segmenter } = drawn(labelled, 7, { order: 2 });
    const { nbest = [], segments } = segmenter.predict({ text: "abcab" }, { nbest: 1000 });
    const count = [...outputs(segmenter, 5)].length;
    expect(nbest).toHaveLength(Math.min(1000, count));
    expect(nbest[0].segments).toEqual(segments);
    for (let i = 1; i < nbest.length; i++) expect(nbest[i].probability).toBeLessThanOrEqual(nbest[i - 1].probability);
    expect(
      new Set(
        nbest.map((output) => JSON.stringify(output.segments.map(({ start, end, label }) => [start, end, label]))),
      ).size,
    ).toBeGreaterThan(1);
  });

  it("white space is a boundary if no segment of the training data holds any", () => {
    const { segmenter } = drawn(plain, 3, {});
    const { marginals = [] } = segmenter.predict({ text: "ab ca" }, { marginals: true });
    expect(marginals.some(({ start, end }) => start < 2 && end > 3)).toBe(false);
  });
});

describe("the gradient", () => {
  it("is that of the log-likelihood, by finite differences, with both kernels", () => {
    for (const backend of [referenceBackend, wasm]) {
      useBackend(backend);
      for (const examples of [plain, labelled]) {
        const { rows, corpus, weights, options } = drawn(examples, 5, { order: 2 });
        const learner = new SegmenterLearner(corpus, rows, inferenceOf(options), 2);
        const placed = backend.arrays.placed(weights);
        const gradient = new Gradient(learner.table);
        learner.learn(2, placed, gradient);
        const found = gradient.values.slice();
        const step = 1e-5;
        const random = mulberry(1);
        for (let n = 0; n < 60; n++) {
          const e = Math.floor(random() * placed.length);
          const at = placed[e];
          placed[e] = at + step;
          const above = learner.judge(2, placed).logLikelihood;
          placed[e] = at - step;
          const below = learner.judge(2, placed).logLikelihood;
          placed[e] = at;
          expect(found[e]).toBeCloseTo((above - below) / (2 * step), 5);
        }
        expect(found.some((value) => value !== 0)).toBe(true);
      }
    }
  });
});

describe("training", () => {
  const words = ["ta", "shi", "ma", "kuro", "neko", "inu"];
  const random = mulberry(9);
  const made = Array.from({ length: 60 }, () =>
    text(Array.from({ length: 4 }, () => words[Math.floor(random() * words.length)]).join(" ")),
  );

  it("learns words, and cuts new texts", async () => {
    const segmenter = await Segmenter.train(made, { passes: 8, l2: 0.1 });
    const { segments } = segmenter.predict({ text: "nekokuroinuta" });
    expect(segments.map((segment) => segment.text)).toEqual(["neko", "kuro", "inu", "ta"]);
    expect(segmenter.options.order).toBe(0);
    expect((await Segmenter.train(labelled, { passes: 1, l2: 1 })).options.order).toBe(2);
  });

  it("a string that is a segment of one example alone does not count as seen there", () => {
    const gatherer = new Gatherer("chars", new Alphabet());
    for (const example of ["ab cd", "ab ef"].map(text)) gatherer.add(example);
    const { corpus, parts } = gatherer.prepare({ order: 0, minCount: 1 });
    const seen = parts.wholes.indexOf("seen[2]=");
    const at = (p: number) =>
      Array.from(corpus.wholes.ids.subarray(corpus.wholes.start[p], corpus.wholes.start[p + 1]));
    expect(seen).toBeGreaterThanOrEqual(0);
    expect([0, 2, 4, 6].map((p) => at(p).includes(seen))).toEqual([true, false, true, false]);
  });

  it("a training stopped and resumed gives the same model, bit for bit", async () => {
    const options = { passes: 3, l2: 0.1 };
    const whole = await Segmenter.train(made, options);
    let seen = 0;
    let checkpoint: unknown;
    await Segmenter.train(made, {
      ...options,
      onExample: () => seen++,
      shouldStop: () => seen >= 70,
      onCheckpoint(taken) {
        checkpoint = taken;
      },
    });
    const resumed = await Segmenter.train(made, { ...options, checkpoint: checkpoint as never });
    expect(encodeModel(resumed)).toEqual(encodeModel(whole));
  });

  it("keeps all that a model knows, and learns a new label and a longer segment", async () => {
    const old = await Segmenter.train(labelled, { passes: 6, l2: 0.1 });
    const before = old.predict({ text: "abcb" }).segments.map((s) => [s.text, s.label]);
    const added = await Segmenter.train([text("ddddd/Z ab/X")], { from: old, keep: true });
    expect(added.labels).toEqual([...old.labels, "Z"]);
    expect(added.predict({ text: "abcb" }).segments.map((s) => [s.text, s.label])).toEqual(before);
    expect(added.rows.symbols.longest[added.parts.labels.indexOf("Z")]).toBe(5);
    await expect(Segmenter.train(labelled, { keep: true })).rejects.toThrow(InputError);
  });

  it("refuses what is no text, no segment, or empty", async () => {
    const train = (...examples: unknown[]) => Segmenter.train(examples as SegmentedText[]);
    await expect(train()).rejects.toThrow(/no texts/);
    await expect(train({})).rejects.toThrow(/neither `text` nor `columns`/);
    await expect(train({ text: "ab" })).rejects.toThrow(/no segments/);
    await expect(train({ text: "", segments: [] })).rejects.toThrow(/empty/);
    await expect(train({ text: "ab", segments: [{ start: 0, end: 3 }] })).rejects.toThrow(/from 0 to 3 in a text of 2/);
    await expect(train({ text: "ab", segments: [null] })).rejects.toThrow(InputError);
    const overlap = [
      { start: 0, end: 2 },
      { start: 1, end: 3 },
    ];
    await expect(train({ text: "abc", segments: overlap })).rejects.toThrow(/begins before/);
    await expect(train({ columns: [["a"]], labels: ["NN"] })).rejects.toThrow(/does not mark a segment/);
    await expect(Segmenter.train(plain, { ordr: 1 } as never)).rejects.toThrow(/did you mean `order`/);
    await expect(Segmenter.train(plain, { lexicon: "\n \n" })).rejects.toThrow(/lexicon is empty/);
  });
});
