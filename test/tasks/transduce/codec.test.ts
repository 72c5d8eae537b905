// A transducer in a file: it answers as before, and no change to the bytes passes unnoticed.

import { describe, expect, it } from "vitest";
import { decodeCheckpoint, encodeCheckpoint } from "../../../src/model/checkpoint.js";
import { decodeTensors, encodeTensors } from "../../../src/model/safetensors.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";

const pairs = ["photo F OW T OW", "phone F OW N", "tone T OW N", "pat P AE T", "hat HH AE T"].map((line) => {
  const [word, ...output] = line.split(" ");
  return { input: [...word], output };
});

const trained = Transducer.train(pairs, { passes: 5, note: { input: { format: "tsv" } } });

it("a training stopped and resumed gives the same file, with the same pairs counted as aligned", async () => {
  // Half of the pairs cannot be aligned at first in the model's own contexts.
  const random = mulberry(3);
  const symbols = [..."abcdefgh"];
  const some = Array.from({ length: 60 }, () => {
    const input = Array.from({ length: 6 }, () => symbols[Math.floor(8 * random())]);
    return { input, output: input.flatMap((symbol) => (symbol < "e" ? [symbol, symbol] : [symbol])) };
  });
  const options = { strategy: "model", contexts: 2, passes: 2, l2: 1, window: 2 } as const;
  const whole = await Transducer.train(some, options);
  for (const steps of [10, 54, 70]) {
    let seen = 0;
    let bytes = new Uint8Array();
    await Transducer.train(some, {
      ...options,
      onExample: () => seen++,
      shouldStop: () => seen >= steps,
      onCheckpoint(checkpoint) {
        bytes = encodeCheckpoint({ settings: {}, data: "", checkpoint }) as Uint8Array<ArrayBuffer>;
      },
    });
    const { checkpoint } = decodeCheckpoint(bytes);
    expect(encodeModel(await Transducer.train(some, { ...options, checkpoint }))).toEqual(encodeModel(whole));
  }
  expect(whole.summary.alignedPairs).toBeLessThan(60);
});

describe("a transducer's file", () => {
  it("answers as the transducer that was saved, bit for bit", async () => {
    const transducer = await trained;
    const loaded = decodeModel(encodeModel(transducer)) as Transducer;
    for (const word of ["phat", "tophone", "x"]) {
      const options = { nbest: 3, alignment: true };
      expect(loaded.predict([...word], options)).toEqual(transducer.predict([...word], options));
    }
    expect(loaded.summary).toEqual(transducer.summary);
    expect(loaded.options).toEqual(transducer.options);
    expect(loaded.note).toEqual({ input: { format: "tsv" } });
  });

  const kinds = [
    { kind: "words", lists: 5, options: { words: 0.4 } },
    { kind: "joint", lists: 11, options: { jointGrams: 2, heldOut: 0.3 } },
  ];
  it.each(kinds)(
    "keeps a model of $kind, and is refused, or usable, when its numbers are changed",
    async ({ kind, lists, options }) => {
      const texts = ["ab", "a b", "b a", "abb a", "b", "a", "ba", "bb", "aab", "b b", "a a"];
      const transducer = await Transducer.train(
        texts.map((text) => ({ input: [...text], output: [...text] })),
        { passes: 3, ...options },
      );
      const input = [..."ab b"];
      const bytes = encodeModel(transducer);
      const loaded = decodeModel(bytes) as Transducer;
      expect(loaded.predict(input, { nbest: 5 })).toEqual(transducer.predict(input, { nbest: 5 }));
      const content = decodeTensors(bytes);
      const names = Object.keys(content.tensors).filter((name) => name.startsWith(`${kind}.`));
      expect(names).toHaveLength(lists);
      for (const name of names) {
        for (const value of [-2, -1, 0, 1, 1000]) {
          for (let i = 0; i < content.tensors[name].data.length; i++) {
            const data = content.tensors[name].data.slice();
            data[i] = value;
            const tensors = { ...content.tensors, [name]: { data } };
            let changed: Transducer;
            try {
              changed = decodeModel(encodeTensors({ metadata: content.metadata, tensors })) as Transducer;
            } catch (error) {
              expect(error).toBeInstanceOf(InputError);
              continue;
            }
            const { probability } = changed.predict(input);
            expect(probability).toBeGreaterThan(0);
            expect(probability).toBeLessThanOrEqual(1);
          }
        }
      }
    },
  );

  it("can be read when no pair had an alignment to count graphones of", async () => {
    const tooLong = ["ab", "ba", "aa"].map((word) => ({ input: [...word], output: [..."xyzxyz"] }));
    const transducer = await Transducer.train(tooLong, { passes: 1, maxEmit: 1, heldOut: 0.4, jointGrams: 2 });
    const loaded = decodeModel(encodeModel(transducer)) as Transducer;
    expect(loaded.predict(["a"], { nbest: 3 })).toEqual(transducer.predict(["a"], { nbest: 3 }));
  });

  it("can be read however long the outputs are, as options that it could not hold are refused before", async () => {
    const long = [{ input: ["a"], output: Array.from({ length: 1200 }, () => "x") }];
    const transducer = await Transducer.train(long, { passes: 1 });
    expect(transducer.options.maxEmit).toBeLessThan(1000);
    expect(transducer.summary.alignedPairs).toBe(0);
    expect((decodeModel(encodeModel(transducer)) as Transducer).options).toEqual(transducer.options);
    for (const name of ["order", "maxEmit", "window", "outputGrams", "jointGrams"] as const) {
      await expect(Transducer.train(pairs, { [name]: 1001 })).rejects.toThrow(`option \`${name}\``);
    }
    await expect(Transducer.train(pairs, { moveGrams: [1001] })).rejects.toThrow(InputError);
    await expect(Transducer.train(pairs, { moveGrams: Array(101).fill(1) })).rejects.toThrow(InputError);
    await expect(Transducer.train(pairs, { contexts: 1_000_001 })).rejects.toThrow(InputError);
  });

  it("of the time when symbols were whole and had no classes is read", async () => {
    const made = await Transducer.train(pairs, { passes: 5, input: "chars", output: "chars" });
    const { metadata, tensors } = decodeTensors(encodeModel(made));
    const { input: _, output: __, ...options } = JSON.parse(metadata["stargram.options"]);
    const old = encodeTensors({ metadata: { ...metadata, "stargram.options": JSON.stringify(options) }, tensors });
    const loaded = decodeModel(old) as Transducer;
    expect(loaded.options).toEqual(made.options);
    expect(loaded.predict([..."photon"])).toEqual(made.predict([..."photon"]));
  });

  it("is refused when any byte is changed or missing", async () => {
    const bytes = encodeModel(await trained);
    const random = mulberry(1);
    for (let n = 0; n < 300; n++) {
      const changed = bytes.slice(0, n % 3 === 0 ? Math.floor(random() * bytes.length) : bytes.length);
      if (n % 3 !== 0) changed[Math.floor(random() * changed.length)] ^= 1 << Math.floor(random() * 8);
      expect(() => decodeModel(changed, "m.sg")).toThrow(InputError);
    }
  });

  it("is refused, or usable, when its numbers are changed behind the checksum", async () => {
    const content = decodeTensors(encodeModel(await trained));
    const random = mulberry(2);
    const names = Object.keys(content.tensors);
    for (let n = 0; n < 400; n++) {
      const tensors = Object.fromEntries(
        Object.entries(content.tensors).map(([name, { data }]) => [name, { data: data.slice() }]),
      );
      const { data } = tensors[names[Math.floor(random() * names.length)]];
      data[Math.floor(random() * data.length)] = Math.floor(random() * 100) - 20;
      const bytes = encodeTensors({ metadata: content.metadata, tensors });
      let loaded: Transducer;
      try {
        loaded = decodeModel(bytes, "m.sg") as Transducer;
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        continue;
      }
      const { probability } = loaded.predict([..."phat"]);
      expect(probability).toBeGreaterThan(0);
      expect(probability).toBeLessThanOrEqual(1);
    }
  });
});
