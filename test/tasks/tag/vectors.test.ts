// Word vectors: how they are read, what they add to scores, gradients against finite differences, taggers that keep them.

import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import type { Backend } from "../../../src/engine/backend.js";
import { useBackend } from "../../../src/engine/choice.js";
import { referenceBackend } from "../../../src/engine/reference/backend.js";
import { wasmBackend } from "../../../src/engine/wasm/backend.js";
import { readVectors } from "../../../src/formats/vectors.js";
import { decodeTensors, encodeTensors } from "../../../src/model/safetensors.js";
import { CorpusBuilder } from "../../../src/tasks/tag/corpus.js";
import { labelParts } from "../../../src/tasks/tag/label-parts.js";
import { TaggerEngine } from "../../../src/tasks/tag/learner.js";
import { taggerRows } from "../../../src/tasks/tag/rows.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { vectorNames, vectorRows } from "../../../src/tasks/tag/vectors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";
import { expectGradient } from "./gradient.js";

const wasm = wasmBackend() as Backend;
afterEach(() => useBackend(wasm));

const all = () => true;

describe("reading", () => {
  it("takes lines with and without a heading, words with spaces, and the first of those that come twice", async () => {
    const plain = await readVectors("the 1 2 3 \ndog 0.5 -1e-2 0\nthe 9 9 9\n. . 4 5 6\n", all);
    expect(plain.words).toEqual(["the", "dog", ". ."]);
    expect(plain.dimension).toBe(3);
    expect(Array.from(plain.values)).toEqual([1, 2, 3, 0.5, -0.01, 0, 4, 5, 6].map(Math.fround));
    const headed = await readVectors("\ufeff2 2\r\nthe 1 2\r\ndog\t3\t4\r\n", all);
    expect(headed).toMatchObject({ words: ["the", "dog"], dimension: 2 });
    expect((await readVectors("a 1\nb 2\nc 3\n", (word, before) => before < 1 || word === "c")).words).toEqual([
      "a",
      "c",
    ]);
  });

  it("refuses what is wrong at its line", async () => {
    const refused = (text: string, why: string) =>
      expect(readVectors({ file: "v.txt", blocks: [{ first: 1, lines: text.split("\n") }] }, all)).rejects.toThrow(why);
    await refused("the 1 2\ndog 1", "v.txt:2: 1 numbers after the word, expected 2");
    await refused("2 3\nthe 1 2", "v.txt:2: 2 numbers after the word, expected 3");
    await refused("the 1 2\ndog 1 x", "v.txt:2: `x` should be a number, number 2 of 2");
    await refused("the 1 NaN", "v.txt:1: `NaN` should be a number");
    await refused("the 1 1e99", "v.txt:1: `1e99` should be a number");
    await refused("the", "v.txt:1: no number after the word");
    await refused("9 5000", "v.txt:1: a vector has 5000 numbers");
    await refused("3 4", "v.txt: there are no vectors");
  });
});

describe("vectors in slot scores", () => {
  const LABELS = ["A|x", "A|y", "B|x"];

  /** A corpus with vectors, and the same with their numbers spelled out as attributes with values. */
  function corpora(seed: number, isComposed: boolean) {
    const random = mulberry(seed);
    const dimension = 3;
    const values = Float64Array.from({ length: 5 * dimension }, () => random() - 0.5);
    const parts = isComposed ? labelParts(LABELS, "|") : undefined;
    const names = vectorNames(dimension);
    const attributes = new Alphabet(["bias", ...names]);
    const make = () => new CorpusBuilder(new Alphabet(LABELS), attributes, new Alphabet(), true);
    const [dense, spelled] = [make(), make()];
    for (let s = 0; s < 3; s++) {
      const words = Array.from({ length: 1 + Math.floor(random() * 4) }, () => Math.floor(random() * 6) - 1);
      const labels = words.map(() => LABELS[Math.floor(random() * 3)]);
      dense.addWords(
        words.map((word) => [String(word)]),
        Number,
      );
      dense.add(words.length, { attributes: words.map(() => ["bias"]) }, labels);
      const seen = words.map((_, i) => {
        const found: [string, number][] = [["bias", 1]];
        for (const [o, offset] of [-1, 0, 1].entries()) {
          const word = words[i + offset] ?? -1;
          for (let d = 0; word >= 0 && d < dimension; d++) {
            found.push([names[o * dimension + d], values[word * dimension + d]]);
          }
        }
        return found;
      });
      const named = seen.map((row) => row.map(([name]) => name));
      spelled.add(
        words.length,
        { attributes: named, values: seen.map((row) => row.map(([, value]) => value)) },
        labels,
      );
    }
    const words = dense.takeWords();
    const corpus = { ...dense.build(), vectors: { dimension, values, words } };
    const vectorIds = Int32Array.from(names, (name) => attributes.indexOf(name));
    const sizes = { labels: LABELS.length, attributes: attributes.size, conjoined: 0 };
    const rows = taggerRows(corpus, sizes, { order: 1, minCount: 1, parts, vectorIds });
    const weights = Float64Array.from(rows.table.symbols, () => 2 * random() - 1);
    return {
      corpus,
      spelled: spelled.build(),
      rows,
      weights,
      vectorRows: vectorRows(attributes, rows.attributeRow, dimension),
    };
  }

  const inference = { mode: "exact", order: 1, contexts: 100, recombine: true, byRows: true, rows: "all" } as const;

  it("score as the same numbers do as values of attributes, and have the gradient of finite differences", () => {
    const backends = fc.constantFrom(wasm, referenceBackend);
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), backends, (seed, isComposed, backend) => {
        useBackend(backend);
        const { corpus, spelled, rows, weights, vectorRows: found } = corpora(seed, isComposed);
        const engine = new TaggerEngine({ ...rows, vectorRows: found }, inference);
        const plain = new TaggerEngine(rows, inference);
        for (let s = 0; s < corpus.sequenceCount; s++) {
          const one = engine.forward(corpus, s, weights).logPartition;
          expect(one).toBeCloseTo(plain.forward(spelled, s, weights).logPartition, 9);
        }
        expectGradient(engine, corpus, weights, { step: 1e-5, every: 3, digits: 6 });
      }),
      { numRuns: 12 },
    );
  });
});

/** Words of two kinds that only their vectors tell; the last of each are in no sentence to learn from. */
const words = Array.from({ length: 24 }, (_, n) => `w${n}`);
const kindOf = (n: number): "A" | "B" => (n % 2 === 0 ? "A" : "B");
const vectors = `24 2\n${words.map((word, n) => `${word} ${kindOf(n) === "A" ? "3 0.5" : "0.5 3"}`).join("\n")}\n`;
const sentences = Array.from({ length: 40 }, (_, s) => {
  const chosen = [0, 1, 2].map((k) => (7 * s + 5 * k) % 20);
  return { columns: chosen.map((n) => [words[n]]), labels: chosen.map(kindOf) };
});
const quick = { passes: 4, l2: 1, heldOut: 0, order: 1, seed: 1 };
const unseen = { columns: [[words[20]], [words[21].toUpperCase()], [words[22]]] };

describe("a tagger with vectors", () => {
  it("knows words that it never learned from, also when it is loaded, and says what they add", async () => {
    const tagger = await Tagger.train(sentences, { ...quick, vectors });
    expect(tagger.predict(unseen).labels).toEqual(["A", "B", "A"]);
    const bytes = encodeModel(tagger);
    expect(decodeTensors(bytes).metadata["stargram.version"]).toBe("4");
    const loaded = decodeModel(bytes) as Tagger;
    const asked = { marginals: true };
    expect(loaded.predict(unseen, asked)).toEqual(tagger.predict(unseen, asked));
    expect(Buffer.from(encodeModel(loaded)).equals(Buffer.from(bytes))).toBe(true);
    const { contributions } = loaded.explain(unseen, 0);
    expect(contributions.find(({ feature }) => feature === "vectors[0]")?.weight).toBeGreaterThan(0);
    // A word without a vector adds nothing.
    const strange = loaded.explain({ columns: [["?"]] }, 0).contributions;
    expect(strange.some(({ feature }) => feature.startsWith("vectors"))).toBe(false);
  });

  it("keeps the vectors of its own words and the first of the others", async () => {
    const tagger = await Tagger.train(sentences, { ...quick, vectors, vectorsWords: 0 });
    expect(tagger.vectors?.words.all()).toEqual(words.slice(0, 20));
    expect((await Tagger.train(sentences, { ...quick, vectors, vectorsWords: 3 })).vectors?.words.size).toBe(20);
    expect((await Tagger.train(sentences, { ...quick, vectors, vectorsWords: 22 })).vectors?.words.size).toBe(22);
  });

  it("does not depend on the unit of the vectors", async () => {
    const scaled = vectors.replace(/ (3|0\.5)\b/g, (_, number) => ` ${1000 * Number(number)}`);
    const [one, other] = [vectors, scaled].map((given) => Tagger.train(sentences, { ...quick, vectors: given }));
    expect((await other).predict(unseen).probability).toBeCloseTo((await one).predict(unseen).probability, 4);
  });

  it("goes on as if it had never stopped", async () => {
    const alone = await Tagger.train(sentences, { ...quick, vectors });
    const kept: Parameters<NonNullable<Parameters<typeof Tagger.train>[1]>["onCheckpoint"] & object>[0][] = [];
    await Tagger.train(sentences, {
      ...quick,
      vectors,
      onCheckpoint: (taken) => void kept.push(structuredClone(taken)),
    });
    const resumed = await Tagger.train(sentences, { ...quick, vectors, checkpoint: kept[1] });
    expect(Array.from(resumed.weights)).toEqual(Array.from(alone.weights));
  });

  it("learns from more, and keeps its vectors", async () => {
    const tagger = await Tagger.train(sentences, { ...quick, vectors });
    const more = await Tagger.train(sentences.slice(0, 5), { from: tagger, keep: true, passes: 1 });
    expect(more.predict(unseen).labels).toEqual(["A", "B", "A"]);
    await expect(Tagger.train(sentences, { from: tagger, keep: true, vectors })).rejects.toThrow("`vectors`");
  });

  it("refuses what cannot be", async () => {
    const given = [{ attributes: [["a"]], labels: ["A"] }];
    await expect(Tagger.train(given, { ...quick, vectors })).rejects.toThrow("needs words in columns");
    await expect(Tagger.train(sentences, { ...quick, vectors: "x 1 2\n" })).rejects.toThrow("no word of the data");
    await expect(Tagger.train(sentences, { ...quick, vectors: "w1 0 0\n" })).rejects.toThrow("all vectors are zero");
    await expect(Tagger.train(sentences, { ...quick, vectors: 7 as never })).rejects.toThrow("option `vectors`");
    await expect(Tagger.train(sentences, { ...quick, vectors, vectorsWords: -1 })).rejects.toThrow("vectorsWords");
    const { metadata, tensors } = decodeTensors(encodeModel(await Tagger.train(sentences, { ...quick, vectors })));
    const short = { data: (tensors.vectors.data as Float32Array).slice(1) };
    const lying = encodeTensors({ metadata, tensors: { ...tensors, vectors: short } });
    expect(() => decodeModel(lying, "bad.sg")).toThrow(
      "bad.sg: the file is damaged: its vectors do not cover their words",
    );
  });
});
