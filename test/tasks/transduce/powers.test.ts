// Powers of models that choose together: none nearby makes right answers more probable, and what they have together is brought
// to how often one of them is right.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitMass, fitPowers, type JudgedCandidate, type PowerPrior } from "../../../src/tasks/transduce/powers.js";
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
  function objective(all: readonly JudgedCandidate[][], powers: readonly number[], prior: PowerPrior): number {
    let sum = powers.reduce((total, power, m) => total - (prior.inputs * (power - prior.powers[m]) ** 2) / 2, 0);
    for (const candidates of all) {
      const weights = candidates.map(({ logs }) =>
        Math.exp(logs.reduce((total, log, m) => total + powers[m] * log, 0)),
      );
      const right = weights.reduce((total, weight, i) => total + (candidates[i].right ? weight : 0), 0);
      sum += Math.log(right / weights.reduce((a, b) => a + b));
    }
    return sum;
  }

  it.each([
    { powers: [1, 0], inputs: 1 },
    { powers: [1, 0, 0.4], inputs: 3 },
  ])("cannot be bettered by powers near those fitted with $powers before", (prior) =>
    fc.assert(
      fc.property(inputs(prior.powers.length), (all) => {
        const powers = fitPowers(all, prior);
        const reached = objective(all, powers, prior);
        expect(Number.isFinite(reached)).toBe(true);
        for (let m = 0; m < powers.length; m++) {
          for (const step of [0.05, -0.05]) {
            const moved = powers.map((power, other) => power + (other === m ? step : 0));
            if (moved[m] >= 0) expect(objective(all, moved, prior)).toBeLessThan(reached + 1e-6);
          }
        }
      }),
      { numRuns: 200 },
    ),
  );

  it("are those believed before where nothing was held out, or no candidate is right", () => {
    const prior = { powers: [1, 0, 0.4], inputs: 30 };
    expect(fitPowers([], prior)).toEqual([1, 0, 0.4]);
    expect(fitPowers([[{ logs: [-1, -2, -3], right: false }]], prior)).toEqual([1, 0, 0.4]);
  });
});

describe("the power of what candidates have together", () => {
  it.each([0.5, 1, 2])("is %s where they are right as often as that power says", (power) => {
    const random = mulberry(11);
    const inputs = Array.from({ length: 4000 }, () => {
      const together = Math.log(random());
      return { together, right: random() < Math.exp(power * together) };
    });
    expect(fitMass(inputs) / power).toBeGreaterThan(0.93);
    expect(fitMass(inputs) / power).toBeLessThan(1.07);
  });

  it("stays a number where all are sure and wrong, and is 1 where nothing was held out", () => {
    const mass = fitMass(Array.from({ length: 50 }, () => ({ together: 0, right: false })));
    expect(mass).toBeGreaterThan(0.1);
    expect(mass).toBeLessThan(10);
    expect(fitMass([])).toBe(1);
  });
});
