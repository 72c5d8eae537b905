// An AbortSignal ends trainings and solutions of ciphers: they reject with its reason, at once or on their way.

import { describe, expect, it } from "vitest";
import { Decipherer, LanguageModel, readCipher, Segmenter, Tagger, Transducer } from "../../src/index.js";

const sequences = Array.from({ length: 200 }, (_, i) => ({
  columns: [["the"], [`dog${i % 7}`], ["barks"]],
  labels: ["DT", "NN", "VBZ"],
}));
const pairs = Array.from({ length: 200 }, (_, i) => ({ input: [..."ab".repeat(1 + (i % 5))], output: [..."xy"] }));
const texts = Array.from({ length: 100 }, () => ({ text: "ab cd", segments: [{ start: 0, end: 2 }] }));
const language = LanguageModel.fromText(["the dog barks and the cat sleeps"], { level: "char" });

const works: Record<string, (hooks: { signal: AbortSignal }) => Promise<unknown>> = {
  tagger: (hooks) => Tagger.train(sequences, { ...hooks, passes: 500, heldOut: 0, l2: 1 }),
  transducer: (hooks) => Transducer.train(pairs, { ...hooks, passes: 500, heldOut: 0 }),
  segmenter: (hooks) => Segmenter.train(texts, { ...hooks, passes: 500, heldOut: 0, l2: 1 }),
  decipherer: (hooks) =>
    new Decipherer(language, { restarts: 10_000 }).solve(readCipher("XYZ QRS TTXYZ", "char").sequences, hooks),
};

describe.each(Object.entries(works))("a signal and a %s", (_name, work) => {
  it("that was aborted before rejects at once", async () => {
    const reason = new Error("no time");
    await expect(work({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("that is aborted on the way ends the work", async () => {
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    const result = work({ signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    await expect(result).rejects.toBe(reason);
  });
});
