// Bounds of a precision that is watched: true at all times together as often as promised, though answers of a sequence are wrong
// together; and they close in.

import { expect, test } from "vitest";
import { PrecisionMonitor } from "../../src/confidence/monitor.js";
import { generator, uniform } from "../../src/util/random.js";

test.each([0.7, 0.95])(
  "a precision of %s is within the bounds at every one of 150 looks, in 19 of 20 runs",
  (truth) => {
    const own = generator(7, 2);
    const random = () => uniform(own);
    const runs = 200;
    let missed = 0;
    for (let run = 0; run < runs; run++) {
      const monitor = new PrecisionMonitor(4);
      let isOut = false;
      for (let look = 0; look < 150; look++) {
        const answered = Math.min(4, Math.ceil(random() ** -0.5));
        const isTogether = random() < 0.5;
        const shared = random() > truth;
        let wrong = 0;
        for (let i = 0; i < answered; i++) if (isTogether ? shared : random() > truth) wrong++;
        monitor.add(answered, wrong);
        const { lower, upper } = monitor.bounds();
        if (lower > truth || upper < truth) isOut = true;
      }
      if (isOut) missed++;
    }
    expect(missed / runs).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs));
  },
);

test("bounds begin open, close in, and tell a promise that is broken", () => {
  const monitor = new PrecisionMonitor(1);
  expect(monitor.bounds()).toEqual({ sequences: 0, answers: 0, wrong: 0, lower: 0, upper: 1 });
  for (let i = 0; i < 600; i++) monitor.add(1, i % 5 === 0 ? 1 : 0);
  const { precision, lower, upper, ...counts } = monitor.bounds();
  expect(counts).toEqual({ sequences: 600, answers: 600, wrong: 120 });
  expect(precision).toBeCloseTo(0.8, 12);
  expect(lower).toBeGreaterThan(0.7);
  expect(lower).toBeLessThan(0.8);
  expect(upper).toBeGreaterThan(0.8);
  expect(upper).toBeLessThan(0.88);
  monitor.add(0, 0);
  expect(monitor.bounds().sequences).toBe(600);
  expect(() => monitor.add(2, 0)).toThrow(RangeError);
  expect(() => monitor.add(1, 2)).toThrow(RangeError);
});
