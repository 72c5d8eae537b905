// Belief in a key as a whole: what it must grow with, and that mixing keeps probabilities what they are.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { belief, doubtRareSymbols, mixWithChance } from "../../../src/tasks/decipher/belief.js";

const scores = fc.double({ min: -5, max: 0, noNaN: true });

it("belief grows with how well a text reads, with recurrences, and with what a key scores above chance", () =>
  fc.assert(
    fc.property(
      ...([scores, scores, scores, fc.nat(9), fc.nat(9), fc.nat(20), fc.integer({ min: -200, max: 400 })] as const),
      (a, b, typical, few, more, others, aboveChance) => {
        const [text, better] = [Math.min(a, b), Math.max(a, b)];
        const evidence = {
          ...{
            text,
            typical,
            times: few,
            tried: few + more + others,
            isSpaced: few % 2 === 0,
            symbols: 20,
            aboveChance,
          },
        };
        const one = belief(evidence);
        expect(one).toBeGreaterThanOrEqual(0);
        expect(one).toBeLessThanOrEqual(1);
        expect(belief({ ...evidence, text: better })).toBeGreaterThanOrEqual(one);
        expect(belief({ ...evidence, times: few + more })).toBeGreaterThanOrEqual(one);
        expect(belief({ ...evidence, aboveChance: aboveChance + more })).toBeGreaterThanOrEqual(one);
      },
    ),
  ));

it("shares of words stay probabilities, rare symbols are doubted more, and those that are known stay", () => {
  const frequency = Float64Array.from([0.5, 0.3, 0.2]);
  const drawn = [1, 0, 0, 1, 0, 0, 0, 1, 0];
  const shares = Float64Array.from(drawn);
  doubtRareSymbols(
    shares,
    Int32Array.of(0, 0, 1),
    Float64Array.of(1, 30, 2),
    frequency,
    Uint8Array.of(1, 1, 1, 1, 1, 1, 0, 1, 0),
  );
  for (let x = 0; x < 3; x++) expect(shares[3 * x] + shares[3 * x + 1] + shares[3 * x + 2]).toBeCloseTo(1, 12);
  expect(shares[0]).toBeCloseTo((1 + 0.2 + 0.8 * 0.5) / 2, 12);
  expect(shares[3]).toBeGreaterThan(shares[0]);
  expect(shares[3]).toBeLessThan(1);
  expect([...shares.subarray(6)]).toEqual([0, 1, 0]);
});

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
