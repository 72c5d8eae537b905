// The margin by which right labels must be ahead while learning: the objective against enumeration, its gradient against finite
// differences, and when there is one.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import type { GivenLabel } from "../../../src/formats/sequence.js";
import { Gradient } from "../../../src/learn/gradient.js";
import { CorpusBuilder } from "../../../src/tasks/tag/corpus.js";
import { labelParts } from "../../../src/tasks/tag/label-parts.js";
import { TaggerEngine, TaggerLearner } from "../../../src/tasks/tag/learner.js";
import { taggerRows } from "../../../src/tasks/tag/rows.js";
import { Tagger, type TrainTaggerOptions } from "../../../src/tasks/tag/tagger.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";
import { expectGradient } from "./gradient.js";

const LABELS = ["N|Sing", "N|Plur", "V|Sing"];
const MARGIN = 0.7;
const exact = { mode: "exact", contexts: 1, order: 2, recombine: true, rows: "all" } as const;

function made(seed: number, { partial = false, separator = "none" }: { partial?: boolean; separator?: string } = {}) {
  const random = mulberry(seed);
  const attributes = new Alphabet();
  const builder = new CorpusBuilder(new Alphabet(LABELS), attributes, new Alphabet(), true);
  for (let s = 0; s < 3; s++) {
    const names = Array.from({ length: 2 + Math.floor(random() * 3) }, () => [`a${Math.floor(random() * 3)}`, "bias"]);
    const labels = names.map((): GivenLabel => {
      const label = LABELS[Math.floor(random() * 3)];
      if (!partial || random() < 0.5) return label;
      return random() < 0.5 ? null : [label, LABELS[0]];
    });
    builder.add(names.length, { attributes: names }, labels);
  }
  const corpus = builder.build();
  const sizes = { labels: LABELS.length, attributes: attributes.size, conjoined: 0 };
  const rows = taggerRows(corpus, sizes, { order: 2, minCount: 1, parts: labelParts(LABELS, separator) });
  const weights = Float64Array.from(rows.table.symbols, () => random() - 0.5);
  return { corpus, rows, weights };
}

describe("the margin", () => {
  it("is added to the scores of other outputs for each of their labels that is wrong, only while learning", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { corpus, rows, weights } = made(seed);
        const learner = new TaggerLearner(corpus, rows, exact);
        const { engine } = learner;
        const scores = new Map<string, number>();
        const right = Array.from(corpus.labels.subarray(0, corpus.sequenceStart[1]));
        const before = learner.judge(0, weights);
        for (let n = 0; n < LABELS.length ** right.length; n++) {
          const labels = right.map((_, i) => Math.floor(n / LABELS.length ** i) % LABELS.length);
          const other = { ...corpus, labels: Int32Array.from(corpus.labels, (label, p) => labels[p] ?? label) };
          const trellis = engine.forward(corpus, 0, weights);
          const wrong = labels.filter((label, i) => label !== right[i]).length;
          scores.set(labels.join(), engine.clampedLogPartition(other, 0, trellis) + MARGIN * wrong);
        }
        learner.margin = MARGIN;
        const { logLikelihood } = learner.learn(0, weights, new Gradient(rows.table));
        const sum = [...scores.values()].reduce((total, score) => total + Math.exp(score), 0);
        expect(logLikelihood).toBeCloseTo((scores.get(right.join()) as number) - Math.log(sum), 9);
        expect(learner.judge(0, weights)).toEqual(before);
      }),
      { numRuns: 10 },
    );
  });

  it("has the gradient of finite differences, with partial labels, parts and shortlists", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.boolean(),
        fc.constantFrom("none", "|"),
        fc.constantFrom(0, 3),
        (seed, partial, separator, shortlist) => {
          const { corpus, rows, weights } = made(seed, { partial, separator });
          const engine = new TaggerEngine(rows, exact, shortlist);
          engine.slots.margin = MARGIN;
          expectGradient(engine, corpus, weights, { step: 1e-5, every: 3, digits: 6 });
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("a training", () => {
  const sequences = Array.from({ length: 40 }, (_, n) => {
    const random = mulberry(n);
    const labels = Array.from({ length: 5 }, () => LABELS[Math.floor(random() * 3)]);
    return { attributes: labels.map((label) => [random() < 0.2 ? "?" : label]), labels };
  });
  const marginOf = async (options: TrainTaggerOptions, data = sequences): Promise<number> =>
    (await Tagger.train(data, { passes: 2, l2: 1, ...options })).options.margin;

  it("has one where a temperature makes probabilities right again, or where it is given", async () => {
    expect(await marginOf({})).toBe(1);
    expect(await marginOf({ heldOut: 0.2 })).toBe(1);
    expect(await marginOf({ heldOut: 0, dev: sequences })).toBe(1);
    expect(await marginOf({ heldOut: 0 })).toBe(0);
    expect(await marginOf({}, sequences.slice(0, 9))).toBe(0);
    expect(await marginOf({ mode: "beam" })).toBe(0);
    expect(await marginOf({ encoder: "dense" })).toBe(0);
    expect(await marginOf({ heldOut: 0, margin: 2 })).toBe(2);
  });

  it("keeps right labels further ahead with a larger one", async () => {
    const asked = { attributes: [[LABELS[0]]] };
    const probabilities: number[] = [];
    for (const margin of [0, 1, 3]) {
      const tagger = await Tagger.train(sequences, { passes: 5, l2: 1, heldOut: 0, margin });
      probabilities.push(tagger.predict(asked).probability);
    }
    expect(probabilities).toEqual([...probabilities].sort((a, b) => a - b));
    expect(new Set(probabilities).size).toBe(3);
  });

  it("that goes on with a saved tagger has none", async () => {
    const tagger = decodeModel(encodeModel(await Tagger.train(sequences, { passes: 2, l2: 1 }))) as Tagger;
    expect(tagger.options.margin).toBe(1);
    expect(await marginOf({ from: tagger, keep: true, l2: undefined, passes: undefined })).toBe(0);
  });
});
