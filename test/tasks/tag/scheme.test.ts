// Schemes of labels: recognised, translated there and back, and outputs held to them. Probabilities against enumeration of
// all outputs of the same weights without a scheme; which outputs are valid, and what they mean, by writing spans as labels.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunksOf } from "../../../src/metrics/tagging.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";

type Scheme = "bio" | "iob1" | "bioes" | "bilou";
interface Span {
  type: string;
  start: number;
  end: number;
}

/** The labels of spans, as the schemes are defined. */
function written(scheme: Scheme, spans: readonly Span[], length: number): string[] {
  const labels = Array<string>(length).fill("O");
  for (const { type, start, end } of spans) {
    for (let i = start; i < end; i++) {
      const [first, last] = [i === start, i === end - 1];
      let prefix = first ? "B" : "I";
      if (scheme === "iob1") prefix = first && spans.some((s) => s.end === start && s.type === type) ? "B" : "I";
      if (scheme === "bioes" && last) prefix = first ? "S" : "E";
      if (scheme === "bilou" && last) prefix = first ? "U" : "L";
      labels[i] = `${prefix}-${type}`;
    }
  }
  return labels;
}

const pieces = fc.array(fc.tuple(fc.constantFrom("X", "Y", ""), fc.integer({ min: 1, max: 3 })), {
  minLength: 1,
  maxLength: 4,
});

/** Spans side by side, or with gaps between. */
function spansOf(parts: readonly (readonly [string, number])[]): { spans: Span[]; length: number } {
  const spans: Span[] = [];
  let at = 0;
  for (const [type, length] of parts) {
    if (type !== "") spans.push({ type, start: at, end: at + length });
    at += length;
  }
  return { spans, length: at };
}

const words = ["a", "b", "c"];

/** Data in a scheme, at random, so that a model believes in nearly everything. */
function dataIn(scheme: Scheme, seed = 3) {
  return fc.sample(pieces, { seed, numRuns: 40 }).map((parts) => {
    const { spans, length } = spansOf(parts);
    const columns = Array.from({ length }, (_, i) => [words[(i * 7 + length) % words.length]]);
    return { columns, labels: written(scheme, spans, length) };
  });
}

const quick = { passes: 3, heldOut: 0, l2: 0.1 } as const;

const translations: [data: Scheme, learned: "bio" | "bioes" | "bilou"][] = [
  ["bio", "bio"],
  ["iob1", "bio"],
  ["bio", "bioes"],
  ["iob1", "bilou"],
  ["bioes", "bioes"],
  ["bilou", "bioes"],
];

describe.each(translations)("%s learned as %s", (data, learned) => {
  test.each([
    { mode: "exact", order: 2 },
    { mode: "rcms", order: 2, contexts: 3 },
    { mode: "rcms", order: 1, contexts: 0 },
    { mode: "exact", order: 2, shortlist: 99 },
  ] as const)("probabilities are those of the valid outputs: %o", async (options) => {
    const tagger = await Tagger.train(dataIn(data), { ...quick, ...options, scheme: learned, constrained: true });
    expect(tagger.translation).toEqual({ data, learned });
    const { symbols, attributes, conjoined, rows, weights, source, summary, note } = tagger;
    const free = new Tagger({
      ...{ labels: symbols, attributes, conjoined, rows, weights, source, summary, note },
      options: tagger.options,
    });
    const known = new Set(tagger.labels.all());
    for (const tokens of [["a"], ["b", "a"], ["c", "b", "c"]]) {
      const sequence = { columns: tokens.map((token) => [token]) };
      const length = tokens.length;
      const all = (free.predict(sequence, { nbest: 1000 }).nbest ?? []).map(({ labels, probability }) => ({
        isValid: written(learned, chunksOf(labels), length).join() === labels.join(),
        labels: written(data, chunksOf(labels), length),
        probability,
      }));
      expect(all.length).toBe(symbols.size ** length);
      const valid = all.filter((one) => one.isValid && one.labels.every((label) => known.has(label)));
      const total = valid.reduce((sum, { probability }) => sum + probability, 0);
      const truth = new Map(valid.map(({ labels, probability }) => [labels.join(" "), probability / total]));
      expect(truth.size).toBe(valid.length);

      const found = tagger.predict(sequence, { nbest: 1000, marginals: true, confidences: true, spans: true });
      const outputs = found.nbest ?? [];
      expect(outputs.length).toBe(truth.size);
      for (const { labels, probability } of outputs)
        expect(probability).toBeCloseTo(truth.get(labels.join(" ")) ?? -1, 9);
      expect(found.labels).toEqual(outputs[0].labels);
      expect(found.probability).toBeCloseTo(Math.max(...truth.values()), 9);
      const sumOf = (isMeant: (labels: string[]) => boolean) =>
        outputs.filter(({ labels }) => isMeant(labels)).reduce((sum, { probability }) => sum + probability, 0);
      for (let i = 0; i < length; i++) {
        for (const label of known) {
          expect(found.marginals?.[i][label]).toBeCloseTo(
            sumOf((labels) => labels[i] === label),
            9,
          );
        }
        expect(found.confidences?.[i]).toBeCloseTo(
          sumOf((labels) => labels[i] === found.labels[i]),
          9,
        );
      }
      expect(found.spans?.map(({ from, to }) => [from, to])).toEqual(
        chunksOf(found.labels).map(({ start, end }) => [start, end]),
      );
      for (const { label, from, to, probability } of found.spans ?? []) {
        const has = (labels: string[]) =>
          chunksOf(labels).some((c) => c.type === label && c.start === from && c.end === to);
        expect(probability).toBeCloseTo(sumOf(has), 9);
      }
      // Alone, without everything else.
      const alone = tagger.predict(sequence, { confidences: true, spans: true });
      expect(alone.labels).toEqual(found.labels);
      expect(alone.probability).toBeCloseTo(found.probability, 9);
      expect(alone.confidences?.[0]).toBeCloseTo(found.confidences?.[0] ?? -1, 9);
      const worst = outputs[outputs.length - 1];
      expect(tagger.logLikelihood({ ...sequence, labels: worst.labels })).toBeCloseTo(Math.log(worst.probability), 7);
      const given = worst.labels.map((label, i) => (i === 0 ? label : null));
      const filled = tagger.predict(sequence, { known: given, nbest: 1000 });
      const share = sumOf((labels) => labels[0] === worst.labels[0]);
      for (const { labels, probability } of filled.nbest ?? []) {
        expect(labels[0]).toBe(worst.labels[0]);
        expect(probability).toBeCloseTo((truth.get(labels.join(" ")) ?? -1) / share, 9);
      }
    }
    // What is saved and loaded answers the same.
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    const sequence = { columns: [["a"], ["b"], ["c"], ["a"]] };
    expect(loaded.predict(sequence)).toEqual(tagger.predict(sequence));
  });

  test("with shortlists, they are those of the valid outputs of listed labels", async () => {
    const short = { ...quick, mode: "exact", order: 2, scheme: learned, constrained: true, shortlist: 1 } as const;
    const tagger = await Tagger.train(dataIn(data), short);
    const { symbols, labels, attributes, conjoined, rows, weights, source, summary, note } = tagger;
    const free = new Tagger({
      ...{ labels: symbols, attributes, conjoined, rows, weights, source, summary, note },
      options: { ...tagger.options, shortlist: 0 },
    });
    let isShorter = false;
    for (const tokens of [["a"], ["b", "a"], ["c", "b", "c"]]) {
      const sequence = { columns: tokens.map((token) => [token]) };
      const valid = (free.predict(sequence, { nbest: 1000 }).nbest ?? [])
        .map((one) => ({ ...one, data: written(data, chunksOf(one.labels), tokens.length) }))
        .filter((one) => written(learned, chunksOf(one.labels), tokens.length).join() === one.labels.join())
        .filter((one) => one.data.every((label) => labels.indexOf(label) >= 0));
      const { nbest = [], marginals, spans } = tagger.predict(sequence, { nbest: 1000, marginals: true, spans: true });
      // The list of a position: the label with the best score by attributes alone, all of its type, and O.
      const listed = tokens.map((_, i) => {
        const scores = symbols.all().map((label) => ({
          type: label.slice(2),
          score: tagger
            .explain(sequence, i, label)
            .contributions.filter(({ feature }) => !feature.startsWith("label"))
            .reduce((sum, { weight }) => sum + weight, 0),
        }));
        const { type } = scores.reduce((best, one) => (one.score > best.score ? one : best));
        return (label: string) => label === "O" || label.slice(2) === type;
      });
      const meant = valid.filter((one) => one.labels.every((label, i) => listed[i](label)));
      isShorter ||= meant.length < valid.length;
      const total = meant.reduce((sum, { probability }) => sum + probability, 0);
      const truth = new Map(meant.map((one) => [one.data.join(" "), one.probability / total]));
      expect(new Set(nbest.map((one) => one.labels.join(" ")))).toEqual(new Set(truth.keys()));
      for (const one of nbest) expect(one.probability).toBeCloseTo(truth.get(one.labels.join(" ")) ?? -1, 9);
      const sumOf = (isMeant: (labels: string[]) => boolean) =>
        nbest.filter((one) => isMeant(one.labels)).reduce((sum, { probability }) => sum + probability, 0);
      marginals?.forEach((row, i) => {
        for (const label of labels.all())
          expect(row[label]).toBeCloseTo(
            sumOf((own) => own[i] === label),
            9,
          );
      });
      for (const { label, from, to, probability } of spans ?? []) {
        const has = (own: string[]) => chunksOf(own).some((c) => c.type === label && c.start === from && c.end === to);
        expect(probability).toBeCloseTo(sumOf(has), 9);
      }
      // Labels that are given are considered, listed or not.
      const lost = valid.find((one) => !truth.has(one.data.join(" ")));
      if (!lost) continue;
      expect(tagger.predict(sequence, { known: lost.data })).toMatchObject({ labels: lost.data });
      expect(tagger.logLikelihood({ ...sequence, labels: lost.data })).toBeLessThan(0);
    }
    expect(isShorter).toBe(true);
    const sequence = { columns: [["a"], ["b"], ["c"], ["a"]] };
    expect((decodeModel(encodeModel(tagger)) as Tagger).predict(sequence)).toEqual(tagger.predict(sequence));
  });

  test("labels that are partly unknown are learned from", async () => {
    const open = dataIn(data).map(({ columns, labels }) => ({
      columns,
      labels: labels.map((label, i) => (i % 3 === 1 ? null : i % 5 === 4 ? [label, "O"] : label)),
    }));
    const tagger = await Tagger.train([...dataIn(data), ...open], { ...quick, scheme: learned, constrained: true });
    expect(new Set(tagger.labels.all())).toEqual(new Set([...dataIn(data).flatMap(({ labels }) => labels), "O"]));
  });
});

test("labels that break every scheme are refused only if a scheme is asked for", async () => {
  const broken = [
    { columns: [["a"], ["b"], ["c"]], labels: ["O", "I-X", "O"] },
    { columns: [["a"], ["b"], ["c"]], labels: ["O", "B-X", "I-X"] },
  ];
  await expect(Tagger.train(broken, { ...quick, constrained: true })).rejects.toThrow(InputError);
  await expect(Tagger.train(broken, { ...quick, scheme: "bio" })).rejects.toThrow(/do not follow any scheme/);
  expect((await Tagger.train(broken, quick)).translation).toBeUndefined();
  const plain = [{ columns: [["a"]], labels: ["DT"] }];
  await expect(Tagger.train(plain, { ...quick, scheme: "bio" })).rejects.toThrow(/B-PER/);
});

test("a label that the data does not have is never answered", async () => {
  // Without B, spans of one type that touch are one: IOB1 as some corpora have it.
  const data = dataIn("iob1").map(({ columns, labels }) => ({
    columns,
    labels: labels.map((l) => l.replace("B-", "I-")),
  }));
  const tagger = await Tagger.train(data, quick);
  expect(tagger.translation).toEqual({ data: "iob1", learned: "bio" });
  expect([...tagger.labels.all()].sort()).toEqual(["I-X", "I-Y", "O"]);
  const { nbest = [] } = tagger.predict({ columns: [["a"], ["b"]] }, { nbest: 100 });
  expect(nbest.length).toBe(9);
  expect((await Tagger.train(data, { ...quick, scheme: "data" })).translation).toBeUndefined();
  expect(nbest.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
});

test("where no label is outside of spans, lists that hold no valid output give way to all labels", async () => {
  // A span of Y is never single, one of X always: a list of Y alone has no output of one token.
  const data = [
    { columns: [["x"], ["y"], ["z"]], labels: ["S-X", "B-Y", "E-Y"] },
    { columns: [["y"], ["z"], ["x"]], labels: ["B-Y", "E-Y", "S-X"] },
  ];
  const tagger = await Tagger.train(data, { ...quick, mode: "exact", constrained: true, shortlist: 1 });
  expect(tagger.predict({ columns: [["y"]] }).labels).toEqual(["S-X"]);
  expect(tagger.predict({ columns: [["y"], ["y"]] }, { nbest: 9 }).nbest?.map(({ labels }) => labels)).toEqual([
    ["B-Y", "E-Y"],
  ]);
  expect(tagger.predict({ columns: [["y"], ["x"], ["z"]] }).labels).toHaveLength(3);
});
