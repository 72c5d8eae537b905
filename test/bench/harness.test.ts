// The arithmetic of the benchmarks: exponents, quartiles and ratios. Nothing here looks at a clock.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { check, exponent, inTurns, number, speedUp, spread } from "../../bench/harness.mjs";

test("the exponent of a power law is found whatever its factor", () => {
  fc.assert(
    fc.property(
      fc.double({ min: -3, max: 3, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
      fc.uniqueArray(fc.integer({ min: 1, max: 100_000 }), { minLength: 2, maxLength: 10 }),
      (power, factor, sizes) => {
        const points = sizes.map((x) => [x, factor * x ** power] as const);
        expect(exponent(points)).toBeCloseTo(power, 6);
      },
    ),
  );
});

test("median and quartiles of 1 to 9", () => {
  expect(spread([9, 1, 8, 2, 7, 3, 6, 4, 5])).toEqual({ median: 5, low: 3, high: 7 });
  expect(spread([4])).toEqual({ median: 4, low: 4, high: 4 });
});

test("ratios are taken within a round", () => {
  const times = (...seconds: number[]) => seconds.map((cpu) => ({ cpu, clock: 1 }));
  // A machine that gets ten times slower changes no ratio.
  expect(speedUp(times(2, 20, 200), times(1, 10, 100)).median).toBe(2);
  expect(speedUp(times(2, 2), times(1, 1), { slow: 4, fast: 1 }).median).toBe(0.5);
});

test("alternatives take turns, and are repeated within a round only if they are short", async () => {
  const calls: string[] = [];
  const alternatives = { a: () => calls.push("a"), b: () => calls.push("b") };
  const found = await inTurns(alternatives, { rounds: 3, least: 0, warmUps: 1 });
  expect(calls.join("")).toBe("ab" + "ab" + "ba" + "ab"); // the warm-up, then every other round backwards
  expect(found.a).toHaveLength(3);
});

test("a check that could not be made is neither met nor missed", () => {
  expect(check("a", ">=", 3, 3.2, "×")).toEqual({ what: "a", wanted: "≥ 3×", found: "3.2×", met: true });
  expect(check("b", "<=", 1.05, 1.06).met).toBe(false);
  expect(check("c", ">=", 1, undefined)).toMatchObject({ found: "not measured", met: undefined });
  expect(number(123_456)).toBe("123,000");
});
