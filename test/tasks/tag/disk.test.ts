// Taggers that learn from sequences on disk: the same model, bit for bit, as from the same sequences in memory.

import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it, test } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { GrowingAlphabet } from "../../../src/engine/growing-alphabet.js";
import { scratchIn } from "../../../src/formats/scratch.js";
import type { TaggingSequence } from "../../../src/formats/sequence.js";
import type { MemorySizes, Scratch } from "../../../src/learn/scratch.js";
import { attributeMaker } from "../../../src/tasks/tag/features.js";
import { checkSlots, Reader } from "../../../src/tasks/tag/reading.js";
import type { StoredSequences } from "../../../src/tasks/tag/stored.js";
import { Tagger, type TrainTaggerOptions } from "../../../src/tasks/tag/tagger.js";
import { generator, uniform } from "../../../src/util/random.js";
import { encodeModel } from "../../../src/workflows/model.js";

const folder = mkdtempSync(join(tmpdir(), "stargram-disk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scratch = (sizes: Partial<MemorySizes>): Scratch => ({ ...scratchIn(folder, 1e9), sizes });
/** Everything in memory, and everything on disk. */
const memory = { examples: 1e9, names: 1e9 };
const disk = { examples: 0, window: 100 };

/** Sentences of made-up words whose labels follow from their endings, and some from the word before. */
function sentences(count: number, seed: number): TaggingSequence[] {
  const random = generator(seed, 1);
  const draw = (n: number): number => Math.floor(uniform(random) * n);
  return Array.from({ length: count }, (_, s) => {
    const columns = Array.from({ length: draw(9) }, () => [`w${draw(40)}${"aeiou"[draw(5)]}`]);
    const labels = columns.map(([word], i) => {
      if (draw(12) === 0) return draw(2) ? null : ["A", "B", "C"].slice(draw(2));
      return word.endsWith("a") ? "A" : i > 0 && columns[i - 1][0].endsWith("a") ? "B" : "C";
    });
    return { columns, labels, document: 1 + Math.floor(s / 3) };
  });
}

/** The same with attributes that have values. */
function valued(sequences: readonly TaggingSequence[]): TaggingSequence[] {
  return sequences.map(({ columns = [], labels }) => ({
    attributes: columns.map(([word]) => [word.slice(-1), word]),
    values: columns.map(([word]) => (word.endsWith("o") ? [0.5, 2] : undefined)) as (number[] | undefined)[],
    labels,
  }));
}

const train = async (sequences: readonly TaggingSequence[], options: TrainTaggerOptions): Promise<Uint8Array> => {
  using tagger = await Tagger.train(sequences, { passes: 2, ...options });
  return encodeModel(tagger);
};

describe("training from disk", () => {
  it("gives the same model as training in memory, for blocks of any size", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 12, max: 160 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.record({
          whole: fc.constantFrom(0, 1000, 1e9),
          block: fc.integer({ min: 1, max: 600 }),
          together: fc.integer({ min: 1, max: 5 }),
        }),
        fc.integer({ min: 1, max: 5000 }),
        fc.constantFrom<TrainTaggerOptions[]>(
          {},
          { conjoin: true },
          { contexts: { least: 1, most: 5 } },
          { l2: 1, heldOut: 0.3 },
          { template: "U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nB2:%x[0,0]", minCount: 2 },
        ),
        fc.boolean(),
        async (count, seed, order, window, options, isValued) => {
          const given = sentences(count, seed);
          const data = isValued && !options.template ? valued(given) : given;
          const expected = await train(data, { ...options, scratch: scratch({ ...order, ...memory }) });
          const found = await train(data, { ...options, scratch: scratch({ ...order, ...disk, window }) });
          expect(Buffer.compare(found, expected)).toBe(0);
        },
      ),
      { numRuns: 15 },
    ));

  test("little data is shuffled as a whole, as it is without a word about memory", async () => {
    const data = sentences(100, 3);
    const expected = await train(data, {});
    expect(await train(data, { scratch: scratch(disk) })).toEqual(expected);
    expect(await train(data, { scratch: scratch({ ...disk, whole: 500, block: 100 }) })).not.toEqual(expected);
  });

  test("labels in another scheme, sequences to choose by, vectors", async () => {
    const random = generator(5, 1);
    const words = ["in", "Rome", "Paris", "we", "met"];
    const named = (count: number): TaggingSequence[] =>
      Array.from({ length: count }, () => {
        const columns = Array.from({ length: 6 }, () => [words[Math.floor(uniform(random) * words.length)]]);
        return { columns, labels: columns.map(([word]) => (/^[RP]/.test(word) ? "I-LOC" : "O")) };
      });
    const [own, dev] = [named(60), named(20)];
    const vectors = "we 0.1 0.2\nRome 1 0.5\nParis 0.9 0.6\n";
    const options = { constrained: true, dev, vectors };
    const sizes = { whole: 100, block: 50, together: 3 };
    const expected = await train(own, { ...options, scratch: scratch({ ...sizes, ...memory }) });
    expect(await train(own, { ...options, scratch: scratch({ ...sizes, ...disk }) })).toEqual(expected);
  });

  test("it says so, and what is left out", async () => {
    const notices: string[] = [];
    const onNotice = (text: string): void => void notices.push(text);
    await train(sentences(100, 1), { onNotice, scratch: scratch({ ...disk, names: 150, weights: 200 }) });
    expect(notices).toEqual([
      expect.stringMatching(/^training reads its data from disk, .* to stay within option `memory` \(1 GB\)$/),
      expect.stringMatching(
        /^the dictionary was full: rare attributes were dropped [\d,]+ times while reading; 150 fit$/,
      ),
      expect.stringMatching(
        /^left out: \d+ attributes seen fewer than \d+ times; about 200 weights fit into option `memory`/,
      ),
    ]);
  });

  test("weights stay within what fits, and the commonest attributes are kept", async () => {
    const data = sentences(300, 2);
    using all = await Tagger.train(data, { passes: 1, l2: 1 });
    using few = await Tagger.train(data, { passes: 1, l2: 1, scratch: scratch({ ...disk, weights: 400 }) });
    expect(all.weights.length).toBeGreaterThan(1000);
    expect(few.weights.length).toBeLessThan(600);
    for (const letter of "aeiou") expect(few.attributes.indexOf(`suffix1=${letter}`)).toBeGreaterThanOrEqual(0);
  });

  test("the file is gone when training ends, also by an error", async () => {
    async function* broken(): AsyncGenerator<TaggingSequence> {
      yield* sentences(50, 1);
      if (process.platform === "linux") expect(openFiles()).toBe(1);
      throw new Error("the line was cut");
    }
    await expect(train(broken() as never, { scratch: scratch(disk) })).rejects.toThrow("the line was cut");
    expect(openFiles()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Scratch files that this process has open. */
function openFiles(): number {
  if (process.platform !== "linux") return 0;
  return openDescriptors().filter((target) => target.startsWith(folder)).length;
}

function openDescriptors(): string[] {
  return readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return "";
    }
  });
}

describe("a dictionary that is full", () => {
  it("drops rare attributes, and what is left of a sequence is its own", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 6 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 4, max: 40 }),
        async (given, names) => {
          const alphabets = {
            labels: new Alphabet(),
            attributes: new GrowingAlphabet(),
            conjoined: new GrowingAlphabet(),
          };
          const maker = attributeMaker({}, { conjoin: false, lexicons: [] });
          const reader = new Reader(maker, alphabets, { scratch: scratch({ ...disk, names }), hasWords: false });
          const sequences = given.map((numbers) => ({
            attributes: [["always", ...numbers.map((number) => `n${number}`)]],
            labels: ["A"],
          }));
          const stored = (await reader.read(sequences)) as StoredSequences;
          try {
            const { attributes } = alphabets;
            const seen = new Int32Array(attributes.size);
            const left = Array.from(stored.scan(), ({ attributes: { ids } }) => {
              for (const id of ids) seen[id]++;
              return Array.from(ids, (id) => attributes.nameOf(id));
            });
            left.forEach((found, s) => {
              const [own] = sequences[s].attributes;
              // Those that are left, in the order they had.
              let at = 0;
              for (const name of found) at = own.indexOf(name, at) + 1 || Number.NaN;
              expect(at).not.toBeNaN();
            });
            // Each that is in the dictionary was counted as often as it is there.
            expect(Array.from(attributes.counts.subarray(0, attributes.size))).toEqual(Array.from(seen));
            // One that is seen all the time is never dropped, once it was seen twice.
            expect(left.slice(1).every((found, s) => s < names || found.includes("always"))).toBe(true);
          } finally {
            reader.close();
          }
        },
      ),
    ));
});

describe("limits", () => {
  test("a sequence whose scores the kernel cannot hold is refused with its place", () => {
    expect(() => checkSlots({ length: 100_000, file: "a.txt", line: 7 }, 50_000)).toThrow(
      /^a\.txt:7: a sequence of 100,000 positions with 50,000 labels would take 160 GB of memory; the limit is 2\.15 GB/,
    );
    expect(() => checkSlots({ length: 100_000 }, 500)).not.toThrow();
    expect(() => checkSlots({ length: 1000 }, 50_000)).not.toThrow();
  });

  test("many labels and attributes: only pairs that occur have weights", async () => {
    const random = generator(4, 1);
    const draw = (n: number): number => Math.floor(uniform(random) * n);
    const data = Array.from({ length: 120 }, (_, s) => {
      const labels = Array.from({ length: 5 }, () => `L${draw(400)}`);
      return { attributes: labels.map((label, i) => [`w=${label}`, `once${5 * s + i}`]), labels };
    });
    using tagger = await Tagger.train(data, { passes: 1, l2: 1, order: 1, scratch: scratch(disk) });
    expect(tagger.labels.size).toBeGreaterThan(250);
    expect(tagger.attributes.size).toBeGreaterThan(850);
    // Of attributes: one weight each. Of labels: those that followed one another, and ⋆ and each label with all, up to 1,024.
    const { table, attributeRow } = tagger.rows;
    const ofAttributes = attributeRow?.reduce((sum, row) => sum + table.start[row + 1] - table.start[row], 0);
    expect(ofAttributes).toBe(tagger.attributes.size);
    using few = await Tagger.train(data, { passes: 1, l2: 1, order: 1, scratch: scratch({ ...disk, names: 400 }) });
    expect(few.attributes.size).toBeLessThanOrEqual(400);
    expect(few.labels.size).toBe(tagger.labels.size);
  });
});
