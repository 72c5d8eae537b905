// What few pairs decide: each is held out once, and then all are learned from.

import { describe, expect, it } from "vitest";
import type { Checkpoint } from "../../../src/learn/training.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { mulberry } from "../../engine/oracle.js";

/** A letter is written large, after a vowel twice. */
function doubled(count: number) {
  const random = mulberry(7);
  return Array.from({ length: count }, () => {
    const input = Array.from({ length: 5 }, () => "abcdefio"[Math.floor(8 * random())]);
    const output = input.flatMap((letter, i) => {
      const isAfterVowel = i > 0 && "aeio".includes(input[i - 1]);
      return isAfterVowel ? [letter.toUpperCase(), letter.toUpperCase()] : [letter.toUpperCase()];
    });
    return { input, output };
  });
}

const pairs = doubled(140);
const training = pairs.slice(0, 100);
const options = { passes: 4, window: 2, ensemble: 1 };

describe("with few pairs", () => {
  const crossed = Transducer.train(training, options);

  it("all are judged and all are learned from, and a model of graphones helps", async () => {
    const { summary, joint, powers } = await crossed;
    expect(summary.history).toHaveLength(4);
    for (const { heldOut } of summary.history) expect(heldOut?.exact).toBeGreaterThan(0);
    expect(joint).toBeDefined();
    expect(powers.own + powers.joint).toBeGreaterThan(0);
  });

  it("confidence is near accuracy on new inputs", async () => {
    const transducer = await crossed;
    let sure = 0;
    let right = 0;
    for (const { input, output } of pairs.slice(100)) {
      const found = transducer.predict(input);
      sure += found.probability;
      right += found.output.join() === output.join() ? 1 : 0;
    }
    expect(right).toBeGreaterThan(20);
    expect(Math.abs(sure - right)).toBeLessThan(8);
  });

  it("a share that is given is held out once, and then learned from unless `refit` is off", async () => {
    const held = await Transducer.train(training, { ...options, heldOut: 0.2, l2: 1, lookup: false });
    const kept = await Transducer.train(training, { ...options, heldOut: 0.2, l2: 1, lookup: false, refit: false });
    expect(held.summary.history).toEqual(kept.summary.history);
    const likelihood = (transducer: Transducer): number =>
      training.reduce((sum, { input, output }) => sum + transducer.logLikelihood(input, output), 0);
    expect(likelihood(held)).toBeGreaterThan(likelihood(kept));
  });

  it("a training stopped in its last run and resumed gives the same model", async () => {
    const whole = await crossed;
    let kept: Checkpoint | undefined;
    const stopped = await Transducer.train(training, {
      ...options,
      shouldStop: () => kept !== undefined,
      onCheckpoint: (checkpoint) => {
        kept ??= structuredClone(checkpoint);
      },
    });
    if (whole.summary.bestPass > 1) expect(stopped.summary.stopped).toBe(true);
    const resumed = await Transducer.train(training, { ...options, checkpoint: kept });
    expect(resumed.weights).toEqual(whole.weights);
    expect(resumed.summary).toEqual(whole.summary);
  });

  it("the same seed gives the same model", async () => {
    const again = await Transducer.train(training, options);
    expect(again.weights).toEqual((await crossed).weights);
  });
});
