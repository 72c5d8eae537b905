// Calibration maps: rising, right about the populations they were fitted on, and chosen by what the data needs.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibrated, logit } from "../../src/confidence/calibration.js";
import { chooseMap, fitIsotonic, fitTemperature, logLoss } from "../../src/confidence/calibration-map.js";
import { expectedCalibrationError } from "../../src/metrics/calibration.js";
import { generator, uniform } from "../../src/util/random.js";

const answersOf = fc.array(
  fc.record({ confidence: fc.double({ min: 0, max: 1, noNaN: true }), correct: fc.boolean() }),
  { minLength: 1, maxLength: 60 },
);

function draw(count: number, accuracy: (confidence: number) => number, seed = 1) {
  const random = generator(seed, 0);
  return Array.from({ length: count }, () => {
    const confidence = uniform(random);
    return { confidence, correct: uniform(random) < accuracy(confidence) };
  });
}

const sharpened = (t: number) => (c: number) => 1 / (1 + Math.exp(-logit(c) / t));

describe("calibration maps", () => {
  it("never fall, and give probabilities that are never certain", () => {
    fc.assert(
      fc.property(answersOf, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (answers, points) => {
        for (const map of [fitTemperature(answers), fitIsotonic(answers)]) {
          const mapped = points.sort((a, b) => a - b).map((p) => calibrated(map, p));
          mapped.forEach((p, i) => {
            expect(p).toBeGreaterThan(0);
            expect(p).toBeLessThan(1);
            if (i > 0) expect(p).toBeGreaterThanOrEqual(mapped[i - 1]);
          });
        }
      }),
    );
  });

  it("find the temperature that made the data", () => {
    for (const t of [0.5, 1, 3]) {
      const map = fitTemperature(draw(6000, sharpened(t)));
      expect(map.kind === "temperature" && map.temperature).toBeGreaterThan(0.85 * t);
      expect(map.kind === "temperature" && map.temperature).toBeLessThan(1.15 * t);
    }
  });

  it("pool adjacent violators as in the textbook", () => {
    // Outcomes 0, 1, 0, 1 by rising confidence: the two in the middle violate the order and share 1/2.
    const map = fitIsotonic([
      { confidence: 0.1, correct: false },
      { confidence: 0.4, correct: true },
      { confidence: 0.6, correct: false },
      { confidence: 0.9, correct: true },
    ]);
    expect(calibrated(map, 0.5)).toBeCloseTo(0.5, 12);
    expect(calibrated(map, 0.05)).toBeCloseTo(0.1, 12);
    expect(calibrated(map, 0.95)).toBeCloseTo(0.9, 12);
  });

  it("choose the temperature where that is the truth, and steps where it is far from it", () => {
    expect(chooseMap(draw(2000, sharpened(2))).map.kind).toBe("temperature");
    expect(chooseMap(draw(2000, (c) => (c > 0.3 ? 0.6 : 0.55))).map.kind).toBe("isotonic");
  });

  it("mend the calibration of new answers", () => {
    const truth = (c: number) => c ** 3;
    const { map, logLoss: loss } = chooseMap(draw(3000, truth));
    const fresh = draw(3000, truth, 2);
    const mended = fresh.map(({ confidence, correct }) => ({ confidence: calibrated(map, confidence), correct }));
    expect(expectedCalibrationError(mended)).toBeLessThan(expectedCalibrationError(fresh) / 3);
    expect(logLoss(fresh, map)).toBeLessThan(loss.model);
  });

  it("take a single answer", () => {
    expect(calibrated(chooseMap([{ confidence: 0.5, correct: true }]).map, 0.5)).toBeGreaterThan(0);
  });
});
