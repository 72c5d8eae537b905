// What the review page makes of labels: marking a span gives labels that mark just this span, whatever there was before.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { differences, keysFor, kindsOf, spansOf, withSpan } from "../../apps/review/labels.js";

const types = ["PER", "sports team"];
const schemes = {
  BIO: ["B", "I"],
  BIOES: ["B", "I", "E", "S"],
  BILOU: ["B", "I", "L", "U"],
  IO: ["I"],
};

describe.each(Object.entries(schemes))("%s", (name, prefixes) => {
  const known = ["O", ...types.flatMap((type) => prefixes.map((prefix) => `${prefix}-${type}`))];
  const labels = fc.array(fc.constantFrom(...known), { minLength: 1, maxLength: 8 });

  test("a marked span is there, what it does not touch stays, and nothing else appears", () => {
    fc.assert(
      fc.property(labels, fc.nat(), fc.nat(), fc.constantFrom(undefined, ...types), (before, a, b, type) => {
        const [from, last] = [a % before.length, b % before.length].sort((x, y) => x - y);
        const to = last + 1;
        const after = withSpan(before, { from, to, type }, known);
        expect(after.every((label) => label !== null && known.includes(label))).toBe(true);
        const expected = spansOf(before).flatMap((span) => [
          { ...span, to: Math.min(span.to, from) },
          { ...span, from: Math.max(span.from, to) },
        ]);
        if (type !== undefined) expected.push({ from, to, type });
        const wanted = expected.filter((span) => span.from < span.to).sort((x, y) => x.from - y.from);
        // Without B- two spans of one type that touch are one.
        if (name !== "IO") expect(spansOf(after)).toEqual(wanted);
        else
          for (let i = 0; i < after.length; i++)
            expect(typeAt(after, i)).toBe(wanted.find((s) => s.from <= i && i < s.to)?.type);
      }),
    );
  });
});

function typeAt(labels: readonly (string | null)[], i: number): string | undefined {
  return spansOf(labels).find(({ from, to }) => from <= i && i < to)?.type;
}

test("differences are what another output says, span by span", () => {
  const tokens = "Ada met Lake City in Sonmarg".split(" ");
  const known = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"];
  const best = ["B-PER", "O", "B-LOC", "I-LOC", "O", "O"];
  const say = (other: string[]) =>
    differences(best, other, tokens, known).map(({ words, label }) => `${words} → ${label}`);
  expect(say(best)).toEqual([]);
  expect(say(["B-PER", "O", "B-LOC", "I-LOC", "O", "B-LOC"])).toEqual(["Sonmarg → LOC"]);
  expect(say(["O", "O", "B-LOC", "B-LOC", "O", "O"])).toEqual(["Ada → undefined", "Lake → LOC", "City → LOC"]);
  // A span that gets shorter says what it loses.
  expect(say(["B-PER", "O", "B-LOC", "O", "O", "O"])).toEqual(["Lake → LOC", "City → undefined"]);
  const tags = ["NN", "VB", "DT"];
  expect(differences(["NN", "VB"], ["NN", "DT"], ["a", "b"], tags)).toEqual([{ words: "b", label: "DT" }]);
});

test("keys are letters of their own, not those that do something else, first letters where that is possible", () => {
  const names = kindsOf(["O", "B-product", "B-person", "B-sports team", "B-other", "I-other", "B-nation"]);
  expect(names).toEqual(["nation", "other", "person", "product", "sports team"]);
  const keys = keysFor(names);
  expect(new Set(keys.values()).size).toBe(names.length);
  expect([...keys.values()].filter((key) => /[nsu]/.test(key))).toEqual([]);
  expect(keys.get("other")).toBe("o");
  expect(keys.get("person")).toBe("p");
  expect(keysFor(Array.from({ length: 40 }, (_, i) => `label ${i}`)).size).toBe(23);
});
