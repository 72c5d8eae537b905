// A tagger with a network: what it can learn that rows cannot, its gradient, its file, and trainings that are stopped and resumed.
import { describe, expect, it } from "vitest";
import { backend } from "../../../src/engine/choice.js";
import type { TaggingSequence } from "../../../src/formats/sequence.js";
import type { Checkpoint } from "../../../src/learn/training.js";
import { CorpusBuilder } from "../../../src/tasks/tag/corpus.js";
import { keptEncoder } from "../../../src/tasks/tag/encoder.js";
import { TaggerEngine } from "../../../src/tasks/tag/learner.js";
import { Tagger, type TrainTaggerOptions } from "../../../src/tasks/tag/tagger.js";
import { generator, uniform } from "../../../src/util/random.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { expectGradient } from "./gradient.js";

/** Labels that say whether exactly one of two attributes is there: no sum of weights does. */
function parities(count: number, seed: number): TaggingSequence[] {
  const random = generator(seed, 0);
  return Array.from({ length: count }, () => {
    const tokens = Array.from({ length: 4 }, () => [uniform(random) < 0.5, uniform(random) < 0.5]);
    return {
      attributes: tokens.map(([a, b]) => ["bias", ...(a ? ["a"] : []), ...(b ? ["b"] : [])]),
      labels: tokens.map(([a, b]) => (a === b ? "same" : "other")),
    };
  });
}

/** Labels that say what stood one position before. */
function echoes(count: number, seed: number): TaggingSequence[] {
  const random = generator(seed, 0);
  return Array.from({ length: count }, () => {
    const tokens = Array.from({ length: 5 }, () => "xyz"[Math.floor(3 * uniform(random))]);
    return {
      attributes: tokens.map((token) => [token]),
      labels: tokens.map((_, i) => tokens[i - 1] ?? "none"),
    };
  });
}

function accuracy(tagger: Tagger, sequences: readonly TaggingSequence[]): number {
  let right = 0;
  let all = 0;
  for (const { labels = [], ...given } of sequences) {
    const { labels: found } = tagger.predict(given);
    right += found.filter((label, i) => label === labels[i]).length;
    all += found.length;
  }
  return right / all;
}

const options: TrainTaggerOptions = {
  order: 1,
  contexts: 4,
  passes: 30,
  heldOut: 0,
  l2: 0.1,
  encoderWidth: 16,
  dropout: 0.1,
};

describe("a tagger with a network", () => {
  it("learns of attributes together what rows cannot say", async () => {
    const data = parities(300, 1);
    const test = parities(60, 2);
    expect(accuracy(await Tagger.train(data, { ...options, encoder: "none" }), test)).toBeLessThan(0.9);
    expect(accuracy(await Tagger.train(data, { ...options, encoder: "dense" }), test)).toBe(1);
  });

  it("sees neighbours, if it convolves", async () => {
    const data = echoes(300, 1);
    const test = echoes(60, 2);
    expect(accuracy(await Tagger.train(data, { ...options, encoder: "dense" }), test)).toBeLessThan(0.9);
    expect(accuracy(await Tagger.train(data, { ...options, encoder: "conv" }), test)).toBe(1);
  });

  it("chooses how sure to be by held-out sequences, and then learns from all", async () => {
    const tagger = await Tagger.train(parities(600, 3), {
      ...options,
      heldOut: undefined,
      l2: undefined,
      encoder: "dense",
      passes: 6,
    });
    expect(tagger.summary.chosen).toMatchObject({ parts: 1, refit: true, passes: 6 });
    expect(tagger.encoder?.scale).toBeCloseTo(1 / (tagger.summary.chosen?.temperature ?? 0), 6);
  });

  it("has the gradient that finite differences show, in its rows", async () => {
    const data = echoes(4, 5);
    const tagger = await Tagger.train(data, { ...options, passes: 2, encoder: "conv" });
    const { encoder, rows } = tagger;
    const inference = { mode: "rcms", contexts: 100, order: 1, recombine: true, rows: "all" } as const;
    const engine = new TaggerEngine(rows, inference, 0, () =>
      keptEncoder(encoder as NonNullable<typeof encoder>, backend()),
    );
    const builder = new CorpusBuilder(tagger.labels, tagger.attributes, tagger.conjoined, false);
    for (const { attributes = [], labels } of data) {
      builder.add(attributes.length, { attributes }, labels);
    }
    expectGradient(engine, builder.build(), tagger.weights.slice(), { step: 1e-4, every: 3, digits: 5 });
  });

  it("answers the same when it was saved and loaded", async () => {
    const data = parities(60, 1);
    const tagger = await Tagger.train(data, { ...options, encoder: "dense", passes: 5 });
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    for (const { labels: _, ...given } of parities(20, 4)) expect(loaded.predict(given)).toEqual(tagger.predict(given));
    expect(loaded.explain(data[0], 0).contributions.find(({ feature }) => feature === "encoder")).toBeDefined();
  });

  it("goes on from any checkpoint as if it had never stopped", async () => {
    const data = parities(50, 7);
    const own: TrainTaggerOptions = { ...options, encoder: "conv", encoderWidth: 8, passes: 4, heldOut: 0.2 };
    const whole = await Tagger.train(data, own);
    for (const stopAt of [1, 17, 45, 90]) {
      let kept: Checkpoint | undefined;
      let steps = 0;
      await Tagger.train(data, {
        ...own,
        onExample: () => void steps++,
        shouldStop: () => steps >= stopAt,
        onCheckpoint: (checkpoint) => {
          kept = structuredClone(checkpoint);
        },
      });
      const resumed = await Tagger.train(data, { ...own, checkpoint: kept });
      expect(resumed.weights).toEqual(whole.weights);
      expect(resumed.encoder?.parameters).toEqual(whole.encoder?.parameters);
    }
  });

  it("cannot be learned on, and says so", async () => {
    const data = parities(20, 7);
    const from = await Tagger.train(data, { ...options, encoder: "dense", passes: 1 });
    await expect(Tagger.train(data, { from, keep: true })).rejects.toThrow(/encoder/);
  });
});
