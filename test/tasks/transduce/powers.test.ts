// Powers of models that choose together: none nearby makes right answers more probable, and other outputs than the candidates
// have as much as is right.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chanceOfAny,
  fitPowers,
  type JudgedCandidate,
  type PowerPrior,
  plainPowers,
  restOf,
  type SumPrior,
} from "../../../src/tasks/transduce/powers.js";
import { mulberry } from "../../engine/oracle.js";

describe("fitted powers", () => {
  const candidate = fc.tuple(
    fc.double({ min: -4, max: 0, noNaN: true }),
    fc.double({ min: -30, max: -5, noNaN: true }),
    fc.double({ min: -20, max: -10, noNaN: true }),
  );
  const inputs = (models: number) =>
    fc
      .array(fc.tuple(fc.array(candidate, { minLength: 2, maxLength: 4 }), fc.nat(3)), { minLength: 3, maxLength: 12 })
      .map((all) =>
        all.map(([candidates, right]) =>
          candidates.map((logs, i) => ({
            logs: logs.slice(0, models),
            right: i === Math.min(right, candidates.length - 1),
          })),
        ),
      );
  /** What is to be maximised: log-likelihood of the right answers, with what is believed before. */
  function objective(
    all: readonly JudgedCandidate[][],
    powers: readonly number[],
    prior: readonly PowerPrior[],
    together?: SumPrior,
  ): number {
    let sum = powers.reduce((total, power, m) => total - (prior[m].inputs * (power - prior[m].power) ** 2) / 2, 0);
    if (together) {
      const over = together.models.reduce((total, m) => total + powers[m], 0) - together.sum;
      sum -= (together.inputs * over ** 2) / 2;
    }
    for (const candidates of all) {
      const weights = candidates.map(({ logs }) =>
        Math.exp(logs.reduce((total, log, m) => total + powers[m] * log, 0)),
      );
      const right = weights.reduce((total, weight, i) => total + (candidates[i].right ? weight : 0), 0);
      sum += Math.log(right / weights.reduce((a, b) => a + b));
    }
    return sum;
  }

  const prior = (inputs: number, ...powers: number[]): PowerPrior[] => powers.map((power) => ({ power, inputs }));

  it.each<{ name: string; before: PowerPrior[]; together?: SumPrior }>([
    { name: "two", before: prior(1, 1, 0) },
    { name: "three", before: prior(3, 1, 0, 0.4) },
    { name: "one of two below zero, perhaps", before: [...prior(1, 1), { power: 0, inputs: 2, isSigned: true }] },
    { name: "a sum", before: prior(2, 0, 0.6, 0.4), together: { models: [1, 2], sum: 1, inputs: 20 } },
  ])("cannot be bettered by powers nearby: $name", ({ before, together }) =>
    fc.assert(
      fc.property(inputs(before.length), (all) => {
        const powers = fitPowers(all, before, together);
        const reached = objective(all, powers, before, together);
        expect(Number.isFinite(reached)).toBe(true);
        for (let m = 0; m < powers.length; m++) {
          for (const step of [0.05, -0.05]) {
            const moved = powers.map((power, other) => power + (other === m ? step : 0));
            const mayBe = moved[m] >= 0 || (before[m] as PowerPrior).isSigned;
            if (mayBe) expect(objective(all, moved, before, together)).toBeLessThan(reached + 1e-6);
          }
        }
      }),
      { numRuns: 200 },
    ),
  );

  it("are those believed before where nothing was held out, or no candidate is right", () => {
    const before = prior(30, 1, 0, 0.4);
    expect(fitPowers([], before)).toEqual([1, 0, 0.4]);
    expect(fitPowers([[{ logs: [-1, -2, -3], right: false }]], before)).toEqual([1, 0, 0.4]);
  });
});

describe("the chance that a candidate is right", () => {
  const candidates = [
    { log: Math.log(0.5), joint: -20, triggers: 1, words: -7 },
    { log: Math.log(0.2), joint: -23, triggers: -2, words: -3 },
  ];
  const together = Math.log(0.7);

  it("is what candidates have together where nothing was fitted, or all powers leave it so", () => {
    expect(chanceOfAny(candidates, together, plainPowers(0.4))).toBe(together);
    const powers = { own: 1, joint: 0, words: 0, rest: { power: 1, offset: 0 }, mass: 1 };
    expect(chanceOfAny(candidates, together, powers)).toBeCloseTo(together, 12);
  });

  it("is the share of their weights, as they are defined", () => {
    const powers = { own: 0.6, joint: 0.4, triggers: 0.5, words: 0.3, rest: { power: 0.8, offset: -0.5 }, mass: 1 };
    const graphones = Math.exp(-20) + Math.exp(-23);
    const words = Math.exp(-7) + Math.exp(-3);
    const triggers = Math.exp(1) + Math.exp(-2);
    const weight = (p: number, q: number, t: number, w: number): number =>
      p ** 0.6 * (Math.exp(q) / graphones) ** 0.4 * (Math.exp(t) / triggers) ** 0.5 * (Math.exp(w) / words) ** 0.3;
    const all = weight(0.5, -20, 1, -7) + weight(0.2, -23, -2, -3);
    const rest = Math.exp(-0.5) * 0.3 ** 0.8;
    expect(Math.exp(chanceOfAny(candidates, together, powers))).toBeCloseTo(all / (all + rest), 12);
  });

  it("is never certain, however sure the candidates are", () => {
    const powers = { own: 1, joint: 0, words: 0, rest: { power: 1, offset: 0 }, mass: 1 };
    expect(restOf(0)).toBeCloseTo(Math.log(1e-6), 12);
    expect(chanceOfAny([{ log: 0, joint: 0, triggers: 0, words: 0 }], 1e-12, powers)).toBeLessThan(0);
  });

  it.each([-1, 0, 1])("has the offset %s where other outputs are right as often as that says", (offset) => {
    const random = mulberry(11);
    const inputs = Array.from({ length: 16_000 }, () => {
      const together = Math.log(random());
      const rest = restOf(together);
      const isAny = random() < 1 / (1 + Math.exp(offset + rest - together));
      return [
        { logs: [0, 0, together], right: isAny },
        { logs: [rest, 1, 0], right: !isAny },
      ];
    });
    const [power, found, own] = fitPowers(inputs, [
      { power: 1, inputs: 1 },
      { power: 0, inputs: 1, isSigned: true },
      { power: 1, inputs: 1 },
    ]);
    expect(Math.abs(found - offset)).toBeLessThan(0.15);
    expect(Math.abs(power - 1)).toBeLessThan(0.15);
    expect(Math.abs(own - 1)).toBeLessThan(0.15);
  });
});
