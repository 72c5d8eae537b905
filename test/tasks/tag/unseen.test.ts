// Weights of attributes for labels that they were not seen with: which pairs have one, against their definition; gradients against
// finite differences; models that are saved and loaded.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { CorpusBuilder } from "../../../src/tasks/tag/corpus.js";
import { labelParts } from "../../../src/tasks/tag/label-parts.js";
import { TaggerEngine } from "../../../src/tasks/tag/learner.js";
import { taggerRows } from "../../../src/tasks/tag/rows.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";
import { expectGradient } from "./gradient.js";

interface Position {
  attributes: string[];
  /** Null where it is not known. */
  label: string | null;
}

/** Two attributes that are seen very often with half of the labels each, others that are seen now and then. */
function positions(count: number, labelCount: number, seed: number): Position[] {
  const random = mulberry(seed);
  return Array.from({ length: count }, () => {
    const label = Math.floor(random() ** 2 * labelCount);
    const half = label % 2 === 0 ? "even" : "odd";
    const rare = `rare ${Math.floor(random() ** 2 * 60)}`;
    return { attributes: ["bias", half, rare], label: random() < 0.1 ? null : `L${label}` };
  });
}

function corpusOf(data: readonly Position[], labelCount: number) {
  const labels = new Alphabet(Array.from({ length: labelCount }, (_, n) => `L${n}`));
  const attributes = new Alphabet();
  const builder = new CorpusBuilder(labels, attributes, new Alphabet(), true);
  for (let at = 0; at < data.length; at += 5) {
    const some = data.slice(at, at + 5);
    const names = some.map((position) => position.attributes);
    builder.add(
      some.length,
      { attributes: names },
      some.map(({ label }) => label),
    );
  }
  return { labels, attributes, corpus: builder.build() };
}

function rowsOf(made: ReturnType<typeof corpusOf>, unseen: boolean, separator = "none") {
  const sizes = { labels: made.labels.size, attributes: made.attributes.size, conjoined: 0 };
  const parts = labelParts(made.labels.all(), separator);
  return taggerRows(made.corpus, sizes, { order: 1, minCount: 1, unseen, parts });
}

/** The labels that have a weight with an attribute, by the definition. */
function expected(attribute: string, data: readonly Position[], labels: readonly string[]): Set<string> {
  const with_ = (name: string) => data.filter(({ attributes }) => attributes.includes(name));
  const seenWith = (name: string) => new Set(with_(name).flatMap(({ label }) => label ?? []));
  const own = with_(attribute).filter(({ label }) => label !== null);
  if (own.length === 0) return new Set();
  if (with_(attribute).length >= 10) return new Set(labels);
  const inQuestion = own.flatMap(({ attributes }) => {
    const often = attributes.filter((name) => with_(name).length >= 200).map(seenWith);
    return labels.filter((label) => often.every((seen) => seen.has(label)));
  });
  return new Set(inQuestion);
}

describe("pairs that do not occur", () => {
  it.each([3, 31, 32, 33, 64, 128])("have weights where they are in question: %i labels", (labelCount) => {
    const data = positions(1000, labelCount, labelCount);
    const made = corpusOf(data, labelCount);
    const { table, attributeRow } = rowsOf(made, true);
    let more = 0;
    for (const [id, attribute] of made.attributes.all().entries()) {
      const row = attributeRow?.[id] ?? -1;
      const found = row < 0 ? [] : [...table.symbols.subarray(table.start[row], table.start[row + 1])];
      expect(found).toEqual([...found].sort((a, b) => a - b));
      const wanted = expected(attribute, data, made.labels.all());
      expect(new Set(found.map((label) => made.labels.nameOf(label)))).toEqual(wanted);
      more += wanted.size;
    }
    expect(more).toBeGreaterThan(rowsOf(made, false).table.start[made.attributes.size]);
  });

  it("of composed labels, it is their parts", () => {
    // Each label has one part, its number, so that what holds for labels elsewhere holds for parts here.
    const data = positions(1000, 9, 1);
    const made = corpusOf(data, 9);
    const [whole, composed, seen] = [rowsOf(made, true), rowsOf(made, true, "L"), rowsOf(made, false)];
    const symbolsOf = ({ table, attributeRow }: typeof whole, id: number): number[] => {
      const row = attributeRow?.[id] ?? -1;
      return row < 0 ? [] : [...table.symbols.subarray(table.start[row], table.start[row + 1])];
    };
    for (let id = 0; id < made.attributes.size; id++) {
      const parts = symbolsOf(whole, id).map((label) => 10 + label);
      expect(symbolsOf(composed, id)).toEqual([...symbolsOf(seen, id), ...parts]);
    }
  });

  it("have none where labels are many, or it is switched off", async () => {
    const trained = async (labelCount: number, options: object) => {
      const sequences = positions(400, labelCount, 5).map(({ attributes, label }) => ({
        attributes: [attributes],
        labels: [label],
      }));
      return Tagger.train(sequences, { passes: 1, l2: 1, heldOut: 0, ...options });
    };
    expect((await trained(9, {})).options.unseen).toBe(true);
    expect((await trained(9, { unseen: false })).options.unseen).toBe(false);
    expect((await trained(200, {})).options.unseen).toBe(false);
  });

  it("have the gradient of finite differences", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const made = corpusOf(positions(30, 4, seed), 4);
        const rows = rowsOf(made, true);
        const inference = { mode: "exact", contexts: 1, order: 1, recombine: true, rows: "all" } as const;
        const random = mulberry(seed);
        const weights = Float64Array.from(rows.table.symbols, () => random() - 0.5);
        expectGradient(new TaggerEngine(rows, inference), made.corpus, weights, { step: 1e-5, every: 5, digits: 6 });
      }),
      { numRuns: 5 },
    );
  });
});

describe("a tagger with weights for labels not seen", () => {
  const words = ["the", "dog", "barks", "a", "cat", "sleeps", "and", "runs"];
  const sequences = Array.from({ length: 150 }, (_, n) => {
    const random = mulberry(n);
    const columns = Array.from({ length: 6 }, () => [words[Math.floor(random() * words.length)]]);
    const labels = columns.map(([word]) => (random() < 0.1 ? "X" : word.length > 3 ? "V" : "N"));
    return { columns, labels };
  });

  it("holds no weights that are next to nothing, and answers the same when it was saved and loaded", async () => {
    const tagger = await Tagger.train(sequences, { passes: 3, l2: 1, heldOut: 0 });
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    expect(loaded.options.unseen).toBe(true);
    const attributeWeights = loaded.weights.subarray(0, loaded.rows.table.start[loaded.attributes.size]);
    expect(attributeWeights.every((weight) => Math.abs(weight) >= 0.01)).toBe(true);
    const asked = { nbest: 3, marginals: true };
    for (const sequence of sequences.slice(0, 10)) {
      expect(loaded.predict(sequence, asked)).toEqual(tagger.predict(sequence, asked));
    }
    const grown = await Tagger.train(sequences.slice(0, 20), { from: loaded, keep: true });
    expect(grown.options.unseen).toBe(true);
  });
});
