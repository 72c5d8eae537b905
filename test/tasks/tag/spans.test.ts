// Probabilities of spans, against the sum over all outputs that have them.

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { chunksOf } from "../../../src/metrics/tagging.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { InputError } from "../../../src/util/errors.js";

const schemes: Record<string, string[]> = {
  BIO: ["O", "B-X", "I-X", "B-Y", "I-Y"],
  BIOES: ["O", "B-X", "I-X", "E-X", "S-X"],
  BILOU: ["O", "B-X", "I-X", "L-X", "U-X"],
  "no types": ["O", "B", "I"],
};

const words = ["a", "b", "c"];

/** Labels at random, so that the model believes in nearly everything. */
async function taggerOf(labels: readonly string[], options: object): Promise<Tagger> {
  const sequences = fc
    .sample(fc.array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(...labels)), { minLength: 1, maxLength: 5 }), {
      seed: 4,
      numRuns: 40,
    })
    .map((tokens) => ({ columns: tokens.map(([word]) => [word]), labels: tokens.map(([, label]) => label) }));
  return Tagger.train(sequences, { passes: 3, heldOut: 0, l2: 0.1, ...options });
}

describe.each(Object.entries(schemes))("%s", (_, labels) => {
  test.each([
    { mode: "exact", order: 2 },
    { mode: "rcms", order: 3, contexts: 4 },
    { mode: "rcms", order: 1, contexts: 0 },
  ] as const)("a span is as probable as all outputs with it: $mode, order $order", async (options) => {
    const tagger = await taggerOf(labels, options);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }), (tokens) => {
        const sequence = { columns: tokens.map((token) => [token]) };
        const all = tagger.predict(sequence, { nbest: 1000, spans: true });
        for (const { label, from, to, probability } of all.spans ?? []) {
          const sum = (all.nbest ?? [])
            .filter((output) =>
              chunksOf(output.labels).some((c) => c.type === label && c.start === from && c.end === to),
            )
            .reduce((total, output) => total + output.probability, 0);
          expect(probability).toBeCloseTo(sum, 9);
        }
        expect(all.spans?.map(({ label, from, to }) => ({ type: label, start: from, end: to }))).toEqual(
          chunksOf(all.labels),
        );
        // Alone, the same without a trellis for outputs that have none.
        const alone = tagger.predict(sequence, { spans: true }).spans ?? [];
        expect(alone.map(({ from }) => from)).toEqual(all.spans?.map(({ from }) => from));
        alone.forEach(({ probability }, i) => {
          expect(probability).toBeCloseTo(all.spans?.[i].probability ?? 0, 12);
        });
      }),
      { numRuns: 30 },
    );
  });
});

describe("labels that mark no spans", () => {
  let tagger: Tagger;
  beforeAll(async () => {
    tagger = await taggerOf(["DT", "NN"], {});
  });
  test("have none to give", () => {
    expect(() => tagger.predict({ columns: [["a"]] }, { spans: true })).toThrow(InputError);
  });
});
