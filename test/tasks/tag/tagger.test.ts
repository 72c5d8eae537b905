// The tagger as a user sees it: it learns what can be learned, its probabilities are those of enumeration, its gradient is
// that of finite differences, and training is reproducible, can be stopped, resumed and begun from another model.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import type { GivenLabel, TaggingSequence } from "../../../src/formats/sequence.js";
import type { Checkpoint } from "../../../src/learn/training.js";
import { CorpusBuilder } from "../../../src/tasks/tag/corpus.js";
import { TaggerEngine } from "../../../src/tasks/tag/learner.js";
import { taggerRows } from "../../../src/tasks/tag/rows.js";
import { Tagger, type TrainTaggerOptions } from "../../../src/tasks/tag/tagger.js";
import { tagTask } from "../../../src/tasks/tag/task.js";
import { InputError } from "../../../src/util/errors.js";
import { mulberry } from "../../engine/oracle.js";
import { expectGradient } from "./gradient.js";

const LABELS = ["A", "B", "C"];

/** Sequences whose label is told by the attribute only together with the two labels before it. */
function puzzle(count: number, seed: number): TaggingSequence[] {
  const random = mulberry(seed);
  return Array.from({ length: count }, () => {
    const labels: string[] = [];
    const attributes: string[][] = [];
    for (let i = 0; i < 3 + Math.floor(random() * 5); i++) {
      const hint = Math.floor(random() * 3);
      const before = i >= 2 ? LABELS.indexOf(labels[i - 2]) : 0;
      labels.push(LABELS[(hint + before) % 3]);
      attributes.push([`hint${hint}`]);
    }
    return { attributes, labels };
  });
}

function everyOutput(length: number): string[][] {
  let outputs: string[][] = [[]];
  for (let i = 0; i < length; i++) outputs = outputs.flatMap((o) => LABELS.map((label) => [...o, label]));
  return outputs;
}

const quick: TrainTaggerOptions = { passes: 3, heldOut: 0, order: 2, contexts: 6, l2: 0.1 };

describe("learning", () => {
  it("finds what only two labels back can tell", async () => {
    const second = await Tagger.train(puzzle(300, 1), { ...quick, passes: 15, contexts: 12, conjoin: true });
    expect(accuracy(second, puzzle(100, 2))).toBeLessThan(0.7); // one label back is not enough, even conjoined
    const tokens = puzzle(300, 1).map((s) => ({ ...s, attributes: pairsWithTwoBack(s) }));
    const test = puzzle(100, 2).map((s) => ({ ...s, attributes: pairsWithTwoBack(s) }));
    const told = await Tagger.train(tokens, { ...quick, passes: 15 });
    expect(accuracy(told, test)).toBeGreaterThan(0.95);
  });

  it("uses label n-grams: a cycle of three labels is followed without any attribute", async () => {
    const data = Array.from({ length: 30 }, () => ({
      attributes: Array.from({ length: 9 }, () => ["bias"]),
      labels: Array.from({ length: 9 }, (_, i) => LABELS[i % 3]),
    }));
    const tagger = await Tagger.train(data, { ...quick, passes: 30 });
    const prediction = tagger.predict({ attributes: data[0].attributes });
    expect(prediction.labels).toEqual(data[0].labels);
    expect(prediction.probability).toBeGreaterThan(0.9);
  });

  it("learns from labels that are partly unknown or sets", async () => {
    const random = mulberry(5);
    const data = Array.from({ length: 200 }, () => {
      const labels: GivenLabel[] = [];
      const attributes: string[][] = [];
      for (let i = 0; i < 5; i++) {
        const label = Math.floor(random() * 3);
        attributes.push([`is${label}`]);
        const known = random();
        labels.push(known < 0.3 ? null : known < 0.8 ? [LABELS[label], LABELS[(label + 1) % 3]] : LABELS[label]);
      }
      return { attributes, labels };
    });
    const tagger = await Tagger.train(data, { ...quick, passes: 10 });
    expect(tagger.predict({ attributes: [["is0"], ["is1"], ["is2"]] }).labels).toEqual(LABELS);
  });

  const accuracy = (tagger: Tagger, test: TaggingSequence[]): number => {
    let right = 0;
    let total = 0;
    for (const sequence of test) {
      tagger.predict({ attributes: sequence.attributes }).labels.forEach((label, i) => {
        total++;
        if (label === sequence.labels?.[i]) right++;
      });
    }
    return right / total;
  };

  const pairsWithTwoBack = ({ attributes = [], labels = [] }: TaggingSequence): string[][] =>
    attributes.map(([hint], i) => [`${hint}&${i >= 2 ? labels[i - 2] : "A"}`]);
});

describe("probabilities", () => {
  it("of all outputs sum to one, and marginals, n-best and samples agree with them", async () => {
    for (const mode of ["rcms", "exact"] as const) {
      for (const contexts of [0, 2, 20]) {
        const tagger = await Tagger.train(puzzle(60, 3), { ...quick, mode, contexts });
        const sequence = { attributes: [["hint0"], ["hint2"], ["hint1"], ["unheard of"]] };
        const probabilities = everyOutput(4).map((labels) => Math.exp(tagger.logLikelihood({ ...sequence, labels })));
        expect(probabilities.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
        expect(Math.min(...probabilities)).toBeGreaterThan(0);
        const { marginals, nbest, probability, labels } = tagger.predict(sequence, { marginals: true, nbest: 100 });
        const sorted = [...probabilities].sort((a, b) => b - a);
        expect(nbest?.map((o) => o.probability.toFixed(9))).toEqual(sorted.map((p) => p.toFixed(9)));
        expect(probability).toBeCloseTo(sorted[0], 9);
        expect(nbest?.[0].labels).toEqual(labels);
        const alone = tagger.predict(sequence);
        expect(alone.labels).toEqual(labels);
        expect(alone.probability).toBeCloseTo(probability, 12);
        const { confidences = [] } = tagger.predict(sequence, { confidences: true });
        labels.forEach((label, i) => {
          const agreeing = probabilities.filter((_, k) => everyOutput(4)[k][i] === label);
          expect(confidences[i]).toBeCloseTo(
            agreeing.reduce((a, b) => a + b, 0),
            9,
          );
        });
        everyOutput(4).forEach((output, k) => {
          output.forEach((label, i) => {
            (marginals as Record<string, number>[])[i][label] -= probabilities[k];
          });
        });
        for (const row of marginals ?? []) for (const rest of Object.values(row)) expect(rest).toBeCloseTo(0, 9);
      }
    }
  });

  it("of the labels given are their marginals in a beam too, and with attributes conjoined", async () => {
    for (const options of [{ mode: "beam" as const }, { conjoin: true }]) {
      const tagger = await Tagger.train(puzzle(60, 3), { ...quick, contexts: 3, ...options });
      for (const { attributes } of puzzle(20, 4)) {
        const { labels, confidences } = tagger.predict({ attributes }, { confidences: true });
        const { marginals = [] } = tagger.predict({ attributes }, { marginals: true });
        expect(confidences).toHaveLength(labels.length);
        confidences?.forEach((p, i) => {
          expect(p).toBeCloseTo(marginals[i][labels[i]], 9);
        });
      }
    }
  });

  it("under known labels are the conditional ones", async () => {
    const tagger = await Tagger.train(puzzle(60, 3), quick);
    const sequence = { attributes: [["hint0"], ["hint2"], ["hint1"]] };
    const known = [null, "B", ["A", "C"]];
    const allowed = everyOutput(3).filter(([, second, third]) => second === "B" && third !== "B");
    const masses = allowed.map((labels) => Math.exp(tagger.logLikelihood({ ...sequence, labels })));
    const total = masses.reduce((a, b) => a + b, 0);
    const best = masses.indexOf(Math.max(...masses));
    const prediction = tagger.predict(sequence, { known, nbest: 50, marginals: true });
    expect(prediction.labels).toEqual(allowed[best]);
    expect(prediction.probability).toBeCloseTo(masses[best] / total, 9);
    expect(prediction.nbest).toHaveLength(allowed.length);
    expect(prediction.marginals?.[1].B).toBeCloseTo(1, 9);
    expect(tagger.logLikelihood({ ...sequence, labels: known })).toBeCloseTo(Math.log(total), 9);
  });

  it("are no better in a beam: outputs outside it have none", async () => {
    const tagger = await Tagger.train(puzzle(60, 3), { ...quick, mode: "beam", contexts: 1 });
    const sequence = { attributes: [["hint0"], ["hint2"], ["hint1"]] };
    const probabilities = everyOutput(3).map((labels) => Math.exp(tagger.logLikelihood({ ...sequence, labels })));
    expect(probabilities.filter((p) => p > 0).length).toBeLessThan(27);
    expect(probabilities.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
  });
});

describe("the gradient", () => {
  it("is the slope of the log-likelihood, with full, partial and conjoined labels", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom("longest" as const, "all" as const),
        fc.boolean(),
        (seed, rows, partial) => {
          const random = mulberry(seed);
          const alphabets = [new Alphabet(LABELS), new Alphabet(), new Alphabet()] as const;
          const builder = new CorpusBuilder(...alphabets, true);
          for (let s = 0; s < 3; s++) {
            const length = 2 + Math.floor(random() * 3);
            const names = Array.from({ length }, () => [`a${Math.floor(random() * 3)}`, "bias"]);
            const values = names.map(() => [1, random() * 2 - 1]);
            const labels = names.map((): GivenLabel => {
              const label = LABELS[Math.floor(random() * 3)];
              if (!partial || random() < 0.5) return label;
              return random() < 0.5 ? null : [label, "A", "B"].slice(0, 2);
            });
            builder.add(length, { attributes: names, values, conjoined: names }, labels);
          }
          const corpus = builder.build();
          const sizes = { labels: 3, attributes: alphabets[1].size, conjoined: alphabets[2].size };
          const made = taggerRows(corpus, sizes, { order: 2, minCount: 1 });
          // So many contexts that the sets stay whatever the weights: then the likelihood is smooth.
          const engine = new TaggerEngine(made, { mode: "rcms", contexts: 1000, order: 2, recombine: true, rows });
          const weights = Float64Array.from(made.table.symbols, () => random() - 0.5);
          expectGradient(engine, corpus, weights, { step: 1e-5, every: 3, digits: 6 });
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("training", () => {
  const data = puzzle(40, 7);
  const options: TrainTaggerOptions = { ...quick, passes: 5, heldOut: 0.2, patience: 2 };

  it("gives the same model for the same seed, another for another", async () => {
    const one = await Tagger.train(data, options);
    const two = await Tagger.train(data, options);
    const three = await Tagger.train(data, { ...options, seed: 2 });
    expect(two.weights).toEqual(one.weights);
    expect(three.weights).not.toEqual(one.weights);
  });

  it("goes on from any checkpoint as if it had never stopped", async () => {
    const whole = await Tagger.train(data, options);
    for (const stopAt of [1, 17, 32, 33, 70]) {
      let kept: Checkpoint | undefined;
      let steps = 0;
      await Tagger.train(data, {
        ...options,
        onExample: () => void steps++,
        shouldStop: () => steps >= stopAt,
        onCheckpoint: (checkpoint) => {
          kept = structuredClone(checkpoint);
        },
      });
      const resumed = await Tagger.train(data, { ...options, checkpoint: kept });
      expect(resumed.weights).toEqual(whole.weights);
      expect(resumed.summary.history).toEqual(whole.summary.history);
    }
  });

  it("goes on where it was stopped while it chose its penalty", async () => {
    const many = puzzle(120, 8); // enough to choose by
    const { l2: _, ...open } = { ...options, passes: 2 };
    const whole = await Tagger.train(many, open);
    let asked = 0;
    let kept: Checkpoint | undefined;
    const stopped = await Tagger.train(many, {
      ...open,
      shouldStop: () => ++asked >= 10,
      onCheckpoint: (checkpoint) => {
        kept = structuredClone(checkpoint);
      },
    });
    expect(stopped.summary).toMatchObject({ stopped: true, history: [] });
    const resumed = await Tagger.train(many, { ...open, checkpoint: kept });
    expect(resumed.weights).toEqual(whole.weights);
    expect(resumed.summary).toEqual(whole.summary);
  });

  it("holds out whole documents, and learns from them afterwards", async () => {
    // 20 documents of 30 sentences. A word of its own says the label in each; those who mix them are misled by it.
    const documents = Array.from({ length: 600 }, (_, n): TaggingSequence => {
      const document = Math.floor(n / 30) + 1;
      return { columns: [[`own${document}`]], labels: [LABELS[document % 3]], document };
    });
    const { summary, weights } = await Tagger.train(documents, { ...quick, passes: 2, heldOut: 0.2 });
    expect(summary.chosen).toMatchObject({ judges: 120, refit: true });
    expect(summary.chosen?.heldOut?.accuracy).toBeLessThan(0.6); // nothing is known of words of other documents
    const tagger = await Tagger.train(documents, { ...quick, passes: 2, heldOut: 0.2 });
    expect(tagger.weights).toEqual(weights);
    expect(documents.every((one) => tagger.predict(one).labels[0] === one.labels?.[0])).toBe(true);
  });

  it("chooses by sequences of the user's own, with labels that the others do not have", async () => {
    const dev: TaggingSequence[] = [...puzzle(5, 9), { attributes: [["hint0"]], labels: ["UNSEEN"] }];
    const tagger = await Tagger.train(data, { ...options, dev });
    expect(tagger.summary).toMatchObject({ sequences: 40, chosen: { judges: 6, refit: false } });
    expect(tagger.labels.indexOf("UNSEEN")).toBe(-1);
    await expect(Tagger.train(data, { ...options, dev: [] })).rejects.toThrow(/`dev` has no sequences/);
  });

  it("chooses by F1 where labels mark spans, and there alone", async () => {
    const spans = puzzle(40, 7).map(({ labels, ...rest }) => ({ ...rest, labels: labels?.map((l) => `B-${l}`) }));
    expect((await Tagger.train(spans, options)).summary.chosen?.select).toBe("f1");
    expect((await Tagger.train(data, options)).summary.chosen?.select).toBe("accuracy");
    await expect(Tagger.train(data, { ...options, select: "f1" })).rejects.toThrow(/`select`: F1 needs labels/);
  });

  it("keeps the weights of the pass that was best on the held-out part", async () => {
    const { summary } = await Tagger.train(data, {
      ...options,
      passes: 12,
      l2: 0,
      rate: 1,
      select: "likelihood",
    });
    const scores = summary.history.map((pass) => pass.heldOut?.logLikelihood as number);
    expect(summary.bestPass).toBe(scores.indexOf(Math.max(...scores)) + 1);
    expect(summary.history.length).toBeLessThanOrEqual(summary.bestPass + 2 + 1);
  });

  it("begins with another tagger's weights where it knows them", async () => {
    const clear = (count: number): TaggingSequence[] =>
      Array.from({ length: count }, (_, s) => ({
        attributes: LABELS.map((_, i) => [`is${(i + s) % 3}`]),
        labels: LABELS.map((_, i) => LABELS[(i + s) % 3]),
      }));
    const base = await Tagger.train(clear(60), { ...quick, passes: 10 });
    const few = clear(3);
    (few[0].labels as string[])[0] = "D"; // a label the base has never seen
    // With a rate of almost nothing the weights stay where they began.
    const still = { ...quick, passes: 1, rate: 1e-12, l2: 0 };
    const warm = await Tagger.train(few, { ...still, from: base });
    const cold = await Tagger.train(few, still);
    const likelihood = (tagger: Tagger) => clear(3).reduce((sum, s) => sum + tagger.logLikelihood(s), 0);
    expect(warm.labels.all()).toEqual([...base.labels.all(), "D"]);
    expect(likelihood(cold)).toBeCloseTo(9 * Math.log(1 / 4), 6); // knows nothing: four labels are equally likely
    expect(likelihood(warm)).toBeGreaterThan(likelihood(cold) + 5);
  });

  it("makes weights of an L1 penalty exactly zero", async () => {
    const zeros = (tagger: Tagger) => tagger.weights.filter((w) => w === 0).length;
    const plain = await Tagger.train(data, { ...quick, average: false });
    const sparse = await Tagger.train(data, { ...quick, average: false, l1: 30 });
    expect(zeros(sparse)).toBeGreaterThan(zeros(plain) + 10);
  });

  it("refuses sequences of another shape, as programs without types may give them", async () => {
    const wrong: [sequence: unknown, message: RegExp][] = [
      [{ columns: ["the"], labels: ["A"] }, /`columns\[0\]` should be an array of text/],
      [{ columns: "the", labels: ["A"] }, /`columns` should be an array/],
      [{ tokens: ["the"], labels: ["A"] }, /neither `columns` nor `attributes`/],
      [{ columns: [["the"], ["dog"]], labels: ["A"] }, /1 labels for 2 positions/],
      [{ columns: [["the"]], labels: ["A", "B"] }, /2 labels for 1 positions/],
      [{ columns: [["the"]], labels: [3] }, /`labels\[0\]` should be text/],
      [{ columns: [["the"]], labels: "A" }, /`labels` should be an array/],
      [{ columns: [["the", "DT"], ["dog"]], labels: ["A", "B"] }, /`columns\[1\]` should have 2 or more, found 1/],
      [{ columns: [[]], labels: ["A"] }, /`columns\[0\]` should have 1 or more, found 0/],
      [{ attributes: [["a", "b"]], values: [[1]], labels: ["A"] }, /1 values for 2 attributes/],
    ];
    const tagger = await Tagger.train([{ columns: [["the"]], labels: ["A"] }], quick);
    for (const [sequence, message] of wrong) {
      await expect(Tagger.train([sequence as TaggingSequence], quick)).rejects.toThrow(message);
      expect(() => tagger.logLikelihood(sequence as TaggingSequence)).toThrow(message);
    }
    for (const nothing of [null, undefined] as never[]) {
      await expect(Tagger.train([nothing], quick)).rejects.toThrow(/no labels/);
      expect(() => tagger.predict(nothing)).toThrow(/neither `columns` nor `attributes`/);
      expect(() => tagger.logLikelihood(nothing)).toThrow(/no labels/);
    }
    const features = (() => "abc") as unknown as TrainTaggerOptions["features"];
    await expect(Tagger.train([{ columns: [["the"]], labels: ["A"] }], { features })).rejects.toThrow(/array of names/);
    const one = { columns: [["the"]] };
    expect(() => tagger.predict(one, { nbst: 2 } as object)).toThrow(/`nbst`; did you mean `nbest`/);
    expect(() => tagger.predict(one, { nbest: -1 })).toThrow(/`nbest` must be/);
    expect(() => tagger.predict(one, { nbest: 1001 })).toThrow(/`nbest` must be .* at most 1000, not 1001/);
    expect(() => tagger.predict(one, { inference: { moed: "beam" } as object })).toThrow(/`moed`; did you mean `mode`/);
  });

  it("refuses what it cannot use, by name", async () => {
    await expect(Tagger.train(data, { ordr: 2 } as TrainTaggerOptions)).rejects.toThrow(/`ordr`; did you mean `order`/);
    await expect(Tagger.train(data, { order: -1 })).rejects.toThrow(InputError);
    await expect(Tagger.train(data, { heldOut: 1 })).rejects.toThrow(/heldOut/);
    for (const name of ["rate", "l2", "l1"]) {
      for (const value of [1e300, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await expect(Tagger.train(data, { [name]: value })).rejects.toThrow(`option \`${name}\` must be`);
      }
    }
    // Values so great that sums of them lose all else would make probabilities that do not sum to one.
    const great: TaggingSequence[] = [{ attributes: [["a", "b"]], values: [[1, 1e12]], labels: ["A"] }];
    await expect(Tagger.train(great, quick)).rejects.toThrow(/`b` has the value 1000000000000/);
    const tagger = await Tagger.train(data, quick);
    expect(() => tagger.predict({ attributes: [["hint0"]], values: [[Number.NaN]] })).toThrow(
      /`hint0` has the value NaN/,
    );
    // A penalty in range that leaves nothing of any weight is no model either.
    await expect(Tagger.train(data, { ...quick, l1: 1e5 })).rejects.toThrow(/nothing was learned/);
    await expect(Tagger.train([], {})).rejects.toThrow(/no sequences/);
    await expect(Tagger.train([{ attributes: [["a"]] }], {})).rejects.toThrow(/no labels/);
    await expect(Tagger.train([{ attributes: [["a"]], labels: [null] }], {})).rejects.toThrow(
      /no position has a label/,
    );
  });
});

describe("explanations", () => {
  it("add up to the difference of scores between two labels", async () => {
    const tagger = await Tagger.train(puzzle(60, 3), quick);
    const sequence = { attributes: [["hint0"], ["hint2"], ["hint1"]] };
    const { labels } = tagger.predict(sequence);
    const sum = (label: string) =>
      tagger.explain(sequence, 2, label).contributions.reduce((total, c) => total + c.weight, 0);
    const with2 = (label: string) => tagger.logLikelihood({ ...sequence, labels: [labels[0], labels[1], label] });
    // The end's score depends on the last label too; taking both outputs' ends from the same model leaves the rest.
    const end = (label: string) => endWeight(tagger, [labels[0], labels[1], label]);
    expect(sum("A") + end("A") - sum("B") - end("B")).toBeCloseTo(with2("A") - with2("B"), 6);
  });

  /** What the label n-grams before the end add: the END symbol is the last of every whole row. */
  function endWeight(tagger: Tagger, labels: string[]): number {
    const { labelTree: tree, table } = tagger.rows;
    let node = 0;
    let sum = 0;
    for (const label of labels.slice(-tagger.options.order).reverse()) {
      let child = -1;
      for (let c = tree.childStart[node]; c < tree.childStart[node + 1]; c++) {
        if (tree.childEvent[c] === tagger.labels.indexOf(label)) child = tree.childNode[c];
      }
      if (child < 0) break;
      node = child;
      sum += tagger.weights[table.start[tree.row[node] + 1] - 1];
    }
    return sum;
  }
});

describe("long sequences", () => {
  it("of 100,000 positions have finite, consistent probabilities", async () => {
    const tagger = await Tagger.train(puzzle(60, 3), quick);
    const attributes = Array.from({ length: 100_000 }, (_, i) => [`hint${i % 3}`]);
    const { labels, logProbability, confidences } = tagger.predict({ attributes }, { confidences: true });
    expect(labels).toHaveLength(100_000);
    expect(Number.isFinite(logProbability)).toBe(true);
    expect(logProbability).toBeLessThan(0);
    for (const p of confidences ?? []) expect(p > 0 && p <= 1 + 1e-9).toBe(true);
    expect(tagger.logLikelihood({ attributes, labels })).toBeCloseTo(logProbability, 3);
  });
});

it("says what the explorer can give to a model: text, or letters drawn by hand", async () => {
  const drawn = [{ attributes: [["0,0"]], labels: ["a"] }];
  const note = { input: { format: "letters", pixels: "16x8" } };
  const letters = await Tagger.train(drawn, { heldOut: 0, passes: 1, note });
  expect(tagTask.explorable?.(letters)).toEqual({ readsText: false, readsDrawings: true });
  const words = await Tagger.train([{ columns: [["the"]], labels: ["DT"] }], { heldOut: 0, passes: 1 });
  expect(tagTask.explorable?.(words)).toEqual({ readsText: true });
});
