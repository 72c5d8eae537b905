// Words in a text of letters: the score against all ways to part a text, letters that are left out, and keys drawn by score.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyLoops } from "../../../src/engine/key-choice.js";
import { ngramScore } from "../../../src/engine/ngram.js";
import { KeyChain } from "../../../src/tasks/decipher/key-chain.js";
import { COUNTED, KeyLadder } from "../../../src/tasks/decipher/key-ladder.js";
import { KeyScore } from "../../../src/tasks/decipher/key-score.js";
import { keyTables } from "../../../src/tasks/decipher/key-tables.js";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import { searchLetters } from "../../../src/tasks/decipher/letter-search.js";
import { LetterWalks } from "../../../src/tasks/decipher/letter-walks.js";
import { readDeciphererOptions } from "../../../src/tasks/decipher/options.js";
import { improvedByWords } from "../../../src/tasks/decipher/slow-chains.js";
import { Substitution } from "../../../src/tasks/decipher/substitution.js";
import { Walker } from "../../../src/tasks/decipher/walker.js";
import { WordScore } from "../../../src/tasks/decipher/word-score.js";

const lines = ["a ab ba abc cab a ab a bc", "cab a ba b a ab abc", "a ab"];
const language = LanguageModel.fromText(lines, { level: "char", order: 3 });
const words = language.words as NonNullable<typeof language.words>;
const score = new WordScore(language, words);
const ids = (text: string): Int32Array => Int32Array.from(text, (letter) => language.symbols.indexOf(letter));

/** P(w), by the definition. */
function wordProbability(word: string): number {
  const at = words.words.indexOf(word);
  const known = at < 0 ? 0 : (words.counts[at] - 0.5) / words.total;
  let spelled = Math.max(0.02, (0.5 * words.words.length) / words.total);
  const events = ids(` ${word} `);
  for (let i = 1; i < events.length; i++) {
    const p = Math.exp(ngramScore(language.ngram, [...events.slice(Math.max(0, i - 3), i)], events[i]));
    spelled *= 0.95 * p + 0.05 / language.symbols.size;
  }
  return known + spelled;
}

/** P(w | v), by the definition; v is empty at the beginning. */
function pairProbability(before: string, word: string): number {
  const all = lines.join(" ").split(" ");
  const firsts = all.slice(0, -1);
  const times = (second: string): number => firsts.filter((v, i) => v === before && all[i + 1] === second).length;
  const share = (count: number): number =>
    count >= 2 ? (count - 0.85) / all.filter((other) => other === before).length : 0;
  const lambda = 1 - [...new Set(all)].reduce((sum, other) => sum + share(times(other)), 0);
  return share(times(word)) + lambda * wordProbability(word);
}

describe("the score of a text as words", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 7 }).map((all) => all.join(""));

  const listed = fc.oneof(text, fc.constantFrom("a", "ab", "cab", "ba"));

  it("is the product of its words, if spaces are known", () =>
    fc.assert(
      fc.property(fc.array(listed, { minLength: 1, maxLength: 6 }), (all) => {
        const alone = all.reduce((sum, word) => sum + Math.log(wordProbability(word)), 0);
        const wanted = all.reduce((sum, word, i) => sum + Math.log(pairProbability(all[i - 1] ?? "", word)), 0);
        const plain = ids(all.join(" "));
        expect(score.spaced(plain, 0, plain.length, true)).toBeCloseTo(alone, 4);
        expect(score.spaced(plain, 0, plain.length)).toBeCloseTo(wanted, 4);
      }),
      { numRuns: 60 },
    ));

  it("is the sum over all ways to part it, if they are not", () =>
    fc.assert(
      fc.property(text, (all) => {
        const sums = [0, 0]; // with words before, and without
        const part = (from: number, before: string, probability: number, alone: number): void => {
          if (from === all.length) {
            sums[0] += probability;
            sums[1] += alone;
            return;
          }
          for (let to = from + 1; to <= all.length; to++) {
            const word = all.slice(from, to);
            part(to, word, probability * pairProbability(before, word), alone * wordProbability(word));
          }
          // The last word may be cut: spelled, without the space after it.
          const events = ids(` ${all.slice(from)}`);
          let spelled = Math.max(0.02, (0.5 * words.words.length) / words.total);
          for (let i = 1; i < events.length; i++) {
            const p = Math.exp(ngramScore(language.ngram, [...events.slice(Math.max(0, i - 3), i)], events[i]));
            spelled *= 0.95 * p + 0.05 / language.symbols.size;
          }
          sums[0] += 0.02 * probability * (pairProbability(before, "") / wordProbability("")) * spelled;
          sums[1] += 0.02 * alone * spelled;
        };
        part(0, "", 1, 1);
        const plain = ids(all);
        expect(score.unspaced(plain, 0, plain.length)).toBeCloseTo(Math.log(sums[0]), 4);
        expect(score.unspaced(plain, 0, plain.length, true)).toBeCloseTo(Math.log(sums[1]), 4);
      }),
      { numRuns: 60 },
    ));

  it("of a long text does not vanish", () => {
    const plain = ids("cabbaab".repeat(300));
    const long = score.unspaced(plain, 0, plain.length);
    const short = score.unspaced(plain, 0, 700);
    expect(long / 3).toBeCloseTo(short, -1);
    expect(Number.isFinite(long)).toBe(true);
  });
});

describe("keys are met in proportion to their likelihood as words", () => {
  const dense = language.withSpaces(false) as LanguageModel;
  const inference = { mode: "rcms", contexts: 10, order: 3, recombine: true, rows: "all" } as const;
  const loops = keyLoops();

  function ofCipher(oneToOne: boolean) {
    const options = { ...readDeciphererOptions({}), oneToOne };
    const cipher = new Substitution(dense, options, inference, [[..."xyzxx"]], {});
    const walks = new LetterWalks(cipher, keyTables(dense.ngram, 2, false, loops.arrays), loops);
    return { cipher, walks, scores: new KeyScore(cipher, new WordScore(dense, words)) };
  }

  it.each([1, 3])("by a chain whose moves are proposed at temperature %d", (proposing) => {
    const { walks, scores } = ofCipher(true);
    const chain = new KeyChain(walks, scores, Int32Array.from([0, 1, 2]), 7);
    const times = new Map<string, number>();
    const draws = 6000;
    for (let n = 0; n < draws; n++) {
      chain.move(1, 2, proposing);
      times.set(chain.key.join(), (times.get(chain.key.join()) ?? 0) + 1);
    }
    const keys = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ];
    const likelihoods = keys.map((key) => Math.exp(scores.of(Int32Array.from(key))));
    const sum = likelihoods.reduce((a, b) => a + b, 0);
    keys.forEach((key, i) => {
      expect(Math.abs((times.get(key.join()) ?? 0) / draws - likelihoods[i] / sum)).toBeLessThan(0.04);
    });
  });

  it("by chains that exchange their keys", async () => {
    const { cipher, walks, scores } = ofCipher(false);
    const { plainCount, cipherCount } = cipher;
    const ladder = new KeyLadder(walks, scores, Int32Array.from([0, 0, 0]), 7);
    const shares = (await ladder.draw(1_000_000, {})) as Float64Array;
    const expected = new Float64Array(shares.length);
    const all = Array.from({ length: plainCount ** cipherCount }, (_, n) =>
      Int32Array.from({ length: cipherCount }, (_, x) => Math.floor(n / plainCount ** x) % plainCount),
    );
    const best = Math.max(...all.map((key) => scores.of(key)));
    for (const temperature of COUNTED) {
      const weights = all.map((key) => Math.exp((scores.of(key) - best) / temperature));
      const sum = weights.reduce((a, b) => a + b, 0);
      all.forEach((key, n) => {
        key.forEach((y, x) => {
          expected[x * plainCount + y] += weights[n] / sum / COUNTED.length;
        });
      });
    }
    for (const [i, share] of shares.entries()) expect(Math.abs(share - expected[i])).toBeLessThan(0.04);
    expect(ladder.best.bestScore).toBeCloseTo(best, 9);
  });

  it("and chains that cool down slowly come to the best of all keys", async () => {
    const { cipher, walks, scores } = ofCipher(false);
    const { plainCount, cipherCount } = cipher;
    const start = Int32Array.from([0, 0, 0]);
    const all = Array.from({ length: plainCount ** cipherCount }, (_, n) =>
      scores.of(Int32Array.from({ length: cipherCount }, (_, x) => Math.floor(n / plainCount ** x) % plainCount)),
    );
    const chains = { most: 4, recurrences: 2, part: 1 };
    const shares: number[] = [];
    const best = await improvedByWords(walks, scores, start, chains, {}, (share) => shares.push(share));
    expect(scores.of(start)).toBeLessThan(Math.max(...all));
    expect(best?.score).toBeCloseTo(Math.max(...all), 9);
    expect(best && scores.of(best.key)).toBeCloseTo(Math.max(...all), 9);
    expect(shares).toEqual([0, 0.25]);
    expect(await improvedByWords(walks, scores, start, chains, { shouldStop: () => true })).toBeUndefined();
  });

  it("a key that is given is taken on beside those that searches find, if it is whole", async () => {
    const { cipher } = ofCipher(false);
    const walker = new Walker(cipher, dense.ngram);
    const searches = async (candidate: Record<string, string>): Promise<number> => {
      const { ends, tried } = await searchLetters(cipher, walker, 1, { candidate });
      return ends.reduce((sum, { times }) => sum + times, 0) - tried;
    };
    const [a, b, c] = dense.symbols.all();
    expect(await searches({ x: a, y: b, z: c })).toBe(1);
    expect(await searches({ x: a, y: b })).toBe(0);
  });

  it("and a ladder stops when it is asked to", async () => {
    const { walks, scores } = ofCipher(false);
    const ladder = new KeyLadder(walks, scores, Int32Array.from([0, 0, 0]), 7);
    expect(await ladder.draw(1e9, { shouldStop: () => true })).toBeUndefined();
  });
});

describe("letters of the plain text", () => {
  const english = Array.from({ length: 50 }, () => "it was the best of times, it was the worst of times");

  it("that are rare are left out with their words, and named", () => {
    const model = LanguageModel.fromText([...english, "μῆνιν ἄειδε", "it was a naïve café"], { level: "char" });
    expect(model.symbols.all().join("")).toBe("abcefhimnorstvwéï ");
    expect([...model.dropped.keys()].sort()).toEqual([...new Set("μῆνινἄειδε".normalize("NFC"))].sort());
    expect(model.words?.words).toContain("naïve");
  });

  it("are folded if asked for", () => {
    const german = ["Äpfel, Größe, Übermut"];
    const letters = (fold: "none" | "base" | "digraph") =>
      LanguageModel.fromText(german, { level: "char", fold }).words?.words;
    expect(letters("none")).toEqual(["äpfel", "größe", "übermut"]);
    expect(letters("base")).toEqual(["apfel", "grosse", "ubermut"]);
    expect(letters("digraph")).toEqual(["aepfel", "groesse", "uebermut"]);
    // Marks of other scripts make other letters.
    expect(LanguageModel.fromText(["йод"], { level: "char", fold: "base" }).words?.words).toEqual(["йод"]);
  });

  it("are those of the alphabet, if it is given", () => {
    const model = LanguageModel.fromText(english, { level: "char", alphabet: "aehimorstwz" });
    expect(model.symbols.all().join("")).toBe("aehimorstwz ");
    expect(model.words?.words).toEqual(["it", "was", "the", "times", "worst"].sort(byCount(model)));
    expect(() => LanguageModel.fromText(english, { level: "char", alphabet: "ab1" })).toThrow(
      /`1`, which is not a letter/,
    );
  });

  it("have a model with spaces and one without, from the same text", () => {
    const made = LanguageModel.fromText(english, { level: "char", spaces: false });
    const other = LanguageModel.fromText(english, { level: "char" }).withSpaces(false) as LanguageModel;
    expect(other.symbols.all()).toEqual(made.symbols.all());
    expect(other.ngram).toEqual(made.ngram);
    expect(other.withSpaces(true)?.options.spaces).toBe(true);
  });
});

function byCount({ words: list }: LanguageModel) {
  return (a: string, b: string) => (list?.words.indexOf(a) ?? 0) - (list?.words.indexOf(b) ?? 0);
}
