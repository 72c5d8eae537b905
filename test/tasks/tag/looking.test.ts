// What the explorer looks at: contexts of a transducer's slots, a shorter order than a tagger's own, a key to begin with.

import { expect, test } from "vitest";
import { readCipher } from "../../../src/tasks/decipher/cipher-text.js";
import { Decipherer } from "../../../src/tasks/decipher/decipherer.js";
import { encipher } from "../../../src/tasks/decipher/encipher.js";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { generator, uniform } from "../../../src/util/random.js";

test("every output of a transducer begins each input symbol once, whatever it remembers", async () => {
  const pairs = ["ab", "ba", "aab", "bab", "abba", "bb", "a"].map((word) => ({
    input: [...word],
    output: [...word].flatMap((letter) => (letter === "a" ? ["A", "H"] : ["B"])),
  }));
  const transducer = await Transducer.train(pairs, { passes: 2, heldOut: 0 });
  const { slots = [] } = transducer.predict([..."abab"], { contexts: true });
  expect(slots).toHaveLength(4 * (transducer.options.maxEmit + 1));
  for (const { position, written, contexts } of slots) {
    const mass = contexts.reduce((sum, { probability }) => sum + probability, 0);
    if (written === 0) expect(mass, `position ${position}`).toBeCloseTo(1, 9);
    else expect(mass).toBeLessThanOrEqual(1 + 1e-9);
    for (const { suffix } of contexts) {
      // Of what is remembered, as many symbols stand since the latest step as were written for this input symbol.
      const since = suffix.slice(suffix.lastIndexOf(null) + 1).filter((move) => move !== "^").length;
      expect(since).toBeLessThanOrEqual(written);
    }
  }
  expect(slots[0].contexts[0].suffix).toEqual(["^"]);
});

test("a tagger that looks back at nothing decides each position alone", async () => {
  const random = generator(3, 0);
  const sequences = Array.from({ length: 60 }, () => {
    const labels = Array.from({ length: 5 }, () => (uniform(random) < 0.5 ? "x" : "y"));
    return { columns: labels.map((label, i) => [`${label}${i % 2}`]), labels };
  });
  const tagger = await Tagger.train(sequences, { order: 2, passes: 2, l2: 1 });
  const sequence = { columns: [["x0"], ["q"], ["y1"], ["q"], ["x1"]] };
  const alone = tagger.predict(sequence, { marginals: true, inference: { order: 0 } });
  const product = (alone.marginals ?? []).reduce((p, row) => p * Math.max(...Object.values(row)), 1);
  expect(alone.probability).toBeCloseTo(product, 9);
  const own = tagger.predict(sequence).probability;
  expect(tagger.predict(sequence, { inference: { order: 2 } }).probability).toBe(own);
});

test("deciphering goes on from a key that is given, without a search", async () => {
  const text =
    "the night was cold and the wind came over the hills and nobody was on the road to the old mill by the sea ";
  const language = LanguageModel.fromText([text.repeat(3)], { level: "char", order: 3 });
  const { text: written, key } = encipher(text, { seed: 2 });
  const begin = Object.fromEntries(Object.entries(key).filter(([cipher]) => cipher !== " "));
  let searches = 0;
  const passes: Map<string, string>[] = [];
  const found = await new Decipherer(language, { oneToOne: true }).solve(readCipher(written, "char").sequences, {
    begin,
    onSearch: () => searches++,
    onPass: (pass) => {
      const readings = pass.readings();
      passes.push(pass.key());
      expect(new Map([...readings].map(([cipher, { plain }]) => [cipher, plain]))).toEqual(pass.key());
      for (const { probability } of readings.values()) expect(probability).toBeLessThanOrEqual(1);
    },
  });
  expect(searches).toBe(0);
  expect(passes.length).toBeGreaterThan(0);
  for (const { cipher, plain } of found.mapping) if (cipher !== " ") expect(plain).toBe(key[cipher]);
});
