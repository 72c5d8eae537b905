// Promises about parts of sequences, by simulation: parts of a sequence that depend strongly on each other, lengths with
// heavy tails, models that are surer than they should be. Broken in at most 5 % of the draws, and the error of counting.

import { describe, expect, it } from "vitest";
import { answeredParts, type Cluster, findClusteredThreshold } from "../../src/confidence/clustered.js";
import { generator, uniform } from "../../src/util/random.js";

type Draw = () => number;

/** Sequences whose parts are wrong together: with probability `together` all parts share one fate. */
function population(together: number, overconfident: number) {
  return (random: Draw): Cluster => {
    const length = Math.min(400, Math.ceil(3 / Math.sqrt(random() + 1e-6))); // a heavy tail
    const shared = random();
    const isShared = random() < together;
    const difficulty = random() ** 3 * 0.4; // how often parts of this sequence are wrong
    const confidence: number[] = [];
    const correct: boolean[] = [];
    for (let i = 0; i < length; i++) {
      const own = difficulty * (0.5 + random());
      correct.push((isShared ? shared : random()) >= own);
      confidence.push(1 - own * overconfident * (0.8 + 0.4 * random()));
    }
    return { confidence, correct };
  };
}

/** The true precision of a threshold and bound, from many sequences. */
function truth(sequences: readonly Cluster[], threshold: number, most: number): number {
  let answered = 0;
  let right = 0;
  for (const one of sequences) {
    for (const part of answeredParts(one.confidence, { threshold, most })) {
      answered++;
      if (one.correct[part]) right++;
    }
  }
  return answered > 0 ? right / answered : 1;
}

const draws = process.env.STARGRAM_FUZZ ? 2000 : 120;
/** Two standard errors above 5 %. */
const allowed = 0.05 + 2 * Math.sqrt((0.05 * 0.95) / draws);

describe.each([
  ["independent parts", 0, 1, 0.95],
  ["parts that fail together", 1, 1, 0.95],
  ["parts that fail together, overconfident", 0.7, 0.5, 0.9],
  ["parts that fail together, 99 %", 1, 1, 0.99],
] as const)("%s", (_, together, overconfident, precision) => {
  it("the promise is kept", () => {
    const random = generator(7, 1);
    const draw = () => uniform(random);
    const make = population(together, overconfident);
    const world = Array.from({ length: 4_000 }, () => make(draw));
    let made = 0;
    let broken = 0;
    const known = new Map<string, number>();
    for (let n = 0; n < draws; n++) {
      const sample = Array.from({ length: 400 }, () => world[Math.floor(draw() * world.length)]);
      const found = findClusteredThreshold(sample, { precision, seed: n });
      if (!found) continue;
      made++;
      const key = `${found.threshold}/${found.most}`;
      if (!known.has(key)) known.set(key, truth(world, found.threshold, found.most));
      if ((known.get(key) as number) < precision) broken++;
    }
    expect(broken / draws).toBeLessThanOrEqual(allowed);
    if (precision < 0.99) expect(made / draws).toBeGreaterThan(0.2);
  });
});

it("a naive test of single parts would break the promise", () => {
  // The same draws, each sequence's parts counted as if they were independent: this is what the bets are for.
  const random = generator(8, 1);
  const draw = () => uniform(random);
  let broken = 0;
  const trials = 400;
  for (let n = 0; n < trials; n++) {
    let answered = 0;
    let wrong = 0;
    for (let s = 0; s < 12; s++) {
      const fails = draw() < 0.06; // 94 % right, and 95 % is to be promised
      answered += 30;
      if (fails) wrong += 30;
    }
    if (wrong <= 0.05 * answered - 1.645 * Math.sqrt(answered * 0.05 * 0.95)) broken++;
  }
  expect(broken / trials).toBeGreaterThan(0.2);
});

it("answered parts are the surest, in their order", () => {
  expect(answeredParts([0.9, 0.99, 0.5, 0.99, 0.95], { threshold: 0.9, most: 3 })).toEqual([1, 3, 4]);
  expect(answeredParts([0.9, 0.99], { threshold: 0.9, most: 3 })).toEqual([0, 1]);
  expect(answeredParts([], { threshold: 0, most: 3 })).toEqual([]);
});
