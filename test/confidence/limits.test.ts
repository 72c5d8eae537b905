// What calibration refuses, and how few held-out sequences a promise needs.

import { describe, expect, it } from "vitest";
import { calibrated, logit } from "../../src/confidence/calibration.js";
import { chooseMap, fitIsotonic } from "../../src/confidence/calibration-map.js";
import { type Cluster, findClusteredThreshold } from "../../src/confidence/clustered.js";

describe("refused", () => {
  it.each([0, 1, -0.1, 1.1, Number.NaN])("a precision or a confidence of %f", (value) => {
    expect(() => findClusteredThreshold([], { precision: value })).toThrow(/^the precision must be between 0 and 1/);
    expect(() => findClusteredThreshold([], { precision: 0.9, confidence: value })).toThrow(
      `the confidence must be between 0 and 1, not ${value}`,
    );
  });

  it("no answers to calibrate on", () => {
    expect(() => chooseMap([])).toThrow("no answers to calibrate on");
    expect(() => fitIsotonic([])).toThrow("no answers to calibrate on");
  });
});

it("logits are those of probabilities, and a temperature divides them", () => {
  for (const p of [0.01, 0.3, 0.5, 0.9, 0.999]) {
    expect(1 / (1 + Math.exp(-logit(p)))).toBeCloseTo(p, 12);
    expect(logit(calibrated({ kind: "temperature", temperature: 2 }, p))).toBeCloseTo(logit(p) / 2, 9);
  }
});

describe("sequences of one part, all right", () => {
  const all = (count: number): Cluster[] =>
    Array.from({ length: count }, (_, i) => ({ confidence: [0.99 - i * 1e-6], correct: [true] }));

  it("promise nothing before the boldest bet could win: capital grows by 1 / precision each, and 20 is needed for 95 %", () => {
    const fewest = Math.ceil(Math.log(20) / Math.log(1 / 0.95)); // 59
    expect(findClusteredThreshold(all(Math.floor(fewest / 0.8)), { precision: 0.95 })).toBeUndefined();
  });

  it("promise soon after", () => {
    for (const [precision, count] of [
      [0.9, 75],
      [0.95, 150],
      [0.99, 750],
    ]) {
      const found = findClusteredThreshold(all(count), { precision });
      expect(found).toMatchObject({ precision, most: 1, wrong: 0, answered: found?.tested, threshold: 0 });
    }
  });

  it("promise less with every wrong one among them", () => {
    const withWrong = (wrong: number): Cluster[] =>
      all(400).map((one, i) => (i < 400 - wrong ? one : { ...one, correct: [false] }));
    const answered = [0, 4, 12].map(
      (wrong) => findClusteredThreshold(withWrong(wrong), { precision: 0.95 })?.answered ?? 0,
    );
    expect(answered[0]).toBe(320);
    expect(answered[2]).toBeLessThanOrEqual(answered[1]);
    expect(
      findClusteredThreshold(
        all(400).map((one) => ({ ...one, correct: [false] })),
        { precision: 0.95 },
      ),
    ).toBeUndefined();
  });
});
