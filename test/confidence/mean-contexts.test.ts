// A mean number of contexts: what is sure enough is chosen by held-out examples, kept in the model, and left alone if no promise
// comes of it.

import { beforeAll, describe, expect, it } from "vitest";
import { calibrate, decodeModel, encodeModel, Tagger } from "../../src/browser.js";
import type { TaggingSequence } from "../../src/formats/sequence.js";
import { generator, uniform } from "../../src/util/random.js";

/** Labels that follow from the two before, and tokens that mostly tell them. */
function madeUp(count: number, seed: number): TaggingSequence[] {
  const random = generator(seed, 0);
  const draw = (n: number) => Math.floor(n * uniform(random));
  return Array.from({ length: count }, () => {
    const labels: number[] = [];
    for (let i = 0; i < 8; i++)
      labels.push(uniform(random) < 0.1 || i < 2 ? draw(4) : (labels[i - 1] + labels[i - 2]) % 4);
    const tokens = labels.map((label) => [`w${uniform(random) < 0.75 ? label : draw(4)}`]);
    return { columns: tokens, labels: labels.map(String) };
  });
}

const training = madeUp(300, 1);
const heldOut = madeUp(200, 2);

function meanOf(tagger: Tagger, sequences: readonly TaggingSequence[]): number {
  const spent = sequences.map(({ columns }) => tagger.predict({ columns }).spent?.contexts ?? 0);
  return spent.reduce((a, b) => a + b, 0) / sequences.length;
}

describe("a mean number of contexts", () => {
  let tagger: Tagger;
  beforeAll(async () => {
    const options = { order: 3, contexts: { least: 2, most: 30 }, passes: 4, l2: 1, heldOut: 0 };
    tagger = await Tagger.train(training, options);
  });

  it("is not exceeded on the examples, holds about for others, and is kept in the file", async () => {
    const usual = meanOf(tagger, heldOut);
    expect(usual).toBeGreaterThan(10);
    const found = await calibrate(tagger, heldOut, { precision: 0.3, meanContexts: 8 });
    expect(found.promised).toBe(true);
    expect(tagger.options.sure).toBeLessThan(0.95);
    expect(meanOf(tagger, heldOut)).toBeLessThanOrEqual(8);
    expect(meanOf(tagger, heldOut)).toBeGreaterThan(6);
    expect(Math.abs(meanOf(tagger, madeUp(400, 3)) - 8)).toBeLessThan(3);
    const loaded = decodeModel(encodeModel(tagger), "m.sg") as Tagger;
    expect(loaded.predict(heldOut[0]).spent).toEqual(tagger.predict(heldOut[0]).spent);
    expect(meanOf(loaded, heldOut)).toBe(meanOf(tagger, heldOut));
  });

  it("stays as it was where the promise cannot be made", async () => {
    const { calibration, options } = tagger;
    const { sure } = options;
    const found = await calibrate(tagger, heldOut, { precision: 0.9999, meanContexts: 4 });
    expect(found.promised).toBe(false);
    expect(tagger.options.sure).toBe(sure);
    expect(tagger.calibration).toBe(calibration);
  });

  it("needs a range, and no less than it begins with", async () => {
    const options = { order: 1, contexts: 5, passes: 1, l2: 1, heldOut: 0 };
    const fixed = await Tagger.train(training, options);
    const promise = { precision: 0.3, meanContexts: 8 };
    await expect(calibrate(fixed, heldOut, promise)).rejects.toThrow("trained with a range of contexts");
    await expect(calibrate(tagger, heldOut, { ...promise, meanContexts: 1 })).rejects.toThrow("at least 2");
  });

  it("can be steered by hand: the surer it must be, the more it takes", () => {
    const taken = [0, 0.3, 0.8, 1].map((sure) => {
      const spent = heldOut.map(({ columns }) => tagger.predict({ columns }, { inference: { sure } }).spent);
      return spent.reduce((sum, one) => sum + (one?.contexts ?? 0), 0);
    });
    expect(taken).toEqual([...taken].sort((a, b) => a - b));
    expect(taken[0]).toBe(2 * heldOut.length);
    expect(taken[3]).toBeGreaterThan(taken[1]);
  });
});
