// Promises of every kind in made-up worlds, as `stargram experiment promise-simulations` makes them 2,000 times, here less often.

import { expect, test } from "vitest";
import { simulate } from "../../experiments/promise-simulations/promise-simulations.js";

const draws = process.env.STARGRAM_FUZZ ? 2000 : 60;
/** Three standard errors above 5 %. */
const allowed = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / draws);

test.each([
  ["sequence 0.9, together", 0.9],
  ["token 0.95, together", 0.95],
  ["span 0.9, too sure", 0.9],
  ["per label 0.9, together", 0.9],
  ["recall 0.9, too sure", 0.9],
  ["monitor of 300, too sure", 0],
])("%s: seldom broken, and made in most draws", (setting, promised) => {
  const { made, broken, reached } = simulate(setting, draws);
  expect(broken / draws).toBeLessThanOrEqual(allowed);
  expect(made / draws).toBeGreaterThan(0.5);
  expect(reached).toBeGreaterThan(promised);
});

test.each(["sets of outputs 0.9, together", "sets of labels 0.9, together", "sets of labels 0.9, too sure"])(
  "%s: as much as promised is covered, and not much more",
  (setting) => {
    const { reached } = simulate(setting, draws);
    // The mean of 60 draws of 400, each with a standard error of 0.02 or less.
    expect(reached).toBeGreaterThan(0.9 - 0.01);
    expect(reached).toBeLessThan(0.93);
  },
);
