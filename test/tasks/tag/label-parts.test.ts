// Parts of labels and shortlists: scores and probabilities against enumeration, gradients against finite differences, models
// that are saved, loaded and added to, and files that lie.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { decodeTensors, encodeTensors } from "../../../src/model/safetensors.js";
import { CorpusBuilder } from "../../../src/tasks/tag/corpus.js";
import { labelParts, separatorOf } from "../../../src/tasks/tag/label-parts.js";
import { TaggerEngine } from "../../../src/tasks/tag/learner.js";
import { taggerRows } from "../../../src/tasks/tag/rows.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";
import { expectGradient } from "./gradient.js";

const KINDS = ["N", "V", "A"];
const CASES = ["Case=Nom", "Case=Gen", "Case=Par", "Case=Ine"];
const NUMBERS = ["Sing", "Plur"];
const LABELS = KINDS.flatMap((kind) => CASES.flatMap((one) => NUMBERS.map((number) => `${kind}|${one}|${number}`)));

/** Words whose letters say kind, case and number, some of them unclear, and a label that follows from these. */
function puzzle(count: number, seed: number, labels: readonly string[] = LABELS) {
  const random = mulberry(seed);
  return Array.from({ length: count }, () => {
    const length = 2 + Math.floor(random() * 3);
    const chosen = Array.from({ length }, () => labels[Math.floor(random() ** 2 * labels.length)]);
    const attributes = chosen.map((label) => label.split("|").map((part) => (random() < 0.15 ? "?" : part)));
    return { attributes, labels: chosen };
  });
}

const quick = { passes: 4, l2: 0.1, heldOut: 0, order: 2, contexts: 1000, seed: 1 };

describe("the separator of labels", () => {
  it("is found where labels repeat their parts, and only there", () => {
    const morphology = [0, 1, 2].flatMap((n) => LABELS.map((label) => `${label}|Person=${n}`));
    expect(separatorOf(morphology)).toBe("|");
    expect(separatorOf(morphology.map((label) => label.replaceAll("|", ";")))).toBe(";");
    // Few labels, and labels whose parts are all different.
    expect(separatorOf(LABELS)).toBeUndefined();
    expect(separatorOf(Array.from({ length: 200 }, (_, n) => `a${n}-b${n}`))).toBeUndefined();
    // The 45 tags of the Penn Treebank hold -LRB- and PRP$, and nothing that is composed.
    expect(
      separatorOf(["NN", "-LRB-", "-RRB-", "PRP$", ".", ":", ...Array.from({ length: 60 }, (_, n) => `T${n}`)]),
    ).toBe(undefined);
  });

  it("cuts labels into parts that are numbered as they come", () => {
    const parts = labelParts(["N|x", "V|x|y", "N"], "|");
    expect(parts?.names).toEqual(["N", "x", "V", "y"]);
    expect(Array.from(parts?.start ?? [])).toEqual([0, 2, 5, 6]);
    expect(Array.from(parts?.symbols ?? [])).toEqual([4, 5, 6, 5, 7, 4]);
    expect(labelParts(["N|x"], "none")).toBeUndefined();
  });

  it("may be named, or switched off", async () => {
    const data = puzzle(60, 1);
    expect((await Tagger.train(data, quick)).options).toMatchObject({ labelParts: "none", shortlist: 0 });
    const named = await Tagger.train(data, { ...quick, labelParts: "|" });
    expect(named.options).toMatchObject({ labelParts: "|", shortlist: 64 });
    expect(new Set(named.rows.parts?.names)).toEqual(new Set([...KINDS, ...CASES, ...NUMBERS]));
    await expect(Tagger.train(data, { ...quick, labelParts: "" })).rejects.toThrow("labelParts");
  });
});

describe("a tagger with parts of labels", () => {
  it("finds a label by its parts where attributes were never seen with it", async () => {
    const rare = "V|Case=Ine|Plur";
    const data = puzzle(300, 2, [...LABELS].reverse()).map(({ attributes, labels }) => ({
      attributes: attributes.filter((_, i) => labels[i] !== rare),
      labels: labels.filter((label) => label !== rare),
    }));
    const once = { attributes: [["something else"]], labels: [rare] };
    const examples = [once, ...data.filter(({ labels }) => labels.length > 0)];
    const asked = { attributes: [["V", "Case=Ine", "Plur"]] };
    // Of the attributes alone, without labels before.
    const without = await Tagger.train(examples, { ...quick, order: 0, labelParts: "none" });
    const tagger = await Tagger.train(examples, { ...quick, order: 0, labelParts: "|" });
    const probability = (model: Tagger): number => model.predict(asked, { marginals: true }).marginals?.[0][rare] ?? 0;
    expect(probability(without)).toBeLessThan(0.01);
    expect(probability(tagger)).toBeGreaterThan(0.1);
    // What speaks for it is what its parts are worth.
    const { contributions } = tagger.explain(asked, 0, rare);
    expect(contributions.filter(({ weight }) => weight > 0).map(({ feature }) => feature)).toEqual(
      expect.arrayContaining(["V", "Case=Ine", "Plur"]),
    );
  });

  it("has a gradient that is the slope of the log-likelihood, with and without shortlists", () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0, 3, 100), fc.boolean(), (seed, shortlist, partial) => {
        const random = mulberry(seed);
        const labels = new Alphabet(LABELS);
        const attributes = new Alphabet();
        const builder = new CorpusBuilder(labels, attributes, new Alphabet(), true);
        for (const example of puzzle(3, seed)) {
          const given = example.labels.map((label) =>
            partial && random() < 0.4 ? (random() < 0.5 ? null : [label, LABELS[0]]) : label,
          );
          builder.add(given.length, { attributes: example.attributes }, given);
        }
        const corpus = builder.build();
        const parts = labelParts(LABELS, "|");
        const sizes = { labels: LABELS.length, attributes: attributes.size, conjoined: 0 };
        const made = taggerRows(corpus, sizes, { order: 2, minCount: 1, parts });
        const inference = { mode: "exact", contexts: 1, order: 2, recombine: true, rows: "all" } as const;
        const engine = new TaggerEngine(made, inference, shortlist);
        const weights = Float64Array.from(made.table.symbols, () => random() - 0.5);
        expectGradient(engine, corpus, weights, { step: 1e-6, every: 23, digits: 4 });
      }),
      { numRuns: 6 },
    );
  });

  it("is saved, loaded and answers the same, and goes on learning with new labels", async () => {
    const data = puzzle(80, 3);
    const tagger = await Tagger.train(data, { ...quick, contexts: 5, labelParts: "|", shortlist: 6 });
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    const asked = { nbest: 3, marginals: true, confidences: true };
    for (const sequence of data.slice(0, 10)) {
      expect(loaded.predict(sequence, asked)).toEqual(tagger.predict(sequence, asked));
    }
    expect(encodeModel(loaded)).toEqual(encodeModel(tagger));
    const more = [{ attributes: [["V", "Case=Abe"]], labels: ["V|Case=Abe|Sing"] }];
    const grown = await Tagger.train(more, { from: loaded, keep: true });
    expect(grown.options.labelParts).toBe("|");
    expect(grown.rows.parts?.names).toContain("Case=Abe");
    // All that it knew it knows: scores of the labels that were there change little by one example.
    const before = data.flatMap((sequence) => loaded.predict(sequence).labels);
    const after = data.flatMap((sequence) => grown.predict(sequence).labels);
    const same = before.filter((label, i) => label === after[i]).length;
    expect(same / before.length).toBeGreaterThan(0.9);
  });

  it("learns in a beam too, and marks spans", async () => {
    const data = puzzle(150, 9);
    const beam = await Tagger.train(data, { ...quick, mode: "beam", contexts: 5, labelParts: "|", shortlist: 6 });
    const answers = data.flatMap((sequence) => beam.predict(sequence).labels);
    const right = data.flatMap(({ labels }) => labels).filter((label, i) => label === answers[i]).length;
    expect(right / answers.length).toBeGreaterThan(0.7);
    const spans = ["B-PER", "I-PER", "O"];
    const marked = Array.from({ length: 30 }, (_, n) => ({
      attributes: spans.map((label) => [label, `word${n % 7}`]),
      labels: spans,
    }));
    for (const given of [{ shortlist: 2 }, { constrained: true }, { constrained: true, shortlist: 1 }]) {
      const tagger = await Tagger.train(marked, { ...quick, labelParts: "-", ...given });
      expect(tagger.rows.parts?.names).toEqual(["B", "PER", "I", "O"]);
      const { spans: found } = tagger.predict({ attributes: marked[0].attributes }, { spans: true });
      expect(found).toMatchObject([{ label: "PER", from: 0, to: 2 }]);
      expect(found?.[0].probability).toBeGreaterThan(0.5);
    }
  });

  it("is not read from a file in which contexts have weights for parts", async () => {
    const tagger = await Tagger.train(puzzle(30, 4), { ...quick, labelParts: "|" });
    const { metadata, tensors } = decodeTensors(encodeModel(tagger));
    expect(metadata["stargram.version"]).toBe("3");
    const symbols = (tensors["rows.symbols"].data as Uint16Array).slice();
    symbols[symbols.length - 1] = LABELS.length + 2;
    const lying = encodeTensors({ metadata, tensors: { ...tensors, "rows.symbols": { data: symbols } } });
    expect(() => decodeModel(lying, "bad.sg")).toThrow("bad.sg");
  });
});

describe("a shortlist", () => {
  const train = async (given: object) => Tagger.train(puzzle(80, 5), { ...quick, mode: "exact", ...given });

  it.each([{ labelParts: "|" }, { labelParts: "none" }])(
    "changes nothing if it holds all labels (%o)",
    async (given) => {
      // Steps so short that no label falls far behind.
      const short = { ...given, rate: 0.01 };
      const all = await train({ ...short, shortlist: 0 });
      const listed = await train({ ...short, shortlist: LABELS.length });
      for (const sequence of puzzle(5, 6)) {
        const asked = { marginals: true, nbest: 4 };
        const [one, other] = [all.predict(sequence, asked), listed.predict(sequence, asked)];
        expect(other.labels).toEqual(one.labels);
        expect(other.probability).toBeCloseTo(one.probability, 6);
        expect(other.nbest?.map(({ labels }) => labels)).toEqual(one.nbest?.map(({ labels }) => labels));
        for (const [i, row] of (one.marginals ?? []).entries()) {
          for (const label of LABELS) expect(other.marginals?.[i][label]).toBeCloseTo(row[label], 6);
        }
      }
    },
  );

  it("leaves a distribution over the outputs of listed labels, and nothing for others", async () => {
    const tagger = await train({ labelParts: "|", shortlist: 3, order: 1 });
    const whole = await train({ labelParts: "|", shortlist: 0, order: 1 });
    whole.weights.set(tagger.weights);
    for (const { attributes } of puzzle(5, 7)) {
      const sequence = { attributes: attributes.slice(0, 2) };
      const { marginals, nbest } = tagger.predict(sequence, { marginals: true, nbest: 100 });
      const listed = (marginals ?? []).map((row) => LABELS.filter((label) => row[label] > 0));
      for (const labels of listed) expect(labels.length).toBeLessThanOrEqual(3);
      // The same scores, of the listed labels alone.
      const outputs = listed[0].flatMap((first) => listed[1].map((second) => [first, second]));
      const masses = outputs.map((labels) => Math.exp(whole.logLikelihood({ ...sequence, labels })));
      const total = masses.reduce((a, b) => a + b, 0);
      expect(nbest).toHaveLength(outputs.length);
      for (const { labels, probability } of nbest ?? []) {
        const at = outputs.findIndex((output) => output.join() === labels.join());
        expect(probability).toBeCloseTo(masses[at] / total, 9);
      }
      for (const [i, row] of (marginals ?? []).entries()) {
        for (const label of LABELS) {
          const own = outputs.reduce((sum, output, at) => sum + (output[i] === label ? masses[at] / total : 0), 0);
          expect(row[label]).toBeCloseTo(own, 9);
        }
      }
      // A label that is asked about is considered: its probability is what it would be with it on the list.
      const other = LABELS.find((label) => !listed[0].includes(label)) as string;
      const rest = listed[1].reduce(
        (sum, second) => sum + Math.exp(whole.logLikelihood({ ...sequence, labels: [other, second] })),
        0,
      );
      const asked = tagger.logLikelihood({ ...sequence, labels: [other, null] });
      expect(Math.exp(asked)).toBeCloseTo(rest / (total + rest), 9);
      expect(tagger.predict(sequence, { known: [other, null] }).labels[0]).toBe(other);
    }
  });

  it("holds the right label of nearly all held-out positions, and says of how many not", async () => {
    const tagger = await Tagger.train(puzzle(300, 8), {
      ...quick,
      contexts: 5,
      heldOut: 0.2,
      labelParts: "|",
      shortlist: 4,
    });
    const { unlisted } = tagger.summary.chosen?.heldOut ?? {};
    expect(unlisted).toBeGreaterThan(0);
    expect(unlisted).toBeLessThan(0.2);
  });
});
