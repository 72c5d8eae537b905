// Word classes: counts against a walk over the text, what moves and joins gain and lose against F from scratch, classes that
// were put into a text.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countBigrams } from "../../src/learn/bigrams.js";
import { clusterWords } from "../../src/learn/cluster-words.js";
import { bitsOf, ClassCounts, Exchange, joinClasses } from "../../src/learn/clusters.js";
import { InputError } from "../../src/util/errors.js";
import { mulberry } from "../engine/oracle.js";

const texts = fc.array(fc.array(fc.constantFrom(..."abcdefgh"), { maxLength: 7 }), { minLength: 3, maxLength: 12 });

/** Σ h(N(a, b)) − Σ h(N(a, ·)) − Σ h(N(·, b)), by a walk over the text. */
function objectiveOf(sentences: readonly (readonly string[])[], classOf: (word: string | undefined) => number): number {
  const pairs = new Map<string, number>();
  const [left, right] = [new Map<number, number>(), new Map<number, number>()];
  const add = <K>(map: Map<K, number>, key: K) => map.set(key, (map.get(key) ?? 0) + 1);
  const filled = sentences.filter(({ length }) => length > 0);
  const all = [undefined, ...filled.flatMap((sentence) => [...sentence, undefined])].map(classOf);
  for (let i = 0; i + 1 < all.length; i++) {
    add(pairs, `${all[i]} ${all[i + 1]}`);
    add(left, all[i]);
    add(right, all[i + 1]);
  }
  const sum = (map: Map<unknown, number>) => [...map.values()].reduce((total, n) => total + n * Math.log(n), 0);
  return sum(pairs) - sum(left) - sum(right);
}

describe("exchange", () => {
  test("neighbours are counted as they stand in the text", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 3 }), (sentences, least) => {
        const { words, counts, after, before } = countBigrams(sentences, least);
        const flat = sentences.flat();
        expect([...words].sort()).toEqual(
          [...new Set(flat)].filter((word) => flat.filter((one) => one === word).length >= least).sort(),
        );
        expect([...counts.subarray(0, words.length)]).toEqual(
          words.map((word) => flat.filter((one) => one === word).length),
        );
        const found = new Map<string, number>();
        for (let w = 0; w < words.length + 2; w++) {
          for (let i = after.start[w]; i < after.start[w + 1]; i++) found.set(`${w} ${after.word[i]}`, after.count[i]);
        }
        for (let w = 0; w < words.length + 2; w++) {
          for (let i = before.start[w]; i < before.start[w + 1]; i++) {
            expect(found.get(`${before.word[i]} ${w}`)).toBe(before.count[i]);
          }
        }
        const number = (word: string | undefined) =>
          word === undefined ? words.length : words.includes(word) ? words.indexOf(word) : words.length + 1;
        const expected = new Map<string, number>();
        const all = [undefined, ...sentences.filter((s) => s.length > 0).flatMap((s) => [...s, undefined])].map(number);
        for (let i = 0; i + 1 < all.length; i++) {
          const key = `${all[i]} ${all[i + 1]}`;
          expected.set(key, (expected.get(key) ?? 0) + 1);
        }
        expect(found).toEqual(expected);
      }),
    );
  });

  test("a move gains what F gains, and no other class would gain more", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 4 }), (sentences, classes) => {
        const bigrams = countBigrams(sentences, 1);
        const { words } = bigrams;
        if (words.length < classes) return;
        const exchange = new Exchange(bigrams, classes);
        const now = (moved = -1, to = -1) =>
          objectiveOf(sentences, (word) => {
            if (word === undefined) return classes;
            const w = words.indexOf(word);
            return w === moved ? to : exchange.classOf[w];
          });
        for (let w = 0; w < 2 * words.length; w++) {
          const word = w % words.length;
          const before = now();
          const wasPlaced = exchange.classOf[word] < classes;
          const best = Math.max(...Array.from({ length: classes }, (_, b) => now(word, b)));
          const gained = exchange.move(word);
          expect(now()).toBeCloseTo(best, 8);
          expect(exchange.counts.objective()).toBeCloseTo(now(), 8);
          expect(gained).toBeCloseTo(now() - before, 8);
          if (wasPlaced) expect(gained).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("joining", () => {
  test("loses what F loses, the least that any two would lose", () => {
    const random = mulberry(3);
    for (let trial = 0; trial < 10; trial++) {
      const [size, classes] = [7, 5];
      const pairs = Array.from({ length: 40 }, () => [0, 0].map(() => Math.floor(size * random())));
      const counts = new ClassCounts(size);
      for (const [a, b] of pairs) counts.add(a, b, 3);
      const name = Array.from({ length: size }, (_, a) => a);
      const objective = (classOf: (a: number) => number) => {
        const made = new ClassCounts(size);
        for (const [a, b] of pairs) made.add(classOf(a), classOf(b), 3);
        return made.objective();
      };
      for (const { into, from, loss } of joinClasses(counts, classes)) {
        const before = objective((a) => name[a]);
        const alive = [...new Set(name.slice(0, classes))];
        const losses = alive.flatMap((x) =>
          alive.filter((y) => y > x).map((y) => before - objective((a) => (name[a] === y ? x : name[a]))),
        );
        expect(loss).toBeCloseTo(Math.min(...losses), 8);
        for (let a = 0; a < size; a++) if (name[a] === from) name[a] = into;
        expect(before - objective((a) => name[a])).toBeCloseTo(loss, 8);
      }
      expect(new Set(name.slice(0, classes)).size).toBe(1);
    }
  });

  test("bits tell the way down the tree: none is the beginning of another", () => {
    const bits = bitsOf(
      [
        { into: 0, from: 2, loss: 0 },
        { into: 1, from: 3, loss: 0 },
        { into: 0, from: 1, loss: 0 },
      ],
      4,
    );
    expect(bits).toEqual(["00", "10", "01", "11"]);
  });
});

describe("clusterWords", () => {
  const kinds = {
    det: ["the", "a", "my"],
    adj: ["red", "old", "sad"],
    noun: ["dog", "cat", "hat", "pen"],
    verb: ["ran", "sat", "fell"],
  };
  const random = mulberry(5);
  const draw = (words: readonly string[]) => words[Math.floor(words.length * random())];
  const sentences = Array.from({ length: 400 }, () => [
    draw(kinds.det),
    ...(random() < 0.5 ? [draw(kinds.adj)] : []),
    draw(kinds.noun),
    draw(kinds.verb),
  ]);

  test("finds the classes that a text was made of, the same each time", () => {
    const table = clusterWords(sentences, { classes: 8 });
    const kindOf = (word: string) => Object.entries(kinds).find(([, words]) => words.includes(word))?.[0];
    for (const { bits } of table) {
      expect(new Set(table.filter((one) => one.bits === bits).map(({ word }) => kindOf(word))).size).toBe(1);
    }
    expect(new Set(table.map(({ bits }) => bits)).size).toBeLessThanOrEqual(8);
    expect(clusterWords(sentences, { classes: 8 })).toEqual(table);
    expect(table.reduce((sum, { count }) => sum + count, 0)).toBe(sentences.flat().length);
  });

  test("tells of its progress, and refuses what cannot be", () => {
    const seen: number[] = [];
    clusterWords(sentences, {
      classes: 4,
      passes: 2,
      onProgress: ({ pass, done, total }) => seen.push(pass, done / total),
    });
    expect(seen).toEqual([1, 1, 2, 1]);
    expect(() => clusterWords([["a"]])).toThrow(InputError);
    expect(() => clusterWords(sentences, { classes: 1 })).toThrow("option `classes`");
    expect(() => clusterWords(sentences, { clases: 4 } as never)).toThrow("clases");
  });
});
