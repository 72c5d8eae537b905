// Choosing, then learning from everything: what is chosen, by which examples, and that a training stopped anywhere ends as if
// it had not been.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChoosingOptions, chooseAndTrain } from "../../src/learn/choose.js";
import { crossParts, split } from "../../src/learn/held-out.js";
import type { Learner } from "../../src/learn/learner.js";
import { choosingOptions, trainingOptions } from "../../src/learn/options.js";
import { bestTemperature, leastLoss, temperatureLosses } from "../../src/learn/temperature.js";
import type { Checkpoint } from "../../src/learn/training.js";
import { defaultsOf } from "../../src/util/options.js";

const table = { symbolCount: 1, start: Int32Array.of(0, 1), symbols: Int32Array.of(0) };

const defaults: ChoosingOptions = {
  ...(defaultsOf({ ...trainingOptions, ...choosingOptions }) as ChoosingOptions),
  heldOut: undefined,
};

/**
 * Coins that show heads with probability 1 / (1 + exp(-w)): the answer to "heads?" is right where the coin does. Of every four
 * coins three show heads.
 */
function coins(exampleCount: number, learned: number[] = [], groups?: Int32Array): Learner {
  const isHeads = (example: number): boolean => example % 4 !== 0;
  const chance = (w: number): number => 1 / (1 + Math.exp(-w));
  const logOf = (example: number, w: number): number => Math.log(isHeads(example) ? chance(w) : chance(-w));
  return {
    table,
    exampleCount,
    groups,
    learn(example, weights, gradient) {
      learned.push(example);
      gradient.touch(0);
      gradient.values[0] += (isHeads(example) ? 1 : 0) - chance(weights[0]);
      return { logLikelihood: logOf(example, weights[0]), contextLength: 0 };
    },
    judge(example, weights) {
      const right = isHeads(example) === weights[0] > 0;
      const sure = chance(Math.abs(weights[0]));
      return {
        logLikelihood: logOf(example, weights[0]),
        decisions: 1,
        errors: right ? 0 : 1,
        right: right ? 1 : 0,
        logLoss: -Math.log(right ? sure : 1 - sure),
      };
    },
  };
}

/** One whose runs are judged as written down: [runs][passes]. Those after the last are like that. */
function scripted(runs: readonly (readonly { accuracy: number; logLikelihood: number }[])[]): Learner {
  let [run, pass] = [-1, 0];
  return {
    ...coins(1000),
    beginPass(isFirst) {
      if (isFirst) [run, pass] = [run + 1, -1];
      pass++;
    },
    judge() {
      const { accuracy, logLikelihood } = (runs[run] ?? runs[runs.length - 1])[pass];
      return { logLikelihood, decisions: 1000, errors: Math.round(1000 * (1 - accuracy)), right: 0, logLoss: 1 };
    },
  };
}

describe("parts", () => {
  const sizes = fc.integer({ min: 10, max: 80 });
  const groupsOf = (count: number, size: number) => Int32Array.from({ length: count }, (_, i) => Math.floor(i / size));

  it("of a cross-validation hold out each example once, and groups as a whole", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 4 }), fc.integer(), fc.boolean(), (count, size, seed, isGrouped) => {
        const groups = isGrouped ? groupsOf(count, size) : undefined;
        const parts = crossParts(count, { count: 2, seed, groups });
        const heldOut = parts.flatMap((part) => [...part.heldOut]).sort((a, b) => a - b);
        expect(heldOut).toEqual(Array.from({ length: count }, (_, i) => i));
        for (const part of parts) {
          expect([...part.training, ...part.heldOut].sort((a, b) => a - b)).toEqual(heldOut);
          const of = (examples: Int32Array) => new Set([...examples].map((example) => groups?.[example] ?? example));
          const held = of(part.heldOut);
          for (const group of of(part.training)) expect(held.has(group)).toBe(false);
        }
      }),
    );
  });

  it("hold out about the share asked for, and groups as a whole", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 3 }), fc.integer(), (count, size, seed) => {
        const groups = groupsOf(count, size);
        const { training, heldOut } = split(count, { heldOut: 0.3, seed, groups });
        expect(training.length + heldOut.length).toBe(count);
        expect(Math.abs(heldOut.length - Math.floor(0.3 * count))).toBeLessThanOrEqual(size);
        const held = new Set([...heldOut].map((example) => groups[example]));
        for (const example of training) expect(held.has(groups[example])).toBe(false);
      }),
    );
  });
});

describe("neighbours", () => {
  it("are held out together where examples have no groups, from all over the data", async () => {
    const learned: number[] = [];
    await chooseAndTrain(coins(1000, learned), { ...defaults, l2: 1, passes: 1, heldOut: 0.2, refit: false });
    const heldOut = Array.from({ length: 1000 }, (_, i) => i).filter((i) => !learned.includes(i));
    expect(heldOut).toHaveLength(200);
    // Twenty groups of ten: all but the ends of a group have both neighbours beside them.
    expect(heldOut.filter((i) => heldOut.includes(i + 1)).length).toBeGreaterThanOrEqual(180);
    expect(Math.max(...heldOut) - Math.min(...heldOut)).toBeGreaterThan(500);
    // Four groups of fifty, if about twenty groups are asked for.
    learned.length = 0;
    const options = { ...defaults, l2: 1, passes: 1, heldOut: 0.2, refit: false };
    await chooseAndTrain(coins(1000, learned), options, {}, { neighbourGroups: 20 });
    const starts = Array.from({ length: 1000 }, (_, i) => i).filter(
      (i) => !learned.includes(i) && (i === 0 || learned.includes(i - 1)),
    );
    expect(new Set(learned).size).toBe(800);
    expect(starts.length).toBeLessThanOrEqual(4);
    expect(starts.every((i) => i % 50 === 0)).toBe(true);
  });
});

describe("choosing", () => {
  it.each([
    { count: 40, parts: 5 },
    { count: 600, parts: 1 },
  ])(
    "learns from all of $count examples in the end, with what $parts held-out parts chose",
    async ({ count, parts }) => {
      const learned: number[] = [];
      const { chosen, history, bestPass } = await chooseAndTrain(coins(count, learned), { ...defaults, passes: 4 });
      expect(chosen).toMatchObject({ parts, refit: true, passes: bestPass });
      expect(history[bestPass - 1].heldOut).toEqual(chosen.heldOut);
      // The one that learned from all but one part goes on for three passes, or as many as it had.
      const passes = parts === 1 ? Math.min(chosen.passes, 3) : chosen.passes;
      const last = learned.slice(-count * passes);
      for (let pass = 0; pass < passes; pass++) {
        expect(new Set(last.slice(pass * count, (pass + 1) * count)).size).toBe(count);
      }
    },
  );

  it("by cross-validation, where that is asked for, and with as many passes again in the end", async () => {
    const learned: number[] = [];
    const from = { crossBelow: 601, mostGoOn: 9 };
    const { chosen } = await chooseAndTrain(coins(600, learned), { ...defaults, passes: 4 }, {}, from);
    expect(chosen).toMatchObject({ parts: 3, judges: 600 });
    const before = learned.length - 2 * chosen.passes * 600;
    for (let at = before; at < learned.length; at += 600) expect(new Set(learned.slice(at, at + 600)).size).toBe(600);
    const one = await chooseAndTrain(coins(601), { ...defaults, passes: 4 }, {}, from);
    expect(one.chosen.parts).toBe(1);
  });

  it.each([
    { accuracies: [0.8, 0.84, 0.839, 0.835], leastGain: 0.03, passes: 3 },
    { accuracies: [0.8, 0.84, 0.839, 0.835], leastGain: 0.1, passes: 4 },
    { accuracies: [0.8, 0.84, 0.839, 0.835], leastGain: 0, passes: 2 },
    { accuracies: [0.8, 0.84, 0.86, 0.85], leastGain: 0.03, passes: 3 },
    // Twice as much, where the right outputs are likelier.
    { accuracies: [0.8, 0.84, 0.839, 0.833], likelihoods: [-4, -3, -2, -1], leastGain: 0.03, passes: 4 },
    { accuracies: [0.8, 0.84, 0.839, 0.833], likelihoods: [-4, -1, -2, -3], leastGain: 0.03, passes: 3 },
    { accuracies: [0.8, 0.84, 0.839, 0.829], likelihoods: [-4, -3, -2, -1], leastGain: 0.03, passes: 3 },
    // Or where likelihoods say little before the temperature.
    {
      accuracies: [0.8, 0.84, 0.839, 0.833],
      likelihoods: [-4, -1, -2, -3],
      leastGain: 0.03,
      tempersFirst: true,
      passes: 4,
    },
  ])("takes the last pass that is not worse by more than $leastGain of the errors", async ({ passes, ...given }) => {
    const { accuracies, likelihoods } = given;
    const runs = [accuracies.map((accuracy, n) => ({ accuracy, logLikelihood: likelihoods?.[n] ?? -1 }))];
    const options = { ...defaults, l2: 1, select: "accuracy", passes: 4, heldOut: 0.2 } as const;
    const { chosen } = await chooseAndTrain(scripted(runs), options, {}, given);
    expect(chosen.passes).toBe(passes);
  });

  it.each([
    { other: { accuracy: 0.904, logLikelihood: -11 }, l2: 3 },
    { other: { accuracy: 0.902, logLikelihood: -9.5 }, l2: 3 },
    { other: { accuracy: 0.902, logLikelihood: -9.9 }, l2: 1 },
    { other: { accuracy: 0.899, logLikelihood: -9.4 }, l2: 3 },
    { other: { accuracy: 0.899, logLikelihood: -9.6 }, l2: 1 },
    { other: { accuracy: 0.89, logLikelihood: -5 }, l2: 1 },
  ])("takes another penalty if it does better by more than chance: $other", async ({ other, l2 }) => {
    const worst = { accuracy: 0.1, logLikelihood: -99 };
    const runs = [[{ accuracy: 0.9, logLikelihood: -10 }], [other], [worst]];
    const options = { ...defaults, select: "accuracy", passes: 1, heldOut: 0.2 } as const;
    const from = { usualPenalty: 1, leastGain: 0.03 };
    expect((await chooseAndTrain(scripted(runs), options, {}, from)).chosen.l2).toBe(l2);
  });

  it("compares penalties after each had its temperature, if that is asked for", async () => {
    // [runs] the log-likelihood at the best temperature, and the logarithm of that; the same errors.
    const runs = [
      { logLikelihood: -10, log: 0.3 },
      { logLikelihood: -10.4, log: 0.1 },
    ];
    const learner = (): Learner => {
      let run = -1;
      let weight = 0;
      return {
        ...coins(1000),
        beginPass(isFirst) {
          if (isFirst) [run, weight] = [run + 1, 0];
        },
        judge(_, weights) {
          weight ||= weights[0]; // of T = 1
          const best = runs[Math.min(run, 1)];
          const logLikelihood = best.logLikelihood - 20 * (Math.log(weight / weights[0]) - best.log) ** 2;
          return { logLikelihood, decisions: 1000, errors: 100, right: 0, logLoss: 1 };
        },
      };
    };
    const options = { ...defaults, select: "accuracy", passes: 1, heldOut: 0.2 } as const;
    const from = { usualPenalty: 1, leastGain: 0.03 };
    expect((await chooseAndTrain(learner(), options, {}, from)).chosen.l2).toBeGreaterThan(1);
    expect((await chooseAndTrain(learner(), options, {}, { ...from, tempersFirst: true })).chosen.l2).toBe(1);
  });

  it("never learns from the examples it is given to choose by", async () => {
    const learned: number[] = [];
    const { chosen } = await chooseAndTrain(coins(60, learned), { ...defaults, passes: 3 }, {}, { judges: 20 });
    expect(Math.max(...learned)).toBe(39);
    expect(chosen).toMatchObject({ judges: 20, refit: false });
  });

  it("chooses nothing that is given, and nothing else where nothing is held out", async () => {
    const learned: number[] = [];
    const { chosen } = await chooseAndTrain(coins(200, learned), { ...defaults, l2: 2, heldOut: 0, passes: 3 });
    expect(chosen).toMatchObject({ l2: 2, passes: 3, temperature: 1, parts: 0 });
    expect(learned).toHaveLength(600);
  });

  it.each([
    { count: 30, from: {} },
    { count: 520, from: {} },
    { count: 520, from: { crossBelow: 600, mostGoOn: 2, leastGain: 0.03 } },
    { count: 520, from: { leastGain: 0.03, tempersFirst: true } },
  ])("ends the same wherever a training of $count examples is stopped and resumed ($from)", async ({ count, from }) => {
    const options = { ...defaults, passes: 3 };
    const whole = await chooseAndTrain(coins(count), options, {}, from);
    const checkpoints: Checkpoint[] = [];
    const onCheckpoint = (checkpoint: Checkpoint) => void checkpoints.push(checkpoint);
    await chooseAndTrain(coins(count), options, { onCheckpoint }, from);
    const runs = new Set(checkpoints.map(({ over }) => over?.length));
    expect(runs.size).toBeGreaterThan(3); // within each training, also the last
    for (const checkpoint of checkpoints) {
      expect(await chooseAndTrain(coins(count), options, {}, { ...from, checkpoint })).toEqual(whole);
    }
  });
});

describe("the temperature", () => {
  it("makes a coin as sure as it is right", async () => {
    // Heads in 3 of 4: sure enough at w / T = log 3.
    const examples = Int32Array.from({ length: 1000 }, (_, i) => i);
    for (const temperature of [0.6, 1, 2]) {
      const weights = Float64Array.of(Math.log(3) * temperature);
      const losses = await temperatureLosses(coins(1000), examples, weights, {});
      expect(bestTemperature(losses?.outputs as number[])).toBeCloseTo(temperature, 1);
      // The same without looking at all of them.
      const near = await temperatureLosses(coins(1000), examples, weights, { around: "outputs" });
      expect(bestTemperature(near?.outputs as number[])).toBe(bestTemperature(losses?.outputs as number[]));
      expect(near?.outputs.filter(Number.isFinite).length).toBeLessThan(losses?.outputs.length as number);
      // All that can be said of such a coin.
      const likelihood = losses?.likelihood as number[];
      expect(bestTemperature(likelihood)).toBeCloseTo(temperature, 1);
      expect(leastLoss(likelihood) / 1000).toBeCloseTo(0.75 * Math.log(4 / 3) + 0.25 * Math.log(4), 3);
    }
  });

  it("of two that are equally good, the one beside them not looked at, it is one of them", () => {
    const losses = Array.from({ length: 11 }, () => Number.POSITIVE_INFINITY);
    Object.assign(losses, { 3: 7, 4: 7, 5: 8 });
    expect([Math.exp(-0.2), 1]).toContainEqual(expect.closeTo(bestTemperature(losses), 6));
  });

  it("does not make a few outputs certain because all of them are right", async () => {
    const heads = Int32Array.of(1, 2, 3, 5, 6, 7, 9, 10); // right for any weight above 0
    const losses = await temperatureLosses(coins(1000), heads, Float64Array.of(3), {});
    const sure = 1 / (1 + Math.exp(-3 / bestTemperature(losses?.outputs as number[])));
    expect(sure).toBeCloseTo(9 / 10, 1); // as often as the rule of succession says of 8 of 8
    expect(sure).toBeLessThan(0.97);
  });

  it("is 1 where nothing is known", () => {
    expect(bestTemperature([])).toBe(1);
  });
});
