import * as fc from "fast-check";
import { expect, it } from "vitest";
import { minimise } from "../../src/util/minimise.js";

it("finds the bottom of a valley wherever it lies, the ends included", () =>
  fc.assert(
    fc.property(fc.double({ min: -3, max: 3, noNaN: true }), fc.constantFrom(1, 2, 4), (bottom, power) => {
      const found = minimise((x) => Math.abs(x - bottom) ** power, -2, 2, 1e-3);
      expect(Math.abs(found - Math.min(2, Math.max(-2, bottom)))).toBeLessThan(1e-2);
    }),
  ));
