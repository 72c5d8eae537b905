// Pairs of the user's to choose by: they decide, and are never learned from.

import { describe, expect, it } from "vitest";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { InputError } from "../../../src/util/errors.js";
import { mulberry } from "../../engine/oracle.js";

/** c is K before a and S before i, x is K S. */
const sounds: Record<string, string[]> = { ca: ["K", "A"], ci: ["S", "I"], xa: ["K", "S", "A"], ta: ["T", "A"] };

function pairs(count: number, seed: number) {
  const random = mulberry(seed);
  return Array.from({ length: count }, () => {
    const names = Array.from(
      { length: 2 + Math.floor(3 * random()) },
      () => Object.keys(sounds)[Math.floor(4 * random())],
    );
    return { input: [...names.join("")], output: names.flatMap((name) => sounds[name]) };
  });
}

const own = pairs(80, 1);
const dev = pairs(150, 2);

describe("dev", () => {
  it("chooses the pass, and is not learned from: the weights are those of as many passes over the training pairs alone", async () => {
    const chosen = await Transducer.train(own, { dev, passes: 4, l2: 2, jointGrams: 0, ensemble: 1 });
    const { bestPass, temperature, inputs, pairs: count } = chosen.summary;
    const alone = await Transducer.train(own, { heldOut: 0, passes: bestPass, l2: 2 });
    expect(chosen.weights.length).toBe(alone.weights.length);
    chosen.weights.forEach((weight, e) => {
      expect(weight * temperature).toBeCloseTo(alone.weights[e], 5);
    });
    expect(count).toBe(own.length);
    expect(chosen.remembered?.inputCount).toBe(inputs);
    // How it was judged is how it does on them, counted here by likelihoods of distinct inputs.
    const texts = new Set(dev.map(({ input }) => input.join("")));
    expect(chosen.summary.history.length).toBe(4);
    expect(((chosen.summary.history[0].heldOut?.exact ?? 0) * texts.size) % 1).toBeCloseTo(0, 9);
  });

  it("fits the powers of a model of graphones that is counted from the training pairs", async () => {
    const chosen = await Transducer.train(own, { dev, passes: 3, l2: 2, ensemble: 1 });
    expect(chosen.options.jointGrams).toBeGreaterThan(0);
    const strange = [...dev, ...dev.map(({ input }) => ({ input, output: ["Q"] }))];
    const same = await Transducer.train(own, { dev: strange, passes: 3, l2: 2, ensemble: 1 });
    // What can never be written makes no difference.
    expect(same.weights).toEqual(chosen.weights);
    expect(same.powers).toEqual(chosen.powers);
  });

  it("is refused without pairs", async () => {
    await expect(Transducer.train(own, { dev: [] })).rejects.toThrow(InputError);
    await expect(Transducer.train(own, { dev: [{ input: ["c"], output: ["Q"] }] })).rejects.toThrow(/dev/);
  });
});
