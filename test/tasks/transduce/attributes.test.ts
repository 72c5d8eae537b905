// What holds for the whole input: a made-up language whose endings follow from attributes, far from the slots that they decide,
// and stems of letters that were never inflected.

import { describe, expect, it } from "vitest";
import { decodeTensors } from "../../../src/model/safetensors.js";
import { transduceTask } from "../../../src/tasks/transduce/task.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";

/** N;SG leaves a word as it is, N;PL adds `-imo`, V;PST puts `no ` before it and drops its last letter. */
function inflected(word: string, [, form]: readonly string[]): string {
  if (form === "PL") return `${word}imo`;
  return form === "PST" ? `no ${word.slice(0, -1)}` : word;
}

const forms = [
  ["N", "SG"],
  ["N", "PL"],
  ["V", "PST"],
];

function words(count: number, letters: string, seed: number): string[] {
  const random = mulberry(seed);
  const draw = (): string => letters[Math.floor(letters.length * random())];
  return Array.from({ length: count }, () => Array.from({ length: 4 + Math.floor(4 * random()) }, draw).join(""));
}

const pairsOf = (all: readonly string[]) =>
  all.map((word, i) => ({
    input: [...word],
    output: [...inflected(word, forms[i % 3])],
    attributes: forms[i % 3],
  }));

const trained = Transducer.train(pairsOf(words(120, "abdefgiklmnoprst", 1)), { passes: 4, ensemble: 1 });

describe("attributes", () => {
  it("decide what is written at either end, and the rest is copied", async () => {
    const transducer = await trained;
    expect(transducer.options.copying).toBe(true);
    // The longest that a rough alignment writes at an end: `imo`, `no `.
    expect(transducer.options.edgeEmit).toBe(3);
    let right = 0;
    const unseen = words(30, "abdefgiklmnoprst", 2);
    for (const word of unseen) {
      for (const attributes of forms) {
        if (transducer.predict([...word], { attributes }).output.join("") === inflected(word, attributes)) right++;
      }
    }
    expect(right).toBeGreaterThan(80);
  });

  it("are part of what is remembered, of n-best outputs, likelihoods and alignments", async () => {
    const transducer = await trained;
    const [, plural] = pairsOf(words(120, "abdefgiklmnoprst", 1));
    const { input, output, attributes } = plural;
    const { nbest = [], probability } = transducer.predict(input, { attributes, nbest: 3, alignment: true });
    expect(nbest[0].output).toEqual(output);
    expect(probability).toBeGreaterThan(0.8);
    expect(nbest[0].alignment?.map((part) => part.input)).toEqual(input);
    expect(nbest[0].alignment?.flatMap((part) => part.output)).toEqual(output);
    expect(transducer.align(input, output, attributes)?.flatMap((part) => part.output)).toEqual(output);
    const likelihoods = forms.map((form) => transducer.logLikelihood(input, output, form));
    expect(likelihoods.indexOf(Math.max(...likelihoods))).toBe(1);
  });

  it("are kept in the file, and answers are the same", async () => {
    const transducer = await trained;
    const bytes = encodeModel(transducer);
    expect(decodeTensors(bytes).metadata["stargram.version"]).toBe("3");
    const loaded = decodeModel(bytes) as Transducer;
    for (const word of words(10, "abdefgiklmnoprst", 3)) {
      for (const attributes of [...forms, undefined]) {
        const asked = { attributes, nbest: 4, contexts: true };
        expect(loaded.predict([...word], asked)).toEqual(transducer.predict([...word], asked));
      }
    }
  });

  it("that were never seen are named, and the others still count", async () => {
    const transducer = await trained;
    const prediction = transducer.predict([..."banal"], { attributes: ["N", "PL", "DUAL"] });
    expect(prediction.unknownAttributes).toEqual(["DUAL"]);
    expect(transducer.predict([..."banal"], { attributes: ["N", "PL"] }).unknownAttributes).toBeUndefined();
    expect(() => transducer.predict([..."banal"], { attributes: "N" as never })).toThrow(InputError);
  });

  it("go through a review and back", async () => {
    const transducer = await trained;
    const { reviewing } = transduceTask;
    const pair = { input: [..."banal"], output: [], attributes: ["N", "PL"] };
    const item = reviewing.item(transducer, pair, [], 1);
    expect(item?.input).toBe("banal N;PL");
    const answered = { ...item, answer: "banalimo", status: "answered", line: 2 } as never;
    const example = reviewing.example(answered, "review.tsv", { input: "chars", output: "chars" } as never);
    expect(reviewing.exported?.(answered, "review.tsv")).toBe("banal\tbanalimo\tN;PL\n");
    expect(example).toMatchObject({ input: [..."banal"], output: [..."banalimo"], attributes: ["N", "PL"] });
  });

  it("are what more pairs are learned with, too", async () => {
    const transducer = await trained;
    const more = pairsOf(words(12, "abdefgiklmnoprst", 5));
    const further = await Transducer.train(more, { from: transducer, passes: 1 });
    for (const { input, output, attributes } of more) {
      expect(further.predict(input, { attributes }).output).toEqual(output);
    }
  });
});
