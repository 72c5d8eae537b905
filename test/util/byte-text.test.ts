// Text written as bytes is the text that strings would give.

import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteStrings } from "../../src/util/byte-strings.js";
import { ByteText } from "../../src/util/byte-text.js";
import { probabilityText } from "../../src/util/text.js";

const probability = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0.1, max: 1, noNaN: true }),
  fc.double({ min: 0.999999, max: 1, noNaN: true }),
  // Few digits, and numbers close to the middle of two that have six.
  fc.tuple(fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: -20, max: 20 })).map(([n, k]) => {
    return Math.min(1, Math.max(0, n / 2e6 + k * 1e-17));
  }),
  fc.constantFrom(0, 1, 0.1, 0.5, 0.9999995, 0.99999949999, 0.9999996, 1e-7, 5e-324),
);

test("probabilities have the digits of probabilityText", () => {
  fc.assert(
    fc.property(fc.array(probability), (numbers) => {
      const text = new ByteText();
      for (const number of numbers) {
        text.probability(number);
        text.byte(0x20);
      }
      expect(Buffer.from(text.taken()).toString()).toBe(numbers.map((n) => `${probabilityText(n)} `).join(""));
    }),
    { numRuns: 2000 },
  );
});

test("strings come back as they are, and what was taken is not written over", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string({ unit: "grapheme", maxLength: 40 }))), (batches) => {
      const text = new ByteText();
      const strings = new ByteStrings();
      const taken = batches.map((batch) => {
        for (const one of batch) {
          const bytes = Buffer.from(one);
          text.string(strings, strings.add(bytes, 0, bytes.length));
        }
        return text.taken();
      });
      expect(taken.map((bytes) => Buffer.from(bytes).toString())).toEqual(batches.map((batch) => batch.join("")));
    }),
  );
});
