// Held-out examples are judged by the command where that is quick, and by workers where it is slow: the model is the same.

import { expect, test, vi } from "vitest";

interface Job {
  kind: string;
  parameters: unknown;
  blobs: Record<string, { bytes: Uint8Array }>;
}

/** The build: learners are found by the names of its files. */
const built = (path: string) => import(new URL(`../../dist/${path}`, import.meta.url).href);

test("it does not matter who judges", async () => {
  const { Tagger } = await built("index.js");
  const { queueCrew } = await built("workflows/queue/mixing.js");
  const { kinds } = await built("cli/queue/kinds.js");
  const data = Array.from({ length: 120 }, (_, i) => {
    const words = Array.from({ length: 6 }, (_, p) => (i * 7 + p * p * 3) % 23);
    return {
      columns: words.map((word) => [`w${word}`]),
      labels: words.map((word, p) => (word % 3 === p % 3 ? "A" : "B")),
    };
  });
  const trained = async () => {
    const done: string[] = [];
    const submitter = {
      blob: (bytes: Uint8Array) => ({ hash: "", bytes }),
      forget: async () => undefined,
      run: async ({ kind, parameters, blobs }: Job) => {
        done.push(kind);
        const given = {
          bytes: (name: string) => blobs[name].bytes,
          made: <T>(name: string, make: (bytes: Uint8Array) => T) => make(blobs[name].bytes),
        };
        return kinds.find(({ name }: { name: string }) => name === kind).run(parameters, given);
      },
    };
    const crew = queueCrew(submitter, { shards: 4, size: 4000 });
    const options = { l2: 0.1, passes: 3, heldOut: 0.3, refit: false, margin: 0 };
    const tagger = await Tagger.train(data, { ...options, crew });
    return { weights: tagger.weights, history: tagger.summary.history, done };
  };
  const here = await trained();
  let clock = 0;
  const now = vi.spyOn(performance, "now").mockImplementation(() => (clock += 1000));
  const elsewhere = await trained();
  now.mockRestore();
  expect(here.done).toContain("mix");
  expect(here.done).not.toContain("judge");
  expect(elsewhere.done).toContain("judge");
  expect(elsewhere.history).toEqual(here.history);
  expect(elsewhere.weights).toEqual(here.weights);
});
