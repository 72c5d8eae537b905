// Training in general: the choice of a penalty, and the AdaGrad step against its formula.

import { describe, expect, it } from "vitest";
import { AdaGrad } from "../../src/learn/adagrad.js";
import { chooseL2 } from "../../src/learn/choose-l2.js";
import { Gradient } from "../../src/learn/gradient.js";
import type { Learner, Seen } from "../../src/learn/learner.js";
import { trainingOptions } from "../../src/learn/options.js";
import { train } from "../../src/learn/train.js";
import type { Checkpoint } from "../../src/learn/training.js";
import { defaultsOf } from "../../src/util/options.js";

const table = { symbolCount: 1, start: Int32Array.of(0, 1), symbols: Int32Array.of(0) };

/** One weight that every example pulls up; `isRight` judges it. */
function pulledUp(exampleCount: number, isRight: (weight: number) => boolean): Learner {
  return {
    table,
    exampleCount,
    learn(_example, _weights, gradient): Seen {
      gradient.touch(0);
      gradient.values[0] += 1;
      return { logLikelihood: 0, contextLength: 0 };
    },
    judge: (_example, weights) => ({ logLikelihood: 0, decisions: 1, errors: isRight(weights[0]) ? 0 : 1, right: 0 }),
  };
}

const trainingDefaults = defaultsOf(trainingOptions);

describe("the choice of an L2 penalty", () => {
  it("is the one whose weights do best on held-out examples, whichever that is", async () => {
    const seen: number[] = [];
    await chooseL2(
      pulledUp(300, (weight) => {
        if (!seen.includes(weight)) seen.push(weight);
        return false;
      }),
      trainingDefaults,
    );
    expect(seen).toHaveLength(3); // a weight for each candidate, smaller as the penalty grows
    expect(seen).toEqual([...seen].sort((a, b) => b - a));
    const chosen = [];
    for (const wanted of seen)
      chosen.push(
        await chooseL2(
          pulledUp(300, (w) => w === wanted),
          trainingDefaults,
        ),
      );
    expect(chosen).toEqual([0.01, 0.1, 1]);
  });

  it("is not made on few examples", async () => {
    const learner = pulledUp(50, () => {
      throw new Error("judged");
    });
    expect(await chooseL2(learner, trainingDefaults)).toBe(0.1);
  });
});

describe("the best pass", () => {
  // Held-out accuracy and log-likelihood by pass: the third is as accurate as the first, and surer.
  const passes = [
    { errors: 0, logLikelihood: -2 },
    { errors: 1, logLikelihood: -1 },
    { errors: 0, logLikelihood: -0.5 },
    { errors: 0, logLikelihood: -0.7 },
  ];
  it.each([
    { select: "accuracy", wanted: 3 },
    { select: "likelihood", wanted: 3 },
  ] as const)("is the surest of those that are best by $select, resumed or not", async ({ select, wanted }) => {
    let learned = 0;
    const learner: Learner = {
      ...pulledUp(10, () => true),
      judge: () => ({ decisions: 1, right: 0, ...passes[learned / 9 - 1] }),
    };
    const { learn } = learner;
    learner.learn = (...given) => {
      learned++;
      return learn(...given);
    };
    const options = { ...trainingDefaults, l2: 1, passes: passes.length, select };
    const checkpoints: Checkpoint[] = [];
    const whole = await train(learner, options, { onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint) });
    expect(whole.bestPass).toBe(wanted);
    for (const checkpoint of checkpoints) {
      learned = 9 * (checkpoint.pass - 1);
      expect(await train(learner, options, {}, { checkpoint })).toEqual(whole);
    }
    expect(checkpoints).toHaveLength(passes.length - 1);
  });
});

describe("AdaGrad", () => {
  it("takes the proximal step of its formula, with what a row at rest owes", () => {
    const two = { symbolCount: 1, start: Int32Array.of(0, 1, 2), symbols: Int32Array.of(0, 0) };
    const options = { rate: 0.5, delta: 0.25, l2: 0.1, l1: 0.02 };
    const adagrad = new AdaGrad(two, options);
    const gradient = new Gradient(two);
    const step = (row: number, g: number): void => {
      gradient.touch(row);
      gradient.values[row] += g;
      adagrad.update(gradient);
    };
    step(0, 2);
    step(1, 1);
    step(1, -3);
    step(0, -0.5);
    // Row 0: a step at 1, rest until 4. Soft threshold by rest * rate * l1, then division by 1 + rest * rate * l2.
    let square = 4;
    let rate = 0.5 / Math.sqrt(0.25 + square);
    const first = (rate * 2 - rate * 0.02) / (1 + rate * 0.1);
    square += 0.25;
    rate = 0.5 / Math.sqrt(0.25 + square);
    const moved = first - rate * 0.5;
    const second = (Math.abs(moved) - 3 * rate * 0.02) / (1 + 3 * rate * 0.1);
    expect(adagrad.weights[0]).toBeCloseTo(Math.sign(moved) * second, 12);
    // Weight 0 was 0 for one step, `first` for three; the last step counts from the next on.
    expect(adagrad.average()[0]).toBeCloseTo((first * 3) / 4, 12);
    expect(gradient.values.every((v) => v === 0)).toBe(true);
  });
});
