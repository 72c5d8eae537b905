// Belief in a key as a whole: what it must grow with, and that mixing keeps probabilities what they are.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { belief, mixWithChance } from "../../../src/tasks/decipher/belief.js";

const scores = fc.double({ min: -5, max: 0, noNaN: true });

it("belief grows with how well a text reads, and with recurrences", () =>
  fc.assert(
    fc.property(scores, scores, scores, fc.nat(9), fc.nat(9), fc.nat(20), (a, b, typical, few, more, others) => {
      const [worse, better] = [Math.min(a, b), Math.max(a, b)];
      const tried = few + more + others;
      const one = belief({ text: worse, typical, times: few, tried, isSpaced: few % 2 === 0 });
      expect(one).toBeGreaterThanOrEqual(0);
      expect(one).toBeLessThanOrEqual(1);
      expect(belief({ text: better, typical, times: few, tried, isSpaced: few % 2 === 0 })).toBeGreaterThanOrEqual(one);
      expect(
        belief({ text: worse, typical, times: few + more, tried, isSpaced: few % 2 === 0 }),
      ).toBeGreaterThanOrEqual(one);
    }),
  ));

it("mixed shares are probabilities, symbols that are known stay, and full belief changes nothing", () =>
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (weights, believed) => {
        const sum = weights.reduce((a, b) => a + b, 0);
        const shares = Float64Array.from([...weights.map((w) => w / sum), 0, 1, 0]);
        const before = shares.slice();
        const frequency = Float64Array.from([0.5, 0.3, 0.2]);
        const allowed = Uint8Array.from([1, 1, 1, 0, 1, 0]);
        mixWithChance(shares, 1, frequency, allowed);
        for (let i = 0; i < 6; i++) expect(shares[i]).toBeCloseTo(before[i], 12);
        mixWithChance(shares, believed, frequency, allowed);
        expect([...shares.subarray(0, 3)].reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
        expect([...shares.subarray(3)]).toEqual([0, 1, 0]);
        for (let i = 0; i < 3; i++)
          expect(shares[i]).toBeCloseTo(believed * before[i] + (1 - believed) * frequency[i], 9);
      },
    ),
  ));
