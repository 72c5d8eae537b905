// Keys, whatever their symbols are called: names that mean something to JavaScript's objects are names like any other.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatKeyJson, parseKeyJson, parseKeyList } from "../../src/formats/text.js";
import { withCurrentNames } from "../../src/learn/old-names.js";
import { readCipher } from "../../src/tasks/decipher/cipher-text.js";
import { knownKey } from "../../src/tasks/decipher/known-key.js";
import { compareWithSolution, solutionOfKey } from "../../src/tasks/decipher/solution.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";

const hostile = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
const symbol = fc.oneof(fc.constantFrom(...hostile), fc.string({ minLength: 1 }));

describe("a key", () => {
  test("as JSON comes back with every symbol", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(symbol, symbol), { selector: ([cipher]) => cipher }), (pairs) => {
        const key = parseKeyJson(formatKeyJson(Object.fromEntries(pairs)));
        expect(new Map(Object.entries(key ?? {}))).toEqual(new Map(pairs));
      }),
    );
  });

  test("as a list has every symbol, and refuses one that is given twice", () => {
    for (const name of hostile) {
      expect(Object.entries(parseKeyList(`${name}=I,5=${name}`))).toEqual(
        expect.arrayContaining([
          [name, "I"],
          ["5", name],
        ]),
      );
      expect(() => parseKeyList(`${name}=I,${name}=you`)).toThrow(/twice/);
    }
  });

  test("that is known in part, or is the solution, is taken at its word", () => {
    const cipher = readCipher(hostile.join(" "), "word");
    const plain = hostile.map((_, i) => `word${i}`);
    const key = Object.fromEntries(hostile.map((name, i) => [name, plain[i]]));
    expect(Object.entries(knownKey(cipher, [key]))).toEqual(Object.entries(key));
    expect(() => knownKey(cipher, [key], [`1:1=other`])).toThrow(/both `word0` and `other`/);
    const mapping = hostile.map((name, i) => ({ cipher: name, plain: plain[i] }));
    const found = { plain: [plain], mapping } as never;
    const right = { mappingAccuracy: 1, tokenAccuracy: 1 };
    expect(compareWithSolution(found, cipher, solutionOfKey(key, cipher))).toEqual(right);
    // A key that says nothing of these symbols gives nothing for them, not what every object has.
    const nothing = compareWithSolution(found, cipher, solutionOfKey({}, cipher));
    expect(nothing).toEqual({ mappingAccuracy: 0, tokenAccuracy: 0 });
  });
});

test("labels with such names are told apart, and have their probabilities", async () => {
  const data = [{ columns: hostile.map((name) => [name]), labels: hostile }];
  const tagger = await Tagger.train(data, { passes: 5, heldOut: 0 });
  const { marginals = [] } = tagger.predict({ columns: data[0].columns }, { marginals: true });
  for (const row of marginals) {
    expect(Object.keys(row).sort()).toEqual([...hostile].sort());
    expect(Object.values(row).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 9);
  }
});

test("options with such names set no prototype", () => {
  const given = JSON.parse('{"__proto__": {"order": 9}, "epochs": 3}');
  const renamed = withCurrentNames(given) as { order?: number; passes?: number };
  expect([renamed.order, renamed.passes]).toEqual([undefined, 3]);
  expect(Object.keys(renamed)).toEqual(["__proto__", "passes"]);
});
