// The edit distance: known cases, and what holds of every distance.

import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance } from "../../src/util/edit-distance.js";

test.each([
  ["kitten", "sitting", 3],
  ["", "abc", 3],
  ["flaw", "lawn", 2],
  ["same", "same", 0],
])("%j and %j", (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
});

test("symmetric, 0 only for equals, and no longer by way of a third", () => {
  const word = fc.array(fc.nat(3), { maxLength: 7 });
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a.join() === b.join());
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
    }),
  );
});
