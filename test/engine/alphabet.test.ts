// An alphabet made of names one by one, and one that is read from bytes, with and without the order of hashes: all the same
// to those who ask.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Alphabet, byHash, jointFactor, jointHash } from "../../src/engine/alphabet.js";

const packed = (names: readonly string[], sorted: boolean) => {
  const encoded = names.map((name) => new TextEncoder().encode(name));
  let length = 0;
  const end = Int32Array.from(encoded, (bytes) => (length += bytes.length));
  const bytes = new Uint8Array(length);
  encoded.forEach((one, i) => {
    bytes.set(one, end[i] - one.length);
  });
  return new Alphabet({ bytes, end, byHash: sorted });
};

const namesArbitrary = fc.uniqueArray(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 60 });

describe("an alphabet from bytes", () => {
  it("numbers names as one made of strings does", () =>
    fc.assert(
      fc.property(namesArbitrary, fc.array(fc.string({ unit: "grapheme" })), fc.boolean(), (given, others, sorted) => {
        const names = sorted ? Array.from(byHash(given), (i) => given[i]) : given;
        const expected = new Alphabet(names);
        const found = packed(names, sorted);
        expect(found.size).toBe(expected.size);
        for (const name of [...names, ...others]) expect(found.indexOf(name)).toBe(expected.indexOf(name));
        for (let i = 0; i < names.length; i++) expect(found.nameOf(i)).toBe(names[i]);
        expect(found.all()).toEqual(names);
        for (const name of others) expect(found.add(name)).toBe(expected.add(name));
        for (const name of [...names, ...others]) expect(found.indexOf(name)).toBe(expected.indexOf(name));
        expect(found.all()).toEqual(expected.all());
      }),
    ));

  it("answers the same after as many lookups as are worth a table", () => {
    const given = Array.from({ length: 300 }, (_, i) => `name ${i} ü`);
    const names = Array.from(byHash(given), (i) => given[i]);
    const alphabet = packed(names, true);
    for (let round = 0; round < 20; round++) {
      expect(names.map((name) => alphabet.indexOf(name))).toEqual(names.map((_, i) => i));
      expect(alphabet.indexOf("name 300 ü")).toBe(-1);
    }
    expect(alphabet.add("name 300 ü")).toBe(300);
    expect(alphabet.indexOf("name 300 ü")).toBe(300);
  });

  it("may have every name that it has, by a hash that follows from those of its parts", () =>
    fc.assert(
      fc.property(namesArbitrary, fc.nat(), fc.boolean(), (given, cut, sorted) => {
        const names = sorted ? Array.from(byHash(given), (i) => given[i]) : given;
        const alphabet = packed(names, sorted);
        for (const name of names) {
          const bytes = new TextEncoder().encode(name);
          const hash = jointHash(bytes, 0, bytes.length);
          const middle = cut % (bytes.length + 1);
          const factor = jointFactor(bytes.length - middle);
          const ofParts = Math.imul(jointHash(bytes, 0, middle), factor) + jointHash(bytes, middle, bytes.length);
          expect(ofParts | 0).toBe(hash);
          expect(alphabet.mayHave(hash)).toBe(true);
        }
      }),
    ));

  it("finds names by their halves, before and after there is a table", () =>
    fc.assert(
      fc.property(namesArbitrary, fc.nat(), fc.boolean(), (given, cut, sorted) => {
        const names = sorted ? Array.from(byHash(given), (i) => given[i]) : given;
        for (const alphabet of [packed(names, sorted), new Alphabet(names)]) {
          names.forEach((name, number) => {
            const middle = cut % (name.length + 1);
            expect(alphabet.indexOfHalves(name.slice(0, middle), name.slice(middle))).toBe(number);
            const other = `${name}?`;
            expect(alphabet.indexOfHalves(other.slice(0, middle), other.slice(middle))).toBe(names.indexOf(other));
          });
        }
      }),
    ));

  it("may have few of the names that it has not", () => {
    const bytesOf = (name: string): Uint8Array => new TextEncoder().encode(name);
    const hashOf = (name: string): number => jointHash(bytesOf(name), 0, bytesOf(name).length);
    const alphabet = packed(
      Array.from({ length: 5000 }, (_, i) => `w[0]=${i}`),
      false,
    );
    const others = Array.from({ length: 5000 }, (_, i) => `w[1]=${i}`).filter((name) => alphabet.mayHave(hashOf(name)));
    // A bit in sixteen or fewer is set.
    expect(others.length).toBeLessThan(5000 / 10);
  });

  it("tells names apart that have the same hash", () => {
    // Known to be the same in FNV-1a of 32 bits; the last in the joint hash.
    for (const [one, other] of ["costarring liquid", "declinate macallums", "altarage zinke", "\0zinke zinke"].map(
      (pair) => pair.split(" "),
    )) {
      for (const sorted of [true, false]) {
        const both = packed([one, other], sorted);
        expect([one, other].map((name) => both.indexOf(name))).toEqual([0, 1]);
        expect(packed([one], sorted).indexOf(other)).toBe(-1);
      }
    }
  });

  it("refuses a name that comes twice", () => {
    expect(() => packed(["a", "b", "a"], false)).toThrow(/occurs twice/);
  });
});
