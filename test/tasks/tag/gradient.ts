// The gradient of a tagger's log-likelihood against finite differences, for tests of what changes it.

import { expect } from "vitest";
import { Gradient } from "../../../src/learn/gradient.js";
import type { Corpus } from "../../../src/tasks/tag/corpus.js";
import type { TaggerEngine } from "../../../src/tasks/tag/learner.js";

/** Compares one entry of `every`, for each sequence, to so many digits. The likelihood must be smooth. */
export function expectGradient(
  engine: TaggerEngine,
  corpus: Corpus,
  weights: Float64Array,
  { step, every, digits }: { step: number; every: number; digits: number },
): void {
  const { table } = engine.rows;
  const likelihood = (sequence: number): number => {
    // A margin is there only while learning.
    engine.slots.isLearning = engine.slots.margin > 0;
    const trellis = engine.forward(corpus, sequence, weights);
    engine.slots.isLearning = false;
    return engine.clampedLogPartition(corpus, sequence, trellis) - trellis.logPartition;
  };
  for (let sequence = 0; sequence < corpus.sequenceCount; sequence++) {
    const gradient = new Gradient(table);
    const seen = engine.learn(corpus, sequence, weights, gradient);
    expect(seen.logLikelihood).toBeCloseTo(likelihood(sequence), 9);
    for (let e = 0; e < weights.length; e += every) {
      const held = weights[e];
      weights[e] = held + step;
      const above = likelihood(sequence);
      weights[e] = held - step;
      const below = likelihood(sequence);
      weights[e] = held;
      expect(gradient.values[e]).toBeCloseTo((above - below) / (2 * step), digits);
    }
    // A row that is not marked as touched would not be stepped, nor cleared.
    for (let row = 0; row + 1 < table.start.length; row++) {
      if (gradient.isTouched[row]) continue;
      expect(gradient.values.subarray(table.start[row], table.start[row + 1]).every((v) => v === 0)).toBe(true);
    }
  }
}
