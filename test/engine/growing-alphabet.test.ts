// An alphabet that grows in bytes: the same numbers as one of strings; and after names were dropped, one of those that stayed.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Alphabet } from "../../src/engine/alphabet.js";
import { GrowingAlphabet } from "../../src/engine/growing-alphabet.js";

// Half characters, too: names that differ in them must stay apart.
const name = fc.oneof(fc.string({ unit: "binary", maxLength: 12 }), fc.constantFrom("\ud800", "\udc00a", "\ufffd", ""));

describe("a growing alphabet", () => {
  it("numbers names as a map of strings does", () =>
    fc.assert(
      fc.property(fc.array(name, { maxLength: 300 }), fc.array(name), (names, others) => {
        const [expected, found] = [new Alphabet(), new GrowingAlphabet()];
        for (const one of names) expect(found.add(one)).toBe(expected.add(one));
        expect(found.size).toBe(expected.size);
        for (const one of [...names, ...others]) expect(found.indexOf(one)).toBe(expected.indexOf(one));
        expect(found.all()).toEqual(expected.all());
        for (let n = 0; n < found.size; n++) expect(found.bytesOf(n)).toEqual(expected.bytesOf(n));
      }),
    ));

  it("keeps order and counts of the names that are not dropped", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { maxLength: 200 }),
        fc.array(name, { maxLength: 50 }),
        fc.func(fc.integer({ min: 0, max: 4 })),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 20 }),
        (names, more, countOf, kept, spare) => {
          const found = new GrowingAlphabet(names);
          for (const one of names) found.counts[found.indexOf(one)] = countOf(one);
          const onces = names.filter((one, n) => n >= kept && countOf(one) === 1).slice(0, spare);
          const stays = names.filter((one, n) => n < kept || countOf(one) >= 2 || onces.includes(one));
          const expected = new Alphabet(stays);
          const numbers = found.prune(2, kept, spare);
          expect(Array.from(numbers)).toEqual(names.map((one) => expected.indexOf(one)));
          expect(found.all()).toEqual(stays);
          expect(stays.map((one) => found.counts[found.indexOf(one)])).toEqual(stays.map((one) => countOf(one)));
          for (const one of more) expect(found.add(one)).toBe(expected.add(one));
          for (const one of [...names, ...more]) expect(found.indexOf(one)).toBe(expected.indexOf(one));
        },
      ),
    ));

  it("holds names that fill several pieces of its store", () => {
    const found = new GrowingAlphabet();
    const names = Array.from({ length: 40 }, (_, n) => `${n}`.padEnd(300_000, "x"));
    for (const one of names) found.add(one);
    names.forEach((one, n) => {
      expect(found.indexOf(one)).toBe(n);
      found.counts[n] = n % 3;
    });
    found.prune(2);
    expect(found.all()).toEqual(names.filter((_, n) => n % 3 === 2));
  });
});
