// The model file and the checkpoint: what is saved comes back bit for bit, and whatever bytes a file holds, the answer is a
// sound model or a clear refusal.

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { TaggingSequence } from "../../src/formats/sequence.js";
import type { Checkpoint } from "../../src/learn/training.js";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/model/checkpoint.js";
import { decodeTensors, encodeTensors, type TensorData } from "../../src/model/safetensors.js";
import { Tagger, type TrainTaggerOptions } from "../../src/tasks/tag/tagger.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";
import { InputError } from "../../src/util/errors.js";
import { generator, uniform } from "../../src/util/random.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";

/** Sentences of a small grammar, with a second column. */
function sentences(count: number, seed: number): TaggingSequence[] {
  const random = generator(seed, 0);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(uniform(random) * list.length)];
  const words: Record<string, string[]> = {
    DT: ["the", "a"],
    JJ: ["old", "Big", "naïve"],
    NN: ["dog", "cat", "𝒳-ray", "bark"],
    VB: ["barks", "sees", "bark"],
  };
  return Array.from({ length: count }, () => {
    const labels = [
      "DT",
      ...(uniform(random) < 0.5 ? ["JJ"] : []),
      "NN",
      "VB",
      ...(uniform(random) < 0.3 ? ["DT", "NN"] : []),
    ];
    return { columns: labels.map((label) => [pick(words[label]), label[0]]), labels };
  });
}

const data = sentences(60, 1);
const unseen = sentences(25, 2);
const withValues = (list: TaggingSequence[]): TaggingSequence[] =>
  list.map(({ columns = [], labels }) => ({
    attributes: columns.map(([word]) => [word, `${Array.from(word)[0]}:`, "length"]),
    values: columns.map(([word]) => [1, 1, word.length / 10]),
    labels,
  }));

const kinds: [name: string, train: TaggingSequence[], test: TaggingSequence[], options: TrainTaggerOptions][] = [
  ["text", data, unseen, {}],
  ["chunking attributes, order 3", data, unseen, { features: "chunking", order: 3, contexts: 3, rows: "longest" }],
  ["a template with conjunctions", data, unseen, { template: "U0:%x[0,0]\nB1:%x[0,1]\nB\n", mode: "exact" }],
  ["every attribute conjoined", data, unseen, { conjoin: true, minCount: 2 }],
  ["values", withValues(data), withValues(unseen), { order: 1, l1: 2 }],
  ["order 0, no contexts", data, unseen, { order: 0, contexts: 0 }],
  ["beam", data, unseen, { mode: "beam", contexts: 2 }],
  ["a range of contexts", data, unseen, { contexts: { least: 1, most: 8 } }],
  ["partial labels", data.map((s, i) => (i % 3 ? s : { ...s, labels: s.labels?.map(() => null) })), unseen, {}],
];

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  "a model with a weight of %s is refused when it is loaded",
  async (bad) => {
    const tagger = await Tagger.train(data, { passes: 1, l2: 1 });
    tagger.weights[tagger.weights.length - 1] = bad;
    const bytes = encodeModel(tagger);
    expect(() => decodeModel(bytes, "bad.sg")).toThrow(/^bad\.sg: .*`weights` holds a number that is not finite$/);
  },
);

describe("saved and loaded", () => {
  test.each(kinds)("a tagger answers exactly as before: %s", async (_name, train, unknown, options) => {
    const tagger = await Tagger.train(train, { passes: 3, ...options, note: { input: { format: "columns" } } });
    const bytes = encodeModel(tagger);
    const loaded = decodeModel(bytes) as Tagger;
    for (const sequence of unknown) {
      const ask = { nbest: 3, marginals: true, contexts: true };
      expect(loaded.predict(sequence, ask)).toEqual(tagger.predict(sequence, ask));
      expect(loaded.logLikelihood(sequence)).toBe(tagger.logLikelihood(sequence));
      expect(loaded.explain(sequence, 0)).toEqual(tagger.explain(sequence, 0));
    }
    expect(loaded.options).toEqual(tagger.options);
    expect(loaded.note).toEqual(tagger.note);
    expect(JSON.stringify(loaded.summary)).toBe(JSON.stringify(tagger.summary));
    expect(encodeModel(loaded)).toEqual(bytes);
  });

  test("attributes that carry no weight are not saved", async () => {
    const tagger = await Tagger.train(withValues(data), { passes: 3, l1: 50 });
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    expect(loaded.attributes.size).toBeLessThan(tagger.attributes.size);
    expect(loaded.labels.all()).toEqual(tagger.labels.all());
  });

  test("a name that a file cannot hold is refused when saving", async () => {
    const tagger = await Tagger.train([{ attributes: [["\ud835"], ["x"]], labels: ["A", "B"] }], { passes: 2 });
    expect(() => encodeModel(tagger)).toThrow(/half a character/);
  });

  test("a tagger whose attributes come from a function asks for it", async () => {
    const features = (columns: readonly (readonly string[])[], i: number) => [columns[i][0]];
    const tagger = await Tagger.train(data, { passes: 2, features });
    const loaded = decodeModel(encodeModel(tagger)) as Tagger;
    expect(() => loaded.predict(unseen[0])).toThrow(/setFeatures|function/);
    loaded.setFeatures(features);
    expect(loaded.predict(unseen[0])).toEqual(tagger.predict(unseen[0]));
  });
});

describe("bad files", () => {
  let tagger: Tagger;
  let bytes: Uint8Array;
  let answers: string;
  const answersOf = (model: Tagger): string =>
    JSON.stringify(unseen.slice(0, 5).map((sequence) => model.predict(sequence, { marginals: true })));

  beforeAll(async () => {
    tagger = await Tagger.train(data, { passes: 2, template: "U0:%x[0,0]\n*1:%x[0,1]\n" });
    bytes = encodeModel(tagger);
    answers = answersOf(tagger);
  });

  /** A clear refusal, or a model that answers. */
  const attempt = (candidate: Uint8Array): Tagger | undefined => {
    try {
      return decodeModel(candidate, "bad.sg") as Tagger;
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      expect((error as InputError).message).toMatch(/^bad\.sg: /);
      return undefined;
    }
  };

  test("1,000 random corruptions are refused, or change nothing", () => {
    const random = generator(5, 0);
    const below = (n: number) => Math.floor(uniform(random) * n);
    for (let n = 0; n < 1000; n++) {
      let bad = bytes.slice();
      const kind = below(4);
      // Half of them in the header, which is where the meaning is.
      const place = below(2) ? below(bytes.length) : below(Math.min(bytes.length, 3000));
      if (kind === 0) bad[place] ^= 1 << below(8);
      else if (kind === 1) bad = bad.subarray(0, place);
      else if (kind === 2) bad.fill(below(256), place, place + 1 + below(64));
      else bad = Uint8Array.from([...bad.subarray(0, place), below(256), ...bad.subarray(place)]);
      const loaded = attempt(bad);
      if (loaded) expect(answersOf(loaded)).toBe(answers);
    }
  });

  test("files with a right checksum and wrong content are refused, or answer with probabilities", () => {
    const content = decodeTensors(bytes);
    const names = Object.keys(content.tensors);
    const random = generator(6, 0);
    const below = (n: number) => Math.floor(uniform(random) * n);
    let refused = 0;
    for (let n = 0; n < 1000; n++) {
      const tensors: Record<string, { data: TensorData }> = {};
      for (const name of names) tensors[name] = { data: content.tensors[name].data };
      const name = names[below(names.length)];
      let changed = content.tensors[name].data.slice() as Exclude<TensorData, BigInt64Array | BigUint64Array>;
      const kind = below(4);
      const place = below(changed.length);
      if (kind === 0) changed[place] += below(2) ? 1 : -1;
      else if (kind === 1) changed[place] = [0, -1, -2, 1e9, 2 ** 31 - 1, -(2 ** 31), Number.NaN, 3e38][below(8)];
      else if (kind === 2) changed = changed.slice(0, place) as typeof changed;
      else changed.reverse();
      tensors[name] = { data: changed };
      const loaded = attempt(encodeTensors({ metadata: content.metadata, tensors }));
      if (!loaded) {
        refused++;
        continue;
      }
      for (const sequence of unseen.slice(0, 2)) {
        const { probability, labels } = loaded.predict(sequence, { nbest: 2, contexts: true });
        expect(probability).toBeGreaterThanOrEqual(0);
        expect(probability).toBeLessThanOrEqual(1);
        expect(labels).toHaveLength(sequence.columns?.length ?? 0);
      }
      for (const label of loaded.labels.all()) loaded.strongest(label, 3);
    }
    expect(refused).toBeGreaterThan(300);
  });

  test("metadata of the wrong shape is refused", () => {
    const content = decodeTensors(bytes);
    const values = [
      "",
      "null",
      "[]",
      "{}",
      "7",
      '"text"',
      '{"kind":"text","x":1}',
      '{"order":-1}',
      '{"order":1e300}',
      '{"kind":"template","text":"%"}',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(content.metadata)), fc.constantFrom(...values), (key, value) => {
        const { metadata, tensors } = content;
        const loaded = attempt(encodeTensors({ metadata: { ...metadata, [key]: value }, tensors }));
        if (loaded) expect(loaded.predict({ columns: [["the", "D"]] }).probability).toBeLessThanOrEqual(1);
      }),
    );
  });

  const changed = (metadata: Record<string, string>): Uint8Array => {
    const content = decodeTensors(bytes);
    return encodeTensors({ metadata: { ...content.metadata, ...metadata }, tensors: content.tensors });
  };

  test("a file of a later version says so", () => {
    expect(() => decodeModel(changed({ "stargram.version": "99" }), "new.sg")).toThrow(/new\.sg: .*newer Stargram/);
  });

  test("a model of an unknown kind says so", () => {
    expect(() => decodeModel(changed({ "stargram.kind": "oracle" }))).toThrow(
      /does not know models of the kind `oracle`/,
    );
  });

  test("a safetensors file that says nothing of Stargram is refused", () => {
    const foreign = encodeTensors({ metadata: {}, tensors: { weights: { data: new Float32Array(3) } } });
    expect(() => decodeModel(foreign)).toThrow(/not a Stargram model/);
  });
});

test("a tagger of an earlier version sees words as it did", async () => {
  const words = [..."abcdef"].map((letter) => ({ columns: [[`${letter}1`], ["x"]], labels: ["L", "R"] }));
  const { metadata, tensors } = decodeTensors(encodeModel(await Tagger.train(words, { passes: 3, l2: 0.1 })));
  expect(metadata["stargram.source"]).toBe('{"kind":"text","version":2}');
  const old = encodeTensors({ metadata: { ...metadata, "stargram.source": '{"kind":"text"}' }, tensors });
  const reasons = (bytes: Uint8Array) =>
    (decodeModel(bytes) as Tagger).explain(words[0], 0).contributions.map(({ feature }) => feature);
  expect(reasons(encodeTensors({ metadata, tensors })).some((name) => /script=|short.*\|short/.test(name))).toBe(true);
  expect(reasons(old).some((name) => /script=|short.*\|short/.test(name))).toBe(false);
});

describe("names of version 1", () => {
  const oldWords = (json: string): string =>
    json.replaceAll('"passes"', '"epochs"').replaceAll('"pass"', '"epoch"').replaceAll('"bestPass"', '"bestEpoch"');
  const asVersion1 = (bytes: Uint8Array): Uint8Array => {
    const { metadata, tensors } = decodeTensors(bytes);
    const old = Object.entries(metadata).map(([key, value]) => [key, oldWords(value)]);
    return encodeTensors({ metadata: { ...Object.fromEntries(old), "stargram.version": "1" }, tensors });
  };
  const pairs = [..."abcde"].map((letter) => ({ input: [letter, letter], output: [letter.toUpperCase()] }));

  test("a tagger, a transducer and a checkpoint are read as they are today", async () => {
    for (const model of [await Tagger.train(data, { passes: 3 }), await Transducer.train(pairs, { passes: 2 })]) {
      const bytes = encodeModel(model);
      const old = asVersion1(bytes);
      expect(new TextDecoder().decode(old)).toMatch(/epochs.*bestEpoch/s);
      expect(encodeModel(decodeModel(old))).toEqual(encodeModel(decodeModel(bytes)));
    }
    let saved: Uint8Array | undefined;
    const onCheckpoint = (checkpoint: Checkpoint): void => {
      saved = encodeCheckpoint({ settings: {}, data: "", checkpoint });
    };
    await Tagger.train(data, { passes: 2, onCheckpoint });
    const bytes = saved as Uint8Array;
    expect(decodeCheckpoint(bytes).checkpoint.history).not.toHaveLength(0);
    expect(encodeCheckpoint(decodeCheckpoint(asVersion1(bytes)))).toEqual(bytes);
  });

  test("an option under its old name counts, unless its current name is given too", async () => {
    const passesOf = async (options: object): Promise<number> =>
      (await Tagger.train(data, { heldOut: 0, l2: 1, ...options })).summary.history.length;
    expect(await passesOf({ epochs: 2 })).toBe(2);
    expect(await passesOf({ epochs: 2, passes: 3 })).toBe(3);
    await expect(passesOf({ epochs: 0 })).rejects.toThrow(/`passes` must be a whole number/);
    const old: object = { epochs: 2, heldOut: 0 };
    expect((await Transducer.train(pairs, old)).summary.history.length).toBe(2);
  });
});

describe("checkpoints", () => {
  const options: TrainTaggerOptions = { passes: 4, patience: 4, template: "U0:%x[0,0]\nB\n" };

  /** Trains until `steps` examples are learned from; returns the checkpoint as it comes back from a file. */
  async function interrupted(steps: number): Promise<Checkpoint> {
    let bytes: Uint8Array | undefined;
    let seen = 0;
    await Tagger.train(data, {
      ...options,
      onExample: () => {
        seen++;
      },
      shouldStop: () => seen >= steps,
      onCheckpoint: (checkpoint) => {
        bytes = encodeCheckpoint({ settings: { a: 1 }, data: "x", checkpoint });
      },
    });
    const saved = decodeCheckpoint(bytes as Uint8Array);
    expect(saved.settings).toEqual({ a: 1 });
    expect(saved.data).toBe("x");
    return saved.checkpoint;
  }

  // 60 sequences, 6 of them held out: 54 to a pass.
  test.each([1, 30, 54, 55, 100, 215])("a training resumed after %i steps gives the same model", async (steps) => {
    const whole = encodeModel(await Tagger.train(data, options));
    const checkpoint = await interrupted(steps);
    expect(encodeModel(await Tagger.train(data, { ...options, checkpoint }))).toEqual(whole);
  });

  test("a checkpoint is no model, a model no checkpoint", async () => {
    const tagger = await Tagger.train(data, { ...options, passes: 1 });
    expect(() => decodeCheckpoint(encodeModel(tagger), "m.sg")).toThrow(/m\.sg: this is a model/);
    const bytes = encodeCheckpoint({ settings: {}, data: "", checkpoint: await interrupted(10) });
    expect(() => decodeModel(bytes, "m.sg.checkpoint")).toThrow(/checkpoint of an unfinished training/);
  });

  test("1,000 random corruptions are refused", async () => {
    const bytes = encodeCheckpoint({ settings: {}, data: "", checkpoint: await interrupted(60) });
    const random = generator(7, 0);
    for (let n = 0; n < 1000; n++) {
      const bad = bytes.slice(0, n % 2 ? bytes.length : Math.floor(uniform(random) * bytes.length));
      if (n % 2) bad[Math.floor(uniform(random) * bad.length)] ^= 1 << Math.floor(uniform(random) * 8);
      try {
        const { checkpoint } = decodeCheckpoint(bad);
        // A change of white space in the header changes nothing.
        expect(encodeCheckpoint({ settings: {}, data: "", checkpoint })).toEqual(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
      }
    }
  });
});
