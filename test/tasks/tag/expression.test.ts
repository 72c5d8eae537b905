// Wapiti's expressions: they find what JavaScript's, with the same meaning, find by going back and trying again, and they find
// it in one reading.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Expression } from "../../../src/tasks/tag/expression.js";
import { parseTemplate } from "../../../src/tasks/tag/template.js";
import { InputError } from "../../../src/util/errors.js";

const fail = (reason: string, offset: number) => new InputError(`${reason} at ${offset}`);

const classes: Record<string, string> = {
  a: "\\p{L}",
  d: "\\p{Nd}",
  l: "\\p{Ll}",
  p: "\\p{P}\\p{S}",
  s: "\\s",
  u: "\\p{Lu}",
  w: "\\p{L}\\p{Nd}",
};

interface Part {
  atom: string;
  repeat: "" | "*" | "?";
}

/** The expression as Wapiti writes it, and as JavaScript does. */
function both(parts: readonly Part[], start: boolean, end: boolean): { source: string; regular: RegExp } {
  const source = parts.map(({ atom, repeat }) => atom + repeat).join("");
  const regular = parts
    .map(({ atom, repeat }) => {
      const letter = atom.at(-1) as string;
      const set = atom.length > 1 ? classes[letter.toLowerCase()] : undefined;
      const one = set ? `[${letter === letter.toLowerCase() ? "" : "^"}${set}]` : atom === "." ? "[^]" : `[${atom}]`;
      return one + (repeat === "*" ? "*?" : repeat);
    })
    .join("");
  return {
    source: `${start ? "^" : ""}${source}${end ? "$" : ""}`,
    regular: new RegExp(`${start ? "^" : ""}${regular}${end ? "$" : ""}`, "u"),
  };
}

const part: fc.Arbitrary<Part> = fc.record({
  atom: fc.constantFrom(
    "a",
    "B",
    "7",
    "-",
    "é",
    "😀",
    ".",
    "\\d",
    "\\u",
    "\\U",
    "\\l",
    "\\p",
    "\\s",
    "\\w",
    "\\W",
    "\\a",
  ),
  repeat: fc.constantFrom("", "", "*", "?"),
});
const text = fc.string({
  unit: fc.constantFrom("a", "a", "B", "7", "-", "é", "😀", " ", "Z", "\ud83d"),
  maxLength: 12,
});

describe("expressions", () => {
  test("find the same part as JavaScript's", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.boolean(), fc.boolean(), text, (parts, start, end, given) => {
        const { source, regular } = both(parts, start, end);
        const expression = new Expression(source, fail);
        expect(expression.find(given)).toBe(regular.exec(given)?.[0]);
        expect(expression.test(given)).toBe(regular.test(given));
      }),
      { numRuns: 2000 },
    );
  });

  test("read the text once, however many ways there are to fail", () => {
    const expression = new Expression(`${".*a?".repeat(30)}x$`, fail);
    const long = "a".repeat(5000);
    expect(expression.find(long)).toBeUndefined();
    expect(expression.find(`${long}x`)).toBe(`${long}x`);
    const template = parseTemplate(`U00:%t[0,0,"${".*".repeat(20)}x"]`);
    expect(template.apply([["a".repeat(2000)]]).attributes).toEqual([["U00:false"]]);
  });

  test("have an end", () => {
    expect(() => new Expression("a".repeat(1001), fail)).toThrow(/longer than 1000/);
    new Expression("a".repeat(1000), fail);
  });
});
